//! One connection to the stand-in for Deepgram, from its handshake to its end.
use super::Shared;
use super::behaviour::Behaviour;
use super::ear::Ear;
use super::greeting::{greet, request_id};
use super::query::{self, Encoding, Options};
use super::record::{Channel, Ended};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

type Socket = WebSocketStream<TcpStream>;

/// What comes after a message.
enum Next {
    Go,
    Close(u16, String),
    Drop,
    /// Holds the socket and reads no more.
    Deaf,
    Over(Ended),
}

/// Serves one connection.
pub async fn serve(socket: TcpStream, number: usize, shared: Shared) {
    let behaviour = (shared.script)(number);
    let mut asked = None;
    #[allow(clippy::result_large_err)]
    let answer =
        |request: &Request, response: Response| greet(request, response, number, &shared, &mut asked);
    let Ok(socket) = accept_hdr_async(socket, answer).await else {
        return shared.change(number, |it| {
            it.ended.get_or_insert(Ended::Lost);
        });
    };
    let Some(options) = asked else { return };
    let request = request_id(number);
    let ears = if options.multichannel { options.channels } else { 1 };
    let ear = |n| Ear::new([n, ears], options, &behaviour, &request);
    shared.change(number, |it| it.channels = vec![Channel::default(); ears]);
    let (sink, stream) = socket.split();
    let (out, messages) = unbounded_channel();
    tokio::spawn(write(sink, messages));
    let now = Instant::now();
    let link = Link {
        number,
        options,
        ears: (0..ears).map(ear).collect(),
        behaviour,
        out,
        opened: now,
        alive: now,
        carry: Vec::new(),
        samples: 0,
        overlong: options.overlong.then_some(now),
        stalled: false,
        shared,
    };
    link.run(stream).await;
}

