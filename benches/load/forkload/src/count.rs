//! What was sent and what arrived, sample by sample.
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Samples a second and channel.
pub const RATE: u64 = 8000;
/// The counter in channel 0 begins anew here.
pub const WRAP: u64 = 32_000;
/// A lag that means real time.
const REAL_TIME: Duration = Duration::from_millis(300);

#[derive(Clone, Debug, Default)]
struct Call {
    began: Option<Instant>,
    sent: u64,
    received: u64,
    /// Samples that weren't the next ones, or stood in the wrong channel.
    wrong: u64,
    connections: u32,
}

/// All calls.
pub struct Counts {
    calls: Mutex<Vec<Call>>,
    /// When audio arrived, and how late it was.
    lags: Mutex<Vec<(Instant, Duration)>>,
    failed: Mutex<u32>,
}

impl Counts {
    pub fn new(calls: u16) -> Self {
        let calls = Mutex::new(vec![Call::default(); usize::from(calls)]);
        Self { calls, lags: Mutex::default(), failed: Mutex::default() }
    }

    pub fn begin(&self, call: u16, at: Instant) {
        self.calls.lock().unwrap()[usize::from(call)].began = Some(at);
    }

    pub fn sent(&self, call: u16, samples: u64) {
        self.calls.lock().unwrap()[usize::from(call)].sent += samples;
    }

    pub fn failed(&self) {
        *self.failed.lock().unwrap() += 1;
    }

    pub fn connected(&self, call: u16) {
        if let Some(call) = self.calls.lock().unwrap().get_mut(usize::from(call)) {
            call.connections += 1;
        }
    }

    /// Frames of both channels that arrived for a call.
    pub fn received(&self, call: u16, frames: impl Iterator<Item = (i16, i16)>) {
        let mut calls = self.calls.lock().unwrap();
        let Some(entry) = calls.get_mut(usize::from(call)) else { return };
        for (inbound, outbound) in frames {
            if (entry.received % WRAP) as i16 != inbound || outbound != call as i16 + 1 {
                entry.wrong += 1;
            }
            entry.received += 1;
        }
        if let Some(began) = entry.began {
            let spoken = Duration::from_secs_f64(entry.received as f64 / RATE as f64);
            let now = Instant::now();
            let lag = now.saturating_duration_since(began).saturating_sub(spoken);
            self.lags.lock().unwrap().push((now, lag));
        }
    }

    pub fn report(&self, stall: Option<(Instant, Instant)>) -> Value {
        let calls = self.calls.lock().unwrap();
        let lags = self.lags.lock().unwrap();
        let sum = |part: fn(&Call) -> u64| calls.iter().map(part).sum::<u64>();
        let (sent, received, wrong) = (sum(|call| call.sent), sum(|call| call.received), sum(|call| call.wrong));
        let missing: u64 = calls.iter().map(|call| call.sent.saturating_sub(call.received)).sum();
        let calm = |at: Instant| stall.is_none_or(|(from, to)| at < from || at > to + Duration::from_secs(3));
        let mut steady: Vec<Duration> = lags.iter().filter(|(at, _)| calm(*at)).map(|(_, lag)| *lag).collect();
        steady.sort_unstable();
        let percentile = |p: f64| {
            let at = ((steady.len() as f64 * p) as usize).min(steady.len().saturating_sub(1));
            steady.get(at).map(|lag| lag.as_secs_f64() * 1000.0)
        };
        let drained = stall.map(|(_, to)| {
            let late = lags.iter().filter(|(at, lag)| *at > to && *lag > REAL_TIME).map(|(at, _)| *at).max();
            late.map_or(0.0, |at| (at - to).as_secs_f64() * 1000.0)
        });
        let failed = *self.failed.lock().unwrap();
        json!({
            "clean": failed == 0 && wrong == 0 && missing == 0,
            "failed_calls": failed,
            "connections": sum(|call| u64::from(call.connections)),
            "samples_sent": sent,
            "samples_received": received,
            "samples_missing": missing,
            "samples_wrong": wrong,
            "lag_ms": { "p50": percentile(0.5), "p99": percentile(0.99), "max": percentile(1.0) },
            "drained_ms_after_stall": drained,
        })
    }
}
