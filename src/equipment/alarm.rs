//! Words that tell of an alarm without naming a code (R30).

use crate::tokens::{plain, tokens};

/// What alarms do, by ear or by eye.
const SIGNS: [&str; 27] = [
    "alarma",
    "alarmas",
    "pitido",
    "pitidos",
    "pita",
    "pitan",
    "pitando",
    "pito",
    "bip",
    "bips",
    "beep",
    "beeps",
    "sirena",
    "suena",
    "suenan",
    "sonando",
    "chifla",
    "chiflando",
    "chilla",
    "chillando",
    "titila",
    "titilan",
    "titilando",
    "parpadea",
    "parpadeando",
    "pitar",
    "chiflar",
];
const LIGHTS: [&str; 4] = ["luz", "luces", "lucecita", "lucecitas"];
const COLOURS: [&str; 13] = [
    "roja",
    "rojas",
    "rojo",
    "rojos",
    "amarilla",
    "amarillas",
    "amarillo",
    "naranja",
    "naranjas",
    "verde",
    "verdes",
    "falla",
    "fallas",
];
/// Sounds of other things: the phone rings, something 'sounds familiar', pitta bread.
const OTHER_SOURCES: [&str; 12] = [
    "telefono",
    "celular",
    "celu",
    "timbre",
    "despertador",
    "perro",
    "conocido",
    "conocida",
    "raro",
    "pan",
    "que",
    "auto",
];
const LINKS: [&str; 8] = ["el", "mi", "un", "la", "de", "color", "al", "muy"];

/// Whether `text` speaks of an alarm: the word itself, a beep, a light of a warning colour, something
/// that sounds or blinks. With a model or a code, this is what lets a short turn through (R30). Kept
/// modest: a sound whose source is named and isn't the equipment doesn't count.
pub fn mentions_alarm(text: &str) -> bool {
    let mut words = tokens(text).map(|token| plain(token.text));
    let mut before = [plain(""); 2];
    while let Some(word) = words.next() {
        if LIGHTS.contains(&word.as_str()) {
            before = [before[1], word];
            continue;
        }
        let seen = before.iter().any(|word| LIGHTS.contains(&word.as_str()));
        if seen && COLOURS.contains(&word.as_str()) {
            return true;
        }
        if SIGNS.contains(&word.as_str()) {
            let mut rest = words.clone().skip_while(|next| LINKS.contains(&next.as_str()));
            let elsewhere = rest.next().is_some_and(|next| OTHER_SOURCES.contains(&next.as_str()));
            if !elsewhere && before[1].as_str() != "pan" {
                return true;
            }
        }
        if !(seen && LINKS.contains(&word.as_str())) {
            before = [before[1], word];
        }
    }
    false
}
