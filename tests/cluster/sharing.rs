//! Who may use the cluster beside whom: one server, any number of commands.

use std::sync::Arc;

use aura_actors::postgres::{PostgresError, Role, start};

use crate::support::{Home, connect, server_process};

#[tokio::test]
async fn a_second_server_is_refused_and_the_first_goes_on() {
    let home = Home::new("second");
    let server = server_process(&home).await;
    let error = start(&home.settings(), Role::Server).await.unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(error, PostgresError::AlreadyServed { pid, .. } if Some(pid) == server.id()),
        "{message}"
    );
    assert!(message.contains("stop it first") && message.contains("AURA_HOME"), "{message}");
    let guest = home.start(Role::Command).await;
    connect(&guest).await.query_one("SELECT 1", &[]).await.unwrap();
    guest.stop().await.unwrap();
}

#[tokio::test]
async fn a_command_beside_a_server_is_its_guest_and_stops_nothing() {
    let home = Home::new("guest");
    let server = home.start(Role::Server).await;
    let before = home.postmaster();
    let guest = home.start(Role::Command).await;
    assert!(server.owned() && !guest.owned());
    assert_eq!(guest.pid(), None);
    guest.stop().await.unwrap();
    connect(&server).await.query_one("SELECT 1", &[]).await.unwrap();
    assert_eq!(home.postmaster(), before);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn commands_at_once_share_one_cluster_and_the_last_leaves_none() {
    let home = Arc::new(Home::new("commands"));
    let commands = (0..4).map(|n: i32| {
        let home = home.clone();
        tokio::spawn(async move {
            let cluster = home.start(Role::Command).await;
            let client = connect(&cluster).await;
            let row = client.query_one("SELECT pg_sleep(0.1 * $1::int4), $1::int4", &[&n]).await.unwrap();
            drop(client);
            let owned = cluster.owned();
            cluster.stop().await.unwrap();
            (row.get::<_, i32>(1), owned)
        })
    });
    let mut owners = 0;
    for (n, command) in commands.collect::<Vec<_>>().into_iter().enumerate() {
        let (answer, owned) = command.await.unwrap();
        assert_eq!(usize::try_from(answer).unwrap(), n);
        owners += usize::from(owned);
    }
    assert!(owners >= 1, "somebody started it");
    assert!(!home.path().join("db/data/postmaster.pid").exists(), "nobody left it running");
}

#[tokio::test]
async fn a_command_that_owns_the_cluster_waits_for_its_guest() {
    let home = Home::new("owner-waits");
    let owner = home.start(Role::Command).await;
    let guest = home.start(Role::Command).await;
    assert!(owner.owned() && !guest.owned());
    let stopping = tokio::spawn(owner.stop());
    let client = connect(&guest).await;
    client.query_one("SELECT pg_sleep(0.5)", &[]).await.unwrap();
    assert!(!stopping.is_finished(), "the owner waits while the guest works");
    drop(client);
    guest.stop().await.unwrap();
    stopping.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_takes_over_when_a_command_lets_go() {
    let home = Home::new("takeover");
    let command = home.start(Role::Command).await;
    let settings = home.settings();
    let server = tokio::spawn(async move { start(&settings, Role::Server).await });
    connect(&command).await.query_one("SELECT pg_sleep(0.3)", &[]).await.unwrap();
    assert!(!server.is_finished(), "the server waits for the command");
    command.stop().await.unwrap();
    let server = server.await.unwrap().unwrap();
    assert!(server.owned());
    server.stop().await.unwrap();
}
