//! Other people's recognisers and PBXs, by the book and against it, and a speech that both can check.
#[path = "deepgram.rs"]
pub mod deepgram;
#[path = "g711.rs"]
pub mod g711;
#[path = "pbx.rs"]
pub mod pbx;
#[path = "tones.rs"]
pub mod tones;
#[path = "vosk.rs"]
pub mod vosk;
