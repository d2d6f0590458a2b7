//! Migrations, addresses, and a database that isn't there.
use crate::database::Database;
use aura::equipment::Catalogue;
use aura_actors::base::check_map;
use aura_actors::store::{Store, StoreConfig, StoreError};
use std::collections::BTreeSet;

#[tokio::test]
async fn migrations_run_twice_and_at_once() {
    let database = Database::empty().await;
    let store = database.store().await;
    let (one, two) = tokio::join!(store.migrate(), store.migrate());
    one.expect("the first");
    two.expect("the second, at the same time");
    store.migrate().await.expect("the third, later");
    let client = database.client().await;
    let applied: i64 =
        client.query_one("SELECT count(*) FROM refinery_schema_history", &[]).await.unwrap().get(0);
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap().count();
    assert_eq!(applied, i64::try_from(files).unwrap(), "each migration once");
}

#[tokio::test]
async fn a_user_who_may_not_create_the_extension_is_told_whom_to_ask() {
    let database = Database::empty().await;
    let client = database.client().await;
    let name: String = client.query_one("SELECT current_database()", &[]).await.unwrap().get(0);
    let role = format!("plain_{name}");
    client.batch_execute(&format!("CREATE ROLE {role} LOGIN")).await.unwrap();
    // The same server as this user.
    let mut host = String::new();
    for row in client.query("SHOW unix_socket_directories", &[]).await.unwrap() {
        host = row.get(0);
    }
    let config = StoreConfig::socket(std::path::Path::new(&host), &role, &name);
    let store = Store::connect(config).await.expect("it may connect");
    let error = store.migrate().await.expect_err("but not create the extension");
    assert!(matches!(error, StoreError::NoVector { .. }), "{error:?}");
    assert!(error.to_string().contains("CREATE EXTENSION vector;"), "{error}");
    store.close();
    client.batch_execute(&format!("DROP ROLE {role}")).await.unwrap();
}

#[tokio::test]
async fn no_database_is_a_clear_error_without_the_password() {
    let config = StoreConfig::parse("postgres://aura:hunter2@127.0.0.1:1/aura").unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    let error = Store::connect(config).await.err().expect("nobody listens on port 1").to_string();
    assert!(error.contains("127.0.0.1/aura") && error.contains("DATABASE_URL"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn addresses_that_make_no_sense_are_refused_and_libpq_words_are_understood() {
    for bad in ["", "postgres://h/db?sslmode=sometimes", "mysql://h/db", "host=h colour=red"] {
        assert!(StoreConfig::parse(bad).is_err(), "{bad}");
    }
    for good in [
        "postgres://u:p@h:5433/db",
        "postgresql://u@h/db?sslmode=verify-full&connect_timeout=3",
        "postgres://u@h/db?sslmode=allow",
        "host=/run/postgresql dbname=aura sslmode=verify-ca",
    ] {
        assert!(StoreConfig::parse(good).is_ok(), "{good}");
    }
}

#[tokio::test]
async fn a_bad_file_of_root_certificates_is_named() {
    let config =
        StoreConfig::parse("postgres://u@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/nowhere.pem");
    let error = Store::connect(config.unwrap()).await.err().expect("no such file").to_string();
    assert!(error.contains("sslrootcert=/nowhere.pem"), "{error}");
}

#[tokio::test]
async fn r06_each_manual_that_the_base_lacks_is_named() {
    let (database, store) = Database::migrated().await;
    let catalogue = Catalogue::builtin();
    let mut named = catalogue.missing_sources(&BTreeSet::new());
    let lacking = named.pop().expect("the catalogue names manuals");
    named.retain(|(_, source)| *source != lacking.1);
    let client = database.client().await;
    for source in named.into_iter().map(|(_, source)| source).collect::<BTreeSet<_>>() {
        client.execute("INSERT INTO knowledge_files VALUES ($1, '', 1)", &[&source]).await.unwrap();
    }
    let missing = check_map(&store, catalogue).await.unwrap();
    assert!(
        missing.contains(&lacking) && missing.iter().all(|(_, source)| *source == lacking.1),
        "{missing:?}"
    );
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_left_alone() {
    let (database, store) = Database::migrated().await;
    let sql = "INSERT INTO refinery_schema_history
               SELECT 99, 'later', applied_on, '1' FROM refinery_schema_history LIMIT 1";
    database.client().await.batch_execute(sql).await.unwrap();
    let error = store.migrate().await.expect_err("it is newer").to_string();
    assert!(error.contains("version of aura that made this database"), "{error}");
}
