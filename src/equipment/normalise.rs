//! What speech-to-text heard, with equipment and codes by their technical names (R22).

use super::catalogue::{Catalogue, Meaning};
use super::codes::Code;
use super::context::Context;
use super::sentence::{Sentence, Word};
use super::spoken_code::code_at;
use super::{Model, mentions_alarm};
use crate::numerals::Num;
use crate::tokens::Gap;
use serde::Serialize;

/// A name put right may change what its neighbours are; no real sentence needs more than two.
const PASSES: usize = 5;

/// A turn after normalisation: its text, and what it names, each once, in the order of mention.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Normalised {
    /// The text with technical names in place of what was misheard; all else as it was.
    pub text: String,
    /// Models of the catalogue.
    pub models: Vec<Model>,
    /// Display codes of a letter and a number.
    pub codes: Vec<Code>,
    /// Messages that displays spell out, such as `Low O2`.
    pub text_codes: Vec<String>,
    /// Forms that may be several things ([`Catalogue::candidates`]): left as said, to be asked about.
    pub ambiguous: Vec<String>,
    /// Devices known to be none of the catalogue's models (`8F-5`): no manual here is theirs.
    pub others: Vec<String>,
}

impl Normalised {
    /// Whether a short turn is worth a search all the same (R30): it names a model (of the catalogue or
    /// another), a code or a text code, or speaks of an alarm.
    pub fn names_equipment_or_code(&self) -> bool {
        let named = !(self.models.is_empty()
            && self.others.is_empty()
            && self.codes.is_empty()
            && self.text_codes.is_empty());
        named || mentions_alarm(&self.text)
    }
}

/// A stretch of words that may be a name.
struct Candidate {
    start: usize,
    end: usize,
    meaning: usize,
    spelled: bool,
}

/// What a stretch of words turned out to be.
enum Found<'a> {
    Named(&'a Meaning),
    Code(Code),
}

impl Catalogue {
    /// Replaces what was misheard by technical names and reports what the text names (R22). Addresses,
    /// amounts, times and documents that look like a name are left alone. Applied to its own text it
    /// changes nothing: what is reported is what the final text says.
    pub fn normalise(&self, text: &str) -> Normalised {
        let mut normalised = self.pass(text);
        for _ in 1..PASSES {
            let next = self.pass(&normalised.text);
            if next == normalised {
                break;
            }
            normalised = next;
        }
        normalised
    }

    fn pass(&self, text: &str) -> Normalised {
        let sentence = Sentence::new(text);
        let candidates = self.matches(&sentence);
        let count = sentence.words.len();
        let mut begins = vec![false; count + 1];
        candidates.iter().for_each(|candidate| begins[candidate.start] = true);
        let mut context = Context {
            text,
            sentence: &sentence,
            guards: &self.guards,
            taken: vec![false; count + 1],
            begins,
        };
        let mut found = Vec::new();
        let mut free = 0;
        for candidate in candidates {
            if candidate.start >= free && self.fits(&context, &candidate) {
                free = candidate.end;
                context.taken[candidate.start..candidate.end].fill(true);
                found.push((candidate.start, candidate.end, Found::Named(&self.meanings[candidate.meaning])));
            }
        }
        self.codes(&mut context, &mut found);
        found.sort_by_key(|(start, ..)| *start);
        rewrite(text, &sentence, &found)
    }

