//! Whoever is on call: switches a channel off and on, turns thresholds and patience while calls run.
use super::dice::Dice;
use crate::channel::Channel;
use crate::settings::{GLOBAL, Snapshot};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The rows of the settings table.
#[derive(Debug, Default)]
pub(super) struct Table(BTreeMap<String, Value>);

impl Table {
    /// How a call may find things.
    pub(super) fn new(dice: &mut Dice, channel: Channel) -> Self {
        let mut table = Self::default();
        for _ in 0..dice.between(0, 2) {
            table.change(dice, channel);
        }
        if dice.in_hundred(40) {
            table.set("retell.greeting", json!("Hola {nombre}, habla Aura."));
        }
        table.set("rag.knowledgeThreshold", json!(0.55));
        table.set("summary.byModel", json!(true));
        table
    }

    fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// One setting gets another value.
    pub(super) fn change(&mut self, dice: &mut Dice, channel: Channel) {
        let ms = dice.between(300, 6_000);
        let (name, value) = match dice.below(20) {
            0..5 => {
                let mode = dice.pick(&["answer", "answer", "hold", "off"]).copied().unwrap_or("answer");
                return self.set(&format!("{channel}.mode"), json!(mode));
            }
            5..8 => ("answer.fillerAfterMs", json!(ms)),
            8..11 => ("answer.holdAfterMs", json!(ms + 500)),
            11 => ("rag.knowledgeThreshold", json!(ms as f64 / 6_000.0)),
            12 => ("rag.askWhenEquipmentUnknown", json!(ms > 1_000)),
            13 => {
                ("rag.fixedContext", json!(if ms > 3_000 { "El equipo se limpia cada 3 días." } else { "" }))
            }
            14 => ("equipment.stickyTurns", json!(ms / 1_000 + 1)),
            15 => ("emergency.number", json!("107")),
            16 | 17 => ("transfer.number", json!(if ms > 2_000 { "5550" } else { "" })),
            18 => ("rag.similarityThreshold", json!(0.7)),
            _ => ("equipment.stickyMinutes", json!(1)),
        };
        self.set(name, value);
    }

    /// The settings as they stand.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let rows = self.0.iter().map(|(name, value)| (name.clone(), GLOBAL.to_owned(), value.clone()));
        Arc::new(Snapshot::new(rows).0)
    }
}
