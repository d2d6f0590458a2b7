//! One call: what Retell would send, and a note of when everything came back.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep_until, timeout, Instant};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{client_async_with_config, WebSocketStream};

use crate::procfs::mono_ns;
use crate::script::Script;
use crate::{Args, CallDetails, Verify};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// The shortest pause between the end of an answer and the caller's next words.
const MIN_PAUSE: Duration = Duration::from_millis(50);

/// When the calls of a step may begin turns.
#[derive(Clone, Copy)]
pub struct Gate {
    pub start: Instant,
    pub stop: Instant,
    pub period: Duration,
}

/// What all calls of a step share.
pub struct Shared {
    pub args: Args,
    /// What the ids of this step's calls begin with; no other step's do.
    pub call_ids: String,
    pub script: Script,
    pub target: SocketAddr,
    pub data: RefCell<Data>,
}

/// What the calls of a step noted.
#[derive(Default)]
pub struct Data {
    pub turns: Vec<Turn>,
    pub connect_ms: Vec<f64>,
    pub greeting_ms: Vec<f64>,
    pub ping_ms: Vec<f64>,
    pub pings_sent: usize,
    /// How much later than its share of the mock's rhythm each frame came.
    pub jitter_ms: Vec<f64>,
    /// How late this program itself was with what it meant to do.
    pub lag_ms: Vec<f64>,
    /// Calls that wait at the gate.
    pub ready: usize,
    pub errors: Errors,
    pub samples: Vec<String>,
}

#[derive(Default, Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Errors {
    pub connect: usize,
    pub greeting: usize,
    pub timeout: usize,
    pub disconnect: usize,
    pub content: usize,
    pub protocol: usize,
}

impl Errors {
    pub fn total(&self) -> usize {
        self.connect + self.greeting + self.timeout + self.disconnect + self.content + self.protocol
    }
}

/// A response_required and what came of it; times from [`mono_ns`], 0 for never.
pub struct Turn {
    pub id: String,
    pub sent: u64,
    pub first: u64,
    pub done: u64,
    /// Content frames seen.
    pub frames: usize,
    /// The turn that this one interrupted.
    pub interrupts: Option<Interrupted>,
}

pub struct Interrupted {
    pub id: String,
    /// Content frames of the old answer before the interruption.
    pub frames_before: usize,
    /// Frames of the old answer after it, closing ones included.
    pub stale: usize,
    /// Those of them that came even after the new answer had begun.
    pub stale_after_new: usize,
}

/// A message from the server.
#[derive(Deserialize)]
struct Incoming {
    response_type: String,
    response_id: Option<u64>,
    #[serde(default)]
    content: String,
    #[serde(default)]
    content_complete: bool,
    #[serde(default)]
    end_call: Option<bool>,
    config: Option<ServerConfig>,
}

#[derive(Deserialize)]
struct ServerConfig {
    #[serde(default)]
    call_details: bool,
}

#[derive(PartialEq)]
enum State {
    /// Waiting for the server's first words.
    Greeting,
    /// Waiting for the step to begin.
    Gate,
    /// Waiting for the next turn.
    Pause,
    /// Sending partial transcripts; so many have been sent.
    Speaking(usize),
    /// Waiting for the answer to end.
    Listening,
}

/// The answer that the call is waiting for.
struct Answer {
    response_id: u64,
    turn: usize,
    text: String,
    last_frame: u64,
    /// The caller means to interrupt it.
    barge: bool,
}

struct Call {
    shared: Rc<Shared>,
    ws: WebSocketStream<TcpStream>,
    call_id: String,
    number: usize,
    rng: u64,
    state: State,
    gate: Option<Gate>,
    opened: u64,
    exchange: usize,
    next_id: u64,
    turn_start: Instant,
    answer: Option<Answer>,
    /// Response id of the last interrupted answer, and the turn that interrupted it.
    interrupted: Option<(u64, usize)>,
    next_action: Instant,
    next_ping: Instant,
    ping_sent: u64,
    finished: bool,
}

