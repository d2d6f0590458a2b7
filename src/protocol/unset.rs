//! What other languages and templates write where there is no value.

/// What other languages write for "nothing", lower case.
const UNSET: [&str; 6] = ["", "null", "none", "undefined", "nan", "nil"];

/// Whether a value, trimmed, says that there is none: also a placeholder that nobody filled in.
pub(super) fn is_unset(value: &str) -> bool {
    let placeholder = value.starts_with("{{") && value.ends_with("}}");
    placeholder || UNSET.contains(&value.to_lowercase().as_str())
}
