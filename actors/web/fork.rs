//! The doors of forked calls over a websocket: FreeSWITCH and jambonz, Twilio, Asterisk. Transports: what the
//! frames mean is the protocol rooms' business, whose call it is the intake's.
mod reader;

use super::peers::Peers;
use crate::calls::Near;
use crate::clock::now;
use crate::forks::Forks;
use crate::problem::Problem;
use crate::secret::Secret;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use actix_web::{HttpRequest, HttpResponse, web};
use aura::ears::Door;
use aura::ears::intake::Intake;
use aura::ids::CallId;
use aura::protocol::pbx::{self, MAX_BINARY};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reader::Reader;
use uuid::Uuid;

/// Who may fork a call to us.
#[derive(Clone, Debug)]
pub struct ForkDoors {
    /// Tokens of the path, or of the request's authorisation.
    pub tokens: Vec<Secret>,
    /// Whether the doors are open at all.
    pub open: bool,
    /// The addresses that may dial.
    pub peers: Peers,
    /// Whether Asterisk is pinged.
    pub asterisk_pings: bool,
}

impl ForkDoors {
    /// Lets a peer in that shows a token in its path, as a bearer or as a password: switches differ in what
    /// they can send. Every token is compared, whichever matches: the time tells nothing.
    fn admit(&self, request: &HttpRequest, in_path: Option<&str>) -> Result<(), Problem> {
        self.peers.admit(request)?;
        if !self.open {
            let detail = "forked calls aren't taken here; set AURA_FORK_TOKENS";
            return Err(Problem::new(StatusCode::NOT_FOUND, detail));
        }
        let shown = in_path.map(str::to_owned).or_else(|| authorisation(request));
        let shown = shown.unwrap_or_default();
        let matches = self.tokens.iter().filter(|token| token.matches(&shown)).count();
        if self.tokens.is_empty() || matches > 0 {
            return Ok(());
        }
        let detail = "the token is missing or wrong; dial PATH/<token>, or send it as bearer or password";
        Err(Problem::new(StatusCode::UNAUTHORIZED, detail))
    }

    /// Whether this door's sockets are pinged, so that one whose network died is noticed.
    fn pings(&self, door: Door) -> bool {
        door != Door::Asterisk || self.asterisk_pings
    }
}

/// A bearer token, or basic authorisation's password.
fn authorisation(request: &HttpRequest) -> Option<String> {
    let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    if let Some(token) = header.strip_prefix("Bearer ") {
        return Some(token.trim().to_owned());
    }
    let decoded = STANDARD.decode(header.strip_prefix("Basic ")?.trim()).ok()?;
    let (_, password) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(password.to_owned())
}

/// Adds the routes, each with its token in the path or without.
pub fn routes(config: &mut web::ServiceConfig) {
    for (path, door) in
        [("/audio-fork", Door::AudioFork), ("/twilio-media", Door::Twilio), ("/asterisk", Door::Asterisk)]
    {
        let open = move |request: HttpRequest,
                         body: web::Payload,
                         doors: web::Data<ForkDoors>,
                         forks: web::Data<Forks>,
                         near: web::Data<Near>| async move {
            let token = request.match_info().get("token").map(str::to_owned);
            accept(door, &request, body, token.as_deref(), &doors, forks, near)
        };
        config.route(path, web::get().to(open)).route(&format!("{path}/{{token}}"), web::get().to(open));
    }
}

fn accept(
    door: Door,
    request: &HttpRequest,
    body: web::Payload,
    token: Option<&str>,
    doors: &ForkDoors,
    forks: web::Data<Forks>,
    near: web::Data<Near>,
) -> Result<HttpResponse, Problem> {
    doors.admit(request, token)?;
    let bad = |error: String| Problem::new(StatusCode::BAD_REQUEST, error);
    let from_url = pbx::query(request.query_string()).map_err(|error| bad(error.to_string()))?;
    let spare = CallId::parse(&format!("fork-{}", Uuid::now_v7())).map_err(|error| bad(error.to_string()))?;
    let offered = request.headers().get(SEC_WEBSOCKET_PROTOCOL).and_then(|value| value.to_str().ok());
    let spoken: Vec<&str> = offered.and_then(|offered| pbx::subprotocol(door, offered)).into_iter().collect();
    let (response, session, stream) = actix_ws::handle_with_protocols(request, body, &spoken)
        .map_err(|error| bad(format!("not a websocket upgrade: {error}")))?;
    let frames =
        stream.max_frame_size(MAX_BINARY).aggregate_continuations().max_continuation_size(MAX_BINARY);
    let intake = Intake::new(door, from_url, forks.patient(door), spare, now());
    actix_rt::spawn(Reader::new(door, intake, session, doors.pings(door), forks, near).run(frames));
    Ok(response)
}
