//! Calibration's arithmetic: intervals, verdicts, the fit (R31, DECISIONS 1).
use super::fixture::*;
use super::shelf::corpus;
use aura::ask::{Asked, Engine};
use aura::calibrate::fit::{Observation, logistic, observe};
use aura::calibrate::{Labelled, LabelledSet, Place, Row, Table, Trial, Verdict, wilson};
use aura::equipment::Catalogue;
use aura::retrieval::score::Scale;
use aura::retrieval::{Candidate, Found};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 5e-4
}

#[test]
fn r31_wilsons_intervals_are_the_known_ones() {
    for (hits, n, low, high) in [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (15, 148, 0.0624, 0.1605),
    ] {
        let (found_low, found_high) = wilson(hits, n);
        assert!(close(found_low, low) && close(found_high, high), "{hits}/{n}: {found_low} {found_high}");
    }
    assert_eq!(wilson(0, 0), (0.0, 1.0));
    for n in 1..60 {
        for hits in 0..=n {
            let (low, high) = wilson(hits, n);
            let share = hits as f64 / n as f64;
            assert!(0.0 <= low && low <= share + 1e-12 && share <= high + 1e-12 && high <= 1.0, "{hits}/{n}");
        }
    }
}

fn labelled(outcome: &str, text: &str) -> Labelled {
    let right = json!({ "source": M50, "section": "Alarmas", "row": "Código H08 / H01" });
    let expected = if outcome == "hit" { right } else { Value::Null };
    serde_json::from_value(json!({
        "id": "T1", "text": text, "channel": "audio_fork", "crm_models": ["M50"], "outcome": outcome,
        "expected": expected, "expected_filter": { "sources": [M50] }, "must_not_sources": [YUWELL],
    }))
    .unwrap()
}

/// How a query fares at 0.6 when the stores answer so; `None` where the gate closed.
fn verdict(query: &Labelled, manuals: Option<Vec<Candidate>>, on_file: &[&str], guarded: bool) -> Verdict {
    let engine = Engine {
        catalogue: Catalogue::builtin(),
        settings: settings(&[]),
        scale: Scale::Identity,
        prompts: BTreeMap::new(),
    };
    let on_file: Vec<String> = on_file.iter().map(|name| name.to_string()).collect();
    let asked = Asked { text: &query.text, channel: query.channel, on_file: &on_file, sticky: &[] };
    let planned = engine.plan(&asked);
    let (codes, plan, found) = (planned.reading.codes, planned.plan, manuals.map(found));
    Trial { query, plan, codes, found, guarded }.verdict(0.6, Scale::Identity, Catalogue::builtin())
}

fn place(candidate: &Candidate) -> Place {
    Place::of(&candidate.chunk)
}

const SAYS: &str = "me marca error y hace ruido";

#[test]
fn r31_every_class_of_verdict() {
    let hit = labelled("hit", SAYS);
    let miss = labelled("miss", SAYS);
    let ask = labelled("ask", SAYS);
    let other = near(row(M50, "Ruidos", "Mire."), 0.9);
    let foreign = near(row(YUWELL, "E4", "Calor."), 0.9);
    let known = |query: &Labelled, rows: &[Candidate]| verdict(query, Some(rows.to_vec()), &["M50"], true);
    assert_eq!(known(&hit, &[h08(0.9)]), Verdict::Right);
    assert_eq!(known(&hit, std::slice::from_ref(&other)), Verdict::WrongSection(place(&other)));
    assert_eq!(known(&hit, &[h08(0.3)]), Verdict::Missed);
    assert_eq!(known(&miss, &[h08(0.3)]), Verdict::RightMiss);
    assert_eq!(known(&miss, &[h08(0.9)]), Verdict::WrongSection(place(&h08(0.9))));
    let unguarded = verdict(&hit, Some(vec![foreign.clone()]), &["M50"], false);
    assert_eq!(unguarded, Verdict::WrongEquipment(place(&foreign)));
    let unlisted = near(row(CP501, "E2", "Calor."), 0.9);
    let unguarded = verdict(&hit, Some(vec![unlisted.clone()]), &["M50"], false);
    assert_eq!(unguarded, Verdict::WrongEquipment(place(&unlisted)), "no device but those of the filter");
    assert_eq!(verdict(&ask, Some(vec![h08(0.9)]), &[], true), Verdict::RightAsk);
    assert_eq!(verdict(&hit, Some(vec![h08(0.9)]), &[], true), Verdict::WrongAsk);
    assert_eq!(verdict(&miss, Some(vec![h08(0.9)]), &[], true), Verdict::WrongAsk);
    assert_eq!(verdict(&labelled("gate", "hola"), None, &[], true), Verdict::Gate);
}

#[test]
fn r31_a_general_row_is_never_another_devices() {
    let general = near(row(CAP, "Pedido", "Llame."), 0.9);
    let verdict = verdict(&labelled("hit", SAYS), Some(vec![general.clone()]), &["M50"], true);
    assert_eq!(verdict, Verdict::WrongSection(place(&general)));
}

