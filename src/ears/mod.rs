//! What a fork of a call's audio tells, whichever PBX it comes from: tracks, who speaks on which, samples.
//!
//! A door decodes its PBX's protocol into [`Told`]; an intake for each socket turns that into a
//! [`Fork`] (which call, what it carries) and [`Piece`]s; one [`session::Session`] a call joins the
//! sockets' pieces, sends them to the recogniser and tells the call what it hears.
pub mod intake;
mod lane;
mod metadata;
mod naming;
pub mod session;
mod timeline;

pub use naming::{call_id, is_nil};

use crate::ids::CallId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A direction of the forked leg, as seen from the PBX.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Track {
    /// What whoever is on the forked leg says: channel 0 of a stereo fork.
    Inbound,
    /// What is played to them: channel 1.
    Outbound,
}

impl Track {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Inbound, Self::Outbound];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Inbound => Self::Outbound,
            Self::Outbound => Self::Inbound,
        }
    }

    /// Its channel in an interleaved stream: 0 or 1.
    pub const fn channel(self) -> usize {
        match self {
            Self::Inbound => 0,
            Self::Outbound => 1,
        }
    }
}

/// A stretch that nobody heard, in milliseconds since the call's first audio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// On which track; none for both.
    pub track: Option<Track>,
    /// Where it begins.
    pub from_ms: u64,
    /// Where it ends.
    pub to_ms: u64,
    /// Why.
    pub why: Lack,
}

/// Why nobody heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// The fork's socket was gone.
    Lost,
    /// The switch sent nothing: paused, on hold, or it dropped what it couldn't send.
    Paused,
    /// The recogniser was away, or too slow, for longer than audio is kept.
    Unrecognised,
}

/// A line as our recogniser hears it: it replaces what the same line held before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Whose.
    pub track: Track,
    /// Counts the track's utterances; never used for two lines at the same time.
    pub utterance: u32,
    /// The words so far.
    pub text: String,
    /// Whether it changes no more.
    pub done: bool,
    /// When it began, in milliseconds since the call's first audio.
    pub at_ms: u64,
}

/// How samples are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Signed 16 bits, little-endian.
    L16,
    /// G.711 µ-law.
    Mulaw,
    /// G.711 A-law.
    Alaw,
}

/// What a socket's audio holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One track.
    Mono(Track),
    /// Both tracks, summed: nobody can be told apart.
    Mixed,
    /// Both tracks, interleaved, [`Track::Inbound`] first.
    Stereo,
}

/// How a socket's bytes are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// How samples are written.
    pub encoding: Encoding,
    /// Samples a second and channel, 8,000 to 192,000.
    pub rate: u32,
    /// What the channels are.
    pub layout: Layout,
}

/// Which way in: the switch's kind, for settings, metrics and what may be said to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// mod_audio_fork of drachtio and jambonz, mod_audio_stream.
    AudioFork,
    /// Twilio Media Streams.
    Twilio,
    /// Asterisk's chan_websocket.
    Asterisk,
    /// Asterisk's AudioSocket, over TCP.
    AudioSocket,
}

impl Door {
    /// The name in metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AudioFork => "audio_fork",
            Self::Twilio => "twilio",
            Self::Asterisk => "asterisk",
            Self::AudioSocket => "audio_socket",
        }
    }
}

/// What a PBX tells of a call: each part may be missing, come late or come again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The call's id; of two mono forks of one call, the one that they share.
    pub call: Option<String>,
    /// Whether this is a connection probe (nil ids): it starts no call.
    pub probe: bool,
    /// Samples a second.
    pub rate: Option<u32>,
    /// What the channels are.
    pub layout: Option<Shape>,
    /// How samples are written.
    pub encoding: Option<Encoding>,
    /// Who is on the forked leg.
    pub leg: Option<Leg>,
    /// Whether we called the patient: then the 'caller' is the operator (never equate the two).
    pub outbound_call: Option<bool>,
    /// The agent's extension, for the desk.
    pub extension: Option<String>,
    /// The patient's telephone: for a call back and nothing else (R9).
    pub phone: Option<String>,
    /// Whether the PBX wants the transcript back as `transcription` messages.
    pub transcripts: Option<bool>,
    /// The rest, as texts.
    pub variables: BTreeMap<String, String>,
}

