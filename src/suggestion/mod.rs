//! What an operator is told to say: when (E8, E9), with which blocks before the model, and the life of each card.
//!
//! [`Debounce`] says when the patient has stopped speaking, [`decide`] whether that is worth a suggestion,
//! [`context`] what the model is told beside the manual, [`Deck`] which cards the desk sees.
mod card;
pub mod context;
mod debounce;
mod deck;
mod partial;
mod repeat;
mod request;
mod silence;

pub use card::{Card, Change, Face, Gone, Label, State, SuggestionId};
pub use debounce::{Debounce, Heard, LONGEST_WAIT, Pace, Rung, Utterance};
pub use deck::{Deck, Kept, Opening};
pub use partial::showable;
pub use repeat::same;
pub use request::{Request, Standing, Wanted};
pub use silence::{Cause, Decision, Mode, Reason, Situation, decide, is_data};
