//! What `aura doctor` asks: the database's state, read and never changed.
use super::migrate::known;
use super::{Store, StoreError};
use aura::retrieval::Chunk;
use std::collections::BTreeMap;

/// What runs there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Postgres, as it says itself.
    pub server: String,
    /// Its major version.
    pub major: i32,
    /// pgvector, where it is installed in this database.
    pub vector: Option<String>,
}

/// The database's shape beside the one that this program expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schema {
    /// No migration was ever applied.
    Missing,
    /// These are still to be applied.
    Behind(Vec<String>),
    /// As expected, at this version.
    Current(i64),
    /// A newer program applied this one.
    Ahead(i64),
    /// This one was applied in another wording.
    Altered(String),
}

/// The stored vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCount {
    /// Rows of manuals.
    pub manuals: i64,
    /// Lessons.
    pub lessons: i64,
    /// Vectors of another model or length.
    pub foreign: i64,
    /// Vectors whose length isn't 1, not a number included.
    pub broken: i64,
    /// Vectors that wait for the end of a reembed.
    pub staged: i64,
}

impl Store {
    /// What runs there.
    pub async fn versions(&self) -> Result<Versions, StoreError> {
        let sql =
            "SELECT current_setting('server_version'), current_setting('server_version_num')::int / 10000,
                   (SELECT extversion FROM pg_extension WHERE extname = 'vector')";
        let row = self.client().await?.query_one(sql, &[]).await?;
        Ok(Versions { server: row.get(0), major: row.get(1), vector: row.get(2) })
    }

    /// The database's clock, in seconds since 1970.
    pub async fn clock(&self) -> Result<f64, StoreError> {
        let sql = "SELECT extract(epoch FROM clock_timestamp())::float8";
        Ok(self.client().await?.query_one(sql, &[]).await?.get(0))
    }

    /// Which migrations were applied, beside this program's.
    pub async fn schema(&self) -> Result<Schema, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT to_regclass('refinery_schema_history') IS NOT NULL";
        if !client.query_one(sql, &[]).await?.get::<_, bool>(0) {
            return Ok(Schema::Missing);
        }
        let sql = "SELECT version::int8, checksum FROM refinery_schema_history";
        let rows = client.query(sql, &[]).await?;
        Ok(compare(rows.iter().map(|row| (row.get(0), row.get(1))).collect()))
    }

    /// Files whose rows aren't as many as were ingested.
    pub async fn torn_files(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT source FROM knowledge_files f
                   FULL JOIN (SELECT source, count(*) AS rows FROM knowledge_base GROUP BY source) k USING (source)
                   WHERE coalesce(f.chunks, 0) <> coalesce(k.rows, 0) ORDER BY source";
        let rows = self.client().await?.query(sql, &[]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Counts the vectors, and those that a search with this model can't use.
    pub async fn count_vectors(&self, model: &str, dims: usize) -> Result<VectorCount, StoreError> {
        let client = self.client().await?;
        let dims = i32::try_from(dims).unwrap_or(i32::MAX);
        let mut count = VectorCount::default();
        for (table, all) in
            [("knowledge_base", &mut count.manuals), ("memory_embeddings", &mut count.lessons)]
        {
            // A comparison with NaN is never true here: NaN stands above every number.
            let sql = format!(
                "SELECT count(*), count(*) FILTER (WHERE embedding_model <> $1 OR vector_dims(embedding) <> $2),
                        count(*) FILTER (WHERE NOT vector_norm(embedding) BETWEEN 0.99 AND 1.01)
                 FROM {table}"
            );
            let row = client.query_one(&sql, &[&model, &dims]).await?;
            *all = row.get(0);
            count.foreign += row.get::<_, i64>(1);
            count.broken += row.get::<_, i64>(2);
        }
        count.staged = client.query_one("SELECT count(*) FROM reembedding", &[]).await?.get(0);
        Ok(count)
    }

    /// Any row that this model embedded, the same one each time.
    pub async fn sample_row(&self, model: &str) -> Result<Option<Chunk>, StoreError> {
        let sql = "SELECT source, title, section, row_label, content FROM knowledge_base
                   WHERE embedding_model = $1 ORDER BY id LIMIT 1";
        let row = self.client().await?.query_opt(sql, &[&model]).await?;
        Ok(row.map(|row| Chunk {
            source: row.get(0),
            title: row.get(1),
            section: row.get(2),
            row: row.get(3),
            content: row.get(4),
        }))
    }
}

fn compare(mut applied: BTreeMap<i64, String>) -> Schema {
    let mut behind = Vec::new();
    let mut newest = 0;
    for (version, name, checksum) in known() {
        newest = newest.max(version);
        match applied.remove(&version) {
            None => behind.push(name),
            Some(stored) if stored != checksum => return Schema::Altered(name),
            Some(_) => {}
        }
    }
    match applied.into_keys().next_back() {
        Some(later) => Schema::Ahead(later),
        None if behind.is_empty() => Schema::Current(newest),
        None => Schema::Behind(behind),
    }
}
