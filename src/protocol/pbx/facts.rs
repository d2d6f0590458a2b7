//! The names under which PBXs and those who programme them tell things of a call.
//!
//! Names are compared without case, blanks, `_` and `-`, and without `aura` before them: `sampleRate`,
//! `sample_rate` and `AURA_SAMPLE_RATE` are one.
use crate::ears::{Encoding, Leg, Metadata, Shape, Track, is_nil};
use crate::settings::is_phone;

/// The call's id. First what both legs share, then what names one leg.
const CALL: [&str; 9] =
    ["call", "bridgeid", "bridgeuuid", "linkedid", "callsid", "callid", "uuid", "uniqueid", "channelid"];
const RATE: [&str; 3] = ["samplerate", "rate", "samplingrate"];
const LAYOUT: [&str; 4] = ["mixtype", "ch", "channels", "layout"];
const ENCODING: [&str; 2] = ["encoding", "audioencoding"];
const LEG: [&str; 3] = ["leg", "role", "forkedleg"];
const DIRECTION: [&str; 2] = ["direction", "calldirection"];
const EXTENSION: [&str; 8] = [
    "extension",
    "agentextension",
    "operatorextension",
    "exten",
    "agent",
    "operator",
    "agentid",
    "operatorid",
];
const PATIENT: [&str; 4] = ["patient", "patientphone", "patientnumber", "phone"];
const FROM: [&str; 5] = ["from", "fromnumber", "caller", "callernumber", "calleridnumber"];
const TO: [&str; 5] = ["to", "tonumber", "called", "callednumber", "destinationnumber"];
const TRANSCRIPTS: [&str; 2] = ["transcripts", "sendtranscripts"];
/// What is of no use to a conversation, and telephone numbers, which are no identity (R9).
const LEFT_OUT: [&str; 28] = [
    "accountsid",
    "applicationsid",
    "callerid",
    "calleridname",
    "callername",
    "callstatus",
    "channel",
    "connectionid",
    "event",
    "eventname",
    "format",
    "fspublicip",
    "localsipaddress",
    "mediawebsocketconnectionid",
    "mediawebsocketoptimalframesize",
    "optimalframesize",
    "originatingsipip",
    "originatingsiptrunkname",
    "parentcallsid",
    "protocol",
    "ptime",
    "servicesid",
    "sipreason",
    "sipstatus",
    "streamsid",
    "token",
    "traceid",
    "type",
];
const NAMED: [&[&str]; 11] =
    [&CALL, &RATE, &LAYOUT, &ENCODING, &LEG, &DIRECTION, &EXTENSION, &FROM, &TO, &TRANSCRIPTS, &LEFT_OUT];

/// What other languages write for "nothing", lower case.
const UNSET: [&str; 6] = ["", "null", "none", "undefined", "nan", "nil"];

/// Names and values as they came, in order of precedence.
#[derive(Clone, Debug, Default)]
pub struct Facts(Vec<Fact>);

#[derive(Clone, Debug)]
struct Fact {
    key: String,
    name: String,
    value: String,
}

impl Facts {
    /// Adds one, unless it says nothing.
    pub(in crate::protocol) fn push(&mut self, name: &str, value: &str) {
        let (name, value) = (one_line(name), one_line(value));
        if !UNSET.contains(&value.to_lowercase().as_str()) {
            self.0.push(Fact { key: key(&name), name, value });
        }
    }

