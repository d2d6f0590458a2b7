//! Why the database didn't do what was asked, and what helps.
use super::StoreConfig;
use deadpool_postgres::PoolError;
use std::error::Error;

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
    /// A statement failed.
    #[error("database statement failed: {0}")]
    Sql(String),
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
    pub(super) fn unreachable(config: &StoreConfig, error: &PoolError) -> Self {
        match error {
            PoolError::Timeout(deadpool_postgres::TimeoutType::Wait) => Self::Busy,
            other => Self::Unreachable { at: config.shown(), why: chain(other) },
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(describe(&error))
    }
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
