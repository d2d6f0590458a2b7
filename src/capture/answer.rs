//! A model's answer to 'what was told in this call?', read tolerantly (E13).
use super::{Field, Pass, Telephone};
use serde_json::{Map, Value};

/// Names under which models give each field.
const NAMES: [(Field, &[&str]); 5] = [
    (Field::Name, &["nombre", "name", "paciente"]),
    (Field::Reason, &["motivo", "reason", "consulta"]),
    (Field::Equipment, &["equipo", "equipment", "modelo", "model", "equipos"]),
    (Field::Code, &["codigo", "código", "code", "codigos", "alarma", "error"]),
    (Field::Telephone, &["telefono", "teléfono", "phone", "telephone", "celular"]),
];

/// Values with which models say that there is none.
const NONE: [&str; 12] = [
    "",
    "-",
    "null",
    "none",
    "n/a",
    "ninguno",
    "ninguna",
    "no",
    "desconocido",
    "no informado",
    "no se",
    "sin dato",
];

/// Reads a model's answer: an object in a code fence, between sentences, nested, or with fields of its own.
/// Strings, numbers and lists are values; a telephone of an impossible count of digits is none. `None`: there is
/// no object in it.
pub fn parse(answer: &str) -> Option<Pass> {
    let objects = answer.match_indices('{').filter_map(|(at, _)| {
        serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>().next()?.ok()
    });
    let mut passes = objects.filter_map(|value| value.as_object().and_then(read));
    passes.next()
}

fn read(fields: &Map<String, Value>) -> Option<Pass> {
    let mut pass = Pass::default();
    let mut known = false;
    for (key, value) in fields {
        let key = key.to_lowercase();
        if matches!(key.as_str(), "corrige" | "corrects" | "correccion") {
            pass.corrects = value.as_bool().unwrap_or(false);
            continue;
        }
        let Some((field, _)) = NAMES.iter().find(|(_, names)| names.contains(&key.as_str())) else {
            continue;
        };
        known = true;
        let values = texts(value);
        match field {
            Field::Telephone => {
                pass.telephone = values.iter().find_map(|text| Telephone::parse(text).ok());
            }
            field if !values.is_empty() => {
                pass.found.insert(*field, values);
            }
            _ => {}
        }
    }
    if known { Some(pass) } else { fields.values().filter_map(Value::as_object).find_map(read) }
}

fn texts(value: &Value) -> Vec<String> {
    let said = |text: &str| {
        let none = NONE.contains(&text.trim().to_lowercase().as_str());
        (!none).then(|| text.trim().to_owned())
    };
    match value {
        Value::String(text) => said(text).into_iter().collect(),
        Value::Number(number) => vec![number.to_string()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(_) | Value::Bool(_) | Value::Null => Vec::new(),
    }
}
