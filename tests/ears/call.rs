//! A call as its desk sees it.
use crate::service::{PATIENCE, Running};
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
