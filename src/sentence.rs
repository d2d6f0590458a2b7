//! Cuts a stream of text into sentences as they are spoken in Spanish: the unit of release (DECISIONS 17).

/// Abbreviations that end in a full stop without ending a sentence.
const ABBREVIATIONS: [&str; 14] =
    ["sr", "sra", "srta", "dr", "dra", "lic", "ud", "uds", "av", "nro", "núm", "ej", "tel", "aprox"];

/// A sentence longer than this is cut at the last space, so that speech never waits for a full stop.
const LONGEST: usize = 320;

/// Gathers deltas and hands out whole sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentences {
    pending: String,
}

impl Sentences {
    /// Takes more text in; gives back the sentences that it completed, trimmed, in order.
    pub fn push(&mut self, text: &str) -> Vec<String> {
        self.pending.push_str(text);
        let mut whole = Vec::new();
        while let Some(end) = boundary(&self.pending) {
            let rest = self.pending.split_off(end);
            let sentence = std::mem::replace(&mut self.pending, rest);
            if !sentence.trim().is_empty() {
                whole.push(sentence.trim().to_owned());
            }
        }
        whole
    }

    /// What has begun and isn't whole yet.
    pub fn running(&self) -> &str {
        self.pending.trim_start()
    }

    /// What is left when the stream has ended.
    pub fn flush(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.pending);
        let rest = rest.trim();
        (!rest.is_empty()).then(|| rest.to_owned())
    }
}

/// Where the first sentence ends (a byte index behind its mark), once what follows proves it.
fn boundary(text: &str) -> Option<usize> {
    match marked(text) {
        Some(end) if end <= LONGEST => Some(end),
        end => overlong(text).or(end),
    }
}

/// Where a mark ends the first sentence.
fn marked(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        if c == '\n' && !text[..at].trim().is_empty() {
            return Some(end);
        }
        if !matches!(c, '.' | '?' | '!' | '…') {
            continue;
        }
        let Some((_, next)) = chars.peek().copied() else { break };
        let closing = matches!(next, '"' | '»' | ')' | '”');
        let after = if closing { text[end + next.len_utf8()..].chars().next() } else { Some(next) };
        let ends = after.is_some_and(char::is_whitespace);
        if ends && !(c == '.' && abbreviated(&text[..at])) {
            return Some(if closing { end + next.len_utf8() } else { end });
        }
    }
    None
}

/// Whether the word before a full stop is an abbreviation, an initial or the number of a list.
fn abbreviated(before: &str) -> bool {
    let word =
        before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '«' | '¿' | '¡')).next().unwrap_or("");
    let lower = word.to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let list_number =
        before.trim_start() == word && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    initial || list_number || ABBREVIATIONS.contains(&lower.as_str())
}

fn overlong(text: &str) -> Option<usize> {
    if text.len() <= LONGEST {
        return None;
    }
    let most = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= LONGEST).last()?;
    text[..most].rfind(char::is_whitespace).filter(|at| *at > 0).or(Some(most))
}
