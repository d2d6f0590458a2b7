//! The recogniser's end: takes both channels of every call, says something now and then, can stop reading.
use crate::count::{Counts, RATE};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Audio after which something is said, in samples.
const SAYS_EVERY: u64 = 2 * RATE;

/// Serves until the program ends; `stall`: from when until when nothing is read.
pub async fn serve(listener: TcpListener, counts: Arc<Counts>, stall: Option<(Instant, Instant)>) {
    while let Ok((stream, _)) = listener.accept().await {
        drop(stream.set_nodelay(true));
        tokio::task::spawn_local(hear(stream, Arc::clone(&counts), stall));
    }
}

async fn hear(stream: TcpStream, counts: Arc<Counts>, stall: Option<(Instant, Instant)>) {
    let Ok(mut socket) = accept_async(stream).await else { return };
    let (mut call, mut heard, mut said) = (None, 0, 0);
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Binary(bytes) => {
                let frames = bytes.chunks_exact(4).map(|frame| {
                    (i16::from_le_bytes([frame[0], frame[1]]), i16::from_le_bytes([frame[2], frame[3]]))
                });
                let call = *call.get_or_insert_with(|| {
                    let tag = frames.clone().next().map_or(0, |(_, tag)| tag);
                    let call = (tag - 1) as u16;
                    counts.connected(call);
                    call
                });
                heard += bytes.len() as u64 / 4;
                counts.received(call, frames);
                if heard >= said + SAYS_EVERY {
                    for channel in 0..2 {
                        let text = result(channel, said, heard).to_string();
                        if socket.send(Message::text(text)).await.is_err() {
                            return;
                        }
                    }
                    said = heard;
                }
            }
            Message::Text(text) if text.contains("CloseStream") => {
                let metadata = json!({ "type": "Metadata", "request_id": "r", "duration": 1.0, "channels": 2 });
                drop(socket.send(Message::text(metadata.to_string())).await);
                let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
                drop(socket.close(Some(frame)).await);
            }
            _ => {}
        }
        if let Some((from, to)) = stall {
            let now = Instant::now();
            if now >= from && now < to {
                tokio::time::sleep(to - now).await;
            }
        }
    }
}

fn result(channel: u32, from: u64, to: u64) -> serde_json::Value {
    let seconds = |samples: u64| samples as f64 / RATE as f64;
    json!({
        "type": "Results", "channel_index": [channel, 2], "start": seconds(from), "duration": seconds(to - from),
        "is_final": true, "speech_final": true,
        "channel": { "alternatives": [{ "transcript": "hola, la llamo por el equipo", "confidence": 0.9, "words": [] }] },
    })
}
