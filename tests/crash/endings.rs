//! How the process ends when it is asked to: in order, and at once when it is asked twice.
use crate::callers::{Caller, Heard};
use crate::posters::{Acknowledged, post};
use crate::process::{Place, Process, exchange};
use crate::{audit, service};
use aura::phrases::GREETING;
use futures_util::{SinkExt, StreamExt};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::{connect_async, tungstenite::Message};

/// A model's address where every question is taken and none is answered.
async fn mute_model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                while socket.read_buf(&mut bytes).await.is_ok_and(|count| count > 0) {}
            });
        }
    });
    format!("http://{address}/v1")
}

/// Loads the server for a moment: webhooks that were acknowledged, and one call.
async fn loaded(place: &Place) -> (Acknowledged, Arc<Mutex<Heard>>) {
    let (stop, stopped) = watch::channel(false);
    let (acknowledged, heard) = (Acknowledged::default(), Arc::<Mutex<Heard>>::default());
    let caller =
        tokio::spawn(Caller::new(place.address, "caller", stopped.clone(), Arc::clone(&heard)).talk());
    let poster = tokio::spawn({
        let (address, acknowledged) = (place.address, acknowledged.clone());
        async move { post(address, "report", stopped, acknowledged).await }
    });
    let busy = async {
        while heard.lock().expect("no poison").answers.len() < 3
            || acknowledged.lock().expect("no poison").len() < 20
        {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(service::PATIENCE, busy).await.expect("it answers");
    stop.send_replace(true);
    caller.await.expect("it stops");
    poster.await.expect("it stops");
    (acknowledged, heard)
}

/// What every end but a crash leaves: all of it in the database, or on disk for the next start.
async fn all_is_kept(place: &Place, acknowledged: &Acknowledged, heard: &Arc<Mutex<Heard>>) {
    let acknowledged = acknowledged.lock().expect("no poison").clone();
    let heard = heard.lock().expect("no poison").clone();
    let sql = place.database.client().await;
    let mut faults = audit::webhooks(&sql, &acknowledged).await;
    faults.extend(audit::call(&sql, "caller", &heard, &[]).await);
    faults.extend(audit::folder(place));
    assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), place.log());
}

async fn drain(place: &Place, mut process: Process) {
    process.signal(Signal::TERM);
    assert!(process.ended().await.success(), "{}", place.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drain_a_signal_drains_and_everything_is_in_the_database() {
    let place = Place::new().await;
    let process = place.start().await;
    let (acknowledged, heard) = loaded(&place).await;
    drain(&place, process).await;
    all_is_kept(&place, &acknowledged, &heard).await;
}

/// A turn that never ends keeps the first signal waiting; the second doesn't wait, and loses nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drain_a_second_signal_ends_at_once_and_what_was_accepted_is_there_after_the_next_start() {
    let place = Place::new().await;
    let process = place.start().await;
    let (acknowledged, heard) = loaded(&place).await;
    drain(&place, process).await;
    let stuck = place.set("OPENAI_BASE_URL", mute_model().await).set("AURA_EMBEDDER", "local");
    let mut process = stuck.start().await;
    let (mut socket, _) =
        connect_async(format!("ws://{}/llm-websocket/stuck", stuck.address)).await.expect("a socket");
    let question = json!({ "interaction_type": "response_required", "response_id": 1,
        "transcript": [{ "role": "user", "content": "no sé" }] });
    socket.send(Message::text(question.to_string())).await.expect("it is sent");
    sleep(Duration::from_millis(300)).await; // the question is taken; nobody answers it
    process.signal(Signal::TERM);
    let draining = async {
        while !matches!(
            exchange(stuck.address, "GET /readyz HTTP/1.1\r\nhost: aura\r\n\r\n").await,
            Some((503, _))
        ) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(service::PATIENCE, draining).await.expect("it drains");
    let (late, more) = (Acknowledged::default(), watch::channel(false));
    let posting = tokio::spawn(post(stuck.address, "late", more.1, late.clone()));
    let taken = async {
        while late.lock().expect("no poison").len() < 3 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(service::PATIENCE, taken).await.expect("webhooks are taken while it drains");
    process.signal(Signal::TERM);
    assert!(process.ended().await.success(), "{}", stuck.log());
    more.0.send_replace(true);
    posting.await.expect("it stops");
    let process = stuck.start().await;
    drain(&stuck, process).await;
    acknowledged.lock().expect("no poison").extend(late.lock().expect("no poison").clone());
    all_is_kept(&stuck, &acknowledged, &heard).await;
    let sql = stuck.database.client().await;
    let asked = "SELECT count(*) FROM call_journal WHERE call_id = 'stuck' AND what = 'asked'";
    assert_eq!(
        sql.query_one(asked, &[]).await.expect("a count").get::<_, i64>(0),
        1,
        "the turn at hand is told"
    );
    drop(socket);
}

/// A process that dies before it was ready leaves nothing that keeps the next from starting.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d24_a_call_survives_a_start_that_died_in_the_middle() {
    let place = Place::new().await;
    let process = place.start().await;
    let url = format!("ws://{}/llm-websocket/patient", place.address);
    let (mut socket, _) = connect_async(&url).await.expect("a socket");
    let mut words = String::new();
    while !words.contains(GREETING.es) {
        let message =
            timeout(service::PATIENCE, socket.next()).await.expect("a frame").expect("open").expect("whole");
        if let Message::Text(text) = message {
            let frame: Value = serde_json::from_str(&text).expect("JSON");
            words.push_str(frame["content"].as_str().unwrap_or_default());
        }
    }
    sleep(audit::WINDOW * 2).await;
    process.kill();
    for ms in [0, 20, 60, 150, 400] {
        let dying = place.spawn();
        sleep(Duration::from_millis(ms)).await;
        dying.kill();
    }
    let process = place.start().await;
    let (mut socket, _) = connect_async(&url).await.expect("a socket");
    let question = json!({ "interaction_type": "response_required", "response_id": 1,
        "transcript": [{ "role": "user", "content": "no sé" }] });
    socket.send(Message::text(question.to_string())).await.expect("it is sent");
    loop {
        let message =
            timeout(service::PATIENCE, socket.next()).await.expect("a frame").expect("open").expect("whole");
        let Message::Text(text) = message else { continue };
        let frame: Value = serde_json::from_str(&text).expect("JSON");
        assert_ne!(frame["response_id"], 0, "no second greeting");
        if frame["response_id"] == 1 && frame["content_complete"] == true {
            break;
        }
    }
    drop(socket);
    drain(&place, process).await;
    let sql = place.database.client().await;
    for (kind, count) in [("call_started", 1), ("call_rebuilt", 1), ("suggestion_generated", 1)] {
        let text = "SELECT count(*) FROM event_log WHERE call_id = 'patient' AND kind = $1";
        let found: i64 = sql.query_one(text, &[&kind]).await.expect("a count").get(0);
        assert_eq!(found, count, "{kind}");
    }
}
