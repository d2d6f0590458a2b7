//! Every setting there is: its name, what it holds, what it does.
use super::{Fallback, Kind, Setting};
use crate::channel::Channel;

const fn setting(name: &'static str, kind: Kind, default: Fallback, about: &'static str) -> Setting {
    Setting { name, kind, default, channel_defaults: &[], per_channel: true, about }
}

const UNIT: Kind = Kind::Number { min: 0.0, max: 1.0 };

/// Threshold of supervisors' corrections (R2).
pub static SIMILARITY_THRESHOLD: Setting = setting(
    "rag.similarityThreshold",
    UNIT,
    Fallback::Number(0.78),
    "score from which a supervisor's correction is injected",
);
/// Threshold of approved answers (R2).
pub static APPROVED_THRESHOLD: Setting = setting(
    "rag.approvedThreshold",
    UNIT,
    Fallback::Number(0.85),
    "score from which an approved answer is injected",
);
/// Threshold of the manuals (R3); a global row of [`SEEDED_KNOWLEDGE_THRESHOLD`] is seeded at boot.
pub static KNOWLEDGE_THRESHOLD: Setting = setting(
    "rag.knowledgeThreshold",
    UNIT,
    Fallback::Number(0.60),
    "score from which the nearest row of a manual is injected",
);
/// The global row of [`KNOWLEDGE_THRESHOLD`] at first boot (DECISIONS 1).
pub const SEEDED_KNOWLEDGE_THRESHOLD: f64 = 0.55;
/// Whether to ask which equipment it is (DECISIONS 4).
pub static ASK_WHEN_EQUIPMENT_UNKNOWN: Setting = setting(
    "rag.askWhenEquipmentUnknown",
    Kind::Flag,
    Fallback::Flag(true),
    "ask for the model when a device's row is nearest but its model is unknown; false: a miss",
);
/// Patient turns for which a named model stays in the filter (DECISIONS 7).
pub static STICKY_TURNS: Setting = setting(
    "equipment.stickyTurns",
    Kind::Integer { min: 1, max: 100 },
    Fallback::Integer(10),
    "patient turns for which a named model stays in play without being named again (bots)",
);
/// Minutes for which a named model stays in the filter (DECISIONS 7).
pub static STICKY_MINUTES: Setting = Setting {
    name: "equipment.stickyMinutes",
    kind: Kind::Integer { min: 1, max: 240 },
    default: Fallback::Integer(5),
    channel_defaults: &[(Channel::WhatsApp, Fallback::Integer(15))],
    per_channel: true,
    about: "minutes for which a named model stays in play without being named again (bots)",
};
/// The copilot's short-turn gate, in words (R30).
pub static SUGGESTION_MIN_WORDS: Setting = copilot(
    "suggestion.minWords",
    Kind::Integer { min: 0, max: 50 },
    Fallback::Integer(4),
    "words under which a turn isn't searched (copilot; the bots' are fixed in code)",
);
/// The copilot's answer length, in tokens.
pub static SUGGESTION_MAX_TOKENS: Setting = copilot(
    "suggestion.maxTokens",
    Kind::Integer { min: 20, max: 1000 },
    Fallback::Integer(120),
    "longest suggestion, in tokens (copilot; the bots' are fixed in code)",
);
/// The copilot's history, in turns.
pub static SUGGESTION_MAX_HISTORY: Setting = copilot(
    "suggestion.maxHistoryTurns",
    Kind::Integer { min: 0, max: 200 },
    Fallback::Integer(12),
    "turns of history in the prompt (copilot)",
);
/// The copilot's debounce, in milliseconds.
pub static SUGGESTION_DEBOUNCE_MS: Setting = copilot(
    "suggestion.debounceMs",
    Kind::Integer { min: 0, max: 5000 },
    Fallback::Integer(400),
    "silence before a suggestion is started, in milliseconds (copilot)",
);
/// What the Retell bot says first; `{nombre}` is filled from the call's variables.
pub static RETELL_GREETING: Setting = Setting {
    name: "retell.greeting",
    kind: Kind::Text { max_chars: 300 },
    default: Fallback::Text(crate::phrases::GREETING.es),
    channel_defaults: &[],
    per_channel: false,
    about: "the Retell bot's first words; {nombre} is the caller's name where Retell tells it",
};
/// How long a forked call whose socket broke waits for it to come back.
pub static AUDIO_FORK_GRACE: Setting = Setting {
    name: "audioFork.graceSecs",
    kind: Kind::Integer { min: 1, max: 600 },
    default: Fallback::Integer(30),
    channel_defaults: &[],
    per_channel: false,
    about: "seconds for which a forked call whose socket broke is still the same call",
};
/// Who is on the leg that FreeSWITCH or jambonz forks.
pub static AUDIO_FORK_PATIENT: Setting = patient("audioFork.patient");
/// Who is on the leg that Twilio streams.
pub static TWILIO_PATIENT: Setting = patient("twilio.patient");
/// Who is on the channel that Asterisk streams.
pub static ASTERISK_PATIENT: Setting = patient("asterisk.patient");

