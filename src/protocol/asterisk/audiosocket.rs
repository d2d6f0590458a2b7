//! AudioSocket: kind, length and payload, one after the other over plain TCP.
use crate::ears::{Encoding, Leg, Metadata, Shape, Told};
use crate::protocol::pbx::{Decoded, FrameError, is_digit};

/// Kind and length.
const HEADER: usize = 3;
const HANGUP: u8 = 0x00;
const UUID: u8 = 0x01;
const DTMF: u8 = 0x03;
const ERROR: u8 = 0xff;
/// Audio of the kinds from 0x10 on, samples a second.
const RATES: [u32; 9] = [8_000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];
const AUDIO: u8 = 0x10;

/// Reads one connection, in whatever pieces TCP delivers it.
#[derive(Clone, Debug)]
pub struct AudioSocket {
    pairing: bool,
    /// Of a frame that isn't complete: at most one.
    rest: Vec<u8>,
    rate: Option<u32>,
    broken: bool,
}

impl AudioSocket {
    /// A connection at its start. With `pairing`, the last hexadecimal digit of a UUID tells the leg: 0 the
    /// patient's, 1 the operator's, and the call's id is the UUID with 0 there; any other digit is a call
    /// by itself. A PBX has no other way to say that two connections are one call.
    pub fn new(pairing: bool) -> Self {
        Self { pairing, rest: Vec::new(), rate: None, broken: false }
    }

    /// What these bytes complete. After a fault nothing more is read: the connection is to be closed.
    pub fn push(&mut self, bytes: &[u8]) -> Decoded {
        let mut decoded = Decoded::default();
        if self.broken {
            return decoded;
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let mut at = 0;
        while let Some((&[kind, high, low], body)) = all[at..].split_first_chunk::<HEADER>() {
            let len = usize::from(u16::from_be_bytes([high, low]));
            if let Err(fault) = check(kind, len) {
                self.broken = true;
                decoded.fault = Some(fault);
                return decoded;
            }
            let Some(payload) = body.get(..len) else { break };
            at += HEADER + len;
            match self.frame(kind, payload, &mut decoded.told) {
                Ok(()) => {}
                Err(fault) => {
                    self.broken = true;
                    decoded.fault = Some(fault);
                    return decoded;
                }
            }
        }
        self.rest = all.split_off(at);
        decoded
    }

    fn frame(&mut self, kind: u8, payload: &[u8], told: &mut Vec<Told>) -> Result<(), FrameError> {
        match kind {
            HANGUP => told.push(Told::HungUp),
            UUID => told.push(Told::Metadata(Box::new(self.named(payload)))),
            DTMF => {
                let keys = payload.iter().map(|byte| char::from(*byte).to_ascii_uppercase());
                told.extend(keys.filter(|c| is_digit(*c)).map(Told::Dtmf));
            }
            ERROR => return Err(FrameError::Peer { code: payload.first().copied() }),
            _ => self.audio(kind, payload, told),
        }
        Ok(())
    }

    fn audio(&mut self, kind: u8, payload: &[u8], told: &mut Vec<Told>) {
        let rate = rate(kind);
        if self.rate != rate {
            self.rate = rate;
            let metadata = Metadata {
                rate,
                layout: Some(Shape::Mono),
                encoding: Some(Encoding::L16),
                ..Metadata::default()
            };
            told.push(Told::Metadata(Box::new(metadata)));
        }
        told.push(Told::Audio { track: None, bytes: payload.to_vec() });
    }

    fn named(&self, uuid: &[u8]) -> Metadata {
        let mut digits: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        let leg = match digits.pop() {
            Some('0') if self.pairing => Some(Leg::Patient),
            Some('1') if self.pairing => Some(Leg::Operator),
            last => {
                digits.extend(last);
                None
            }
        };
        if leg.is_some() {
            digits.push('0');
        }
        let probe = digits.bytes().all(|b| b == b'0');
        for at in [20, 16, 12, 8] {
            digits.insert(at, '-');
        }
        Metadata { call: Some(digits), probe, leg, ..Metadata::default() }
    }
}

fn rate(kind: u8) -> Option<u32> {
    RATES.get(usize::from(kind.checked_sub(AUDIO)?)).copied()
}

/// Whether a frame of that kind may be so long.
fn check(kind: u8, len: usize) -> Result<(), FrameError> {
    let (fits, expected) = match kind {
        HANGUP => (len == 0, "none"),
        UUID => (len == 16, "16"),
        DTMF => (len == 1, "1"),
        ERROR => (len <= 8, "at most 8"),
        _ => match rate(kind) {
            Some(rate) => (len <= rate as usize * 2, "a second of audio at most"),
            None => return Err(FrameError::UnknownKind { kind }),
        },
    };
    if fits { Ok(()) } else { Err(FrameError::Length { kind, len, expected }) }
}
