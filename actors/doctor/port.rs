//! The address that Aura listens on: its own server's, free, or taken by a stranger.
use super::Check;
use crate::config::Config;
use serde_json::Value;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long whoever listens may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest answer that is read.
const LONGEST: u64 = 16 * 1024;

/// Who is at the address.
pub(super) async fn check(config: &Config) -> Check {
    let (listen, dial) = (config.listen, config.dial());
    if listen.port() == 0 {
        return Check::ok("port", format!("AURA_LISTEN={listen}: the system chooses one"));
    }
    let answer = match timeout(PATIENCE, TcpStream::connect(dial)).await {
        Ok(Ok(socket)) => timeout(PATIENCE, healthz(socket, dial)).await.ok().flatten(),
        Ok(Err(_)) | Err(_) => return free(listen),
    };
    let own = env!("CARGO_PKG_VERSION");
    match answer.as_ref().map(|health| health["version"].as_str().unwrap_or("unknown")) {
        Some(version) if version == own => Check::ok("port", format!("aura {version} listens on {listen}")),
        Some(version) => Check::warning(
            "port",
            format!("aura of version {version} listens on {listen}; this one is {own}"),
            "restart the server if it should be this version",
        ),
        None => Check::failure(
            "port",
            format!("{listen} is taken by something that isn't aura"),
            "stop it, or set AURA_LISTEN to a free address",
        ),
    }
}

/// Nobody answers: whether we could listen there. Let go again at once.
fn free(listen: SocketAddr) -> Check {
    match TcpListener::bind(listen) {
        Ok(_) => Check::ok("port", format!("{listen} is free; no server runs on it")),
        Err(error) => {
            let advice = "set AURA_LISTEN to an address of this machine that aura may listen on";
            Check::failure("port", format!("{listen} can't be listened on: {error}"), advice)
        }
    }
}

/// What `/healthz` says, if it is an aura's.
async fn healthz(mut socket: TcpStream, address: SocketAddr) -> Option<Value> {
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    socket.take(LONGEST).read_to_end(&mut answer).await.ok()?;
    let answer = String::from_utf8_lossy(&answer);
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let health: Value = serde_json::from_str(body).ok()?;
    (health["status"] == "alive").then_some(health)
}
