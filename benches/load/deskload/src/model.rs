//! The model: an OpenAI-compatible stream, a piece every 20 ms, that notes when its pieces left.
use crate::Shared;
use crate::calls::letters;
use serde_json::{Value, json};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

const FIRST: Duration = Duration::from_millis(50);
const NEXT: Duration = Duration::from_millis(20);
/// Technical in nothing: each word is shown as it comes.
const PIECES: [&str; 12] =
    ["Quédese ", "tranquilo, ", "ya ", "lo ", "estamos ", "viendo ", "y ", "le ", "contesto ", "en ", "un ", "momento."];

/// Answers until the process ends.
pub async fn serve(listener: TcpListener, times: Shared) {
    while let Ok((stream, _)) = listener.accept().await {
        drop(stream.set_nodelay(true));
        tokio::task::spawn_local(answer(stream, Rc::clone(&times)));
    }
}

async fn answer(stream: TcpStream, times: Shared) {
    let mut stream = BufReader::new(stream);
    while let Some(body) = request(&mut stream).await {
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let last = asked["messages"].as_array().and_then(|all| all.last()).map(Value::to_string).unwrap_or_default();
        let rounds = times.borrow().said.len();
        let round = (0..rounds).rev().find(|round| last.contains(&format!("ronda{}fin", letters(*round))));
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        sleep(FIRST).await;
        if stream.write_all(head.as_bytes()).await.is_err() {
            return;
        }
        for (at, piece) in PIECES.iter().enumerate() {
            // Not the same advice twice: it would be withdrawn.
            let piece = match (at, round) {
                (1, Some(round)) => format!("{piece}{} ", letters(round)),
                _ => (*piece).to_owned(),
            };
            let delta = json!({ "id": "d", "object": "chat.completion.chunk", "created": 0, "model": "m",
                "choices": [{ "index": 0, "delta": { "content": piece }, "finish_reason": null }] });
            if chunk(&mut stream, &delta.to_string()).await.is_err() {
                return;
            }
            if let Some(round) = round {
                let mut times = times.borrow_mut();
                match at {
                    0 => times.first[round] = Some(Instant::now()),
                    3 => times.fourth[round] = Some(Instant::now()),
                    _ => {}
                }
            }
            sleep(NEXT).await;
        }
        let stop = json!({ "id": "d", "object": "chat.completion.chunk", "created": 0, "model": "m",
            "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        let ended = chunk(&mut stream, &stop.to_string()).await.is_ok() && chunk(&mut stream, "[DONE]").await.is_ok();
        if !ended || stream.write_all(b"0\r\n\r\n").await.is_err() {
            return;
        }
    }
}

async fn chunk(stream: &mut BufReader<TcpStream>, data: &str) -> std::io::Result<()> {
    let event = format!("data: {data}\n\n");
    stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await
}

/// The body of the next request; `None` once the connection has ended.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}
