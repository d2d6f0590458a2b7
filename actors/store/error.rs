//! Why the database didn't do what was asked, and what helps.
use super::StoreConfig;
use deadpool_postgres::PoolError;
use std::error::Error;
use tokio_postgres::error::SqlState;

/// A failure of the store. The text is safe to log: no password, and no value of a row.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address can't be understood, or asks for what isn't there.
    #[error("database address refused: {0}")]
    Config(String),
    /// No connection.
    #[error("database not reachable at {at}: {why}; check DATABASE_URL and that Postgres runs")]
    Unreachable {
        /// Host and database, without the password.
        at: String,
        /// What was answered.
        why: String,
    },
    /// All connections are in use.
    #[error("database busy: no connection came free within 2 s; retry, or raise the pool's size")]
    Busy,
    /// The server refused a statement.
    #[error("database statement failed: {0}")]
    Sql(String),
    /// The values themselves are at fault: they would be refused again.
    #[error("database refused the data: {0}")]
    Refused(String),
    /// The server took too long, ran out of something, or is gone.
    #[error("database in trouble: {0}; check that Postgres runs and what it waits for")]
    Outage(String),
    /// pgvector isn't there and may not be installed by this user.
    #[error(
        "extension 'vector' is missing and could not be created ({why}); ask the administrator to install pgvector \
         and run in this database: CREATE EXTENSION vector;"
    )]
    NoVector {
        /// What was answered.
        why: String,
    },
    /// A migration failed, or the database is newer than this program.
    #[error("migration failed: {0}; restore the backup or run the version of aura that made this database")]
    Migration(String),
    /// Vectors of another model (DECISIONS 2).
    #[error(
        "the base was embedded with '{base}' ({base_dims} dimensions) but the embedder is '{embedder}' \
         ({embedder_dims}); run `aura reembed`, or configure the former embedder"
    )]
    ModelMismatch {
        /// The model of the stored vectors.
        base: String,
        /// Its dimensions.
        base_dims: usize,
        /// The model that is configured.
        embedder: String,
        /// Its dimensions.
        embedder_dims: usize,
    },
    /// The audit trail's head is gone or unreadable: nothing can be chained to it.
    #[error(
        "the audit trail has no head (table audit_head): restore it from the backup, then run `aura audit verify`"
    )]
    NoTrail,
    /// No such version of a prompt.
    #[error("prompt '{key}' has no version '{version}'; it has: {known}")]
    NoPrompt {
        /// The prompt.
        key: String,
        /// What was asked for.
        version: String,
        /// The versions that exist, or `none`.
        known: String,
    },
}

impl StoreError {
    /// Whether it speaks against the database, not against a statement or our own pool: what a breaker counts.
    pub const fn is_outage(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Outage(_))
    }

    pub(super) fn unreachable(config: &StoreConfig, error: &PoolError) -> Self {
        match error {
            PoolError::Timeout(deadpool_postgres::TimeoutType::Wait) => Self::Busy,
            other => Self::Unreachable { at: config.shown(), why: chain(other) },
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        // Classes 22 (data exception) and 23 (integrity constraint violation).
        let of_class = |class: &str| error.code().is_some_and(|code| code.code().starts_with(class));
        match error.code().is_none_or(is_outage) {
            true => Self::Outage(describe(&error)),
            false if of_class("22") || of_class("23") => Self::Refused(describe(&error)),
            false => Self::Sql(describe(&error)),
        }
    }
}

/// SQLSTATE classes that speak of the server, not of the statement: connection, resources, operator's
/// intervention (a statement's time-out too), system, internal.
fn is_outage(code: &SqlState) -> bool {
    ["08", "53", "57", "58", "XX"].iter().any(|class| code.code().starts_with(class))
}

/// What the server said, without its DETAIL: that quotes rows.
pub(super) fn describe(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} (SQLSTATE {})", db.message(), db.code().code()),
        None => chain(error),
    }
}

/// An error with its causes, each said once.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = inner.source();
    }
    text
}
