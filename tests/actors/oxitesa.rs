//! Oxitesa's adapter against a server that follows the contract, and against each way of breaking it.
use crate::support::openai::StandIn;
use crate::support::oxitesa::contract::Contract;
use crate::support::oxitesa::{Mood, Oxitesa, SECRET};
use aura::audit::{Act, Action, Disclosure};
use aura::equipment::{Catalogue, Model};
use aura::ids::{CallId, Dni};
use aura::patient::{Answer, Cause, Device, Devices};
use aura_actors::openai::{CONNECT, Http};
use aura_actors::patients::{OpenError, PatientLookup, oxitesa};
use aura_actors::secret::Secret;
use serde_json::{Value, json};
use std::time::Duration;

const KNOWN: &str = "23456789";

fn adapter(url: &str) -> oxitesa::Oxitesa {
    let http = Http::new(CONNECT).unwrap();
    // A busy machine meets this deadline.
    oxitesa::Oxitesa::new(&http, url, &Secret::new(SECRET), Catalogue::builtin())
        .unwrap()
        .deadline(Duration::from_secs(30))
}

fn dni(text: &str) -> Dni {
    Dni::parse(text).unwrap()
}

async fn system(devices: Value) -> Oxitesa {
    Oxitesa::start(&[(KNOWN, devices)]).await
}

fn concentrator() -> Value {
    json!([{"name": "Concentrador SysMed M50", "model": "M50"}])
}

/// What a server in this mood is answered with, for a document that it knows.
async fn cause(mood: Mood) -> Cause {
    let server = system(concentrator()).await;
    server.turns(mood);
    match adapter(&server.url()).by_dni(dni(KNOWN)).await {
        Answer::Unavailable(cause) => cause,
        other => panic!("expected no answer, got {other:?}"),
    }
}

async fn models(devices: Value) -> Vec<String> {
    let server = system(devices).await;
    match adapter(&server.url()).by_dni(dni(KNOWN)).await {
        Answer::Found(context, _) => context.models.iter().map(Model::to_string).collect(),
        other => panic!("expected a patient, got {other:?}"),
    }
}

/// The key to devices: an act as a panel keeps it.
pub fn disclosure() -> Disclosure {
    let call = CallId::parse("call-1").ok();
    let (by, patient) = ("account:ana".to_owned(), Some("0".repeat(32)));
    let act = Act { by, action: Action::EquipmentShown, patient, call, detail: Value::Null };
    Disclosure::of(&act).unwrap()
}

#[tokio::test]
async fn r11_the_contract_is_kept_on_both_sides() {
    let server = system(json!([
        {"name": "Concentrador CP501 5 litros", "model": "CP-501", "brand": "Longfian", "sku": "CON-CP501", "category": "concentrador"},
        {"name": "Portátil", "model": "GCE Zen-O Lite", "brand": null},
    ]))
    .await;
    let adapter = adapter(&format!("{}/", server.url()));
    assert_eq!(adapter.name(), "oxitesa");
    let Answer::Found(context, devices) = adapter.by_dni(dni("23.456.789")).await else {
        panic!("a patient")
    };
    assert_eq!(context.models, ["CP501", "Zen-O Lite"].map(Model::new).into());
    let shown = devices.reveal(&disclosure());
    assert_eq!((shown[0].brand.as_deref(), shown[0].sku.as_deref()), (Some("Longfian"), Some("CON-CP501")));
    assert_eq!((shown[1].name.as_str(), &shown[1].brand), ("Portátil", &None));
    assert_eq!(adapter.by_dni(dni("5123456")).await, Answer::NotFound);
    let asked = server.received();
    assert_eq!(asked[0].body, json!({"dni": KNOWN}), "the document and nothing else");
    assert_eq!(asked[1].body, json!({"dni": "5123456"}));
}

/// The stand-in's reader of the contract would notice.
#[test]
fn the_contract_file_bites() {
    let contract = Contract::read();
    assert_eq!(contract.secret_header(), oxitesa::SECRET_HEADER);
    let schema = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    for (name, good, bad) in [
        ("Request", json!({"dni": KNOWN}), json!({"dni": KNOWN, "call": "c"})),
        ("Request", json!({"dni": "5123456"}), json!({"dni": "05123456"})),
        ("Patient", json!({"dni": KNOWN, "devices": []}), json!({"dni": KNOWN})),
        ("Device", json!({"name": "a", "brand": null}), json!({"name": "a", "brand": 7})),
        ("NotFound", json!({"error": "patient_not_found"}), json!({"error": "not_found"})),
    ] {
        contract.check(&schema(name), &good).unwrap();
        contract.check(&schema(name), &bad).expect_err(name);
    }
}

