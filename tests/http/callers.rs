//! Who is calling, from what an operator types to what is searched, shown and kept (R7–R15, S5, DECISIONS 19–24).
use crate::forked::{fork, hangs_up, says};
use crate::panel::{Staff, device_names};
use crate::plain::get;
use crate::retell::Caller;
use crate::service::{Options, PATIENCE, Running};
use aura::event::News;
use aura::ids::Dni;
use aura_actors::secret::Secret;
use aura_actors::vault::Vault;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Documents of the sample roster, by what is on file.
pub const HAS_7F5: &str = "20111222";
const HAS_CP501_AND_ZENO: &str = "23456789";
pub const HAS_CPAP: &str = "27333444";
/// Whom nobody knows.
const STRANGER: &str = "44555666";
const M50: &str = "concentradores electricos/m50_sysmedm50.md";
pub const YUWELL: &str = "concentradores electricos/yuwell_7f5.md";
const CP501: &str = "concentradores electricos/cp501.md";
const ZENO: &str = "concentradores portatiles/zen_o_lite.md";
/// Another key than the one that the service of these tests begins with.
const OTHER_KEY: &str = "otra clave de prueba, igual de larga que la primera";

/// What the newest search of a call was restricted to.
pub async fn searched(running: &Running, call: &str, count: usize) -> Value {
    running.last(call, "knowledge_queried", count).await["knowledgeSources"].clone()
}

/// A patient as the trail names them.
fn hash(key: &str, dni: &str) -> String {
    let vault = Vault::open(Some(&Secret::new(key)), Path::new("/nowhere")).unwrap();
    vault.patient(Dni::parse(dni).unwrap())
}

const KEY: &str = "una clave de prueba, larga como debe ser";

