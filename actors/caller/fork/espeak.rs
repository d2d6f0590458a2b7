//! Speech from espeak-ng: one line as samples of the telephone's rate.
use aura::audio::{BadRate, Resampler};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

/// The voice: Latin American Spanish.
const VOICE: &str = "es-419";
/// How long one line may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a line isn't spoken.
#[derive(Debug, thiserror::Error)]
pub enum VoiceError {
    /// The program can't be started, or not be fed.
    #[error("{} can't be run: {source}; install espeak-ng, or play with --voice text", program.display())]
    NotRun {
        /// Which.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It says that something is wrong.
    #[error(
        "espeak-ng failed ({status}): {said}; is the voice es-419 installed? else play with --voice text"
    )]
    Failed {
        /// Its exit status.
        status: String,
        /// The end of what it said.
        said: String,
    },
    /// It takes too long.
    #[error("espeak-ng didn't speak a line within {} s; play with --voice text", PATIENCE.as_secs())]
    Slow,
    /// What it gives isn't sound as expected.
    #[error("espeak-ng gave {len} bytes that are no WAV of one channel of 16 bits; play with --voice text")]
    NoWave {
        /// How many.
        len: usize,
    },
    /// It gives a rate that can't be used.
    #[error(transparent)]
    Rate(#[from] BadRate),
}

/// Whether the program is there and runs.
pub(super) async fn installed(program: &Path) -> bool {
    let mut asked = Command::new(program);
    asked.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    matches!(timeout(PATIENCE, asked.status()).await, Ok(Ok(status)) if status.success())
}

/// A line as samples of this rate.
pub(super) async fn speak(program: &Path, text: &str, rate: u32) -> Result<Vec<i16>, VoiceError> {
    let run = timeout(PATIENCE, run(program, text)).await.map_err(|_| VoiceError::Slow)?;
    let output = run.map_err(|source| VoiceError::NotRun { program: program.to_owned(), source })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().chars().take(300).collect();
        return Err(VoiceError::Failed { status: output.status.to_string(), said });
    }
    let wave = wave(&output.stdout).ok_or(VoiceError::NoWave { len: output.stdout.len() })?;
    let mut resampler = Resampler::new(wave.rate, rate)?;
    let lag = resampler.delay();
    let mut samples = resampler.push(&wave.samples);
    samples.extend(resampler.finish());
    samples.drain(..lag.min(samples.len()));
    Ok(samples)
}

/// The text goes in by standard input: as an argument it could pass for an option.
async fn run(program: &Path, text: &str) -> std::io::Result<Output> {
    let mut child = Command::new(program)
        .args(["-v", VOICE, "--stdin", "--stdout"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).await?;
    }
    child.wait_with_output().await
}

/// What a WAV file holds.
struct Wave {
    rate: u32,
    samples: Vec<i16>,
}

/// Reads a WAV of one channel of 16 bits. One that was written to a pipe announces more than it holds.
fn wave(bytes: &[u8]) -> Option<Wave> {
    let mut rest = bytes.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WAVE")?;
    let mut rate = None;
    loop {
        let (name, after) = rest.split_first_chunk::<4>()?;
        let (length, after) = after.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let body = after.get(..length).unwrap_or(after);
        match name {
            b"fmt " => rate = Some(mono_rate(body)?),
            b"data" => {
                let samples = body.as_chunks().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
                return Some(Wave { rate: rate?, samples });
            }
            _ => {}
        }
        rest = after.get(length + length % 2..)?;
    }
}

/// The rate, if there is one channel of 16 bits.
fn mono_rate(format: &[u8]) -> Option<u32> {
    let channels = u16::from_le_bytes(*format.get(2..)?.first_chunk()?);
    let rate = u32::from_le_bytes(*format.get(4..)?.first_chunk()?);
    let bits = u16::from_le_bytes(*format.get(14..)?.first_chunk()?);
    (channels == 1 && bits == 16).then_some(rate)
}
