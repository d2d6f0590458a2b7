//! No document and no device of a patient is ever in a request to a model or an embedder, in a log, a metric, an
//! error or anything that is kept, on any path, faults included (R13, R20, S4, I6, I8).
use crate::forked::{fork, grows, hangs_up, says};
use crate::panel::Staff;
use crate::plain::{Response, get, send};
use crate::privacy::{DIMS, provider};
use crate::retell::Caller;
use crate::service::{Options, PATIENCE, Running};
use crate::spanish::{as_number, group, parts, spelled};
use crate::support::openai::StandIn;
use crate::support::oxitesa::{Mood, Oxitesa, SECRET};
use crate::sweep::{self, Sweep};
use crate::swept::{leaks, logged, unnamed};
use crate::watch::{self, MARKED};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// What the model says.
const SAID: [&str; 2] = ["Anoto el documento 20.111.222. ", "¿Me repite si es 35 999 000?"];

/// A service that asks this provider for everything.
async fn start(provider: &StandIn, options: Options) -> (Running, Staff, usize) {
    watch::start();
    let options = options
        .bare()
        .set("OPENAI_BASE_URL", provider.base_url())
        .set("OPENAI_EMBEDDING_DIMS", DIMS)
        .set("AURA_LLM", "openai")
        .set("AURA_EMBEDDER", "openai")
        .set("AURA_STT", "transcript");
    let running = Running::start(options).await;
    let ingested = provider.received().len();
    assert!(ingested > 0, "the manuals were embedded");
    let operator = Staff::new(&running, "olga", "operator").await;
    (running, operator, ingested)
}

/// How a patient dictates a document, line by line.
fn dictated(way: usize, dni: &str) -> Vec<String> {
    let [first, middle, last] = parts(dni);
    match way % 6 {
        0 => vec![format!("mi documento es {first}.{middle}.{last} y el equipo hace un ruido raro")],
        1 => vec![format!("se lo dicto, mi documento es {}", spelled(dni))],
        2 => vec![format!("el documento es {}", as_number(dni))],
        3 => vec![format!("mi documento es {}", group(first)), group(middle), group(last)],
        4 => vec![
            "mi documento es 31.222.333".to_owned(),
            format!("no, perdón, el documento es {first} {middle} {last}"),
        ],
        _ => vec![
            "documento treinta y uno doscientos veintidós trescientos treinta y tres".to_owned(),
            format!("no, perdón, es {} {} {}", group(first), group(middle), group(last)),
        ],
    }
}

/// A bot's call whose caller is typed, dictates all the same and is confirmed.
async fn bot_call(running: &Running, operator: &Staff, call: &str, (way, dni): (usize, &str)) {
    let mut caller = Caller::dial(running, call).await;
    let details = json!({ "call_id": call, "retell_llm_dynamic_variables": { "documento": dni } });
    caller.line.send(json!({ "interaction_type": "call_details", "call": details })).await;
    caller.say("hola, tengo un problema con el equipo que tengo en casa").await;
    operator.names(call, dni).await;
    operator.looked_up(call, "dni").await;
    for said in dictated(way, dni) {
        caller.say(&said).await;
    }
    assert_eq!(operator.vouches(call, dni).await.status, 204);
    caller.say("¿y qué hago con el equipo entonces, lo apago o lo dejo?").await;
    assert_eq!(operator.panel(call).await["identity"]["confirmed"], true);
    running.facts_with(call, "suggestion_generated", 2 + dictated(way, dni).len()).await;
    caller.line.hang_up().await;
}

/// A forked call whose patient dictates, is read back to and agrees.
async fn forked_call(running: &Running, operator: &Staff, call: &str, (way, dni): (usize, &str)) {
    let fork = fork(running, call).await;
    says(&fork, "operator", "buenas, ¿me dice su documento?").await;
    for said in dictated(way, dni) {
        grows(&fork, "patient", &said).await;
    }
    let whose = |panel: &Value| panel["identity"]["dni"] == dni && panel["lookUp"]["progress"] == "dni";
    operator.until(call, "the document that was dictated", whose).await;
    says(&fork, "operator", &format!("le repito, {}, ¿está bien?", spelled(dni))).await;
    says(&fork, "patient", "sí, está bien").await;
    operator.until(call, "it is confirmed", |panel| panel["identity"]["confirmed"] == true).await;
    fork.dtmf('5', 160).await;
    hangs_up(fork).await;
    running.facts_with(call, "call_ended", 1).await;
}

