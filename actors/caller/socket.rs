//! A websocket that the caller opens: dialled within a deadline, hung up politely, and how the other side ended it.
use futures_util::StreamExt;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// How long a goodbye may take.
pub(super) const GOODBYE: Duration = Duration::from_secs(1);

/// An open websocket.
pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What reading from one gives.
pub(super) type Incoming = Option<Result<Message, Error>>;

/// Dials.
pub(super) async fn dial(
    request: impl IntoClientRequest + Unpin,
    deadline: Duration,
) -> Result<Socket, String> {
    let dialled = timeout(deadline, connect_async_with_config(request, None, true)).await;
    let answered = dialled.map_err(|_| format!("no answer within {} ms", deadline.as_millis()))?;
    answered.map(|(socket, _)| socket).map_err(|e| e.to_string())
}

/// How the other side ended the connection, if this is its end.
pub(super) fn ended(incoming: &Incoming) -> Option<String> {
    match incoming {
        Some(Ok(Message::Close(Some(frame)))) => {
            Some(format!("{} {}", u16::from(frame.code), frame.reason).trim_end().to_owned())
        }
        Some(Ok(Message::Close(None))) => Some("without a code".to_owned()),
        Some(Ok(_)) => None,
        Some(Err(error)) => Some(format!("abnormally: {error}")),
        None => Some("without a close frame".to_owned()),
    }
}

/// Hangs up, and gives the other side a moment to take note.
pub(super) async fn hang_up(mut socket: Socket) {
    let code = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    let goodbye = async {
        socket.close(Some(code)).await.ok();
        while let Some(Ok(_)) = socket.next().await {}
    };
    // A peer that doesn't answer a goodbye is left alone.
    let _ = timeout(GOODBYE, goodbye).await;
}
