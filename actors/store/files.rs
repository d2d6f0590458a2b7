//! The ingested files: what is known of each, and replacing one in one transaction.
use super::{Store, StoreError};
use pgvector::Vector;
use std::collections::BTreeMap;

/// What the base knows of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// sha256 over its rows.
    pub content_hash: String,
    /// How many rows it has.
    pub chunks: usize,
}

/// A row of a file that goes in.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRow {
    /// The row.
    pub chunk: aura::retrieval::Chunk,
    /// Its manual's category.
    pub category: Option<String>,
    /// sha256 of what is stored, source included: the row's key, the same for the same row always.
    pub content_hash: String,
    /// Its vector; `None` where the base has this very row and keeps its vector.
    pub vector: Option<Vec<f32>>,
}

impl Store {
    /// All files of the base by source.
    pub async fn files(&self) -> Result<BTreeMap<String, FileRow>, StoreError> {
        let client = self.client().await?;
        let rows = client.query("SELECT source, content_hash, chunks FROM knowledge_files", &[]).await?;
        let file = |row: &tokio_postgres::Row| {
            let chunks = usize::try_from(row.get::<_, i32>(2)).unwrap_or_default();
            (row.get(0), FileRow { content_hash: row.get(1), chunks })
        };
        Ok(rows.iter().map(file).collect())
    }

    /// The hashes of one file's rows, in its order.
    pub async fn rows_of(&self, source: &str) -> Result<Vec<String>, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT content_hash FROM knowledge_base WHERE source = $1 ORDER BY position";
        Ok(client.query(sql, &[&source]).await?.iter().map(|row| row.get(0)).collect())
    }

    /// Makes a file's rows exactly these, all or none of them.
    pub async fn replace_file(
        &self,
        source: &str,
        content_hash: &str,
        rows: &[NewRow],
        model: &str,
        dims: usize,
    ) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        Self::claim_model(&transaction, model, dims).await?;
        let ids: Vec<&str> = rows.iter().map(|row| row.content_hash.as_str()).collect();
        let gone = "DELETE FROM knowledge_base WHERE source = $1 AND NOT (id = ANY($2))";
        transaction.execute(gone, &[&source, &ids]).await?;
        for (position, row) in (0_i32..).zip(rows) {
            put_row(&transaction, position, row, model).await?;
        }
        let chunks = i32::try_from(rows.len()).unwrap_or(i32::MAX);
        let file = "INSERT INTO knowledge_files (source, content_hash, chunks) VALUES ($1, $2, $3)
                    ON CONFLICT (source) DO UPDATE
                    SET content_hash = $2, chunks = $3, ingested_at = now()";
        transaction.execute(file, &[&source, &content_hash, &chunks]).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Takes files out of the base, all or none of them.
    pub async fn remove_files(&self, sources: &[String]) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        transaction.execute("DELETE FROM knowledge_base WHERE source = ANY($1)", &[&sources]).await?;
        transaction.execute("DELETE FROM knowledge_files WHERE source = ANY($1)", &[&sources]).await?;
        transaction.commit().await?;
        Ok(())
    }
}

async fn put_row(
    transaction: &deadpool_postgres::Transaction<'_>,
    position: i32,
    row: &NewRow,
    model: &str,
) -> Result<(), StoreError> {
    let Some(vector) = &row.vector else {
        let sql = "UPDATE knowledge_base SET position = $2 WHERE id = $1 AND position <> $2";
        transaction.execute(sql, &[&row.content_hash, &position]).await?;
        return Ok(());
    };
    let sql =
        "INSERT INTO knowledge_base (id, source, position, title, section, row_label, content, category,
                 content_hash, embedding, embedding_model)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $1, $9, $10)
               ON CONFLICT (id) DO NOTHING";
    let statement = transaction.prepare_cached(sql).await?;
    let chunk = &row.chunk;
    let vector = Vector::from(vector.clone());
    transaction
        .execute(
            &statement,
            &[
                &row.content_hash,
                &chunk.source,
                &position,
                &chunk.title,
                &chunk.section,
                &chunk.row,
                &chunk.content,
                &row.category,
                &vector,
                &model,
            ],
        )
        .await?;
    Ok(())
}
