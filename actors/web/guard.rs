//! Lets in whoever shows a session, a token or a ticket; every door that isn't a switch's stands behind it.
use super::origin::{Origins, Page};
use super::peers::Peers;
use crate::accounts::{Accounts, AccountsError, Via, Who};
use crate::problem::Problem;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, COOKIE, SEC_WEBSOCKET_PROTOCOL};
use actix_web::web::{Data, Query};
use actix_web::{FromRequest, HttpRequest};
use aura::account::Permission;
use futures_util::future::LocalBoxFuture;
use serde::Deserialize;
use std::sync::Arc;
use tracing::warn;

/// The name of the session's cookie.
pub const COOKIE_NAME: &str = "aura_session";
/// How a ticket is offered among a websocket's subprotocols; the other one is the door's own.
const TICKET_PROTOCOL: &str = "ticket.";
/// What has to be shown.
const CHALLENGE: &str = r#"Bearer realm="aura""#;
/// When to try again while accounts can't be looked up, in seconds.
const RETRY_AFTER: u32 = 5;

/// What doors are guarded with.
pub struct Gate {
    /// Who there is.
    pub accounts: Arc<Accounts>,
    /// Which pages are ours.
    pub origins: Origins,
    /// How a peer's address is told.
    pub peers: Peers,
    /// Whether only this machine reaches the listener.
    pub loopback: bool,
}

impl Gate {
    /// The gate of this application.
    pub fn of(request: &HttpRequest) -> Result<&Self, Problem> {
        request.app_data::<Data<Self>>().map(|gate| gate.get_ref()).ok_or_else(|| {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "this door was opened without its guard")
        })
    }

    /// Whether cookies go over TLS alone: yes, unless nobody but this machine can listen.
    pub fn secure(&self, request: &HttpRequest) -> bool {
        let proto = request.headers().get("x-forwarded-proto").and_then(|value| value.to_str().ok());
        let last = proto.and_then(|list| list.rsplit(',').next()).map(str::trim);
        !self.loopback || (self.peers.trust_forwarded && last == Some("https"))
    }

    /// Who asks, by bearer token or cookie. A cookie alone changes nothing from a page that isn't ours, or
    /// that doesn't say which it is.
    pub async fn identify(&self, request: &HttpRequest) -> Result<Who, Problem> {
        if let Some(token) = bearer(request) {
            let who = self.accounts.by_token(token).await.map_err(problem)?;
            return who.ok_or_else(|| unknown("the bearer token isn't valid: wrong, expired or revoked"));
        }
        let mut known = None;
        // A neighbour's page may have set a second one of the same name: any good one will do.
        for cookie in cookies(request) {
            known = known.or(self.accounts.by_cookie(cookie).await.map_err(problem)?);
        }
        let who = known
            .ok_or_else(|| unknown("nobody is signed in here: POST /session, or send a bearer token"))?;
        if !request.method().is_safe() && self.origins.page(request)? == Page::Unsaid {
            let detail = "a browser's session changes nothing without Origin or Sec-Fetch-Site; send one, or a bearer token";
            return Err(Problem::new(StatusCode::FORBIDDEN, detail));
        }
        Ok(who)
    }

    /// Who asks for a websocket: by ticket (`?ticket=`, or the subprotocol `ticket.<ticket>`) or by bearer token.
    /// A cookie alone opens none. To be called before the upgrade; the page's origin is looked at first.
    pub async fn upgrade(&self, request: &HttpRequest) -> Result<Who, Problem> {
        let origin = self.origins.page(request)?.origin();
        if let Some(ticket) = ticket(request) {
            let who = self.accounts.by_ticket(&ticket, origin.as_deref()).await.map_err(problem)?;
            return who.ok_or_else(|| {
                unknown("the ticket isn't valid: used, expired, or from elsewhere; POST /tickets")
            });
        }
        let Some(token) = bearer(request) else {
            return Err(unknown("a websocket needs a ticket (POST /tickets) or a bearer token"));
        };
        let who = self.accounts.by_token(token).await.map_err(problem)?;
        who.ok_or_else(|| unknown("the bearer token isn't valid: wrong, expired or revoked"))
    }
}

impl FromRequest for Who {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Gate::of(&request)?.identify(&request).await })
    }
}

impl Who {
    /// Refuses with 403 whoever may not.
    pub fn require(&self, permission: Permission) -> Result<(), Problem> {
        if self.rights.allow(permission) {
            return Ok(());
        }
        let whose = match self.via {
            Via::Session(_) => "this account's role",
            Via::Token(_) => "this token (by its scopes, or its account's role)",
        };
        Err(Problem::new(StatusCode::FORBIDDEN, format!("{whose} may not {}", permission.about())))
    }
}

/// The session's cookies, as the browser sent them.
pub fn cookies(request: &HttpRequest) -> impl Iterator<Item = &str> {
    let lines = request.headers().get_all(COOKIE).filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value).take(4)
}

/// What became of a request, over HTTP.
pub fn problem(error: AccountsError) -> Problem {
    use AccountsError as E;
    match &error {
        E::Wait(wait) => {
            let seconds = u32::try_from(wait.0.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
            Problem::new(StatusCode::TOO_MANY_REQUESTS, &error).retry_after(seconds)
        }
        E::TooManyTickets => Problem::new(StatusCode::TOO_MANY_REQUESTS, &error).retry_after(30),
        E::Refused => Problem::new(StatusCode::UNAUTHORIZED, &error).challenge(CHALLENGE),
        E::Weak(_) | E::Name(_) => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, &error),
        E::Link => Problem::new(StatusCode::FORBIDDEN, &error),
        E::Store(_) | E::Hash(_) | E::Random(_) | E::NotOnRecord(_) | E::Role(_) => {
            warn!(%error, "an account's request failed");
            let detail = "accounts can't be looked up or changed just now; try again in a few seconds";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(RETRY_AFTER)
        }
    }
}

fn unknown(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, detail).challenge(CHALLENGE)
}

fn bearer(request: &HttpRequest) -> Option<&str> {
    let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[derive(Deserialize)]
struct InQuery {
    ticket: String,
}

fn ticket(request: &HttpRequest) -> Option<String> {
    if let Ok(Query(InQuery { ticket })) = Query::from_query(request.query_string()) {
        return Some(ticket);
    }
    let offered = request.headers().get_all(SEC_WEBSOCKET_PROTOCOL).filter_map(|line| line.to_str().ok());
    let mut offered = offered.flat_map(|line| line.split(',')).map(str::trim);
    offered.find_map(|protocol| protocol.strip_prefix(TICKET_PROTOCOL)).map(str::to_owned)
}
