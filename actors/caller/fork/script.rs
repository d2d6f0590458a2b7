//! A forked call as a file: who says what on which leg, what happens to the fork, and what must be heard back.
use crate::caller::file::{self, ScriptError, present};
use aura::channel::Channel;
use aura::ears::Leg;
use aura::ids::CallId;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The longest a pause, a hold or a loss may be, in seconds.
const LONGEST: f64 = 600.0;
/// Keys that one step may press.
const MOST_KEYS: usize = 32;

/// A scripted call that a PBX forks, read from YAML. Unknown names are refused, so that a typo can't pass as
/// an expectation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkScript {
    /// What the call shows, for people.
    pub name: String,
    /// [`Channel::AudioFork`].
    pub channel: Channel,
    /// The call's id; a new one for each play unless it is fixed here.
    #[serde(default)]
    pub call_id: Option<CallId>,
    /// What the PBX tells of the call.
    #[serde(default)]
    pub call: Call,
    /// What happens, in order.
    pub steps: Vec<ForkStep>,
}

/// What the PBX tells of a call, in the first text frame of each socket.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Call {
    /// Whose leg is forked, the patient's unless told: that one is channel 0.
    pub leg: Option<Leg>,
    /// The operator's extension.
    pub extension: Option<String>,
    /// Who called whom, seen from the PBX.
    pub direction: Direction,
    /// The telephone that called.
    pub from: Option<String>,
    /// The telephone that was called.
    pub to: Option<String>,
    /// The rest.
    pub variables: BTreeMap<String, serde_json::Value>,
}

impl Call {
    /// Whose leg is forked.
    pub(super) fn forked(&self) -> Leg {
        self.leg.unwrap_or(Leg::Patient)
    }
}

/// Who called whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The patient called.
    #[default]
    Inbound,
    /// We called the patient.
    Outbound,
}

/// One thing that happens, and what must have been heard afterwards.
#[derive(Clone, Debug)]
pub struct ForkStep {
    /// What happens.
    pub action: ForkAction,
    /// What must be heard back.
    pub expect: Hearing,
}

/// What can happen on a forked call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkAction {
    /// One of them speaks, or both at once.
    Speak(Lines),
    /// Nobody speaks, for so many seconds.
    Pause(f64),
    /// The call is on hold for so many seconds, and the PBX tells so.
    Hold(f64),
    /// The socket breaks, and is dialled again after so many seconds.
    Lose(f64),
    /// Keys that the patient presses.
    Dtmf(String),
    /// The PBX hangs up.
    HangUp,
}

/// What is said at the same time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// By the patient.
    pub patient: Option<String>,
    /// By the operator.
    pub operator: Option<String>,
}

/// What must be heard back, and by when. Texts are compared without regard to case and accents.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hearing {
    /// Each of these is in a final line that came since the step began.
    pub hears: Words,
    /// None of these is.
    pub not_hears: Words,
    /// Each of these is in what the desk told to say, or shows of the patient, since the step began. Nothing is
    /// expected where nobody sits at the desk.
    pub shows: Vec<String>,
    /// Seconds that are waited after the step, in the clock's time however fast the call is played. The wait
    /// ends once all of `hears` and `shows` came; where both are empty it lasts to its end.
    pub within: f64,
}

impl Default for Hearing {
    fn default() -> Self {
        Self { hears: Words::default(), not_hears: Words::default(), shows: Vec::new(), within: 10.0 }
    }
}

impl Hearing {
    /// Whether only the desk is to show something.
    pub(super) fn is_only_shown(&self) -> bool {
        self.hears.is_empty() && self.not_hears.is_empty()
    }

    /// Whether nothing is expected.
    pub(super) fn is_empty(&self) -> bool {
        self.is_only_shown() && self.shows.is_empty()
    }
}

/// Words of each leg.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Words {
    /// The patient's.
    pub patient: Vec<String>,
    /// The operator's.
    pub operator: Vec<String>,
}

