//! Calls at random, by seed: what holds for every card and every wait whatever happens.
use super::suggestion_rig::Copilot;
use aura::generation::FailureKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Repeatable chance.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

const PATIENT: [&str; 9] = [
    "me marca error H08 el concentrador",
    "sí",
    "30.123.456",
    "no sé qué hacer con esto",
    "",
    "es el M50 de la marca SysMed",
    "ay, espere",
    "no puedo respirar",
    "gracias, muy amable, señorita",
];
const OPERATOR: [&str; 4] = ["¿Me dice su documento?", "Ya lo anoto", "¿Qué modelo es?", "Bien"];
const MODEL: [&str; 6] = [
    "Quédese tranquilo. ",
    "¿Me dice su documento? ",
    "El código H08 indica una falla. ",
    "Ya lo reviso con usted. ",
    "¿Me dice la marca y el modelo? ",
    "Lo acompa",
];

fn step(call: &mut Copilot, dice: &mut Dice) {
    match dice.below(15) {
        0 | 1 => drop(call.patient(dice.pick(&PATIENT))),
        2 => drop(call.begins(dice.pick(&PATIENT))),
        3 => drop(call.operator(dice.pick(&OPERATOR))),
        4 | 5 => drop(call.after([10, 200, 400, 3000][dice.below(4) as usize])),
        6 => drop(call.grounded(dice.below(100) as f64 / 100.0)),
        7..=9 => drop(call.writes(dice.pick(&MODEL))),
        10 => drop(if dice.below(3) == 0 { call.fails(FailureKind::Timeout) } else { call.finishes() }),
        11 => drop(call.asks_for_one()),
        // One that comes to its end undisturbed.
        _ => drop(call.asks_for_one().writes(dice.pick(&MODEL[..5])).finishes()),
    }
    assert!(call.deadline().is_none_or(|due| due >= call.now()), "what is due is done");
}

/// What the desk was told of each card, in order.
fn cards(call: &Copilot) -> BTreeMap<String, Vec<Value>> {
    let mut cards: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in call.text.lines() {
        if let Some((_, told)) = line.split_once("desk      ") {
            let told: Value = serde_json::from_str(told).unwrap();
            cards.entry(told["suggestionId"].as_str().unwrap().to_owned()).or_default().push(told);
        }
    }
    cards
}

#[test]
fn e9_cards_hold_their_promises_in_two_hundred_calls() {
    let (mut whole, mut gone, mut failed, mut repeated) = (0, 0, 0, 0);
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut call = Copilot::new();
        (0..40).for_each(|_| step(&mut call, &mut dice));
        let cards = cards(&call);
        assert!(cards.len() <= call.spent, "seed {seed}: one card a turn");
        for (id, told) in &cards {
            let kind = |told: &Value| told["change"].as_str().unwrap().to_owned();
            let times: BTreeSet<_> = told.iter().filter_map(|told| told["createdAt"].as_u64()).collect();
            assert!(times.len() <= 1, "seed {seed} {id}: one time for life");
            let turns: BTreeSet<_> = told.iter().filter_map(|told| told["turn"].as_u64()).collect();
            assert!(turns.iter().all(|turn| *id == format!("call_1/{turn}")), "seed {seed} {id}: one turn");
            // Final is last: after it, a whole card may be withdrawn once, and nothing else.
            let end = told.iter().position(|told| kind(told) != "shown" || told["done"] == true);
            let after: Vec<String> =
                end.map(|end| told[end + 1..].iter().map(kind).collect()).unwrap_or_default();
            let whole_card = end.is_some_and(|end| told[end]["done"] == true);
            let allowed = match end.map(|end| kind(&told[end])).as_deref() {
                Some("shown") => after.is_empty() || after == ["withdrawn"],
                // A card that turned out to repeat another is taken away first.
                Some("withdrawn") => after.is_empty() || after == ["repeated"],
                Some("failed" | "repeated") => after.is_empty(),
                _ => end.is_none(),
            };
            assert!(allowed, "seed {seed} {id}: {told:#?}");
            let partials = told.iter().filter(|told| told["done"] == false);
            let texts: Vec<&str> = partials.filter_map(|told| told["text"].as_str()).collect();
            assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "seed {seed} {id}: nothing twice");
            assert!(
                texts.iter().all(|text| !text.contains("H08 indica") || text.contains("falla.")),
                "seed {seed}"
            );
            whole += usize::from(whole_card);
            gone += usize::from(told.iter().any(|told| kind(told) == "withdrawn"));
            failed += usize::from(told.iter().any(|told| kind(told) == "failed"));
            repeated += usize::from(told.iter().any(|told| kind(told) == "repeated"));
        }
        let standing: Vec<_> = cards.values().filter(|told| told.last().unwrap()["done"] == true).collect();
        assert!(standing.len() <= 1, "seed {seed}: one card stands: {standing:#?}");
    }
    for (what, times) in [("whole", whole), ("withdrawn", gone), ("failed", failed), ("repeated", repeated)] {
        assert!(times > 20, "{what} hardly ever happened: {times}");
    }
}
