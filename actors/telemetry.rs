//! Logs, spans and metrics: one place that sets them up, one that counts what events say (R29).
use aura::event::{DeskEvent, Event, Kind};
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// How logs look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For a person at a terminal.
    Pretty,
    /// One JSON object per line.
    Json,
}

/// Starts logging to standard error; `filter` is `RUST_LOG`'s syntax. A second call changes nothing.
pub fn start_logs(format: LogFormat, filter: &str) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::NONE);
    let started = match format {
        LogFormat::Pretty => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    drop(started); // a second start in one process (tests) keeps the first
}

/// Logs where a panic was, and not what it says: that may be a caller's words (I8).
pub fn name_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(at, "a panic");
    }));
}

/// Milliseconds at which latency histograms are cut.
const BUCKETS: [f64; 12] = [1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0];

/// The process's metrics, installed once; the handle renders `/metrics`.
pub fn start_metrics() -> Result<PrometheusHandle, BuildError> {
    static INSTALLED: Mutex<Option<PrometheusHandle>> = Mutex::new(None);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*installed {
        return Ok(handle.clone());
    }
    let handle = install()?;
    Ok(installed.insert(handle).clone())
}

fn install() -> Result<PrometheusHandle, BuildError> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_ms".to_owned()), &BUCKETS)?
        .install_recorder()?;
    describe_counter!("aura_turns_total", "turns that ended, by source and outcome");
    describe_counter!("aura_retrievals_total", "turns by source, hit and reason");
    describe_counter!("aura_journal_written_total", "facts written to the database");
    describe_counter!("aura_journal_refused_total", "facts lost because too many waited");
    describe_counter!("aura_desk_events_total", "news told to the desk");
    describe_gauge!("aura_breaker_state", "0 closed, 1 half-open, 2 open, by dependency");
    describe_counter!("aura_breaker_opened_total", "outages that opened a breaker, by dependency");
    describe_counter!("aura_webhooks_total", "webhooks by event and outcome");
    describe_gauge!("aura_calls_live", "calls that are live");
    describe_counter!("aura_red_flags_total", "dangerous lines, by kind");
    describe_counter!("aura_sentences_blocked_total", "sentences that the evidence didn't hold");
    describe_counter!("aura_callbacks_total", "call backs promised");
    describe_counter!("aura_calls_rebuilt_total", "calls rebuilt, after a restart or a panic");
    describe_gauge!("aura_journal_waiting", "facts that wait for the database");
    describe_gauge!("aura_journal_failing", "1 while the journal's disk refuses");
    describe_counter!("aura_journal_refused_total", "facts lost: queue, disk or bound");
    describe_counter!(
        "aura_journal_rejected_total",
        "facts that the database refused and that were set aside"
    );
    describe_counter!("aura_lookups_total", "questions to the patients' system, by source and outcome");
    describe_gauge!("aura_lookups_waiting", "documents that are asked for");
    describe_histogram!("aura_lookup_ms", Unit::Milliseconds, "latency of the patients' system, by source");
    describe_counter!("aura_notes_total", "summaries and hand-over notes, by source, occasion and writer");
    describe_counter!("aura_summaries_total", "summaries that a model was to word, by outcome");
    describe_counter!("aura_second_readings_total", "readings of documents by a model, by outcome");
    describe_histogram!("aura_layer_ms", Unit::Milliseconds, "latency by layer");
    Ok(handle)
}

/// Counts what the desk is told.
pub fn told(event: &DeskEvent) {
    counter!("aura_desk_events_total", "source" => event.source.as_str()).increment(1);
}

/// Counts an event.
pub fn observe(event: &Event) {
    let source = event.source.as_str();
    match event.kind {
        Kind::KnowledgeQueried => {
            let hit = if event.payload["hit"] == true { "true" } else { "false" };
            let reason = event.payload["reason"].as_str().unwrap_or("none").to_owned();
            counter!("aura_retrievals_total", "source" => source, "hit" => hit, "reason" => reason)
                .increment(1);
            layer(&event.payload, "embedMs", "embed");
            layer(&event.payload, "queryMs", "query");
        }
        Kind::SuggestionGenerated => {
            ended(source, "complete");
            layer(&event.payload, "firstTokenMs", "first_token");
            layer(&event.payload, "llmMs", "answer");
            layer(&event.payload, "turnMs", "turn");
        }
        Kind::TurnFailed => ended(source, "failed"),
        Kind::TurnAborted => ended(source, "aborted"),
        Kind::RedFlag => {
            let flag = event.payload["flag"].as_str().unwrap_or("none").to_owned();
            counter!("aura_red_flags_total", "source" => source, "flag" => flag).increment(1);
        }
        Kind::GroundingBlocked => counter!("aura_sentences_blocked_total", "source" => source).increment(1),
        Kind::CallbackRequested => counter!("aura_callbacks_total", "source" => source).increment(1),
        Kind::IdentityChanged => {
            let change = event.payload["change"].as_str().unwrap_or("none").to_owned();
            counter!("aura_identities_total", "source" => source, "change" => change).increment(1);
        }
        // The patients' system counts its own answers.
        Kind::PatientLookedUp => {}
        Kind::SuggestionWithheld => {
            let reason = event.payload["reason"].as_str().unwrap_or("none").to_owned();
            counter!("aura_suggestions_withheld_total", "source" => source, "reason" => reason).increment(1);
        }
        // Counted where it is kept: no call tells it.
        Kind::SuggestionMarked => {}
        Kind::CallSummarised => {
            let text = |name: &str| event.payload[name].as_str().unwrap_or("none").to_owned();
            counter!("aura_notes_total", "source" => source, "of" => text("of"), "by" => text("by"))
                .increment(1);
        }
        Kind::CallClaimed | Kind::CallReleased | Kind::ManualSearched => {}
        Kind::CallStarted | Kind::CallEnded | Kind::CallRebuilt | Kind::CallBroken | Kind::CallReported => {}
    }
}

fn ended(source: &'static str, outcome: &'static str) {
    counter!("aura_turns_total", "source" => source, "outcome" => outcome).increment(1);
}

fn layer(payload: &Value, field: &str, layer: &'static str) {
    if let Some(ms) = payload[field].as_f64() {
        histogram!("aura_layer_ms", "layer" => layer).record(ms);
    }
}
