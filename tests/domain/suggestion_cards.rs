//! The life of a card: its id, its partials, its end, and what isn't shown twice (E9, S5, DECISIONS 17).
use super::fixture::said;
use aura::call::Answered;
use aura::equipment::Catalogue;
use aura::generation::{FailureKind, Usage};
use aura::ids::{AgentId, CallId, TurnId};
use aura::leak::Leaks;
use aura::retrieval::report::Rag;
use aura::suggestion::*;
use aura::transcript::Speaker;
use serde_json::{Value, json};

/// One call's cards, and all that the desk was told.
pub struct Desk {
    pub deck: Deck,
    call: CallId,
    leaks: Leaks,
    pub log: Vec<Value>,
}

impl Desk {
    pub fn new() -> Self {
        let leaks = Leaks::of("La primera frase es corta y va a lo que se acaba de preguntar.");
        Self { deck: Deck::default(), call: CallId::parse("call_1").unwrap(), leaks, log: Vec::new() }
    }

    pub fn tell(&mut self, changes: impl IntoIterator<Item = Change>) -> Vec<Value> {
        let told: Vec<Value> = changes.into_iter().map(|change| json!(change)).collect();
        self.log.extend(told.iter().cloned());
        told
    }

    pub fn begin(&mut self, turn: u32) -> Vec<Value> {
        let opening = Opening {
            call: &self.call,
            turn: TurnId(turn),
            created_at: 1_700_000_000_000 + u64::from(turn),
            cause: Cause::Turn,
            question: "me marca H08, mi DNI es 30123456",
            identity: Label::Unconfirmed,
        };
        let change = self.deck.begin(&opening);
        self.tell(change)
    }

    pub fn chunk(&mut self, running: &str) -> Vec<Value> {
        let leaks = &self.leaks;
        let changes = self.deck.chunk(|| showable(running, Catalogue::builtin(), leaks));
        self.tell(changes)
    }

    pub fn finish(&mut self) -> Vec<Value> {
        let changes = self.deck.finish();
        self.tell(changes)
    }

    /// A whole card of one sentence.
    pub fn card(&mut self, turn: u32, text: &str) -> Vec<Value> {
        self.begin(turn);
        self.deck.released(text);
        self.finish()
    }

    pub fn hear(&mut self, speaker: Speaker, text: &str) -> Vec<Value> {
        let changes = self.deck.heard(&said(speaker, text), Catalogue::builtin());
        self.tell(changes)
    }
}

fn hit() -> Rag {
    Rag {
        hit: true,
        score: Some(0.71),
        cosine: Some(0.71),
        source: Some("m50.md".to_owned()),
        section: Some("Alarmas".to_owned()),
    }
}

#[test]
fn e9_a_partial_every_fourth_chunk_with_one_id_and_time() {
    let mut desk = Desk::new();
    desk.begin(3);
    desk.deck.grounded(&hit());
    let mut texts = Vec::new();
    for chunk in [
        "Quédese",
        "Quédese tran",
        "Quédese tranquila",
        "Quédese tranquila, lo",
        "Quédese tranquila, lo vemos",
    ] {
        texts.push(desk.chunk(chunk).len());
    }
    desk.deck.released("Quédese tranquila, lo vemos juntas.");
    texts.extend([desk.chunk("").len(), desk.chunk("Ya").len(), desk.chunk("Ya lo").len()]);
    desk.deck.released("Ya lo reviso.");
    texts.push(desk.finish().len());
    assert_eq!(texts, [0, 0, 0, 1, 0, 0, 0, 1, 1]);
    let shown: Vec<&str> = desk.log.iter().map(|told| told["text"].as_str().unwrap()).collect();
    let expected = [
        "Quédese tranquila, lo",
        "Quédese tranquila, lo vemos juntas. Ya lo",
        "Quédese tranquila, lo vemos juntas. Ya lo reviso.",
    ];
    assert_eq!(shown, expected);
    for told in &desk.log {
        assert_eq!(told["suggestionId"], "call_1/3");
        assert_eq!(told["createdAt"], 1_700_000_000_003_u64);
    }
    let done: Vec<bool> = desk.log.iter().map(|told| told["done"].as_bool().unwrap()).collect();
    assert_eq!(done, [false, false, true]);
}

