//! Staff who look at a live call's caller, name them and vouch for them, as the desk's page does.
use crate::people::{PASSWORD, add, from_page, sign_in, store};
use crate::plain::{Response, send};
use crate::service::{PATIENCE, Running};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Somebody who is signed in.
pub struct Staff {
    address: SocketAddr,
    cookie: String,
}

impl Staff {
    /// A new account of this role, signed in.
    pub async fn new(running: &Running, name: &str, role: &str) -> Self {
        add(&store(running).await, name, role, PASSWORD).await;
        Self::sign_in(running, name).await
    }

    /// An account that there is, signed in.
    pub async fn sign_in(running: &Running, name: &str) -> Self {
        let address = running.address();
        Self { address, cookie: sign_in(address, name, PASSWORD).await }
    }

    /// Looks at a call's caller.
    pub async fn look(&self, call: &str) -> Response {
        send("GET", self.address, &format!("/calls/{call}/patient"), &[("cookie", &self.cookie)], "").await
    }

    /// The panel of a live call.
    pub async fn panel(&self, call: &str) -> Value {
        let answer = self.look(call).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// The panel, once it is as wanted.
    pub async fn until(&self, call: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let waiting = async {
            loop {
                let answer = self.look(call).await;
                // A call that was just dialled isn't at the desk yet.
                let panel = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
                if answer.status == 200 && wanted(&panel) {
                    return panel;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        match timeout(PATIENCE, waiting).await {
            Ok(panel) => panel,
            Err(_) => panic!("never: {what}; the panel shows {:?}", self.look(call).await),
        }
    }

    /// The panel, once the look-up has come so far.
    pub async fn looked_up(&self, call: &str, progress: &str) -> Value {
        self.until(call, progress, |panel| panel["lookUp"]["progress"] == progress).await
    }

    /// Sends a body to the door where documents are typed.
    pub async fn put(&self, call: &str, body: &str) -> Response {
        from_page(self.address, "PUT", &format!("/calls/{call}/patient/dni"), &self.cookie, body).await
    }

    /// Types a document.
    pub async fn types(&self, call: &str, dni: &str) -> Response {
        self.put(call, &json!({ "dni": dni }).to_string()).await
    }

    /// Types a document, which is taken.
    pub async fn names(&self, call: &str, dni: &str) {
        let answer = self.types(call, dni).await;
        assert_eq!((answer.status, &*answer.body), (204, ""), "{answer:?}");
    }

    /// Vouches for this document in a call.
    pub async fn vouches(&self, call: &str, dni: &str) -> Response {
        let path = format!("/calls/{call}/patient/confirmation");
        let body = json!({ "dni": dni }).to_string();
        from_page(self.address, "POST", &path, &self.cookie, &body).await
    }
}

/// The names of what a panel shows.
pub fn device_names(panel: &Value) -> Vec<&str> {
    let devices = panel["devices"].as_array().expect("the devices are shown");
    devices.iter().map(|device| device["name"].as_str().expect("a name")).collect()
}