/// Sends each message when it is due.
async fn write(mut sink: SplitSink<Socket, Message>, mut messages: UnboundedReceiver<(Instant, Message)>) {
    while let Some((due, message)) = messages.recv().await {
        sleep_until(due).await;
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

struct Link {
    number: usize,
    options: Options,
    behaviour: Behaviour,
    ears: Vec<Ear>,
    out: UnboundedSender<(Instant, Message)>,
    opened: Instant,
    /// When audio or KeepAlive came last.
    alive: Instant,
    /// Bytes of a sample that isn't complete.
    carry: Vec<u8>,
    /// Samples of each channel.
    samples: u64,
    /// Since when there are too many keyterms.
    overlong: Option<Instant>,
    stalled: bool,
    shared: Shared,
}

impl Link {
    async fn run(mut self, mut stream: SplitStream<Socket>) {
        let mut cuts = self.shared.cuts.subscribe();
        let next = loop {
            let (limit, reason) = self.limit();
            let next = tokio::select! {
                message = stream.next() => self.take(message).await,
                () = sleep_until(limit) => Next::Close(1011, reason.into()),
                _ = cuts.changed() => Next::Drop,
            };
            if !matches!(next, Next::Go) {
                break next;
            }
        };
        let ended = match next {
            Next::Over(ended) => ended,
            Next::Close(code, reason) => return self.close(code, reason, &mut stream).await,
            Next::Deaf => {
                let _ = cuts.changed().await;
                Ended::Dropped
            }
            Next::Go | Next::Drop => Ended::Dropped,
        };
        self.shared.change(self.number, |it| it.ended = Some(ended));
    }

    /// When the connection ends by itself, and why.
    fn limit(&self) -> (Instant, &'static str) {
        let idle = (self.alive + self.behaviour.idle, "NET-0001: no audio or KeepAlive came in time");
        let overlong =
            self.overlong.map(|since| (since + self.behaviour.overlong, "NET-0000: no text in time"));
        let silent = self.behaviour.no_audio.filter(|_| self.samples == 0);
        let silent = silent.map(|limit| (self.opened + limit, "NET-0000: no text in time"));
        [overlong, silent].into_iter().flatten().fold(idle, |a, b| if b.0 < a.0 { b } else { a })
    }

    async fn take(
        &mut self,
        message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>,
    ) -> Next {
        match message {
            Some(Ok(Message::Binary(bytes))) => self.audio(&bytes).await,
            Some(Ok(Message::Text(text))) => self.control(&text),
            Some(Ok(Message::Close(frame))) => Next::Over(Ended::Left(frame.map(|frame| frame.code.into()))),
            Some(Ok(_)) => Next::Go,
            Some(Err(_)) | None => Next::Over(Ended::Lost),
        }
    }

    fn control(&mut self, text: &str) -> Next {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        match message["type"].as_str() {
            Some("KeepAlive") => {
                self.alive = Instant::now();
                self.shared.change(self.number, |it| it.keepalives += 1);
            }
            Some("Finalize") => {
                self.shared.change(self.number, |it| it.finalizes += 1);
                let said: Vec<Value> = self.ears.iter_mut().flat_map(Ear::finalize).collect();
                self.say(said);
            }
            Some("CloseStream") => {
                self.shared.change(self.number, |it| it.close_stream = true);
                return self.finish();
            }
            Some("Configure") => self.configure(message),
            _ => self.shared.change(self.number, |it| it.strange.push(text.to_owned())),
        }
        Next::Go
    }

    fn configure(&mut self, message: Value) {
        let terms = message["keyterms"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let overlong = query::tokens(terms) > query::KEYTERM_TOKENS;
        if !self.options.nova3 {
            self.say(vec![json!({"type": "Error", "code": "KeytermsNotSupported"})]);
        } else if overlong {
            self.overlong = Some(Instant::now());
        }
        self.shared.change(self.number, |it| it.configures.push(message));
    }

    async fn audio(&mut self, bytes: &[u8]) -> Next {
        self.alive = Instant::now();
        let block = self.options.encoding.width() * self.options.channels;
        let control = bytes.starts_with(b"{")
            && serde_json::from_slice::<Value>(bytes).is_ok_and(|value| value["type"].is_string());
        self.shared.change(self.number, |it| {
            *it.sizes.entry(bytes.len()).or_default() += 1;
            it.uneven += usize::from(!bytes.len().is_multiple_of(block));
            it.binary_controls += usize::from(control);
            it.empty_binary |= bytes.is_empty();
        });
        if bytes.is_empty() {
            return self.finish();
        }
        if self.options.encoding == Encoding::Container {
            return Next::Close(1008, "DATA-0000: the audio can't be decoded".into());
        }
        self.carry.extend_from_slice(bytes);
        let whole = self.carry.len() / block * block;
        let bytes: Vec<u8> = self.carry.drain(..whole).collect();
        self.samples += (whole / block) as u64;
        if self.overlong.is_none() {
            self.hear(&bytes);
        }
        self.misbehave().await
    }

    fn hear(&mut self, bytes: &[u8]) {
        let (width, channels) = (self.options.encoding.width(), self.options.channels);
        let samples: Vec<i16> =
            bytes.chunks_exact(width).map(|it| self.options.encoding.decode(it)).collect();
        let alone = self.ears.len() == channels;
        for n in 0..self.ears.len() {
            let mine: Vec<i16> = if alone {
                samples.iter().skip(n).step_by(channels).copied().collect()
            } else {
                samples.chunks_exact(channels).map(mixed).collect()
            };
            let (heard, said) = self.ears[n].hear(&mine);
            self.shared.change(self.number, |it| {
                it.channels[n].samples += mine.len() as u64;
                it.channels[n].heard.extend(heard);
            });
            self.say(said);
        }
    }

    fn seconds(&self) -> f64 {
        self.samples as f64 / f64::from(self.options.rate)
    }

    /// What the script has for this moment.
    async fn misbehave(&mut self) -> Next {
        let now = self.seconds();
        let due = |after: Option<f64>| after.is_some_and(|after| now >= after);
        if let Some((_, time)) = self.behaviour.stall.filter(|stall| due(Some(stall.0)) && !self.stalled) {
            self.stalled = true;
            sleep(time).await;
            self.alive = Instant::now();
        }
        match &self.behaviour.close_after {
            Some((after, code, reason)) if due(Some(*after)) => Next::Close(*code, reason.clone()),
            _ if due(self.behaviour.drop_after) => Next::Drop,
            _ if due(self.behaviour.deaf_after) => Next::Deaf,
            _ => Next::Go,
        }
    }

    /// The rest, the Metadata, and the close.
    fn finish(&mut self) -> Next {
        for n in 0..self.ears.len() {
            let (heard, said) = self.ears[n].finish();
            self.shared.change(self.number, |it| it.channels[n].heard.extend(heard));
            self.say(said);
        }
        self.say(vec![json!({
            "type": "Metadata", "transaction_key": "deprecated", "request_id": request_id(self.number),
            "sha256": "0", "created": "2026-01-01T00:00:00.000Z", "duration": self.seconds(),
            "channels": self.options.channels,
        })]);
        Next::Close(1000, String::new())
    }

    fn mute(&self) -> bool {
        self.behaviour.mute_after.is_some_and(|after| self.seconds() >= after)
    }

    fn say(&self, said: Vec<Value>) {
        if self.mute() || said.is_empty() {
            return;
        }
        for value in &said {
            let _ = self.out.send((Instant::now() + self.behaviour.delay, Message::text(value.to_string())));
        }
        self.shared.change(self.number, |it| it.said.extend(said));
    }

    /// Closes, and reads until the client has closed too.
    async fn close(&self, code: u16, reason: String, stream: &mut SplitStream<Socket>) {
        self.shared.change(self.number, |it| it.ended = Some(Ended::Closed(code)));
        if self.mute() {
            return;
        }
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        let _ = self.out.send((Instant::now() + self.behaviour.delay, Message::Close(Some(frame))));
        let rest = async { while let Some(Ok(_)) = stream.next().await {} };
        let _ = timeout(self.behaviour.delay + Duration::from_secs(2), rest).await;
    }
}

fn mixed(samples: &[i16]) -> i16 {
    let sum: i32 = samples.iter().map(|sample| i32::from(*sample)).sum();
    sum.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}
