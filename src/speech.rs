//! What may be handed to a voice: written text without the marks that only eyes read (DECISIONS 29).
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Turns written text into words to be spoken, on one line, trimmed.
///
/// Gone: Markdown's marks (bold, italics, headings, bullets, code, tables, quotes), HTML tags, addresses of web
/// pages, emoji, control and invisible characters; a link leaves its text. Kept: decimals, codes, units,
/// `¿ ¡ « »`, e-mail addresses. The items of a list become sentences of their own. The result may be empty.
#[must_use]
pub fn speakable(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| spoken_line(line.trim())).collect();
    let joined = apply(&EMPTY_BRACKETS, lines.join(" "), " ");
    let folded = joined.split_whitespace().collect::<Vec<_>>().join(" ");
    apply(&SPACE_BEFORE_MARK, folded, "$mark$after").trim().to_owned()
}

/// Who reads or hears a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A voice says it.
    Voice,
    /// A chat shows it: lists stay on lines of their own, and what is bold is `*bold*`.
    WhatsApp,
}

/// Written text as it leaves: as [`speakable`] makes it, or the same with what a chat can show.
#[must_use]
pub fn plain(text: &str, style: Style) -> String {
    match style {
        Style::Voice => speakable(text),
        Style::WhatsApp => {
            let text: String = text.chars().filter(|c| !matches!(*c, BOLD_ON | BOLD_OFF)).collect();
            let lines = text.lines().map(|line| shown_line(line.trim())).filter(|line| !line.is_empty());
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Whether a text is an item of a list.
#[must_use]
pub fn is_item(text: &str) -> bool {
    matches(&BULLET, text) || matches(&NUMBERED, text)
}

/// Stand for the bold's marks while all others are taken away; nobody writes them.
const BOLD_ON: char = '\u{E000}';
const BOLD_OFF: char = '\u{E001}';

/// One rule's pattern. All of them are literals below, and a test runs each, so none fails to compile.
type Rule = LazyLock<Option<Regex>>;

macro_rules! rule {
    ($name:ident, $pattern:literal) => {
        static $name: Rule = LazyLock::new(|| Regex::new($pattern).ok());
    };
}

rule!(FENCE, r"^(?:```|~~~)\s*[\w+-]*$");
rule!(RULER, r"^(?:[-*_=]\s*){3,}$|^\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?$");
rule!(QUOTE, r"^(?:>\s*)+");
rule!(HEADING, r"^#{1,6}\s+");
rule!(CLOSING_HASHES, r"\s+#+$");
rule!(BULLET, r"^(?:[-*+•◦‣▪·–]\s+)(?:\[[ xX]\]\s+)?");
// A number that opens a line is a list's only if a letter follows: «3. 5 litros» may be a figure cut in two.
rule!(NUMBERED, r"^\d{1,2}[.)]\s+(?P<rest>[*_`¿¡«]*\p{L})");
rule!(LINK, r"!?\[(?P<text>[^\[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s+[^()]*)?\)|\[[^\[\]]*\])");
rule!(TAG, r"</?[A-Za-z][^<>]*>");
rule!(
    ADDRESS,
    r"(?i)(?P<mail>[\w.+-]+@[\w.-]+\w)|<?(?:(?:https?|ftp|wss?)://|www\.)[^\s<>«»]+>?|\b(?:[a-z0-9-]+\.)+(?:(?:com|gob|org|net|edu)\.ar|com|net|org)\b(?:/[^\s<>«»]*)?"
);
rule!(STRONG, r"\*{2,}|_{2,}|~~|`+");
rule!(STAR_OPENS, r"\*(?P<after>\S)");
rule!(STAR_CLOSES, r"(?P<before>\S)\*");
rule!(UNDERSCORE_OPENS, r"(?P<before>^|[^\p{L}\p{N}_])_(?P<after>\S)");
rule!(UNDERSCORE_CLOSES, r"(?P<before>\S)_(?P<after>[^\p{L}\p{N}_]|$)");
rule!(ESCAPE, r"\\(?P<mark>[!-/:-@\[-`{-~])");
rule!(EMPTY_BRACKETS, r"\(\s*\)|\[\s*\]|«\s*»");
rule!(SPACE_BEFORE_MARK, r"\s+(?P<mark>[.,;:!?…»)]+)(?P<after>\s|$)");

rule!(BOLD, r"\*{2,3}(?P<words>[^\s*](?:[^*]*[^\s*])?)\*{2,3}");
rule!(CHAT_BOLD, r"\b{start-half}\*(?P<words>[^\s*](?:[^*]*[^\s*])?)\*\b{end-half}");
rule!(EMPTY_BOLD, r"\x{E000}\s*\x{E001}");

fn apply(rule: &Rule, text: String, with: &str) -> String {
    let Some(regex) = rule.as_ref() else { return text };
    match regex.replace_all(&text, with) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    }
}

fn matches(rule: &Rule, text: &str) -> bool {
    rule.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// One written line as it is spoken; empty if it only draws.
fn spoken_line(line: &str) -> String {
    if matches(&FENCE, line) || matches(&RULER, line) {
        return String::new();
    }
    let line = apply(&QUOTE, line.to_owned(), "");
    let plain = [(&HEADING, ""), (&BULLET, ""), (&NUMBERED, "$rest")]
        .into_iter()
        .fold(line.clone(), |text, (rule, with)| apply(rule, text, with));
    let set_apart = plain != line;
    let plain = if matches(&HEADING, &line) { apply(&CLOSING_HASHES, plain, "") } else { plain };
    let (plain, row) = cells(plain);
    let words = unmarked(plain);
    if set_apart || row { sentence(words) } else { words }
}

/// One written line as a chat shows it; empty if it only draws.
fn shown_line(line: &str) -> String {
    if matches(&FENCE, line) || matches(&RULER, line) {
        return String::new();
    }
    let line = apply(&QUOTE, line.to_owned(), "");
    let bare = apply(&BULLET, line.clone(), "");
    let bullet = if bare == line { "" } else { "- " };
    let heading = matches(&HEADING, &bare);
    let bare = apply(&HEADING, bare, "");
    let bare = if heading { apply(&CLOSING_HASHES, bare, "") } else { bare };
    let (bare, _) = cells(bare);
    let bare =
        [&BOLD, &CHAT_BOLD].into_iter().fold(bare, |text, rule| apply(rule, text, "\u{E000}$words\u{E001}"));
    let words = apply(&EMPTY_BRACKETS, unmarked(bare), " ");
    let words = apply(&EMPTY_BOLD, words, " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let words = apply(&SPACE_BEFORE_MARK, words, "$mark$after");
    let words = words.trim().replace([BOLD_ON, BOLD_OFF], "*");
    if words.is_empty() { words } else { format!("{bullet}{words}") }
}

/// A table's row as a list of its cells, and whether it was one.
fn cells(line: String) -> (String, bool) {
    if !(line.starts_with('|') && line.matches('|').count() >= 2) {
        return (line, false);
    }
    let cells = line.split('|').map(str::trim).filter(|cell| !cell.is_empty());
    (cells.collect::<Vec<_>>().join(", "), true)
}

/// The text without marks inside the line.
fn unmarked(text: String) -> String {
    let text = apply(&LINK, text, "$text");
    let text = without_addresses(text);
    let text = apply(&TAG, text, " ");
    let text = apply(&ESCAPE, text, "$mark");
    let text = apply(&STRONG, text, "");
    let text = apply(&STAR_OPENS, text, "$after");
    let text = apply(&STAR_CLOSES, text, "$before");
    let text = apply(&UNDERSCORE_OPENS, text, "$before$after");
    let text = apply(&UNDERSCORE_CLOSES, text, "$before$after");
    text.chars().filter_map(audible).collect()
}

/// Drops the addresses of web pages; the sentence's own punctuation after one stays.
fn without_addresses(text: String) -> String {
    let Some(regex) = ADDRESS.as_ref() else { return text };
    let kept = |found: &Captures<'_>| {
        if let Some(mail) = found.name("mail") {
            return mail.as_str().to_owned();
        }
        let address = &found[0];
        let body = address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '"', '\'']);
        address[body.len()..].to_owned()
    };
    regex.replace_all(&text, kept).into_owned()
}

/// A character as it is handed on: pictures and invisible ones are dropped, control ones part words.
fn audible(c: char) -> Option<char> {
    match c {
        c if c.is_control() => Some(' '),
        '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}'
        | '\u{00AD}' => None,
        // Arrows stand between words; without one the words must still be two.
        '\u{2190}'..='\u{21FF}' | '\u{27F0}'..='\u{27FF}' | '\u{2900}'..='\u{297F}' => Some(' '),
        '\u{231A}'
        | '\u{231B}'
        | '\u{23E9}'..='\u{23FF}'
        | '\u{25A0}'..='\u{27BF}'
        | '\u{2B00}'..='\u{2BFF}' => None,
        '\u{FE00}'..='\u{FE0F}' | '\u{20E3}' | '\u{2122}' | '\u{00A9}' | '\u{00AE}' => None,
        '\u{1F000}'..='\u{1FAFF}' | '\u{E0000}'..='\u{E007F}' => None,
        c => Some(c),
    }
}

/// Closes a heading or an item of a list, so that a voice pauses after it.
fn sentence(mut words: String) -> String {
    words.truncate(words.trim_end().len());
    if words.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '»' | '"' | '%' | '°')) {
        words.push('.');
    }
    words
}
