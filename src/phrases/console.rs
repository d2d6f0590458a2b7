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

pub mod pane;

pub mod word;

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
