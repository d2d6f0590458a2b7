//! A scripted caller: plays the other side of a call over a real websocket, and holds the server to that side's rules.
//!
//! Retell's half of a bot's call is in this folder, a PBX's half of a copilot's in `fork/`.
mod agent_frame;
mod command;
mod file;
mod fork;
mod heard;
mod judge;
mod line;
mod listen;
mod player;
mod report;
mod rules;
mod script;
mod socket;

pub use command::{CallArgs, OwnDoors, run};
pub use file::{ScriptError, Scripted};
pub use fork::{
    Call, Direction, ForkAction, ForkReport, ForkScript, ForkStep, HeardLine, Hearing, Lines, Live,
    PlayedStep, Playing, Shown, Sitting, Voice, VoiceError, Words, play_fork,
};
pub use line::Trouble;
pub use report::{Asked, Exchange, HeardPiece, Report, SeenFrame};
pub use script::{Action, BargeIn, CallDetails, Expect, Redial, Script, Step};

/// Why a call could not be played to its end; `R` is the report of what was seen until then.
#[derive(Debug, thiserror::Error)]
pub enum CallerError<R = Report> {
    /// The script is none.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A line can't be spoken.
    #[error(transparent)]
    Voice(#[from] VoiceError),
    /// Nobody answers. The address is told without its path, which may hold a secret.
    #[error("could not dial {host}: {why}; is the service running, and is this its address?")]
    Dial {
        /// Scheme, host and port.
        host: String,
        /// What failed.
        why: String,
    },
    /// The call ended before its script did.
    #[error("the call broke off: {trouble}")]
    BrokenOff {
        /// Why.
        trouble: Trouble,
        /// What was seen until then.
        so_far: Box<R>,
    },
}

/// Plays a script against the agent at `url` (`ws://host:port/path`; the call's id is appended, as Retell does).
///
/// The report tells of failed expectations and broken rules ([`Report::passed`]).
///
/// # Errors
/// [`CallerError`] if nobody answers, or something that was awaited didn't come.
pub async fn play(script: &Script, url: &str) -> Result<Report, CallerError> {
    let call_id = script.call_id.clone().unwrap_or_else(|| format!("call_{}", uuid::Uuid::now_v7().simple()));
    let dialled = player::Player::dial(script, call_id.clone(), address(url, &call_id)).await;
    let player = dialled.map_err(|why| CallerError::Dial { host: host(url), why })?;
    match player.play().await {
        (report, Ok(())) => Ok(report),
        (report, Err(trouble)) => Err(CallerError::BrokenOff { trouble, so_far: Box::new(report) }),
    }
}

/// The address of a call: its id is the last segment of the path, before any query.
fn address(base: &str, call_id: &str) -> String {
    let (path, query) = split(base);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{path}/{call_id}{query}")
}

/// An address up to its path, for a websocket, and its query.
fn split(base: &str) -> (String, Option<&str>) {
    let (path, query) = base.split_once('?').map_or((base, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path = match path.split_once("://") {
        Some(("http", rest)) => format!("ws://{rest}"),
        Some(("https", rest)) => format!("wss://{rest}"),
        _ => path.to_owned(),
    };
    (path, query)
}

fn host(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("ws", url));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    format!("{scheme}://{}", &rest[..end])
}
