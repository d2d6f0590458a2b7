//! What Oxitesa's bodies say, read tolerantly: fields that aren't known are passed over, a text may be a number,
//! but a patient's list is taken whole or not at all.
use crate::patients::models::{Raw, halves};
use aura::equipment::Catalogue;
use aura::ids::Dni;
use aura::patient::{Answer, Cause, Device};
use serde_json::{Map, Value};

/// The code of an unknown document.
const NOT_FOUND: &str = "patient_not_found";
/// More devices than anybody was ever handed out.
const MOST_DEVICES: usize = 200;
/// The longest text of a device, in characters.
const LONGEST: usize = 200;

/// A body of status 200.
pub fn found(body: &[u8], asked: Dni, catalogue: &Catalogue) -> Result<Answer, Cause> {
    let Ok(Value::Object(body)) = serde_json::from_slice(body) else { return Err(Cause::Malformed) };
    // An answer to somebody else's question must never be shown.
    if let Some(dni) = text(&body, "dni")
        && Dni::parse(&dni) != Ok(asked)
    {
        return Err(Cause::Malformed);
    }
    let Some(Value::Array(devices)) = body.get("devices") else { return Err(Cause::Malformed) };
    if devices.len() > MOST_DEVICES {
        return Err(Cause::Malformed);
    }
    // One that was passed over would close the filter to its manual (R8).
    let raw: Option<Vec<Raw>> = devices.iter().map(device).collect();
    let (context, devices) = halves(raw.ok_or(Cause::Malformed)?, catalogue);
    Ok(Answer::Found(context, devices))
}

/// A body of status 404: only the contract's own says that the document is unknown.
pub fn not_found(body: &[u8]) -> Result<Answer, Cause> {
    let body: Value = serde_json::from_slice(body).map_err(|_| Cause::Malformed)?;
    if body["error"] == NOT_FOUND { Ok(Answer::NotFound) } else { Err(Cause::Malformed) }
}

fn device(value: &Value) -> Option<Raw> {
    let fields = value.as_object()?;
    let [name, model, brand, sku, category] =
        ["name", "model", "brand", "sku", "category"].map(|key| text(fields, key));
    let name = name.or_else(|| model.clone()).or_else(|| sku.clone())?;
    Some(Raw { device: Device { name, brand, sku, category }, model })
}

/// A text that isn't empty; a number as it is written.
fn text(fields: &Map<String, Value>, key: &str) -> Option<String> {
    let text = match fields.get(key)? {
        Value::String(text) => text.trim().chars().take(LONGEST).collect(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
