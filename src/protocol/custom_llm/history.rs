//! What happened in a conversation, told by the messages: what was heard, and why an answer is due now.
use super::mend::paired;
use super::message::{Called, Message};
use super::request::Request;
use crate::transcript::{Speaker, Turn};
use serde_json::Value;

/// Why an answer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The patient said something.
    User,
    /// A tool that we called has answered, or will not.
    ToolResult,
    /// The patient is silent and is to be addressed again.
    Silence,
    /// Nobody has said anything yet.
    Opening,
}

/// How a tool's call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Well.
    Done,
    /// Not well: the call was refused, or nobody answered.
    Failed,
    /// The answer doesn't tell, or there is none.
    Untold,
}

/// What became of a tool's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The tool's name.
    pub tool: String,
    /// How it ended.
    pub fate: Fate,
}

/// What was heard, oldest first (DECISIONS 11): words of the patient and of Aura. Instructions, tools' calls and
/// their answers are no turns. A picture without words is a turn that nobody understood.
pub fn turns(request: &Request) -> Vec<Turn> {
    request.messages.iter().filter_map(turn).collect()
}

fn turn(message: &Message) -> Option<Turn> {
    match message {
        Message::User { text, attached } if silent(text) => {
            let turn = Turn { speaker: Speaker::Patient, text: String::new(), unclear: true, place: None };
            (!attached.is_empty()).then_some(turn)
        }
        Message::User { text, .. } => Turn::heard(Speaker::Patient, text),
        Message::Assistant { text, .. } => Turn::heard(Speaker::Agent, text),
        Message::System(_) | Message::Tool { .. } => None,
    }
}

/// Dots stand for a turn in which nobody spoke.
fn silent(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || matches!(c, '.' | '…'))
}

/// Why an answer is due: by the last message that isn't an instruction.
pub fn occasion(request: &Request) -> Occasion {
    let last = request.messages.iter().rev().find(|message| !matches!(message, Message::System(_)));
    match last {
        None => Occasion::Opening,
        Some(Message::User { text, attached }) if silent(text) && attached.is_empty() => Occasion::Silence,
        Some(Message::User { .. }) => Occasion::User,
        Some(Message::Assistant { calls, .. }) if calls.is_empty() => Occasion::Silence,
        Some(Message::Assistant { .. } | Message::Tool { .. } | Message::System(_)) => Occasion::ToolResult,
    }
}

/// What became of the calls of the last message that made some, if nobody has spoken since.
pub fn outcomes(request: &Request) -> Vec<Outcome> {
    let spoken = |message: &&Message| !matches!(message, Message::System(_));
    let messages: Vec<Message> = request.messages.iter().filter(spoken).cloned().collect();
    let paired = paired(&messages);
    let Some(at) = paired.iter().rposition(|message| !matches!(message, Message::Tool { .. })) else {
        return Vec::new();
    };
    let Some(Message::Assistant { calls, .. }) = paired.get(at) else { return Vec::new() };
    let answer = |id: &Option<String>| {
        paired[at..].iter().find_map(|message| match message {
            Message::Tool { call, text } if call == id => Some(text.as_str()),
            _ => None,
        })
    };
    let fate = |call: &Called| answer(&call.id).map_or(Fate::Untold, fate_of);
    calls.iter().map(|call| Outcome { tool: call.name.clone(), fate: fate(call) }).collect()
}

/// Reads `{"status":"success"}`, `{"result_type":"end_call_success"}`, `{"error":…}` and the like.
fn fate_of(answer: &str) -> Fate {
    let Ok(Value::Object(answer)) = serde_json::from_str(answer) else { return Fate::Untold };
    let flag = |field: &str| answer.get(field).and_then(Value::as_bool);
    let says = |field: &str| answer.get(field).and_then(Value::as_str).unwrap_or("").to_ascii_lowercase();
    let told = [says("status"), says("result_type")];
    let any = |words: &[&str]| told.iter().any(|told| words.iter().any(|word| told.contains(word)));
    let error = answer.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false)));
    let flagged = flag("is_error") == Some(true) || flag("success") == Some(false);
    if error || flagged || any(&["error", "fail", "invalid", "cancel", "no_answer", "timeout", "busy"]) {
        Fate::Failed
    } else if flag("is_error").is_some() || flag("success").is_some() || any(&["success", "completed"]) {
        Fate::Done
    } else {
        Fate::Untold
    }
}
