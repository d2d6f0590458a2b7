//! A scripted PBX: forks a call to a real websocket as mod_audio_fork does, and reads the transcript that comes back.
mod clip;
mod espeak;
mod live;
mod player;
mod report;
mod script;
mod seat;
mod transcript;
mod voice;
mod wire;

pub use espeak::VoiceError;
pub use live::Live;
pub use report::{ForkReport, HeardLine, PlayedStep};
pub use script::{Call, Direction, ForkAction, ForkScript, ForkStep, Hearing, Lines, Words};
pub use seat::{Shown, Sitting};
pub use voice::Voice;

use super::{CallerError, host, split};
use aura::ids::CallId;
use clip::Clip;
use serde_json::json;
use std::path::PathBuf;

/// How a forked call is played.
#[derive(Clone, Debug)]
pub struct Playing {
    /// So many times faster than life, more than 0.
    pub speed: f64,
    /// How lines are spoken.
    pub voice: Voice,
    /// The program that speaks: espeak-ng, or one that takes the same arguments.
    pub espeak: PathBuf,
    /// Where an operator sits who has the call; nobody does, where it isn't told.
    pub desk: Option<Sitting>,
}

impl Default for Playing {
    fn default() -> Self {
        Self { speed: 1.0, voice: Voice::Auto, espeak: "espeak-ng".into(), desk: None }
    }
}

/// Plays a script against the door at `url` (`ws://host:port/path`; rate, channels and the call's id are appended
/// to its query), and shows the transcript live.
///
/// The report tells of failed expectations, and of what a PBX would drop ([`ForkReport::passed`]).
///
/// # Errors
/// [`CallerError`] if a line can't be spoken, nobody answers, or the call ends before its script.
pub async fn play_fork(
    script: &ForkScript,
    url: &str,
    playing: &Playing,
    live: &mut Live,
) -> Result<ForkReport, CallerError<ForkReport>> {
    let speaker = voice::Speaker::choose(playing.voice, &playing.espeak).await;
    // Before the call begins: speech that is made meanwhile would hold it up.
    let mut clips = Vec::with_capacity(script.steps.len());
    for step in &script.steps {
        clips.push(Clip::of(&step.action, script.call.forked(), &speaker).await?);
    }
    let call_id =
        script.call_id.as_ref().map_or_else(|| uuid::Uuid::now_v7().to_string(), ToString::to_string);
    let seat = match (&playing.desk, CallId::parse(&call_id)) {
        (Some(sitting), Ok(call)) => Some(seat::Seat::take(sitting, call).await),
        _ => None,
    };
    let seat = seat.transpose().map_err(|why| CallerError::Dial { host: "the desk".to_owned(), why })?;
    let dialled = wire::Wire::dial(address(url, &call_id), metadata(&script.call)).await;
    let wire = dialled.map_err(|why| CallerError::Dial { host: host(url), why })?;
    let (name, voice) = (script.name.clone(), speaker.name());
    let report = ForkReport { name, call_id, voice, sockets: 1, ..ForkReport::default() };
    let player = player::Player::new(wire, seat, live, report, playing.speed);
    match player.play(script, &clips).await {
        (report, Ok(())) => Ok(report),
        (report, Err(trouble)) => Err(CallerError::BrokenOff { trouble, so_far: Box::new(report) }),
    }
}

/// The address of a call: a plain fork announces nothing, so its URL has to.
fn address(base: &str, call_id: &str) -> String {
    let (path, query) = split(base);
    let before = query.map(|query| format!("{query}&")).unwrap_or_default();
    format!("{path}?{before}rate={}&ch=2&call={call_id}", clip::RATE)
}

/// What the first text frame of each socket tells.
fn metadata(call: &Call) -> String {
    let mut told = json!({
        "leg": call.forked(), "direction": call.direction, "sampleRate": clip::RATE, "mixType": "stereo",
        "transcripts": true, "customerData": call.variables,
    });
    for (name, value) in [("extension", &call.extension), ("from", &call.from), ("to", &call.to)] {
        if let Some(value) = value {
            told[name] = json!(value);
        }
    }
    told.to_string()
}
