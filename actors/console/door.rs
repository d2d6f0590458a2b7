//! The way in: who the operator is, shown to the server's door, and the websocket behind it.
use super::text::fill;
use crate::secret::Secret;
use crate::stt::{Socket, Target, Tls};
use aura::phrases::console::{end, line};
use aura::protocol::desk::SUBPROTOCOL;
use reqwest::header::{COOKIE, ORIGIN, RETRY_AFTER, SET_COOKIE};
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::json;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::timeout;

/// How long the door may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The session's cookie, as the server names it.
const COOKIE_NAME: &str = "aura_session";

/// Why it stays shut, in Spanish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Shut {
    /// Trying again may help.
    #[error("{0}")]
    Passing(String),
    /// It doesn't.
    #[error("{0}")]
    Final(String),
}

/// What is shown.
enum Pass {
    /// A bearer token.
    Token(Secret),
    /// A session.
    Session(Secret),
}

/// A server's desk.
pub struct Door {
    url: Url,
    base: Url,
    origin: String,
    http: Client,
    tls: Tls,
    pass: Option<Pass>,
}

impl Door {
    /// The desk at this address (`ws://…/desk` or `wss://…/desk`).
    pub fn new(address: &str) -> Result<Self, Shut> {
        let bad = |why: &str| Shut::Final(fill(end::ADDRESS.es, &[("url", address), ("por", why)]));
        let url = Url::parse(address).map_err(|error| bad(&error.to_string()))?;
        let mut base = url.clone();
        let http = match url.scheme() {
            "ws" => "http",
            "wss" => "https",
            other => return Err(bad(other)),
        };
        if url.host_str().is_none() || base.set_scheme(http).is_err() {
            return Err(bad("?"));
        }
        base.set_query(None);
        let tls = |why: String| Shut::Final(fill(end::TLS.es, &[("por", &why)]));
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(PATIENCE)
            .timeout(PATIENCE)
            .build()
            .map_err(|error| tls(error.to_string()))?;
        let system = Tls::new().map_err(|error| tls(error.to_string()))?;
        let origin = base.origin().ascii_serialization();
        Ok(Self { url, base, origin, http: client, tls: system, pass: None })
    }

    /// Whether what is said here can be heard on the way: a network that isn't this machine, without TLS.
    pub fn is_open(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address: Result<IpAddr, _> = host.trim_matches(['[', ']']).parse();
        let near = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
        self.url.scheme() == "ws" && !near
    }

    /// With a bearer token.
    pub fn with_token(&mut self, token: Secret) {
        self.pass = Some(Pass::Token(token));
    }

    /// With an account's name and password; the session is kept for later connections.
    pub async fn sign_in(&mut self, name: &str, password: &str) -> Result<(), Shut> {
        let body = json!({ "name": name, "password": password });
        let asked = self.http.post(self.at("session")?).header(ORIGIN, &self.origin).json(&body);
        let response = asked.send().await.map_err(|error| self.unreachable(&error))?;
        match response.status() {
            StatusCode::UNAUTHORIZED => Err(Shut::Final(end::WRONG.es.to_owned())),
            StatusCode::TOO_MANY_REQUESTS => {
                Err(Shut::Final(fill(end::WAIT.es, &[("s", &header(&response, RETRY_AFTER.as_str()))])))
            }
            status if status.is_success() => match session(&response) {
                Some(value) => {
                    self.pass = Some(Pass::Session(value));
                    Ok(())
                }
                None => Err(odd(status)),
            },
            status => Err(shut(status, end::ODD.es)),
        }
    }

    /// Opens the websocket.
    pub async fn open(&self) -> Result<Socket, Shut> {
        let late = || Shut::Passing(line::SILENT.es.to_owned());
        timeout(PATIENCE * 2, self.dial()).await.map_err(|_| late())?
    }

    async fn dial(&self) -> Result<Socket, Shut> {
        let target = Target::new(self.url.as_str(), None, &self.tls);
        let with = |target: Target| match &self.pass {
            Some(Pass::Token(token)) => {
                let bearer = format!("Bearer {}", token.expose());
                target.with("authorization", &bearer)?.with("sec-websocket-protocol", SUBPROTOCOL)
            }
            _ => Ok(target),
        };
        let bad =
            |why: String| Shut::Final(fill(end::ADDRESS.es, &[("url", self.url.as_str()), ("por", &why)]));
        let mut target = target.and_then(with).map_err(bad)?;
        if let Some(Pass::Session(cookie)) = &self.pass {
            let ticket = self.ticket(cookie).await?;
            let offered = format!("{SUBPROTOCOL}, ticket.{}", ticket.expose());
            // A ticket is good for the page that it was asked for.
            let with = target
                .with("origin", &self.origin)
                .and_then(|it| it.with("sec-websocket-protocol", &offered));
            target = with.map_err(bad)?;
        }
        target.dial().await.map_err(|refusal| match refusal.status.map(StatusCode::from_u16) {
            Some(Ok(status)) => shut(status, end::NO_DOOR.es),
            _ => Shut::Passing(format!("{}: {}", line::UNREACHABLE.es, refusal.detail)),
        })
    }

    async fn ticket(&self, cookie: &Secret) -> Result<Secret, Shut> {
        #[derive(Deserialize)]
        struct Ticket {
            ticket: String,
        }
        let cookie = format!("{COOKIE_NAME}={}", cookie.expose());
        let asked = self.http.post(self.at("tickets")?).header(ORIGIN, &self.origin).header(COOKIE, cookie);
        let response = asked.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(shut(status, end::NO_DOOR.es));
        }
        let Ticket { ticket } = response.json().await.map_err(|_| odd(status))?;
        Ok(Secret::new(ticket))
    }

    fn at(&self, path: &str) -> Result<Url, Shut> {
        self.base.join(path).map_err(|why| {
            Shut::Final(fill(end::ADDRESS.es, &[("url", self.url.as_str()), ("por", &why.to_string())]))
        })
    }

    fn unreachable(&self, error: &reqwest::Error) -> Shut {
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        let host = self.base.authority();
        Shut::Passing(fill(end::UNREACHABLE.es, &[("url", host), ("por", &cause.to_string())]))
    }
}

/// What a status that isn't the expected one means at any of the doors.
fn shut(status: StatusCode, otherwise: &str) -> Shut {
    match status {
        StatusCode::UNAUTHORIZED => Shut::Final(end::SIGNED_OUT.es.to_owned()),
        StatusCode::FORBIDDEN => Shut::Final(end::FORBIDDEN.es.to_owned()),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Shut::Passing(line::NOT_READY.es.to_owned())
        }
        status if status.is_server_error() => Shut::Passing(line::NOT_READY.es.to_owned()),
        status => Shut::Final(fill(otherwise, &[("estado", status.as_str())])),
    }
}

fn odd(status: StatusCode) -> Shut {
    Shut::Final(fill(end::ODD.es, &[("estado", status.as_str())]))
}

fn header(response: &Response, name: &str) -> String {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("?").to_owned()
}

/// The session's cookie.
fn session(response: &Response) -> Option<Secret> {
    let lines = response.headers().get_all(SET_COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.filter_map(|line| line.split(';').next()?.trim().split_once('='));
    pairs.find(|(name, value)| *name == COOKIE_NAME && !value.is_empty()).map(|(_, value)| Secret::new(value))
}
