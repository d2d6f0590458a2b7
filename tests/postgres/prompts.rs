//! Versions of prompts: seeded from files, one active per key (E14).
use crate::database::Database;
use crate::folder::Folder;
use aura_actors::prompt_files;
use aura_actors::store::{PromptVersion, StoreError};
use std::time::Duration;

#[tokio::test]
async fn e14_files_seed_what_is_missing_and_the_newest_becomes_active() {
    let (_database, store) = Database::migrated().await;
    let folder = Folder::new();
    for version in ["1.4.0", "1.10.0", "1.9.0"] {
        folder.write(&format!("copilot_identity/{version}.txt"), format!("texto {version}"));
    }
    folder.write("agent_identity/1.0.0.txt", "bot");
    let seed = store.seed_prompts(&prompt_files::read(folder.path()).unwrap()).await.unwrap();
    assert_eq!(seed.inserted.len(), 4);
    assert_eq!(seed.activated, ["agent_identity/1.0.0", "copilot_identity/1.10.0"]);
    let active = store.active_prompt("copilot_identity").await.unwrap().expect("one is active");
    assert_eq!((active.version.as_str(), active.body.as_str()), ("1.10.0", "texto 1.10.0"));
    assert_eq!(active.sha256.len(), 64);
    let versions: Vec<String> = store.prompts().await.unwrap().into_iter().map(|one| one.version).collect();
    assert_eq!(versions, ["1.0.0", "1.4.0", "1.9.0", "1.10.0"]);

    // What somebody activated stays, a new file only joins, a changed file is warned of and changes nothing.
    store.activate_prompt("copilot_identity", "1.4.0", "test").await.unwrap();
    folder.write("copilot_identity/2.0.0.txt", "texto 2.0.0");
    folder.write("copilot_identity/1.9.0.txt", "otro texto");
    let seed = store.seed_prompts(&prompt_files::read(folder.path()).unwrap()).await.unwrap();
    assert_eq!(seed.inserted, ["copilot_identity/2.0.0"]);
    assert!(seed.activated.is_empty());
    assert!(seed.warnings.len() == 1 && seed.warnings[0].contains("prompts/copilot_identity/1.9.0.txt"));
    let active = store.active_prompt("copilot_identity").await.unwrap().expect("one is active");
    assert_eq!(active.version, "1.4.0");
    let stored = store.prompts().await.unwrap();
    assert!(stored.iter().any(|one| one.version == "1.9.0" && one.body == "texto 1.9.0"));
}

#[tokio::test]
async fn e14_activating_is_live_and_an_unknown_version_is_refused_by_name() {
    let (database, store) = Database::migrated().await;
    let folder = Folder::new();
    folder.write("agent_identity/1.0.0.txt", "uno");
    folder.write("agent_identity/1.1.0.txt", "dos");
    store.seed_prompts(&prompt_files::read(folder.path()).unwrap()).await.unwrap();
    let mut watch = store.watch_prompts().await.unwrap();
    let active = |versions: &[PromptVersion]| -> Vec<String> {
        versions.iter().filter(|one| one.active).map(|one| one.version.clone()).collect()
    };
    assert_eq!(watch.borrow().len(), 2, "a call that is rebuilt finds its version, active or not");
    assert_eq!(active(&watch.borrow()), ["1.1.0"]);
    database.store().await.activate_prompt("agent_identity", "1.0.0", "test").await.unwrap();
    let seen = watch.wait_for(|versions| active(versions) == ["1.0.0"]);
    assert!(tokio::time::timeout(Duration::from_secs(30), seen).await.is_ok());

    let error = store.activate_prompt("agent_identity", "9.9.9", "test").await.unwrap_err();
    assert!(matches!(error, StoreError::NoPrompt { .. }));
    assert!(error.to_string().contains("it has: 1.0.0, 1.1.0"), "{error}");
    let active = store.active_prompt("agent_identity").await.unwrap().map(|one| one.version);
    assert_eq!(active.as_deref(), Some("1.0.0"), "a refusal changes nothing");
}

#[tokio::test]
async fn two_activations_at_once_leave_exactly_one_active() {
    let (database, store) = Database::migrated().await;
    let folder = Folder::new();
    for version in ["1", "2", "3"] {
        folder.write(&format!("k/{version}.txt"), version);
    }
    store.seed_prompts(&prompt_files::read(folder.path()).unwrap()).await.unwrap();
    for _ in 0..20 {
        let (one, two) =
            tokio::join!(store.activate_prompt("k", "1", "test"), store.activate_prompt("k", "2", "test"));
        one.unwrap();
        two.unwrap();
    }
    let sql = "SELECT count(*) FROM prompt_versions WHERE active";
    let active: i64 = database.client().await.query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(active, 1);
}

#[test]
fn files_that_are_no_prompts_are_named() {
    let cases: [(&str, &[u8], &str); 3] = [
        ("k/draft.txt", b"x", "no version"),
        ("k/1.0.0.txt", b"\xff", "not UTF-8"),
        ("k/1.0.0.txt", b" \n", "it is empty"),
    ];
    for (name, bytes, why) in cases {
        let folder = Folder::new();
        folder.write(name, bytes);
        let error = prompt_files::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(why), "{error}");
    }
    let error = prompt_files::read(Folder::new().path()).unwrap_err().to_string();
    assert!(error.contains("no prompt found"), "{error}");
    let error = prompt_files::read("/nowhere".as_ref()).unwrap_err().to_string();
    assert!(error.contains("/nowhere"), "{error}");
}