/// Which track of a stereo fork is the patient's, where the switch doesn't say it.
const fn patient(name: &'static str) -> Setting {
    Setting {
        name,
        kind: Kind::OneOf(&[INBOUND, OUTBOUND]),
        default: Fallback::Text(INBOUND),
        channel_defaults: &[],
        per_channel: false,
        about: "whose leg is forked, where the switch doesn't say: inbound: the patient's (what that leg says is the patient); outbound: the operator's",
    }
}
/// The forked leg is the patient's.
pub const INBOUND: &str = "inbound";
/// The forked leg is the operator's.
pub const OUTBOUND: &str = "outbound";

/// When a caller who still waits for the first words hears a filler (never mute).
pub static ANSWER_FILLER_MS: Setting = setting(
    "answer.fillerAfterMs",
    Kind::Integer { min: 200, max: 30_000 },
    Fallback::Integer(2000),
    "milliseconds without a released word after which a voice bot says a short filler",
);
/// When a caller who still waits hears the channel's sentence instead of an answer (S3).
pub static ANSWER_HOLD_MS: Setting = setting(
    "answer.holdAfterMs",
    Kind::Integer { min: 500, max: 60_000 },
    Fallback::Integer(4000),
    "milliseconds without a released word after which a bot gives up the answer and says its holding sentence",
);
/// Whom a patient in danger shall call (S1).
pub static EMERGENCY_NUMBER: Setting = setting(
    "emergency.number",
    Kind::Phone { optional: false },
    Fallback::Text("911"),
    "the emergency number that red-flag texts name",
);
/// Where a bot transfers a caller in danger, on channels that can.
pub static TRANSFER_NUMBER: Setting = setting(
    "transfer.number",
    Kind::Phone { optional: true },
    Fallback::Text(""),
    "the desk's telephone a bot transfers to; empty: a call back is noted instead",
);
/// Whether a model writes the summary of a call too.
pub static SUMMARY_BY_MODEL: Setting = setting(
    "summary.byModel",
    Kind::Flag,
    Fallback::Flag(false),
    "after a call a model words its summary anew; false: the rule's alone, which stands wherever the model fails",
);
/// For load tests: the context of every turn, without a search.
pub static FIXED_CONTEXT: Setting = Setting {
    name: "rag.fixedContext",
    kind: Kind::Text { max_chars: 4000 },
    default: Fallback::Text(""),
    channel_defaults: &[],
    per_channel: true,
    about: "for load tests only: when not empty nothing is searched and every prompt carries this text; it supports no technical sentence",
};
/// Whether the Retell bot answers.
pub static RETELL_MODE: Setting = mode("retell.mode");
/// Whether the copilot suggests.
pub static AUDIO_FORK_MODE: Setting = mode("audio_fork.mode");
/// Whether the ElevenLabs bot answers.
pub static ELEVENLABS_MODE: Setting = mode("elevenlabs.mode");
/// Whether the WhatsApp bot answers.
pub static WHATSAPP_MODE: Setting = mode("whatsapp.mode");

