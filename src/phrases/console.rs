//! What an operator reads in the terminal client, `aura desk` (DECISIONS 14).
use super::Phrase;
use crate::capture::Field;
use crate::channel::Channel;
use crate::ears::Lack;
use crate::identity;
use crate::patient::{Cause, Progress};
use crate::protocol::desk::{State, Verdict};
use crate::red_flag::RedFlag;
use crate::suggestion::Mode;
use crate::summary::{By, Of};

const fn say(es: &'static str, en: &'static str) -> Phrase {
    Phrase { es, en }
}

/// Titles of the panes, and what stands where there is nothing.
pub mod pane {
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
    pub const BADGE: Phrase = say(
        "● hay una sugerencia: Enter o Espacio la muestra",
        "there is a suggestion: Enter or Space shows it",
    );
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
}

/// Short words in the panes.
pub mod word {
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
}

/// What the line at the bottom asks.
pub mod ask {
    use super::{Phrase, say};

    /// A document.
    pub const DNI: Phrase = say("DNI", "DNI");
    /// A search.
    pub const SEARCH: Phrase = say("Buscar en los manuales", "Search the manuals");
    /// A note.
    pub const NOTE: Phrase = say("Nota", "Note");
    /// A step.
    pub const STEP: Phrase = say("Paso", "Step");
    /// A field to type.
    pub const DATUM: Phrase = say("Anotar", "Take down");
    /// A field to vouch for.
    pub const VOUCH: Phrase = say("Confirmar", "Vouch for");
    /// To take a call over.
    pub const TAKE_OVER: Phrase =
        say("¿Tomar la llamada que tiene {quien}? s/n", "Take the call over from {quien}? y/n");
    /// To swap patient and operator.
    pub const SWAP: Phrase =
        say("¿Están cambiados paciente y operador? s/n", "Are patient and operator the other way round? y/n");
    /// To leave with calls.
    pub const QUIT: Phrase =
        say("Tiene {n} llamada(s) tomada(s). ¿Salir igual? s/n", "You have {n} call(s). Leave? y/n");
    /// The name of an account.
    pub const NAME: Phrase = say("Usuario: ", "Name: ");
    /// Its password.
    pub const PASSWORD: Phrase = say("Contraseña: ", "Password: ");
}

/// What appears for a moment.
pub mod note {
    use super::{Phrase, say};

    /// No call is open.
    pub const OPEN_FIRST: Phrase = say("Primero abra una llamada (Enter).", "Open a call first (Enter).");
    /// Only supervisors may.
    pub const SUPERVISORS: Phrase =
        say("Tomarla de otro solo puede un supervisor.", "Only a supervisor may take it over.");
    /// No card is shown.
    pub const NO_CARD: Phrase = say("No hay sugerencia para marcar.", "There is no suggestion to mark.");
    /// Nothing was marked yet.
    pub const MARK_FIRST: Phrase =
        say("Primero marque la sugerencia (+ − =).", "Mark the suggestion first (+ − =).");
    /// The document isn't shown.
    pub const LOOK_FIRST: Phrase = say(
        "Se pide el documento: confírmelo con c cuando lo vea.",
        "The document is asked for: vouch for it with c once you see it.",
    );
    /// There is no document.
    pub const NO_DNI: Phrase = say("No hay documento para confirmar.", "There is no document to vouch for.");
    /// A note can be added.
    pub const MARKED: Phrase = say("Marcada: {que}. n: agregar nota", "Marked: {que}. n: add a note");
    /// It is done.
    pub const NOTED: Phrase = say("Nota guardada.", "The note is kept.");
    /// It is done.
    pub const CALLED_BACK: Phrase = say("Llamado hecho.", "The call back is done.");
    /// It is done.
    pub const KEPT: Phrase = say("Guardado.", "Kept.");
    /// It wasn't sent.
    pub const UNSENT: Phrase =
        say("Sin conexión: no se envió. Vuelva a intentarlo.", "No connection: it wasn't sent. Try again.");
    /// Nobody knows whether it was done.
    pub const UNANSWERED: Phrase = say(
        "Se cortó la conexión: {n} pedido(s) sin respuesta. Verifique.",
        "The connection broke: {n} request(s) unanswered. Check.",
    );
    /// The call in short was written.
    pub const SUMMARY: Phrase = say("Hay un resumen: r lo muestra.", "There is a summary: r shows it.");
    /// A call is gone from the list.
    pub const GONE: Phrase = say("La llamada ya no se muestra.", "The call is shown no more.");
    /// Somebody is in danger in another call.
    pub const DANGER: Phrase = say("⚠ {que} en otra llamada: {cual}", "{que} in another call: {cual}");
    /// A call waits for too long.
    pub const OVERDUE: Phrase = say("! espera demasiado: {cual}", "it has waited too long: {cual}");
}

/// How the connection stands.
pub mod line {
    use super::{Phrase, say};

