//! Whether an address stays on this machine or a private network, by its numbers and by what its name means.
use reqwest::Url;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

/// What is let in.
pub const EXPECTED: &str = "an http(s) address on this machine or a private network (loopback, 10.0.0.0/8, \
     172.16.0.0/12, 192.168.0.0/16, fc00::/7 or link-local): it is sent document numbers, which never leave the house";

/// Why an address isn't let in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPrivate {
    /// It can't be read.
    #[error("it is no http(s) address without user name and password")]
    Address,
    /// A public one.
    #[error("it is public")]
    Public,
    /// Its name means at least one public address.
    #[error("'{host}' means {at}, which is public")]
    Resolves {
        /// The name.
        host: String,
        /// The address.
        at: IpAddr,
    },
    /// Its name means nothing.
    #[error("'{host}' has no address")]
    Nowhere {
        /// The name.
        host: String,
    },
}

impl NotPrivate {
    /// The address for a message; one that may hold a password isn't shown.
    pub fn shown(&self, address: &str) -> String {
        if *self == Self::Address { "***".to_owned() } else { address.to_owned() }
    }
}

/// Whether packets to it stay inside: loopback, RFC 1918, unique local, link-local.
pub fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// Refuses what can't be read, and what is public by its numbers; a name isn't looked up.
pub fn check_literal(address: &str) -> Result<(), NotPrivate> {
    match host(address)? {
        (host, _) if host.parse().is_ok_and(|ip| !is_private(ip)) => Err(NotPrivate::Public),
        _ => Ok(()),
    }
}

/// The host and its addresses, all of them private.
pub fn resolve(address: &str) -> Result<(String, Vec<SocketAddr>), NotPrivate> {
    let (host, port) = host(address)?;
    let nowhere = |host: &str| NotPrivate::Nowhere { host: host.to_owned() };
    let found: Vec<SocketAddr> =
        (host.as_str(), port).to_socket_addrs().map_err(|_| nowhere(&host))?.collect();
    if found.is_empty() {
        return Err(nowhere(&host));
    }
    match found.iter().map(SocketAddr::ip).find(|ip| !is_private(*ip)) {
        Some(at) => Err(NotPrivate::Resolves { host, at }),
        None => Ok((host, found)),
    }
}

fn host(address: &str) -> Result<(String, u16), NotPrivate> {
    let url = Url::parse(address.trim()).map_err(|_| NotPrivate::Address)?;
    let bare = url.username().is_empty() && url.password().is_none();
    let port = url.port_or_known_default().ok_or(NotPrivate::Address)?;
    match url.host_str() {
        Some(host) if bare && matches!(url.scheme(), "http" | "https") => {
            Ok((host.trim_start_matches('[').trim_end_matches(']').to_owned(), port))
        }
        _ => Err(NotPrivate::Address),
    }
}
