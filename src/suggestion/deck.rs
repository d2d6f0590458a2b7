//! The cards of one call: at most one is written, at most one stands, the last three are remembered (E6, E9).
use super::card::{Card, Change, Gone, Label, State, SuggestionId};
use super::context::LAST;
use super::repeat::{may_become, same};
use super::request::{Request, Standing, Wanted};
use super::silence::Cause;
use crate::equipment::Catalogue;
use crate::generation::FailureKind;
use crate::ids::{CallId, TurnId};
use crate::mask::mask;
use crate::retrieval::report::Rag;
use crate::transcript::Turn;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Every so many chunks of the model's stream the desk sees a partial (E9).
const CHUNKS: u32 = 4;

/// Characters of the patient's words that a card quotes.
const QUOTE: usize = 160;

/// What a card begins with.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Whose call.
    pub call: &'a CallId,
    /// Which turn; a call has one card a turn.
    pub turn: TurnId,
    /// Now, in milliseconds since 1970.
    pub created_at: u64,
    /// Why it is made.
    pub cause: Cause,
    /// The patient's words that it answers.
    pub question: &'a str,
    /// Whether the caller's identity is confirmed (S5).
    pub identity: Label,
}

/// What a rebuilt call must know of a card that came to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    suggestion_id: SuggestionId,
    turn: TurnId,
    created_at: u64,
    cause: Cause,
    quote: String,
    identity: Label,
    rag: Rag,
    text: String,
    /// Whether it stood on the desk.
    shown: bool,
    answered: bool,
}

/// The cards of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deck {
    writing: Option<Card>,
    /// Those that came to their end whole and weren't repetitions, the newest last.
    last: VecDeque<Card>,
    /// The last one that was a repetition.
    repeated: Option<Card>,
}

impl Deck {
    /// What to keep of the last cards. One that was being written ends with the process.
    pub fn kept(&self) -> Vec<Kept> {
        let kept = |card: &Card| Kept {
            suggestion_id: card.id.clone(),
            turn: card.turn,
            created_at: card.created_at,
            cause: card.cause,
            quote: card.quote.clone(),
            identity: card.identity,
            rag: card.rag.clone(),
            text: card.text.clone(),
            shown: card.seen.is_some(),
            answered: matches!(card.request.as_ref().map(Request::standing), Some(Standing::Answered(_))),
        };
        self.last.iter().map(kept).collect()
    }

    /// The deck of a rebuilt call.
    pub fn resume(kept: Vec<Kept>) -> Self {
        let card = |kept: Kept| {
            let mut request = Request::of(&kept.text);
            if let Some(request) = request.as_mut().filter(|_| kept.answered) {
                request.settle(request.wanted());
            }
            Card {
                id: kept.suggestion_id,
                turn: kept.turn,
                created_at: kept.created_at,
                cause: kept.cause,
                quote: kept.quote,
                identity: kept.identity,
                rag: kept.rag,
                seen: kept.shown.then(|| kept.text.clone()),
                text: kept.text,
                chunks: 0,
                state: State::Done,
                request,
            }
        };
        Self { last: kept.into_iter().map(card).collect(), ..Self::default() }
    }

    /// What stands, once more: for a desk that has forgotten it.
    pub fn again(&mut self) -> Vec<Change> {
        self.last.iter_mut().filter_map(Card::again).collect()
    }

    /// The card of a turn that came to its end whole.
    pub fn card(&self, turn: TurnId) -> Option<&Card> {
        self.last.iter().chain(&self.repeated).rev().find(|card| card.turn == turn)
    }

    /// The identity is confirmed: cards that were made with it lose their label (S5).
    pub fn confirmed(&mut self) -> Vec<Change> {
        let cards = self.writing.iter_mut().chain(&mut self.last);
        let labelled = cards.filter(|card| card.identity == Label::Unconfirmed);
        let shown = labelled.filter_map(|card| {
            card.identity = Label::Confirmed;
            card.again()
        });
        shown.collect()
    }

    /// The card that is being written.
    pub fn writing(&self) -> Option<&Card> {
        self.writing.as_ref()
    }

    /// The newest card that is whole.
    pub fn newest(&self) -> Option<&Card> {
        self.last.back()
    }

    /// Texts of the last three, the oldest first: for `[TUS SUGERENCIAS ANTERIORES]`.
    pub fn previous(&self) -> Vec<&str> {
        self.last.iter().map(Card::text).collect()
    }

    /// Where the copilot's own request stands: the newest among its last three.
    pub fn own_request(&self) -> Standing {
        let request = self.last.iter().rev().find_map(Card::request);
        request.map(Request::standing).unwrap_or_default()
    }