    /// It stands.
    pub const OPEN: Phrase = say("● conectado", "connected");
    /// It is being opened.
    pub const OPENING: Phrase = say("○ conectando…", "connecting…");
    /// It broke.
    pub const BROKEN: Phrase =
        say("✗ SIN CONEXIÓN ({por}): reintenta en {s} s", "no connection ({por}): tries again in {s} s");
    /// Nothing came for too long.
    pub const SILENT: Phrase = say("el servidor no responde", "the server doesn't answer");
    /// The server closed it.
    pub const CLOSED: Phrase = say("el servidor la cerró", "the server closed it");
    /// It can't be reached.
    pub const UNREACHABLE: Phrase = say("no se llega al servidor", "the server can't be reached");
    /// It isn't ready.
    pub const NOT_READY: Phrase = say("el servidor no está listo", "the server isn't ready");
    /// It isn't understood.
    pub const UNREADABLE: Phrase = say("respuesta ilegible", "its answer can't be read");
}

/// Why `aura desk` ends or doesn't start.
pub mod end {
    use super::{Phrase, say};

    /// Nobody is at a terminal.
    pub const NO_TERMINAL: Phrase = say(
        "aura desk necesita una terminal; para programas está el protocolo (deploy/desk.md)",
        "it needs a terminal",
    );
    /// The address.
    pub const ADDRESS: Phrase = say(
        "la dirección '{url}' no sirve ({por}); se espera una como ws://127.0.0.1:8080/desk",
        "the address can't be used",
    );
    /// A password or a patient's data would go over a network in the clear.
    pub const OPEN: Phrase = say(
        "⚠ la conexión no está cifrada (ws): quien esté en la red puede leerla; use wss",
        "the connection isn't encrypted: use wss",
    );
    /// Name or password.
    pub const WRONG: Phrase = say(
        "usuario o contraseña incorrectos; `aura user password` pone una nueva",
        "wrong name or password",
    );
    /// Too many attempts.
    pub const WAIT: Phrase = say(
        "demasiados intentos: espere {s} s antes de volver a entrar",
        "too many attempts: wait before signing in again",
    );
    /// The token, or the session.
    pub const SIGNED_OUT: Phrase = say(
        "la sesión terminó, o la clave de AURA_DESK_TOKEN no vale más: vuelva a entrar",
        "the session is over, or the token isn't good any more: sign in again",
    );
    /// No rights.
    pub const FORBIDDEN: Phrase = say(
        "esta cuenta no puede atender llamadas; hace falta el rol operator o supervisor",
        "this account may not see calls: it needs the role operator or supervisor",
    );
    /// No door.
    pub const NO_DOOR: Phrase = say(
        "en esa dirección no hay una mesa de Aura ({estado}); revise --url",
        "there is no desk of Aura's at that address",
    );
    /// The server's answer.
    pub const ODD: Phrase = say(
        "el servidor contestó {estado} al entrar; se esperaba una sesión",
        "an odd answer when signing in",
    );
    /// It can't be reached.
    pub const UNREACHABLE: Phrase =
        say("no se llega a {url} ({por}); ¿está `aura serve`?", "the server can't be reached");
    /// TLS.
    pub const TLS: Phrase = say(
        "para wss hacen falta los certificados del sistema ({por})",
        "TLS needs the system's certificates",
    );
}

/// The keys and what they do, in the order of the help.
pub const KEYS: [(&str, Phrase); 29] = [
    ("↑ ↓", say("elegir llamada", "choose a call")),
    ("Enter", say("abrir la elegida", "open it")),
    ("t", say("tomar", "claim")),
    ("s", say("soltar", "release")),
    ("T", say("tomar de otro", "take over")),
    ("m", say("modo de sugerencias", "mode of suggestions")),
    ("g", say("sugerencia ahora", "a suggestion now")),
    ("u", say("usada", "used")),
    ("Retroceso", say("descartar", "dismiss")),
    ("+", say("bien", "right")),
    ("-", say("mal", "wrong")),
    ("=", say("otra cosa", "divergent")),
    ("n", say("nota a la marca", "a note to the mark")),
    ("Tab", say("anteriores", "earlier ones")),
    ("Espacio", say("ver entera", "see all of it")),
    ("d", say("escribir DNI", "type the DNI")),
    ("c", say("confirmar DNI visto", "vouch for the DNI seen")),
    ("p", say("ver paciente", "see the patient")),
    ("f", say("anotar dato", "take down a datum")),
    ("v", say("confirmar dato", "vouch for a datum")),
    ("e", say("paso del guion", "step of the script")),
    ("b", say("buscar en manuales", "search the manuals")),
    ("r", say("resumen", "summary")),
    ("x", say("paciente ⇄ operador", "swap patient and operator")),
    ("l", say("llamados pendientes", "call backs")),
    ("RePág AvPág", say("leer atrás", "read back")),
    ("End", say("volver al final", "to the end")),
    ("Esc", say("cerrar", "close")),
    ("q", say("salir", "quit")),
];

/// What the line at the bottom suggests: for a call that is nobody's, the operator's own, another's or a bot's.
pub const HINTS: Phrase =
    say("t tomar · l llamados · ? ayuda · q salir", "t claim · l call backs · ? help · q quit");
