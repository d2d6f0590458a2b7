//! What the stand-in for Deepgram remembers of a connection.
use super::super::tones::Heard;
use serde_json::Value;
use std::collections::BTreeMap;

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The handshake failed with this status.
    Refused(u16),
    /// The stand-in closed with this code.
    Closed(u16),
    /// The client closed, with this code.
    Left(Option<u16>),
    /// The client was gone without a close frame.
    Lost,
    /// The stand-in hung up.
    Dropped,
}

/// What one channel heard.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// Samples that came.
    pub samples: u64,
    /// Utterances, whole or damaged.
    pub heard: Vec<Heard>,
}

/// One connection.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// The header `Authorization`.
    pub authorization: String,
    /// The query, decoded, in its order.
    pub query: Vec<(String, String)>,
    /// How many binary messages of which size came.
    pub sizes: BTreeMap<usize, usize>,
    /// Binary messages that end inside a sample, or between channels.
    pub uneven: usize,
    /// Control messages that came as binary, and were decoded as audio.
    pub binary_controls: usize,
    /// KeepAlives.
    pub keepalives: usize,
    /// Finalizes.
    pub finalizes: usize,
    /// Configures, as they came.
    pub configures: Vec<Value>,
    /// Text messages that mean nothing.
    pub strange: Vec<String>,
    /// Whether CloseStream came.
    pub close_stream: bool,
    /// Whether an empty binary message ended the stream.
    pub empty_binary: bool,
    /// What each channel heard; one for a mixed stream.
    pub channels: Vec<Channel>,
    /// What was said to the client.
    pub said: Vec<Value>,
    /// Its end.
    pub ended: Option<Ended>,
}

impl Connection {
    /// The values of a parameter.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }

    /// The first value of a parameter.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// The texts that arrived whole on a channel.
    pub fn texts(&self, channel: usize) -> Vec<&str> {
        let heard = self.channels.get(channel).map_or(&[][..], |channel| &channel.heard);
        heard.iter().filter_map(|heard| heard.text.as_deref().ok()).collect()
    }

    /// Utterances that arrived damaged, on all channels.
    pub fn damaged(&self) -> usize {
        self.channels.iter().flat_map(|channel| &channel.heard).filter(|heard| heard.text.is_err()).count()
    }

    /// What was said of one type, e.g. `Results`.
    pub fn said_of(&self, kind: &str) -> Vec<&Value> {
        self.said.iter().filter(|said| said["type"] == kind).collect()
    }
}
