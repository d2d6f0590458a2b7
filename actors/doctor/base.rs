//! The base: reachable, of the right shape, and filled with what the configured embedder can search.
use super::{Check, models};
use crate::base::{self, Base};
use crate::config::{Config, Database};
use crate::embed::{Embedder, Purpose};
use crate::postgres::{Standing, standing};
use crate::store::{Schema, Store, StoreError, VectorCount};
use aura::channel::Channel;
use aura::manual;
use aura::settings::Snapshot;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// The oldest Postgres that is meant to work.
const OLDEST: i32 = 15;
/// Seconds by which two clocks may differ.
const CLOCKS: f64 = 2.0;
/// The score of a row with its own text, embedded anew by the same model.
const SAME: f32 = 0.98;

/// All checks of the base; without a database there is only one.
pub(super) async fn examine(config: &Config, embedder: Option<&dyn Embedder>) -> Vec<Check> {
    let embedded = matches!(config.database, Database::Embedded);
    match standing(&config.home) {
        Standing::Absent if embedded => {
            let found = "the embedded database was never made; nothing in it could be looked at";
            return vec![Check::failure(
                "database",
                found,
                "start the server once: deploy/up, or `aura serve`",
            )];
        }
        Standing::Orphan { pid } if embedded => {
            let found =
                format!("run by a Postgres without owner (process {pid}); not touched, not looked at");
            return vec![Check::failure("database", found, "start aura, then ask the doctor again")];
        }
        _ => {}
    }
    let base = match Base::look(config).await {
        Ok(base) => base,
        Err(error) => {
            let advice = "mend that first; what depends on the database could not be looked at";
            return vec![Check::failure("database", error.to_string(), advice)];
        }
    };
    let mut checks = look(config, &base.store, embedder).await;
    if let Err(error) = base.close().await {
        checks.push(Check::warning("database", format!("it did not close: {error}"), "look at postgres.log"));
    }
    checks
}

async fn look(config: &Config, store: &Store, embedder: Option<&dyn Embedder>) -> Vec<Check> {
    let (database, migrations) = (versions(store).await, migrations(store).await);
    let mut checks = vec![database, time(store).await];
    let usable = migrations.verdict != super::Verdict::Failure;
    checks.push(migrations);
    if usable {
        checks.extend([settings(store).await, prompts(store).await, manuals(config, store).await]);
        if let Some(embedder) = embedder {
            checks.extend([vectors(store, embedder).await, search(store, embedder).await]);
        }
    }
    checks
}

/// A check that the database didn't let us make.
fn unanswered(name: &'static str, error: &StoreError) -> Check {
    Check::failure(name, error.to_string(), "look at the database's log and load, then ask again")
}

async fn versions(store: &Store) -> Check {
    let versions = match store.versions().await {
        Ok(versions) => versions,
        Err(error) => return unanswered("database", &error),
    };
    let server = versions.server;
    let Some(vector) = versions.vector else {
        let advice = "install pgvector on the server; as its administrator: CREATE EXTENSION vector;";
        return Check::failure("database", format!("Postgres {server} without pgvector"), advice);
    };
    let found = format!("Postgres {server}, pgvector {vector}");
    if versions.major < OLDEST {
        return Check::warning("database", found, format!("move to Postgres {OLDEST} or newer"));
    }
    Check::ok("database", found)
}

async fn time(store: &Store) -> Check {
    let before = Timestamp::now();
    match store.clock().await {
        Ok(database) => {
            // The answer was made somewhere between the two.
            let after = Timestamp::now();
            clock((before.as_millisecond() + after.as_millisecond()) as f64 / 2000.0, database)
        }
        Err(error) => unanswered("clock", &error),
    }
}

/// Judges two clocks, in seconds since 1970: a warning where they differ by more than 2 s, a failure where
/// this machine's stands before 2025.
pub fn clock(system: f64, database: f64) -> Check {
    const YEAR_2025: f64 = 1_735_689_600.0;
    let apart = (system - database).abs();
    let found = format!("this machine's and the database's clock are {apart:.1} s apart");
    let advice = "set the clocks by NTP (timedatectl set-ntp true): facts and time limits go by them";
    if system < YEAR_2025 {
        return Check::failure("clock", "this machine's clock stands before the year 2025", advice);
    }
    if apart > CLOCKS {
        return Check::warning("clock", found, advice);
    }
    Check::ok("clock", found)
}

async fn migrations(store: &Store) -> Check {
    match store.schema().await {
        Ok(Schema::Current(version)) => Check::ok("migrations", format!("up to date (V{version})")),
        Ok(Schema::Missing) => Check::failure(
            "migrations",
            "the database holds nothing of aura",
            "check DATABASE_URL; `aura serve` prepares an empty database when it starts",
        ),
        Ok(Schema::Behind(names)) => Check::warning(
            "migrations",
            format!("not applied yet: {}", names.join(", ")),
            "restart the server with this version: it applies them",
        ),
        Ok(Schema::Ahead(version)) => Check::failure(
            "migrations",
            format!("a newer aura made this database (V{version})"),
            "run the version of aura that made it, or restore the backup",
        ),
        Ok(Schema::Altered(name)) => Check::failure(
            "migrations",
            format!("{name} was applied in another wording than this program's"),
            "run the version of aura that made it, or restore the backup",
        ),
        Err(error) => unanswered("migrations", &error),
    }
}

