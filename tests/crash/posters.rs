//! Retell's webhooks, sent until they are acknowledged, as Retell does.
use crate::process::{KEY, exchange};
use crate::signature::sign;
use jiff::Timestamp;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// Calls whose report was answered with 204.
pub type Acknowledged = Arc<Mutex<Vec<String>>>;

/// Sends reports of calls of its own, one after another, until it is told to stop.
pub async fn post(address: SocketAddr, name: &str, stop: watch::Receiver<bool>, acknowledged: Acknowledged) {
    let mut n = 0;
    while !*stop.borrow() {
        n += 1;
        let call = format!("{name}_{n}");
        while !report(address, &call).await {
            if *stop.borrow() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
        acknowledged.lock().expect("no poison").push(call.clone());
        if n % 5 == 0 {
            report(address, &call).await; // and once more: an acknowledgement may be lost on its way
        }
        sleep(Duration::from_millis(15)).await;
    }
}

async fn report(address: SocketAddr, call: &str) -> bool {
    let body =
        json!({ "event": "call_analyzed", "call": { "call_id": call, "call_status": "ended" } }).to_string();
    let signature = sign(KEY, body.as_bytes(), Timestamp::now().as_millisecond());
    let length = body.len();
    let request = format!(
        "POST /retell/webhook HTTP/1.1\r\nhost: aura\r\nx-retell-signature: {signature}\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    matches!(exchange(address, &request).await, Some((204, _)))
}
