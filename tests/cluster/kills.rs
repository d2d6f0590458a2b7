//! Kills without warning: of Postgres, of its owner, of both. What was committed is there afterwards.

use aura_actors::postgres::Role;
use rustix::process::Signal;

use crate::support::{Home, connect, kill, server_process, until};

const WRITE: &str = "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)";

async fn kept(home: &Home) -> i32 {
    let cluster = home.start(Role::Server).await;
    let client = connect(&cluster).await;
    let n = client.query_one("SELECT n FROM kept", &[]).await.unwrap().get(0);
    drop(client);
    cluster.stop().await.unwrap();
    n
}

#[tokio::test]
async fn postgres_killed_is_noticed_and_starts_again() {
    let home = Home::new("kill-pg");
    let mut cluster = home.start(Role::Server).await;
    connect(&cluster).await.batch_execute(WRITE).await.unwrap();
    assert_eq!(cluster.pid(), Some(home.postmaster()));
    kill(home.postmaster(), Signal::KILL);
    let status = cluster.died().await;
    assert!(!status.success(), "{status}");
    cluster.stop().await.unwrap();
    assert_eq!(kept(&home).await, 7);
}

#[tokio::test]
async fn an_owner_killed_takes_postgres_with_it_cleanly() {
    let home = Home::new("kill-owner");
    let mut server = server_process(&home).await;
    let guest = home.start(Role::Command).await;
    connect(&guest).await.batch_execute(WRITE).await.unwrap();
    drop(guest);
    kill(server.id().unwrap(), Signal::KILL);
    server.wait().await.unwrap();
    let pid_file = home.path().join("db/data/postmaster.pid");
    until("Postgres stops when its owner is gone", || !pid_file.exists()).await;
    assert_eq!(kept(&home).await, 7);
}

#[tokio::test]
async fn both_killed_at_once_lose_nothing() {
    let home = Home::new("kill-both");
    let mut server = server_process(&home).await;
    let guest = home.start(Role::Command).await;
    connect(&guest).await.batch_execute(WRITE).await.unwrap();
    drop(guest);
    // Postgres first: its owner's death would make it stop cleanly.
    kill(home.postmaster(), Signal::KILL);
    kill(server.id().unwrap(), Signal::KILL);
    server.wait().await.unwrap();
    assert!(home.path().join("db/data/postmaster.pid").exists(), "the kill left a stale pid file");
    assert_eq!(kept(&home).await, 7);
}

#[tokio::test]
async fn a_stale_pid_file_that_names_a_stranger_is_no_obstacle() {
    let home = Home::new("stale");
    let cluster = home.start(Role::Server).await;
    connect(&cluster).await.batch_execute(WRITE).await.unwrap();
    let pid_file = home.path().join("db/data/postmaster.pid");
    let stale = std::fs::read_to_string(&pid_file).unwrap();
    cluster.stop().await.unwrap();
    let mut stranger = tokio::process::Command::new("sleep").arg("600").kill_on_drop(true).spawn().unwrap();
    let rest = stale.split_once('\n').unwrap().1;
    std::fs::write(&pid_file, format!("{}\n{rest}", stranger.id().unwrap())).unwrap();
    assert_eq!(kept(&home).await, 7);
    assert!(stranger.try_wait().unwrap().is_none(), "the stranger was left alone");
}

#[tokio::test]
async fn an_initdb_that_was_cut_short_is_done_again() {
    let home = Home::new("half");
    home.start(Role::Server).await.stop().await.unwrap();
    let (data, fresh) = (home.path().join("db/data"), home.path().join("db/data.new"));
    std::fs::rename(&data, &fresh).unwrap();
    std::fs::remove_file(fresh.join("PG_VERSION")).unwrap();
    home.start(Role::Server).await.stop().await.unwrap();
    assert!(data.join("PG_VERSION").exists() && !fresh.exists());
}