/// What the channels are, before it is known whose leg is forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One channel: what the forked leg says.
    Mono,
    /// One channel, both summed.
    Mixed,
    /// Two channels.
    Stereo,
}

/// Whose leg it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// The patient's.
    Patient,
    /// The operator's.
    Operator,
}

impl Leg {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Patient => Self::Operator,
            Self::Operator => Self::Patient,
        }
    }
}

/// What a PBX's socket tells, whatever the PBX.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Something of the call.
    Metadata(Box<Metadata>),
    /// Audio in the announced format; `track` where the protocol names one for each message.
    Audio {
        /// Whose, where it is told apart by message and not by channel.
        track: Option<Track>,
        /// As they came; a sample may be cut in two.
        bytes: Vec<u8>,
    },
    /// A line that the PBX's own recogniser heard.
    Line(Line),
    /// Such a line of which only the track is told: whose it is depends on whose leg is forked.
    TrackLine {
        /// The track, of the forked leg.
        track: Track,
        /// The words.
        text: String,
        /// Whether it changes no more.
        done: bool,
    },
    /// A key was pressed: 0–9, *, #, A–D.
    Dtmf(char),
    /// The call is on hold, or no longer.
    Hold(bool),
    /// The operator is on the line from now on.
    Bridged,
    /// No more audio comes: finish, then close.
    Flush,
    /// The call is over, by the PBX's own word.
    HungUp,
    /// Audio is announced in a form that isn't read: its name, shortened.
    Unreadable(String),
}

/// A line that somebody else's recogniser heard: partials replace each other until the final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Who spoke.
    pub leg: Leg,
    /// The words.
    pub text: String,
    /// Whether it changes no more.
    pub done: bool,
}

/// A socket of a fork once it is known whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    /// The call.
    pub call: CallId,
    /// The way in.
    pub door: Door,
    /// The tracks that it carries, in the call's own terms: of two mono forks the patient's is
    /// [`Track::Inbound`].
    pub layout: Layout,
    /// Which track is the patient's.
    pub patient: Track,
    /// What was told so far.
    pub metadata: Metadata,
    /// How much audio came before it was known which call it is: the first pieces are so much older.
    pub waited: Duration,
}

/// What a socket's intake hands to the ears, after its [`Fork`].
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Samples of one moment, at most 200 ms. A track that the socket doesn't carry is empty, and so is
    /// the other one where the PBX sends each track by itself (Twilio); in a mixed fork all of it is in
    /// `inbound`.
    Samples {
        /// Samples a second.
        rate: u32,
        /// Of [`Track::Inbound`].
        inbound: Vec<i16>,
        /// Of [`Track::Outbound`].
        outbound: Vec<i16>,
    },
    /// Told late, or again: what this message said, not all of it.
    Metadata(Box<Metadata>),
    /// The [`Fork`] was opened before that was known: from here the socket carries this.
    Changed {
        /// See [`Fork::layout`].
        layout: Layout,
        /// See [`Fork::patient`].
        patient: Track,
    },
    /// See [`Told::Line`].
    Line(Line),
    /// See [`Told::Dtmf`].
    Dtmf(char),
    /// See [`Told::Hold`].
    Hold(bool),
    /// See [`Told::Bridged`].
    Bridged,
    /// Both channels are the same: one is dropped, and the desk is told that nobody can be told apart.
    Duplicated,
    /// No more audio comes from this socket, but the call isn't said to be over.
    Finished,
    /// The call is over.
    HungUp,
}
