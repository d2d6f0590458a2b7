//! The PBX's end of the socket: dialled as mod_audio_fork does, lost and dialled again, hung up with 1000.
use crate::caller::line::Trouble;
use crate::caller::socket::{self, Incoming, Socket};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;

/// What drachtio's module offers. Like it, we hang up on a server that doesn't pick it.
const SUBPROTOCOL: &str = "audio.drachtio.org";
/// How long dialling may take: as long as the module gives it.
const DIALLING: Duration = Duration::from_secs(10);
/// How long the server may take no audio at all.
const STALLED: Duration = Duration::from_secs(10);

/// The wire of one call.
pub(super) struct Wire {
    url: String,
    metadata: String,
    /// `None` while it is lost: what is sent then is heard by nobody.
    socket: Option<Socket>,
}

impl Wire {
    /// Dials for the first time.
    pub async fn dial(url: String, metadata: String) -> Result<Self, String> {
        let mut wire = Self { url, metadata, socket: None };
        wire.connect().await?;
        Ok(wire)
    }

    /// Dials, and tells of the call.
    pub async fn connect(&mut self) -> Result<(), String> {
        let mut request = self.url.as_str().into_client_request().map_err(|e| e.to_string())?;
        request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
        self.socket = Some(socket::dial(request, DIALLING).await?);
        let metadata = self.metadata.clone();
        self.text(metadata).await.map_err(|trouble| trouble.to_string())
    }

    /// The socket is gone, without a goodbye.
    pub fn lose(&mut self) {
        self.socket = None;
    }

    /// Sends a text frame.
    pub async fn text(&mut self, text: String) -> Result<(), Trouble> {
        self.send(Message::text(text)).await
    }

    /// Sends samples; false if the wire is lost.
    pub async fn audio(&mut self, frame: Vec<u8>) -> Result<bool, Trouble> {
        self.send(Message::binary(frame)).await?;
        Ok(self.socket.is_some())
    }

    async fn send(&mut self, message: Message) -> Result<(), Trouble> {
        let Some(socket) = &mut self.socket else { return Ok(()) };
        let sent = timeout(STALLED, socket.send(message)).await;
        let stalled = || Trouble::Broken(format!("the server read nothing for {} s", STALLED.as_secs()));
        sent.map_err(|_| stalled())?.map_err(|e| Trouble::Broken(e.to_string()))
    }

    /// What comes next; nothing ever comes while the wire is lost.
    pub async fn next(&mut self) -> Incoming {
        match &mut self.socket {
            Some(socket) => socket.next().await,
            None => std::future::pending().await,
        }
    }

    /// Hangs up.
    pub async fn hang_up(&mut self) {
        if let Some(socket) = self.socket.take() {
            socket::hang_up(socket).await;
        }
    }
}