#[test]
fn e9_confidence_is_two_words_and_the_true_score_stands_apart() {
    for (rag, confidence) in
        [(hit(), 0.9), (Rag { hit: false, score: Some(0.41), ..hit() }, 0.7), (Rag::default(), 0.7)]
    {
        let mut desk = Desk::new();
        desk.begin(1);
        desk.deck.grounded(&rag);
        desk.deck.released("Ya lo reviso.");
        let told = desk.finish().remove(0);
        assert_eq!(told["confidence"], confidence);
        assert_eq!((&told["ragHit"], &told["ragScore"]), (&json!(rag.hit), &json!(rag.score)));
        assert_eq!((&told["source"], &told["section"]), (&json!(rag.source), &json!(rag.section)));
        assert_eq!(told["identity"], "unconfirmed", "S5");
        assert!(!told["quote"].as_str().unwrap().contains("30123456"), "S4: {told}");
    }
}

#[test]
fn d17_a_partial_stops_before_the_first_technical_value() {
    let leaks = Leaks::of("La primera frase es corta y va a lo que se acaba de preguntar.");
    for (running, shown) in [
        ("Quédese tranquila, el código H08 indica", "Quédese tranquila,"),
        ("Ponga el flujo en 3 litros", ""),
        ("Su documento es 30.123.456", ""),
        ("La primera frase es corta y va a lo que", ""),
        ("Ya lo reviso y le", "Ya lo reviso y le"),
    ] {
        assert_eq!(showable(running, Catalogue::builtin(), &leaks), shown, "{running}");
    }
}

#[test]
fn e9_a_failure_is_shown_with_its_cause_and_what_was_written() {
    let mut desk = Desk::new();
    desk.begin(1);
    desk.deck.released("Quédese tranquila.");
    let failed = desk.deck.fail(FailureKind::Timeout);
    let told = desk.tell(failed).remove(0);
    let expected = json!({
        "change": "failed", "suggestionId": "call_1/1", "createdAt": 1_700_000_000_001_u64,
        "text": "Quédese tranquila.", "cause": "La respuesta tardó demasiado."
    });
    assert_eq!(told, expected);
    assert_eq!(desk.deck.previous(), [] as [&str; 0], "half a suggestion is none");
    desk.begin(2);
    assert_eq!(desk.finish()[0]["change"], "failed", "an empty one is a failure");
}

#[test]
fn e9_what_is_overtaken_is_withdrawn_by_name_if_it_was_seen() {
    let mut desk = Desk::new();
    desk.begin(1);
    assert_eq!(desk.deck.abort(Gone::Overtaken), None, "nobody has seen it");
    desk.begin(2);
    (0..4).for_each(|_| drop(desk.chunk("Ya lo reviso")));
    let told = desk.begin(3);
    let expected = json!({
        "change": "withdrawn", "suggestionId": "call_1/2", "reason": "overtaken", "cause": "El paciente siguió hablando."
    });
    assert_eq!(told, [expected]);
    (0..8).for_each(|_| drop(desk.chunk("Enseguida se lo digo")));
    assert_eq!(desk.log.last().unwrap()["suggestionId"], "call_1/3");
}

#[test]
fn issue6_one_card_stands_at_a_time() {
    let mut desk = Desk::new();
    desk.card(1, "Quédese tranquila.");
    let told = desk.card(2, "Ya lo reviso.");
    let brief: Vec<_> = told
        .iter()
        .map(|told| (told["change"].as_str().unwrap(), told["suggestionId"].as_str().unwrap()))
        .collect();
    assert_eq!(brief, [("withdrawn", "call_1/1"), ("shown", "call_1/2")]);
    assert_eq!(told[0]["reason"], "newer");
    let ended = desk.deck.clear(Gone::Danger);
    assert_eq!(desk.tell(ended).len(), 1, "only what stands");
}

