//! Lessons of supervisors: the nearest of each kind, and writing one.
use super::{Store, StoreError};
use aura::retrieval::{LessonCandidate, LessonKind};
use pgvector::Vector;

/// A lesson as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// sha256 of the complaint, hexadecimal (R26).
    pub id: String,
    /// Correction or approved answer.
    pub kind: LessonKind,
    /// What the patient said; masked (S4).
    pub complaint: String,
    /// What to answer.
    pub answer: String,
    /// The call that it was learnt in.
    pub call_id: Option<String>,
}

fn word(kind: LessonKind) -> &'static str {
    match kind {
        LessonKind::Correction => "correction",
        LessonKind::Approved => "approved",
    }
}

impl Store {
    /// The nearest lesson of each kind, nearest first, with no threshold: the domain applies its two (R24).
    pub async fn nearest_lessons(
        &self,
        vector: &[f32],
        model: &str,
    ) -> Result<Vec<LessonCandidate>, StoreError> {
        let one = |kind: &str| {
            format!(
                "(SELECT id, kind, customer_complaint, answer, (1 - (embedding <=> $1))::real AS cosine
                  FROM memory_embeddings WHERE embedding_model = $2 AND kind = '{kind}'
                  ORDER BY embedding <=> $1, id LIMIT 1)"
            )
        };
        let sql = format!("{} UNION ALL {} ORDER BY cosine DESC, id", one("correction"), one("approved"));
        let vector = Vector::from(vector.to_vec());
        let client = self.client().await?;
        let statement = client.prepare_cached(&sql).await?;
        let rows = client.query(&statement, &[&vector, &model]).await?;
        let lesson = |row: &tokio_postgres::Row| LessonCandidate {
            id: row.get(0),
            kind: match row.get::<_, &str>(1) {
                "correction" => LessonKind::Correction,
                _ => LessonKind::Approved,
            },
            complaint: row.get(2),
            answer: row.get(3),
            cosine: row.get(4),
        };
        Ok(rows.iter().map(lesson).collect())
    }

    /// Writes a lesson, or what it has become; refuses a vector of another model than the base's (DECISIONS 2).
    pub async fn save_lesson(&self, lesson: &Lesson, model: &str, vector: &[f32]) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        // Locks the state's row: a reembed can't switch between the check and the write.
        Self::claim_model(&transaction, model, vector.len()).await?;
        let sql = "INSERT INTO memory_embeddings
                     (id, customer_complaint, answer, kind, call_id, embedding, embedding_model)
                   VALUES ($1, $2, $3, $4, $5, $6, $7)
                   ON CONFLICT (id) DO UPDATE SET answer = excluded.answer, kind = excluded.kind,
                     call_id = excluded.call_id, embedding = excluded.embedding,
                     embedding_model = excluded.embedding_model, updated_at = now()";
        let vector = Vector::from(vector.to_vec());
        let kind = word(lesson.kind);
        transaction
            .execute(
                sql,
                &[&lesson.id, &lesson.complaint, &lesson.answer, &kind, &lesson.call_id, &vector, &model],
            )
            .await?;
        transaction.commit().await?;
        Ok(())
    }
}
