//! What the chat and the embeddings adapter share: the address, the client, and how a try may fail.
mod table;
mod trouble;

pub use table::{Abilities, abilities};
pub use trouble::{Kind, Trouble, backoff, retry_after};

use crate::secret::Secret;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Response, Url};
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;

/// How long a connection may take to stand.
pub const CONNECT: Duration = Duration::from_secs(2);

/// Why an adapter can't be made of its settings. Never holds the key.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// No usable address.
    #[error("the base URL is not usable: {0}; expected something like https://api.openai.com/v1")]
    BaseUrl(String),
    /// The key can't be sent.
    #[error("the API key holds a character that no header can carry; copy it again")]
    Key,
    /// How long are this model's vectors?
    #[error("the length of vectors of the embedding model {0:?} is not known; set its dimensions")]
    UnknownModel(String),
    /// No HTTP client.
    #[error("no HTTPS client: {0}; install the system's root certificates (package ca-certificates)")]
    Client(String),
}

/// The one HTTP client that all adapters share, with its pool of connections.
#[derive(Clone, Debug)]
pub struct Http {
    client: reqwest::Client,
    connect: Duration,
}

impl Http {
    /// A client whose connections must stand within `connect`; [`CONNECT`] in service.
    pub fn new(connect: Duration) -> Result<Self, SettingsError> {
        Self::build(reqwest::Client::builder(), connect)
    }

    /// A client that knows `host` by these addresses alone and goes through no proxy: what it sends stays
    /// where they are, whatever the name means later.
    pub fn pinned(connect: Duration, host: &str, addresses: &[SocketAddr]) -> Result<Self, SettingsError> {
        Self::build(reqwest::Client::builder().no_proxy().resolve_to_addrs(host, addresses), connect)
    }

    fn build(builder: reqwest::ClientBuilder, connect: Duration) -> Result<Self, SettingsError> {
        let client = builder
            .connect_timeout(connect)
            // A redirected POST would lose its body, and could carry the patient's words elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| SettingsError::Client(error.to_string()))?;
        Ok(Self { client, connect })
    }

    /// The client, for servers that speak another language; they share its pool.
    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }
}

/// One address of an OpenAI-compatible server.
#[derive(Clone, Debug)]
pub struct Endpoint {
    http: Http,
    url: Url,
    host: String,
    headers: HeaderMap,
}

impl Endpoint {
    /// The address of `path` below a base URL such as `https://api.openai.com/v1`. A base that already
    /// ends in `path` is taken as it is.
    pub fn new(http: &Http, base_url: &str, path: &str, key: Option<&Secret>) -> Result<Self, SettingsError> {
        let url = address(base_url, path)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let mut headers = HeaderMap::new();
        if let Some(key) = key.filter(|key| !key.expose().is_empty()) {
            let bearer = format!("Bearer {}", key.expose());
            let mut value = HeaderValue::from_str(&bearer).map_err(|_| SettingsError::Key)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self { http: http.clone(), url, host, headers })
    }

    /// The server's name, safe to log.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Posts a body and waits for the headers of a success. The caller sets the deadline.
    pub async fn post(&self, body: &impl Serialize) -> Result<Response, Trouble> {
        let request = self.http.client.post(self.url.clone()).headers(self.headers.clone()).json(body);
        let response =
            request.send().await.map_err(|e| Trouble::transport(&self.host, self.http.connect, &e))?;
        match response.status().is_success() {
            true => Ok(response),
            false => Err(Trouble::refusal(&self.host, response).await),
        }
    }
}

/// The address of `path` below a base, whether that ends in it already or not.
pub fn address(base_url: &str, path: &str) -> Result<Url, SettingsError> {
    let refuse = |why: &str| SettingsError::BaseUrl(why.to_owned());
    let mut url = Url::parse(base_url.trim()).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it begins with neither http:// nor https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("it holds a user name or a password; the key has its own setting"));
    }
    let base = url.path().trim_end_matches('/').to_owned();
    if !base.ends_with(path) {
        url.set_path(&format!("{base}/{path}"));
    }
    Ok(url)
}

/// Reads a body of at most `limit` bytes; `None` if it is longer or breaks off.
pub async fn read_bounded(response: &mut Response, limit: usize) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        if body.len() + bytes.len() > limit {
            return None;
        }
        body.extend_from_slice(&bytes);
    }
    Some(body)
}