/// The switch of one channel, for whoever is on call.
const fn mode(name: &'static str) -> Setting {
    Setting {
        name,
        kind: Kind::OneOf(&[ANSWER, HOLD, OFF]),
        default: Fallback::Text(ANSWER),
        channel_defaults: &[],
        per_channel: false,
        about: "answer: as usual; hold: no search and no model, the holding sentence alone (red flags still act); off: hold, and new calls are refused",
    }
}
/// A channel's mode: as usual.
pub const ANSWER: &str = "answer";
/// A channel's mode: only red flags and the holding sentence.
pub const HOLD: &str = "hold";
/// A channel's mode: as `hold`, and no new call is taken.
pub const OFF: &str = "off";

/// For how many days the lines of a call's journal are kept, its transcript among them.
pub static RETENTION_TRANSCRIPTS: Setting =
    retention("retention.transcriptsDays", 180, "days for which transcripts and calls' journals are kept");
/// For how many days facts are kept.
pub static RETENTION_EVENTS: Setting =
    retention("retention.eventsDays", 730, "days for which the event log is kept");
/// For how many days call backs are kept after they were settled.
pub static RETENTION_CALLBACKS: Setting =
    retention("retention.callbacksDays", 90, "days for which call backs are kept after they were settled");
/// For how many days an answer of the patients' system is kept.
pub static RETENTION_PATIENT_CACHE: Setting = retention(
    "retention.patientCacheDays",
    30,
    "days for which the models of a patient are kept for when the patients' system is away",
);
/// For how many days it is kept which calls were whose.
pub static RETENTION_IDENTITIES: Setting = retention(
    "retention.identitiesDays",
    180,
    "days for which it is kept which calls were whose; after that they can't be exported or erased by document",
);
/// When the nightly job runs.
pub static RETENTION_HOUR: Setting = copilot(
    "retention.hour",
    Kind::Integer { min: 0, max: 23 },
    Fallback::Integer(3),
    "hour of Buenos Aires at which what is over its age is deleted",
);

/// How long one kind of data is kept: a day at least, since nought would delete calls that are live.
const fn retention(name: &'static str, days: i64, about: &'static str) -> Setting {
    copilot(name, Kind::Integer { min: 1, max: 3650 }, Fallback::Integer(days), about)
}

/// How long a forked call may wait for an operator before the desk is alerted.
pub static DESK_UNCLAIMED_ALERT_SECS: Setting = copilot(
    "desk.unclaimedAlertSecs",
    Kind::Integer { min: 0, max: 3600 },
    Fallback::Integer(30),
    "seconds after which a forked call that no operator has claimed is shown as overdue; 0: never",
);

const fn copilot(name: &'static str, kind: Kind, default: Fallback, about: &'static str) -> Setting {
    Setting { name, kind, default, channel_defaults: &[], per_channel: false, about }
}

/// Every setting there is.
pub static REGISTRY: [&Setting; 32] = [
    &SIMILARITY_THRESHOLD,
    &APPROVED_THRESHOLD,
    &KNOWLEDGE_THRESHOLD,
    &ASK_WHEN_EQUIPMENT_UNKNOWN,
    &STICKY_TURNS,
    &STICKY_MINUTES,
    &SUGGESTION_MIN_WORDS,
    &SUGGESTION_MAX_TOKENS,
    &SUGGESTION_MAX_HISTORY,
    &SUGGESTION_DEBOUNCE_MS,
    &RETELL_GREETING,
    &AUDIO_FORK_GRACE,
    &AUDIO_FORK_PATIENT,
    &TWILIO_PATIENT,
    &ASTERISK_PATIENT,
    &ANSWER_FILLER_MS,
    &ANSWER_HOLD_MS,
    &EMERGENCY_NUMBER,
    &TRANSFER_NUMBER,
    &SUMMARY_BY_MODEL,
    &FIXED_CONTEXT,
    &RETELL_MODE,
    &AUDIO_FORK_MODE,
    &ELEVENLABS_MODE,
    &WHATSAPP_MODE,
    &RETENTION_TRANSCRIPTS,
    &RETENTION_EVENTS,
    &RETENTION_CALLBACKS,
    &RETENTION_PATIENT_CACHE,
    &RETENTION_IDENTITIES,
    &RETENTION_HOUR,
    &DESK_UNCLAIMED_ALERT_SECS,
];
