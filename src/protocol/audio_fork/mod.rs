//! mod_audio_fork of drachtio and jambonz, and mod_audio_stream: JSON in text frames, samples in binary ones.
mod event;
mod outbound;

pub use outbound::transcription;

use super::pbx::{Decoded, objects};
use crate::ears::Told;

/// Reads one text frame: any number of JSON objects, one after the other (a switch glues together what it
/// had to hold back). Names may be spelled `sampleRate`, `sample_rate` and the like; unknown names never
/// fail. What an object tells is decided by its `event`, `type` or `Event-Name`:
///
/// | event | told |
/// |---|---|
/// | `dtmf`, `dtmf_end`; or none, with `dtmf` or `digit` | the keys in `dtmf`, `digit`, `digits`, `DTMF-Digit` |
/// | `hold`, `CHANNEL_HOLD`, `held` | on hold |
/// | `unhold`, `CHANNEL_UNHOLD`, `resume`, `resumed`, `retrieve` | no longer on hold |
/// | `bridge`, `bridged`, `CHANNEL_BRIDGE`, `operator_joined`, `transfer`, `transferred` | the operator is on the line; with `extension`, which one |
/// | `hangup`, `CHANNEL_HANGUP`, `hungup`, `bye`, `call_ended`, `ended` | the call is over |
/// | `stop`, `flush` | no more audio comes |
/// | `transcript`, `transcription` | a line: `text`, its `leg` (`patient` or `operator`) or its `track` (`inbound` or `outbound`), `final` (true unless it says false) |
/// | another or none | metadata; with a `callStatus` of `completed`, `failed`, `busy` or `no-answer` the call is over too |
///
/// Metadata: the call's id (`call`, `bridgeId`, `linkedid`, `callSid`, `callId`, `uuid`, in this order: those
/// come first that two forks of a call share), `sampleRate`, `mixType` or `channels`, `leg` or `role`,
/// `direction`, `from` and `to`, `extension` or `agent`, `transcripts`; all else is a variable, as are the
/// members of objects within (`customerData`).
pub fn text(frame: &str) -> Decoded {
    objects(frame, event::read)
}

/// Reads one binary frame: samples, or none if the fork is about to end.
pub fn binary(bytes: Vec<u8>) -> Told {
    if bytes.is_empty() { Told::Flush } else { Told::Audio { track: None, bytes } }
}