#[test]
fn r31_a_question_that_should_have_been_asked_back_and_was_not_is_not_right() {
    let verdict = verdict(&labelled("ask", SAYS), Some(vec![h08(0.3)]), &[], true);
    assert_ne!(verdict, Verdict::RightMiss, "silence isn't the question that was due (DECISIONS 4)");
}

#[test]
fn r31_a_closed_gate_is_told_apart_where_a_row_would_have_answered() {
    let right = verdict(&labelled("gate", "hola"), None, &[], true);
    let wrong = verdict(&labelled("hit", SAYS), None, &[], true);
    assert_ne!(right, wrong, "a query lost at the gate is no success");
}

#[test]
fn r31_the_table_counts_each_query_once() {
    let at = Place::of(&h08(0.9).chunk);
    let verdicts = [
        Verdict::Right,
        Verdict::WrongEquipment(at.clone()),
        Verdict::WrongSection(at),
        Verdict::RightAsk,
        Verdict::WrongAsk,
        Verdict::RightMiss,
        Verdict::Missed,
        Verdict::Gate,
    ];
    let row = Row::count(&verdicts);
    assert_eq!((row.total(), row.wrong()), (8, 2));
    let table = Table(vec![(0.55, row)]).to_string();
    let line = table.lines().nth(1).unwrap();
    for part in ["0.55", "2 (1/1)", "2 (1)"] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn r31_any_row_of_a_section_may_be_right() {
    let mut query = labelled("hit", SAYS);
    query.expected.as_mut().unwrap().row = None;
    assert!(query.accepts(&place(&near(row(M50, "Otra", "x"), 0.9))));
    assert!(!query.accepts(&place(&near(row(CP501, "Otra", "x"), 0.9))));
}

#[test]
fn r31_the_shipped_sets_are_read() {
    for (file, least) in [("queries_public.json", 22), ("queries_fit.json", 100)] {
        let set: LabelledSet = corpus(file);
        assert!(set.queries.len() >= least, "{file}: {}", set.queries.len());
        assert!(set.queries.iter().all(|query| !query.text.trim().is_empty()));
    }
}

#[test]
fn d1_the_fit_recovers_the_curve_that_made_the_data() {
    let (slope, intercept) = (40.0_f64, -34.0_f64);
    let observations: Vec<Observation> = (0..200)
        .flat_map(|step| {
            let cosine = 0.70 + f64::from(step) * 0.0015;
            let rights = (200.0 / (1.0 + (-(slope * cosine + intercept)).exp())).round() as usize;
            (0..200).map(move |n| Observation { cosine, right: n < rights })
        })
        .collect();
    let Some(Scale::Logistic { slope: found, intercept: level }) = logistic(&observations) else {
        panic!("no fit")
    };
    assert!((found - slope).abs() < 0.5 && (level - intercept).abs() < 0.5, "{found} {level}");
    assert!((-level / found - 0.85).abs() < 1e-3, "0.5 is as likely right as wrong");
}

#[test]
fn d1_there_is_no_fit_without_both_outcomes_and_a_finite_one_where_they_part() {
    let at = |cosine: f64, right| Observation { cosine, right };
    assert_eq!(logistic(&[]), None);
    assert_eq!(logistic(&[at(0.8, true), at(0.9, true)]), None);
    assert_eq!(logistic(&[at(0.8, false), at(0.9, false)]), None);
    assert_eq!(logistic(&[at(0.8, true), at(0.9, false)]), None, "a score that falls is no score");
    let parted: Vec<_> = (0..20).map(|n| at(0.8 + f64::from(n) * 0.005, n >= 10)).collect();
    let Some(Scale::Logistic { slope, intercept }) = logistic(&parted) else { panic!("no fit") };
    assert!(slope.is_finite() && intercept.is_finite() && slope > 0.0, "{slope} {intercept}");
    assert!((0.84..0.86).contains(&(-intercept / slope)), "{}", -intercept / slope);
}

#[test]
fn d1_what_is_fitted_is_what_would_be_injected() {
    let query = labelled("hit", "me marca error H08");
    let trial = |manuals: Vec<Candidate>| {
        let engine = Engine {
            catalogue: Catalogue::builtin(),
            settings: settings(&[]),
            scale: Scale::Identity,
            prompts: BTreeMap::new(),
        };
        let on_file = ["M50".to_owned()];
        let asked = Asked { text: &query.text, channel: query.channel, on_file: &on_file, sticky: &[] };
        let planned = engine.plan(&asked);
        let found: Option<Found> = Some(found(manuals));
        Trial { query: &query, plan: planned.plan, codes: planned.reading.codes, found, guarded: true }
    };
    let other = near(row(M50, "Ruidos", "Mire."), 0.75);
    let trials = [trial(vec![other.clone(), h08(0.5)]), trial(vec![other]), trial(vec![])];
    let seen = observe(&trials, Catalogue::builtin());
    assert_eq!(
        seen,
        [Observation { cosine: 0.75, right: true }],
        "the nearest's cosine, the first row's rightness"
    );
}