/// The whole journal as it is on disk.
fn on_disk(running: &Running) -> String {
    let files = std::fs::read_dir(running.journal()).unwrap();
    let bytes = files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap());
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// Who did what in a call, by the trail.
async fn trail(running: &Running, call: &str) -> Vec<(String, String, Option<String>)> {
    running.flush().await;
    let sql = "SELECT by, action, patient FROM audit_log WHERE call_id = $1 ORDER BY seq";
    let rows = running.sql().query(sql, &[&call]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect()
}

#[actix_rt::test]
async fn r7_r9_r14_s5_a_typed_document_narrows_the_next_search_and_shows_with_its_source() {
    let running = Running::start(Options::default()).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    let mut caller = Caller::dial(&running, "tecleado").await;
    let before = operator.until("tecleado", "the call", |_| true).await;
    assert_eq!((&before["identity"], &before["devices"]), (&Value::Null, &Value::Null), "{before}");
    assert_eq!(before["lookUp"]["progress"], "waiting", "nobody gave one, which isn't not_found (R15)");

    operator.names("tecleado", HAS_7F5).await;
    let panel = operator.looked_up("tecleado", "dni").await;
    let identity = json!({ "dni": HAS_7F5, "source": "typed", "state": "given", "confirmed": false });
    assert_eq!(panel["identity"], identity);
    let look_up = json!({ "progress": "dni", "outage": null, "source": "mock", "cached": false });
    assert_eq!(panel["lookUp"], look_up, "a mocked panel says so (R14)");
    assert_eq!(panel["models"], json!(["7F-5"]));
    let device = json!({
        "name": "Concentrador de oxígeno Yuwell 7F-5", "brand": "Yuwell", "sku": "CON-7F5-05",
        "category": "concentrador",
    });
    assert_eq!(panel["devices"], json!([device]));

    // The documents' own case: 7F-5 on file, and the question is about an M50.
    let answer = caller.say("El M50 me marca error H08 desde hoy").await;
    assert!(answer.text().contains("H08"), "{answer:?}");
    assert_eq!(searched(&running, "tecleado", 1).await, json!([M50, YUWELL]), "the union of both (R7)");
    assert!(unconfirmed(&running, "tecleado"), "labelled until it is confirmed (S5)");

    let answer = operator.vouches("tecleado", HAS_7F5).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    let panel = operator.panel("tecleado").await;
    assert_eq!(
        (&panel["identity"]["state"], &panel["identity"]["confirmed"]),
        (&json!("confirmed"), &json!(true))
    );
    assert_eq!(device_names(&panel), ["Concentrador de oxígeno Yuwell 7F-5"], "and they are still there");
    caller.say("y ahora qué hago con el equipo entonces").await;
    running.facts_with("tecleado", "suggestion_generated", 2).await;
    assert!(!unconfirmed(&running, "tecleado"));
}

/// Whether the newest answer is labelled as found for somebody whose identity isn't confirmed.
fn unconfirmed(running: &Running, call: &str) -> bool {
    let answers = running.desk.of(call).into_iter().filter_map(|news| match news {
        News::Answer { unconfirmed, .. } => Some(unconfirmed),
        _ => None,
    });
    answers.last().expect("an answer")
}

#[actix_rt::test]
async fn s4_s5_every_look_and_word_leaves_a_trace_and_no_document() {
    let running = Running::start(Options::default().few_manuals()).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    let supervisor = Staff::new(&running, "susana", "supervisor").await;
    let administrator = Staff::new(&running, "adela", "administrator").await;
    let _caller = Caller::dial(&running, "rastro").await;
    operator.until("rastro", "the call", |_| true).await;
    let refused = operator.vouches("rastro", HAS_7F5).await;
    assert_eq!(refused.status, 409, "there is nothing to vouch for: {refused:?}");
    assert!(trail(&running, "rastro").await.is_empty(), "who was shown nothing leaves no trace");

    operator.names("rastro", "20.111.222").await;
    supervisor.panel("rastro").await;
    assert_eq!(supervisor.vouches("rastro", STRANGER).await.status, 409, "it is another's call");
    assert_eq!(supervisor.vouches("rastro", HAS_7F5).await.status, 204);
    supervisor.names("rastro", STRANGER).await;
    let panel = operator.looked_up("rastro", "not_found").await;
    assert_eq!((&panel["models"], &panel["devices"]), (&json!([]), &Value::Null), "somebody else's is gone");
    assert_eq!(panel["identity"]["state"], "given", "and another document is no confirmed one");

    let before = trail(&running, "rastro").await;
    for refused in [
        administrator.look("rastro").await,
        administrator.types("rastro", HAS_CPAP).await,
        administrator.vouches("rastro", HAS_7F5).await,
    ] {
        assert_eq!(refused.status, 403, "{refused:?}");
        refused.problem();
    }
    let (known, stranger) = (Some(hash(KEY, HAS_7F5)), Some(hash(KEY, STRANGER)));
    let mut trail = trail(&running, "rastro").await;
    assert_eq!(trail, before, "a refused one did nothing");
    trail.dedup(); // the panel is looked at until it is as wanted
    let did = |by: &str, action: &str, of: &Option<String>| (by.to_owned(), action.to_owned(), of.clone());
    let (olga, susana) = ("account:olga", "account:susana");
    let expected = [
        did(olga, "identity_typed", &known),
        did(susana, "equipment_shown", &known),
        did(susana, "identity_confirmed", &known),
        did(susana, "identity_typed", &stranger),
        did(olga, "equipment_shown", &stranger),
    ];
    assert_eq!(trail, expected);
    let sql = "SELECT string_agg(detail::text, ' ') FROM audit_log";
    let details: String = running.sql().query_one(sql, &[]).await.unwrap().get(0);
    assert!(details.contains(r#""lookUp""#) && !details.contains(HAS_7F5), "{details}");
    let store = running.database.store().await;
    store.verify_trail(None).await.unwrap().expect("the trail holds");
}

#[actix_rt::test]
async fn r9_what_is_no_document_or_no_live_call_is_refused_without_an_echo() {
    let running = Running::start(Options::default().few_manuals()).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    let _caller = Caller::dial(&running, "mal").await;
    operator.until("mal", "the call", |_| true).await;
    for (body, status) in [
        (r#"{"dni":"201112223344"}"#, 422),
        (r#"{"dni":"201112"}"#, 422),
        (r#"{"dni":"20111222x"}"#, 422),
        (r#"{"dni":""}"#, 422),
        (r#"{"dni":20111222}"#, 400),
        (r#"{"documento":"20111222"}"#, 400),
        (r#"{"dni":"20111222""#, 400),
    ] {
        let answer = operator.put("mal", body).await;
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        assert!(!answer.problem().contains("2011122"), "{body}: {answer:?}");
    }
    for answer in [
        operator.look("nadie").await,
        operator.types("nadie", HAS_7F5).await,
        operator.vouches("nadie", HAS_7F5).await,
        operator.look(HAS_7F5).await,
    ] {
        assert_eq!(answer.status, 404, "{answer:?}");
        assert!(!answer.problem().contains(HAS_7F5), "{answer:?}");
    }
    assert_eq!(operator.panel("mal").await["identity"], Value::Null);
    assert!(trail(&running, "mal").await.is_empty());
    let metrics = get(running.address(), "/metrics", &[]).await;
    assert!(!metrics.body.contains("20111222"));
}

#[actix_rt::test]
async fn r7_a_message_that_several_devices_know_is_searched_in_those_of_the_patient() {
    let running = Running::start(Options::default()).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    let mut caller = Caller::dial(&running, "low").await;
    operator.until("low", "the call", |_| true).await;
    operator.names("low", HAS_CP501_AND_ZENO).await;
    let panel = operator.looked_up("low", "dni").await;
    assert_eq!(panel["models"], json!(["CP501", "Zen-O Lite"]));
    caller.say("el equipo dice Low O2 en la pantalla").await;
    let queried = running.last("low", "knowledge_queried", 1).await;
    assert_eq!(queried["knowledgeSources"], json!([CP501, ZENO]), "{queried}");
    assert!(queried["hit"] == true, "{queried}");
    assert!([CP501, ZENO].contains(&queried["bestSource"].as_str().unwrap()), "{queried}");
    let query = queried["query"].as_str().unwrap().to_lowercase();
    assert!(!query.contains("cp501") && !query.contains("zen"), "on file is in no query (R20): {query}");
}

#[actix_rt::test]
async fn r8_a_model_without_a_manual_opens_the_filter() {
    let running = Running::start(Options::default()).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    for (call, dni, models) in [
        ("cpap", HAS_CPAP, json!(["CPAP"])),
        ("bipap", "30555666", json!(["BiPAP", "M50"])),
        ("ajeno", "33777888", json!(["AX-9"])),
    ] {
        let mut caller = Caller::dial(&running, call).await;
        operator.until(call, "the call", |_| true).await;
        operator.names(call, dni).await;
        assert_eq!(operator.looked_up(call, "dni").await["models"], models, "{call}");
        caller.say("el equipo me marca error H08 en la pantalla").await;
        let queried = running.last(call, "knowledge_queried", 1).await;
        assert_eq!(queried["knowledgeSources"], Value::Null, "{call}: {queried}");
        assert!(queried["bestSource"].is_string(), "it was searched: {queried}");
        caller.line.hang_up().await;
    }
}

#[actix_rt::test]
async fn r9_d22_dictated_read_back_corrected_and_typed_over_it_in_a_forked_call() {
    let running = Running::start(Options::default().few_manuals().set("AURA_STT", "transcript")).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    let fork = fork(&running, "dictado").await;
    let state = |state: &'static str| move |panel: &Value| panel["identity"]["state"] == state;
    says(&fork, "patient", "mi documento es veinte millones ciento once mil doscientos veintidós").await;
    let panel = operator.looked_up("dictado", "dni").await;
    let given = json!({ "dni": HAS_7F5, "source": "dictated", "state": "given", "confirmed": false });
    assert_eq!(panel["identity"], given);
    assert_eq!(panel["models"], json!(["7F-5"]));
    says(&fork, "operator", "¿veinte, ciento once, doscientos veintidós?").await;
    operator.until("dictado", "read back", state("read_back")).await;
    says(&fork, "patient", "sí, correcto").await;
    operator.until("dictado", "confirmed", state("confirmed")).await;

    says(
        &fork,
        "patient",
        "no, perdón, el documento es veintisiete trescientos treinta y tres cuatrocientos cuarenta y cuatro",
    )
    .await;
    let other = |panel: &Value| panel["identity"]["dni"] == HAS_CPAP;
    let panel = operator.until("dictado", "the corrected one", other).await;
    assert_eq!(panel["identity"]["state"], "given", "a correction starts over");
    let panel = operator.until("dictado", "its equipment", |panel| panel["models"] == json!(["CPAP"])).await;
    assert_eq!(device_names(&panel), ["Equipo CPAP automático con humidificador"]);

    operator.names("dictado", HAS_CP501_AND_ZENO).await;
    says(&fork, "patient", "mi DNI es veinte millones ciento once mil doscientos veintidós").await;
    let heard = |news: &News| matches!(news, News::Heard { index: 4, .. });
    let waiting = async {
        while !running.desk.of("dictado").iter().any(heard) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("the last line");
    let panel = operator.looked_up("dictado", "dni").await;
    assert_eq!(panel["identity"]["dni"], HAS_CP501_AND_ZENO, "the typed one wins and stays (R9)");
    assert_eq!(panel["identity"]["source"], "typed");
    assert_eq!(panel["models"], json!(["CP501", "Zen-O Lite"]));

    running.flush().await;
    let sql = "SELECT patient, source, state FROM call_patients WHERE call_id = 'dictado' ORDER BY at";
    let rows = running.sql().query(sql, &[]).await.unwrap();
    let rows: Vec<(String, String, String)> =
        rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
    let states: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.0, &*row.2)).collect();
    let [first, second, third] = [HAS_7F5, HAS_CPAP, HAS_CP501_AND_ZENO].map(|dni| hash(KEY, dni));
    assert_eq!(states, [(&*first, "denied"), (&*second, "denied"), (&*third, "given")], "{rows:?}");
    hangs_up(fork).await;
}

#[actix_rt::test]
async fn d23_d24_a_typed_and_confirmed_document_survives_a_restart_sealed() {
    let mut running = Running::start(Options::default()).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    let (mut same, mut other) = (Caller::dial(&running, "sigue").await, Caller::dial(&running, "otra").await);
    for call in ["sigue", "otra"] {
        operator.until(call, "the call", |_| true).await;
        operator.names(call, HAS_7F5).await;
        operator.looked_up(call, "dni").await;
        assert_eq!(operator.vouches(call, HAS_7F5).await.status, 204);
        assert!(!on_disk(&running).contains(HAS_7F5), "the document is sealed");
    }
    assert!(on_disk(&running).contains("sealed"), "and it is there");
    running.stop().await;
    running.again().await;
    same.redial(&running, "sigue").await;
    let operator = Staff::sign_in(&running, "olga").await;
    let panel = operator.looked_up("sigue", "dni").await;
    let identity = json!({ "dni": HAS_7F5, "source": "typed", "state": "confirmed", "confirmed": true });
    assert_eq!(panel["identity"], identity);
    assert_eq!(device_names(&panel), ["Concentrador de oxígeno Yuwell 7F-5"], "looked up again");
    same.say("el equipo me marca error E3 en la pantalla").await;
    assert_eq!(searched(&running, "sigue", 1).await, json!([YUWELL]), "it filters as before");
    assert!(!unconfirmed(&running, "sigue"));

    // Without the key nobody knows who it was: nothing is narrowed by a stranger's equipment.
    running.stop().await;
    running.change("AURA_KEY", OTHER_KEY);
    running.again().await;
    other.redial(&running, "otra").await;
    let operator = Staff::sign_in(&running, "olga").await;
    let panel = operator.until("otra", "the call", |_| true).await;
    assert_eq!((&panel["identity"], &panel["models"]), (&Value::Null, &json!([])), "{panel}");
    assert_eq!(panel["lookUp"]["progress"], "waiting");
    other.say("el equipo me marca error E3 en la pantalla").await;
    assert_eq!(searched(&running, "otra", 1).await, Value::Null, "the filter opens");
    operator.names("otra", HAS_CP501_AND_ZENO).await;
    assert_eq!(operator.looked_up("otra", "dni").await["models"], json!(["CP501", "Zen-O Lite"]));
    assert!(!on_disk(&running).contains(HAS_7F5) && !on_disk(&running).contains(HAS_CP501_AND_ZENO));
}
