//! What an operator says a suggestion was worth: kept, so that it can teach later.
use super::acts::{Acts, Outcome};
use crate::audit::NotOnRecord;
use crate::desk::Serve;
use crate::journal::{Accept, Entry, Fact};
use crate::web::calls::NotDone;
use aura::account::Permission;
use aura::event::{Event, Kind};
use aura::ids::{CallId, TurnId};
use aura::mask::mask;
use aura::protocol::desk::{Happening, Refusal, Verdict};
use serde_json::json;

impl Acts {
    pub(super) async fn mark(
        &self,
        call: CallId,
        suggestion_id: String,
        verdict: Verdict,
        note: Option<String>,
    ) -> Outcome {
        self.may(Permission::ActOnCalls)?;
        let turn = suggestion_id.strip_prefix(call.as_str()).and_then(|rest| rest.strip_prefix('/'));
        let turn = turn.and_then(|turn| turn.parse().ok()).map(TurnId).ok_or(Refusal::Unknown)?;
        let source = self.tools.desks.source_of(&call).await.ok_or(Refusal::Unknown)?;
        let note = note.as_deref().map(mask);
        let event = Event {
            kind: Kind::SuggestionMarked,
            call: call.clone(),
            source,
            turn,
            agent: Some(self.operator.clone()),
            payload: json!({
                "suggestionId": suggestion_id, "verdict": verdict.as_str(), "note": note, "by": self.who.by(),
            }),
        };
        let kept = self.tools.desks.journal.send(Accept(Entry::now(Fact::Event(event)))).await;
        match kept {
            Ok(Ok(())) => {
                metrics::counter!("aura_suggestions_marked_total", "source" => source.as_str(), "verdict" => verdict.as_str())
                    .increment(1);
            }
            Ok(Err(error)) => return Err(NotDone::Unkept(NotOnRecord::from(error)).into()),
            Err(_) => return Err(Refusal::Unavailable.into()),
        }
        let by = self.operator.0.clone();
        let happening = Box::new(Happening::Marked { suggestion_id, by, verdict });
        self.tools.serve.do_send(Serve::Note { call, happening });
        Ok(true)
    }
}
