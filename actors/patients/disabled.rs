//! No patients' system, by explicit choice (R11): every question is answered with that.
use super::PatientLookup;
use async_trait::async_trait;
use aura::ids::Dni;
use aura::patient::{Answer, Cause};

/// Asks nobody.
#[derive(Debug)]
pub struct Disabled;

#[async_trait]
impl PatientLookup for Disabled {
    fn name(&self) -> &'static str {
        "disabled"
    }

    async fn by_dni(&self, _: Dni) -> Answer {
        Answer::Unavailable(Cause::Disabled)
    }
}
