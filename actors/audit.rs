//! Puts acts on record: on local disk before anything is shown or answered, in the chained trail of the
//! database in order (DECISIONS 23).
use crate::journal::{Accept, Entry, Fact, NotKept};
use actix::prelude::*;
use aura::audit::{Act, Disclosure};

/// Why an act isn't on record.
#[derive(Debug, thiserror::Error)]
pub enum NotOnRecord {
    /// The journal can't keep it.
    #[error("the act can't be put on record: {0}")]
    NotKept(#[from] NotKept),
    /// The journal is gone.
    #[error("the act can't be put on record: the journal has stopped")]
    Stopped,
}

/// Puts an act on record; it is on local disk when this returns. Whoever can't do so doesn't act.
pub async fn note(journal: &Recipient<Accept>, act: Act) -> Result<(), NotOnRecord> {
    let kept = journal.send(Accept(Entry::now(Fact::Act(act)))).await;
    kept.map_err(|_| NotOnRecord::Stopped)?.map_err(NotOnRecord::from)
}

/// Puts a look at a patient's equipment on record, and only then gives out the key to it.
pub async fn disclose(journal: &Recipient<Accept>, look: Act) -> Result<Option<Disclosure>, NotOnRecord> {
    note(journal, look.clone()).await?;
    Ok(Disclosure::of(&look))
}
