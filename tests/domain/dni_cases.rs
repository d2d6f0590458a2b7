//! How cases about documents are read from data and shown: with the digits, which no type prints by itself.

use aura::dni::Extraction;
use aura::transcript::{Speaker, Turn};
use serde_json::Value;

pub fn cases(text: &str, key: &str) -> Vec<Value> {
    let data: Value = serde_json::from_str(text).expect("data");
    data[key].as_array().expect("a list").clone()
}

pub fn strings(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().map(|text| text.as_str().expect("text").to_owned()).collect())
}

pub fn show(found: &Extraction) -> String {
    found.json_line(None)
}

/// `A …`: the agent; `P …`: the patient.
pub fn turn(line: &str) -> Turn {
    let (who, text) = line.split_once(' ').expect("a speaker");
    let speaker = if who == "A" { Speaker::Agent } else { Speaker::Patient };
    Turn::heard(speaker, text).expect("words")
}

/// The corpus names actions in Spanish.
fn action_of(word: &str) -> &str {
    match word {
        "usar" => "use",
        "pedir_repeticion" => "ask_again",
        "ignorar" => "ignore",
        other => other,
    }
}

/// Whether an extraction is what a case wants: the number, the action, and the candidates where it names any.
pub fn fits(found: &Extraction, dni: &Value, action: &Value, candidates: &Value) -> bool {
    let listed: Vec<String> = found.candidates.iter().map(|dni| dni.digits()).collect();
    found.dni.map(|dni| dni.digits()).as_deref() == dni.as_str()
        && Some(found.action.as_str()) == action.as_str().map(action_of)
        && strings(candidates).is_none_or(|wanted| wanted == listed)
}
