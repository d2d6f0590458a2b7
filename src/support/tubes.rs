//! Whose rows a turn's answer may rest on: those of the device that it names, and of tubes what is said of tubes.
use super::reading::Reading;
use crate::equipment::{Catalogue, ManualOf, Model};
use crate::retrieval::Chunk;
use std::collections::BTreeSet;

/// Where the rows of tubes are.
const TUBES: &str = "tubos/";
/// What only a tube has.
const PARTS: [&str; 20] = [
    "tubo",
    "tubos",
    "regulador",
    "valvula",
    "valvulas",
    "manometro",
    "ahorrador",
    "mochila",
    "mochilas",
    "base",
    "liquido",
    "arandela",
    "rosca",
    "respaldo",
    "escarcha",
    "fuga",
    "perdida",
    "aguja",
    "carro",
    "llave",
];

/// The rows of tubes to keep aside, and those of everything else. Where the patient's turn names devices that
/// have a manual, no other device's row is evidence.
pub(super) fn parted<'a>(
    rows: &'a [Chunk],
    asked: &[Model],
    catalogue: &Catalogue,
) -> (Vec<&'a Chunk>, Vec<&'a Chunk>) {
    let manual = |model: &Model| match catalogue.manual_of(model) {
        ManualOf::Manual(source) => Some(source.to_owned()),
        _ => None,
    };
    let manuals: BTreeSet<String> = asked.iter().filter_map(manual).collect();
    if manuals.is_empty() {
        return (Vec::new(), rows.iter().collect());
    }
    let device: BTreeSet<String> = catalogue.models().filter_map(manual).collect();
    let other = |row: &&Chunk| device.contains(&row.source) && !manuals.contains(&row.source);
    rows.iter().filter(|row| !other(row)).partition(|row| row.source.starts_with(TUBES))
}

/// Whether a sentence is about a tube.
pub(super) fn spoken_of(readings: &[&Reading]) -> bool {
    readings.iter().any(|reading| reading.has(&PARTS))
}
