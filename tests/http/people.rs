//! Accounts for tests: added as `aura user add` does, signed in as a browser does.
use crate::plain::{Response, send};
use crate::service::Running;
use aura::account::{AccountName, Password};
use aura_actors::accounts::keys;
use aura_actors::accounts::password::Passwords;
use aura_actors::store::{NewToken, Store};
use serde_json::json;
use std::net::SocketAddr;

/// What everybody here signs in with, unless a test says otherwise.
pub const PASSWORD: &str = "cuatro palabras sin relación";
const JSON: (&str, &str) = ("content-type", "application/json");

/// A store on the service's database, as another process has one.
pub async fn store(running: &Running) -> Store {
    running.database.store().await
}

/// Adds an account with a password.
pub async fn add(store: &Store, name: &str, role: &str, password: &str) -> uuid::Uuid {
    let password = Password::choose(&AccountName::parse(name).unwrap(), password).expect("a good password");
    let hash = Passwords::default().hash(password).await.expect("a hash");
    store.add_account(name, role, Some(&hash)).await.unwrap().expect("a new name")
}

/// Issues a token.
pub async fn issue(store: &Store, name: &str, account: Option<uuid::Uuid>, scopes: &[&str]) -> String {
    let key = keys::token().unwrap();
    let scopes = scopes.iter().map(ToString::to_string).collect();
    let token = NewToken { hash: key.hash, name: name.to_owned(), account, scopes, days: 1 };
    assert!(store.issue_token(&token).await.unwrap(), "a new name");
    key.text
}

/// Tries to sign in.
pub async fn try_sign_in(address: SocketAddr, name: &str, password: &str, more: &[(&str, &str)]) -> Response {
    let body = json!({ "name": name, "password": password }).to_string();
    let headers: Vec<_> = [JSON].iter().chain(more).copied().collect();
    send("POST", address, "/session", &headers, &body).await
}

/// Signs in; answers the cookie as `name=value`.
pub async fn sign_in(address: SocketAddr, name: &str, password: &str) -> String {
    let answer = try_sign_in(address, name, password, &[]).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    cookie(&answer)
}

/// The cookie of an answer, as the browser sends it back.
pub fn cookie(answer: &Response) -> String {
    answer.headers["set-cookie"].split(';').next().unwrap().to_owned()
}

/// Who the service says one is: the status, and the body where there is one.
pub async fn who_am_i(address: SocketAddr, headers: &[(&str, &str)]) -> (u16, serde_json::Value) {
    let answer = send("GET", address, "/session", headers, "").await;
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

/// This service's own origin.
pub fn origin(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// Sends JSON with a cookie from the service's own page.
pub async fn from_page(address: SocketAddr, method: &str, path: &str, cookie: &str, body: &str) -> Response {
    let origin = origin(address);
    send(method, address, path, &[JSON, ("cookie", cookie), ("origin", &origin)], body).await
}
