//! The permissions table: every route of the service, and what becomes of whom at it.
use crate::people::{PASSWORD, add, issue, sign_in, store};
use crate::plain::send;
use crate::service::{Options, Running};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

/// Who asks, in the order of the columns.
const CALLERS: [&str; 11] = [
    "nobody",
    "operator",
    "supervisor",
    "administrator",
    "expired session",
    "wrong origin",
    "disabled account",
    "token without scope",
    "token with scope",
    "expired token",
    "token of a disabled account",
];

/// A route: method, path as it is registered, a request to it, and the status for each caller.
struct Row(&'static str, &'static str, Sample, [u16; 11]);

/// Path, content type, body.
struct Sample(&'static str, &'static str, &'static str);

const NONE: &str = "";
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const WRONG: &str = r#"{"name":"nadie","password":"no es esta la clave"}"#;
const CHANGE: &str = r#"{"current":"no es esta la clave","new":"una clave nueva y larga"}"#;
const FILLED: &str = "token=x&name=x&password=x&again=x";

/// A door that asks for no account: switches, Retell and probes have secrets of their own, or none.
const fn own(status: u16) -> [u16; 11] {
    [status; 11]
}

/// A new route needs a row. The tokens' scope is `metrics`; the listener can be reached from outside.
const TABLE: &[Row] = &[
    Row("GET", "/healthz", Sample("/healthz", NONE, NONE), own(200)),
    Row("GET", "/readyz", Sample("/readyz", NONE, NONE), own(200)),
    Row(
        "GET",
        "/metrics",
        Sample("/metrics", NONE, NONE),
        [401, 403, 200, 200, 401, 200, 401, 403, 200, 401, 401],
    ),
    Row("GET", "/llm-websocket/{call_id}", Sample("/llm-websocket/c1", NONE, NONE), own(401)),
    Row("GET", "/llm-websocket/{secret}/{call_id}", Sample("/llm-websocket/mal/c1", NONE, NONE), own(401)),
    Row(
        "GET",
        "/llm-websocket/{secret}/{call_id}",
        Sample("/llm-websocket/s3creto/c1", NONE, NONE),
        own(400),
    ),
    Row("POST", "/retell/webhook", Sample("/retell/webhook", JSON, "{}"), own(401)),
    Row("GET", "/audio-fork", Sample("/audio-fork", NONE, NONE), own(401)),
    Row("GET", "/audio-fork/{token}", Sample("/audio-fork/mal", NONE, NONE), own(401)),
    Row("GET", "/audio-fork/{token}", Sample("/audio-fork/t0ken", NONE, NONE), own(400)),
    Row("GET", "/twilio-media", Sample("/twilio-media", NONE, NONE), own(401)),
    Row("GET", "/twilio-media/{token}", Sample("/twilio-media/mal", NONE, NONE), own(401)),
    Row("GET", "/asterisk", Sample("/asterisk", NONE, NONE), own(401)),
    Row("GET", "/asterisk/{token}", Sample("/asterisk/mal", NONE, NONE), own(401)),
    Row(
        "GET",
        "/calls/{call_id}/patient",
        Sample("/calls/c1/patient", NONE, NONE),
        [401, 404, 404, 403, 401, 404, 401, 403, 403, 401, 401],
    ),
    Row(
        "PUT",
        "/calls/{call_id}/patient/dni",
        Sample("/calls/c1/patient/dni", JSON, r#"{"dni":"23456789"}"#),
        [401, 404, 404, 403, 401, 403, 401, 403, 403, 401, 401],
    ),
    Row(
        "POST",
        "/calls/{call_id}/patient/confirmation",
        Sample("/calls/c1/patient/confirmation", JSON, r#"{"dni":"23456789"}"#),
        [401, 404, 404, 403, 401, 403, 401, 403, 403, 401, 401],
    ),
    // No ticket and no token of this scope: a browser's cookie opens no websocket.
    Row("GET", "/desk", Sample("/desk", NONE, NONE), [401, 401, 401, 401, 401, 403, 401, 400, 403, 401, 401]),
    Row("GET", "/setup", Sample("/setup?token=x", NONE, NONE), own(403)),
    Row("POST", "/setup", Sample("/setup", FORM, FILLED), own(403)),
    Row(
        "GET",
        "/session",
        Sample("/session", NONE, NONE),
        [401, 200, 200, 200, 401, 200, 401, 200, 200, 401, 401],
    ),
    Row(
        "POST",
        "/session",
        Sample("/session", JSON, WRONG),
        [401, 401, 401, 401, 401, 403, 401, 401, 401, 401, 401],
    ),
    Row(
        "POST",
        "/tickets",
        Sample("/tickets", NONE, NONE),
        [401, 200, 200, 200, 401, 403, 401, 200, 200, 401, 401],
    ),
    Row(
        "POST",
        "/password",
        Sample("/password", JSON, CHANGE),
        [401, 403, 403, 403, 401, 403, 401, 403, 403, 401, 401],
    ),
    Row(
        "DELETE",
        "/session",
        Sample("/session", NONE, NONE),
        [401, 204, 204, 204, 401, 403, 401, 403, 403, 401, 401],
    ),
];

/// What a caller sends along.
type Headers = Vec<(&'static str, String)>;

#[actix_rt::test]
async fn every_route_for_everybody() {
    let options = Options::default()
        .few_manuals()
        .set("AURA_LISTEN", "0.0.0.0:0")
        .set("PATIENT_LOOKUP_PROVIDER", "mock")
        .set("RETELL_SECRET", "s3creto")
        .set("RETELL_API_KEY", "key_de_los_webhooks")
        .set("AURA_FORK_TOKENS", "t0ken");
    let running = Running::start(options).await;
    let callers = callers(&running).await;
    let mut wrong = Vec::new();
    for Row(method, route, Sample(path, kind, body), expected) in TABLE {
        for ((caller, headers), expected) in CALLERS.iter().zip(&callers).zip(expected) {
            // Each a name of its own: the throttle has its own test.
            let body = body.replace("nadie", &format!("nadie-{}", caller.replace(' ', "-")));
            let mut headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            headers.extend((!kind.is_empty()).then_some(("content-type", *kind)));
            let answer = send(method, running.address(), path, &headers, &body).await;
            if answer.status != *expected {
                wrong.push(format!(
                    "{method} {route} ({path}), {caller}: {} and not {expected}",
                    answer.status
                ));
            }
            if answer.status == 401 && ["/session", "/tickets", "/password", "/metrics"].contains(route) {
                assert!(
                    answer.headers.contains_key("www-authenticate"),
                    "{method} {route} {caller}: {answer:?}"
                );
                answer.problem();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

async fn callers(running: &Running) -> Vec<Headers> {
    let (store, address) = (store(running).await, running.address());
    let origin = |cookie: String| vec![("cookie", cookie), ("origin", format!("http://{address}"))];
    let mut sessions = Vec::new();
    let mut ids = Vec::new();
    for (name, role) in [
        ("olga", "operator"),
        ("susana", "supervisor"),
        ("adela", "administrator"),
        ("vencida", "administrator"),
        ("ajena", "supervisor"),
        ("cerrada", "supervisor"),
    ] {
        ids.push(add(&store, name, role, PASSWORD).await);
        sessions.push(sign_in(address, name, PASSWORD).await);
    }
    let bearer = |token: String| vec![("authorization", format!("Bearer {token}"))];
    let without = bearer(issue(&store, "sin-alcance", None, &["calls:read"]).await);
    let with = bearer(issue(&store, "con-alcance", None, &["metrics"]).await);
    let expired = bearer(issue(&store, "vencido", None, &["metrics"]).await);
    let of_closed = bearer(issue(&store, "de-cerrada", Some(ids[5]), &["metrics"]).await);
    let sql = format!(
        "UPDATE account_sessions SET expires_at = now() WHERE account_id = '{}';
         UPDATE account_tokens SET expires_at = now() WHERE name = 'vencido';
         UPDATE accounts SET disabled_at = now() WHERE id = '{}'",
        ids[3], ids[5]
    );
    running.sql().batch_execute(&sql).await.unwrap();
    let mut sessions = sessions.into_iter();
    let mut next = || sessions.next().unwrap();
    vec![
        Headers::new(),
        origin(next()),
        origin(next()),
        origin(next()),
        origin(next()),
        vec![("cookie", next()), ("origin", "https://otro.example".to_owned())],
        origin(next()),
        without,
        with,
        expired,
        of_closed,
    ]
}

/// The doors' sources name every path; each must be in the table, and each of the table in them.
#[test]
fn a_route_that_is_not_in_the_table_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("actors/web");
    let mut found = BTreeSet::new();
    sources(&root, &mut |text| found.extend(paths(text)));
    assert!(paths(r#"config.route("/new/{id}", web::get())"#).contains("/new/{id}"), "the search itself");
    let mut known: BTreeSet<String> = TABLE.iter().map(|Row(_, path, ..)| (*path).to_owned()).collect();
    // Forks' doors are registered with a token in the path, too.
    known.retain(|path| path.strip_suffix("/{token}").is_none_or(|door| !known_door(door)));
    assert_eq!(found, known, "routes of actors/web against this file's table");
}

fn known_door(door: &str) -> bool {
    TABLE.iter().any(|Row(_, path, ..)| *path == door)
}

fn sources(folder: &Path, each: &mut dyn FnMut(&str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, each),
            false => each(&std::fs::read_to_string(path).unwrap()),
        }
    }
}

/// Texts of a source that are paths.
fn paths(source: &str) -> BTreeSet<String> {
    let path = |text: &str| {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'{' | b'}' | b'_' | b'-');
        text.starts_with('/') && text.len() > 1 && text.bytes().all(allowed)
    };
    source.split('"').filter(|text| path(text)).map(str::to_owned).collect()
}

/// No path takes a method that the table lacks.
#[actix_rt::test]
async fn methods_that_are_not_in_the_table_are_refused() {
    let running = Running::start(Options::default().few_manuals()).await;
    for path in TABLE.iter().map(|Row(_, path, ..)| *path).collect::<BTreeSet<_>>() {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if TABLE.iter().any(|Row(known, of, ..)| (*known, *of) == (method, path)) {
                continue;
            }
            let status = refused(running.address(), method, path).await;
            assert!([404, 405].contains(&status), "{method} {path}: {status}");
        }
    }
}

async fn refused(address: SocketAddr, method: &str, path: &str) -> u16 {
    let path = path.replace(['{', '}'], "");
    send(method, address, &path, &[], "").await.status
}
