//! A Retell call as a file: what the caller says and does, step by step, and what is expected of each answer.
use super::file::{self, ScriptError, present};
use super::line::Patience;
use aura::channel::Channel;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A scripted call, read from YAML. Unknown names are refused, so that a typo can't pass as an expectation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What the call shows, for people.
    pub name: String,
    /// [`Channel::Retell`].
    #[serde(default = "file::retell")]
    pub channel: Channel,
    /// The call's id; a new one for each play unless it is fixed here.
    #[serde(default)]
    pub call_id: Option<String>,
    /// What is told of the call, if the agent asks for it.
    #[serde(default)]
    pub call_details: CallDetails,
    /// How often the agent is pinged, in milliseconds: Retell does so every 2,000.
    #[serde(default = "two_seconds")]
    pub ping_ms: u64,
    /// How long a ping's echo is waited for, in milliseconds: Retell gives up after 5,000.
    #[serde(default = "five_seconds")]
    pub echo_ms: u64,
    /// How long each thing else is waited for, in milliseconds.
    #[serde(default = "ten_seconds")]
    pub deadline_ms: u64,
    /// What is expected of the greeting.
    #[serde(default)]
    pub begin: Expect,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// What Retell tells of a call beforehand.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallDetails {
    /// Never told, though asked for (A9).
    #[serde(default)]
    pub never: bool,
    /// How long after being asked it is told, in milliseconds.
    #[serde(default)]
    pub after_ms: u64,
    /// `retell_llm_dynamic_variables`.
    #[serde(default)]
    pub variables: BTreeMap<String, serde_json::Value>,
    /// `metadata`.
    #[serde(default)]
    pub metadata: BTreeMap<String, serde_json::Value>,
}

/// One thing the caller does, and what is expected of the answer.
#[derive(Clone, Debug)]
pub struct Step {
    /// What the caller does.
    pub action: Action,
    /// What is expected; without an answer (a noise, a drop, a hang-up) nothing can be.
    pub expect: Expect,
}

/// What a caller can do.
#[derive(Clone, Debug)]
pub enum Action {
    /// Says this and waits for the answer.
    Say(String),
    /// Says this into the running answer, once that many of its pieces were heard.
    BargeIn(BargeIn),
    /// Says nothing until Retell asks for a reminder.
    Silence,
    /// The line to the agent breaks, within the running answer if so told, and is dialled again.
    DropAndRedial(Redial),
    /// A sound that changes the transcript, but ends no turn.
    UpdateOnly(String),
    /// Hangs up.
    HangUp,
}

/// When and with what the caller interrupts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BargeIn {
    /// Pieces of the running answer that were heard; 0: none.
    #[serde(default)]
    pub after_frames: usize,
    /// What is said.
    pub say: String,
}

/// When the line breaks.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redial {
    /// Pieces of the running answer that were heard; absent: the whole answer.
    #[serde(default)]
    pub after_frames: Option<usize>,
}

/// What is expected of one answer. Texts are compared without regard to case and accents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Each of these is said.
    pub contains: Vec<String>,
    /// At least one of these is said.
    pub contains_any: Vec<String>,
    /// None of these is said.
    pub not_contains: Vec<String>,
    /// At least so many pieces with words arrive.
    pub frames_at_least: Option<usize>,
    /// Whether the agent hangs up afterwards.
    pub end_call: Option<bool>,
    /// The first piece arrives within so many milliseconds of the question.
    pub within_ms: Option<u64>,
}

impl Script {
    /// Reads a script from its text.
    ///
    /// # Errors
    /// [`ScriptError`] names the line or the step.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let script: Self = file::yaml(text)?;
        if script.ping_ms == 0 || script.echo_ms == 0 || script.deadline_ms == 0 {
            return Err(ScriptError::Malformed("ping_ms, echo_ms and deadline_ms must be 1 or more".into()));
        }
        for (at, step) in script.steps.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &script.steps[before].action);
            let last = at + 1 == script.steps.len();
            step.misplaced(before, last)
                .map_or(Ok(()), |why| Err(ScriptError::Step { step: at + 1, why }))?;
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

    pub(super) fn patience(&self) -> Patience {
        let [ping_every, echo, deadline] =
            [self.ping_ms, self.echo_ms, self.deadline_ms].map(Duration::from_millis);
        Patience { ping_every, echo, deadline }
    }

    /// How many pieces are heard of what runs before `step`, if that step breaks into it.
    pub(super) fn cut_by(&self, step: usize) -> Option<usize> {
        match &self.steps.get(step)?.action {
            Action::BargeIn(barge) => Some(barge.after_frames),
            Action::DropAndRedial(drop) => drop.after_frames,
            _ => None,
        }
    }
}

impl Step {
    fn misplaced(&self, before: Option<&Action>, last: bool) -> Option<&'static str> {
        let answered = matches!(self.action, Action::Say(_) | Action::BargeIn(_) | Action::Silence);
        let into_nothing =
            !matches!(before, None | Some(Action::Say(_) | Action::BargeIn(_) | Action::Silence));
        let breaks_in = match &self.action {
            Action::BargeIn(_) => true,
            Action::DropAndRedial(drop) => drop.after_frames.is_some(),
            _ => false,
        };
        match &self.action {
            _ if !answered && self.expect != Expect::default() => {
                Some("has expectations, but gets no answer")
            }
            _ if breaks_in && into_nothing => {
                Some("breaks into an answer, but none runs: put it after a say")
            }
            Action::HangUp if !last => Some("hangs up, but more steps follow"),
            _ => None,
        }
    }
}

/// A step as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    say: Option<String>,
    #[serde(default)]
    barge_in: Option<BargeIn>,
    #[serde(default, deserialize_with = "present")]
    silence: bool,
    #[serde(default, deserialize_with = "drop_or_nothing")]
    drop_and_redial: Option<Redial>,
    #[serde(default)]
    update_only: Option<String>,
    #[serde(default, deserialize_with = "present")]
    hang_up: bool,
    #[serde(default)]
    expect: Expect,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(d)?;
        let mut actions = [
            written.say.map(Action::Say),
            written.barge_in.map(Action::BargeIn),
            written.silence.then_some(Action::Silence),
            written.drop_and_redial.map(Action::DropAndRedial),
            written.update_only.map(Action::UpdateOnly),
            written.hang_up.then_some(Action::HangUp),
        ]
        .into_iter()
        .flatten();
        match (actions.next(), actions.next()) {
            (Some(action), None) => Ok(Self { action, expect: written.expect }),
            _ => Err(serde::de::Error::custom(
                "a step does exactly one of: say, barge_in, silence, drop_and_redial, update_only, hang_up",
            )),
        }
    }
}

/// `drop_and_redial:` may stand alone.
fn drop_or_nothing<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Redial>, D::Error> {
    Option::<Redial>::deserialize(d).map(|drop| Some(drop.unwrap_or_default()))
}

fn two_seconds() -> u64 {
    2_000
}

fn five_seconds() -> u64 {
    5_000
}

fn ten_seconds() -> u64 {
    10_000
}
