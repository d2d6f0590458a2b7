//! Everything that a service sent, kept, told, logged and answered, gathered so that a secret in it is found.
use crate::plain::{Response, get};
use crate::service::Running;
use crate::support::openai::{Received, StandIn};
use crate::sweep::{self, Sweep};
use crate::watch::{self, MARKED};
use aura::event::News;
use aura::phrases::MANUAL_HEADER;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// All strings of a value, and all of them in a row: a document may be cut over several.
fn strings(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    texts(value, &mut found);
    found.push(found.join(" "));
    found
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.push(name.clone());
            texts(value, found);
        }),
        _ => {}
    }
}

/// Everything that the database keeps, but for the manuals: by table and column.
async fn kept(running: &Running) -> BTreeMap<String, Vec<String>> {
    let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns
               WHERE table_schema = 'public' AND table_name NOT LIKE 'knowledge%' AND table_name <> 'prompt_versions'
                 AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY', 'bigint')";
    let mut all = BTreeMap::new();
    for column in running.sql().query(sql, &[]).await.unwrap() {
        let (table, column): (String, String) = (column.get(0), column.get(1));
        let sql = format!("SELECT {column}::text FROM {table} WHERE {column} IS NOT NULL");
        let rows = running.sql().query(&sql, &[]).await.unwrap();
        let rows = rows.iter().flat_map(|row| {
            let text: String = row.get(0);
            serde_json::from_str(&text).map_or_else(|_| vec![text], |value| strings(&value))
        });
        all.insert(format!("{table}.{column}"), rows.collect());
    }
    all
}

/// The local journal's files, read as text.
fn journal(running: &Running) -> Vec<String> {
    let files = std::fs::read_dir(running.journal()).unwrap();
    files
        .map(|file| String::from_utf8_lossy(&std::fs::read(file.unwrap().path()).unwrap()).into_owned())
        .collect()
}

/// What the desk was told of a call: each piece of news, and the lines as they stand at the end.
fn told(running: &Running, call: &str) -> Vec<String> {
    let (mut all, mut lines) = (Vec::new(), BTreeMap::new());
    for news in running.desk.of(call) {
        all.extend(strings(&serde_json::to_value(&news).unwrap()));
        if let News::Heard { index, text, .. } = news {
            lines.insert(index, text);
        }
    }
    assert!(!lines.is_empty(), "{call} was at the desk");
    all.push(lines.into_values().collect::<Vec<_>>().join(" "));
    all
}

fn sent(received: &[Received]) -> Vec<String> {
    let headers = |it: &Received| it.headers.values().cloned().collect::<Vec<_>>().join(" | ");
    received
        .iter()
        .flat_map(|it| strings(&it.body).into_iter().chain([it.path.clone(), headers(it)]))
        .collect()
}

/// The service as it stands, swept: what was sent, kept, told, shown and answered.
pub async fn leaks(
    running: &Running,
    sweep: &Sweep,
    (provider, ingested): (&StandIn, usize),
    (calls, errors): (&[String], &[Response]),
) -> Vec<String> {
    running.flush().await;
    let asked = provider.received();
    let asked = &asked[ingested..];
    assert!(asked.iter().any(|it| it.body["input"].is_array()), "something was embedded");
    assert!(asked.iter().any(|it| it.body["messages"].is_array()), "the model was asked");
    let mut places = kept(running).await;
    for table in ["event_log.payload", "call_journal.detail", "audit_log.detail", "audit_log.patient"] {
        assert!(!places[table].is_empty(), "{table} was swept");
    }
    places.insert("a request to the provider".to_owned(), sent(asked));
    places.insert("the journal's files".to_owned(), journal(running));
    places.insert("the desk".to_owned(), calls.iter().flat_map(|call| told(running, call)).collect());
    let shown = |it: &Response| format!("{} {:?}", it.body, it.headers);
    places.insert("an error".to_owned(), errors.iter().map(shown).collect());
    for path in ["/metrics", "/readyz", "/healthz"] {
        places.insert(path.to_owned(), vec![get(running.address(), path, &[]).await.body]);
    }
    let leaks = places.iter().flat_map(|(place, texts)| sweep.leaks(place, texts.iter().map(String::as_str)));
    leaks.collect()
}

/// The models and brands that are on file in the sample, but for those that a prompt itself speaks of.
fn on_file() -> Vec<String> {
    let spoken = format!(" {} ", sweep::folder("prompts"));
    let named = [
        "7F-5",
        "Yuwell",
        "CP501",
        "Longfian",
        "Zen-O Lite",
        "Zen-O",
        "GCE",
        "BiPAP",
        "SysMed",
        "M50",
        "AX-9",
        "Andes",
        "EverFlo",
        "Respironics",
        "Inogen",
        "Nuvo Lite",
        "Nidek",
        "LoveGo",
        "LG103",
        MARKED,
    ];
    named
        .into_iter()
        .filter(|name| !spoken.contains(&format!(" {} ", sweep::fold(name))))
        .map(str::to_owned)
        .collect()
}

/// Equipment on file in what was sent, but for the rows of manuals that it found (R20).
pub fn unnamed(received: &[Received]) -> Vec<String> {
    let on_file = on_file();
    assert!(on_file.len() >= 10, "most are in no prompt: {on_file:?}");
    let sweep = Sweep::of([], on_file.iter().map(String::as_str));
    let outside = |text: &String| text.split(MANUAL_HEADER).next().unwrap_or_default().to_owned();
    let texts: Vec<String> = received
        .iter()
        .flat_map(|it| {
            let mut found = Vec::new();
            texts(&it.body, &mut found);
            found.iter().map(outside).collect::<Vec<_>>()
        })
        .collect();
    sweep.leaks("sent although nobody named it", texts.iter().map(String::as_str))
}

/// What was logged; the watch must have seen what this test planted.
pub fn logged(plant: &str) {
    let seen = watch::seen();
    let (planted, leaks): (Vec<_>, Vec<_>) = seen.equipment.iter().partition(|line| line.starts_with(plant));
    assert_eq!(planted.len(), 2, "the watch sees what it should: {planted:?}");
    let leaks: Vec<_> = leaks.into_iter().filter(|line| !line.starts_with("planted")).collect();
    assert!(leaks.is_empty(), "logged: {leaks:#?}");
}

#[test]
fn r20_the_search_for_unnamed_equipment_bites() {
    let asked = |text: &str| Received {
        connection: 0,
        path: String::new(),
        headers: BTreeMap::new(),
        text: String::new(),
        body: json!({ "messages": [{ "role": "system", "content": text }] }),
    };
    assert_eq!(unnamed(&[asked("Es Aura."), asked(&format!("x {MANUAL_HEADER} del Yuwell 7F-5"))]), [""; 0]);
    assert_eq!(unnamed(&[asked("El paciente tiene un Nidek en casa.")]).len(), 1);
}
