//! Which addresses may come in: one rule for the websocket and the webhooks.
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use ipnet::IpNet;
use std::net::IpAddr;

/// Who may dial, by address.
#[derive(Clone, Debug, Default)]
pub struct Peers {
    /// Networks that may dial; empty is all.
    pub allow: Vec<IpNet>,
    /// Whether the last address of `X-Forwarded-For` is the peer's.
    pub trust_forwarded: bool,
}

impl Peers {
    /// Lets a request in, or refuses it with 403.
    pub fn admit(&self, request: &HttpRequest) -> Result<(), Problem> {
        let allowed = |peer: IpAddr| self.allow.iter().any(|net| net.contains(&peer));
        if self.allow.is_empty() || self.peer(request).is_some_and(allowed) {
            return Ok(());
        }
        Err(Problem::new(StatusCode::FORBIDDEN, "this address may not dial; see RETELL_ALLOW_IPS"))
    }

    /// The peer's address.
    pub fn peer(&self, request: &HttpRequest) -> Option<IpAddr> {
        let forwarded = request.headers().get("x-forwarded-for").filter(|_| self.trust_forwarded);
        let last = forwarded.and_then(|value| value.to_str().ok()).and_then(|list| list.rsplit(',').next());
        match last {
            Some(address) => address.trim().parse().ok(),
            None => request.peer_addr().map(|address| address.ip().to_canonical()),
        }
    }
}