#[test]
fn issue6_what_was_just_suggested_is_not_shown_again() {
    let mut desk = Desk::new();
    desk.card(1, "¿Me dice la marca y el modelo?");
    desk.card(2, "Quédese tranquila, señora.");
    desk.begin(3);
    (0..4).for_each(|_| assert_eq!(desk.chunk("Entonces, ¿me dice la mar"), [] as [Value; 0]));
    desk.deck.released("Entonces, ¿me dice la marca y el modelo, por favor?");
    let told = desk.finish();
    assert_eq!(told, [json!({ "change": "repeated", "suggestionId": "call_1/3", "of": "call_1/1" })]);
    assert_eq!(desk.deck.previous().len(), 2);
    desk.card(4, "Ya lo anoto.");
    desk.card(5, "Le aviso al área.");
    assert_eq!(
        desk.card(6, "¿Me dice la marca y el modelo?").last().unwrap()["change"],
        "shown",
        "three ago is long ago"
    );
}

#[test]
fn issue6_another_figure_or_a_no_is_another_suggestion() {
    assert!(same("Apague el equipo, por favor.", "apague el equipo"));
    for (one, other) in [
        ("Ponga el flujo en 2.", "Ponga el flujo en 3."),
        ("Apague el equipo.", "No apague el equipo."),
        ("Revise el filtro.", "Revise el enchufe."),
        ("Con gusto.", ""),
        ("", ""),
    ] {
        assert!(!same(one, other), "{one} / {other}");
    }
}

#[test]
fn e8_a_card_whose_request_was_answered_is_withdrawn() {
    let mut desk = Desk::new();
    desk.card(1, "¿Me dice su documento?");
    assert_eq!(desk.deck.own_request(), Standing::Open(Wanted::Document));
    assert_eq!(desk.hear(Speaker::Patient, "ay, espere"), [] as [Value; 0]);
    let told = desk.hear(Speaker::Patient, "30.123.456");
    assert_eq!((&told[0]["reason"], &told[0]["cause"]), (&json!("answered"), &json!("El dato ya se dijo.")));
    assert_eq!(desk.deck.own_request(), Standing::Answered(Wanted::Document));
    desk.card(2, "¿Me dice el modelo?");
    let typed = desk.deck.settle(Wanted::Model);
    assert_eq!(desk.tell(typed).len(), 1);
    let kept: Vec<Kept> = serde_json::from_value(json!(desk.deck.kept())).unwrap();
    let resumed = Deck::resume(kept);
    assert_eq!(resumed.own_request(), Standing::Answered(Wanted::Model));
    assert_eq!(resumed.previous(), desk.deck.previous());
}

#[test]
fn e10_the_payload_needs_the_full_text_and_an_operator() {
    let answered = Answered {
        text: String::new(),
        usage: Usage::default(),
        rag: hit(),
        responder: "local/quote".to_owned(),
        prompt: "copilot_identity@1.4.0".to_owned(),
        first_token_ms: Some(90),
        llm_ms: Some(300),
        turn_ms: Some(340),
    };
    let agent = AgentId("laura".to_owned());
    let mut desk = Desk::new();
    desk.begin(1);
    assert_eq!(desk.deck.writing().unwrap().payload(&answered, Some(&agent)), None, "not whole");
    desk.deck.grounded(&hit());
    desk.deck.released("Ya lo reviso.");
    desk.finish();
    let card = desk.deck.newest().unwrap();
    assert_eq!(card.payload(&answered, None), None, "nobody's call");
    let payload = card.payload(&answered, Some(&agent)).unwrap();
    for (field, value) in [
        ("suggestionId", json!("call_1/1")),
        ("agentId", json!("laura")),
        ("ragHit", json!(true)),
        ("ragScore", json!(0.71)),
        ("confidence", json!(0.9)),
        ("section", json!("Alarmas")),
        ("identity", json!("unconfirmed")),
        ("llmMs", json!(300)),
    ] {
        assert_eq!(payload[field], value, "{field}");
    }
}
