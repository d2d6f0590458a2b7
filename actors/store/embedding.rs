//! Which model's vectors the base holds, and how another model takes over in one transaction (DECISIONS 2).
use super::{Store, StoreError};
use aura::retrieval::Chunk;
use pgvector::Vector;
use tokio_postgres::{GenericClient, Transaction};

/// The model of the stored vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingState {
    /// Its name.
    pub model: String,
    /// Components of its vectors.
    pub dims: usize,
    /// Rows of manuals when last counted.
    pub manual_rows: u64,
}

/// What is to be embedded anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pending {
    /// A row of a manual, by its id.
    Manual(String, Chunk),
    /// A lesson, by its id: the complaint is what is embedded.
    Lesson(String, String),
}

impl Pending {
    /// The table it is of, and its key there.
    pub fn key(&self) -> (&'static str, &str) {
        match self {
            Self::Manual(id, _) => ("knowledge_base", id),
            Self::Lesson(id, _) => ("memory_embeddings", id),
        }
    }
}

impl Store {
    /// The model of the base; none before the first ingest.
    pub async fn embedding_state(&self) -> Result<Option<EmbeddingState>, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT model, dims, manual_rows FROM embedding_state";
        let row = client.query_opt(sql, &[]).await?;
        Ok(row.map(|row| EmbeddingState {
            model: row.get(0),
            dims: usize::try_from(row.get::<_, i32>(1)).unwrap_or_default(),
            manual_rows: u64::try_from(row.get::<_, i64>(2)).unwrap_or_default(),
        }))
    }

    /// Refuses where the base was embedded with another model and holds anything (boot, ingest).
    pub async fn check_embedding_model(&self, model: &str, dims: usize) -> Result<(), StoreError> {
        let Some(state) = self.embedding_state().await? else { return Ok(()) };
        if (state.model.as_str(), state.dims) == (model, dims) || self.is_bare().await? {
            return Ok(());
        }
        Err(mismatch(state.model, state.dims, model, dims))
    }

    async fn is_bare(&self) -> Result<bool, StoreError> {
        Ok(bare(&**self.client().await?).await?)
    }

    /// In a transaction: from here to its end the base is this model's. An empty base takes any model.
    pub(super) async fn claim_model(
        client: &Transaction<'_>,
        model: &str,
        dims: usize,
    ) -> Result<(), StoreError> {
        let wanted = i32::try_from(dims).unwrap_or(i32::MAX);
        let sql = "INSERT INTO embedding_state (model, dims) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        client.execute(sql, &[&model, &wanted]).await?;
        let row = client.query_one("SELECT model, dims FROM embedding_state FOR UPDATE", &[]).await?;
        let (base, base_dims): (String, i32) = (row.get(0), row.get(1));
        if base == model && base_dims == wanted {
            return Ok(());
        }
        if !bare(client).await? {
            return Err(mismatch(base, usize::try_from(base_dims).unwrap_or_default(), model, dims));
        }
        set_model(client, model, wanted).await?;
        Ok(())
    }

    /// Up to `limit` rows and lessons that `model` has neither embedded nor staged yet.
    pub async fn pending_reembedding(&self, model: &str, limit: i64) -> Result<Vec<Pending>, StoreError> {
        let client = self.client().await?;
        let sql = "SELECT k.id, k.source, k.title, k.section, k.row_label, k.content FROM knowledge_base k
                   WHERE NOT EXISTS (SELECT FROM reembedding r
                                     WHERE r.store = 'knowledge_base' AND r.id = k.id AND r.model = $1)
                   ORDER BY k.source, k.position LIMIT $2";
        let rows = client.query(sql, &[&model, &limit]).await?;
        let manual = |row: &tokio_postgres::Row| {
            let chunk = Chunk {
                source: row.get(1),
                title: row.get(2),
                section: row.get(3),
                row: row.get(4),
                content: row.get(5),
            };
            Pending::Manual(row.get(0), chunk)
        };
        if !rows.is_empty() {
            return Ok(rows.iter().map(manual).collect());
        }
        let sql = "SELECT m.id, m.customer_complaint FROM memory_embeddings m
                   WHERE NOT EXISTS (SELECT FROM reembedding r
                                     WHERE r.store = 'memory_embeddings' AND r.id = m.id AND r.model = $1)
                   ORDER BY m.id LIMIT $2";
        let rows = client.query(sql, &[&model, &limit]).await?;
        Ok(rows.iter().map(|row| Pending::Lesson(row.get(0), row.get(1))).collect())
    }

    /// Keeps vectors of the next model beside the old ones.
    pub async fn stage(
        &self,
        model: &str,
        pending: &[Pending],
        vectors: Vec<Vec<f32>>,
    ) -> Result<(), StoreError> {
        let (stores, ids): (Vec<&str>, Vec<&str>) = pending.iter().map(Pending::key).unzip();
        let vectors: Vec<Vector> = vectors.into_iter().map(Vector::from).collect();
        let sql = "INSERT INTO reembedding (store, id, model, embedding)
                   SELECT t.store, t.id, $4, t.embedding
                   FROM unnest($1::text[], $2::text[], $3::vector[]) AS t (store, id, embedding)
                   ON CONFLICT DO NOTHING";
        self.client().await?.execute(sql, &[&stores, &ids, &vectors, &model]).await?;
        Ok(())
    }

    /// Moves the base over to `model`, all rows and lessons in one transaction. `false`: something was written
    /// meanwhile and must be staged first; nothing has changed then.
    pub async fn switch_model(&self, model: &str, dims: usize) -> Result<bool, StoreError> {
        let mut client = self.own_client().await?;
        let transaction = client.transaction().await?;
        // Readers go on; writers wait for the end of this. They lock the state first, so this does too.
        transaction.query_opt("SELECT model FROM embedding_state FOR UPDATE", &[]).await?;
        let sql = "LOCK TABLE knowledge_base, memory_embeddings IN SHARE ROW EXCLUSIVE MODE";
        transaction.batch_execute(sql).await?;
        let mut left = 0;
        Self::drop_index(&transaction).await?;
        for store in ["knowledge_base", "memory_embeddings"] {
            left += move_over(&transaction, store, model).await?;
        }
        if left > 0 {
            return Ok(false);
        }
        transaction.batch_execute("DELETE FROM reembedding").await?;
        set_model(&transaction, model, i32::try_from(dims).unwrap_or(i32::MAX)).await?;
        self.settle_in(&transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Takes over what is staged; answers how many rows had nothing staged.
async fn move_over(client: &Transaction<'_>, store: &str, model: &str) -> Result<i64, StoreError> {
    let sql = format!(
        "UPDATE {store} t SET embedding = r.embedding, embedding_model = r.model
         FROM reembedding r WHERE r.store = '{store}' AND r.id = t.id AND r.model = $1"
    );
    client.execute(&sql, &[&model]).await?;
    let sql = format!("SELECT count(*) FROM {store} WHERE embedding_model <> $1");
    Ok(client.query_one(&sql, &[&model]).await?.get(0))
}

async fn set_model(client: &Transaction<'_>, model: &str, dims: i32) -> Result<(), StoreError> {
    let sql = "INSERT INTO embedding_state (model, dims) VALUES ($1, $2)
               ON CONFLICT (only_row) DO UPDATE SET model = $1, dims = $2, updated_at = now()";
    client.execute(sql, &[&model, &dims]).await?;
    Ok(())
}

async fn bare(client: &impl GenericClient) -> Result<bool, tokio_postgres::Error> {
    let sql = "SELECT NOT EXISTS (SELECT FROM knowledge_base) AND NOT EXISTS (SELECT FROM memory_embeddings)";
    Ok(client.query_one(sql, &[]).await?.get(0))
}

fn mismatch(base: String, base_dims: usize, embedder: &str, embedder_dims: usize) -> StoreError {
    StoreError::ModelMismatch { base, base_dims, embedder: embedder.to_owned(), embedder_dims }
}
