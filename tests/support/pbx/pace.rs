//! How fast audio is sent.
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A sender that was held up makes good for no more than this.
const CATCH_UP: Duration = Duration::from_millis(200);

/// The speed of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A second of audio takes a second.
    RealTime,
    /// So many times faster.
    Times(f64),
    /// As fast as the socket takes it.
    Flood,
}

/// Says when the next block may go.
#[derive(Debug)]
pub struct Pacer {
    pace: Pace,
    due: Option<Instant>,
}

impl Pacer {
    /// With this speed.
    pub fn new(pace: Pace) -> Self {
        Self { pace, due: None }
    }

    /// Waits until a block may go that holds so many seconds.
    pub async fn wait(&mut self, seconds: f64) {
        let speed = match self.pace {
            Pace::Flood => return tokio::task::yield_now().await,
            Pace::RealTime => 1.0,
            Pace::Times(times) => times,
        };
        let now = Instant::now();
        let due = self.due.map_or(now, |due| due.max(now - CATCH_UP));
        self.due = Some(due + Duration::from_secs_f64(seconds / speed));
        sleep_until(due).await;
    }
}
