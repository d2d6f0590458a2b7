//! The table of channels: how they differ is data, never a branch (E1, E6, DECISIONS 10).
use crate::call::{Answered, LINGER};
use crate::identity;
use crate::phrases::{FILLER, HOLDING_BOT, HOLDING_BOT_AGAIN, HOLDING_COPILOT};
use crate::protocol::retell;
use crate::settings::{self, Setting, Snapshot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Where a conversation comes in: the `source` of events and the scope of settings.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// The Retell voice bot.
    Retell,
    /// A call forked from a PBX: the copilot.
    AudioFork,
    /// The ElevenLabs voice bot.
    #[serde(rename = "elevenlabs")]
    ElevenLabs,
    /// WhatsApp, through ElevenLabs.
    #[serde(rename = "whatsapp")]
    WhatsApp,
}

impl Channel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Retell, Self::AudioFork, Self::ElevenLabs, Self::WhatsApp];

    /// The name in events, settings and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retell => "retell",
            Self::AudioFork => "audio_fork",
            Self::ElevenLabs => "elevenlabs",
            Self::WhatsApp => "whatsapp",
        }
    }

    /// Finds a channel by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }

    /// This channel's row.
    pub fn profile(self) -> &'static Profile {
        match self {
            Self::Retell => &RETELL,
            Self::AudioFork => &AUDIO_FORK,
            Self::ElevenLabs => &ELEVENLABS,
            Self::WhatsApp => &WHATSAPP,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A figure of a channel: fixed in code, or a setting's.
#[derive(Clone, Copy, Debug)]
pub enum Figure {
    /// No setting can change it.
    Fixed(usize),
    /// Resolved per turn.
    Setting(&'static Setting),
}

impl Figure {
    /// The figure in force for a turn.
    pub fn resolve(self, settings: &Snapshot, channel: Channel) -> usize {
        match self {
            Self::Fixed(n) => n,
            Self::Setting(setting) => settings.count(setting, channel),
        }
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Profile {
    /// Whose row it is.
    pub channel: Channel,
    /// Words under which a turn isn't searched (R30).
    pub min_words: Figure,
    /// Longest answer, in tokens.
    pub max_tokens: Figure,
    /// Turns of history in the prompt; `None` is all of them.
    pub history: Option<Figure>,
    /// The base prompt's key (E3).
    pub prompt_key: &'static str,
    /// Whether the equipment that the patient named goes before the query (DECISIONS 6).
    pub query_prefix: bool,
    /// Whether a turn that names equipment, a code or an alarm is searched however short (R30).
    pub always_rag_on_equipment: bool,
    /// Whether a named model stays in play after its turn (R7, DECISIONS 7).
    pub sticky: bool,
    /// Whether the first hit holds for the call (R23, DECISIONS 8).
    pub lock_context: bool,
    /// Whether answers are spoken aloud: no Markdown, lists or URLs (DECISIONS 29).
    pub spoken: bool,
    /// Whether Aura itself speaks to the patient. A bot owes the caller words in time and notes call backs
    /// on the desk (S3); the copilot's words are an operator's to say.
    pub bot: bool,
    /// Whether what the patient says is answered on the operators' desk, unasked: cards instead of speech, once
    /// the patient pauses and an operator has the call (E8, E9).
    pub suggests: bool,
    /// How a caller's lines may give a document; `None` where they can't: then the keypad may (R10).
    pub documents: Option<identity::Source>,
    /// Seconds that a call whose socket broke waits for it to come back.
    pub grace: Figure,
    /// Seconds that one whose socket was closed with goodbye waits: peers redial after that too.
    pub grace_clean: u64,
    /// Whether the peer can transfer the caller to a telephone (S1).
    pub transfers: bool,
    /// What a bot says while an answer takes long; `None` where nobody listens to silence.
    pub filler: Option<&'static str>,
    /// The sentence for when nothing may be said (S3).
    pub holding: &'static str,
    /// The same once it was said in this call.
    pub holding_again: &'static str,
    /// The channel's switch: `answer`, `hold` or `off`.
    pub mode: &'static Setting,
    /// Builds the gateway's `suggestion_generated` (E10, DECISIONS 25); `None` until it has a gateway. A card's is
    /// [`crate::suggestion::Card::payload`].
    pub suggestion_payload: Option<fn(&Answered) -> Value>,
}

/// Voice: four words and 80 tokens, fixed in code (E6).
const VOICE: Profile = Profile {
    channel: Channel::ElevenLabs,
    min_words: Figure::Fixed(4),
    max_tokens: Figure::Fixed(80),
    history: None,
    prompt_key: "agent_identity",
    query_prefix: true,
    always_rag_on_equipment: false,
    sticky: true,
    lock_context: false,
    spoken: true,
    bot: true,
    suggests: false,
    documents: None,
    grace: Figure::Fixed(LINGER.as_secs() as usize),
    grace_clean: 15,
    transfers: true,
    filler: Some(FILLER.es),
    holding: HOLDING_BOT.es,
    holding_again: HOLDING_BOT_AGAIN.es,
    mode: &settings::ELEVENLABS_MODE,
    suggestion_payload: None,
};
static ELEVENLABS: Profile = VOICE;
/// The Retell voice bot's row.
pub const RETELL: Profile = Profile {
    channel: Channel::Retell,
    lock_context: true,
    mode: &settings::RETELL_MODE,
    suggestion_payload: Some(retell::suggestion_payload),
    ..VOICE
};
static WHATSAPP: Profile = Profile {
    channel: Channel::WhatsApp,
    min_words: Figure::Fixed(1),
    max_tokens: Figure::Fixed(200),
    prompt_key: "agent_identity_whatsapp",
    always_rag_on_equipment: true,
    spoken: false,
    documents: Some(identity::Source::Chat),
    transfers: false,
    filler: None,
    mode: &settings::WHATSAPP_MODE,
    ..VOICE
};
static AUDIO_FORK: Profile = Profile {
    channel: Channel::AudioFork,
    min_words: Figure::Setting(&settings::SUGGESTION_MIN_WORDS),
    max_tokens: Figure::Setting(&settings::SUGGESTION_MAX_TOKENS),
    history: Some(Figure::Setting(&settings::SUGGESTION_MAX_HISTORY)),
    prompt_key: "copilot_identity",
    query_prefix: false,
    always_rag_on_equipment: false,
    sticky: false,
    lock_context: false,
    spoken: true,
    bot: false,
    suggests: true,
    documents: Some(identity::Source::Dictated),
    grace: Figure::Setting(&settings::AUDIO_FORK_GRACE),
    grace_clean: 3, // a switch says goodbye when the call is over
    transfers: false,
    filler: None,
    holding: HOLDING_COPILOT.es,
    holding_again: HOLDING_COPILOT.es,
    mode: &settings::AUDIO_FORK_MODE,
    suggestion_payload: None,
};