impl Words {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.patient.is_empty() && self.operator.is_empty()
    }

    /// Each with its leg.
    pub(super) fn each(&self) -> impl Iterator<Item = (Leg, &str)> {
        let patient = self.patient.iter().map(|words| (Leg::Patient, words.as_str()));
        patient.chain(self.operator.iter().map(|words| (Leg::Operator, words.as_str())))
    }
}

impl ForkScript {
    /// Reads a script from its text.
    ///
    /// # Errors
    /// [`ScriptError`] names the line or the step.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Self = file::yaml(text)?;
        for (at, step) in script.steps.iter().enumerate() {
            let last = at + 1 == script.steps.len();
            step.wrong(last).map_or(Ok(()), |why| Err(ScriptError::Step { step: at + 1, why }))?;
        }
        Ok(script)
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// [`ScriptError`] names the file, the line or the step.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        file::read(path, Self::parse)
    }
}

impl ForkStep {
    fn wrong(&self, last: bool) -> Option<&'static str> {
        let usable = |seconds: f64| seconds > 0.0 && seconds <= LONGEST;
        let key = |c: char| c.is_ascii_digit() || matches!(c, '*' | '#' | 'A'..='D');
        match &self.action {
            ForkAction::Pause(seconds) | ForkAction::Hold(seconds) | ForkAction::Lose(seconds)
                if !usable(*seconds) =>
            {
                Some("lasts more than 600 seconds, or none")
            }
            ForkAction::Dtmf(keys) if !(1..=MOST_KEYS).contains(&keys.len()) || !keys.chars().all(key) => {
                Some("presses what is no key, expected 1 to 32 of 0-9 * # A-D")
            }
            ForkAction::Speak(lines) if lines.each().any(|(_, text)| text.trim().is_empty()) => {
                Some("says nothing: for that there is pause")
            }
            ForkAction::HangUp if !self.expect.is_empty() => {
                Some("has expectations, but after the hang-up nothing comes back")
            }
            ForkAction::HangUp if !last => Some("hangs up, but more steps follow"),
            _ if !usable(self.expect.within) => Some("waits within more than 600 seconds, or none"),
            _ => None,
        }
    }
}

impl Lines {
    /// Each with its leg.
    pub(super) fn each(&self) -> impl Iterator<Item = (Leg, &str)> {
        let patient = self.patient.iter().map(|text| (Leg::Patient, text.as_str()));
        patient.chain(self.operator.iter().map(|text| (Leg::Operator, text.as_str())))
    }
}

/// A step as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    patient: Option<String>,
    #[serde(default)]
    operator: Option<String>,
    #[serde(default)]
    both: Option<Both>,
    #[serde(default)]
    pause: Option<f64>,
    #[serde(default)]
    hold: Option<f64>,
    #[serde(default)]
    lose: Option<Loss>,
    #[serde(default)]
    dtmf: Option<String>,
    #[serde(default, deserialize_with = "present")]
    hang_up: bool,
    #[serde(default)]
    expect: Hearing,
}

/// Both legs at once.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Both {
    patient: String,
    operator: String,
}

/// How long the socket is gone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Loss {
    r#for: f64,
}

impl<'de> Deserialize<'de> for ForkStep {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(d)?;
        let said = |patient, operator| ForkAction::Speak(Lines { patient, operator });
        let mut actions = [
            written.patient.map(|text| said(Some(text), None)),
            written.operator.map(|text| said(None, Some(text))),
            written.both.map(|both| said(Some(both.patient), Some(both.operator))),
            written.pause.map(ForkAction::Pause),
            written.hold.map(ForkAction::Hold),
            written.lose.map(|loss| ForkAction::Lose(loss.r#for)),
            written.dtmf.map(ForkAction::Dtmf),
            written.hang_up.then_some(ForkAction::HangUp),
        ]
        .into_iter()
        .flatten();
        match (actions.next(), actions.next()) {
            (Some(action), None) => Ok(Self { action, expect: written.expect }),
            _ => Err(serde::de::Error::custom(
                "a step does exactly one of: patient, operator, both, pause, hold, lose, dtmf, hang_up",
            )),
        }
    }
}
