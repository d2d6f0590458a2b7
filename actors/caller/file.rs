//! A script's file: read, and taken for the kind of call that it names.
use super::fork::ForkScript;
use super::script::Script;
use aura::channel::Channel;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use std::path::Path;

/// A script of any kind; `channel` says which, and none is Retell.
#[derive(Clone, Debug)]
pub enum Scripted {
    /// A call that Retell answers.
    Retell(Script),
    /// A call that a PBX forks.
    AudioFork(ForkScript),
}

/// Why a file is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It can't be read.
    #[error("call script {path} can't be read: {source}; check the path")]
    Unreadable {
        /// Which file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no YAML, or not of this shape.
    #[error("call script refused: {0}")]
    Malformed(String),
    /// A step that can't be played where it stands.
    #[error("call script refused: step {step} {why}")]
    Step {
        /// Which, from 1.
        step: usize,
        /// What is wrong and what is expected.
        why: &'static str,
    },
}

/// What tells the kinds of scripts apart.
#[derive(Deserialize)]
struct Kind {
    #[serde(default = "retell")]
    channel: Channel,
}

impl Scripted {
    /// Reads a script from its text.
    ///
    /// # Errors
    /// [`ScriptError`] names the line or the step.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        match yaml::<Kind>(text)?.channel {
            Channel::Retell => Script::parse(text).map(Self::Retell),
            Channel::AudioFork => ForkScript::parse(text).map(Self::AudioFork),
            channel => Err(ScriptError::Malformed(format!(
                "no call of channel {channel} can be played, expected retell or audio_fork"
            ))),
        }
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// [`ScriptError`] names the file, the line or the step.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        read(path, Self::parse)
    }
}

/// Reads a file by `parse`, whose complaints are told with the file's name.
pub(super) fn read<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, ScriptError>,
) -> Result<T, ScriptError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ScriptError::Unreadable { path: path.display().to_string(), source })?;
    parse(&text).map_err(|error| match error {
        ScriptError::Malformed(why) => ScriptError::Malformed(format!("{}: {why}", path.display())),
        other => other,
    })
}

/// Reads YAML of this shape.
pub(super) fn yaml<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, ScriptError> {
    serde_saphyr::from_str(text).map_err(|e| ScriptError::Malformed(e.to_string()))
}

/// Where a step's kind says all by being there, as in `hang_up:`.
pub(super) fn present<'de, D: Deserializer<'de>>(d: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(d).map(|_| true)
}

/// The channel of a script that names none.
pub(super) fn retell() -> Channel {
    Channel::Retell
}
