//! What a peer's own words are made into before they are kept: masked, and no more than so much (S4, I7).
use crate::mask::{contains_long_number, mask};
use serde_json::{Map, Number, Value};

/// The longest name (`user_hangup`, an agent's id), in bytes.
const NAME: usize = 128;
/// The longest text, in characters.
const TEXT: usize = 4_000;
/// All texts of one report together, in characters.
const TEXTS: usize = 32_000;
/// Values of one report: objects, arrays and what they hold.
const VALUES: usize = 512;
/// Objects and arrays within each other.
const DEPTH: usize = 6;

/// A name of Retell's: letters, digits, `_`, `-`, `.`; anything else isn't kept at all.
pub(super) fn name(text: String) -> Option<String> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let is_name = !text.is_empty() && text.len() <= NAME && text.bytes().all(allowed);
    is_name.then(|| mask(&text).into_owned())
}

/// What one report may still hold.
#[derive(Debug)]
pub(super) struct Bounded {
    texts: usize,
    values: usize,
    cut: bool,
}

impl Default for Bounded {
    fn default() -> Self {
        Self { texts: TEXTS, values: VALUES, cut: false }
    }
}

impl Bounded {
    /// Whether something was left out.
    pub(super) fn cut(&self) -> bool {
        self.cut
    }

    /// A text, masked; its end is left out where it is too long.
    pub(super) fn text(&mut self, text: &str) -> String {
        // Masked before it is cut: half a number would no longer be seen.
        let masked = mask(text);
        let room = TEXT.min(self.texts);
        let mut kept: String = masked.chars().take(room).collect();
        self.texts -= kept.chars().count();
        if kept.len() < masked.len() {
            self.cut = true;
            kept.push('…');
        }
        kept
    }

    /// A value, masked at every depth, names included. What is past the bounds is null or left out.
    pub(super) fn value(&mut self, value: &Value) -> Value {
        self.at(value, 0)
    }

    fn at(&mut self, value: &Value, depth: usize) -> Value {
        let nested = value.is_array() || value.is_object();
        if self.values == 0 || (nested && depth == DEPTH) {
            self.cut = true;
            return Value::Null;
        }
        self.values -= 1;
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Number(number) => figure(number),
            Value::Array(items) => self.list(items, depth),
            Value::Object(fields) => Value::Object(self.object(fields, depth)),
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    fn list(&mut self, items: &[Value], depth: usize) -> Value {
        self.cut |= items.len() > self.values;
        let items = &items[..items.len().min(self.values)];
        let kept: Vec<Value> = items.iter().map(|item| self.at(item, depth + 1)).collect();
        // A number may be dictated into a list, a piece to each item.
        let spoken = spoken(&kept);
        if contains_long_number(&spoken) { Value::from(mask(&spoken)) } else { Value::Array(kept) }
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let room = self.values;
        self.cut |= fields.len() > room;
        let fields = fields.iter().take(room);
        fields.map(|(name, value)| (self.text(name), self.at(value, depth + 1))).collect()
    }
}

/// The texts and numbers of a list, one after the other.
fn spoken(items: &[Value]) -> String {
    let text = |item: &Value| match item {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    items.iter().filter_map(text).collect::<Vec<_>>().join(" ")
}

/// A number as it is, unless its digits could be a document's. A fraction's are those of its hundredths.
fn figure(number: &Number) -> Value {
    let text = number.to_string();
    if !contains_long_number(&text) {
        return Value::Number(number.clone());
    }
    let hundredths = number.as_f64().filter(|x| x.fract() != 0.0 && x.abs() < 1_000.0);
    match hundredths.and_then(|x| Number::from_f64((x * 100.0).round() / 100.0)) {
        Some(rounded) => Value::Number(rounded),
        None => Value::String(mask(&text).into_owned()),
    }
}