/// Runs one call from connecting to closing; failures go to the shared errors.
pub async fn call(shared: Rc<Shared>, number: usize, mut gate: watch::Receiver<Option<Gate>>) {
    let call_id = format!("{}_{number:05}", shared.call_ids);
    let url = shared.args.url.replace("{call_id}", &call_id);
    let begun = mono_ns();
    let connected = timeout(CONNECT_TIMEOUT, connect(&url, shared.target)).await;
    let ws = match connected {
        Ok(Ok(ws)) => ws,
        failed => {
            let why = match failed {
                Ok(Err(e)) => e.to_string(),
                _ => "timed out".into(),
            };
            shared.data.borrow_mut().errors.connect += 1;
            note(&shared, format!("connect: {why}"));
            return;
        }
    };
    shared
        .data
        .borrow_mut()
        .connect_ms
        .push(ms(mono_ns() - begun));
    let now = Instant::now();
    let far = now + Duration::from_secs(3600);
    let ping = Duration::from_millis(shared.args.ping_ms);
    let mut rng = number as u64;
    let mut call = Call {
        call_id,
        number,
        state: State::Greeting,
        gate: None,
        opened: mono_ns(),
        exchange: splitmix(&mut rng) as usize % shared.script.len(),
        next_id: 1,
        turn_start: now,
        answer: None,
        interrupted: None,
        next_action: now + GREETING_TIMEOUT,
        next_ping: if ping.is_zero() {
            far
        } else {
            now + ping.mul_f64(0.5 + fraction(&mut rng))
        },
        ping_sent: 0,
        finished: false,
        rng,
        ws,
        shared,
    };
    if let Err(e) = call.run(&mut gate).await {
        call.shared.data.borrow_mut().errors.disconnect += 1;
        note(&call.shared, format!("{}: {e}", call.call_id));
        return;
    }
    let _ = timeout(Duration::from_secs(2), call.ws.close(None)).await;
}

async fn connect(
    url: &str,
    target: SocketAddr,
) -> Result<WebSocketStream<TcpStream>, Box<dyn std::error::Error>> {
    let socket = TcpStream::connect(target).await?;
    socket.set_nodelay(true)?;
    // The default read buffer is 128 KiB a connection.
    let small = WebSocketConfig::default().read_buffer_size(8 << 10);
    let (ws, _) = client_async_with_config(url, socket, Some(small)).await?;
    Ok(ws)
}

type Failure = Box<dyn std::error::Error>;

impl Call {
    async fn run(&mut self, gate: &mut watch::Receiver<Option<Gate>>) -> Result<(), Failure> {
        if self.shared.args.call_details == CallDetails::Always {
            self.send_call_details().await?;
        }
        while !self.finished {
            let due = self.next_action.min(self.next_ping);
            tokio::select! {
                message = self.ws.next() => match message {
                    Some(Ok(Message::Text(text))) => self.receive(&text).await?,
                    Some(Ok(Message::Close(_))) | None => return Err("closed by the server".into()),
                    Some(Ok(_)) => {}
                    Some(Err(e)) => return Err(e.into()),
                },
                changed = gate.changed(), if self.state == State::Gate => {
                    changed?;
                    let opened = *gate.borrow_and_update();
                    if let Some(opened) = opened {
                        self.open(opened);
                    }
                }
                () = sleep_until(due) => self.act(due).await?,
            }
        }
        Ok(())
    }

    fn open(&mut self, gate: Gate) {
        self.gate = Some(gate);
        self.state = State::Pause;
        self.next_action = gate.start + gate.period.mul_f64(fraction(&mut self.rng));
    }

