//! Histories of tools, mended: each call has exactly one answer right behind it (FAULTS 15, 16, 21, 22).
//!
//! Providers refuse a history with a call that nobody answered, with an answer to no call, or with an id that
//! stands twice; after an interruption peers send just that. Nothing that was spoken is touched.
use super::message::{Called, Message};
use std::collections::{BTreeSet, VecDeque};

/// The answer of a call that never got one.
pub const CANCELLED: &str = "cancelled";

/// The longest id and the longest name of a tool that providers take, in bytes.
const LONGEST: (usize, usize) = (40, 64);

/// The same history in a form that providers accept: no message is empty, each call has an id of its own and
/// arguments that are a JSON object, and its one answer follows at once ([`CANCELLED`] where there is none).
#[must_use]
pub fn mend(messages: &[Message]) -> Vec<Message> {
    write(messages, true)
}

/// As [`mend`], but calls without an answer stay without one.
pub(super) fn paired(messages: &[Message]) -> Vec<Message> {
    write(messages, false)
}

fn write(messages: &[Message], fill: bool) -> Vec<Message> {
    let mut answers = answers(messages);
    let mut ids = Ids { given: given(messages), used: BTreeSet::new() };
    let mut mended = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::Assistant { text, calls } if calls.is_empty() && text.is_empty() => {}
            Message::Assistant { text, calls } => {
                let calls = calls.iter().enumerate().map(|(index, call)| fit(call, (at, index), &mut ids));
                let calls: Vec<Called> = calls.collect();
                let called: Vec<Option<String>> = calls.iter().map(|call| call.id.clone()).collect();
                mended.push(Message::Assistant { text: text.clone(), calls });
                for call in called {
                    let answer = answers.pop_front().flatten();
                    let answer = answer.or_else(|| fill.then(|| CANCELLED.to_owned()));
                    mended.extend(answer.map(|text| Message::Tool { call, text }));
                }
            }
            Message::User { text, attached } if text.is_empty() && attached.is_empty() => {}
            Message::System(text) if text.is_empty() => {}
            Message::Tool { .. } => {}
            Message::User { .. } | Message::System(_) => mended.push(message.clone()),
        }
    }
    mended
}

/// The ids that the history has, and those that stand in the mended one already.
struct Ids<'a> {
    given: BTreeSet<&'a str>,
    used: BTreeSet<String>,
}

fn given<'a>(messages: &'a [Message]) -> BTreeSet<&'a str> {
    let ids = |message: &'a Message| match message {
        Message::Assistant { calls, .. } => calls.iter().filter_map(|call| call.id.as_deref()).collect(),
        _ => Vec::new(),
    };
    messages.iter().flat_map(ids).collect()
}

impl Ids<'_> {
    /// The call's own id, where no other has it; or one that nobody has.
    fn of(&mut self, call: &Called, (at, index): (usize, usize)) -> Option<String> {
        let own = call.id.clone().filter(|id| id.len() <= LONGEST.0 && !self.used.contains(id));
        let mut made = (0_u32..).map(|again| format!("call_{at}_{index}_{again}"));
        let free = |id: &String| !self.given.contains(id.as_str()) && !self.used.contains(id);
        let id = own.or_else(|| made.find(free));
        self.used.extend(id.clone());
        id
    }
}

/// A call that providers take: an id of its own, a name of plain letters, arguments that are an object.
fn fit(call: &Called, place: (usize, usize), ids: &mut Ids<'_>) -> Called {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&call.arguments).is_ok();
    Called {
        id: ids.of(call, place),
        name: call.name.chars().map(plain).take(LONGEST.1).collect(),
        arguments: if object { call.arguments.clone() } else { "{}".to_owned() },
    }
}

/// A call or an answer in the order of arrival; `round` counts the messages that call tools.
#[derive(Clone, Copy)]
struct Loose<'a> {
    id: Option<&'a str>,
    round: usize,
}

/// An answer, and whether it has its call.
struct Answer<'a> {
    loose: Loose<'a>,
    text: &'a str,
    used: bool,
}

/// The calls and the answers of a history.
fn loose(messages: &[Message]) -> (Vec<Loose<'_>>, Vec<Answer<'_>>) {
    let (mut calls, mut answers, mut round) = (Vec::new(), Vec::new(), 0);
    for message in messages {
        match message {
            Message::Assistant { calls: made, .. } if !made.is_empty() => {
                round += 1;
                calls.extend(made.iter().map(|call| Loose { id: call.id.as_deref(), round }));
            }
            Message::Tool { call, text } => {
                let loose = Loose { id: call.as_deref(), round };
                answers.push(Answer { loose, text, used: false });
            }
            _ => {}
        }
    }
    (calls, answers)
}

/// Each call's answer, in the calls' order.
fn answers(messages: &[Message]) -> VecDeque<Option<String>> {
    let (calls, mut answers) = loose(messages);
    let mut found: VecDeque<Option<String>> = calls.iter().map(|_| None).collect();
    for (at, (call, found)) in calls.iter().zip(&mut found).enumerate() {
        *found = by_id(*call, &calls[at + 1..], &mut answers);
    }
    // Unnamed on one side: right behind the message that called, or right before it.
    for before in [0, 1] {
        for (call, found) in calls.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let unnamed = |answer: &Loose<'_>| call.id.is_none() || answer.id.is_none();
            let fits = |answer: &Loose<'_>| unnamed(answer) && answer.round + before == call.round;
            *found = take(&mut answers, fits, false);
        }
    }
    found
}

/// The answer that names the call, at any place before its id is used again. Of several the last is the truest,
/// unless the same message calls twice under one id.
fn by_id(call: Loose<'_>, later: &[Loose<'_>], answers: &mut [Answer<'_>]) -> Option<String> {
    let id = call.id?;
    let again = later.iter().filter(|other| other.id == Some(id)).map(|other| other.round);
    let twin = again.clone().any(|round| round == call.round);
    let until = again.filter(|round| *round > call.round).min();
    let fits = |answer: &Loose<'_>| answer.id == Some(id) && until.is_none_or(|until| answer.round < until);
    take(answers, fits, !twin)
}

/// Uses up the first answer that fits; or all of them, and the last is given.
fn take(answers: &mut [Answer<'_>], fits: impl Fn(&Loose<'_>) -> bool, all: bool) -> Option<String> {
    let mut taken = None;
    for answer in answers.iter_mut().filter(|answer| !answer.used && fits(&answer.loose)) {
        answer.used = true;
        taken = Some(answer.text.to_owned());
        if !all {
            break;
        }
    }
    taken
}
