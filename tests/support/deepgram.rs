//! A stand-in for Deepgram's live API: a real websocket, the document's rules, and ears that check what arrives.
#[path = "deepgram/behaviour.rs"]
mod behaviour;
#[path = "deepgram/ear.rs"]
mod ear;
#[path = "deepgram/greeting.rs"]
mod greeting;
#[path = "deepgram/link.rs"]
mod link;
#[path = "deepgram/query.rs"]
pub mod query;
#[path = "deepgram/record.rs"]
pub mod record;

pub use behaviour::{Behaviour, Endpoint};
pub use record::{Connection, Ended};

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

/// How long a test waits for what must come, before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

type Script = Arc<dyn Fn(usize) -> Behaviour + Send + Sync>;

#[derive(Clone)]
struct Shared {
    key: String,
    script: Script,
    connections: Arc<Mutex<Vec<Connection>>>,
    /// Counts what happened.
    changes: watch::Sender<u64>,
    /// Counts how often everybody was hung up on.
    cuts: watch::Sender<u64>,
}

impl Shared {
    fn connections(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.connections.lock().unwrap()
    }

    fn change(&self, number: usize, change: impl FnOnce(&mut Connection)) {
        change(&mut self.connections()[number]);
        self.changes.send_modify(|changes| *changes += 1);
    }
}

/// A running stand-in. It stops when it is dropped.
pub struct Deepgram {
    address: SocketAddr,
    shared: Shared,
    task: JoinHandle<()>,
}

impl Drop for Deepgram {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Deepgram {
    /// One by the document, for this key.
    pub async fn start(key: &str) -> Self {
        Self::behaving(key, |_| Behaviour::default()).await
    }

    /// One that behaves on connection `n` (from 0; refused ones count) as `script` says.
    pub async fn behaving(key: &str, script: impl Fn(usize) -> Behaviour + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared {
            key: key.to_owned(),
            script: Arc::new(script),
            connections: Arc::default(),
            changes: watch::Sender::new(0),
            cuts: watch::Sender::new(0),
        };
        let task = tokio::spawn(accept(listener, shared.clone()));
        Self { address, shared, task }
    }

    /// Where it listens, as a customer would set it: scheme and address.
    pub fn base_url(&self) -> String {
        format!("ws://{}", self.address)
    }

    /// The live API's address without a query.
    pub fn url(&self) -> String {
        format!("{}/v1/listen", self.base_url())
    }

    /// All connections so far, refused ones too.
    pub fn connections(&self) -> Vec<Connection> {
        self.shared.connections().clone()
    }

    /// Waits until the connections are as wanted, and returns them.
    pub async fn until(&self, what: &str, wanted: impl Fn(&[Connection]) -> bool) -> Vec<Connection> {
        let mut changes = self.shared.changes.subscribe();
        let right = timeout(PATIENCE, changes.wait_for(|_| wanted(&self.shared.connections()))).await.is_ok();
        assert!(right, "waited in vain until {what}: {:#?}", self.connections());
        self.connections()
    }

    /// Hangs up on everybody, without a close frame.
    pub fn cut(&self) {
        self.shared.cuts.send_modify(|cuts| *cuts += 1);
    }
}

async fn accept(listener: TcpListener, shared: Shared) {
    let mut connections = JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        socket.set_nodelay(true).unwrap();
        let number = {
            let mut all = shared.connections();
            all.push(Connection::default());
            all.len() - 1
        };
        connections.spawn(link::serve(socket, number, shared.clone()));
        while connections.try_join_next().is_some() {}
    }
}
