//! The responder without a model: it quotes the manual's row, asks which equipment, or says the
//! channel's sentence. Nothing it says is its own (no account needed).
use super::{Llm, LlmError, Piece};
use aura::generation::{Grounding, Request, Usage};
use aura::phrases;
use aura::quote::quote;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

/// Quotes; has no model.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalResponder;

impl Llm for LocalResponder {
    fn name(&self) -> &'static str {
        "local"
    }

    fn model(&self) -> &str {
        "quote"
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<Piece, LlmError>> {
        let sentences = match request.grounding {
            Grounding::Rows(rows) => rows.first().map(quote).unwrap_or_default(),
            Grounding::AskEquipment => vec![phrases::ASK_EQUIPMENT.es.to_owned()],
            Grounding::Farewell => vec![phrases::FAREWELL.es.to_owned()],
            Grounding::Reminder => vec![phrases::REMINDER.es.to_owned()],
            Grounding::Nothing => Vec::new(),
        };
        let sentences = if sentences.is_empty() { vec![request.holding.to_owned()] } else { sentences };
        let pieces = sentences.into_iter().map(|sentence| Ok(Piece::Delta(format!("{sentence} "))));
        stream::iter(pieces).chain(stream::iter([Ok(Piece::Finished(Usage::default()))])).boxed()
    }
}
