//! `aura ingest` against a real base: what goes in, what goes out, and what it refuses.
use crate::database::Database;
use crate::folder::Folder;
use crate::words::Words;
use aura_actors::ingest::{Change, IngestError, IngestOptions, IngestReport, Refusal, ingest};
use aura_actors::store::{Store, StoreError};

const PRUNE: IngestOptions = IngestOptions { prune: true, dry_run: false };
const DRY: IngestOptions = IngestOptions { prune: false, dry_run: true };
const TEN: [(&str, &str); 10] = [
    ("H01", "uno"),
    ("H02", "dos"),
    ("H03", "tres"),
    ("H04", "cuatro"),
    ("H05", "cinco"),
    ("H06", "seis"),
    ("H07", "siete"),
    ("H08", "ocho"),
    ("H09", "nueve"),
    ("H10", "diez"),
];

struct Bench {
    database: Database,
    store: Store,
    words: Words,
    folder: Folder,
}

impl Bench {
    /// A base with `a/big.md` (10 rows) and `small.md` (one row).
    async fn filled() -> Self {
        let (database, store) = Database::migrated().await;
        let bench = Self { database, store, words: Words::new("words", 64), folder: Folder::new() };
        bench.folder.manual("a/big.md", &TEN);
        bench.folder.manual("small.md", &TEN[..1]);
        bench.run(IngestOptions::default()).await;
        assert_eq!(bench.words.taken(), 11);
        bench
    }

    async fn run(&self, options: IngestOptions) -> IngestReport {
        ingest(&self.store, &self.words, self.folder.path(), options).await.expect("it runs")
    }

    /// Rows and files in the base.
    async fn counts(&self) -> (i64, i64) {
        let sql = "SELECT (SELECT count(*) FROM knowledge_base), (SELECT count(*) FROM knowledge_files)";
        let row = self.database.client().await.query_one(sql, &[]).await.unwrap();
        (row.get(0), row.get(1))
    }

