//! Whether a sentence gives away the instructions that it was written by: a caller may talk a model into
//! reading its prompt aloud, but not past this.
use crate::phrases::{self, Phrase};
use crate::prompt::Prompt;
use crate::tokens::{Key, plain, tokens};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// So many words in a row are no accident.
const RUN: usize = 6;

/// Words in square brackets head the blocks of a prompt; nothing that is said has them. Folded.
const BLOCK_WORDS: [&str; 7] = [
    "datos del paciente",
    "informacion tecnica del manual",
    "correcciones de supervisores",
    "tus sugerencias anteriores",
    "equipo sin identificar",
    "paciente en silencio",
    "emergencia en curso",
];

/// What rides on the last message is told to the model as much as the base prompt is.
const BLOCKS: [Phrase; 5] = [
    phrases::BLOCK_ASK_EQUIPMENT,
    phrases::BLOCK_REMINDER,
    phrases::BLOCK_EMERGENCY,
    phrases::EXACT_ENTRY,
    phrases::SEVERAL_ENTRIES,
];

/// Sentences that are there to be said, though a prompt asks for them or shares words with them.
const SAID: [Phrase; 12] = [
    phrases::GREETING,
    phrases::HOLDING_COPILOT,
    phrases::HOLDING_BOT,
    phrases::HOLDING_BOT_AGAIN,
    phrases::FILLER,
    phrases::BROKEN,
    phrases::EMERGENCY_BREATHING,
    phrases::EMERGENCY_FIRE,
    phrases::EMERGENCY_OTHER,
    phrases::ASK_EQUIPMENT,
    phrases::FAREWELL,
    phrases::REMINDER,
];

/// What anybody at the desk would say: who answers, and what comes first in danger.
const OPEN: [&str; 5] = [
    "Aura, la asistente telefónica de una mesa de ayuda de oxígeno domiciliario en la Argentina",
    "la asistente de WhatsApp de una mesa de ayuda de oxígeno domiciliario en la Argentina",
    "le hablan de la mesa de ayuda de oxígeno domiciliario en la Argentina",
    "salgan todos, no abran oxígeno y llamen a emergencias; nunca el respaldo",
    "emergencias médicas primero, y el oxígeno de respaldo si lo hay",
];

/// The instructions of one prompt version, as runs of words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leaks {
    runs: HashSet<u64>,
    /// Headings and sentences that are shorter than a run.
    short: HashSet<u64>,
}

/// The instructions of prompts that calls are being held with.
static SHARED: Mutex<Vec<(Weak<Prompt>, Arc<Leaks>)>> = Mutex::new(Vec::new());

impl Leaks {
    /// Reads a base prompt.
    pub fn of(prompt: &str) -> Self {
        let told = prompt.lines().chain(BLOCKS.iter().flat_map(|block| block.es.lines()));
        let mut runs: HashSet<u64> = told.flat_map(hashes).collect();
        let told = prompt.lines().chain(BLOCKS.iter().flat_map(|block| block.es.lines()));
        let mut short: HashSet<u64> =
            told.flat_map(|line| line.split(['.', ':', ';']).chain([line])).filter_map(whole).collect();
        for text in SAID.iter().map(|phrase| phrase.es).chain(OPEN) {
            for run in hashes(text) {
                runs.remove(&run);
            }
            for sentence in text.split(['.', '?', ',']).chain([text]) {
                whole(sentence).map(|sentence| short.remove(&sentence));
            }
        }
        Self { runs, short }
    }

    /// One for all calls of a prompt version.
    pub fn shared(prompt: &Arc<Prompt>) -> Arc<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|(prompt, _)| prompt.strong_count() > 0);
        let known = shared.iter().find(|(known, _)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(prompt)));
        if let Some((_, leaks)) = known {
            return Arc::clone(leaks);
        }
        let leaks = Arc::new(Self::of(&prompt.body));
        shared.push((Arc::downgrade(prompt), Arc::clone(&leaks)));
        leaks
    }

    /// Whether the sentence repeats the prompt, or names it.
    pub fn found_in(&self, sentence: &str) -> bool {
        let heads = || {
            let words: Vec<Key> = tokens(sentence).map(|token| plain(token.text)).collect();
            let folded = words.iter().map(Key::as_str).collect::<Vec<_>>().join(" ");
            BLOCK_WORDS.iter().any(|words| folded.contains(words))
        };
        let names = || tokens(sentence).any(|token| plain(token.text).as_str() == "prompt");
        sentence.contains('[') && heads()
            || names()
            || hashes(sentence).any(|run| self.runs.contains(&run))
            // 'Mi texto dice: QUIÉN ES'.
            || sentence.split([':', ';']).chain([sentence]).filter_map(whole).any(|part| self.short.contains(&part))
    }
}

/// A text of two words or more that is too short for a run, as a whole.
fn whole(text: &str) -> Option<u64> {
    let words: Vec<Key> = tokens(text).map(|token| plain(token.text)).collect();
    (2..RUN).contains(&words.len()).then(|| hash(&words))
}

/// Each run of words of a text, case and accents aside.
fn hashes(text: &str) -> impl Iterator<Item = u64> {
    let words: Vec<Key> = tokens(text).map(|token| plain(token.text)).collect();
    let runs: Vec<u64> = words.windows(RUN).map(hash).collect();
    runs.into_iter()
}

fn hash(words: &[Key]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}
