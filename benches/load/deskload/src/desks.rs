//! Desks: each a socket that watches the measured call and notes when it was told.
use crate::calls::letters;
use crate::{Args, Shared};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::rc::Rc;
use std::time::Instant;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// Opens them all; returns once each has caught up. The first one claims the call.
pub async fn open(args: &Args, times: &Shared) {
    for desk in 0..args.watchers {
        let mut request = format!("ws://{}/desk", args.server).into_client_request().expect("an address");
        let bearer = format!("Bearer {}", args.token).parse().expect("a token");
        request.headers_mut().insert("authorization", bearer);
        let (mut socket, _) = connect_async(request).await.expect("the desk's door");
        let mut asks = vec![json!({ "id": 1, "ask": "hello", "version": 1 })];
        if desk == 0 {
            asks.push(json!({ "id": 2, "ask": "claim", "call": "measured" }));
        }
        asks.push(json!({ "id": 3, "ask": "watch", "call": "measured" }));
        for ask in asks {
            socket.send(Message::text(ask.to_string())).await.expect("a desk that reads");
        }
        while let Some(Ok(frame)) = socket.next().await {
            let told: Value = serde_json::from_slice(&frame.into_data()).unwrap_or_default();
            match told["type"].as_str() {
                Some("caught_up") => break,
                Some("refused") => panic!("{told}"),
                _ => {}
            }
        }
        let (mut sink, mut stream) = socket.split();
        let times = Rc::clone(times);
        tokio::task::spawn_local(async move {
            let mut seen = (0, 0); // rounds of which the line, the suggestion was told
            while let Some(Ok(frame)) = stream.next().await {
                let now = Instant::now();
                if let Message::Ping(bytes) = &frame {
                    drop(sink.send(Message::Pong(bytes.clone())).await);
                }
                // Other calls' rows are read and passed over, as a screen would draw them.
                if let Message::Text(text) = &frame {
                    note(text, now, &mut seen, &times);
                }
            }
        });
    }
}

fn note(text: &str, now: Instant, seen: &mut (usize, usize), times: &Shared) {
    let mut times = times.borrow_mut();
    let rounds = times.said.len();
    let of = |text: &str, from: usize| {
        (from..rounds).find(|round| text.contains(&format!("ronda{}fin", letters(*round))))
    };
    if text.contains(r#""event":"line""#) {
        if let Some(round) = of(text, seen.0) {
            times.line[round].push(now);
            seen.0 = round + 1;
        }
    } else if text.contains(r#""event":"suggestion","#)
        && let Some(round) = of(text, seen.1)
    {
        times.partial[round].push(now); // the card quotes the round's line
        seen.1 = round + 1;
    }
}