#[tokio::test]
async fn r12_each_failure_has_its_cause() {
    for (mood, expected) in [
        (Mood::OtherSecret, Cause::Unauthorised),
        (Mood::Says(403, "text/html", "<h1>Prohibido</h1>".into()), Cause::Unauthorised),
        (Mood::Throttles(Some("7")), Cause::Throttled),
        (Mood::Throttles(None), Cause::Throttled),
        (Mood::Fails, Cause::Failing),
        (Mood::Away("3"), Cause::Failing),
        (Mood::Says(502, "text/html", "<h1>Bad gateway</h1>".into()), Cause::Failing),
        (Mood::Says(408, "text/plain", String::new()), Cause::Timeout),
        (Mood::HalfAnAnswer, Cause::Malformed),
        (Mood::Huge, Cause::Malformed),
        (Mood::Says(200, "text/html", format!(r#"{{"dni":"{KNOWN}","devices":[]}}"#)), Cause::Malformed),
        (Mood::Says(200, "application/json", "<html>".into()), Cause::Malformed),
        (Mood::Says(200, "application/json", r#"{"devices":[{"name":"Conc"#.into()), Cause::Malformed),
        (Mood::Says(200, "application/json", "[]".into()), Cause::Malformed),
        (Mood::Says(200, "application/json", "{}".into()), Cause::Malformed),
        (Mood::Says(204, "application/json", String::new()), Cause::Malformed),
        (Mood::Says(400, "application/json", r#"{"error":"bad_request"}"#.into()), Cause::Malformed),
    ] {
        assert_eq!(cause(mood.clone()).await, expected, "{mood:?}");
    }
}

/// A wrong path or a proxy says 404 too: to take it for the system's word would hide the patient and empty the cache.
#[tokio::test]
async fn r12_only_the_contracts_own_404_says_that_a_patient_is_unknown() {
    for (kind, body) in [
        ("text/html", "<h1>404 Not Found</h1>"),
        ("application/json", r#"{"error":"not_found"}"#),
        ("application/problem+json", r#"{"title":"Not Found","status":404}"#),
        ("application/json", ""),
    ] {
        assert_eq!(cause(Mood::Says(404, kind, body.to_owned())).await, Cause::Malformed, "{body}");
    }
}

#[tokio::test]
async fn slow_or_unreachable_is_told_apart() {
    let server = system(concentrator()).await;
    for mood in [Mood::Mute, Mood::Stalls] {
        server.turns(mood);
        let hasty = adapter(&server.url()).deadline(Duration::from_millis(300));
        assert_eq!(hasty.by_dni(dni(KNOWN)).await, Answer::Unavailable(Cause::Timeout));
    }
    let gone = system(concentrator()).await;
    let url = gone.url();
    drop(gone);
    assert_eq!(adapter(&url).by_dni(dni(KNOWN)).await, Answer::Unavailable(Cause::Unreachable));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = StandIn::start(Vec::new()).await;
    let to = elsewhere.base_url();
    assert_eq!(cause(Mood::Redirects(to)).await, Cause::Malformed);
    assert!(elsewhere.received().is_empty(), "document and secret went nowhere else");
}

/// Somebody else's equipment is never shown, whatever mixed the answers up.
#[tokio::test]
async fn an_answer_about_another_document_is_none() {
    let other = r#"{"dni":"5123456","devices":[{"name":"Concentrador M50"}]}"#;
    assert_eq!(cause(Mood::Says(200, "application/json", other.into())).await, Cause::Malformed);
}

#[tokio::test]
async fn it_is_left_alone_for_as_long_as_it_asks_and_no_longer_than_a_minute() {
    for (mood, least, most) in [
        (Mood::Throttles(Some("20")), 1, 20),
        (Mood::Throttles(Some("9999")), 21, 60),
        (Mood::Away("20"), 1, 20),
        (Mood::Throttles(None), 0, 2),
    ] {
        let server = system(concentrator()).await;
        server.turns(mood);
        let adapter = adapter(&server.url());
        assert!(adapter.pause().is_zero());
        adapter.by_dni(dni(KNOWN)).await;
        let pause = adapter.pause();
        assert!(pause > Duration::from_secs(least) || least == 0, "{pause:?}");
        assert!(pause <= Duration::from_secs(most), "{pause:?}");
        if least > 0 {
            server.turns(Mood::Well);
            assert_eq!(adapter.by_dni(dni("5123456")).await, Answer::Unavailable(Cause::Throttled));
            assert_eq!(server.received().len(), 1, "nobody asked it meanwhile");
        }
    }
}

#[tokio::test]
async fn r08_models_are_the_catalogues_and_what_it_does_not_know_is_kept() {
    let named = |name: &str| json!({"name": name});
    let modelled = |model: &str| json!({"name": "Equipo", "model": model});
    for (device, expected) in [
        (modelled("SYSMED M50"), "M50"),
        (modelled(" yuwell 7f5 "), "7F-5"),
        (modelled("M50 Plus"), "M50 Plus"),
        (modelled("AX-9"), "AX-9"),
        (modelled("CPAP"), "CPAP"),
        (named("Concentrador de oxígeno SysMed M50 5 L"), "M50"),
        (named("CONCENTRADOR YUWELL 7F-5"), "7F-5"),
        (named("Aparato de la abuela"), "sin modelo"),
        (json!({"sku": 77}), "sin modelo"),
        (json!({"name": "Equipo", "model": "x".repeat(41)}), "sin modelo"),
    ] {
        let server = system(concentrator()).await;
        let body = json!({"dni": KNOWN, "devices": [device], "otro": {"campo": []}});
        server.turns(Mood::Says(200, "application/json; charset=utf-8", body.to_string()));
        let answer = adapter(&server.url()).by_dni(dni(KNOWN)).await;
        let Answer::Found(context, devices) = answer else { panic!("{device}: {answer:?}") };
        assert_eq!(context.models, [Model::new(expected)].into(), "{device}");
        assert_eq!(devices.reveal(&disclosure()).len(), 1);
    }
    let cylinder = json!({"name": "Tubo de 682 litros", "category": "Tubo"});
    let both = json!([cylinder, {"name": "EverFlo 5 L"}]);
    assert_eq!(models(both).await, ["EverFlo"], "cylinders are in every filter and need no model");
    assert_eq!(models(json!([])).await, [""; 0]);
}

/// One that was passed over would close the filter to its manual.
#[tokio::test]
async fn r08_a_list_is_taken_whole_or_not_at_all() {
    for broken in [json!(7), json!({"brand": "Andes"}), json!({"name": "  "}), json!(null)] {
        let body = json!({"dni": KNOWN, "devices": [{"name": "EverFlo"}, broken]}).to_string();
        assert_eq!(cause(Mood::Says(200, "application/json", body)).await, Cause::Malformed, "{broken}");
    }
}

#[tokio::test]
async fn r13_nothing_that_prints_holds_secret_document_or_devices() {
    let server = system(concentrator()).await;
    let adapter = adapter(&server.url());
    let answer = adapter.by_dni(dni(KNOWN)).await;
    let device = Device { name: "Concentrador SysMed M50".into(), brand: None, sku: None, category: None };
    assert!(matches!(&answer, Answer::Found(_, devices) if *devices == Devices::new(vec![device])));
    let printed = format!("{adapter:?} {answer:?}");
    for private in [SECRET, KNOWN, "SysMed", "Concentrador"] {
        assert!(!printed.contains(private), "{private} in {printed}");
    }
    let http = Http::new(CONNECT).unwrap();
    let open = |url: &str, secret: &str| {
        oxitesa::Oxitesa::new(&http, url, &Secret::new(secret), Catalogue::builtin()).unwrap_err()
    };
    let error = open(&server.url(), "compar\ntido-0f3a");
    assert!(matches!(error, OpenError::Secret) && !error.to_string().contains("tido"), "{error}");
    for url in ["", "patients.example", "ftp://x", "https://user:tido@x"] {
        let error = open(url, SECRET).to_string();
        assert!(error.contains("OXITESA_URL") && !error.contains("tido"), "{error}");
    }
}
