//! What the peer tells of the caller: the name that is greeted, and the prompt's block of patient data.
use super::ask::on_one_line;
use super::output::{Closing, Output};
use super::{Call, greeting};
use crate::ids::ReplyId;
use crate::mask::mask;
use crate::phrases::PATIENT_HEADER;
use crate::retrieval::reading;
use crate::settings;
use std::collections::BTreeMap;

impl Call {
    pub(super) fn greet(&mut self) {
        let template = self.settings.text(&settings::RETELL_GREETING, self.spec.profile.channel);
        let none = BTreeMap::new();
        let text = greeting::render(template, self.details.as_ref().unwrap_or(&none));
        self.outbox.push_back(Output::Say { reply: ReplyId(0), text });
        self.outbox.push_back(Output::Close { reply: ReplyId(0), then: Closing::Stay });
        self.outbox.push_back(Output::Remember);
    }

    pub(super) fn detailed(&mut self, variables: BTreeMap<String, String>, phone: Option<String>) {
        self.details.get_or_insert_with(|| limited(variables));
        self.phone = self.phone.take().or(phone);
        if self.greeting.detailed() {
            self.greet();
        }
    }

    /// `[DATOS DEL PACIENTE]`: what the peer told before the first turn, never equipment (DECISIONS 11).
    pub(super) fn freeze_extras(&mut self) {
        if self.extras.is_some() {
            return;
        }
        let none = BTreeMap::new();
        let lines: Vec<String> = self
            .details
            .as_ref()
            .unwrap_or(&none)
            .iter()
            .filter(|(key, value)| !self.speaks_of_equipment(key, value))
            .map(|(key, value)| on_one_line(&format!("{key}: {}", mask(value))))
            .collect();
        let block = format!("{PATIENT_HEADER}\n{}", lines.join("\n"));
        self.extras = Some(if lines.is_empty() { Vec::new() } else { vec![block] });
    }

    fn speaks_of_equipment(&self, key: &str, value: &str) -> bool {
        const WORDS: [&str; 12] = [
            "equip", "model", "dispos", "device", "aparato", "concentr", "mochila", "tubo", "marca", "brand",
            "serie", "serial",
        ];
        let key = key.to_lowercase();
        let reading = reading::read(value, self.spec.catalogue);
        WORDS.iter().any(|word| key.contains(word)) || !reading.named().is_empty() || reading.ambiguous
    }
}

/// Variables that a peer may tell at most, and the longest value in characters.
const MOST_DETAILS: (usize, usize) = (32, 300);

/// What a peer tells of the caller, within bounds: it goes into every prompt of the call. A name that is a
/// number is masked as a value is, when it is written down (S4).
fn limited(variables: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let short = |text: &str| text.chars().take(MOST_DETAILS.1).collect::<String>();
    let taken = variables.iter().take(MOST_DETAILS.0);
    taken.map(|(key, value)| (mask(&short(key)).into_owned(), short(value))).collect()
}
