//! A step as the PBX puts it on the wire: samples of both channels, and text frames at their time.
use super::espeak::{self, VoiceError};
use super::script::{ForkAction, Lines};
use super::voice::Speaker;
use crate::caller::heard::{WORD, beginnings};
use aura::ears::Leg;
use serde_json::json;

/// Samples a second and channel.
pub(super) const RATE: u32 = 8_000;
/// Samples of one frame and channel: 20 ms.
pub(super) const BLOCK: usize = RATE as usize / 50;

/// Partial lines before a final one, where the PBX recognises.
const PARTIALS: usize = 2;
/// How long a key is pressed, in milliseconds; what is told are ticks of RTP's 8 kHz clock.
const KEY_MS: u32 = 160;
/// From one key to the next, in seconds.
const KEY_TO_KEY: f64 = 0.3;

/// What goes over the wire in one step.
#[derive(Debug, Default)]
pub(super) struct Clip {
    /// What the forked leg says, and what it hears; the shorter one is silent at its end.
    tracks: [Vec<i16>; 2],
    /// Text frames, each with the number of samples that go before it.
    texts: Vec<(usize, String)>,
}

impl Clip {
    /// Silence of so many seconds.
    pub fn silence(seconds: f64) -> Self {
        let length = samples(seconds);
        Self { tracks: [vec![0; length], vec![0; length]], texts: Vec::new() }
    }

    /// What a step sounds like.
    pub async fn of(action: &ForkAction, forked: Leg, speaker: &Speaker) -> Result<Self, VoiceError> {
        Ok(match action {
            ForkAction::Speak(lines) => Self::speech(lines, forked, speaker).await?,
            ForkAction::Pause(seconds) | ForkAction::Lose(seconds) => Self::silence(*seconds),
            ForkAction::Hold(seconds) => {
                let mut hold = Self::silence(*seconds);
                hold.texts.push((0, json!({"event": "hold"}).to_string()));
                hold.texts.push((samples(*seconds), json!({"event": "unhold"}).to_string()));
                hold
            }
            ForkAction::Dtmf(keys) => {
                let mut clip = Self::silence(KEY_TO_KEY * keys.len() as f64);
                let key = |(n, key): (usize, char)| {
                    let told = json!({"event": "dtmf", "dtmf": key.to_string(), "duration": KEY_MS * 8});
                    (samples(KEY_TO_KEY * n as f64), told.to_string())
                };
                clip.texts = keys.chars().enumerate().map(key).collect();
                clip
            }
            ForkAction::HangUp => Self::default(),
        })
    }

    async fn speech(lines: &Lines, forked: Leg, speaker: &Speaker) -> Result<Self, VoiceError> {
        let mut clip = Self::default();
        for (leg, text) in lines.each() {
            let track = &mut clip.tracks[usize::from(leg != forked)];
            match speaker {
                Speaker::Espeak(program) => *track = espeak::speak(program, text, RATE).await?,
                Speaker::Text => {
                    let texts = recognised(leg, text);
                    *track = vec![0; texts.last().map_or(0, |(at, _)| *at)];
                    clip.texts.extend(texts);
                }
            }
        }
        clip.texts.sort_by_key(|(at, _)| *at);
        Ok(clip)
    }

    /// Its frames of 20 ms, each after the text frames that go before it; the last may be texts alone.
    pub fn frames(&self) -> impl Iterator<Item = (Vec<&str>, Option<Vec<u8>>)> {
        let length = self.tracks.iter().map(Vec::len).max().unwrap_or_default();
        let blocks = length.div_ceil(BLOCK);
        (0..=blocks).map(move |n| {
            let due = |at: usize| at.div_ceil(BLOCK) == n;
            let texts = self.texts.iter().filter(|(at, _)| due(*at)).map(|(_, text)| text.as_str()).collect();
            (texts, (n < blocks).then(|| self.frame(n * BLOCK)))
        })
    }

    fn frame(&self, from: usize) -> Vec<u8> {
        let of = |track: &Vec<i16>, at: usize| track.get(at).copied().unwrap_or(0i16).to_le_bytes();
        (from..from + BLOCK)
            .flat_map(|at| self.tracks.each_ref().map(|track| of(track, at)))
            .flatten()
            .collect()
    }
}

fn samples(seconds: f64) -> usize {
    (seconds * f64::from(RATE)).round() as usize
}

/// A line as the PBX's own recogniser hands it out: its beginnings as they are heard, then all of it.
fn recognised(leg: Leg, text: &str) -> Vec<(usize, String)> {
    let frame = |part: &str, done: bool| {
        let told = json!({"type": "transcript", "leg": leg, "text": part, "final": done});
        (samples(WORD * part.split_whitespace().count() as f64), told.to_string())
    };
    let partials = beginnings(text, PARTIALS).into_iter().map(|part| frame(&part, false));
    partials.chain([frame(text, true)]).collect()
}