/// Requests that can't be done, each with a secret in it.
async fn errors(running: &Running, operator: &Staff, dni: &str) -> Vec<Response> {
    let json = [("content-type", "application/json")];
    let address = running.address();
    let mut all = vec![
        operator.look(dni).await,
        operator.types(dni, dni).await,
        operator.vouches(dni, dni).await,
        operator.put("nadie", &format!(r#"{{"dni":{dni}}}"#)).await,
        operator.put("nadie", &format!(r#"{{"dni":"{dni}{dni}"}}"#)).await,
        operator.put("nadie", &format!(r#"{{"dni":"{dni}""#)).await,
        operator.look(&format!("{dni}%20{dni}")).await,
        send("PUT", address, &format!("/calls/{dni}/patient/dni"), &json, "{}").await,
        send("POST", address, "/session", &json, &format!(r#"{{"name":"{dni}","password":"{dni}"}}"#)).await,
        send("POST", address, "/retell/webhook", &json, &format!(r#"{{"event":"{dni}"}}"#)).await,
    ];
    for path in ["patients", "audio-fork", "llm-websocket", "asterisk", "twilio-media"] {
        all.push(get(address, &format!("/{path}/{dni}"), &[]).await);
    }
    for answer in &all {
        assert!((400..500).contains(&answer.status), "{answer:?}");
    }
    all
}

#[actix_rt::test]
async fn r13_r20_s4_i8_canary_of_the_sample_roster_on_every_path() {
    let provider = provider(&SAID).await;
    let (mut running, operator, ingested) =
        start(&provider, Options::default().set("PATIENT_LOOKUP_PROVIDER", "mock")).await;
    tracing::trace!(target: "planted_sample", text = "tres tres siete siete siete ocho ocho ocho");
    tracing::debug!(target: "planted_sample", device = "Concentrador Andes AX-9");
    let patients = sweep::roster();
    let mut calls = Vec::new();
    for (way, patient) in patients.iter().enumerate() {
        let (bot, forked) = (format!("bot-{way}"), format!("fork-{way}"));
        bot_call(&running, &operator, &bot, (way, &patient.dni)).await;
        // Each in another way than to the bot.
        forked_call(&running, &operator, &forked, (5 * way, &patient.dni)).await;
        calls.extend([bot, forked]);
    }
    let errors = errors(&running, &operator, &patients[0].dni).await;
    running.cut_connections().await; // what the store says of an error is a line too
    bot_call(&running, &operator, "bot-cortado", (0, &patients[1].dni)).await;
    calls.push("bot-cortado".to_owned());

    let asked = provider.received()[ingested..].to_vec();
    assert_eq!(unnamed(&asked), [""; 0]);
    let found = leaks(&running, sweep::sample(), (&provider, ingested), (&calls, &errors)).await;
    assert!(found.is_empty(), "{found:#?}");
    running.stop().await;
    logged("planted_sample");
}

/// The patients of the stand-in: their devices are of a brand that nothing else knows.
fn marked() -> Value {
    json!([
        { "name": "Equipo Zafirol Nocturno", "model": "EverFlo", "brand": MARKED, "sku": "ZFR-7781",
          "category": "lunático", "note": "Zafirol" },
        { "name": "Zafirol Diurno sin modelo", "brand": MARKED, "sku": "ZFR-7782" },
    ])
}

/// Documents that the stand-in knows.
const TYPED: &str = "35999000";
const DICTATED: &str = "38222111";
/// What is dictated first where it is corrected.
const CORRECTED: &str = "31222333";

/// Every way in which the system fails, each as talkative as it can be.
fn moods() -> Vec<Mood> {
    let body = |devices: Value| json!({ "dni": TYPED, "devices": devices }).to_string();
    let says = |status, body: String| Mood::Says(status, "application/json", body);
    vec![
        Mood::OtherSecret,
        says(200, format!(r#"{{"dni":"{TYPED}","devices":[{{"name":"Equipo Zafirol Nocturno","#)),
        says(200, body(json!([{ "brand": MARKED, "category": "lunático" }]))),
        says(200, body(json!({ "Zafirol": TYPED }))),
        says(200, json!({ "dni": "20111222", "devices": marked() }).to_string()),
        says(404, json!({ "error": format!("no hay {TYPED} con Zafirol") }).to_string()),
        says(400, json!({ "error": "bad_request", "message": format!("{TYPED} Zafirol") }).to_string()),
        Mood::Says(502, "text/html", format!("<h1>{TYPED}</h1>Equipo Zafirol Nocturno")),
        Mood::Redirects(format!("http://127.0.0.1:9/{TYPED}?device=Zafirol")),
        Mood::Huge,
        Mood::HalfAnAnswer,
        Mood::Fails,
        Mood::Stalls,
        Mood::Mute,
        Mood::Throttles(None),
        Mood::Away("1"),
    ]
}

/// Names the caller until the system was asked in this mood, whatever held the question back.
async fn asked(oxitesa: &Oxitesa, operator: &Staff, call: &str, dni: &str) {
    let before = oxitesa.received().len();
    let asking = async {
        loop {
            operator.names(call, dni).await;
            for _ in 0..40 {
                if oxitesa.received().len() > before {
                    return;
                }
                sleep(Duration::from_millis(50)).await;
            }
        }
    };
    timeout(3 * PATIENCE, asking).await.expect("the system is asked");
}

#[actix_rt::test]
async fn r13_s4_i8_canary_of_a_patients_system_in_each_of_its_faults() {
    let provider = provider(&SAID).await;
    let oxitesa = Oxitesa::start(&[(TYPED, marked()), (DICTATED, marked()), (CORRECTED, marked())]).await;
    let few = Path::new(env!("CARGO_MANIFEST_DIR")).join("manuals/cap");
    let options = Options::default()
        .set("AURA_MANUALS", few.display())
        .set("OXITESA_URL", oxitesa.url())
        .set("OXITESA_SECRET", SECRET);
    let (mut running, operator, ingested) = start(&provider, options).await;
    tracing::trace!(target: "planted_faults", text = "38-222-111");
    tracing::debug!(target: "planted_faults", device = MARKED);
    let mut calls = Vec::new();
    for (n, mood) in moods().into_iter().enumerate() {
        let (bot, forked) = (format!("bot-{n}"), format!("fork-{n}"));
        let mut caller = Caller::dial(&running, &bot).await;
        caller.say("hola, tengo un problema con el equipo").await;
        oxitesa.turns(mood.clone());
        asked(&oxitesa, &operator, &bot, TYPED).await;
        let out = |panel: &Value| !panel["lookUp"]["outage"].is_null();
        let panel = operator.until(&bot, &format!("{mood:?} shows"), out).await;
        assert_eq!(panel["devices"], Value::Null, "{mood:?}: {panel}");
        caller.say("¿y qué hago con el equipo entonces, lo apago?").await;
        let fork = fork(&running, &forked).await;
        for said in dictated(n, DICTATED) {
            grows(&fork, "patient", &said).await;
        }
        operator.until(&forked, "the document", |panel| panel["identity"]["dni"] == DICTATED).await;
        oxitesa.turns(Mood::Well);
        let recovered = async {
            while operator.panel(&bot).await["devices"].is_null() {
                operator.names(&bot, TYPED).await;
                sleep(Duration::from_millis(1500)).await;
            }
        };
        timeout(3 * PATIENCE, recovered).await.unwrap_or_else(|_| panic!("it never recovers from {mood:?}"));
        caller.say("¿me puede repetir eso que me dijo, por favor?").await;
        caller.line.hang_up().await;
        hangs_up(fork).await;
        calls.extend([bot, forked]);
    }
    let errors = errors(&running, &operator, TYPED).await;
    let asked = provider.received()[ingested..].to_vec();
    assert_eq!(unnamed(&asked), [""; 0]);
    let secrets = Sweep::of(
        [TYPED, DICTATED, CORRECTED, "20111222"],
        ["Equipo Zafirol Nocturno", MARKED, "ZFR-7781", "ZFR-7782", "lunático"],
    );
    let found = leaks(&running, &secrets, (&provider, ingested), (&calls, &errors)).await;
    assert!(found.is_empty(), "{found:#?}");
    running.stop().await;
    logged("planted_faults");
}