    /// Does what is due.
    async fn act(&mut self, due: Instant) -> Result<(), Failure> {
        let lag = due.elapsed().as_secs_f64() * 1000.0;
        self.shared.data.borrow_mut().lag_ms.push(lag);
        if self.next_ping <= due {
            self.next_ping += Duration::from_millis(self.shared.args.ping_ms);
            let text = format!(
                r#"{{"interaction_type":"ping_pong","timestamp":{}}}"#,
                mono_ns() / 1_000_000
            );
            self.ping_sent = mono_ns();
            self.shared.data.borrow_mut().pings_sent += 1;
            self.send(text).await?;
        }
        if self.next_action > due {
            return Ok(());
        }
        let args = &self.shared.args;
        let gap = Duration::from_millis(args.partial_gap_ms);
        match self.state {
            State::Greeting => {
                self.shared.data.borrow_mut().errors.greeting += 1;
                note(&self.shared, format!("{}: no greeting", self.call_id));
                self.wait_at_gate();
            }
            State::Gate => {}
            State::Pause => {
                self.turn_start = Instant::now();
                self.state = State::Speaking(0);
                self.next_action = self.turn_start;
            }
            State::Speaking(sent) if sent < args.partials => {
                let text = self
                    .shared
                    .script
                    .partial(self.exchange, sent + 1, args.partials + 1);
                self.state = State::Speaking(sent + 1);
                self.next_action = Instant::now() + gap;
                self.send(text).await?;
            }
            State::Speaking(_) => {
                let barge = fraction(&mut self.rng) < self.shared.args.barge;
                self.begin_turn(None, barge).await?;
            }
            State::Listening => match &self.answer {
                // Due before the first token: the interruption of --barge-after 0.
                Some(answer) if answer.barge && self.shared.args.barge_after == 0 => {
                    self.barge_in().await?;
                }
                _ => {
                    self.shared.data.borrow_mut().errors.timeout += 1;
                    note(&self.shared, format!("{}: turn timed out", self.call_id));
                    self.pause();
                }
            },
        }
        Ok(())
    }

    fn wait_at_gate(&mut self) {
        self.state = State::Gate;
        self.shared.data.borrow_mut().ready += 1;
        self.next_action = Instant::now() + Duration::from_secs(3600);
    }

    /// Sends a response_required: a new turn or, with `old`, one that interrupts it.
    async fn begin_turn(&mut self, old: Option<Answer>, barge: bool) -> Result<(), Failure> {
        let text = self.plan_turn(old, barge);
        self.send(text).await
    }

    /// Notes a turn as begun and returns its response_required.
    fn plan_turn(&mut self, old: Option<Answer>, barge: bool) -> String {
        let args = &self.shared.args;
        let response_id = self.next_id;
        self.next_id += 1;
        let id = format!("C{}T{response_id}", self.number);
        let mut data = self.shared.data.borrow_mut();
        let (text, interrupts) = match &old {
            None => (
                self.shared.script.turn(self.exchange, response_id, &id),
                None,
            ),
            Some(old) => {
                let turn = &data.turns[old.turn];
                (
                    self.shared
                        .script
                        .barge_in(self.exchange, response_id, &turn.id, &id),
                    Some(Interrupted {
                        id: turn.id.clone(),
                        frames_before: turn.frames,
                        stale: 0,
                        stale_after_new: 0,
                    }),
                )
            }
        };
        let turn = data.turns.len();
        self.interrupted = old.map(|old| (old.response_id, turn));
        data.turns.push(Turn {
            id,
            sent: mono_ns(),
            first: 0,
            done: 0,
            frames: 0,
            interrupts,
        });
        drop(data);
        self.answer = Some(Answer {
            response_id,
            turn,
            text: String::new(),
            last_frame: 0,
            barge,
        });
        self.state = State::Listening;
        let wait = if barge && args.barge_after == 0 {
            args.ttft_ms / 2
        } else {
            args.turn_timeout_ms
        };
        self.next_action = Instant::now() + Duration::from_millis(wait);
        text
    }

    async fn barge_in(&mut self) -> Result<(), Failure> {
        let parts = self.shared.args.partials + 1;
        let partial = self.shared.script.partial(self.exchange, parts, parts);
        self.send(partial).await?;
        let old = self.answer.take();
        self.begin_turn(old, false).await
    }

    async fn receive(&mut self, text: &str) -> Result<(), Failure> {
        let now = mono_ns();
        let message: Incoming = serde_json::from_str(text)?;
        match message.response_type.as_str() {
            "config" => {
                let wanted = message.config.is_some_and(|c| c.call_details);
                if wanted && self.shared.args.call_details == CallDetails::Auto {
                    self.send_call_details().await?;
                }
            }
            "ping_pong" if self.ping_sent != 0 => {
                let took = ms(now - self.ping_sent);
                self.shared.data.borrow_mut().ping_ms.push(took);
                self.ping_sent = 0;
            }
            "response" if self.response(&message, now) => self.barge_in().await?,
            // Tool calls, metadata and the like are none of this program's business.
            _ => {}
        }
        Ok(())
    }

