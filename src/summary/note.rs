//! A summary as it is kept and shown: what it is of, whose words it is in; and what a model needs to write one.
use super::{Record, Summary, accept};
use crate::channel::Channel;
use crate::event::{DeskEvent, Event, Kind, News};
use crate::generation::Request;
use crate::ids::{AgentId, CallId, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a summary is of.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash, PartialOrd, Ord, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// The whole call, which is over.
    After,
    /// The call so far, for whoever has it from now on.
    HandOver,
}

impl Of {
    /// The name in events and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::HandOver => "hand_over",
        }
    }
}

/// Whose words it is in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash, PartialOrd, Ord, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Aura's own, by rule.
    Rule,
    /// A model's, each sentence through the support gate.
    Model,
}

impl By {
    /// The name in events and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Model => "model",
        }
    }
}

/// A summary as the desk shows it and `call_summarised` keeps it: texts are masked (S4).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// What it is of.
    pub of: Of,
    /// Whose words its text is in.
    pub by: By,
    /// The summary; its `text` is what is read, the rest is for whoever looks something up.
    #[serde(flatten)]
    pub summary: Summary,
}

/// A summary that a model is to write once the call is over. Until it has, and where it fails, the rule's stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Of which call.
    pub call: CallId,
    /// Through which channel it came.
    pub source: Channel,
    /// Who had the call when it ended.
    pub agent: Option<AgentId>,
    /// What the model is asked.
    pub request: Request,
    /// What its words are held against.
    pub record: Record,
}

impl Assignment {
    /// The note in the model's words; `None` where nothing of them may be kept.
    pub fn accept(&self, text: &str) -> Option<Note> {
        accept(&self.record, text).map(|summary| Note { of: Of::After, by: By::Model, summary })
    }

    /// The fact to be kept; `responder` is the adapter and model that wrote.
    pub fn event(&self, note: &Note, responder: &str) -> Event {
        let mut payload = json!(note);
        payload["responder"] = json!(responder);
        Event {
            kind: Kind::CallSummarised,
            call: self.call.clone(),
            source: self.source,
            turn: TurnId(0),
            agent: self.agent.clone(),
            payload,
        }
    }

    /// What the desk is told.
    pub fn news(&self, note: Note) -> DeskEvent {
        DeskEvent { call: self.call.clone(), source: self.source, news: News::Summary(Box::new(note)) }
    }
}
