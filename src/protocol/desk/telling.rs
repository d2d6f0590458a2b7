//! What the engine's news are for a watcher.
use super::happening::{CardView, FieldShown, Happening, HeldShown, LineView, StepShown};
use crate::channel::Channel;
use crate::event::News;
use crate::script;
use crate::suggestion::{Change, Face};

impl Happening {
    /// What the engine's news are for a watcher.
    pub fn of(news: &News, channel: Channel) -> Self {
        match news.clone() {
            News::Opened => Self::Opened { source: channel },
            News::Heard { index, speaker, text, place } => Self::Line(LineView {
                index,
                speaker,
                text,
                track: place.map(|place| place.track),
                at_ms: place.map(|place| place.at_ms),
                partial: place.is_some_and(|place| place.partial),
            }),
            News::Gap(gap) => {
                Self::Gap { track: gap.track, from_ms: gap.from_ms, to_ms: gap.to_ms, why: gap.why }
            }
            News::Hold { on } => Self::Hold { on },
            News::OneVoice => Self::OneVoice,
            News::Extension { extension } => Self::Extension { extension },
            News::Answer { turn, text, done, rag_hit, rag_score, unconfirmed } => {
                Self::Answer { turn, text, done, rag_hit, rag_score, unconfirmed }
            }
            News::Aborted { turn } => Self::AnswerAborted { turn },
            News::Failed { turn, detail } => Self::AnswerFailed { turn, text: detail.to_owned() },
            News::RedFlag { index, flag, text } => Self::RedFlag { index, flag, text },
            News::Identity { change, held } => {
                let held = held.map(|held| HeldShown {
                    dni: held.dni().to_string(),
                    source: held.source(),
                    state: held.state(),
                });
                Self::Identity { change: change.to_owned(), held }
            }
            News::LookUp { progress, outage, source, models, cached } => Self::LookUp {
                progress,
                outage,
                source: source.map(str::to_owned),
                models: models.len(),
                cached,
            },
            News::Suggestion(change) => change.into(),
            News::Withheld { reason, cause } => Self::SuggestionWithheld { reason, cause: cause.to_owned() },
            News::Script(view) => Self::script(view),
            News::Captured { fields } => {
                let fields = fields.0.into_iter().map(|field| FieldShown {
                    field: field.field,
                    label: field.label.to_owned(),
                    values: field.values,
                    typed: field.typed,
                    confirmed: field.confirmed,
                    in_doubt: field.in_doubt,
                });
                Self::Captured { fields: fields.collect() }
            }
            News::Claimed { by, mode } => Self::Claimed { by: by.map(|by| by.0), mode },
            News::Searched { search, query, rows, failed } => {
                Self::Searched { search, query, rows, failed: failed.map(str::to_owned) }
            }
            News::Summary(note) => Self::Summary { of: note.of, by: note.by, text: note.summary.text },
            News::Lost => Self::Lost,
            News::Closed => Self::Closed,
        }
    }

    fn script(view: script::View) -> Self {
        let steps = view.steps.into_iter().map(|step| StepShown {
            step: step.step,
            label: step.label.to_owned(),
            progress: step.progress,
        });
        Self::Script { open: view.open, corrected: view.corrected, steps: steps.collect() }
    }
}

impl From<Change> for Happening {
    fn from(change: Change) -> Self {
        match change {
            Change::Shown(face) => Self::Suggestion((*face).into()),
            Change::Failed { suggestion_id, created_at, text, cause } => Self::SuggestionFailed {
                suggestion_id: suggestion_id.to_string(),
                created_at,
                text,
                cause: cause.to_owned(),
            },
            Change::Withdrawn { suggestion_id, reason, cause } => Self::SuggestionWithdrawn {
                suggestion_id: suggestion_id.to_string(),
                reason,
                cause: cause.to_owned(),
            },
            Change::Repeated { suggestion_id, of } => {
                Self::SuggestionRepeated { suggestion_id: suggestion_id.to_string(), of: of.to_string() }
            }
        }
    }
}

impl From<Face> for CardView {
    fn from(face: Face) -> Self {
        Self {
            suggestion_id: face.suggestion_id.to_string(),
            turn: face.turn,
            created_at: face.created_at,
            text: face.text,
            done: face.done,
            confidence: face.confidence,
            rag_hit: face.rag_hit,
            rag_score: face.rag_score,
            source: face.source,
            section: face.section,
            identity: face.identity,
            cause: face.cause.to_owned(),
            quote: face.quote,
        }
    }
}
