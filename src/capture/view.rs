//! What was taken down, as the panel shows it: masked, field by field.
use super::{Captured, Datum, Field, Source};
use crate::phrases::desk;
use serde::Serialize;

/// One field of the panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldView {
    /// Which field.
    pub field: Field,
    /// Its name in Spanish.
    pub label: &'static str,
    /// What is held; the telephone by its last digits.
    pub values: Vec<String>,
    /// Whether the operator entered it.
    pub typed: bool,
    /// Whether the operator entered it or vouched for it.
    pub confirmed: bool,
    /// Whether it should be asked for again.
    pub in_doubt: bool,
}

/// What was taken down: fields of which something is held, in the panel's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct View(pub Vec<FieldView>);

const FIELDS: [Field; 5] = [Field::Name, Field::Reason, Field::Equipment, Field::Code, Field::Telephone];

impl Captured {
    /// As the panel shows it.
    pub fn view(&self) -> View {
        View(
            FIELDS
                .into_iter()
                .map(|field| self.field(field))
                .filter(|view| !view.values.is_empty())
                .collect(),
        )
    }

    fn field(&self, field: Field) -> FieldView {
        let typed = |source: Source| source == Source::Typed;
        let (values, typed, confirmed) = match (field, &self.telephone) {
            (Field::Telephone, None) => (Vec::new(), false, false),
            (Field::Telephone, Some((telephone, source))) => {
                (vec![telephone.to_string()], typed(*source), typed(*source))
            }
            _ => {
                let held: Vec<&Datum> = self.values(field).collect();
                let values = held.iter().map(|datum| datum.value.clone()).collect();
                (
                    values,
                    held.iter().any(|datum| typed(datum.source)),
                    held.iter().all(|datum| datum.confirmed),
                )
            }
        };
        let label = desk::field(field).es;
        FieldView { field, label, values, typed, confirmed, in_doubt: self.in_doubt(field) }
    }
}