    /// Notes a response frame; says whether the caller interrupts the answer now.
    fn response(&mut self, message: &Incoming, now: u64) -> bool {
        let response_id = message.response_id.unwrap_or(0);
        if self.state == State::Greeting {
            if message.content_complete {
                let took = ms(now - self.opened);
                self.shared.data.borrow_mut().greeting_ms.push(took);
                self.wait_at_gate();
            }
            return false;
        }
        if message.end_call == Some(true) {
            self.protocol_error("the server ended the call");
        }
        match &self.answer {
            Some(answer) if answer.response_id == response_id => {}
            _ => {
                self.stale(response_id);
                return false;
            }
        }
        let barge = self.note_content(message, now) && !message.content_complete;
        if message.content_complete {
            self.end_turn(now);
        }
        barge
    }

    /// Notes a frame of the answer waited for; says whether it is the one to interrupt at.
    fn note_content(&mut self, message: &Incoming, now: u64) -> bool {
        let Some(answer) = &mut self.answer else {
            return false;
        };
        if message.content.is_empty() {
            return false;
        }
        let args = &self.shared.args;
        let mut data = self.shared.data.borrow_mut();
        if data.turns[answer.turn].first == 0 {
            data.turns[answer.turn].first = now;
        } else {
            let words = message.content.split_whitespace().count().max(1);
            let expected = (args.itd_ms as usize * words) as f64;
            data.jitter_ms.push(ms(now - answer.last_frame) - expected);
        }
        data.turns[answer.turn].frames += 1;
        answer.last_frame = now;
        answer.text.push_str(&message.content);
        answer.barge && data.turns[answer.turn].frames == args.barge_after
    }

    /// Notes a frame of an answer that is not waited for any more.
    fn stale(&mut self, response_id: u64) {
        match self.interrupted {
            Some((old, turn)) if old == response_id => {
                let mut data = self.shared.data.borrow_mut();
                let begun = data.turns[turn].first != 0;
                if let Some(old) = &mut data.turns[turn].interrupts {
                    old.stale += 1;
                    old.stale_after_new += usize::from(begun);
                }
            }
            _ if response_id == 0 => {}
            _ => self.protocol_error("a frame of an answer that nobody waits for"),
        }
    }

    /// Checks the answer that has just ended.
    fn end_turn(&mut self, now: u64) {
        let Some(answer) = &self.answer else { return };
        let mut data = self.shared.data.borrow_mut();
        let turn = &mut data.turns[answer.turn];
        turn.done = now;
        if !is_whole(&self.shared.args, &answer.text, &turn.id) {
            let sample = format!("{}: got {:?}", turn.id, answer.text);
            data.errors.content += 1;
            drop(data);
            note(&self.shared, sample);
        } else {
            drop(data);
        }
        self.exchange = (self.exchange + 1) % self.shared.script.len();
        self.pause();
    }

    /// Ends a turn and plans the next one, or the end of the call.
    fn pause(&mut self) {
        self.answer = None;
        self.state = State::Pause;
        let Some(gate) = self.gate else { return };
        self.next_action = (self.turn_start + gate.period).max(Instant::now() + MIN_PAUSE);
        self.finished = self.next_action >= gate.stop;
    }

    async fn send_call_details(&mut self) -> Result<(), Failure> {
        let text = self.shared.script.call_details(&self.call_id);
        self.send(text).await
    }

    async fn send(&mut self, text: String) -> Result<(), Failure> {
        Ok(self.ws.send(Message::text(text)).await?)
    }

    fn protocol_error(&self, what: &str) {
        self.shared.data.borrow_mut().errors.protocol += 1;
        note(&self.shared, format!("{}: {what}", self.call_id));
    }
}

/// Whether an answer is all that the mock said, and for this turn.
fn is_whole(args: &Args, text: &str, id: &str) -> bool {
    let tail = || text.trim_end().ends_with(&format!("{id}."));
    match args.verify {
        Verify::Full => tail() && text.split_whitespace().count() == args.tokens,
        Verify::Tail => tail(),
        Verify::Some => !text.trim().is_empty(),
    }
}

/// Keeps the first few things that went wrong, for the report.
fn note(shared: &Shared, what: String) {
    let samples = &mut shared.data.borrow_mut().samples;
    if samples.len() < 10 {
        samples.push(what);
    }
}

pub fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number from 0 to 1.
fn fraction(state: &mut u64) -> f64 {
    (splitmix(state) >> 11) as f64 / (1u64 << 53) as f64
}
