//! Titles of the panes, and what stands where there is nothing.
use super::{Phrase, say};

/// The list of calls.
pub const CALLS: Phrase = say("Llamadas", "Calls");
/// No call is live.
pub const NO_CALLS: Phrase = say("No hay llamadas.", "There are no calls.");
/// Earlier cards, where none is in front.
pub const EARLIER: Phrase = say("Anteriores (Tab):", "Earlier ones (Tab):");
/// The transcript.
pub const TALK: Phrase = say("Conversación", "Talk");
/// No call is open.
pub const NONE_OPEN: Phrase =
    say("Elija una llamada con ↑ ↓ y Enter.", "Choose a call with the arrows and Enter.");
/// The server still tells what happened before.
pub const CATCHING_UP: Phrase = say("poniéndose al día…", "catching up…");
/// The beginning of a long call is kept no more.
pub const CUT: Phrase = say("(el principio ya no está)", "(the beginning is kept no more)");
/// The call is in no list any more.
pub const NOT_THERE: Phrase = say("ya no está en la lista", "in the list no more");
/// Both tracks sound the same.
pub const ONE_VOICE: Phrase = say(
    "⚠ los dos canales traen el mismo sonido: no se sabe quién habla",
    "both channels carry the same sound: who speaks isn't known",
);
/// Lines have come that aren't in view.
pub const BELOW: Phrase = say("▼ {n} más abajo · End", "{n} further down");
/// The copilot's.
pub const SUGGESTION: Phrase = say("Sugerencia", "Suggestion");
/// A bot's.
pub const ANSWER: Phrase = say("Respuesta de Aura", "Aura's answer");
/// There is no suggestion.
pub const NO_SUGGESTION: Phrase = say("Todavía no hay sugerencias.", "No suggestions yet.");
/// Nobody has the call.
pub const UNCLAIMED: Phrase =
    say("Sin sugerencias: nadie tomó la llamada (t).", "No suggestions: nobody has the call (t).");
/// Quiet mode.
pub const BADGE: Phrase =
    say("● hay una sugerencia: Enter o Espacio la muestra", "there is a suggestion: Enter or Space shows it");
/// An older card is looked at.
pub const NEWER: Phrase = say("● hay una más nueva (Esc)", "there is a newer one (Esc)");
/// What a card doesn't have room for.
pub const MORE: Phrase = say("… Espacio: entera", "Space: all of it");
/// The patient.
pub const PATIENT: Phrase = say("Paciente", "Patient");
/// Their devices.
pub const DEVICES: Phrase = say("Equipos", "Devices");
/// What was taken down.
pub const DATA: Phrase = say("Datos", "Data");
/// The script.
pub const SCRIPT: Phrase = say("Guion", "Script");
/// What a search found.
pub const RESULTS: Phrase = say("Manuales", "Manuals");
/// Nothing was found.
pub const NO_RESULTS: Phrase = say("No se encontró nada.", "Nothing was found.");
/// The call in short.
pub const SUMMARY: Phrase = say("Resumen", "Summary");
/// Nothing was written down yet.
pub const NO_SUMMARY: Phrase = say(
    "Todavía no hay resumen: se escribe al cambiar de operador y al terminar.",
    "No summary yet: one is written when the call changes hands and when it is over.",
);
/// Call backs.
pub const CALLBACKS: Phrase = say("Hay que llamar a", "To be called back");
/// None is pending.
pub const NO_CALLBACKS: Phrase = say("No hay llamados pendientes.", "No call back is pending.");
/// The keys of the call backs.
pub const CALLBACK_KEYS: Phrase =
    say("Enter: ver teléfono · h: hecha · Esc", "Enter: telephone · h: done · Esc");
/// How a list is left.
pub const SCROLL_KEYS: Phrase = say("↑ ↓ · Esc", "arrows, Esc");
/// Keys.
pub const HELP: Phrase = say("Teclas", "Keys");
/// The window is too small.
pub const SMALL: Phrase =
    say("La ventana es muy chica: al menos 60 × 16.", "The window is too small: 60 × 16 at least.");
