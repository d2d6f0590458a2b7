//! Plain HTTP by hand, so that a test sees what is on the wire.
use crate::service::PATIENCE;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// What a websocket's client asks for.
pub const UPGRADE: [(&str, &str); 4] = [
    ("connection", "upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: String,
}

impl Response {
    /// The detail of an RFC 9457 problem; fails if it is none.
    pub fn problem(&self) -> String {
        let kind = self.headers.get("content-type").map(String::as_str);
        assert_eq!(kind, Some("application/problem+json"), "{self:?}");
        let body: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(body["status"], self.status);
        assert_eq!(body["type"], "about:blank");
        assert!(body["title"].as_str().is_some_and(|title| !title.is_empty()), "{body}");
        body["detail"].as_str().unwrap().to_owned()
    }
}

/// Gets a path.
pub async fn get(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Response {
    let request = head("GET", address, path, headers);
    timeout(PATIENCE, exchange(address, request.as_bytes())).await.expect("an answer")
}

/// Sends a request with any method.
pub async fn send(
    method: &str,
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response {
    let length = body.len().to_string();
    let headers: Vec<_> = headers.iter().copied().chain([("content-length", length.as_str())]).collect();
    let request = head(method, address, path, &headers) + body;
    timeout(PATIENCE, exchange(address, request.as_bytes())).await.expect("an answer")
}

/// Posts a body.
pub async fn post(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    post_part(address, path, headers, body, body.len()).await
}

/// Posts a body that is said to be of `length`, and perhaps is shorter.
pub async fn post_part(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
    length: usize,
) -> Response {
    let length = length.to_string();
    let headers: Vec<_> = headers.iter().copied().chain([("content-length", length.as_str())]).collect();
    let request = [head("POST", address, path, &headers).as_bytes(), body].concat();
    timeout(PATIENCE, exchange(address, &request)).await.expect("an answer")
}

/// Asks for a websocket, and tells what came instead of one (or the 101).
pub async fn dial(address: SocketAddr, path: &str, more: &[(&str, &str)]) -> Response {
    let headers: Vec<_> = UPGRADE.iter().chain(more).copied().collect();
    get(address, path, &headers).await
}

fn head(method: &str, address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> String {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n{more}\r\n")
}

async fn exchange(address: SocketAddr, request: &[u8]) -> Response {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(request).await.unwrap();
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        assert!(socket.read_buf(&mut bytes).await.unwrap() > 0, "the server hung up: {bytes:?}");
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head_end + length {
        assert!(socket.read_buf(&mut bytes).await.unwrap() > 0, "the body was cut short");
    }
    let body = String::from_utf8(bytes[head_end..head_end + length].to_vec()).unwrap();
    Response { status, headers, body }
}
