//! Both vector stores: what may come back, in which order, by which plan.
use crate::database::Database;
use crate::folder::Folder;
use crate::words::Words;
use aura::retrieval::{Candidate, Filter, LessonKind};
use aura_actors::ingest::{IngestOptions, ingest};
use aura_actors::store::{Lesson, Plan, Store};

const M50: &str = "concentradores electricos/m50.md";
const ZEN: &str = "concentradores portatiles/zen.md";

fn filter(sources: &[&str], prefixes: &[&str]) -> Filter {
    Filter {
        sources: sources.iter().map(|source| (*source).to_owned()).collect(),
        prefixes: prefixes.iter().map(|prefix| (*prefix).to_owned()).collect(),
    }
}

fn sources(found: &[Candidate]) -> Vec<&str> {
    found.iter().map(|candidate| candidate.chunk.source.as_str()).collect()
}

async fn filled(files: &[(&str, &str)]) -> (Database, Store, Words) {
    let (database, store) = Database::migrated().await;
    let words = Words::new("words", 64);
    let folder = Folder::new();
    for (source, text) in files {
        folder.manual(source, &[("Fila", text)]);
    }
    ingest(&store, &words, folder.path(), IngestOptions::default()).await.expect("it goes in");
    (database, store, words)
}

#[tokio::test]
async fn r05_a_row_outside_the_filter_never_comes_back() {
    // The nearest row by far is the other device's: only the WHERE keeps it out.
    let files = [
        (ZEN, "el equipo dice low o2"),
        (M50, "vibra sobre la mesa"),
        ("cap/recarga.md", "pedir la recarga"),
        ("capsulas/x.md", "el equipo dice low o2"),
    ];
    let (_database, store, words) = filled(&files).await;
    let query = words.vector("el equipo dice low o2");
    let open = store.search(&query, "words", None, 3).await.unwrap();
    assert!(sources(&open)[..2].contains(&ZEN), "without a filter it is the nearest: {open:?}");
    let allowed = filter(&[M50], &["cap/", "tubos/"]);
    let found = store.search(&query, "words", Some(&allowed), 3).await.unwrap();
    assert_eq!(found.len(), 2, "the limit counts admitted rows: {found:?}");
    assert!(found.iter().all(|candidate| allowed.admits(&candidate.chunk.source)), "{found:?}");
    let nothing = store.search(&query, "words", Some(&filter(&[], &[])), 3).await.unwrap();
    assert!(nothing.is_empty(), "a filter that admits nothing finds nothing: {nothing:?}");
}

#[tokio::test]
async fn r05_signs_that_like_reads_are_letters_in_a_prefix() {
    let files = [
        ("a_b/x.md", "uno"),
        ("aXb/x.md", "uno"),
        ("50%/x.md", "uno"),
        ("50 y mas/x.md", "uno"),
        ("c\\d/x.md", "uno"),
        ("cd/x.md", "uno"),
    ];
    let (_database, store, words) = filled(&files).await;
    for (prefix, only) in [("a_b/", "a_b/x.md"), ("50%/", "50%/x.md"), ("c\\d/", "c\\d/x.md")] {
        let found =
            store.search(&words.vector("uno"), "words", Some(&filter(&[], &[prefix])), 9).await.unwrap();
        assert_eq!(sources(&found), [only], "prefix {prefix}");
    }
}

#[tokio::test]
async fn r16_the_nearest_come_first_and_no_more_than_asked_for() {
    let texts = ["uno dos tres cuatro", "uno dos tres", "uno dos", "uno", "nada"];
    let named: Vec<String> = (0..texts.len()).map(|n| format!("m{n}.md")).collect();
    let files: Vec<(&str, &str)> = named.iter().map(String::as_str).zip(texts).collect();
    let (_database, store, words) = filled(&files).await;
    let found = store.search(&words.vector("uno dos tres cuatro"), "words", None, 3).await.unwrap();
    assert_eq!(found.len(), 3);
    assert!(found.windows(2).all(|pair| pair[0].cosine >= pair[1].cosine), "{found:?}");
    assert_eq!(found[0].chunk.source, "m0.md");
    let row = &found[0].chunk;
    assert_eq!(
        (row.title.as_str(), row.section.as_str(), row.row.as_str(), row.content.as_str()),
        ("Manual de m0.md", "Alarmas", "Fila", "uno dos tres cuatro")
    );
}

#[tokio::test]
async fn rows_of_two_models_never_meet() {
    let (database, store, words) = filled(&[(M50, "uno")]).await;
    let client = database.client().await;
    let sql = "INSERT INTO knowledge_base VALUES
               ('other', 'otro.md', 0, '', '', '', '', null, 'x', '[1,0,0]', 'other', now());
               INSERT INTO memory_embeddings (id, customer_complaint, answer, kind, embedding, embedding_model)
               VALUES ('other', '', '', 'approved', '[1,0,0]', 'other')";
    client.batch_execute(sql).await.unwrap();
    let found = store.search(&words.vector("uno"), "words", None, 9).await.unwrap();
    assert_eq!(sources(&found), [M50], "another model's vector, even of another length, is not looked at");
    assert!(store.nearest_lessons(&words.vector("uno"), "words").await.unwrap().is_empty());
    let found = store.search(&[1.0, 0.0, 0.0], "other", None, 9).await.unwrap();
    assert_eq!(sources(&found), ["otro.md"]);
}

