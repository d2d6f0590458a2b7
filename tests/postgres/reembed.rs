//! `aura reembed`: another model takes over, all at once (DECISIONS 2).
use crate::database::Database;
use crate::folder::Folder;
use crate::words::Words;
use aura::retrieval::LessonKind;
use aura_actors::ingest::{IngestOptions, ingest};
use aura_actors::reembed::{ReembedReport, reembed};
use aura_actors::store::{Lesson, Store, StoreError};

fn lesson(id: &str) -> Lesson {
    Lesson {
        id: id.to_owned(),
        kind: LessonKind::Approved,
        complaint: format!("queja {id}"),
        answer: "respuesta".to_owned(),
        call_id: None,
    }
}

/// 40 rows and one lesson, embedded by `old`.
async fn filled() -> (Database, Store, Words) {
    let (database, store) = Database::migrated().await;
    let old = Words::new("old", 64);
    let folder = Folder::new();
    let rows: Vec<(String, String)> =
        (0..40).map(|n| (format!("Fila {n}"), format!("texto clave{n}"))).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(row, text)| (row.as_str(), text.as_str())).collect();
    folder.manual("a.md", &rows);
    ingest(&store, &old, folder.path(), IngestOptions::default()).await.unwrap();
    store.save_lesson(&lesson("uno"), "old", &old.vector("queja uno")).await.unwrap();
    (database, store, old)
}

/// How many rows and lessons answer under a model.
async fn answering(store: &Store, words: &Words, model: &str) -> (usize, usize) {
    let query = words.vector("texto clave7");
    let (manuals, lessons) = store.search_both(&query, model, None, 100).await;
    (manuals.unwrap().len(), lessons.unwrap().len())
}

#[tokio::test]
async fn everything_moves_to_the_new_model_and_the_boot_check_agrees() {
    let (_database, store, old) = filled().await;
    let new = Words::new("new", 32);
    let error = store.check_embedding_model("new", 32).await.unwrap_err();
    assert!(matches!(error, StoreError::ModelMismatch { .. }) && error.to_string().contains("aura reembed"));
    store.check_embedding_model("old", 64).await.unwrap();
    assert!(store.check_embedding_model("old", 65).await.is_err(), "the same name with other dimensions");
    let report = reembed(&store, &new).await.unwrap();
    assert_eq!(report, ReembedReport { manual_rows: 40, lessons: 1, switched: true });
    store.check_embedding_model("new", 32).await.unwrap();
    assert!(store.check_embedding_model("old", 64).await.is_err());
    assert_eq!(answering(&store, &new, "new").await, (40, 1));
    assert_eq!(answering(&store, &old, "old").await, (0, 0));
    let again = reembed(&store, &new).await.unwrap();
    assert_eq!((again.switched, again.manual_rows), (false, 0));
}

#[tokio::test]
async fn until_the_switch_the_old_model_answers_and_a_broken_run_goes_on() {
    let (database, store, old) = filled().await;
    let mut failing = Words::new("new", 32);
    failing.fails_after = 32;
    let error = reembed(&store, &failing).await.unwrap_err().to_string();
    assert!(error.contains("goes on where it stopped"), "{error}");
    assert_eq!(answering(&store, &old, "old").await, (40, 1), "nothing has moved");
    assert_eq!(answering(&store, &failing, "new").await, (0, 0));
    let new = Words::new("new", 32);
    let report = reembed(&store, &new).await.unwrap();
    assert_eq!(report, ReembedReport { manual_rows: 8, lessons: 1, switched: true }, "32 rows were kept");
    assert_eq!(answering(&store, &new, "new").await, (40, 1));
    let sql = "SELECT count(*) FROM reembedding";
    let staged: i64 = database.client().await.query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(staged, 0);
}

#[tokio::test]
async fn a_switch_with_something_unstaged_changes_nothing() {
    let (_database, store, old) = filled().await;
    let new = Words::new("new", 32);
    loop {
        let pending = store.pending_reembedding("new", 100).await.unwrap();
        if pending.is_empty() {
            break;
        }
        let vectors = pending.iter().map(|_| new.vector("algo")).collect();
        store.stage("new", &pending, vectors).await.unwrap();
    }
    store.save_lesson(&lesson("tarde"), "old", &old.vector("queja tarde")).await.unwrap();
    assert!(!store.switch_model("new", 32).await.unwrap());
    assert_eq!(answering(&store, &old, "old").await, (40, 1));
    store.check_embedding_model("old", 64).await.unwrap();
    let report = reembed(&store, &new).await.unwrap();
    assert_eq!(report, ReembedReport { manual_rows: 0, lessons: 1, switched: true });
}

#[tokio::test]
async fn a_lesson_of_the_former_model_is_refused_after_the_switch() {
    let (_database, store, old) = filled().await;
    reembed(&store, &Words::new("new", 32)).await.unwrap();
    let error = store.save_lesson(&lesson("tarde"), "old", &old.vector("queja tarde")).await.unwrap_err();
    assert!(matches!(error, StoreError::ModelMismatch { .. }), "{error:?}");
}

#[tokio::test]
async fn an_indexed_base_moves_to_a_model_of_another_length() {
    let (database, _, _) = filled().await;
    let mut config = database.config();
    config.hnsw_bound = 10;
    let store = Store::connect(config).await.unwrap();
    store.settle_plan().await.unwrap();
    let index = "SELECT indexdef FROM pg_indexes WHERE indexname = 'knowledge_base_hnsw'";
    let client = database.client().await;
    let before: String = client.query_one(index, &[]).await.unwrap().get(0);
    assert!(before.contains("vector(64)") && before.contains("old"), "{before}");
    let new = Words::new("new", 32);
    reembed(&store, &new).await.unwrap();
    let after: String = client.query_one(index, &[]).await.unwrap().get(0);
    assert!(after.contains("vector(32)") && after.contains("new"), "{after}");
    assert_eq!(store.search(&new.vector("texto clave7"), "new", None, 3).await.unwrap().len(), 3);
}
