//! After the search: thresholds, codes, foreign rows (R16, R17, R24, DECISIONS 3, 4).
use super::fixture::*;
use aura::channel::Channel;
use aura::equipment::{Catalogue, Code};
use aura::retrieval::decide::{self, Decision, Miss, Outcome, Thresholds};
use aura::retrieval::plan::{self, Known, Plan};
use aura::retrieval::reading;
use aura::retrieval::score::Scale;
use aura::retrieval::{CANDIDATE_LIMIT, Candidate, Found, LessonCandidate, LessonKind};

const THRESHOLDS: Thresholds = Thresholds { knowledge: 0.6, similarity: 0.78, approved: 0.85, ask: true };

/// A plan of a turn that names nothing, in a call in which these sources are known.
fn knowing(sources: &[&str]) -> Plan {
    let none = models(&[]);
    let known = Known {
        profile: Channel::Retell.profile(),
        settings: &settings(&[]),
        catalogue: Catalogue::builtin(),
        on_file: &none,
        sticky: &none,
        named: &none,
        earlier: &none,
        pending: None,
    };
    let plan = plan::plan(&reading::read("¿qué hago con el equipo?", Catalogue::builtin()), &known);
    Plan { known_sources: sources.iter().map(|source| source.to_string()).collect(), ..plan }
}

fn codes(texts: &[&str]) -> Vec<Code> {
    texts.iter().map(|text| Code::parse(text).unwrap()).collect()
}

fn decide(found: &Found, plan: &Plan, codes: &[Code], thresholds: &Thresholds) -> Decision {
    decide::decide(found, plan, codes, thresholds, Scale::Identity, Catalogue::builtin())
}

fn outcome(rows: &[Candidate], known: &[&str], named: &[&str]) -> Outcome {
    decide(&found(rows.iter().cloned()), &knowing(known), &codes(named), &THRESHOLDS).outcome
}

/// The labels of the injected rows, in order.
fn labels(outcome: &Outcome) -> Vec<&str> {
    match outcome {
        Outcome::Hit(rows) => rows.iter().map(|row| row.chunk.row.as_str()).collect(),
        other => panic!("a hit was expected: {other:?}"),
    }
}

fn m50(label: &str, content: &str, cosine: f32) -> Candidate {
    near(row(M50, label, content), cosine)
}

#[test]
fn r16_three_are_fetched_and_the_nearest_must_pass() {
    assert_eq!(CANDIDATE_LIMIT, 3);
    let rows = |best| [m50("A", "a", best), m50("B", "b", 0.6), m50("C", "c", 0.59)];
    assert_eq!(
        labels(&outcome(&rows(0.9), &[M50], &[])),
        ["A", "B"],
        "what passes is injected, at the threshold too"
    );
    assert_eq!(labels(&outcome(&rows(0.6)[..1], &[M50], &[])), ["A"]);
    let under = [m50("A", "a", 0.599), m50("B", "b", 0.5)];
    assert_eq!(outcome(&under, &[M50], &[]), Outcome::Miss(Miss::BelowThreshold));
    assert_eq!(outcome(&[], &[M50], &[]), Outcome::Miss(Miss::NoCandidates));
}

#[test]
fn r17_the_row_of_the_named_code_goes_first() {
    let rows = [m50("H02", "Baja.", 0.9), m50("H01", "Falla.", 0.8), m50("Código H08", "Falla.", 0.7)];
    assert_eq!(labels(&outcome(&rows, &[M50], &["H8"])), ["Código H08", "H02", "H01"]);
    assert_eq!(labels(&outcome(&rows, &[M50], &[])), ["H02", "H01", "Código H08"], "no code, no new order");
}

#[test]
fn r17_h8_is_h08_and_e4_is_not_e43() {
    for written in ["H8", "h 8", "H-08", "H08"] {
        assert_eq!(codes(&[written]), codes(&["H08"]));
    }
    let rows = [m50("E43", "Presión alta.", 0.9), m50("Error E4", "Temperatura.", 0.7)];
    assert_eq!(labels(&outcome(&rows, &[M50], &["E4"]))[0], "Error E4");
    assert_eq!(outcome(&rows[..1], &[M50], &["E4"]), Outcome::Miss(Miss::CodeNotFound));
}

#[test]
fn d3_the_row_of_the_code_goes_in_whatever_its_own_score() {
    let rows = [m50("Ruidos", "Mire el filtro.", 0.7), m50("H08", "Falla.", 0.1)];
    assert_eq!(labels(&outcome(&rows, &[M50], &["H08"])), ["H08", "Ruidos"]);
    let under = [m50("Ruidos", "Mire el filtro.", 0.5), m50("H08", "Falla.", 0.4)];
    assert_eq!(
        outcome(&under, &[M50], &["H08"]),
        Outcome::Miss(Miss::BelowThreshold),
        "once the nearest passes"
    );
}

#[test]
fn d3_two_codes_bring_both_rows_first() {
    let rows = [m50("Ruidos", "Mire.", 0.9), m50("H08", "Falla.", 0.5), m50("E4", "Calor.", 0.4)];
    assert_eq!(labels(&outcome(&rows, &[M50], &["E4", "H08"]))[..2], ["H08", "E4"]);
}

#[test]
fn d3_a_code_that_no_row_holds_gives_no_block() {
    let rows = [m50("H02", "Baja.", 0.9), m50("H01", "Falla.", 0.8)];
    assert_eq!(outcome(&rows, &[M50], &["H33"]), Outcome::Miss(Miss::CodeNotFound));
}