/// The same where the operator has the call.
pub const OWN_HINTS: Phrase = say(
    "g sugerir · u usada · + − = · d DNI · b buscar · e paso · s soltar · ? ayuda",
    "g suggest · u used · marks · d DNI · b search · e step · s release · ? help",
);

/// A channel, in the list.
pub const fn channel(channel: Channel) -> Phrase {
    match channel {
        Channel::AudioFork => say("teléfono", "telephone"),
        Channel::Retell => say("Retell", "Retell"),
        Channel::ElevenLabs => say("ElevenLabs", "ElevenLabs"),
        Channel::WhatsApp => say("WhatsApp", "WhatsApp"),
    }
}

/// How a call stands.
pub const fn state(state: State) -> Phrase {
    match state {
        State::Live => say("en línea", "live"),
        State::Hold => say("en espera", "on hold"),
        State::Lost => say("cortada", "lost"),
        State::Closed => say("terminada", "over"),
    }
}

/// A danger.
pub const fn danger(flag: RedFlag) -> Phrase {
    match flag {
        RedFlag::Fire => say("FUEGO", "FIRE"),
        RedFlag::Breathing => say("NO RESPIRA BIEN", "BREATHING"),
        RedFlag::Other => say("URGENCIA MÉDICA", "MEDICAL"),
    }
}

/// How suggestions come.
pub const fn mode(mode: Mode) -> Phrase {
    match mode {
        Mode::Push => say("automático", "push"),
        Mode::Quiet => say("discreto", "quiet"),
        Mode::OnDemand => say("a pedido", "on demand"),
    }
}

/// A mark.
pub const fn verdict(verdict: Verdict) -> Phrase {
    match verdict {
        Verdict::Right => say("+ bien", "right"),
        Verdict::Wrong => say("− mal", "wrong"),
        Verdict::Divergent => say("= otra cosa", "divergent"),
        Verdict::Used => say("✓ usada", "used"),
        Verdict::Dismissed => say("descartada", "dismissed"),
    }
}

/// Why nobody heard a stretch.
pub const fn lack(why: Lack) -> Phrase {
    match why {
        Lack::Lost => say("se cortó la conexión", "the connection broke"),
        Lack::Paused => say("la central no mandó", "the switch sent nothing"),
        Lack::Unrecognised => say("sin reconocedor", "no recogniser"),
    }
}

/// Where a document came from.
pub const fn source(source: identity::Source) -> Phrase {
    match source {
        identity::Source::Dictated => say("dictado", "dictated"),
        identity::Source::Typed => say("escrito", "typed"),
        identity::Source::Keypad => say("por teclado", "keyed in"),
        identity::Source::Chat => say("por chat", "written"),
    }
}

/// What a summary is of.
pub const fn summary(of: Of) -> Phrase {
    match of {
        Of::After => say("De la llamada", "Of the call"),
        Of::HandOver => say("Para quien la recibe", "For whoever has it now"),
    }
}

/// Whose words a summary is in.
pub const fn words(by: By) -> Phrase {
    match by {
        By::Rule => say("por reglas", "by rule"),
        By::Model => say("redactado por el modelo", "in a model's words"),
    }
}

/// How far a document has come.
pub const fn identity(state: identity::State) -> Phrase {
    match state {
        identity::State::Given => say("? sin confirmar", "unconfirmed"),
        identity::State::ReadBack => say("? leído, sin confirmar", "read back, unconfirmed"),
        identity::State::Confirmed => say("✓ confirmado", "confirmed"),
    }
}

/// A datum, where there is little room.
pub const fn field(field: Field) -> Phrase {
    match field {
        Field::Name => say("Nombre", "Name"),
        Field::Reason => say("Motivo", "Reason"),
        Field::Equipment => say("Equipo", "Equipment"),
        Field::Code => say("Código", "Code"),
        Field::Telephone => say("Teléfono", "Telephone"),
    }
}

/// How far a look-up has come (R15).
pub const fn look_up(progress: Progress) -> Phrase {
    match progress {
        Progress::Waiting => say("· falta el documento", "no document yet"),
        Progress::Pending => say("… consultando", "being asked for"),
        Progress::Dni => say("✓ encontrado", "found"),
        Progress::NotFound => say("✗ nadie tiene ese DNI", "no patient of this document"),
    }
}

/// Why the patients' system doesn't answer.
pub const fn outage(cause: Cause) -> Phrase {
    match cause {
        Cause::Disabled => say("desactivado", "disabled"),
        Cause::Unreachable => say("no se llega", "unreachable"),
        Cause::Timeout => say("muy lento", "too slow"),
        Cause::Unauthorised => say("rechaza la clave", "it refuses the secret"),
        Cause::Throttled => say("pide esperar", "it wants fewer requests"),
        Cause::Failing => say("falla", "it fails"),
        Cause::Malformed => say("respuesta ilegible", "its answer can't be read"),
        Cause::LeftAlone => say("se lo deja descansar", "it is left alone"),
    }
}
