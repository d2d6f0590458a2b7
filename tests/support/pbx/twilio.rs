//! Twilio Media Streams: JSON, µ-law in base64, counters as strings.
use super::super::g711::to_mulaw;
use super::pace::{Pace, Pacer};
use super::socket::{Reaction, Refused, Socket};
use base64::Engine;
use serde_json::{Map, Value, json};

/// Samples of a media message.
const BLOCK: usize = 160;

/// One stream.
pub struct Twilio {
    /// For what comes back, and for what isn't below.
    pub socket: Socket,
    /// The call's id.
    pub call: String,
    /// The stream's id.
    pub stream: String,
    sequence: u64,
    chunks: [u64; 2],
    samples: u64,
    pacer: Pacer,
}

impl Twilio {
    /// Dials, and says `connected`.
    pub async fn connect(url: &str, call: &str, pace: Pace) -> Result<Self, Refused> {
        let socket = Socket::connect(url, &[], |_| Reaction::GoOn).await?;
        socket.text(json!({"event": "connected", "protocol": "Call", "version": "1.0.0"}).to_string()).await;
        let (call, stream) = (call.to_owned(), format!("MZ{call}"));
        Ok(Self { socket, call, stream, sequence: 0, chunks: [0; 2], samples: 0, pacer: Pacer::new(pace) })
    }

    /// `start` with both tracks and these `<Parameter>`s.
    pub async fn start(&mut self, parameters: &[(&str, &str)]) -> bool {
        let parameter = |(name, value): &(&str, &str)| ((*name).to_owned(), json!(value));
        let parameters: Map<String, Value> = parameters.iter().map(parameter).collect();
        let start = json!({
            "accountSid": "AC1", "streamSid": self.stream, "callSid": self.call,
            "tracks": ["inbound", "outbound"], "customParameters": parameters,
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
        });
        self.event("start", start).await
    }

    /// Both tracks in messages of 20 ms; a track that is empty isn't sent.
    pub async fn send_audio(&mut self, inbound: &[i16], outbound: &[i16]) -> bool {
        let length = inbound.len().max(outbound.len());
        for at in (0..length).step_by(BLOCK) {
            self.pacer.wait(BLOCK as f64 / 8_000.0).await;
            for (n, (name, track)) in [("inbound", inbound), ("outbound", outbound)].into_iter().enumerate() {
                let block: Vec<i16> = track.iter().skip(at).take(BLOCK).copied().collect();
                if !block.is_empty() && !self.media(n, name, &block).await {
                    return false;
                }
            }
            self.samples += BLOCK as u64;
        }
        true
    }

    async fn media(&mut self, track: usize, name: &str, block: &[i16]) -> bool {
        let bytes: Vec<u8> = block.iter().map(|sample| to_mulaw(*sample)).collect();
        self.chunks[track] += 1;
        let media = json!({
            "track": name, "chunk": self.chunks[track].to_string(),
            "timestamp": (self.samples / 8).to_string(),
            "payload": base64::engine::general_purpose::STANDARD.encode(bytes),
        });
        self.event("media", media).await
    }

    /// A key.
    pub async fn dtmf(&mut self, digit: char) -> bool {
        self.event("dtmf", json!({"track": "inbound_track", "digit": digit.to_string()})).await
    }

    /// A mark that was reached.
    pub async fn mark(&mut self, name: &str) -> bool {
        self.event("mark", json!({"name": name})).await
    }

    /// `stop`, then close 1000. The code that comes back.
    pub async fn stop(&mut self) -> Option<u16> {
        let stop = json!({"accountSid": "AC1", "callSid": self.call});
        self.event("stop", stop).await;
        self.socket.close(1000).await
    }

    async fn event(&mut self, name: &str, body: Value) -> bool {
        self.sequence += 1;
        let mut message =
            json!({"event": name, "sequenceNumber": self.sequence.to_string(), "streamSid": self.stream});
        message[name] = body;
        self.socket.text(message.to_string()).await
    }
}
