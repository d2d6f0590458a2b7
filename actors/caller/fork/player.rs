//! Plays a forked call: sends each step's frames on time, takes in what comes back, and waits for what is expected.
use super::clip::{BLOCK, Clip, RATE};
use super::live::Live;
use super::report::{ForkReport, HeardLine, PlayedStep, ShownAt, told};
use super::script::{ForkAction, ForkScript, Hearing};
use super::seat::{Seat, Shown};
use super::transcript::{FromServer, Open, read};
use super::wire::Wire;
use crate::caller::line::{Trouble, millis};
use crate::caller::socket::{self, Incoming};
use aura::ears::Line;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::Message;

/// How long the desk may take to sum up a call that is over.
const GRACE: Duration = Duration::from_secs(10);

/// What the desk shows next; never, where nobody sits there.
async fn shown(seat: &mut Option<Seat>) -> Shown {
    match seat {
        Some(seat) => seat.next().await,
        None => std::future::pending().await,
    }
}

/// One call being played.
pub(super) struct Player<'a> {
    pub wire: Wire,
    seat: Option<Seat>,
    pub live: &'a mut Live,
    pub report: ForkReport,
    speed: f64,
    began: Instant,
    /// When the next frame is due. It moves by what was sent, so that no timer's error adds up.
    due: Instant,
    open: Open,
}

impl<'a> Player<'a> {
    /// A call whose socket is open.
    pub fn new(wire: Wire, seat: Option<Seat>, live: &'a mut Live, report: ForkReport, speed: f64) -> Self {
        let now = Instant::now();
        Self { wire, seat, live, report, speed, began: now, due: now, open: Open::default() }
    }

    /// Plays to the end, or until the call can't go on. What was heard is in the report either way.
    pub async fn play(mut self, script: &ForkScript, clips: &[Clip]) -> (ForkReport, Result<(), Trouble>) {
        let outcome = self.all(script, clips).await;
        self.wire.hang_up().await;
        self.summed_up().await;
        let at_ms = millis(self.began.elapsed());
        let unfinished = self.open.lines().iter();
        self.report.unfinished =
            unfinished.map(|line| HeardLine { at_ms, leg: line.leg, text: line.text.clone() }).collect();
        self.live.open(&[]);
        (self.report, outcome)
    }

    async fn all(&mut self, script: &ForkScript, clips: &[Clip]) -> Result<(), Trouble> {
        for (step, clip) in script.steps.iter().zip(clips) {
            self.report.steps.push(PlayedStep::new(step.action.clone(), millis(self.began.elapsed())));
            if !matches!(step.action, ForkAction::Speak(_) | ForkAction::Pause(_)) {
                self.live.happened(self.began.elapsed(), &told(&step.action), self.open.lines());
            }
            match step.action {
                ForkAction::Lose(_) => self.lose(clip).await?,
                _ => self.stream(clip, self.speed).await?,
            }
            self.hear(&step.expect).await?;
        }
        Ok(())
    }

    /// Loses the socket for as long as the clip lasts.
    async fn lose(&mut self, clip: &Clip) -> Result<(), Trouble> {
        self.wire.lose();
        self.stream(clip, self.speed).await?;
        let dialled = self.wire.connect().await;
        dialled.map_err(|why| Trouble::Broken(format!("dialling again failed: {why}")))?;
        self.report.sockets += 1;
        // What was said while it was dialled isn't made up for: the module keeps none of it.
        self.due = Instant::now();
        Ok(())
    }

    /// Sends a clip.
    async fn stream(&mut self, clip: &Clip, speed: f64) -> Result<(), Trouble> {
        for (texts, frame) in clip.frames() {
            self.listen(self.due).await?;
            for text in texts {
                self.wire.text(text.to_owned()).await?;
            }
            let Some(frame) = frame else { break };
            if self.wire.audio(frame).await? {
                self.report.frames += 1;
            }
            self.due += Duration::from_secs_f64(BLOCK as f64 / f64::from(RATE) / speed);
        }
        if let Some(step) = self.report.steps.last_mut() {
            step.to_ms = millis(self.began.elapsed());
        }
        Ok(())
    }

    /// Waits for what is expected; the call goes on meanwhile, in silence and in real time.
    async fn hear(&mut self, expect: &Hearing) -> Result<(), Trouble> {
        if expect.is_empty() {
            return Ok(());
        }
        let spoken_ms = self.report.steps.last().map(|step| step.to_ms);
        let deadline = Instant::now() + Duration::from_secs_f64(expect.within);
        let silence = Clip::silence(BLOCK as f64 / f64::from(RATE));
        let seated = self.seat.is_some();
        if expect.is_only_shown() && !seated {
            return Ok(());
        }
        let heard =
            |report: &ForkReport| report.steps.last().is_none_or(|step| step.has_heard(expect, seated));
        while !heard(&self.report) && Instant::now() < deadline {
            self.stream(&silence, 1.0).await?;
        }
        if let Some(step) = self.report.steps.last_mut() {
            step.to_ms = spoken_ms.unwrap_or(step.to_ms);
            step.judge(expect, seated);
        }
        Ok(())
    }

    /// Takes in what comes, until it is that late.
    async fn listen(&mut self, until: Instant) -> Result<(), Trouble> {
        loop {
            tokio::select! {
                biased;
                incoming = self.wire.next() => self.take(incoming)?,
                shown = shown(&mut self.seat) => self.show(shown),
                () = sleep_until(until) => return Ok(()),
            }
        }
    }

    /// The desk tells the call in short once it is over.
    async fn summed_up(&mut self) {
        let late = sleep_until(Instant::now() + GRACE);
        tokio::pin!(late);
        while self.seat.is_some() {
            let shown = tokio::select! {
                shown = shown(&mut self.seat) => shown,
                () = &mut late => return,
            };
            let last = matches!(shown, Shown::Summary(_));
            self.show(shown);
            if last {
                return;
            }
        }
    }

    fn show(&mut self, shown: Shown) {
        let at = self.began.elapsed();
        self.live.shown(at, &shown.told(), self.open.lines());
        if let Some(step) = self.report.steps.last_mut() {
            step.shown.push(ShownAt { at_ms: millis(at), shown });
        }
    }

    fn take(&mut self, incoming: Incoming) -> Result<(), Trouble> {
        if let Some(how) = socket::ended(&incoming) {
            return Err(Trouble::Closed { how, awaited: "the rest of the call".to_owned() });
        }
        match incoming {
            Some(Ok(Message::Text(text))) => match read(text.as_str()) {
                Ok(FromServer::Line(line)) => self.line(&line),
                Ok(FromServer::Other) => {}
                Err(what) => self.report.breaches.push(what),
            },
            Some(Ok(Message::Binary(bytes))) => {
                self.report.breaches.push(format!("a binary frame of {} bytes", bytes.len()));
            }
            _ => {}
        }
        Ok(())
    }

    fn line(&mut self, line: &Line) {
        self.open.take(line);
        let at = self.began.elapsed();
        if !line.done {
            self.report.partials += 1;
            self.live.open(self.open.lines());
            return;
        }
        self.live.line(at, line, self.open.lines());
        if let Some(step) = self.report.steps.last_mut() {
            step.lines.push(HeardLine { at_ms: millis(at), leg: line.leg, text: line.text.clone() });
        }
    }
}
