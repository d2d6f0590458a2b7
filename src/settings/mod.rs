//! The registry of runtime settings and how one is resolved for a channel (R4, DECISIONS 10, 13).
mod registry;

pub use registry::*;

use crate::channel::Channel;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The scope that serves every channel without a row of its own.
pub const GLOBAL: &str = "global";

/// What a setting holds, and within which bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number, both bounds included.
    Number {
        /// Least.
        min: f64,
        /// Most.
        max: f64,
    },
    /// A whole number, both bounds included.
    Integer {
        /// Least.
        min: i64,
        /// Most.
        max: i64,
    },
    /// True or false.
    Flag,
    /// Text of at most so many characters.
    Text {
        /// Most characters.
        max_chars: usize,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A telephone number: 3 to 15 digits, `+` before them or not.
    Phone {
        /// Whether an empty text, none at all, will do.
        optional: bool,
    },
}

impl Kind {
    fn admits(self, value: &Value) -> bool {
        let text = |fits: &dyn Fn(&str) -> bool| value.as_str().is_some_and(fits);
        match self {
            Self::Number { min, max } => value.as_f64().is_some_and(|n| (min..=max).contains(&n)),
            Self::Integer { min, max } => value.as_i64().is_some_and(|n| (min..=max).contains(&n)),
            Self::Flag => value.is_boolean(),
            Self::Text { max_chars } => text(&|t| t.chars().count() <= max_chars),
            Self::OneOf(words) => text(&|t| words.contains(&t)),
            Self::Phone { optional } => text(&|t| (optional && t.is_empty()) || is_phone(t)),
        }
    }
}

/// Whether a text is a telephone number: 3 to 15 digits, `+` before them or not.
pub fn is_phone(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    (3..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Flag => f.write_str("true or false"),
            Self::Text { max_chars } => write!(f, "a text of at most {max_chars} characters"),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Self::Phone { optional: false } => f.write_str("a telephone number of 3 to 15 digits"),
            Self::Phone { optional: true } => {
                f.write_str("a telephone number of 3 to 15 digits, or an empty text")
            }
        }
    }
}

/// A default, as a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// For [`Kind::Number`].
    Number(f64),
    /// For [`Kind::Integer`].
    Integer(i64),
    /// For [`Kind::Flag`].
    Flag(bool),
    /// For [`Kind::Text`], [`Kind::OneOf`] and [`Kind::Phone`].
    Text(&'static str),
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Integer(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

/// One setting of the registry.
#[derive(Debug)]
pub struct Setting {
    /// Its name, as the mission's documents write it.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What holds where no row says otherwise.
    pub default: Fallback,
    /// Defaults of channels that differ.
    pub channel_defaults: &'static [(Channel, Fallback)],
    /// Whether a channel may have a row of its own beside `global`.
    pub per_channel: bool,
    /// What it does, for whoever turns it.
    pub about: &'static str,
}

/// Why a row is no setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No such name.
    #[error("unknown setting '{0}'; `aura settings get` lists them all")]
    UnknownName(String),
    /// No such scope, or not for this setting.
    #[error("setting '{name}' has no scope '{scope}'; expected {expected}")]
    BadScope {
        /// The setting.
        name: String,
        /// What was given.
        scope: String,
        /// What may be given.
        expected: String,
    },
    /// A value of another kind or out of range.
    #[error("setting '{name}' expects {expected}, got {got}")]
    BadValue {
        /// The setting.
        name: String,
        /// What it holds.
        expected: String,
        /// What was given.
        got: String,
    },
}

/// Finds a setting by name.
pub fn find(name: &str) -> Result<&'static Setting, SettingError> {
    REGISTRY
        .iter()
        .copied()
        .find(|s| s.name == name)
        .ok_or_else(|| SettingError::UnknownName(name.to_owned()))
}

