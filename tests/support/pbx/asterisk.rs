//! Asterisk's chan_websocket as a client: one leg a socket, control in text, media in binary.
use super::super::g711::{to_alaw, to_mulaw};
use super::pace::{Pace, Pacer};
use super::socket::{Reaction, Refused, Socket};
use serde_json::{Map, Value, json};
use tokio_tungstenite::tungstenite::Message;

/// A longer message from us hangs the channel up.
const LONGEST: usize = 65_500;

/// What kind of Asterisk, and what it was told to send.
#[derive(Clone, Debug)]
pub struct Options {
    /// `slin`, `slin16`, `ulaw` or `alaw`.
    pub format: &'static str,
    /// Control in JSON, as the dial option `f(json)` has it.
    pub json: bool,
    /// An older build: a ping hangs up.
    pub hangs_up_on_ping: bool,
    /// The channel's variables, told in JSON only.
    pub variables: Vec<(String, String)>,
    /// This fast.
    pub pace: Pace,
    /// More headers for the handshake.
    pub headers: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        let (variables, headers, pace) = (Vec::new(), Vec::new(), Pace::Flood);
        Self { format: "slin", json: false, hangs_up_on_ping: false, variables, pace, headers }
    }
}

/// One channel.
pub struct Asterisk {
    /// For what comes back, and for what isn't below.
    pub socket: Socket,
    channel: String,
    options: Options,
    pacer: Pacer,
}

impl Asterisk {
    /// Dials with the subprotocol `media`; says nothing yet.
    pub async fn connect(url: &str, channel: &str, options: Options) -> Result<Self, Refused> {
        let mut headers = vec![("sec-websocket-protocol".to_owned(), "media".to_owned())];
        headers.extend(options.headers.clone());
        let older = options.hangs_up_on_ping;
        let socket = Socket::connect(url, &headers, move |message| react(message, older)).await?;
        let pacer = Pacer::new(options.pace);
        Ok(Self { socket, channel: channel.to_owned(), options, pacer })
    }

    /// Samples a second.
    pub fn rate(&self) -> u32 {
        if self.options.format == "slin16" { 16_000 } else { 8_000 }
    }

    /// Bytes of 20 ms.
    fn frame_size(&self) -> usize {
        let width = if self.options.format.starts_with("slin") { 2 } else { 1 };
        self.rate() as usize / 50 * width
    }

    /// `MEDIA_START`.
    pub async fn start(&self) -> bool {
        let (connection, name) =
            (format!("media-{}", self.channel), format!("WebSocket/aura/{}", self.channel));
        let (format, size) = (self.options.format, self.frame_size());
        if !self.options.json {
            let start = format!(
                "MEDIA_START connection_id:{connection} channel:{name} channel_id:{} format:{format} \
                 optimal_frame_size:{size} ptime:20",
                self.channel
            );
            return self.socket.text(start).await;
        }
        let variables: Map<String, Value> =
            self.options.variables.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let start = json!({
            "event": "MEDIA_START", "connection_id": connection, "channel": name, "channel_id": self.channel,
            "format": format, "optimal_frame_size": size, "ptime": 20, "channel_variables": variables,
        });
        self.socket.text(start.to_string()).await
    }

    /// One leg's samples in frames of 20 ms.
    pub async fn send_audio(&mut self, samples: &[i16]) -> bool {
        let bytes: Vec<u8> = match self.options.format {
            "ulaw" => samples.iter().map(|sample| to_mulaw(*sample)).collect(),
            "alaw" => samples.iter().map(|sample| to_alaw(*sample)).collect(),
            _ => samples.iter().flat_map(|sample| sample.to_le_bytes()).collect(),
        };
        for frame in bytes.chunks(self.frame_size()) {
            self.pacer.wait(0.02).await;
            if !self.socket.binary(frame).await {
                return false;
            }
        }
        true
    }

    /// A key.
    pub async fn dtmf(&self, digit: char) -> bool {
        let text = if self.options.json {
            json!({"event": "DTMF_END", "channel_id": self.channel, "digit": digit.to_string()}).to_string()
        } else {
            format!("DTMF_END channel_id:{} digit:{digit}", self.channel)
        };
        self.socket.text(text).await
    }

    /// The channel is hung up: Asterisk closes. The code that comes back.
    pub async fn hang_up(&self) -> Option<u16> {
        self.socket.close(1000).await
    }
}

fn react(message: &Message, older: bool) -> Reaction {
    match message {
        Message::Ping(_) | Message::Pong(_) if older => Reaction::Drop,
        Message::Text(text) if text.len() > LONGEST => Reaction::Drop,
        Message::Binary(bytes) if bytes.len() > LONGEST => Reaction::Drop,
        Message::Text(text) if text.as_str() == "HANGUP" => Reaction::Close,
        Message::Text(text) => {
            let command: Value = serde_json::from_str(text).unwrap_or_default();
            if command["command"] == "HANGUP" { Reaction::Close } else { Reaction::GoOn }
        }
        _ => Reaction::GoOn,
    }
}
