//! The nearest rows of a base, and the nearest lessons beside them, as one turn asks for them (R1, R5, R16).
use crate::database::Database;
use aura::retrieval::{CANDIDATE_LIMIT, Filter};
use aura_actors::embed::e5::DIMENSIONS;
use aura_actors::store::{Plan, Store};
use divan::Bencher;
use tokio::runtime::{Builder, Runtime};

const MODEL: &str = "random";
/// The sample corpus, and a large one that is still searched row by row.
const SIZES: [usize; 2] = [116, 10_000];

/// Rows of random unit vectors, as long as the local embedder's, over fifty manuals.
fn fill(rows: usize) -> String {
    // `n` in the inner query makes Postgres run it anew for each row, `i` keeps the aggregate there.
    format!(
        "SELECT setseed(0.5);
         INSERT INTO embedding_state (model, dims) VALUES ('{MODEL}', {DIMENSIONS});
         INSERT INTO knowledge_base (id, source, position, title, section, row_label, content, content_hash,
                                     embedding, embedding_model)
         SELECT n::text, CASE n % 50 WHEN 0 THEN 'cap/m.md' ELSE 'concentradores/m' || n % 50 || '.md' END, n,
                'Concentrador ' || n % 50, 'Tabla de Errores y Alarmas', 'Código ' || n,
                repeat('Revise el equipo y llame. ', 12), n::text,
                (SELECT l2_normalize(array_agg(random() - 0.5 + 0 * (i + n))::vector)
                 FROM generate_series(1, {DIMENSIONS}) AS i),
                '{MODEL}'
         FROM generate_series(1, {rows}) AS n;
         ANALYZE knowledge_base"
    )
}

/// A runtime, a database of its own and its store; to be dropped from the last to the first.
fn base(rows: usize) -> (Runtime, Database, Store) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (database, store) = runtime.block_on(async {
        let (database, store) = Database::migrated().await;
        database.client().await.batch_execute(&fill(rows)).await.expect("rows");
        assert_eq!(store.settle_plan().await.expect("counted"), Plan::Exact);
        (database, store)
    });
    (runtime, database, store)
}

fn search(bencher: Bencher, rows: usize, filter: Option<&Filter>) {
    let (runtime, _database, store) = base(rows);
    let query: Vec<f32> =
        (0..DIMENSIONS).map(|n| (n as f32 * 0.7).sin() / (DIMENSIONS as f32 / 2.0).sqrt()).collect();
    bencher.bench_local(|| {
        let (manuals, lessons) = runtime.block_on(store.search_both(&query, MODEL, filter, CANDIDATE_LIMIT));
        assert_eq!(manuals.expect("rows").len(), CANDIDATE_LIMIT);
        lessons.expect("lessons")
    });
}

/// The whole corpus: nobody has named the equipment.
#[divan::bench(args = SIZES)]
fn of_all_rows(bencher: Bencher, rows: usize) {
    search(bencher, rows, None);
}

/// One manual and what is always searched: a twenty-fifth of the rows.
#[divan::bench(args = SIZES)]
fn of_one_manual(bencher: Bencher, rows: usize) {
    let filter = Filter {
        sources: ["concentradores/m7.md".to_owned()].into(),
        prefixes: vec!["cap/".to_owned(), "tubos/".to_owned()],
    };
    search(bencher, rows, Some(&filter));
}
