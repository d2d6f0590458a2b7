//! What is read out of the mirror: the calls in their order, a call's talk in its order, its cards.
use aura::desk::CallView;
use aura::ears::{Lack, Track};
use aura::event::SearchRow;
use aura::ids::{CallId, TurnId};
use aura::protocol::desk::{CardView, FieldShown, Happening, Key, LineView, Row, State, StepShown, Verdict};
use aura::red_flag::RedFlag;
use aura::summary::{By, Of};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The calls as they are listed: danger and long waits first, then one's own, then who waits, then the rest.
pub fn order<'a>(rows: &'a BTreeMap<CallId, Row>, me: &str) -> Vec<&'a Row> {
    let mut list: Vec<&Row> = rows.values().collect();
    list.sort_by_key(|row| {
        let since = row.waiting_since.unwrap_or(row.since);
        let (class, time) = match row {
            row if row.state == State::Closed => (5, (0, Reverse(since))),
            row if row.danger.is_some() => (0, (since, Reverse(0))),
            row if row.overdue => (1, (since, Reverse(0))),
            row if row.claimed_by.as_deref() == Some(me) => (2, (since, Reverse(0))),
            row if row.waiting_since.is_some() => (3, (since, Reverse(0))),
            _ => (4, (since, Reverse(0))),
        };
        (class, time, &row.call)
    });
    list
}

/// Something in the transcript.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry<'a> {
    /// A line.
    Line(&'a LineView),
    /// A stretch that nobody heard.
    Gap {
        /// On which track; none for both.
        track: Option<Track>,
        /// How long, in milliseconds.
        ms: u64,
        /// Why.
        why: Lack,
    },
}

/// Where something stands in the transcript: by its time where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said<'a> {
    /// Names it, however it grows.
    pub id: u64,
    /// Milliseconds since the first audio, where it is known.
    pub at_ms: Option<u64>,
    /// What.
    pub entry: Entry<'a>,
}

/// The transcript in the order of time; lines that were taken back are left out.
pub fn talk(view: &CallView) -> Vec<Said<'_>> {
    let mut lines: Vec<&LineView> = Vec::new();
    let mut said: Vec<(u64, usize, Said<'_>)> = Vec::new();
    for event in view.events() {
        match &event.happening {
            Happening::Line(line) => lines.push(line),
            Happening::Gap { track, from_ms, to_ms, why } => {
                let entry = Entry::Gap { track: *track, ms: to_ms.saturating_sub(*from_ms), why: *why };
                said.push((*from_ms, 0, Said { id: event.seq * 2 + 1, at_ms: Some(*from_ms), entry }));
            }
            _ => {}
        }
    }
    lines.sort_by_key(|line| line.index);
    let (mut last, mut id) = (0, 0);
    for line in lines.into_iter().filter(|line| !line.text.is_empty()) {
        // A line without a time stands behind the one before it.
        last = line.at_ms.unwrap_or(last);
        id = u64::try_from(line.index).unwrap_or(id) * 2;
        said.push((last, line.index + 1, Said { id, at_ms: line.at_ms, entry: Entry::Line(line) }));
    }
    said.sort_by_key(|(at, index, _)| (*at, *index));
    said.into_iter().map(|(.., said)| said).collect()
}

/// What is offered to be said, or was said by a bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Face<'a> {
    /// A suggestion.
    Card(&'a CardView),
    /// One that failed, with what had been written.
    Failed {
        /// What had been written.
        text: &'a str,
        /// What failed.
        cause: &'a str,
    },
    /// A bot's answer.
    Answer {
        /// What is said.
        text: &'a str,
        /// Whether it is all of it.
        done: bool,
        /// Whether a manual's row was found.
        rag_hit: bool,
        /// That row's score.
        score: Option<f64>,
        /// Whether it was found by the equipment of somebody who isn't confirmed.
        unconfirmed: bool,
        /// How it ended, where it didn't end well: empty where it was superseded.
        ending: Option<&'a str>,
    },
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown<'a> {
    /// Of which turn.
    pub turn: TurnId,
    /// What marks call it.
    pub id: String,
    /// What it is.
    pub face: Face<'a>,
    /// What this operator made of it.
    pub mark: Option<Verdict>,
}

/// All that stand, oldest first; those that `me` put aside are left out.
pub fn faces<'a>(view: &'a CallView, call: &CallId, me: &str) -> Vec<Shown<'a>> {
    let mut shown: Vec<Shown<'a>> =
        view.events().filter_map(|event| face(view, call, &event.happening)).collect();
    for one in &mut shown {
        if let Some(Happening::Marked { verdict, .. }) = view.of(&Key::Mark(one.id.clone(), me.to_owned())) {
            one.mark = Some(*verdict);
        }
    }
    shown.retain(|one| one.mark != Some(Verdict::Dismissed));
    shown.sort_by_key(|one| one.turn);
    shown
}

