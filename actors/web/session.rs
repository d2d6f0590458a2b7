//! Signing in and out, who am I, tickets for websockets, one's own password.
use super::guard::{COOKIE_NAME, Gate, cookies, problem};
use crate::accounts::{AccountsError, Attempt, SESSION, TICKET_LIFE, Via, Who};
use crate::problem::Problem;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use aura::account::Role;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::time::Duration;

/// The longest body, in bytes.
const LONGEST: usize = 8 * 1024;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    let session = web::resource("/session");
    config
        .service(
            session
                .route(web::post().to(sign_in))
                .route(web::get().to(show))
                .route(web::delete().to(sign_out)),
        )
        .service(web::resource("/password").route(web::post().to(change_password)))
        .service(web::resource("/tickets").route(web::post().to(ticket)));
}

#[derive(Deserialize)]
struct SignIn {
    name: String,
    password: String,
}

async fn sign_in(request: HttpRequest, body: Payload, gate: Data<Gate>) -> Result<HttpResponse, Problem> {
    // Nobody is signed in under another's name by a page that they happen to look at.
    gate.origins.page(&request)?;
    let SignIn { name, password } = json_body(&request, body).await?;
    let address = gate.peers.peer(&request);
    let former = cookies(&request).next();
    let attempt = Attempt { name: &name, password: &password, address, former };
    let signed_in = gate.accounts.sign_in(attempt).await.map_err(problem)?;
    Ok(with_session(&gate, &request, &signed_in.cookie))
}

async fn show(who: Who) -> HttpResponse {
    let (via, role) = (via(&who), who.rights.role().map(Role::as_str));
    let body = json!({ "name": who.name, "role": role, "via": via });
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(body)
}

async fn sign_out(who: Who, request: HttpRequest, gate: Data<Gate>) -> Result<HttpResponse, Problem> {
    only_session(&who)?;
    gate.accounts.sign_out(&who).await.map_err(problem)?;
    Ok(with_cookie(&cookie("", Duration::ZERO, gate.secure(&request))))
}

#[derive(Deserialize)]
struct NewPassword {
    current: String,
    new: String,
}

async fn change_password(
    who: Who,
    request: HttpRequest,
    body: Payload,
    gate: Data<Gate>,
) -> Result<HttpResponse, Problem> {
    only_session(&who)?;
    let NewPassword { current, new } = json_body(&request, body).await?;
    let address = gate.peers.peer(&request);
    let changed = gate.accounts.change_password(&who, (&current, &new), address).await;
    let changed = changed.map_err(|error| match error {
        // They are signed in: 401 would send them to sign in again.
        AccountsError::Refused => Problem::new(StatusCode::FORBIDDEN, "the current password is wrong"),
        error => problem(error),
    })?;
    Ok(with_session(&gate, &request, &changed.cookie))
}

async fn ticket(who: Who, request: HttpRequest, gate: Data<Gate>) -> Result<HttpResponse, Problem> {
    let origin = gate.origins.page(&request)?.origin();
    let ticket = gate.accounts.ticket(&who, origin).map_err(problem)?;
    let body = json!({ "ticket": ticket, "expiresIn": TICKET_LIFE.as_secs() });
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(body))
}

fn only_session(who: &Who) -> Result<(), Problem> {
    if matches!(who.via, Via::Session(_)) {
        return Ok(());
    }
    let detail = "this is for whoever signed in with a password; a token can't";
    Err(Problem::new(StatusCode::FORBIDDEN, detail))
}

const fn via(who: &Who) -> &'static str {
    match who.via {
        Via::Session(_) => "session",
        Via::Token(_) => "token",
    }
}

fn with_session(gate: &Gate, request: &HttpRequest, value: &str) -> HttpResponse {
    with_cookie(&cookie(value, SESSION.whole, gate.secure(request)))
}

fn with_cookie(cookie: &str) -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    response.insert_header((SET_COOKIE, cookie)).insert_header((CACHE_CONTROL, "no-store")).finish()
}

fn cookie(value: &str, life: Duration, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    let life = life.as_secs();
    format!("{COOKIE_NAME}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={life}{secure}")
}

/// A request's body, at most [`LONGEST`] bytes within [`PATIENCE`].
pub(super) async fn body(request: &HttpRequest, body: Payload, kind: &str) -> Result<Bytes, Problem> {
    let sent = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !sent.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind) {
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("expected a body of {kind}")));
    }
    let read = tokio::time::timeout(PATIENCE, body.to_bytes_limited(LONGEST)).await;
    let read = read.map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long"))?;
    let long = || Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("expected at most {LONGEST} bytes"));
    read.map_err(|_| long())?.map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "the body ended early"))
}

/// A body of JSON, within bounds. Its refusal repeats nothing of what was sent.
pub(super) async fn json_body<T: DeserializeOwned>(
    request: &HttpRequest,
    payload: Payload,
) -> Result<T, Problem> {
    let bytes = body(request, payload, "application/json").await?;
    // What the parser says quotes what was typed: a password, perhaps.
    let wrong = |_| {
        Problem::new(StatusCode::BAD_REQUEST, "expected a JSON object with this route's fields, as texts")
    };
    serde_json::from_slice(&bytes).map_err(wrong)
}
