//! A call as its desk sees it.
use crate::service::{Options, PATIENCE, Running};
use crate::telephony::deepgram::{Connection, Deepgram};
use aura::ears::Gap;
use aura::event::News;
use aura::transcript::Speaker;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A line as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub speaker: Speaker,
    pub text: String,
    pub at_ms: u64,
    pub partial: bool,
}

/// The lines as they stand, in the order of their time.
pub fn lines(running: &Running, call: &str) -> Vec<Line> {
    let mut lines = BTreeMap::new();
    for news in running.desk.of(call) {
        if let News::Heard { index, speaker, text, place } = news {
            let (at_ms, partial) = place.map_or((0, false), |place| (place.at_ms, place.partial));
            lines.insert(index, Line { speaker, text, at_ms, partial });
        }
    }
    let mut lines: Vec<Line> = lines.into_values().filter(|line| !line.text.is_empty()).collect();
    lines.sort_by_key(|line| line.at_ms);
    lines
}

/// Who said what, once it is final; in order.
pub fn said(running: &Running, call: &str) -> Vec<(Speaker, String)> {
    let finals = lines(running, call).into_iter().filter(|line| !line.partial);
    finals.map(|line| (line.speaker, line.text)).collect()
}

/// Waits until this is so, and says what there is if it never is.
pub async fn until(running: &Running, call: &str, what: &str, so: impl Fn(&[News]) -> bool) {
    let waiting = async {
        while !so(&running.desk.of(call)) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    if timeout(PATIENCE, waiting).await.is_err() {
        panic!("never: {what}; the desk was told {:#?}", running.desk.of(call));
    }
}

/// Waits until these are the final lines.
pub async fn heard(running: &Running, call: &str, expected: &[(Speaker, &str)]) {
    let waiting = async {
        loop {
            let said = said(running, call);
            if said.iter().map(|(who, text)| (*who, text.as_str())).eq(expected.iter().copied()) {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    if timeout(PATIENCE, waiting).await.is_err() {
        panic!("expected {expected:#?}; the lines are {:#?}", lines(running, call));
    }
}

/// A service that hears through this recogniser.
pub fn hearing(deepgram: &Deepgram) -> Options {
    Options::default().few_manuals().set("DEEPGRAM_API_KEY", "clave").set("DEEPGRAM_URL", deepgram.base_url())
}

/// Waits until the call is over.
pub async fn over(running: &Running, call: &str) {
    until(running, call, "the call ends", |news| news.contains(&News::Closed)).await;
}

/// What nobody heard, in the order in which it was told.
pub fn gaps(running: &Running, call: &str) -> Vec<Gap> {
    let gap = |news| if let News::Gap(gap) = news { Some(gap) } else { None };
    running.desk.of(call).into_iter().filter_map(gap).collect()
}

/// How often a call of this name began.
pub async fn begun(running: &Running, call: &str) -> usize {
    running.facts_with(call, "call_started", 1).await;
    running.flush().await;
    running.facts(call).await.iter().filter(|fact| fact.kind == "call_started").count()
}

/// The calls that began, whatever their names.
pub async fn calls(running: &Running, count: usize) -> Vec<String> {
    let sql = "SELECT call_id FROM event_log WHERE kind = 'call_started' ORDER BY at, id";
    let enough = async {
        loop {
            let rows = running.sql().query(sql, &[]).await.expect("the event log");
            if rows.len() >= count {
                return rows.iter().map(|row| row.get(0)).collect();
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, enough).await.expect("so many calls begin")
}

/// The recogniser's connections once all are over; whatever was said arrived whole on every one.
pub async fn intact(deepgram: &Deepgram) -> Vec<Connection> {
    let ended = |all: &[Connection]| all.iter().all(|one| one.ended.is_some());
    let connections = deepgram.until("all connections are over", ended).await;
    for connection in &connections {
        assert_eq!(connection.damaged(), 0, "{:#?}", connection.channels);
        assert_eq!((connection.uneven, connection.binary_controls), (0, 0));
    }
    connections
}
