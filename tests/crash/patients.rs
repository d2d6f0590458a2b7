//! A patient of the real program: what an operator was told is done outlives a kill, and what is kept of them is
//! given out and erased by the commands.
use crate::people::{PASSWORD, add, from_page, sign_in};
use crate::plain::send;
use crate::process::{PATIENCE, Place};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Of the sample roster: the one that is typed first, and the one that takes its place.
const FORMER: &str = "20111222";
const DNI: &str = "23456789";
const CALL: &str = "llamada";

/// Dials the call and takes its first frame.
async fn dial(place: &Place) -> WebSocketStream<MaybeTlsStream<TcpStream>> {
    let url = format!("ws://{}/llm-websocket/{CALL}", place.address);
    let (mut socket, _) = timeout(PATIENCE, connect_async(&url)).await.expect("an answer").expect("a socket");
    timeout(PATIENCE, socket.next()).await.expect("in time").expect("a frame").expect("a frame");
    socket
}

/// The panel, once the patient was looked up.
async fn panel(place: &Place, cookie: &str) -> Value {
    let path = format!("/calls/{CALL}/patient");
    let shown = async {
        loop {
            let answer = send("GET", place.address, &path, &[("cookie", cookie)], "").await;
            let panel: Value = serde_json::from_str(&answer.body).expect("JSON");
            if panel["lookUp"]["progress"] == "dni" {
                return panel;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, shown).await.expect("the patient is found")
}

async fn names(place: &Place, cookie: &str, dni: &str) {
    let body = json!({ "dni": dni }).to_string();
    let path = format!("/calls/{CALL}/patient/dni");
    let answer = from_page(place.address, "PUT", &path, cookie, &body).await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

/// Neither document is readable in any file of the journal.
fn sealed(place: &Place) {
    let files = std::fs::read_dir(place.journal()).expect("a folder");
    let bytes: Vec<u8> = files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("sealed"), "it is there");
    assert!(!text.contains(DNI) && !text.contains(FORMER), "and sealed");
    assert!(!place.log().contains(DNI) && !place.log().contains(FORMER), "{}", place.log());
}

/// By whose document the call went: states, oldest first.
async fn states(sql: &Client) -> Vec<String> {
    let text = "SELECT state FROM call_patients WHERE call_id = $1 ORDER BY at";
    let rows = sql.query(text, &[&CALL]).await.expect("the table");
    rows.iter().map(|row| row.get(0)).collect()
}

async fn until(sql: &Client, what: &str, wanted: i64, text: &str) {
    let right = async {
        while sql.query_one(text, &[]).await.expect("a count").get::<_, i64>(0) != wanted {
            sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(PATIENCE, right).await.is_ok(), "never: {what}");
}

/// Rows that are left of the call, anywhere but in the trail.
async fn left(sql: &Client) -> i64 {
    let mut left = 0;
    for table in ["call_journal", "event_log", "pending_callbacks", "call_patients"] {
        let text = format!("SELECT count(*) FROM {table} WHERE call_id = $1");
        left += sql.query_one(&text, &[&CALL]).await.expect("a count").get::<_, i64>(0);
    }
    left
}

/// The operator vouches for the document.
async fn vouches(place: &Place, cookie: &str) {
    let confirmation = format!("/calls/{CALL}/patient/confirmation");
    let body = json!({ "dni": DNI }).to_string();
    let answer = from_page(place.address, "POST", &confirmation, cookie, &body).await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

async fn named_killed_and_erased(place: Place) {
    let process = place.start().await;
    add(&place.database.store().await, "olga", "operator", PASSWORD).await;
    let cookie = sign_in(place.address, "olga", PASSWORD).await;
    let socket = dial(&place).await;
    names(&place, &cookie, FORMER).await;
    names(&place, &cookie, DNI).await;
    vouches(&place, &cookie).await;
    process.kill(); // at once: what was acknowledged is on disk (DECISIONS 23)
    drop(socket);
    sealed(&place);

    let process = place.start().await;
    let socket = dial(&place).await;
    let panel = panel(&place, &cookie).await;
    let identity = json!({ "dni": DNI, "source": "typed", "state": "confirmed", "confirmed": true });
    assert_eq!(panel["identity"], identity);
    assert_eq!(panel["models"], json!(["CP501", "Zen-O Lite"]));
    let sql = place.database.client().await;
    let patient = place.vault().patient(aura::ids::Dni::parse(DNI).expect("a document"));
    let cached = format!("SELECT count(*) FROM patients WHERE patient = '{patient}'");
    until(&sql, "the cache", 1, &cached).await;
    let live = place.run(&["patient", "erase", "--dni", "-", "--yes"], DNI);
    assert!(live.0 == Some(1) && live.2.contains(CALL), "a live call's isn't erased: {live:?}");
    drop(socket);
    // Nobody redials: the process ends, and the call is one of long ago.
    drop(process);
    sealed(&place);
    let process = place.start().await;
    until(&sql, "both", 2, "SELECT count(*) FROM call_patients WHERE call_id = 'llamada'").await;
    assert_eq!(states(&sql).await, ["denied", "confirmed"]);
    sql.batch_execute("UPDATE call_journal SET at = at - interval '1 hour'").await.expect("older");

    let of_former: Value = serde_json::from_str(&exported(&place, FORMER)).expect("JSON");
    assert_eq!(of_former["calls"], json!([]), "the call isn't theirs");
    let text = exported(&place, DNI);
    assert!(!text.contains(DNI) && !text.contains(FORMER), "{text}");
    let of_patient: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(of_patient["calls"][0]["call"], CALL, "{of_patient:#}");
    assert_eq!(of_patient["calls"][0]["identity"][0]["state"], "confirmed");

    let erased = place.run(&["patient", "erase", "--dni", "-", "--yes"], DNI);
    assert!(erased.0 == Some(0) && erased.1.contains("1 calls"), "{erased:?}");
    until(&sql, "no row of the cache", 0, &cached).await;
    assert_eq!(left(&sql).await, 0);
    let text = exported(&place, DNI);
    let of_patient: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(of_patient["calls"], json!([]));
    let verified = place.run(&["audit", "verify"], "");
    assert_eq!(verified.0, Some(0), "{verified:?}");
    let trail = place.run(&["audit", "list", "--json", "--patient-dni", "-"], DNI).1;
    for action in
        ["identity_typed", "identity_confirmed", "equipment_shown", "patient_exported", "patient_erased"]
    {
        assert!(trail.contains(action), "{action} is on record: {trail}");
    }
    assert!(!trail.contains(DNI));
    drop(process);
    // What was still on this server's disk doesn't come back.
    let process = place.start().await;
    until(&sql, "nothing comes back", 0, "SELECT count(*) FROM call_journal WHERE call_id = 'llamada'").await;
    assert_eq!(left(&sql).await, 0);
    drop(process);
}

fn exported(place: &Place, dni: &str) -> String {
    let said = place.run(&["patient", "export", "--dni", "-"], dni);
    assert_eq!(said.0, Some(0), "{said:?}");
    said.1
}

#[tokio::test(flavor = "multi_thread")]
async fn d23_d24_s4_a_caller_outlives_a_kill_and_is_erased_with_the_key_of_the_home() {
    named_killed_and_erased(Place::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn d23_d24_s4_a_caller_outlives_a_kill_and_is_erased_with_the_key_of_the_environment() {
    let key = "la clave de un despliegue, larga como debe ser";
    named_killed_and_erased(Place::new().await.set("AURA_KEY", key)).await;
}
