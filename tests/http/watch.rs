//! Reads every log line and span of this program, at every level, and remembers those with a document number or a
//! patient's equipment.
use crate::sweep;
use std::fmt::{self, Debug, Write};
use std::sync::{Mutex, OnceLock};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// The numbers that the patient of these tests dictates, and no other test's.
pub const NUMBERS: [&str; 3] = ["23456789", "30123456", "27345678"];

/// Passwords that tests sign in with and that no line may hold.
pub const PASSWORDS: [&str; 2] = ["la contraseña de toda la vida", "otra contraseña para siempre"];

/// A brand that no manual, roster or prompt knows: the devices of these tests' own patients are of it.
pub const MARKED: &str = "Zafirol";

/// What the test's own half of the call logs isn't the service's.
const OWN: [&str; 2] = ["tungstenite", "tokio_tungstenite"];

static SEEN: OnceLock<Mutex<Seen>> = OnceLock::new();

/// What was logged since the watch began.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Lines with one of [`NUMBERS`], target first.
    pub leaks: Vec<String>,
    /// Lines with one of [`PASSWORDS`], target first.
    pub passwords: Vec<String>,
    /// Lines with a document or a device of the sample roster, or of [`MARKED`], target first.
    pub equipment: Vec<String>,
    /// Targets of all lines.
    pub targets: std::collections::BTreeSet<String>,
}

/// Starts watching everything; once for the program.
pub fn start() {
    SEEN.get_or_init(|| {
        tracing_subscriber::registry().with(Watch).try_init().expect("no other test sets a subscriber");
        Mutex::default()
    });
}

/// What was seen so far.
pub fn seen() -> Seen {
    SEEN.get().expect("started").lock().expect("no poison").clone()
}

/// Whether a text holds one of the numbers: in figures, however cut by signs, or dictated in words.
pub fn holds_number(text: &str) -> bool {
    let digits = figures(text);
    NUMBERS.iter().any(|number| digits.contains(number)) || in_words(text)
}

/// Whether a text holds the number that is said as a number, `30.123.456`.
fn in_words(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("treinta millones") || lower.contains("ciento veintitrés mil")
}

/// Whether a text holds any number of seven digits or more that isn't part of a word.
pub fn holds_long_number(text: &str) -> bool {
    figures(text).split(|c: char| !c.is_ascii_digit()).any(|run| run.len() >= 7) || in_words(text)
}

/// The text in figures, with nothing between digits that only parts them.
fn figures(text: &str) -> String {
    const WORDS: [&str; 10] =
        ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"];
    let lower = text.to_lowercase();
    let mut out = String::new();
    for word in lower.split(|c: char| c.is_whitespace() || matches!(c, '.' | '-' | ',' | '\'')) {
        let digit = WORDS.iter().position(|name| *name == word);
        let joined = digit.map_or_else(|| word.to_owned(), |digit| digit.to_string());
        let both =
            out.ends_with(|c: char| c.is_ascii_digit()) && joined.starts_with(|c: char| c.is_ascii_digit());
        if !both && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&joined);
    }
    out
}

struct Watch;

impl<S: Subscriber> Layer<S> for Watch {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::new(event.metadata().target());
        event.record(&mut line);
        line.check();
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut line = Line::new(attributes.metadata().target());
        attributes.record(&mut line);
        line.check();
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut line = Line::new("span");
        values.record(&mut line);
        line.check();
    }
}

/// One line being put together.
struct Line {
    target: String,
    text: String,
}

impl Line {
    fn new(target: &str) -> Self {
        Self { target: target.to_owned(), text: String::new() }
    }

    fn check(self) {
        let own = OWN.iter().any(|own| self.target.starts_with(own));
        let Some(seen) = SEEN.get().filter(|_| !own) else { return };
        let leak = holds_number(&self.text).then(|| format!("{}: {}", self.target, self.text));
        let password = PASSWORDS.iter().any(|password| self.text.contains(password));
        let password = password.then(|| format!("{}: {}", self.target, self.text));
        let secret = sweep::sample().find(&self.text);
        let secret = secret.or_else(|| self.text.contains(MARKED).then(|| MARKED.to_owned()));
        let equipment = secret.map(|secret| format!("{}: {secret:?} in {}", self.target, self.text));
        let mut seen = seen.lock().expect("no poison");
        seen.equipment.extend(equipment);
        seen.passwords.extend(password);
        seen.leaks.extend(leak);
        seen.targets.insert(self.target);
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Lines of the `log` crate carry their target as a field.
        if field.name() == "log.target" {
            self.target = format!("{value:?}").trim_matches('"').to_owned();
            return;
        }
        let written: fmt::Result = write!(self.text, "{}={value:?}; ", field.name());
        written.expect("a string takes everything");
    }
}