async fn settings(store: &Store) -> Check {
    let rows = match store.settings().await {
        Ok(rows) => rows,
        Err(error) => return unanswered("settings", &error),
    };
    let count = rows.len();
    let (_, refused) = Snapshot::new(rows);
    if refused.is_empty() {
        return Check::ok("settings", format!("{count} rows, all valid"));
    }
    let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let found = format!("{} of {count} rows are passed over: {}", refused.len(), refused.join("; "));
    Check::warning(
        "settings",
        found,
        "`aura settings set` or `unset` them; a name that is unknown is deleted by hand",
    )
}

async fn prompts(store: &Store) -> Check {
    let active = match store.prompts().await {
        Ok(versions) => base::prompts(&versions),
        Err(error) => return unanswered("prompts", &error),
    };
    let missing = Channel::ALL.into_iter().filter_map(|channel| base::require_prompt(&active, channel).err());
    let missing: BTreeSet<&str> = missing.map(|missing| missing.0).collect();
    if missing.is_empty() {
        let names: Vec<String> = active.values().map(|it| format!("{} {}", it.key, it.version)).collect();
        return Check::ok("prompts", format!("active: {}", names.join(", ")));
    }
    let missing: Vec<&str> = missing.into_iter().collect();
    let found = format!("no active version of {}: its channel can't answer", missing.join(", "));
    Check::failure(
        "prompts",
        found,
        "`aura prompts list`, then `aura prompts activate`; AURA_PROMPTS seeds them",
    )
}

async fn manuals(config: &Config, store: &Store) -> Check {
    let (files, torn) = match (store.files().await, store.torn_files().await) {
        (Ok(files), Ok(torn)) => (files, torn),
        (Err(error), _) | (_, Err(error)) => return unanswered("manuals", &error),
    };
    let count = files.len();
    if count == 0 {
        return Check::failure("manuals", "the base holds no manual", "aura ingest DIR (e.g. manuals)");
    }
    if !torn.is_empty() {
        let found = format!("rows are missing or too many in {}", torn.join(", "));
        return Check::failure(
            "manuals",
            found,
            "aura ingest DIR: it makes the base say what the folder says",
        );
    }
    let present = files.into_keys().collect();
    let missing = match config.open_catalogue() {
        Ok(catalogue) => catalogue.missing_sources(&present),
        Err(error) => return Check::failure("manuals", error.to_string(), "mend AURA_CATALOGUE"),
    };
    if missing.is_empty() {
        return Check::ok("manuals", format!("{count} files; every model of the catalogue has its manual"));
    }
    let missing: Vec<String> = missing.iter().map(|(model, source)| format!("{model} ({source})")).collect();
    let found = format!("{count} files; questions can't be answered about {}", missing.join(", "));
    Check::warning("manuals", found, "put the files into the folder under these names and `aura ingest` it")
}

async fn vectors(store: &Store, embedder: &dyn Embedder) -> Check {
    let (model, dims) = (embedder.model(), embedder.dims());
    match store.check_embedding_model(model, dims).await {
        Ok(()) => {}
        Err(error @ StoreError::ModelMismatch { .. }) => {
            let advice = "`aura reembed`, or configure the embedder that the base was made with";
            return Check::failure("vectors", error.to_string(), advice);
        }
        Err(error) => return unanswered("vectors", &error),
    }
    match store.count_vectors(model, dims).await {
        Ok(count) => counted(count, model),
        Err(error) => unanswered("vectors", &error),
    }
}

fn counted(count: VectorCount, model: &str) -> Check {
    let VectorCount { manuals, lessons, foreign, broken, staged } = count;
    let found = format!("{manuals} rows and {lessons} lessons embedded with {model}");
    if foreign + broken > 0 {
        let found =
            format!("{found}; {foreign} of another model or length, {broken} that are no unit vectors");
        return Check::failure(
            "vectors",
            found,
            "those rows are never found: ingest the manuals into a fresh base",
        );
    }
    if staged > 0 {
        let found = format!("{found}; {staged} vectors of a reembed that broke off");
        return Check::warning("vectors", found, "run `aura reembed` again: it goes on where it stopped");
    }
    Check::ok("vectors", found)
}

/// A stored row, embedded anew as it was, must find itself.
async fn search(store: &Store, embedder: &dyn Embedder) -> Check {
    let sample = match store.sample_row(embedder.model()).await {
        Ok(Some(row)) => row,
        Ok(None) => {
            let found = format!("no row of {} to look for", embedder.model());
            return Check::failure("search", found, "aura ingest DIR, or `aura reembed`");
        }
        Err(error) => return unanswered("search", &error),
    };
    let vector = match models::one(embedder, Purpose::Passage, manual::passage(&sample)).await {
        Ok(vector) => vector,
        Err(why) => return Check::failure("search", why, "see the check of the embedder"),
    };
    match store.search(&vector, embedder.model(), None, 1).await {
        Ok(found) => nearest(found.first().map(|nearest| nearest.cosine), &sample.source),
        Err(error) => unanswered("search", &error),
    }
}

fn nearest(cosine: Option<f32>, source: &str) -> Check {
    let cosine = cosine.unwrap_or(f32::NAN);
    let found = format!("a row of {source} finds itself with a cosine of {cosine:.3}");
    // So that NaN is none.
    if cosine >= SAME {
        return Check::ok("search", found);
    }
    let advice = "the vectors are not this embedder's, whatever the base says: ingest into a fresh base";
    Check::failure("search", found, advice)
}
