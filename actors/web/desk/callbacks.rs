//! Who is to be called back: the list, the telephone on record, and that it was done.
use super::acts::{Acts, Not, Outcome};
use crate::desk::{Serve, callback_shown};
use crate::store::StoreError;
use aura::account::Permission;
use aura::audit::{Act, Action};
use aura::ids::CallId;
use aura::protocol::desk::{Message as Told, Refusal};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;

impl Acts {
    pub(super) async fn callbacks(&self) -> Outcome {
        self.may(Permission::ActOnCalls)?;
        let rows = self.tools.store.pending_callbacks().await.map_err(away)?;
        self.said(Told::Callbacks { rows: rows.iter().filter_map(callback_shown).collect() })
    }

    pub(super) async fn see_telephone(&self, callback: &str) -> Outcome {
        self.may(Permission::ActOnCalls)?;
        let id = Uuid::parse_str(callback).map_err(|_| Refusal::Unknown)?;
        let row = self.tools.store.pending_callback(id).await.map_err(away)?.ok_or(Refusal::Unknown)?;
        let act = Act {
            by: self.who.by(),
            action: Action::TelephoneShown,
            patient: None,
            call: CallId::parse(&row.call).ok(),
            detail: json!({ "callback": id }),
        };
        self.tools.desks.note(act).await?;
        self.said(Told::Telephone { callback: callback.to_owned(), telephone: row.phone })
    }

    pub(super) async fn callback_done(&self, callback: &str) -> Outcome {
        self.may(Permission::ActOnCalls)?;
        let id = Uuid::parse_str(callback).map_err(|_| Refusal::Unknown)?;
        let settled = self.tools.store.settle_callback(id, &self.who.by()).await.map_err(away)?;
        self.tools.serve.do_send(Serve::CalledBack);
        if settled { Ok(true) } else { Err(Refusal::Unknown.into()) }
    }
}

fn away(error: StoreError) -> Not {
    warn!(%error, "a call back can't be read or settled");
    Refusal::Unavailable.into()
}