#[tokio::test]
async fn r24_the_nearest_lesson_of_each_kind_comes_back_whatever_its_score() {
    let (_database, store) = Database::migrated().await;
    let words = Words::new("words", 64);
    let save = async |id: &str, kind, complaint: &str, answer: &str| {
        let (id, complaint, answer) = (id.to_owned(), complaint.to_owned(), answer.to_owned());
        let vector = words.vector(&complaint);
        let lesson = Lesson { id, kind, complaint, answer, call_id: None };
        store.save_lesson(&lesson, "words", &vector).await.expect("it is kept");
    };
    save("a", LessonKind::Correction, "pita sin parar", "vieja").await;
    save("b", LessonKind::Correction, "otra cosa", "no").await;
    save("c", LessonKind::Approved, "nada que ver", "lejos").await;
    // The same complaint again: the lesson is updated, not doubled (R26).
    save("a", LessonKind::Correction, "pita sin parar", "nueva").await;
    let found = store.nearest_lessons(&words.vector("pita sin parar"), "words").await.unwrap();
    let shown: Vec<_> = found.iter().map(|one| (one.id.as_str(), one.kind, one.answer.as_str())).collect();
    assert_eq!(shown, [("a", LessonKind::Correction, "nueva"), ("c", LessonKind::Approved, "lejos")]);
    assert!(found[0].cosine > 0.999 && found[1].cosine < 0.5, "{found:?}");
}

#[tokio::test]
async fn r01_both_stores_answer_and_one_failure_hides_nothing_of_the_other() {
    let (database, store, words) = filled(&[(M50, "uno")]).await;
    let query = words.vector("uno");
    let (manuals, lessons) = store.search_both(&query, "words", None, 3).await;
    assert_eq!((manuals.unwrap().len(), lessons.unwrap().len()), (1, 0));
    database.client().await.batch_execute("DROP TABLE memory_embeddings").await.unwrap();
    let (manuals, lessons) = store.search_both(&query, "words", None, 3).await;
    assert_eq!(manuals.unwrap().len(), 1);
    assert!(lessons.unwrap_err().to_string().contains("memory_embeddings"));
}

#[test]
fn one_place_decides_the_plan() {
    assert_eq!(Plan::for_rows(49_999, aura_actors::store::HNSW_BOUND), Plan::Exact);
    assert_eq!(Plan::for_rows(50_000, aura_actors::store::HNSW_BOUND), Plan::Hnsw);
}

/// How often the index was searched, as the server counts; a backend reports when it ends.
async fn index_scans(database: &Database) -> Option<i64> {
    let sql = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'knowledge_base_hnsw'";
    database.client().await.query_opt(sql, &[]).await.unwrap().map(|row| row.get(0))
}

#[tokio::test]
async fn above_the_bound_the_index_is_built_and_searched() {
    let (database, _) = Database::migrated().await;
    let mut config = database.config();
    config.hnsw_bound = 40;
    let store = Store::connect(config).await.unwrap();
    let words = Words::new("it's \\ a model", 512);
    let folder = Folder::new();
    let rows: Vec<(String, String)> =
        (0..60).map(|n| (format!("Fila {n}"), format!("texto numero{n} clave{n}"))).collect();
    let pick = |from: usize, to: usize| -> Vec<(&str, &str)> {
        rows[from..to].iter().map(|(row, text)| (row.as_str(), text.as_str())).collect()
    };
    folder.manual("a.md", &pick(0, 39));
    ingest(&store, &words, folder.path(), IngestOptions::default()).await.unwrap();
    assert_eq!(index_scans(&database).await, None, "below the bound there is no index");
    folder.manual("b.md", &pick(39, 60));
    ingest(&store, &words, folder.path(), IngestOptions::default()).await.unwrap();
    assert_eq!(index_scans(&database).await, Some(0));
    let query = words.vector("numero50 clave50");
    let found = store.search(&query, "it's \\ a model", None, 3).await.unwrap();
    assert_eq!((found.len(), found[0].chunk.row.as_str()), (3, "Fila 50"));
    let scanned = store.search(&query, "it's \\ a model", Some(&filter(&["a.md"], &[])), 3).await.unwrap();
    assert_eq!(sources(&scanned), ["a.md"; 3], "a filter finds its three however far they are");
    store.close();
    let mut scans = 0;
    for _ in 0..100 {
        scans = index_scans(&database).await.unwrap();
        if scans > 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(scans, 1, "the open search used the index, the filtered one did not");
}
