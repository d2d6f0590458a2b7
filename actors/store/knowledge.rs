//! Searching the manuals, and the index that large bases get.
use super::{Store, StoreError};
use aura::retrieval::{Candidate, Chunk, Filter, LessonCandidate};
use pgvector::Vector;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio_postgres::{Row, Transaction};

/// From how many rows on an index is searched instead of all rows.
pub const HNSW_BOUND: u64 = 50_000;
/// How long a count of rows is believed: both plans answer rightly at any size, one is only slower.
const COUNT_LIFE: Duration = Duration::from_secs(30);
const INDEX: &str = "knowledge_base_hnsw";

/// How the manuals are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Every admitted row is measured.
    Exact,
    /// pgvector's approximate index.
    Hnsw,
}

impl Plan {
    /// Decides for a base of `rows` rows, of which an index serves `bound` or more.
    pub fn for_rows(rows: u64, bound: u64) -> Self {
        if rows < bound { Self::Exact } else { Self::Hnsw }
    }
}

/// How many rows there were when last looked.
pub(super) struct RowCount {
    bound: u64,
    seen: Mutex<Option<(Instant, u64)>>,
}

impl RowCount {
    pub(super) fn new(bound: u64) -> Self {
        Self { bound, seen: Mutex::new(None) }
    }

    fn fresh(&self) -> Option<u64> {
        let seen = self.seen.lock().ok()?;
        seen.and_then(|(at, rows)| (at.elapsed() < COUNT_LIFE).then_some(rows))
    }

    fn set(&self, rows: u64) {
        if let Ok(mut seen) = self.seen.lock() {
            *seen = Some((Instant::now(), rows));
        }
    }
}

const COLUMNS: &str = "SELECT source, title, section, row_label, content";

impl Store {
    /// The nearest rows of `model`, nearest first, whatever their score (R24); under a filter only what it admits,
    /// decided inside the query (R5). Rows of another model never come back (DECISIONS 2).
    pub async fn search(
        &self,
        vector: &[f32],
        model: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let vector = Vector::from(vector.to_vec());
        // An index finds its neighbours before the WHERE sees them and may leave none: a filter scans what it admits.
        match (self.plan().await?, filter) {
            (Plan::Hnsw, None) => self.search_index(vector, model, limit).await,
            (_, filter) => self.search_rows(vector, model, filter, limit).await,
        }
    }

    /// Both stores at once (R1); each answers for itself, so that one's failure hides nothing of the other.
    pub async fn search_both(
        &self,
        vector: &[f32],
        model: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> (Result<Vec<Candidate>, StoreError>, Result<Vec<LessonCandidate>, StoreError>) {
        tokio::join!(self.search(vector, model, filter, limit), self.nearest_lessons(vector, model))
    }

    async fn search_rows(
        &self,
        vector: Vector,
        model: &str,
        filter: Option<&Filter>,
        limit: i64,
    ) -> Result<Vec<Candidate>, StoreError> {
        let sources: Option<Vec<&str>> =
            filter.map(|filter| filter.sources.iter().map(String::as_str).collect());
        let prefixes: Option<Vec<String>> =
            filter.map(|filter| filter.prefixes.iter().map(|prefix| like_prefix(prefix)).collect());
        // The index is on `embedding::vector(n)`; this orders by `embedding`, so it can only scan.
        let sql = format!(
            "{COLUMNS}, (1 - (embedding <=> $1))::real AS cosine
             FROM knowledge_base
             WHERE embedding_model = $2
               AND ($3::text[] IS NULL OR source = ANY($3) OR source LIKE ANY($4::text[]))
             ORDER BY embedding <=> $1, id LIMIT $5"
        );
        let client = self.client().await?;
        let statement = client.prepare_cached(&sql).await?;
        let rows = client.query(&statement, &[&vector, &model, &sources, &prefixes, &limit]).await?;
        Ok(rows.iter().map(candidate).collect())
    }

    async fn search_index(
        &self,
        vector: Vector,
        model: &str,
        limit: i64,
    ) -> Result<Vec<Candidate>, StoreError> {
        let dims = vector.as_slice().len();
        // The model stands in the text: a partial index is only chosen where its condition is known when planning.
        let sql = format!(
            "{COLUMNS}, (1 - (embedding::vector({dims}) <=> $1))::real AS cosine
             FROM knowledge_base WHERE embedding_model = {}
             ORDER BY embedding::vector({dims}) <=> $1 LIMIT $2",
            literal(model)
        );
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        // Enough neighbours to be sure of the nearest few, and no scan where the planner misjudges the size.
        transaction.batch_execute("SET LOCAL hnsw.ef_search = 100; SET LOCAL enable_seqscan = off").await?;
        let statement = transaction.prepare_cached(&sql).await?;
        let rows = transaction.query(&statement, &[&vector, &limit]).await?;
        transaction.commit().await?;
        Ok(rows.iter().map(candidate).collect())
    }

    /// The plan for the base as it was at most half a minute ago.
    async fn plan(&self) -> Result<Plan, StoreError> {
        let rows = match self.rows.fresh() {
            Some(rows) => rows,
            None => {
                let rows = self.embedding_state().await?.map_or(0, |state| state.manual_rows);
                self.rows.set(rows);
                rows
            }
        };
        Ok(Plan::for_rows(rows, self.rows.bound))
    }

    /// Counts the rows, and builds or drops the index as the plan for so many asks. For the writers, when done.
    pub async fn settle_plan(&self) -> Result<Plan, StoreError> {
        let mut client = self.own_client().await?;
        let transaction = client.transaction().await?;
        let plan = self.settle_in(&transaction).await?;
        transaction.commit().await?;
        Ok(plan)
    }

    pub(super) async fn settle_in(&self, client: &Transaction<'_>) -> Result<Plan, StoreError> {
        let sql = "UPDATE embedding_state SET manual_rows = (SELECT count(*) FROM knowledge_base)
                   RETURNING model, dims, manual_rows";
        let Some(state) = client.query_opt(sql, &[]).await? else { return Ok(Plan::Exact) };
        let (model, dims, rows): (String, i32, i64) = (state.get(0), state.get(1), state.get(2));
        let rows = u64::try_from(rows).unwrap_or_default();
        let plan = Plan::for_rows(rows, self.rows.bound);
        let sql = match plan {
            Plan::Exact => format!("DROP INDEX IF EXISTS {INDEX}"),
            Plan::Hnsw => format!(
                "CREATE INDEX IF NOT EXISTS {INDEX} ON knowledge_base
                 USING hnsw ((embedding::vector({dims})) vector_cosine_ops) WHERE embedding_model = {}",
                literal(&model)
            ),
        };
        client.batch_execute(&sql).await?;
        self.rows.set(rows);
        Ok(plan)
    }

    pub(super) async fn drop_index(client: &Transaction<'_>) -> Result<(), StoreError> {
        Ok(client.batch_execute(&format!("DROP INDEX IF EXISTS {INDEX}")).await?)
    }
}

fn candidate(row: &Row) -> Candidate {
    Candidate {
        chunk: Chunk {
            source: row.get(0),
            title: row.get(1),
            section: row.get(2),
            row: row.get(3),
            content: row.get(4),
        },
        cosine: row.get(5),
    }
}

/// A LIKE pattern for all that begins with `prefix`, letter by letter.
fn like_prefix(prefix: &str) -> String {
    let mut pattern = String::with_capacity(prefix.len() + 1);
    for letter in prefix.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// A text as an SQL literal, whatever `standard_conforming_strings` says.
fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}