    /// The value under the first of these names that is there.
    pub(in crate::protocol) fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.0.iter().find(|fact| fact.key == **name)).map(|f| f.value.as_str())
    }

    /// The same, as a word to compare with: see the module.
    pub(in crate::protocol) fn word(&self, names: &[&str]) -> Option<String> {
        self.get(names).map(key)
    }

    /// All of it that is of the call.
    pub(in crate::protocol) fn metadata(&self) -> Metadata {
        let patient_track = self.get(&PATIENT).and_then(track);
        let leg = self.get(&LEG).and_then(leg).or(patient_track.map(|track| match track {
            Track::Inbound => Leg::Patient,
            Track::Outbound => Leg::Operator,
        }));
        let outbound_call = self.outbound(leg);
        let mut metadata = Metadata {
            call: self.get(&CALL).map(str::to_owned),
            probe: self.get(&CALL).is_some_and(is_nil),
            rate: self.get(&RATE).and_then(rate),
            layout: self.get(&LAYOUT).and_then(shape),
            encoding: self.get(&ENCODING).and_then(encoding),
            leg,
            outbound_call,
            extension: self.get(&EXTENSION).map(|text| text.chars().take(64).collect()),
            phone: self.phone(outbound_call),
            transcripts: self.get(&TRANSCRIPTS).and_then(flag),
            ..Metadata::default()
        };
        for fact in &self.0 {
            let known = NAMED.iter().any(|names| names.contains(&fact.key.as_str()));
            let number = PATIENT.contains(&fact.key.as_str()) && phone_or_track(&fact.value);
            if !known && !number && !fact.name.is_empty() && !metadata.variables.contains_key(&fact.name) {
                metadata.set_variable(&fact.name, &fact.value);
            }
        }
        metadata
    }

    /// Whether we called the patient. An operator's leg is dialled by the PBX whoever called: its direction
    /// tells nothing.
    fn outbound(&self, leg: Option<Leg>) -> Option<bool> {
        let told = track(self.get(&DIRECTION)?)?;
        (leg != Some(Leg::Operator)).then_some(told == Track::Outbound)
    }

    /// The patient's telephone: as such, or that of the end which isn't ours; only where that is known.
    fn phone(&self, outbound_call: Option<bool>) -> Option<String> {
        let far_end = || match outbound_call? {
            true => self.get(&TO).and_then(phone),
            false => self.get(&FROM).and_then(phone),
        };
        self.get(&PATIENT).and_then(phone).or_else(far_end)
    }
}

/// A name or a word, to be compared: see the module.
pub(in crate::protocol) fn key(text: &str) -> String {
    let key: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    match key.strip_prefix("aura") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => key,
    }
}

/// Without line breaks: one could pass for a heading in a prompt.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `8000`, `8k`, `16 kHz`.
pub(super) fn rate(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix("hz").unwrap_or(&text).trim();
    match text.strip_suffix('k') {
        Some(thousands) => thousands.trim().parse::<u32>().ok()?.checked_mul(1000),
        None => text.strip_suffix(".0").unwrap_or(text).parse().ok(),
    }
}

pub(super) fn shape(text: &str) -> Option<Shape> {
    match key(text).as_str() {
        "mono" | "1" => Some(Shape::Mono),
        "mixed" => Some(Shape::Mixed),
        "stereo" | "2" => Some(Shape::Stereo),
        _ => None,
    }
}

/// Names of encodings, also as media types with parameters.
pub(in crate::protocol) fn encoding(text: &str) -> Option<Encoding> {
    let word = key(text.split(';').next()?);
    let word = word.strip_prefix("audio").unwrap_or(&word);
    match word.strip_prefix('x').unwrap_or(word) {
        "l16" | "linear16" | "pcm" | "pcms16le" | "s16le" | "slin" | "raw" => Some(Encoding::L16),
        "mulaw" | "ulaw" | "pcmu" => Some(Encoding::Mulaw),
        "alaw" | "pcma" => Some(Encoding::Alaw),
        _ => None,
    }
}

/// Whose leg. 'Caller' is nobody's name: where we call, it is the operator.
pub(in crate::protocol) fn leg(text: &str) -> Option<Leg> {
    match key(text).as_str() {
        "patient" | "paciente" | "customer" | "cliente" | "client" | "external" => Some(Leg::Patient),
        "operator" | "operador" | "operadora" | "agent" | "agente" | "internal" => Some(Leg::Operator),
        _ => None,
    }
}

/// `inbound`, `outbound`, also `inbound_track`, `outbound-api` and the like.
pub(in crate::protocol) fn track(text: &str) -> Option<Track> {
    let word = key(text);
    match word.as_str() {
        "in" | "incoming" => Some(Track::Inbound),
        "out" | "outgoing" => Some(Track::Outbound),
        _ if word.starts_with("inbound") => Some(Track::Inbound),
        _ if word.starts_with("outbound") => Some(Track::Outbound),
        _ => None,
    }
}

pub(super) fn flag(text: &str) -> Option<bool> {
    match key(text).as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A telephone number, also out of a SIP address.
fn phone(text: &str) -> Option<String> {
    let text = ["sips:", "sip:", "tel:"].iter().find_map(|p| text.strip_prefix(p)).unwrap_or(text);
    let user = text.split(['@', ';']).next().unwrap_or_default();
    let number: String = user.chars().filter(|c| !matches!(c, ' ' | '-' | '(' | ')' | '.')).collect();
    is_phone(&number).then_some(number)
}

pub(super) fn phone_or_track(text: &str) -> bool {
    phone(text).is_some() || track(text).is_some()
}

/// Whether it is a key of a telephone.
pub(in crate::protocol) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '*' | '#' | 'A'..='D')
}
