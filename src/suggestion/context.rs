//! The copilot's two blocks for a turn, before the turn itself in the last message (E5, E6).
//!
//! The document is told as captured and never by its digits (S4). Equipment is what the patient named: what
//! the patients' system has on file has no way in here (R20).
use crate::capture::{Captured, Datum, Field};
use crate::identity::{Held, State};
use crate::mask::mask;
use crate::phrases::desk::{
    self, CAPTURED_HEADER, DATUM_AGAIN, DOCUMENT_AGAIN, DOCUMENT_CONFIRMED, DOCUMENT_GIVEN,
    SUGGESTIONS_HEADER, TELEPHONE_GIVEN,
};

/// Earlier suggestions that are told, the newest.
pub const LAST: usize = 3;

/// Characters of a line of a block.
const LINE: usize = 300;

/// What is known of the caller's document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Document {
    /// Nothing.
    #[default]
    Unknown,
    /// It must be asked for again: the extractors disagree, or a digit is missing (DECISIONS 22).
    AskAgain,
    /// Given, and not confirmed (S5).
    Given,
    /// Confirmed.
    Confirmed,
}

impl Document {
    /// What an identity amounts to. `ask_again`: its last change asked for the number again.
    pub fn of(held: Option<&Held>, ask_again: bool) -> Self {
        match held.map(Held::state) {
            Some(State::Confirmed) => Self::Confirmed,
            _ if ask_again => Self::AskAgain,
            Some(State::Given | State::ReadBack) => Self::Given,
            None => Self::Unknown,
        }
    }
}

/// Both blocks that have something to say, in their order.
pub fn blocks(document: Document, captured: &Captured, previous: &[&str]) -> Vec<String> {
    self::captured(document, captured).into_iter().chain(suggestions(previous)).collect()
}

/// `[DATOS DEL PACIENTE — YA CAPTURADOS]`; none where nothing was taken down.
pub fn captured(document: Document, captured: &Captured) -> Option<String> {
    let document = match document {
        Document::Unknown => None,
        Document::AskAgain => Some(DOCUMENT_AGAIN.es),
        Document::Given => Some(DOCUMENT_GIVEN.es),
        Document::Confirmed => Some(DOCUMENT_CONFIRMED.es),
    };
    let fields = [Field::Name, Field::Reason, Field::Equipment, Field::Code];
    let told = fields.into_iter().filter_map(|field| {
        let values: Vec<&str> = captured.values(field).map(Datum::value).collect();
        let again = if captured.in_doubt(field) { format!(" {}", DATUM_AGAIN.es) } else { String::new() };
        (!values.is_empty()).then(|| format!("{}: {}{again}", desk::field(field).es, values.join(", ")))
    });
    let telephone = captured.telephone().map(|_| TELEPHONE_GIVEN.es.to_owned());
    let lines = document.map(str::to_owned).into_iter().chain(told).chain(telephone);
    block(CAPTURED_HEADER, lines)
}

/// `[TUS SUGERENCIAS ANTERIORES]`: the last three that the operator saw whole, the oldest first.
pub fn suggestions(previous: &[&str]) -> Option<String> {
    let from = previous.len().saturating_sub(LAST);
    block(SUGGESTIONS_HEADER, previous[from..].iter().map(|text| (*text).to_owned()))
}

fn block(header: &str, lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| format!("- {}", plain(&line))).collect();
    (!lines.is_empty()).then(|| format!("{header}\n{}", lines.join("\n")))
}

/// One line, masked, bounded, and without brackets: what somebody says is never a block.
fn plain(text: &str) -> String {
    let bare: String = text.chars().map(|c| if matches!(c, '[' | ']') { ' ' } else { c }).collect();
    let folded = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    mask(&folded).chars().take(LINE).collect()
}
