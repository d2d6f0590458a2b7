//! Keeps a copy of a small table in memory: listens for changes, reads the whole again, outlives lost connections.
use super::{Store, StoreError};
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Client};

/// Between two tries to connect: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The table is read again at least so often: a dead line looks exactly like a quiet one.
const RECHECK: Duration = Duration::from_secs(30);
const READ: Duration = Duration::from_secs(5);

/// Reads the whole table over the connection that listens.
pub(super) type Load<T> =
    for<'a> fn(&'a Client) -> futures_util::future::BoxFuture<'a, Result<T, tokio_postgres::Error>>;

/// Reads the table once, then follows it for as long as somebody holds the receiver.
pub(super) async fn follow<T: PartialEq + Send + Sync + 'static>(
    store: &Store,
    channel: &'static str,
    load: Load<T>,
) -> Result<watch::Receiver<T>, StoreError> {
    let first = load(&store.own_client().await?).await?;
    let (sender, receiver) = watch::channel(first);
    let store = store.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = sender.closed() => {}
            () = store.closed.cancelled() => {}
            () = keep_listening(&store, channel, load, &sender) => {}
        }
    });
    Ok(receiver)
}

async fn keep_listening<T: PartialEq>(
    store: &Store,
    channel: &'static str,
    load: Load<T>,
    sender: &watch::Sender<T>,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        let mut heard = false;
        let Err(error) = listen(store, channel, load, sender, &mut heard).await;
        if heard {
            pause = FIRST_PAUSE;
        }
        tracing::warn!(channel, %error, "no longer listening for changes; reconnecting");
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// One connection's life. `heard` tells whether it ever worked.
async fn listen<T: PartialEq>(
    store: &Store,
    channel: &'static str,
    load: Load<T>,
    sender: &watch::Sender<T>,
    heard: &mut bool,
) -> Result<std::convert::Infallible, StoreError> {
    let (client, mut connection) = store.own_connection().await?;
    // One slot: any number of notices means one more reading.
    let (changed, mut changes) = mpsc::channel::<()>(1);
    let mut driver = pin!(async move {
        loop {
            match poll_fn(|cx| connection.poll_message(cx)).await {
                Some(Ok(AsyncMessage::Notification(_))) => drop(changed.try_send(())),
                Some(Ok(_)) => {}
                Some(Err(error)) => return StoreError::from(error),
                None => return StoreError::Outage("the server closed the connection".to_owned()),
            }
        }
    });
    let mut reader = pin!(async {
        client.batch_execute(&format!("LISTEN {channel}")).await?;
        loop {
            // After LISTEN and after each notice, so what changed in between is in the reading.
            let now = timeout(READ, load(&client))
                .await
                .map_err(|_| StoreError::Outage("reading took longer than 5 s".to_owned()))??;
            *heard = true;
            sender.send_if_modified(|held| {
                let differs = *held != now;
                *held = now;
                differs
            });
            drop(timeout(RECHECK, changes.recv()).await);
        }
    });
    tokio::select! {
        error = &mut driver => Err(error),
        result = &mut reader => result,
    }
}
