//! A cluster's ordinary life: first start, pgvector, clean stop, warm start.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use aura_actors::postgres::Role;

use crate::support::{Home, connect, until};

#[tokio::test]
async fn what_was_written_is_there_after_a_stop_and_a_second_start() {
    let home = Home::new("life");
    let cluster = home.start(Role::Server).await;
    let client = connect(&cluster).await;
    client.batch_execute("CREATE TABLE kept (word text); INSERT INTO kept VALUES ('oxígeno')").await.unwrap();
    drop(client);
    cluster.stop().await.unwrap();
    assert!(!home.path().join("db/data/postmaster.pid").exists(), "a clean stop removes the pid file");

    let cluster = home.start(Role::Server).await;
    let client = connect(&cluster).await;
    let word: String = client.query_one("SELECT word FROM kept", &[]).await.unwrap().get(0);
    assert_eq!(word, "oxígeno");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn pgvector_and_the_spanish_dictionary_are_there() {
    let home = Home::new("vector");
    let cluster = home.start(Role::Command).await;
    let client = connect(&cluster).await;
    client.batch_execute("CREATE EXTENSION vector").await.unwrap();
    let row = client.query_one("SELECT '[1,0]'::vector <=> '[0,1]'::vector", &[]).await.unwrap();
    assert_eq!(row.get::<_, f64>(0), 1.0);
    let row = client.query_one("SELECT to_tsvector('spanish', 'mangueras')::text", &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "'manguer':1");
    let row = client.query_one("SHOW server_encoding", &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "UTF8");
    drop(client);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn it_listens_on_a_private_socket_and_nowhere_else() {
    let home = Home::new("private");
    let cluster = home.start(Role::Server).await;
    let client = connect(&cluster).await;
    let row = client.query_one("SHOW listen_addresses", &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "");
    let socket = home.path().join("run").metadata().unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o700);
    let data = home.path().join("db/data").metadata().unwrap();
    assert_eq!(data.permissions().mode() & 0o777, 0o700);
    assert_ne!(data.uid(), 0, "Postgres never runs as root");
    drop(client);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_failing_statement_leaves_its_values_out_of_the_log() {
    let home = Home::new("log");
    let cluster = home.start(Role::Server).await;
    let client = connect(&cluster).await;
    client.batch_execute("CREATE TABLE p (dni text PRIMARY KEY)").await.unwrap();
    for _ in 0..2 {
        let _ = client.execute("INSERT INTO p VALUES ('30111222')", &[]).await;
    }
    drop(client);
    cluster.stop().await.unwrap();
    let log = std::fs::read_to_string(home.path().join("postgres.log")).unwrap();
    assert!(log.contains("duplicate key"), "the error itself is logged: {log}");
    assert!(!log.contains("30111222"), "the value is not: {log}");
}

#[tokio::test]
async fn a_dropped_cluster_leaves_no_process_behind() {
    let home = Home::new("drop");
    let cluster = home.start(Role::Server).await;
    drop(cluster);
    let pid_file = home.path().join("db/data/postmaster.pid");
    until("the postmaster ends and removes its pid file", || !pid_file.exists()).await;
    home.start(Role::Server).await.stop().await.unwrap();
}