#[test]
fn d3_a_code_in_the_text_counts_but_a_label_goes_before_it() {
    let rows = [m50("Ruidos", "Si aparece H08, apague.", 0.9), m50("H08 / H01", "Falla.", 0.7)];
    assert_eq!(labels(&outcome(&rows, &[M50], &["H08"])), ["H08 / H01", "Ruidos"]);
    assert_eq!(labels(&outcome(&rows[..1], &[M50], &["H08"])), ["Ruidos"]);
}

#[test]
fn s6_d4_a_row_of_an_unknown_device_asks() {
    let rows = [m50("H08", "Falla.", 0.9), near(row(CAP, "Pedido", "Llame."), 0.8)];
    assert_eq!(outcome(&rows, &[], &[]), Outcome::Ask);
    assert_eq!(outcome(&rows, &[], &["H08"]), Outcome::Ask);
    assert_eq!(outcome(&rows, &[CP501], &["H08"]), Outcome::Ask, "another device's model is known");
    let silent = Thresholds { ask: false, ..THRESHOLDS };
    let decided = decide(&found(rows.clone()), &knowing(&[]), &[], &silent);
    assert_eq!(decided.outcome, Outcome::Miss(Miss::OtherEquipment));
    let may_not = Plan { may_ask: false, ..knowing(&[]) };
    assert_eq!(decide(&found(rows), &may_not, &[], &THRESHOLDS).outcome, Outcome::Miss(Miss::OtherEquipment));
}

#[test]
fn d4_foreign_rows_are_dropped_before_injection() {
    let rows = [
        near(row(CAP, "Pedido", "Llame."), 0.9),
        m50("H08", "Falla.", 0.85),
        near(row(TUBOS, "Tubo", "Gire."), 0.8),
    ];
    assert_eq!(labels(&outcome(&rows, &[], &[])), ["Pedido", "Tubo"]);
    assert_eq!(labels(&outcome(&rows, &[M50], &[])), ["Pedido", "H08", "Tubo"]);
    assert_eq!(
        outcome(&rows, &[], &["H08"]),
        Outcome::Ask,
        "the code's row is another device's: never injected"
    );
}

#[test]
fn r24_the_best_survives_whatever_comes_of_it() {
    for (known, best) in [(&[M50][..], 0.9), (&[M50][..], 0.3), (&[][..], 0.9)] {
        let decided =
            decide(&found([m50("H02", "Baja.", best)]), &knowing(known), &codes(&["H08"]), &THRESHOLDS);
        assert!(!matches!(decided.outcome, Outcome::Hit(_)));
        assert_eq!(decided.best_score, Some(best));
        assert_eq!(decided.best.unwrap().chunk.source, M50);
    }
    let nothing = decide(&found([]), &knowing(&[M50]), &[], &THRESHOLDS);
    assert_eq!((nothing.best, nothing.best_score, nothing.memory_best_score), (None, None, None));
}

fn lesson(kind: LessonKind, cosine: f32) -> LessonCandidate {
    let text = |text: &str| text.to_owned();
    LessonCandidate { id: text("ab"), kind, complaint: text("Se tapa."), answer: text("Límpielo."), cosine }
}

#[test]
fn r2_each_kind_of_lesson_has_its_threshold_and_the_best_is_told_anyway() {
    let kinds = [
        (LessonKind::Correction, 0.78, true),
        (LessonKind::Correction, 0.77, false),
        (LessonKind::Approved, 0.85, true),
        (LessonKind::Approved, 0.84, false),
    ];
    for (kind, cosine, passes) in kinds {
        let found = Found { lessons: vec![lesson(kind, cosine)], ..found([]) };
        let decided = decide(&found, &knowing(&[]), &[], &THRESHOLDS);
        assert_eq!(decided.lessons.len(), usize::from(passes), "{kind:?} {cosine}");
        assert_eq!(decided.memory_best_score, Some(cosine));
    }
}

#[test]
fn d1_the_threshold_is_on_the_mapped_scale() {
    let scale = Scale::Logistic { slope: 40.0, intercept: -34.0 };
    assert!((scale.score(0.85) - 0.5).abs() < 1e-5);
    assert!(
        (1..100).all(|n| scale.score(n as f32 / 100.0) >= scale.score((n - 1) as f32 / 100.0)),
        "never falls"
    );
    let at = |cosine| {
        let found = found([m50("A", "a", cosine)]);
        decide::decide(&found, &knowing(&[M50]), &[], &THRESHOLDS, scale, Catalogue::builtin())
    };
    assert_eq!(at(0.85).outcome, Outcome::Miss(Miss::BelowThreshold));
    assert_eq!(labels(&at(0.87).outcome), ["A"]);
    assert_eq!(Scale::Identity.score(0.573), 0.573);
    assert_eq!(Scale::of_model("text-embedding-3-small"), Scale::Identity);
}

#[test]
fn r4_the_thresholds_of_a_turn_come_from_its_channel() {
    let rows = [
        ("rag.knowledgeThreshold", "global", 0.55.into()),
        ("rag.knowledgeThreshold", "retell", 0.7.into()),
        ("rag.askWhenEquipmentUnknown", "whatsapp", false.into()),
    ];
    let settings = settings(&rows);
    let of = |channel: Channel| Thresholds::resolve(&settings, channel.profile());
    assert_eq!(of(Channel::Retell).knowledge, 0.7);
    assert_eq!(of(Channel::AudioFork).knowledge, 0.55);
    assert_eq!((of(Channel::WhatsApp).ask, of(Channel::Retell).ask), (false, true));
    assert_eq!((of(Channel::Retell).similarity, of(Channel::Retell).approved), (0.78, 0.85));
}