    /// A suggestion is begun. One that was being written is overtaken; a second one for the same turn isn't.
    pub fn begin(&mut self, opening: &Opening<'_>) -> Option<Change> {
        if self.writing.as_ref().is_some_and(|card| card.turn == opening.turn) {
            return None;
        }
        let overtaken = self.abort(Gone::Overtaken);
        let quote = mask(opening.question).chars().take(QUOTE).collect();
        self.writing = Some(Card {
            id: SuggestionId::of(opening.call, opening.turn),
            turn: opening.turn,
            created_at: opening.created_at,
            cause: opening.cause,
            quote,
            identity: opening.identity,
            rag: Rag::default(),
            text: String::new(),
            seen: None,
            chunks: 0,
            state: State::Writing,
            request: None,
        });
        overtaken
    }

    /// How the manuals answered: known before the model's first word (E2).
    pub fn grounded(&mut self, rag: &Rag) {
        if let Some(card) = &mut self.writing {
            card.rag = rag.clone();
        }
    }

    /// A whole sentence that may leave (S2), or what takes its place.
    pub fn released(&mut self, sentence: &str) {
        let Some(card) = self.writing.as_mut().filter(|_| !sentence.is_empty()) else { return };
        if !card.text.is_empty() {
            card.text.push(' ');
        }
        card.text.push_str(&mask(sentence));
    }

    /// One more chunk came; `running` gives what may be seen of the sentence that is being written
    /// ([`super::showable`]) and is asked every fourth time only. Nothing is shown that may yet turn out to
    /// repeat an earlier card, or that was shown already.
    pub fn chunk(&mut self, running: impl FnOnce() -> String) -> Vec<Change> {
        let Some(card) = &mut self.writing else { return Vec::new() };
        card.chunks = card.chunks.saturating_add(1);
        if card.chunks % CHUNKS != 0 {
            return Vec::new();
        }
        let text = joined(&card.text, &running());
        let seen = card.seen.as_deref() == Some(text.as_str());
        if text.is_empty() || seen || self.last.iter().any(|old| may_become(&text, &old.text)) {
            return Vec::new();
        }
        let shown = card.shown(text);
        self.replacing(shown)
    }

    /// The model is done: the card is whole, unless it repeats one of the last three.
    pub fn finish(&mut self) -> Vec<Change> {
        if self.writing.as_ref().is_some_and(|card| card.text.is_empty()) {
            return self.fail(FailureKind::Upstream).into_iter().collect();
        }
        let Some(mut card) = self.writing.take() else { return Vec::new() };
        if let Some(of) = self.last.iter().rev().find(|old| same(&old.text, &card.text)) {
            let repeated = Change::Repeated { suggestion_id: card.id.clone(), of: of.id.clone() };
            let changes = card.withdraw(Gone::Repeated).into_iter().chain([repeated]).collect();
            self.repeated = Some(card);
            return changes;
        }
        card.state = State::Done;
        card.request = Request::of(&card.text);
        let text = card.text.clone();
        let shown = card.shown(text);
        let changes = self.replacing(shown);
        self.last.push_back(card);
        let over = self.last.len().saturating_sub(LAST);
        self.last.drain(..over);
        changes
    }

    /// The model failed: shown, never silent (E9).
    pub fn fail(&mut self, kind: FailureKind) -> Option<Change> {
        self.writing.take().map(|mut card| card.failed(kind))
    }

    /// What is being written is given up; its withdrawal, if the desk has seen some of it.
    pub fn abort(&mut self, reason: Gone) -> Option<Change> {
        self.writing.take().and_then(|mut card| card.withdraw(reason))
    }

    /// All that stands is taken away: an emergency, a call let go, the end.
    pub fn clear(&mut self, reason: Gone) -> Vec<Change> {
        let aborted = self.abort(reason);
        let standing = self.last.iter_mut().filter_map(|card| card.withdraw(reason));
        aborted.into_iter().chain(standing).collect()
    }

    /// A final line of either side: a card whose request it answers is withdrawn.
    pub fn heard(&mut self, line: &Turn, catalogue: &Catalogue) -> Vec<Change> {
        self.answering(|request| request.heard(line, catalogue))
    }

    /// What was asked for is known by other ways, e.g. the operator typed it.
    pub fn settle(&mut self, wanted: Wanted) -> Vec<Change> {
        self.answering(|request| request.settle(wanted))
    }

    fn answering(&mut self, mut answered: impl FnMut(&mut Request) -> bool) -> Vec<Change> {
        let cards = self.last.iter_mut();
        let hit = cards.filter_map(|card| answered(card.request.as_mut()?).then_some(card));
        hit.filter_map(|card| card.withdraw(Gone::Answered)).collect()
    }

    /// The newer card, after the ones that it takes the place of were withdrawn.
    fn replacing(&mut self, newer: Change) -> Vec<Change> {
        let older = self.last.iter_mut().filter(|card| card.seen.is_some());
        let mut changes: Vec<Change> = older.filter_map(|card| card.withdraw(Gone::Newer)).collect();
        changes.push(newer);
        changes
    }
}

fn joined(text: &str, running: &str) -> String {
    match (text.is_empty(), running.is_empty()) {
        (true, _) => running.to_owned(),
        (_, true) => text.to_owned(),
        _ => format!("{text} {running}"),
    }
}
