//! One forked call, as mod_audio_fork sends it: 20 ms a frame, channel 0 a counter, channel 1 the call's number.
use crate::Args;
use crate::count::{Counts, RATE, WRAP};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// Samples of a frame and channel.
const FRAME: u64 = RATE / 50;

/// Plays the call after `pause`; a call that can't be played counts as failed.
pub async fn play(args: Args, call: u16, pause: Duration, counts: Arc<Counts>) {
    sleep(pause).await;
    if let Err(error) = run(&args, call, &counts).await {
        eprintln!("call {call}: {error}");
        counts.failed();
    }
}

async fn run(args: &Args, call: u16, counts: &Counts) -> Result<(), Box<dyn std::error::Error>> {
    let mut request = format!("{}?rate=8000&ch=2&call=load-{call}", args.url).into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", "audio.drachtio.org".parse()?);
    let (socket, _) = connect_async(request).await?;
    let (mut sink, mut stream) = socket.split();
    let reading = tokio::task::spawn_local(async move { while let Some(Ok(_)) = stream.next().await {} });
    sink.send(Message::text(r#"{"leg":"patient"}"#)).await?;
    let began = Instant::now();
    counts.begin(call, began.into_std());
    let mut ticks = interval_at(began, Duration::from_millis(20));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let tag = (call as i16 + 1).to_le_bytes();
    for frame in 0..args.secs * 50 {
        ticks.tick().await;
        let first = frame * FRAME;
        let mut bytes = Vec::with_capacity(FRAME as usize * 4);
        for sample in first..first + FRAME {
            bytes.extend_from_slice(&((sample % WRAP) as i16).to_le_bytes());
            bytes.extend_from_slice(&tag);
        }
        sink.send(Message::binary(bytes)).await?;
        counts.sent(call, FRAME);
    }
    sink.close().await?;
    drop(reading.await);
    Ok(())
}
