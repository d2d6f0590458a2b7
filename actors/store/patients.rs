//! The cache of patients: models by a keyed hash of the document, never the document, never devices (R13).
use super::{Store, StoreError};
use aura::equipment::Model;
use serde_json::Value;
use std::collections::BTreeSet;

impl Store {
    /// Keeps what was found of a patient, in place of what was known before.
    pub async fn keep_patient(
        &self,
        patient: &str,
        models: &BTreeSet<Model>,
        source: &str,
    ) -> Result<(), StoreError> {
        let models: Value = models.iter().map(|model| Value::from(model.as_str())).collect();
        let sql = "INSERT INTO patients (patient, models, source) VALUES ($1, $2, $3)
                   ON CONFLICT (patient) DO UPDATE SET models = $2, source = $3, found_at = now()";
        self.client().await?.execute(sql, &[&patient, &models, &source]).await?;
        Ok(())
    }

    /// What this source last found of a patient.
    pub async fn known_patient(
        &self,
        patient: &str,
        source: &str,
    ) -> Result<Option<BTreeSet<Model>>, StoreError> {
        let sql = "SELECT models FROM patients WHERE patient = $1 AND source = $2";
        let row = self.client().await?.query_opt(sql, &[&patient, &source]).await?;
        let models = |value: Value| value.as_array().into_iter().flatten().filter_map(model).collect();
        Ok(row.map(|row| models(row.get(0))))
    }

    /// Forgets a patient: the system doesn't know the document any more (R12). Says whether there was a row.
    pub async fn forget_patient(&self, patient: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM patients WHERE patient = $1";
        Ok(self.client().await?.execute(sql, &[&patient]).await? > 0)
    }
}

fn model(value: &Value) -> Option<Model> {
    value.as_str().map(Model::new)
}
