//! The registry of runtime settings and how one is resolved for a channel (R4, DECISIONS 10, 13).
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
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Flag => f.write_str("true or false"),
            Self::Text { max_chars } => write!(f, "a text of at most {max_chars} characters"),
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
    /// For [`Kind::Text`].
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

const fn setting(name: &'static str, kind: Kind, default: Fallback, about: &'static str) -> Setting {
    Setting { name, kind, default, channel_defaults: &[], per_channel: true, about }
}

const UNIT: Kind = Kind::Number { min: 0.0, max: 1.0 };

/// Threshold of supervisors' corrections (R2).
pub static SIMILARITY_THRESHOLD: Setting = setting(
    "rag.similarityThreshold",
    UNIT,
    Fallback::Number(0.78),
    "score from which a supervisor's correction is injected",
);
/// Threshold of approved answers (R2).
pub static APPROVED_THRESHOLD: Setting = setting(
    "rag.approvedThreshold",
    UNIT,
    Fallback::Number(0.85),
    "score from which an approved answer is injected",
);
/// Threshold of the manuals (R3); a global row of [`SEEDED_KNOWLEDGE_THRESHOLD`] is seeded at boot.
pub static KNOWLEDGE_THRESHOLD: Setting = setting(
    "rag.knowledgeThreshold",
    UNIT,
    Fallback::Number(0.60),
    "score from which the nearest row of a manual is injected",
);
/// The global row of [`KNOWLEDGE_THRESHOLD`] at first boot (DECISIONS 1).
pub const SEEDED_KNOWLEDGE_THRESHOLD: f64 = 0.55;
/// Whether to ask which equipment it is (DECISIONS 4).
pub static ASK_WHEN_EQUIPMENT_UNKNOWN: Setting = setting(
    "rag.askWhenEquipmentUnknown",
    Kind::Flag,
    Fallback::Flag(true),
    "ask for the model when a device's row is nearest but its model is unknown; false: a miss",
);
/// Patient turns for which a named model stays in the filter (DECISIONS 7).
pub static STICKY_TURNS: Setting = setting(
    "equipment.stickyTurns",
    Kind::Integer { min: 1, max: 100 },
    Fallback::Integer(10),
    "patient turns for which a named model stays in play without being named again (bots)",
);
/// Minutes for which a named model stays in the filter (DECISIONS 7).
pub static STICKY_MINUTES: Setting = Setting {
    name: "equipment.stickyMinutes",
    kind: Kind::Integer { min: 1, max: 240 },
    default: Fallback::Integer(5),
    channel_defaults: &[(Channel::WhatsApp, Fallback::Integer(15))],
    per_channel: true,
    about: "minutes for which a named model stays in play without being named again (bots)",
};
/// The copilot's short-turn gate, in words (R30).
pub static SUGGESTION_MIN_WORDS: Setting = copilot(
    "suggestion.minWords",
    Kind::Integer { min: 0, max: 50 },
    Fallback::Integer(4),
    "words under which a turn isn't searched (copilot; the bots' are fixed in code)",
);
/// The copilot's answer length, in tokens.
pub static SUGGESTION_MAX_TOKENS: Setting = copilot(
    "suggestion.maxTokens",
    Kind::Integer { min: 20, max: 1000 },
    Fallback::Integer(120),
    "longest suggestion, in tokens (copilot; the bots' are fixed in code)",
);
/// The copilot's history, in turns.
pub static SUGGESTION_MAX_HISTORY: Setting = copilot(
    "suggestion.maxHistoryTurns",
    Kind::Integer { min: 0, max: 200 },
    Fallback::Integer(12),
    "turns of history in the prompt (copilot)",
);
/// The copilot's debounce, in milliseconds.
pub static SUGGESTION_DEBOUNCE_MS: Setting = copilot(
    "suggestion.debounceMs",
    Kind::Integer { min: 0, max: 5000 },
    Fallback::Integer(400),
    "silence before a suggestion is started, in milliseconds (copilot)",
);
/// What the Retell bot says first; `{nombre}` is filled from the call's variables.
pub static RETELL_GREETING: Setting = Setting {
    name: "retell.greeting",
    kind: Kind::Text { max_chars: 300 },
    default: Fallback::Text(crate::phrases::GREETING.es),
    channel_defaults: &[],
    per_channel: false,
    about: "the Retell bot's first words; {nombre} is the caller's name where Retell tells it",
};

const fn copilot(name: &'static str, kind: Kind, default: Fallback, about: &'static str) -> Setting {
    Setting { name, kind, default, channel_defaults: &[], per_channel: false, about }
}

/// Every setting there is.
pub static REGISTRY: [&Setting; 11] = [
    &SIMILARITY_THRESHOLD,
    &APPROVED_THRESHOLD,
    &KNOWLEDGE_THRESHOLD,
    &ASK_WHEN_EQUIPMENT_UNKNOWN,
    &STICKY_TURNS,
    &STICKY_MINUTES,
    &SUGGESTION_MIN_WORDS,
    &SUGGESTION_MAX_TOKENS,
    &SUGGESTION_MAX_HISTORY,
    &SUGGESTION_DEBOUNCE_MS,
    &RETELL_GREETING,
];

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
        let fits = match self.kind {
            Kind::Number { min, max } => value.as_f64().is_some_and(|n| (min..=max).contains(&n)),
            Kind::Integer { min, max } => value.as_i64().is_some_and(|n| (min..=max).contains(&n)),
            Kind::Flag => value.is_boolean(),
            Kind::Text { max_chars } => value.as_str().is_some_and(|t| t.chars().count() <= max_chars),
        };
        if fits {
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