    /// Every variant found, first the one that begins first, then the longest, then models before others.
    fn matches(&self, sentence: &Sentence<'_>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for variants in &self.variants {
            let line = sentence.line(variants.view);
            for index in variants.set.matches(line) {
                let variant = &variants.each[index];
                for hit in variant.regex.find_iter(line) {
                    if let Some((start, end)) = sentence.covered(variants.view, hit.start(), hit.end()) {
                        found.push(Candidate {
                            start,
                            end,
                            meaning: variant.meaning,
                            spelled: variant.spelled,
                        });
                    }
                }
            }
        }
        found.sort_by_key(|candidate| (candidate.start, usize::MAX - candidate.end, candidate.meaning));
        found
    }

    /// Whether what surrounds a candidate lets it be what it looks like.
    fn fits(&self, context: &Context<'_>, candidate: &Candidate) -> bool {
        let (start, end) = (candidate.start, candidate.end);
        let glued = |at: usize| context.word(at).is_some_and(|word| word.gap == Gap::Glued);
        let elsewhere =
            context.place_before(start) || context.place_after(start, end) || context.document_before(start);
        if glued(start) || glued(end) || elsewhere || context.screen_near(start, end) {
            return false;
        }
        if let Meaning::Ambiguous { alone: true, .. } = &self.meanings[candidate.meaning] {
            let led =
                start == 0 || (context.cue_before(start) && !context.before(start).is_some_and(Word::counts));
            return led && end == context.sentence.words.len();
        }
        !candidate.spelled || self.written(context, candidate) || spelled_fits(context, start, end)
    }

    /// Whether a model stands there by its very name, as it does after normalising.
    fn written(&self, context: &Context<'_>, candidate: &Candidate) -> bool {
        let Meaning::Model(model) = &self.meanings[candidate.meaning] else { return false };
        let words = &context.sentence.words;
        let (start, end) = (words[candidate.start].token.start, words[candidate.end - 1].token.end());
        context.text[start..end] == *model.as_str()
    }

    fn codes<'a>(&self, context: &mut Context<'_>, found: &mut Vec<(usize, usize, Found<'a>)>) {
        let mut at = 0;
        while at < context.sentence.words.len() {
            let code = if context.taken[at] { None } else { code_at(self, context, at) };
            let Some((code, end)) = code else {
                at += 1;
                continue;
            };
            context.taken[at..end].fill(true);
            found.push((at, end, Found::Code(code)));
            at = end;
        }
    }
}

/// For names made of letters and numbers: no amount, no time, no longer number.
fn spelled_fits(context: &Context<'_>, start: usize, end: usize) -> bool {
    let words = &context.sentence.words;
    let before = context.before(start).filter(|_| !context.taken[start - 1]);
    let metres =
        words[start].letter() && words[start].gap == Gap::Space && before.is_some_and(|w| w.token.figures);
    let numbered = words[start].counts();
    let hour = numbered && before.is_some_and(|word| word.is("las") || word.gap == Gap::Colon);
    let decimals = numbered && words[start].gap == Gap::Point;
    !(metres
        || hour
        || decimals
        || (numbered && tens_before(context, start))
        || context.goes_on(end)
        || context.money_after(end))
}

/// `treinta y` before a name that begins with a number: the number is another.
fn tens_before(context: &Context<'_>, start: usize) -> bool {
    let and = context.before(start).is_some_and(|word| word.is("y"));
    let at = start - usize::from(and);
    let tens =
        context.before(at).is_some_and(|word| matches!(word.number, Some(Num::Tens(_) | Num::Hundreds(_))));
    tens && !context.taken[at - 1] && context.word(at).is_some_and(|word| word.gap != Gap::Comma)
}

fn rewrite(text: &str, sentence: &Sentence<'_>, found: &[(usize, usize, Found<'_>)]) -> Normalised {
    let mut normalised = Normalised::default();
    let mut copied = 0;
    for (start, end, what) in found {
        let name = match what {
            Found::Code(code) => {
                once(&mut normalised.codes, *code);
                code.to_string()
            }
            Found::Named(Meaning::Model(model)) => {
                once(&mut normalised.models, model.clone());
                model.to_string()
            }
            Found::Named(Meaning::TextCode(name)) => {
                once(&mut normalised.text_codes, name.clone());
                name.clone()
            }
            Found::Named(Meaning::Other(name)) => {
                once(&mut normalised.others, name.clone());
                continue;
            }
            Found::Named(Meaning::Ambiguous { name, .. }) => {
                once(&mut normalised.ambiguous, name.clone());
                continue;
            }
        };
        normalised.text.push_str(&text[copied..sentence.words[*start].token.start]);
        normalised.text.push_str(&name);
        copied = sentence.words[*end - 1].token.end();
    }
    normalised.text.push_str(&text[copied..]);
    normalised
}

fn once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
