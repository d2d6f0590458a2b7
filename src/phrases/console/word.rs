//! Short words in the panes.
use super::{Phrase, say};

/// The operator's own call.
pub const MINE: Phrase = say("mía", "mine");
/// Nobody's.
pub const FREE: Phrase = say("sin operador", "nobody's");
/// It answers by itself.
pub const BOT: Phrase = say("bot", "bot");
/// Who speaks.
pub const PATIENT: Phrase = say("Pac.", "Pat.");
/// Who speaks.
pub const OPERATOR: Phrase = say("Op.", "Op.");
/// Who speaks.
pub const AURA: Phrase = say("Aura", "Aura");
/// An alert.
pub const EMERGENCY: Phrase = say("EMERGENCIA", "EMERGENCY");
/// A stretch that nobody heard.
pub const GAP: Phrase = say("sin audio", "no audio");
/// A card is being written.
pub const WRITING: Phrase = say("escribiendo…", "writing…");
/// A card is whole.
pub const WHOLE: Phrase = say("completa", "whole");
/// A card failed.
pub const FAILED: Phrase = say("✗ falló", "failed");
/// An answer was superseded.
pub const ABORTED: Phrase = say("interrumpida", "superseded");
/// Its confidence.
pub const SURE: Phrase = say("confianza alta", "high confidence");
/// Its confidence.
pub const LESS_SURE: Phrase = say("confianza media", "medium confidence");
/// It rests on no manual.
pub const NO_MANUAL: Phrase = say("sin manual", "no manual");
/// Heads a source.
pub const SOURCE: Phrase = say("Manual", "Manual");
/// Whether the identity that it rests on is confirmed.
pub const UNCONFIRMED: Phrase = say("? sin confirmar", "unconfirmed");
/// The same.
pub const CONFIRMED: Phrase = say("✓ confirmado", "confirmed");
/// The same.
pub const UNIDENTIFIED: Phrase = say("? sin identificar", "unidentified");
/// Heads the words that a card answers.
pub const QUOTE: Phrase = say("Por", "Because of");
/// A card is gone.
pub const WITHDRAWN: Phrase = say("− retirada", "withdrawn");
/// A card says what another one says.
pub const REPEATED: Phrase = say("− repetía la anterior", "it repeated the one before");
/// There is none to what was said.
pub const WITHHELD: Phrase = say("− sin sugerencia", "no suggestion");
/// A datum that nobody has given.
pub const MISSING: Phrase = say("falta", "missing");
/// A datum that should be asked for again.
pub const DOUBTFUL: Phrase = say("dudoso", "doubtful");
/// A device's detail isn't shown.
pub const MODELS: Phrase = say("modelos en el filtro", "models in the filter");
/// It is what was known before.
pub const CACHED: Phrase = say("de antes, sin detalle", "known before, without detail");
/// No real patients' system.
pub const MOCK: Phrase = say("⚠ de prueba (mock)", "sample data (mock)");
/// Where the devices come from.
pub const FROM: Phrase = say("fuente", "source");
/// They aren't shown to whoever doesn't have the call.
pub const LOOK: Phrase = say("p: ver (queda registrado)", "p: look (on record)");
/// None on file.
pub const NO_DEVICES: Phrase = say("sin equipos", "no devices");
/// It is asked again by itself.
pub const RETRYING: Phrase = say("reintenta", "tries again");
/// The patients' system doesn't answer.
pub const OUTAGE: Phrase = say("✗ sistema de pacientes", "patients' system");
/// Mode, in the status line.
pub const MODE: Phrase = say("modo", "mode");
/// Help, in the status line.
pub const HELP: Phrase = say("? ayuda", "? help");
/// Calls, in the status line.
pub const CALLS: Phrase = say("llamadas", "calls");
/// A search by hand, in the results' title.
pub const HOLDS: Phrase = say("✓", "it may be rested on");
/// Whoever left no telephone.
pub const NO_TELEPHONE: Phrase = say("no dejó teléfono", "left no telephone");
/// What doesn't work.
pub const DOWN: Phrase = say("⚠ sin", "down");
