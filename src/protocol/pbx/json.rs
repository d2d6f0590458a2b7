//! JSON as switches write it: several objects in a frame, quotes escaped twice.
use super::{Decoded, Facts, FrameError, MAX_TEXT, corrupt};
use crate::ears::Told;
use serde_json::{Deserializer, Map, Value};
use std::borrow::Cow;

/// Objects within objects whose members count as their own, by levels.
const DEPTH: usize = 3;

/// What each of a frame's objects tells. A broken one ends the reading; those before it count.
pub(in crate::protocol) fn objects(
    text: &str,
    mut read: impl FnMut(&Map<String, Value>) -> Result<Vec<Told>, FrameError>,
) -> Decoded {
    if text.len() > MAX_TEXT {
        return FrameError::TooLarge { len: text.len() }.into();
    }
    let mut decoded = Decoded::default();
    let text = unescaped_frame(text);
    for value in Deserializer::from_str(&text).into_iter::<Value>() {
        let told = match value {
            Ok(Value::Object(object)) => read(&object),
            Ok(_) => Err(FrameError::NotAnObject),
            Err(error) => Err(corrupt(&error)),
        };
        match told {
            Ok(told) => decoded.told.extend(told),
            Err(fault) => decoded.fault = decoded.fault.or(Some(fault)),
        }
    }
    decoded
}

/// Metadata whose quotes were all escaped once too often: `{\"callSid\":…`.
fn unescaped_frame(text: &str) -> Cow<'_, str> {
    let starts = text.trim_start().strip_prefix('{').map(str::trim_start);
    if starts.is_some_and(|rest| rest.starts_with("\\\"")) {
        return Cow::Owned(text.replace("\\\"", "\""));
    }
    Cow::Borrowed(text)
}

/// The scalars of an object; after them those of the objects within it, also of those that were written
/// as a text.
pub(in crate::protocol) fn flatten(object: &Map<String, Value>) -> Facts {
    let mut facts = Facts::default();
    descend(object, DEPTH, &mut facts);
    facts
}

fn descend(object: &Map<String, Value>, depth: usize, facts: &mut Facts) {
    let mut within = Vec::new();
    for (name, value) in object {
        match value {
            Value::String(text) => {
                let text = text.replace("\\\"", "\"");
                match inner(&text) {
                    Some(object) => within.push(Cow::Owned(object)),
                    None => facts.push(name, &text),
                }
            }
            Value::Number(number) => facts.push(name, &number.to_string()),
            Value::Bool(flag) => facts.push(name, &flag.to_string()),
            Value::Object(object) => within.push(Cow::Borrowed(object)),
            Value::Array(_) | Value::Null => {}
        }
    }
    if depth > 1 {
        within.iter().for_each(|object| descend(object, depth - 1, facts));
    }
}

fn inner(text: &str) -> Option<Map<String, Value>> {
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok())?
}
