//! PBXs that fork a call's audio: the clients of our doors, on real sockets, as their documents describe them.
#[path = "pbx/asterisk.rs"]
pub mod asterisk;
#[path = "pbx/audio_socket.rs"]
pub mod audio_socket;
#[path = "pbx/fork.rs"]
pub mod fork;
#[path = "pbx/pace.rs"]
pub mod pace;
#[path = "pbx/raw.rs"]
pub mod raw;
#[path = "pbx/socket.rs"]
pub mod socket;
#[path = "pbx/talk.rs"]
pub mod talk;
#[path = "pbx/twilio.rs"]
pub mod twilio;

pub use asterisk::Asterisk;
pub use audio_socket::AudioSocket;
pub use fork::{Dial, Fork, Layout};
pub use pace::Pace;
pub use raw::Raw;
pub use socket::{Incoming, Refused};
pub use talk::Talk;
pub use twilio::Twilio;
