//! What the embedded Postgres refuses, and whether it says what to do.

use aura_actors::postgres::{PostgresError, Role, Settings, start};

use crate::support::{Home, connect};

async fn refused(settings: &Settings) -> (PostgresError, String) {
    let error = start(settings, Role::Server).await.unwrap_err();
    let message = error.to_string();
    (error, message)
}

#[tokio::test]
async fn data_of_another_major_version_is_refused_and_untouched() {
    let home = Home::new("version");
    home.start(Role::Server).await.stop().await.unwrap();
    let version = home.path().join("db/data/PG_VERSION");
    let real = std::fs::read_to_string(&version).unwrap();
    std::fs::write(&version, "13\n").unwrap();
    let (error, message) = refused(&home.settings()).await;
    assert!(matches!(error, PostgresError::OtherVersion { .. }), "{message}");
    for part in ["Postgres 13", &format!("Postgres {}", real.trim()), "AURA_PG_BIN", "db/data"] {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
    std::fs::write(&version, real).unwrap();
    home.start(Role::Server).await.stop().await.unwrap();
}

#[tokio::test]
async fn a_directory_that_is_no_cluster_is_refused_and_untouched() {
    let home = Home::new("foreign");
    home.start(Role::Server).await.stop().await.unwrap();
    std::fs::remove_file(home.path().join("db/data/PG_VERSION")).unwrap();
    let (error, message) = refused(&home.settings()).await;
    assert!(matches!(error, PostgresError::NotData { .. }), "{message}");
    assert!(message.contains("move it away"), "{message}");
    assert!(home.path().join("db/data/base").is_dir(), "nothing was removed");
}

#[tokio::test]
async fn missing_binaries_say_how_to_get_them() {
    let home = Home::new("nobin");
    let settings = Settings { bin: None, ..home.settings() };
    let (error, message) = refused(&settings).await;
    assert!(matches!(error, PostgresError::NoBinaries { .. }), "{message}");
    for part in ["deploy/up", "AURA_PG_BIN", "DATABASE_URL"] {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_postgres_is_named_with_its_words() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("notpg");
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["postgres", "initdb"] {
        std::fs::write(bin.join(name), "#!/bin/sh\necho soy otra cosa\n").unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (error, message) = refused(&Settings { bin: Some(bin), ..home.settings() }).await;
    assert!(matches!(error, PostgresError::Run { .. }), "{message}");
    assert!(message.contains("soy otra cosa"), "{message}");
}

#[tokio::test]
async fn a_broken_configuration_is_told_with_the_end_of_the_log() {
    let home = Home::new("conf");
    home.start(Role::Server).await.stop().await.unwrap();
    let conf = home.path().join("db/data/postgresql.conf");
    std::fs::write(&conf, "shared_buffers = 'mucho'\n").unwrap();
    let (error, message) = refused(&home.settings()).await;
    assert!(matches!(error, PostgresError::Start { .. }), "{message}");
    assert!(message.contains("shared_buffers") && message.contains("postgres.log"), "{message}");
}

#[tokio::test]
async fn a_home_too_deep_for_a_socket_uses_the_runtime_directory_or_says_so() {
    let home = Home::new("deep");
    let deep = home.path().join("d".repeat(90));
    let settings = Settings { home: deep, ..home.settings() };
    let cluster = start(&settings, Role::Server).await.unwrap();
    connect(&cluster).await.query_one("SELECT 1", &[]).await.unwrap();
    cluster.stop().await.unwrap();

    let comma = home.path().join("a,b");
    let long_runtime = Some(home.path().join("r".repeat(90)));
    if !rustix::process::geteuid().is_root() {
        let settings = Settings { home: comma, runtime: long_runtime, ..home.settings() };
        let (error, message) = refused(&settings).await;
        assert!(matches!(error, PostgresError::SocketPath { .. }), "{message}");
        assert!(message.contains("107 bytes"), "{message}");
    }
}

#[tokio::test]
async fn a_home_that_cannot_be_made_names_it() {
    let home = Home::new("file");
    let file = home.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (error, message) = refused(&Settings { home: file, ..home.settings() }).await;
    assert!(matches!(error, PostgresError::Io { .. }), "{message}");
    assert!(message.contains("/file") && message.contains("AURA_HOME"), "{message}");
}

/// Root only: another account's way is barred by a directory above.
#[tokio::test]
async fn binaries_or_a_home_closed_to_the_account_are_named() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new("closed");
    let inner = home.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let (error, message) = refused(&Settings { home: inner.clone(), ..home.settings() }).await;
    assert!(matches!(error, PostgresError::Init { .. }), "{message}");
    assert!(message.contains("Permission denied") && message.contains("/var/lib/aura"), "{message}");

    symlink(home.settings().bin.unwrap(), home.path().join("pg")).unwrap();
    let bin = Some(home.path().join("pg"));
    let open = Home::new("open");
    let (_, message) = refused(&Settings { bin, ..open.settings() }).await;
    assert!(message.contains("Permission denied") && message.contains("/var/lib/aura"), "{message}");
}

/// Root only: it takes a file system of its own.
#[tokio::test]
async fn a_full_disk_is_called_one() {
    let home = Home::new("full");
    let tiny = home.path().join("tiny");
    std::fs::create_dir(&tiny).unwrap();
    let mount = |args: &[&str]| std::process::Command::new("mount").args(args).arg(&tiny).status();
    if !mount(&["-t", "tmpfs", "-o", "size=20m,mode=755", "tmpfs"]).is_ok_and(|status| status.success()) {
        eprintln!("no right to mount a small file system here: not tried");
        return;
    }
    let (error, message) = refused(&Settings { home: tiny.join("home"), ..home.settings() }).await;
    std::process::Command::new("umount").arg(&tiny).status().unwrap();
    assert!(matches!(error, PostgresError::Init { .. }), "{message}");
    assert!(message.contains("the disk is full"), "{message}");
}

#[tokio::test]
async fn root_needs_an_ordinary_account() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new("account");
    for name in ["root", "nadie-con-este-nombre"] {
        let settings = Settings { user: Some(name.to_owned()), ..home.settings() };
        let (error, message) = refused(&settings).await;
        assert!(matches!(error, PostgresError::NoAccount { .. }), "{message}");
        assert!(message.contains(name) && message.contains("AURA_PG_USER"), "{message}");
    }
}