impl Setting {
    /// Whether the setting may have a row of `scope`.
    pub fn check_scope(&self, scope: &str) -> Result<(), SettingError> {
        if scope == GLOBAL || (self.per_channel && Channel::parse(scope).is_some()) {
            return Ok(());
        }
        let expected = if self.per_channel { "global or a channel's name" } else { "global" }.to_owned();
        Err(SettingError::BadScope { name: self.name.to_owned(), scope: scope.to_owned(), expected })
    }

    /// Whether `value` may stand in a row of `scope`.
    pub fn check(&self, scope: &str, value: &Value) -> Result<(), SettingError> {
        self.check_scope(scope)?;
        if self.kind.admits(value) {
            return Ok(());
        }
        Err(SettingError::BadValue {
            name: self.name.to_owned(),
            expected: self.kind.to_string(),
            got: value.to_string(),
        })
    }

    fn fallback(&self, channel: Channel) -> Fallback {
        self.channel_defaults.iter().find(|(c, _)| *c == channel).map_or(self.default, |(_, value)| *value)
    }
}

/// All rows at one moment, already checked. Cheap to share; a change makes a new one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    rows: BTreeMap<(String, String), Value>,
}

impl Snapshot {
    /// Takes rows of (name, scope, value); those that don't fit the registry are left out and named.
    pub fn new(rows: impl IntoIterator<Item = (String, String, Value)>) -> (Self, Vec<SettingError>) {
        let mut kept = BTreeMap::new();
        let mut refused = Vec::new();
        for (name, scope, value) in rows {
            match find(&name).and_then(|setting| setting.check(&scope, &value)) {
                Ok(()) => drop(kept.insert((name, scope), value)),
                Err(error) => refused.push(error),
            }
        }
        (Self { rows: kept }, refused)
    }

    /// Every row that was set, as `name@scope` to its value: for the record of what was in force.
    pub fn rows(&self) -> BTreeMap<String, &Value> {
        self.rows.iter().map(|((name, scope), value)| (format!("{name}@{scope}"), value)).collect()
    }

    /// The row that decides: the channel's, else the global one (R4), with the scope it has.
    pub fn row(&self, setting: &Setting, channel: Channel) -> Option<(&str, &Value)> {
        [channel.as_str(), GLOBAL]
            .into_iter()
            .find_map(|scope| self.rows.get_key_value(&(setting.name.to_owned(), scope.to_owned())))
            .map(|((_, scope), value)| (scope.as_str(), value))
    }

    /// A number.
    pub fn number(&self, setting: &Setting, channel: Channel) -> f64 {
        match (self.row(setting, channel).and_then(|(_, v)| v.as_f64()), setting.fallback(channel)) {
            (Some(number), _) | (None, Fallback::Number(number)) => number,
            (None, Fallback::Integer(number)) => number as f64,
            (None, _) => 0.0,
        }
    }

    /// A whole number that isn't negative.
    pub fn count(&self, setting: &Setting, channel: Channel) -> usize {
        let value = self.row(setting, channel).and_then(|(_, v)| v.as_i64());
        let value = match (value, setting.fallback(channel)) {
            (Some(number), _) | (None, Fallback::Integer(number)) => number,
            (None, _) => 0,
        };
        usize::try_from(value).unwrap_or(0)
    }

    /// True or false.
    pub fn flag(&self, setting: &Setting, channel: Channel) -> bool {
        match (self.row(setting, channel).and_then(|(_, v)| v.as_bool()), setting.fallback(channel)) {
            (Some(flag), _) | (None, Fallback::Flag(flag)) => flag,
            (None, _) => false,
        }
    }

    /// A text.
    pub fn text(&self, setting: &Setting, channel: Channel) -> &str {
        match (self.row(setting, channel).and_then(|(_, v)| v.as_str()), setting.fallback(channel)) {
            (Some(text), _) | (None, Fallback::Text(text)) => text,
            (None, _) => "",
        }
    }
}
