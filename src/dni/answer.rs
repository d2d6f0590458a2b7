//! A model's answer to 'which document was said?', read tolerantly, and how it joins what is known
//! (E13, DECISIONS 22).

use super::{Action, Extraction};
use crate::identity::{Held, Source};
use crate::ids::Dni;
use serde_json::Value;

/// Names under which models give the number.
const NUMBER: [&str; 6] = ["dni", "documento", "document", "numero", "número", "number"];

/// Reads a model's answer: an object with `dni`, and `action` and `candidates` if it likes, in a code fence,
/// between sentences, nested, or cut off after the number. Digits may come as a string or a number, with dots
/// or spaces. A number that no document has is no number (E13). `None`: there is no answer in it.
pub fn parse_extraction(answer: &str) -> Option<Extraction> {
    objects(answer).find_map(|object| read(&object)).or_else(|| cut_off(answer)).or_else(|| bare(answer))
}

/// The JSON values in a text, each from the first brace where one begins.
fn objects(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.match_indices('{').filter_map(|(at, _)| {
        serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()
    })
}

fn read(value: &Value) -> Option<Extraction> {
    let fields = match value {
        Value::Object(fields) => fields,
        Value::Array(values) => return values.iter().find_map(read),
        _ => return None,
    };
    let named = |names: &[&str]| {
        fields.iter().find(|(key, _)| names.contains(&key.to_lowercase().as_str())).map(|(_, value)| value)
    };
    let (number, action) = (named(&NUMBER), named(&["action", "accion", "acción"]).and_then(Value::as_str));
    if number.is_none() && action.is_none() {
        return fields.values().find_map(read);
    }
    let candidates = named(&["candidates", "candidatos"]).and_then(Value::as_array);
    let candidates: Vec<Dni> = candidates.into_iter().flatten().filter_map(dni).collect();
    let corrects = named(&["corrects", "corrige", "correccion"]).and_then(Value::as_bool).unwrap_or(false);
    Some(extraction(number, action, candidates, corrects))
}

fn extraction(
    number: Option<&Value>,
    action: Option<&str>,
    candidates: Vec<Dni>,
    corrects: bool,
) -> Extraction {
    let found = number.and_then(dni);
    let given = number.is_some_and(|number| !number.is_null() && number.as_str() != Some(""));
    let told = action.and_then(|word| match word.trim().to_lowercase().as_str() {
        "usar" | "use" => Some(Action::Use),
        "pedir_repeticion" | "pedir repeticion" | "pedir_repetición" | "ask_again" => Some(Action::AskAgain),
        "ignorar" | "ignore" => Some(Action::Ignore),
        _ => None,
    });
    let action = match (told, found) {
        (Some(Action::Ignore), _) => Action::Ignore,
        (Some(Action::AskAgain), _) => Action::AskAgain,
        (_, Some(_)) => Action::Use,
        (Some(Action::Use), None) => Action::AskAgain,
        (None, None) => {
            if candidates.is_empty() {
                Action::Ignore
            } else {
                Action::AskAgain
            }
        }
    };
    // A number that no document has was something: it is asked for.
    let invalid = given && found.is_none() && told.is_none() && number.is_some_and(has_digits);
    let action = if invalid { Action::AskAgain } else { action };
    let (dni, candidates) = if action == Action::Ignore { (None, Vec::new()) } else { (found, candidates) };
    Extraction { dni, action, candidates, corrects }
}

fn dni(value: &Value) -> Option<Dni> {
    match value {
        Value::String(text) => {
            Dni::parse(text.trim_start_matches(['D', 'N', 'I', 'd', 'n', 'i', ':', ' '])).ok()
        }
        Value::Number(number) => {
            let whole = number.as_u64().or_else(|| {
                let real = number.as_f64().filter(|real| real.fract() == 0.0 && (0.0..1e9).contains(real));
                real.map(|real| real as u64)
            });
            Dni::parse(&whole?.to_string()).ok()
        }
        _ => None,
    }
}

fn has_digits(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| text.contains(|c: char| c.is_ascii_digit()))
}

/// An object that ends in the middle: its number counts only if something closes it.
fn cut_off(text: &str) -> Option<Extraction> {
    let lower = text.to_ascii_lowercase();
    let (_, after) = lower.split_once("\"dni\"").or_else(|| lower.split_once("'dni'"))?;
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let value = match after.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split_once(['"', '\''])?.0,
        None => after.split_once([',', '}', '\n'])?.0,
    };
    Some(extraction(Some(&Value::String(value.trim().to_owned())), None, Vec::new(), false))
        .filter(|found| found.dni.is_some())
}

/// Nothing but the number.
fn bare(text: &str) -> Option<Extraction> {
    let found = Dni::parse(text.trim().trim_matches(['`', '"', '.'])).ok()?;
    Some(Extraction { dni: Some(found), action: Action::Use, ..Extraction::default() })
}

/// What to do with what two extractors found, by what is held already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Nothing new: what is held stays as it is.
    Keep,
    /// The first number of the call: dictated, unconfirmed.
    Capture(Dni),
    /// An explicit correction: it replaces what was held, and is unconfirmed.
    Replace(Dni),
    /// Ask for it again; what it may be, if that is known. What is held stays.
    AskAgain(Vec<Dni>),
}

/// Puts both extractors' findings together with what is held (DECISIONS 22). `model`: `None` where no model
/// answered.
///
/// Absent or invalid never erases; a correction replaces; the typed one is pinned (R9); where the extractors
/// disagree, or a second number comes without a correction, it is asked for again.
pub fn merge(held: Option<&Held>, deterministic: &Extraction, model: Option<&Extraction>) -> Merged {
    if held.is_some_and(|held| held.source() == Source::Typed) {
        return Merged::Keep;
    }
    let nothing = Extraction::default();
    let model = model.unwrap_or(&nothing);
    let corrects = deterministic.corrects || model.corrects;
    let mut may_be = deterministic.may_be();
    may_be.extend(model.may_be().into_iter().filter(|dni| !deterministic.may_be().contains(dni)));
    let asks = [deterministic, model].iter().any(|found| found.action == Action::AskAgain);
    let sure = match (deterministic.to_use(), model.to_use()) {
        (Some(one), Some(other)) => Some(one).filter(|_| one == other),
        (Some(one), None) => Some(one).filter(|_| !asks),
        // The rules read every digit: one that only the model found isn't in what was said as it gives it.
        (None, _) => None,
    };
    match (sure, held.map(Held::dni)) {
        (Some(dni), None) => Merged::Capture(dni),
        (Some(dni), Some(known)) if dni == known => Merged::Keep,
        (Some(dni), Some(_)) if corrects => Merged::Replace(dni),
        (Some(dni), Some(known)) => Merged::AskAgain(vec![known, dni]),
        (None, None) if asks || !may_be.is_empty() => Merged::AskAgain(may_be),
        (None, Some(known)) if !may_be.is_empty() && may_be != [known] => Merged::AskAgain(may_be),
        (None, Some(_)) if asks && corrects => Merged::AskAgain(may_be),
        (None, _) => Merged::Keep,
    }
}
