//! The messages of one turn, in cache order: what never changes first, the turn itself last (E5, R21).
use crate::generation::{Message, Role};
use crate::mask::mask;
use crate::phrases::NOTHING_SAID;
use crate::transcript::{Speaker, Turn};

/// Bytes of history in a prompt at most, whatever the channel's limit in turns: an hour's talk. It bounds what a
/// call costs that somebody keeps open.
const HISTORY_BYTES: usize = 96 * 1024;

/// One version of a base prompt (E14). A call keeps the one it began with (DECISIONS 13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// E.g. `agent_identity`.
    pub key: String,
    /// E.g. `1.0.0`.
    pub version: String,
    /// The text of the system message.
    pub body: String,
}

/// What a turn's messages are made of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The base prompt.
    pub prompt: &'a Prompt,
    /// Blocks fixed for the whole call, e.g. `[DATOS DEL PACIENTE]`.
    pub system_extras: &'a [String],
    /// The turns before the one to answer.
    pub history: &'a [Turn],
    /// How many of them at most; `None` is all.
    pub history_limit: Option<usize>,
    /// What this turn's answer may rest on, and what rides with it: in this order (E5).
    pub context: &'a [String],
    /// The turn to answer, whoever spoke it (E7).
    pub last: &'a str,
}

/// Lays the messages out. Every text but the base prompt is masked (S4); none is empty.
pub fn messages(parts: &Parts<'_>) -> Vec<Message> {
    let mut system = parts.prompt.body.trim().to_owned();
    for extra in parts.system_extras {
        system.push_str("\n\n");
        system.push_str(&mask(extra));
    }
    let skipped = parts.history_limit.map_or(0, |most| parts.history.len().saturating_sub(most));
    let history = newest(&parts.history[skipped..]).iter().map(|turn| Message {
        role: match turn.speaker {
            Speaker::Patient => Role::User,
            Speaker::Agent => Role::Assistant,
        },
        content: mask(turn.for_prompt()).into_owned(),
    });
    let mut last: Vec<&str> = parts.context.iter().map(String::as_str).collect();
    let turn = mask(parts.last.trim());
    last.push(&turn);
    let mut last: Vec<&str> = last.into_iter().filter(|text| !text.is_empty()).collect();
    if last.is_empty() {
        last.push(NOTHING_SAID.es); // a model needs a turn to answer
    }
    let last = last.join("\n\n");
    std::iter::once(Message { role: Role::System, content: system })
        .chain(history)
        .chain(std::iter::once(Message { role: Role::User, content: last }))
        .filter(|message| !message.content.is_empty())
        .collect()
}

/// The newest turns that fit into [`HISTORY_BYTES`].
fn newest(history: &[Turn]) -> &[Turn] {
    let mut left = HISTORY_BYTES;
    let fits = |turn: &&Turn| {
        let fits = turn.text.len() <= left;
        left = left.saturating_sub(turn.text.len());
        fits
    };
    let count = history.iter().rev().take_while(fits).count();
    &history[history.len() - count..]
}
