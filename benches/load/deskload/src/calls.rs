//! Forked calls whose switch transcribes them itself: text frames, and one frame of silence to begin with.
use crate::Args;
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Sink = futures_util::stream::SplitSink<WebSocketStream<MaybeTlsStream<TcpStream>>, Message>;

/// One call.
pub struct Fork(Sink);

impl Fork {
    /// Dials, and begins the call.
    pub async fn dial(server: &str, call: &str) -> Result<Self, Error> {
        let mut request = format!("ws://{server}/audio-fork?rate=8000&ch=2&call={call}").into_client_request()?;
        let protocol = "audio.drachtio.org".parse().expect("a header");
        request.headers_mut().insert("sec-websocket-protocol", protocol);
        let (socket, _) = connect_async(request).await?;
        let (mut sink, mut stream) = socket.split();
        tokio::task::spawn_local(async move { while let Some(Ok(_)) = stream.next().await {} });
        sink.send(Message::text(r#"{"leg":"patient"}"#)).await?;
        sink.send(Message::binary(vec![0; 640])).await?;
        Ok(Self(sink))
    }

    /// Somebody says something.
    pub async fn says(&mut self, leg: &str, text: &str, done: bool) -> Result<(), Error> {
        let told = json!({ "event": "transcript", "leg": leg, "text": text, "final": done });
        self.0.send(Message::text(told.to_string())).await
    }
}

/// What the patient of the measured call says in a round; the model knows the round by its word.
pub fn line_of(round: usize) -> String {
    format!("hola, le cuento otra vez lo mismo de siempre, ronda{}fin, no sé qué hacer con esto", letters(round))
}

/// A round as letters: figures would be data, and a long number is masked.
pub fn letters(round: usize) -> String {
    round.to_string().chars().map(|digit| (b'a' + (digit as u8 - b'0')) as char).collect()
}

/// A call in which somebody speaks all the time: partials and a final, every two seconds, in turn.
pub async fn talk(args: Args, call: usize) {
    const SAID: [&str; 4] = ["bueno,", "mire,", "la verdad es que", "no sé bien qué decirle de todo esto"];
    let begun = sleep(Duration::from_millis(2000 * call as u64 / args.calls.max(1) as u64));
    begun.await;
    let Ok(mut fork) = Fork::dial(&args.server, &format!("live-{call}")).await else {
        return eprintln!("live-{call} can't be dialled");
    };
    for turn in 0.. {
        let leg = if turn % 2 == 0 { "patient" } else { "operator" };
        for words in 1..=SAID.len() {
            let text = format!("{} {turn}", SAID[..words].join(" "));
            if fork.says(leg, &text, words == SAID.len()).await.is_err() {
                return;
            }
            sleep(Duration::from_millis(500)).await;
        }
    }
}
