//! The patients' system is away, slow or has changed its mind: what the panel shows and what the search rests on.
use crate::callers::{HAS_7F5, HAS_CPAP, YUWELL, searched};
use crate::panel::Staff;
use crate::retell::Caller;
use crate::service::{Options, PATIENCE, Running};
use crate::support::oxitesa::{Mood, Oxitesa, SECRET};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{sleep, timeout};

fn patients() -> [(&'static str, Value); 2] {
    let device = json!([{ "name": "Concentrador Yuwell 7F-5 de cinco litros", "model": "Yuwell 7F-5", "sku": "Y-75" }]);
    [(HAS_7F5, device.clone()), (HAS_CPAP, device)]
}

async fn with(oxitesa: &Oxitesa) -> (Running, Staff) {
    let options = Options::default().set("OXITESA_URL", oxitesa.url()).set("OXITESA_SECRET", SECRET);
    let running = Running::start(options).await;
    let operator = Staff::new(&running, "olga", "operator").await;
    (running, operator)
}

/// Dials a call whose caller the operator names.
async fn named(running: &Running, operator: &Staff, call: &str, dni: &str) -> Caller {
    let caller = Caller::dial(running, call).await;
    operator.until(call, "the call", |_| true).await;
    operator.names(call, dni).await;
    caller
}

/// Waits until the cache knows so many.
async fn cached(running: &Running, count: i64) {
    let waiting = async {
        let sql = "SELECT count(*) FROM patients";
        while running.sql().query_one(sql, &[]).await.unwrap().get::<_, i64>(0) != count {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("the cache");
}

#[actix_rt::test]
async fn r12_r15_d21_an_outage_shows_as_one_with_and_without_a_cache_and_ends_by_itself() {
    let oxitesa = Oxitesa::start(&patients()).await;
    let (running, operator) = with(&oxitesa).await;
    let _before = named(&running, &operator, "antes", HAS_7F5).await;
    let panel = operator.looked_up("antes", "dni").await;
    assert_eq!(
        (&panel["lookUp"]["source"], &panel["devices"][0]["sku"]),
        (&json!("oxitesa"), &json!("Y-75"))
    );
    cached(&running, 1).await;

    oxitesa.turns(Mood::Fails);
    let out = |panel: &Value| !panel["lookUp"]["outage"].is_null();
    let mut known = named(&running, &operator, "con", HAS_7F5).await;
    let panel = operator.until("con", "the outage", out).await;
    let outage = json!({ "cause": "failing", "retrying": true });
    let expected = json!({ "progress": "pending", "outage": outage, "source": "oxitesa", "cached": true });
    assert_eq!(panel["lookUp"], expected, "never as not_found");
    assert_eq!(
        (&panel["models"], &panel["devices"]),
        (&json!(["7F-5"]), &Value::Null),
        "models, no detail (R13)"
    );
    known.say("el equipo me marca error E3 en la pantalla").await;
    assert_eq!(searched(&running, "con", 1).await, json!([YUWELL]), "what was known filters");

    let mut unknown = named(&running, &operator, "sin", HAS_CPAP).await;
    let panel = operator.until("sin", "the outage", out).await;
    assert_eq!(panel["lookUp"]["progress"], "pending");
    assert_eq!(panel["lookUp"]["cached"], false);
    assert_eq!((&panel["models"], &panel["devices"]), (&json!([]), &Value::Null));
    unknown.say("el equipo me marca error E3 en la pantalla").await;
    assert_eq!(searched(&running, "sin", 1).await, Value::Null, "nothing is known: open (R8)");

    oxitesa.turns(Mood::Well);
    for call in ["con", "sin"] {
        let panel = operator.looked_up(call, "dni").await;
        assert_eq!((&panel["lookUp"]["outage"], &panel["lookUp"]["cached"]), (&Value::Null, &json!(false)));
        assert_eq!(panel["devices"][0]["sku"], "Y-75", "the detail is back");
    }
    drop(oxitesa);
    let _gone = named(&running, &operator, "lejos", HAS_7F5).await;
    let panel = operator.until("lejos", "the outage", out).await;
    assert_eq!(panel["lookUp"]["outage"], json!({ "cause": "unreachable", "retrying": true }));
    assert_eq!((&panel["models"], &panel["devices"]), (&json!(["7F-5"]), &Value::Null));
}

#[actix_rt::test]
async fn r12_after_not_found_nothing_stale_is_served() {
    let oxitesa = Oxitesa::start(&patients()).await;
    let (running, operator) = with(&oxitesa).await;
    let _found = named(&running, &operator, "hallado", HAS_7F5).await;
    operator.looked_up("hallado", "dni").await;
    cached(&running, 1).await;
    let gone = json!({ "error": "patient_not_found" }).to_string();
    oxitesa.turns(Mood::Says(404, "application/json", gone));
    let _gone = named(&running, &operator, "baja", HAS_7F5).await;
    let panel = operator.looked_up("baja", "not_found").await;
    assert_eq!((&panel["models"], &panel["devices"]), (&json!([]), &Value::Null));
    assert_eq!((&panel["lookUp"]["outage"], &panel["lookUp"]["cached"]), (&Value::Null, &json!(false)));
    cached(&running, 0).await;
    oxitesa.turns(Mood::Fails);
    let mut after = named(&running, &operator, "despues", HAS_7F5).await;
    let panel = operator.until("despues", "the outage", |panel| !panel["lookUp"]["outage"].is_null()).await;
    assert_eq!((&panel["models"], &panel["lookUp"]["cached"]), (&json!([]), &json!(false)), "{panel}");
    after.say("el equipo me marca error E3 en la pantalla").await;
    assert_eq!(searched(&running, "despues", 1).await, Value::Null);
}
