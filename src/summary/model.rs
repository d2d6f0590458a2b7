//! A summary in a model's words: what it is asked, and what of its answer may be kept.
use super::{Gate, Record, Summary, facts, text};
use crate::generation::{Grounding, Message, Request, Role};
use crate::mask::mask;
use crate::phrases::desk::{SUMMARY_FACTS, SUMMARY_PROMPT, SUMMARY_TALK};
use crate::speech::speakable;
use crate::transcript::{Speaker, Turn};

/// The longest summary that is asked for, in tokens.
const TOKENS: u32 = 320;
/// Bytes of talk that a model reads, the newest.
const TALK: usize = 24 * 1024;
/// Characters of a model's answer that are looked at: more isn't a summary.
const LONGEST: usize = 2400;

/// What a model is asked after the call: the talk and what was taken down, masked (S4); nothing that is on file
/// (R20), no manual's name, no telephone.
pub fn request(record: &Record) -> Request {
    let talk = newest(&record.lines).iter().map(|line| told(line, record.bot)).collect::<Vec<_>>();
    let told = [SUMMARY_TALK, &talk.join("\n"), "", SUMMARY_FACTS, &text::facts(&facts(record))].join("\n");
    let message = |role, content: String| Message { role, content };
    Request {
        messages: vec![
            message(Role::System, SUMMARY_PROMPT.es.to_owned()),
            message(Role::User, mask(&told).into_owned()),
        ],
        max_tokens: TOKENS,
        grounding: Grounding::Nothing,
        holding: "",
        cache_key: "call_summary".to_owned(),
    }
}

/// The summary in the model's words: its sentences that the call's rows hold (S2), without marks that only a
/// renderer reads, and behind them what the rule knows: what was asked, which rows, what is pending. `None` where
/// none is left.
pub fn accept(record: &Record, words: &str) -> Option<Summary> {
    let words: String = words.chars().take(LONGEST).collect();
    let body: Vec<&str> = words.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let told = Gate::of(record).pass(&speakable(&body.join("\n")));
    if !told.contains(char::is_alphabetic) {
        return None;
    }
    let mut summary = facts(record);
    summary.text = text::told(&told, &summary, record);
    Some(summary)
}

fn told(line: &Turn, bot: bool) -> String {
    let who = match (line.speaker, bot) {
        (Speaker::Patient, _) => "Paciente",
        (Speaker::Agent, true) => "Aura",
        (Speaker::Agent, false) => "Operador",
    };
    let words = line.for_prompt().split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{who}: {words}")
}

/// The newest lines that fit.
fn newest(lines: &[Turn]) -> &[Turn] {
    let mut left = TALK;
    let fits = |line: &&Turn| {
        let fits = line.text.len() <= left;
        left = left.saturating_sub(line.text.len());
        fits
    };
    let count = lines.iter().rev().take_while(fits).count();
    &lines[lines.len() - count..]
}
