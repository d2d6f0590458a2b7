//! Dials a recogniser: TCP, TLS where the address says so, the websocket's handshake.
use super::OpenError;
use aura::stt::Refusal;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::{HeaderMap, HeaderValue};
use tokio_tungstenite::tungstenite::{self};
use tokio_tungstenite::{WebSocketStream, client_async};

/// A byte stream, encrypted or not.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// An open websocket.
pub type Socket = WebSocketStream<Box<dyn Wire>>;

/// What encrypted connections are made with.
#[derive(Clone)]
pub struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Certificates are verified as the system does it.
    pub fn new() -> Result<Self, OpenError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| OpenError::Tls(error.to_string()))?;
        let client = builder.with_platform_verifier().map_err(|error| OpenError::Tls(error.to_string()))?;
        Ok(Self(Arc::new(client.with_no_client_auth())))
    }
}

/// Where to dial, and with what.
#[derive(Clone)]
pub struct Target {
    request: Request,
    host: String,
    port: u16,
    tls: Option<Tls>,
}

impl Target {
    /// A websocket address, with a header that authorises. The error says what is wrong with the address.
    pub fn new(url: &str, header: Option<(&'static str, String)>, tls: &Tls) -> Result<Self, String> {
        let mut request = url.into_client_request().map_err(|error| error.to_string())?;
        if let Some((name, value)) = header {
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| "its key holds characters that no header can".to_owned())?;
            value.set_sensitive(true);
            request.headers_mut().insert(name, value);
        }
        let uri = request.uri();
        let encrypted = match uri.scheme_str() {
            Some("wss") => true,
            Some("ws") => false,
            _ => return Err("its scheme is neither ws nor wss".to_owned()),
        };
        let host = uri.host().ok_or("it names no host")?.trim_matches(['[', ']']).to_owned();
        let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });
        Ok(Self { host, port, tls: encrypted.then(|| tls.clone()), request })
    }

    /// Another header of the handshake.
    pub fn with(mut self, name: &'static str, value: &str) -> Result<Self, String> {
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| format!("its {name} holds characters that no header can"))?;
        value.set_sensitive(true);
        self.request.headers_mut().insert(name, value);
        Ok(self)
    }

    /// Dials. A refusal holds what the server said, without the request's secrets.
    pub async fn dial(self) -> Result<Socket, Refusal> {
        let failed = |detail: String| Refusal { detail, ..Refusal::default() };
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await;
        let tcp = tcp.map_err(|error| failed(format!("{}:{}: {error}", self.host, self.port)))?;
        // A chunk of audio never waits for the last one's acknowledgement; without it it only waits.
        drop(tcp.set_nodelay(true));
        let wire: Box<dyn Wire> = match &self.tls {
            None => Box::new(tcp),
            Some(tls) => {
                let name =
                    ServerName::try_from(self.host.clone()).map_err(|error| failed(error.to_string()))?;
                let secured = TlsConnector::from(Arc::clone(&tls.0)).connect(name, tcp).await;
                Box::new(secured.map_err(|error| failed(format!("TLS with {}: {error}", self.host)))?)
            }
        };
        match client_async(self.request, wire).await {
            Ok((socket, _)) => Ok(socket),
            Err(tungstenite::Error::Http(response)) => {
                Err(refusal(response.status().as_u16(), response.headers()))
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

fn refusal(status: u16, headers: &HeaderMap) -> Refusal {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let retry_after =
        text("retry-after").and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
    let id = text("dg-request-id").map(|id| format!(" (request {id})")).unwrap_or_default();
    let detail = format!("{}{id}", text("dg-error").unwrap_or_default());
    Refusal { status: Some(status), retry_after, detail }
}