fn face<'a>(view: &'a CallView, call: &CallId, happening: &'a Happening) -> Option<Shown<'a>> {
    let (turn, id, face) = match happening {
        Happening::Suggestion(card) => (card.turn, card.suggestion_id.clone(), Face::Card(card)),
        Happening::SuggestionFailed { suggestion_id, text, cause, .. } => {
            let turn = turn(suggestion_id).unwrap_or(TurnId(u32::MAX));
            (turn, suggestion_id.clone(), Face::Failed { text, cause })
        }
        Happening::Answer { turn, text, done, rag_hit, rag_score, unconfirmed } => {
            let ending = view.of(&Key::Ending(*turn)).map(|ending| match ending {
                Happening::AnswerFailed { text, .. } => text.as_str(),
                _ => "",
            });
            let (done, rag_hit, score, unconfirmed) = (*done, *rag_hit, *rag_score, *unconfirmed);
            let face = Face::Answer { text, done, rag_hit, score, unconfirmed, ending };
            (*turn, format!("{call}/{turn}"), face)
        }
        _ => return None,
    };
    Some(Shown { turn, id, face, mark: None })
}

/// The newest card that was withdrawn, or that `me` put aside.
pub fn last_gone(view: &CallView, me: &str) -> Option<TurnId> {
    let gone = view.events().filter_map(|event| match &event.happening {
        Happening::SuggestionWithdrawn { suggestion_id, .. } => turn(suggestion_id),
        Happening::Marked { suggestion_id, by, verdict: Verdict::Dismissed } if by == me => {
            turn(suggestion_id)
        }
        _ => None,
    });
    gone.max()
}

/// A card is named `<call>/<turn>`.
fn turn(id: &str) -> Option<TurnId> {
    id.rsplit('/').next().and_then(|turn| turn.parse().ok()).map(TurnId)
}

/// The last word about a suggestion that isn't shown, and when it was told (ms since 1970).
pub fn gone(view: &CallView) -> Option<(u64, &Happening)> {
    let last = view.events().rev().find(|event| {
        matches!(
            event.happening,
            Happening::Suggestion(_)
                | Happening::SuggestionFailed { .. }
                | Happening::SuggestionWithdrawn { .. }
                | Happening::SuggestionRepeated { .. }
                | Happening::SuggestionWithheld { .. }
        )
    })?;
    let stands = matches!(last.happening, Happening::Suggestion(_) | Happening::SuggestionFailed { .. });
    (!stands).then_some((last.at, &last.happening))
}

/// The alerts, newest first.
pub fn alerts(view: &CallView) -> Vec<(RedFlag, &str)> {
    let flags = view.events().rev().filter_map(|event| match &event.happening {
        Happening::RedFlag { flag, text, .. } => Some((*flag, text.as_str())),
        _ => None,
    });
    flags.collect()
}

/// What was written down of the call.
pub fn summaries(view: &CallView) -> Vec<(Of, By, &str)> {
    let of = |of| match view.of(&Key::Summary(of)) {
        Some(Happening::Summary { of, by, text }) => Some((*of, *by, text.as_str())),
        _ => None,
    };
    [Of::After, Of::HandOver].into_iter().filter_map(of).collect()
}

/// Whether the call is over.
pub fn is_over(view: &CallView) -> bool {
    matches!(view.of(&Key::One("peer")), Some(Happening::Closed))
}

/// What was taken down.
pub fn fields(view: &CallView) -> &[FieldShown] {
    match view.of(&Key::One("captured")) {
        Some(Happening::Captured { fields }) => fields,
        _ => &[],
    }
}

/// The script's steps.
pub fn steps(view: &CallView) -> &[StepShown] {
    match view.of(&Key::One("script")) {
        Some(Happening::Script { steps, .. }) => steps,
        _ => &[],
    }
}

/// What a search by hand found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<'a> {
    /// What was searched.
    pub query: &'a str,
    /// Nearest first.
    pub rows: &'a [SearchRow],
    /// Why there are none, where the search failed.
    pub failed: Option<&'a str>,
}

/// The last search of the call.
pub fn found(view: &CallView) -> Option<Found<'_>> {
    view.events().rev().find_map(|event| match &event.happening {
        Happening::Searched { query, rows, failed, .. } => {
            Some(Found { query, rows, failed: failed.as_deref() })
        }
        _ => None,
    })
}
