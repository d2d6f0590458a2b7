//! FreeSWITCH's audio forks: drachtio's, jambonz's, and mod_audio_stream.
use super::pace::{Pace, Pacer};
use super::raw::Raw;
use super::socket::{Reaction, Refused, Socket, open};
use base64::Engine;
use serde_json::{Value, json};

/// What a frame's samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// What the forked leg says.
    Mono,
    /// Both tracks, summed.
    Mixed,
    /// Both tracks, interleaved, inbound first.
    Stereo,
}

/// A fork that is about to be dialled.
#[derive(Clone, Debug)]
pub struct Dial {
    url: String,
    headers: Vec<(String, String)>,
    rate: u32,
    layout: Layout,
    block: usize,
    pace: Pace,
}

impl Dial {
    /// drachtio's mod_audio_fork.
    pub fn drachtio(url: &str) -> Self {
        Self::audio_fork(url, "audio.drachtio.org")
    }

    /// jambonz's mod_audio_fork.
    pub fn jambonz(url: &str) -> Self {
        Self::audio_fork(url, "audio.jambonz.org")
    }

    fn audio_fork(url: &str, protocol: &str) -> Self {
        Self::plain(url).header("sec-websocket-protocol", protocol)
    }

    /// mod_audio_stream: no subprotocol, and it offers to compress.
    pub fn audio_stream(url: &str) -> Self {
        Self::plain(url).header("sec-websocket-extensions", "permessage-deflate; client_max_window_bits")
    }

    /// Offers nothing.
    pub fn plain(url: &str) -> Self {
        let (headers, layout, pace) = (Vec::new(), Layout::Stereo, Pace::Flood);
        Self { url: url.to_owned(), headers, rate: 8_000, layout, block: 160, pace }
    }

    /// With a header; an earlier one of this name is replaced.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|header| header.0 != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With HTTP Basic authentication.
    pub fn basic(self, user: &str, password: &str) -> Self {
        let coded = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        self.header("authorization", &format!("Basic {coded}"))
    }

    /// So many samples a second, in frames of 20 ms.
    pub fn rate(mut self, rate: u32) -> Self {
        self.rate = rate;
        self.block_ms(20)
    }

    /// Mono, mixed or stereo.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// So many milliseconds in a frame.
    pub fn block_ms(mut self, ms: u32) -> Self {
        self.block = (self.rate * ms / 1_000) as usize;
        self
    }

    /// This fast.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Dials.
    pub async fn connect(self) -> Result<Fork, Refused> {
        let socket = Socket::connect(&self.url, &self.headers, |_| Reaction::GoOn).await?;
        let pacer = Pacer::new(self.pace);
        Ok(Fork { socket, layout: self.layout, rate: self.rate, block: self.block, pacer })
    }

    /// Dials, and then minds no websocket manners: see [`Raw`].
    pub async fn connect_raw(self) -> Result<Raw, Refused> {
        let (socket, _) = open(&self.url, &self.headers).await?;
        Ok(Raw::new(socket.into_inner()))
    }
}

/// The first frame of a jambonz fork.
pub fn jambonz_metadata(call: &str, direction: &str, from: &str, to: &str, rate: u32, mix: &str) -> Value {
    json!({
        "sampleRate": rate, "mixType": mix, "callSid": call, "direction": direction, "from": from, "to": to,
        "callId": format!("{call}@sip.example"), "sipStatus": 200, "callStatus": "in-progress",
        "callerId": from, "accountSid": "acc-1", "applicationSid": "app-1",
        "originatingSipIP": "192.0.2.7", "originatingSipTrunkName": "trunk", "customerData": {},
    })
}

/// A running fork.
pub struct Fork {
    /// For what comes back, and for what isn't below.
    pub socket: Socket,
    layout: Layout,
    rate: u32,
    block: usize,
    pacer: Pacer,
}

impl Fork {
    /// Sends a JSON object in a text frame: metadata, or anything else.
    pub async fn json(&self, value: &Value) -> bool {
        self.socket.text(value.to_string()).await
    }

    /// Sends several JSON objects in one text frame, as drachtio's module does.
    pub async fn glued(&self, values: &[Value]) -> bool {
        self.socket.text(values.iter().map(Value::to_string).collect::<String>()).await
    }

    /// A key, as jambonz tells it.
    pub async fn dtmf(&self, digit: char, ms: u32) -> bool {
        self.json(&json!({"event": "dtmf", "dtmf": digit.to_string(), "duration": ms * 8})).await
    }

    /// Samples as this fork's bytes; the shorter track is silent at its end.
    pub fn pcm(&self, inbound: &[i16], outbound: &[i16]) -> Vec<u8> {
        let length =
            if self.layout == Layout::Mono { inbound.len() } else { inbound.len().max(outbound.len()) };
        let at = |track: &[i16], n: usize| track.get(n).copied().unwrap_or(0);
        let mut bytes = Vec::with_capacity(4 * length);
        for n in 0..length {
            let (inbound, outbound) = (at(inbound, n), at(outbound, n));
            match self.layout {
                Layout::Mono => bytes.extend(inbound.to_le_bytes()),
                Layout::Mixed => bytes.extend(inbound.saturating_add(outbound).to_le_bytes()),
                Layout::Stereo => bytes.extend([inbound.to_le_bytes(), outbound.to_le_bytes()].concat()),
            }
        }
        bytes
    }

    /// Sends both tracks in frames of this fork's length, at its pace; false if the socket is gone.
    pub async fn send_audio(&mut self, inbound: &[i16], outbound: &[i16]) -> bool {
        let bytes = self.pcm(inbound, outbound);
        let size = self.block * self.sample_bytes();
        self.send_cut(&bytes, &[size]).await
    }

    /// Sends bytes in frames of these sizes, over and over, at this fork's pace.
    pub async fn send_cut(&mut self, bytes: &[u8], sizes: &[usize]) -> bool {
        let mut rest = bytes;
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (frame, after) = rest.split_at((*size).min(rest.len()));
            let samples = frame.len() as f64 / self.sample_bytes() as f64;
            self.pacer.wait(samples / f64::from(self.rate)).await;
            if !self.socket.binary(frame).await {
                return false;
            }
            rest = after;
        }
        true
    }

    fn sample_bytes(&self) -> usize {
        if self.layout == Layout::Stereo { 4 } else { 2 }
    }

    /// `graceful-shutdown`: an empty binary frame; the server has to close.
    pub async fn flush(&self) -> bool {
        self.socket.binary(&[]).await
    }

    /// `stop`: an optional text, then close 1000. The code that comes back.
    pub async fn stop(&self, text: Option<&str>) -> Option<u16> {
        if let Some(text) = text {
            self.socket.text(text).await;
        }
        self.socket.close(1000).await
    }

    /// The switch dies: no close frame.
    pub async fn drop_tcp(self) {
        self.socket.abort().await;
    }
}
