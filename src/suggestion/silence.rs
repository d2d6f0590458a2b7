//! Whether the copilot speaks at all: decided before anything is spent on a model (E8).
use super::request::{Standing, Wanted};
use crate::numerals::number;
use crate::red_flag::{RedFlag, red_flag};
use crate::tokens::{plain, tokens};
use crate::transcript::{Speaker, Turn};
use crate::wording::asks;
use crate::words::count_words;
use serde::{Deserialize, Serialize};

/// How an operator wants suggestions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// They appear.
    #[default]
    Push,
    /// They are made, and the desk shows a mark only.
    Quiet,
    /// None is made unless asked for.
    OnDemand,
}

/// Why a suggestion is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The patient said enough.
    Turn,
    /// A short turn of figures.
    Digits,
    /// A short answer to something that the operator asked.
    AnswersOperator,
    /// A short turn that names the equipment which a question waits for: that is searched (DECISIONS 4).
    AnswersAsk,
    /// A short turn, while a request of the copilot's own is still unanswered.
    OwnRequest(Wanted),
    /// The operator wants one now.
    Requested,
}

impl Cause {
    /// The name in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Digits => "digits",
            Self::AnswersOperator => "answers_operator",
            Self::AnswersAsk => "answers_ask",
            Self::OwnRequest(_) => "own_request",
            Self::Requested => "requested",
        }
    }
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No operator has claimed the call.
    Unclaimed,
    /// The operator wants none unasked.
    OnDemand,
    /// The patient said nothing that could be understood.
    NothingSaid,
    /// Too few words.
    ShortTurn,
    /// Too few words, and what the copilot had asked for has appeared.
    Answered,
}

impl Reason {
    /// The name in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unclaimed => "unclaimed",
            Self::OnDemand => "on_demand",
            Self::NothingSaid => "nothing_said",
            Self::ShortTurn => "short_turn",
            Self::Answered => "answered",
        }
    }
}

/// What to do about the patient's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Somebody is in danger: the fixed alert, without a model, claimed or not (S1).
    Alert(RedFlag),
    /// Make one.
    Suggest(Cause),
    /// Make none; nothing is spent.
    Silent(Reason),
}

/// What is known when the patient has paused.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The talk in the order in which it was spoken.
    pub lines: &'a [&'a Turn],
    /// How many of the patient's last lines have had no decision yet: together they are the turn. With none,
    /// the last line again (an operator asks by hand).
    pub unanswered: usize,
    /// Whether an operator has claimed the call.
    pub claimed: bool,
    /// How that operator wants suggestions.
    pub mode: Mode,
    /// Whether the operator has just asked for one.
    pub requested: bool,
    /// `suggestion.minWords`.
    pub min_words: usize,
    /// Where the copilot's own last request stands.
    pub own: Standing,
    /// Whether the turn names the equipment that an earlier question waits for.
    pub answers_ask: bool,
}

impl<'a> Situation<'a> {
    /// The patient's lines that make the turn, in order, with where each stands in the talk.
    pub fn turn(&self) -> Vec<(usize, &'a Turn)> {
        let patient =
            self.lines.iter().enumerate().rev().filter(|(_, line)| line.speaker == Speaker::Patient);
        let mut turn: Vec<_> = patient.take(self.unanswered.max(1)).map(|(at, line)| (at, *line)).collect();
        turn.reverse();
        turn
    }
}

/// Decides. A pure function of the transcript and of who has the call.
pub fn decide(situation: &Situation<'_>) -> Decision {
    let turn = situation.turn();
    if let Some(flag) = turn.iter().filter_map(|(_, line)| red_flag(&line.text)).min() {
        return Decision::Alert(flag);
    }
    if !situation.claimed {
        return Decision::Silent(Reason::Unclaimed);
    }
    let text = turn.iter().map(|(_, line)| line.text.as_str()).collect::<Vec<_>>().join(" ");
    match (situation.requested, situation.mode) {
        (true, _) => return Decision::Suggest(Cause::Requested),
        (false, Mode::OnDemand) => return Decision::Silent(Reason::OnDemand),
        (false, Mode::Push | Mode::Quiet) => {}
    }
    let words = count_words(&text);
    if words == 0 {
        return Decision::Silent(Reason::NothingSaid);
    }
    if words >= situation.min_words {
        return Decision::Suggest(Cause::Turn);
    }
    short(situation, &turn, &text)
}

/// A short turn: the script's three data turns, the equipment that a question waits for, else silence.
fn short(situation: &Situation<'_>, turn: &[(usize, &Turn)], text: &str) -> Decision {
    if is_data(text) {
        return Decision::Suggest(Cause::Digits);
    }
    if operator_asked(situation.lines, turn) {
        return Decision::Suggest(Cause::AnswersOperator);
    }
    if situation.answers_ask {
        return Decision::Suggest(Cause::AnswersAsk);
    }
    match situation.own {
        Standing::Open(wanted) => Decision::Suggest(Cause::OwnRequest(wanted)),
        Standing::Answered(_) => Decision::Silent(Reason::Answered),
        Standing::Nothing => Decision::Silent(Reason::ShortTurn),
    }
}

/// Whether what the operator said right before the turn asks for something.
fn operator_asked(lines: &[&Turn], turn: &[(usize, &Turn)]) -> bool {
    let Some((first, _)) = turn.first() else { return false };
    let before = lines[..*first].iter().rev().take_while(|line| line.speaker == Speaker::Agent);
    before.into_iter().any(|line| asks(&line.text))
}

/// Whether a turn is made of data: it holds figures, or number words that are more than `un` and `dos` in
/// passing.
pub fn is_data(text: &str) -> bool {
    let (mut words, mut numbers) = (0, 0);
    for token in tokens(text) {
        if token.figures {
            return true;
        }
        words += 1;
        numbers += usize::from(number(&plain(token.text)).is_some());
    }
    numbers >= 2 || (numbers == 1 && words == 1)
}
