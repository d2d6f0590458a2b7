//! The public set, as the engine answers it with the real model and the manuals as they are.
use crate::home::Home;
use crate::repository;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Right rows at least, wrong ones at most.
const RIGHT: usize = 7;
const WRONG: usize = 3;
/// Files that a filter never closes out (R5).
const ALWAYS: [&str; 2] = ["cap/", "tubos/"];

#[derive(Deserialize)]
struct Set {
    queries: Vec<Query>,
}

/// A query with its labels, read here anew: the program's own reader isn't believed.
#[derive(Deserialize)]
pub struct Query {
    /// Its id.
    pub id: String,
    /// What is said.
    pub text: String,
    channel: String,
    /// Equipment on file.
    pub crm_models: BTreeSet<String>,
    named_models: BTreeSet<String>,
    codes_named: BTreeSet<String>,
    text_codes: BTreeSet<String>,
    expected_filter: Option<Sources>,
    outcome: String,
    expected: Option<Place>,
    accept: Vec<Place>,
    must_not_sources: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Sources {
    sources: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Place {
    source: String,
    section: String,
    row: Option<String>,
}

impl Place {
    fn is(&self, row: &Value) -> bool {
        let any = self.row.as_ref().is_none_or(|label| row["row"] == **label);
        any && row["source"] == *self.source && row["section"] == *self.section
    }
}

/// The queries of the public set.
pub fn queries() -> Vec<Query> {
    let text = std::fs::read_to_string(repository("tests/data/queries_public.json")).expect("the public set");
    serde_json::from_str::<Set>(&text).expect("labels").queries
}

/// What the program says to each query.
pub fn answers(queries: &[Query]) -> &'static [Value] {
    static ANSWERS: std::sync::OnceLock<Vec<Value>> = std::sync::OnceLock::new();
    ANSWERS.get_or_init(|| {
        let line = |q: &Query| json!({"id": q.id, "text": q.text, "channel": q.channel, "crm": q.crm_models});
        let batch: String = queries.iter().map(|query| format!("{}\n", line(query))).collect();
        let file = Home::whole().write("public.jsonl", batch);
        let said = Home::whole().run(&["ask", "--batch", &file]).good();
        said.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
    })
}

/// How one query fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fared {
    Right,
    Wrong,
    Lost,
    Asked,
    NeedlesslyAsked,
    Silent,
}

fn judge(query: &Query, answer: &Value) -> Fared {
    let first = &answer["injected"][0];
    let mut places = query.expected.iter().chain(&query.accept);
    match (answer["outcome"].as_str().expect("an outcome"), query.outcome.as_str()) {
        ("hit", "ask") => Fared::Wrong,
        ("hit", _) if places.any(|place| place.is(first)) => Fared::Right,
        ("hit", _) => Fared::Wrong,
        ("ask", "ask") => Fared::Asked,
        ("ask", _) => Fared::NeedlesslyAsked,
        (_, "hit" | "ask") => Fared::Lost,
        _ => Fared::Silent,
    }
}

fn table(queries: &[Query], answers: &[Value]) -> String {
    let mut table = String::new();
    for (query, answer) in queries.iter().zip(answers) {
        let first = answer["injected"].get(0).or_else(|| answer["candidates"].get(0));
        let (id, wanted, got) = (&query.id, &query.outcome, answer["outcome"].as_str().expect("an outcome"));
        let place = first.map_or_else(String::new, |row| {
            let score = row["score"].as_f64().expect("a score");
            let cosine = row["cosine"].as_f64().expect("a cosine");
            format!("{score:.3} ({cosine:.4}) {} § {} § {}", row["source"], row["section"], row["row"])
        });
        let fared = format!("{:?}", judge(query, answer));
        writeln!(table, "{id} {wanted:>4} -> {got:4} {fared:<15} {place}").expect("text");
    }
    table
}

fn strings(value: &Value) -> BTreeSet<String> {
    let list = value.as_array().into_iter().flatten();
    list.map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// R5, R8, R17: models, codes and filter of all queries are what the labels say.
#[test]
fn r05_models_codes_and_sources_are_the_labels() {
    let queries = queries();
    assert_eq!(queries.len(), 22);
    for (query, answer) in queries.iter().zip(answers(&queries)) {
        let id = &query.id;
        assert_eq!(answer["id"], **id);
        assert_eq!(answer["scope"], *query.channel, "{id}");
        assert_eq!(strings(&answer["models"]), query.named_models, "models of {id}");
        assert_eq!(strings(&answer["codes"]), query.codes_named, "codes of {id}");
        assert_eq!(strings(&answer["textCodes"]), query.text_codes, "text codes of {id}");
        match &query.expected_filter {
            None => assert_eq!(answer["sources"], Value::Null, "filter of {id}"),
            Some(filter) => assert_eq!(strings(&answer["sources"]), filter.sources, "filter of {id}"),
        }
    }
}

/// The floor: so many right at least, so few wrong at most. The table is in the output.
#[test]
fn r31_the_public_set_reaches_its_floor() {
    let queries = queries();
    let answers = answers(&queries);
    let table = table(&queries, answers);
    println!("{table}");
    let count =
        |fared| queries.iter().zip(answers).filter(|(query, answer)| judge(query, answer) == fared).count();
    let (right, wrong) = (count(Fared::Right), count(Fared::Wrong));
    println!("{right} right, {wrong} wrong, {} lost", count(Fared::Lost));
    assert!(right >= RIGHT && wrong <= WRONG, "{right} right, {wrong} wrong:\n{table}");
}

/// S6: both queries whose equipment is unknown are asked back, and nothing technical is injected.
#[test]
fn s6_unknown_equipment_is_asked_for() {
    let queries = queries();
    let mut asked = 0;
    for (query, answer) in queries.iter().zip(answers(&queries)).filter(|(query, _)| query.outcome == "ask") {
        assert_eq!((&answer["outcome"], &answer["injected"]), (&json!("ask"), &json!([])), "{}", query.id);
        asked += 1;
    }
    assert_eq!(asked, 2);
}

/// R5, DECISIONS 4: no answer comes from equipment that isn't in play.
#[test]
fn d4_nothing_is_injected_from_other_equipment() {
    let queries = queries();
    let mut injected = 0;
    for (query, answer) in queries.iter().zip(answers(&queries)) {
        let none = BTreeSet::new();
        let own = query.expected_filter.as_ref().map_or(&none, |filter| &filter.sources);
        for row in answer["injected"].as_array().expect("rows") {
            let source = row["source"].as_str().expect("a source");
            let allowed = own.contains(source) || ALWAYS.iter().any(|prefix| source.starts_with(prefix));
            assert!(allowed, "{}: {source}", query.id);
            assert!(!query.must_not_sources.contains(source), "{}: {source}", query.id);
            injected += 1;
        }
    }
    assert!(injected >= RIGHT, "{injected} rows were looked at");
}
