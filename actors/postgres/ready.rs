//! Whether the cluster answers, and its one database.
#![allow(
    clippy::disallowed_methods,
    reason = "the two statements that make the database which store/ works in"
)]

use std::path::Path;
use std::time::Duration;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, Error, NoTls};

use super::{NAME, PostgresError};

/// One attempt to connect may take this long.
const CONNECT: Duration = Duration::from_secs(5);

/// How to reach the database `dbname` behind the socket in `dir`.
pub(super) fn config(dir: &Path, dbname: &str) -> Config {
    let mut config = Config::new();
    config.host_path(dir).port(5432).user(NAME).dbname(dbname).connect_timeout(CONNECT);
    config.application_name("aura");
    config
}

/// One attempt: does Aura's database let us in?
pub(super) async fn answers(dir: &Path) -> Result<(), Error> {
    with_client(dir, NAME, async |_| Ok(())).await
}

/// One attempt to connect, and Aura's database made if it is missing. `Ok(Err(_))` when Postgres answers but
/// refuses; `Err(_)` when it doesn't answer yet.
pub(super) async fn ensure_database(dir: &Path) -> Result<Result<(), PostgresError>, Error> {
    let made = with_client(dir, "postgres", async |client| {
        let here = client.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&NAME]).await?;
        if here.is_some() {
            return Ok(());
        }
        client.batch_execute(&format!("CREATE DATABASE {NAME}")).await
    })
    .await;
    match made {
        Ok(()) => Ok(Ok(())),
        Err(error) if not_yet(&error) => Err(error),
        Err(error) => {
            let said = error.as_db_error().map_or_else(|| error.to_string(), |db| db.message().to_owned());
            Ok(Err(PostgresError::Refused { doing: "to open the database aura", said }))
        }
    }
}

/// No socket yet, starting up, or recovering after a crash.
fn not_yet(error: &Error) -> bool {
    let starting = [SqlState::CANNOT_CONNECT_NOW, SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
    error.code().is_none_or(|code| starting.contains(code))
}

async fn with_client<T>(
    dir: &Path,
    dbname: &str,
    work: impl AsyncFnOnce(&Client) -> Result<T, Error>,
) -> Result<T, Error> {
    let (client, connection) = config(dir, dbname).connect(NoTls).await?;
    let link = tokio::spawn(connection);
    let done = work(&client).await;
    drop(client);
    // The session has left the server before we go on, so that it is in nobody's way.
    let _ = link.await;
    done
}