    async fn labels(&self, source: &str) -> Vec<String> {
        let sql = "SELECT row_label FROM knowledge_base WHERE source = $1 ORDER BY position";
        let rows = self.database.client().await.query(sql, &[&source]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

fn changes(report: &IngestReport) -> Vec<(&str, &Change)> {
    report.files.iter().map(|file| (file.source.as_str(), &file.change)).collect()
}

#[tokio::test]
async fn r03_a_second_ingest_changes_and_embeds_nothing() {
    let bench = Bench::filled().await;
    let stamp = "SELECT md5(string_agg(t::text, '|' ORDER BY id)) FROM knowledge_base t";
    let client = bench.database.client().await;
    let before: String = client.query_one(stamp, &[]).await.unwrap().get(0);
    let report = bench.run(IngestOptions::default()).await;
    assert_eq!(changes(&report), [("a/big.md", &Change::Unchanged), ("small.md", &Change::Unchanged)]);
    assert_eq!((bench.words.taken(), report.rows(), report.failed()), (0, (11, 11), false));
    let after: String = client.query_one(stamp, &[]).await.unwrap().get(0);
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_changed_row_alone_is_embedded_and_order_follows_the_file() {
    let bench = Bench::filled().await;
    let mut rows = TEN;
    rows[4].1 = "cinco, pero distinto";
    rows.swap(0, 9);
    bench.folder.manual("a/big.md", &rows);
    let report = bench.run(IngestOptions::default()).await;
    assert_eq!(changes(&report)[0], ("a/big.md", &Change::Changed));
    assert_eq!(bench.words.taken(), 1, "nine rows keep their vectors");
    let labels = bench.labels("a/big.md").await;
    assert_eq!((labels.len(), labels[0].as_str(), labels[9].as_str()), (10, "H10", "H01"));
    let found =
        bench.store.search(&bench.words.vector("cinco pero distinto"), "words", None, 1).await.unwrap();
    assert_eq!(found[0].chunk.content, "cinco, pero distinto");
}

#[tokio::test]
async fn a_vanished_file_goes_where_it_is_a_tenth_or_less() {
    let bench = Bench::filled().await;
    bench.folder.remove("small.md");
    let report = bench.run(IngestOptions::default()).await;
    assert_eq!(changes(&report)[1], ("small.md", &Change::Gone));
    assert_eq!((report.refusal, report.rows()), (None, (11, 10)));
    assert_eq!(bench.counts().await, (10, 1));
}

#[tokio::test]
async fn more_than_a_tenth_goes_only_with_prune_while_the_rest_goes_in() {
    let bench = Bench::filled().await;
    bench.folder.remove("a/big.md");
    bench.folder.manual("new.md", &TEN[..2]);
    let report = bench.run(IngestOptions::default()).await;
    assert_eq!(report.refusal, Some(Refusal { going: 10, base: 11 }));
    assert!(report.failed() && report.to_string().contains("--prune"), "{report}");
    assert_eq!(changes(&report)[0], ("a/big.md", &Change::Kept));
    assert_eq!(bench.counts().await, (13, 3), "nothing is removed, the new file is in");
    let report = bench.run(PRUNE).await;
    assert!(!report.failed());
    assert_eq!(bench.counts().await, (3, 2));
}

#[tokio::test]
async fn rows_that_vanish_inside_a_file_count_as_well() {
    let bench = Bench::filled().await;
    bench.folder.manual("a/big.md", &TEN[..5]);
    let report = bench.run(IngestOptions::default()).await;
    assert_eq!(report.refusal, Some(Refusal { going: 5, base: 11 }));
    assert_eq!(bench.counts().await, (11, 2), "the file stays as it was");
    bench.run(PRUNE).await;
    assert_eq!(bench.counts().await, (6, 2));
}

#[tokio::test]
async fn an_emptied_folder_removes_nothing() {
    let bench = Bench::filled().await;
    bench.folder.remove("a/big.md");
    bench.folder.remove("small.md");
    assert!(bench.run(IngestOptions::default()).await.failed());
    assert_eq!(bench.counts().await, (11, 2));
}

#[tokio::test]
async fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let bench = Bench::filled().await;
    bench.folder.remove("small.md");
    bench.folder.manual("new.md", &TEN[..3]);
    let report = bench.run(DRY).await;
    let expected = [("a/big.md", &Change::Unchanged), ("new.md", &Change::New), ("small.md", &Change::Gone)];
    assert_eq!(changes(&report), expected);
    assert_eq!((bench.words.taken(), bench.counts().await, report.rows()), (0, (11, 2), (11, 13)));
    let shown = report.to_string();
    assert!(shown.contains("new        new.md (3 rows)"), "{shown}");
    assert!(shown.contains("11 rows before, 13 after a run without --dry-run"), "{shown}");
}

#[tokio::test]
async fn a_broken_file_is_named_with_its_line_and_the_rest_goes_in() {
    let bench = Bench::filled().await;
    bench.folder.write("a/big.md", "# M\n\n## S\n\n### R\n\n### Q\nA.\n");
    bench.folder.write("bytes.md", b"# M\n\n## S\n\nse\xf1ora\n");
    bench.folder.write("nul.md", "# M\n\n## S\n\0\n");
    bench.folder.write("no heading.md", "texto\n");
    bench.folder.manual("new.md", &TEN[..2]);
    let report = bench.run(IngestOptions::default()).await;
    assert!(report.failed());
    let shown = report.to_string();
    for line in ["a/big.md: line 5", "bytes.md: line 5: not UTF-8", "nul.md: line 4", "no heading.md: line 1"]
    {
        assert!(shown.contains(&format!("broken     {line}")), "{line} in {shown}");
    }
    assert_eq!(bench.counts().await, (13, 3), "a broken file keeps its former rows");
}

#[tokio::test]
async fn hidden_files_links_and_other_endings_are_no_manuals() {
    let bench = Bench::filled().await;
    for name in [".hidden.md", ".git/x.md", "notes.txt"] {
        bench.folder.write(name, "# M\n\n## S\n\nA.\n");
    }
    let target = bench.folder.path().join("small.md");
    std::os::unix::fs::symlink(&target, bench.folder.path().join("link.md")).unwrap();
    std::os::unix::fs::symlink("/", bench.folder.path().join("root")).unwrap();
    assert_eq!(bench.run(IngestOptions::default()).await.files.len(), 2);
}

#[tokio::test]
async fn another_model_is_refused_with_the_way_out() {
    let bench = Bench::filled().await;
    let other = Words::new("other", 32);
    let error =
        ingest(&bench.store, &other, bench.folder.path(), IngestOptions::default()).await.unwrap_err();
    assert!(matches!(error, IngestError::Store(StoreError::ModelMismatch { .. })), "{error:?}");
    assert!(error.to_string().contains("aura reembed"), "{error}");
    assert_eq!((other.taken(), bench.counts().await), (0, (11, 2)));
}

#[tokio::test]
async fn what_broke_off_goes_on_and_no_file_is_half_in() {
    let (database, store) = Database::migrated().await;
    let mut words = Words::new("words", 64);
    words.fails_after = 12;
    let bench = Bench { database, store, words, folder: Folder::new() };
    bench.folder.manual("a.md", &TEN);
    bench.folder.manual("b.md", &TEN);
    let error = ingest(&bench.store, &bench.words, bench.folder.path(), IngestOptions::default()).await;
    assert!(error.unwrap_err().to_string().contains("b.md"));
    assert_eq!(bench.counts().await, (10, 1));
    let bench = Bench { words: Words::new("words", 64), ..bench };
    bench.run(IngestOptions::default()).await;
    assert_eq!((bench.words.taken(), bench.counts().await), (10, (20, 2)));
}

#[tokio::test]
async fn two_ingests_at_once_run_one_after_the_other() {
    let (database, store) = Database::migrated().await;
    let bench = Bench { database, store, words: Words::new("words", 64), folder: Folder::new() };
    bench.folder.manual("a.md", &TEN);
    bench.folder.manual("b.md", &TEN);
    let (one, two) = tokio::join!(bench.run(IngestOptions::default()), bench.run(IngestOptions::default()));
    assert_eq!(bench.words.taken(), 20, "the second finds all done");
    assert_eq!(bench.counts().await, (20, 2));
    let new =
        [&one, &two].map(|report| report.files.iter().filter(|file| file.change == Change::New).count());
    assert_eq!(new.iter().sum::<usize>(), 2, "{one}{two}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_a_clear_error() {
    let bench = Bench::filled().await;
    let nowhere = bench.folder.path().join("nowhere");
    let error = ingest(&bench.store, &bench.words, &nowhere, PRUNE).await.unwrap_err().to_string();
    assert!(error.contains("nowhere") && error.contains("aura ingest"), "{error}");
    assert_eq!(bench.counts().await, (11, 2));
}
