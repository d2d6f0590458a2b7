//! What the patients' system knows of a caller, in two halves: what the engine works with, and what only an
//! operator's panel may show (R13, I6).
//!
//! The halves are two types without a way across. [`Context`] goes into the filter and nowhere else (R20).
//! [`Devices`] has no text of its own: it can't be printed, serialised or turned into a `String`, so no
//! prompt, query, log or event can hold it. This compiles:
//!
//! ```
//! fn into_prompt(part: impl std::fmt::Display) -> String { part.to_string() }
//! let model = aura::equipment::Model::new("M50");
//! into_prompt(model);
//! ```
//!
//! and the same with the other half doesn't:
//!
//! ```compile_fail
//! fn into_prompt(part: impl std::fmt::Display) -> String { part.to_string() }
//! let devices = aura::patient::Devices::default();
//! into_prompt(devices);
//! ```
//!
//! Nor can it be serialised:
//!
//! ```compile_fail
//! fn into_event(part: impl serde::Serialize) -> serde_json::Value { serde_json::to_value(part).unwrap() }
//! into_event(aura::patient::Devices::default());
//! ```
//!
//! while this compiles:
//!
//! ```
//! fn into_event(part: impl serde::Serialize) -> serde_json::Value { serde_json::to_value(part).unwrap() }
//! into_event(aura::equipment::Model::new("M50"));
//! ```
use crate::audit::Disclosure;
use crate::equipment::Model;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// The engine's half: the canonical models. The document that they belong to is the call's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Canonical models; one that the catalogue doesn't know opens the filter (R8).
    pub models: BTreeSet<Model>,
}

/// One device as the patients' system describes it. For the panel only.
#[derive(Clone, PartialEq, Eq)]
pub struct Device {
    /// E.g. `Concentrador de oxígeno M50`.
    pub name: String,
    /// E.g. `Canta`.
    pub brand: Option<String>,
    /// The supplier's article number.
    pub sku: Option<String>,
    /// E.g. `concentrador`.
    pub category: Option<String>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device(***)")
    }
}

/// The panel's half: what the patient was handed out. It is read through [`Devices::reveal`] alone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Devices(Vec<Device>);

impl Devices {
    /// What the patients' system answered.
    pub fn new(devices: Vec<Device>) -> Self {
        Self(devices)
    }

    /// The devices, for the person whose looking was put on record.
    pub fn reveal(&self, _: &Disclosure) -> &[Device] {
        &self.0
    }
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Devices({})", self.0.len())
    }
}

/// What the port answers (R12): three things, not two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The system knows the document.
    Found(Context, Devices),
    /// It was asked, and doesn't.
    NotFound,
    /// It couldn't be asked, or didn't answer.
    Unavailable(Cause),
}

/// Why the patients' system didn't answer; shown as what it is (R15), and the `cause` of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// There is none in this deployment, by explicit choice (R11).
    Disabled,
    /// No connection.
    Unreachable,
    /// Too slow.
    Timeout,
    /// It refuses the shared secret: a configuration to put right, no retry helps.
    Unauthorised,
    /// It wants fewer requests.
    Throttled,
    /// It failed (5xx).
    Failing,
    /// Its answer can't be read.
    Malformed,
    /// It has kept failing and is left alone for a while (circuit breaker).
    LeftAlone,
}

impl Cause {
    /// The name in events, metrics and on the desk.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Unauthorised => "unauthorised",
            Self::Throttled => "throttled",
            Self::Failing => "failing",
            Self::Malformed => "malformed",
            Self::LeftAlone => "left_alone",
        }
    }

    /// Whether asking again soon may help.
    pub const fn is_passing(self) -> bool {
        !matches!(self, Self::Disabled | Self::Unauthorised | Self::Malformed)
    }
}

/// How far a look-up has come (R15): progress, not confidence. An outage stands beside it (DECISIONS 21): a
/// look-up without an answer stays [`Progress::Pending`], never [`Progress::NotFound`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Nobody has given a document yet.
    #[default]
    Waiting,
    /// It is being asked for.
    Pending,
    /// There is a patient of this document.
    Dni,
    /// There is none.
    NotFound,
}

/// The patients' system doesn't answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Outage {
    /// Why.
    pub cause: Cause,
    /// Whether it is asked again by itself.
    pub retrying: bool,
}

/// What a call is told of its look-up: the engine's half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The system answered with a patient.
    Found(Context),
    /// It doesn't know the document. Nothing stale is served after that (R12).
    NotFound,
    /// It didn't answer.
    Unavailable {
        /// Why, and whether it goes on trying.
        outage: Outage,
        /// What was known of the patient before, from the cache: models, never devices (R13).
        cached: Option<Context>,
    },
}
