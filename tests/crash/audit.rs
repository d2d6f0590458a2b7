//! What the database must hold after the last crash, and what the journal's folder must look like.
use crate::callers::{Heard, When};
use crate::process::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tokio_postgres::Client;

/// Within how long before its end a process may forget what it did, but for what it acknowledged (DECISIONS 23).
pub const WINDOW: Duration = Duration::from_millis(100);

/// Whether what was heard must have outlived the crash that ended its socket. What was read after that was said
/// before it, nobody knows how long.
fn must_be_kept(heard: When, kills: &[Instant]) -> bool {
    let next = kills.iter().find(|kill| **kill >= heard.dialled);
    next.is_none_or(|kill| kill.saturating_duration_since(heard.at) > WINDOW)
}

/// Each webhook that was acknowledged is one row.
pub async fn webhooks(sql: &Client, acknowledged: &[String]) -> Vec<String> {
    let rows = sql
        .query("SELECT call_id, count(*) FROM event_log WHERE kind = 'call_reported' GROUP BY call_id", &[])
        .await
        .expect("the event log");
    let counts: BTreeMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let lost = acknowledged.iter().filter(|call| !counts.contains_key(*call));
    let twice = counts.iter().filter(|(_, count)| **count != 1);
    lost.map(|call| format!("webhook {call} was acknowledged and lost"))
        .chain(twice.map(|(call, count)| format!("webhook {call} is there {count} times")))
        .collect()
}

/// The facts and the journal of one call.
pub async fn call(sql: &Client, call: &str, heard: &Heard, kills: &[Instant]) -> Vec<String> {
    let mut faults = Vec::new();
    let started = count(sql, "event_log WHERE call_id = $1 AND kind = 'call_started'", call).await;
    if started != 1 {
        faults.push(format!("{call} began {started} times"));
    }
    let greeted = heard.greetings.iter().filter(|at| must_be_kept(**at, kills)).count();
    if greeted > 1 || heard.greetings.is_empty() {
        faults.push(format!("{call} was greeted {} times", heard.greetings.len()));
    }
    let doubled =
        "(SELECT seq FROM call_journal WHERE call_id = $1 GROUP BY seq HAVING count(*) > 1) doubled";
    let doubled = count(sql, doubled, call).await;
    if doubled > 0 {
        faults.push(format!("{call} has {doubled} line numbers twice"));
    }
    let turns = "(SELECT turn FROM event_log WHERE call_id = $1 AND kind = 'suggestion_generated'
                  GROUP BY turn HAVING count(*) > 1) doubled";
    if count(sql, turns, call).await > 0 {
        faults.push(format!("{call} has a turn that was completed twice"));
    }
    faults.extend(answers(sql, call, heard, kills).await);
    faults
}

/// Each answer that was heard whole is one closing line, and each closing line one fact.
async fn answers(sql: &Client, call: &str, heard: &Heard, kills: &[Instant]) -> Vec<String> {
    let text = "SELECT (detail->>'reply')::bigint, count(*) FROM call_journal
                WHERE call_id = $1 AND what = 'closed' AND (detail->>'reply')::bigint > 0 GROUP BY 1";
    let rows = sql.query(text, &[&call]).await.expect("the journal");
    let closed: BTreeMap<u64, i64> =
        rows.iter().map(|row| (row.get::<_, i64>(0) as u64, row.get(1))).collect();
    let owed: BTreeSet<u64> =
        heard.answers.iter().filter(|(_, at)| must_be_kept(*at, kills)).map(|(reply, _)| *reply).collect();
    let mut faults: Vec<String> = owed
        .iter()
        .filter(|reply| closed.get(reply) != Some(&1))
        .map(|reply| format!("{call}: answer {reply} was heard and is kept {:?} times", closed.get(reply)))
        .collect();
    let kept = "event_log WHERE call_id = $1 AND kind IN ('suggestion_generated', 'turn_failed')";
    let kept = count(sql, kept, call).await;
    let told: i64 = closed.values().sum();
    if kept != told {
        faults.push(format!("{call}: {told} answers were closed and {kept} are in the event log"));
    }
    if owed.len() < heard.answers.len() / 2 || owed.is_empty() {
        faults.push(format!("{call}: only {} of {} answers count", owed.len(), heard.answers.len()));
    }
    faults
}

async fn count(sql: &Client, of: &str, call: &str) -> i64 {
    sql.query_one(&format!("SELECT count(*) FROM {of}"), &[&call]).await.expect("a count").get(0)
}

/// Nothing was refused, and the database has everything that is on disk.
pub fn folder(place: &Place) -> Vec<String> {
    let mut faults = Vec::new();
    let mut last = (0, 0);
    for file in std::fs::read_dir(place.journal()).expect("a folder") {
        let file = file.expect("a file");
        let name = file.file_name().into_string().expect("UTF-8");
        if name.starts_with("rejected-") {
            faults.push(format!("{name} was refused by the database"));
        }
        if let Some(number) = name.strip_suffix(".journal").and_then(|number| number.parse::<u64>().ok()) {
            last = last.max((number, file.metadata().expect("a file").len()));
        }
    }
    let cursor = std::fs::read_to_string(place.journal().join("cursor")).expect("a cursor");
    if cursor != format!("{} {}\n", last.0, last.1) {
        faults.push(format!("the cursor is at {cursor:?}, the journal ends at {last:?}"));
    }
    faults
}
