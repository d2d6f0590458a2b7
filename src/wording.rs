//! Set phrases of a talk in Spanish, and whether a text holds one: what several rooms' word lists are written in.
//!
//! A phrase is words between spaces, case and accents aside: `puede*` is any word that begins so, `..` up to
//! three words of the same clause, `^` the beginning of a clause.
use crate::tokens::{Gap, Key, plain, tokens};
use std::sync::LazyLock;

/// Words that a `..` may stand for.
const REACH: usize = 3;

/// Words looked at, the last ones: nobody asks or tells more in one breath.
const MOST: usize = 400;

/// Words with which somebody asks for something, where the recogniser writes no question mark.
static ASKING: LazyLock<Wordings> = LazyLock::new(|| {
    let phrases = "me dice, me dices, me diria, me puede, me podria, me pasa, me pasas, me da su, me da el, me da la, me repite, \
        me confirma, me cuenta, me lee, me indica, se fija si, se fija que, puede decirme, puede pasarme, puede repetir*, \
        puede fijarse, puede leerme, podria decirme, podria pasarme, podria repetir*, podria fijarse, podria leerme, \
        tiene a mano, ^ tiene el, ^ tiene la, ^ tiene su, ^ tenes, digame, deme, paseme, repitame, confirmeme, cuenteme, \
        indiqueme, leame, necesito que, necesito su, necesito el, necesito la, necesitaria, le pido, le pediria, \
        ^ cual, ^ cuales, cual es, cual seria, ^ quien, con quien, a nombre de quien, como se llama, ^ como esta, \
        ^ como se siente, ^ donde, desde cuando, ^ cuanto hace, ^ cuantos, ^ cuantas, que modelo, que marca, que equipo, \
        que codigo, que luz, que muestra, que aparece, que problema, que numero, que documento, que le pasa, que paso, \
        que ocurre, que sucede, que necesita, que dice la, es correcto, esta bien asi, es asi, necesita algo, algo mas";
    Wordings::of(phrases.split(',').map(str::trim))
});

/// Whether somebody asks for something: with a question mark, or by the words.
pub(crate) fn asks(text: &str) -> bool {
    text.contains(['?', '¿']) || ASKING.found_in(&Said::of(text))
}

/// A text as phrases are looked for in it.
pub(crate) struct Said(Vec<(Key, bool)>);

impl Said {
    /// Reads a text.
    pub(crate) fn of(text: &str) -> Self {
        let parted = |gap| matches!(gap, Gap::Start | Gap::Break | Gap::Comma);
        let mut words: Vec<(Key, bool)> =
            tokens(text).map(|token| (plain(token.text), parted(token.gap))).collect();
        let over = words.len().saturating_sub(MOST);
        words.drain(..over);
        Self(words)
    }
}

#[derive(Clone, Debug)]
enum Part {
    Word(Key),
    Stem(Key),
    Gap,
    Opening,
}

/// One phrase.
#[derive(Clone, Debug)]
pub(crate) struct Wording(Vec<Part>);

impl Wording {
    fn of(phrase: &str) -> Self {
        let part = |item: &str| match item {
            ".." => Part::Gap,
            "^" => Part::Opening,
            word => {
                word.strip_suffix('*').map_or_else(|| Part::Word(plain(word)), |stem| Part::Stem(plain(stem)))
            }
        };
        Self(phrase.split_whitespace().map(part).collect())
    }

    fn found_in(&self, said: &Said) -> bool {
        !self.0.is_empty() && (0..said.0.len()).any(|at| fits(&self.0, &said.0, at))
    }

    /// Where it ends in `said` (the word behind it), if it is there.
    fn end_in(&self, said: &Said) -> Option<usize> {
        (0..said.0.len()).find(|at| fits(&self.0, &said.0, *at)).map(|at| at + self.length())
    }

    fn length(&self) -> usize {
        self.0.iter().filter(|part| matches!(part, Part::Word(_) | Part::Stem(_))).count()
    }
}

/// Whether `parts` are said from word `at` on.
fn fits(parts: &[Part], words: &[(Key, bool)], at: usize) -> bool {
    let Some((part, rest)) = parts.split_first() else { return true };
    let here = words.get(at).map(|(word, parted)| (word.as_str(), *parted));
    match part {
        Part::Opening => here.is_some_and(|(_, parted)| parted) && fits(rest, words, at),
        Part::Word(wanted) => {
            here.is_some_and(|(word, _)| word == wanted.as_str()) && fits(rest, words, at + 1)
        }
        Part::Stem(wanted) => {
            here.is_some_and(|(word, _)| word.starts_with(wanted.as_str())) && fits(rest, words, at + 1)
        }
        Part::Gap => {
            let same_clause = |skipped: &usize| {
                words.get(at..at + skipped).is_some_and(|words| words.iter().all(|(_, parted)| !parted))
            };
            (0..=REACH).take_while(same_clause).any(|skipped| fits(rest, words, at + skipped))
        }
    }
}

/// Several phrases, any of which will do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wordings(Vec<Wording>);

impl Wordings {
    /// Reads phrases.
    pub(crate) fn of<'a>(phrases: impl IntoIterator<Item = &'a str>) -> Self {
        Self(phrases.into_iter().map(Wording::of).collect())
    }

    /// Whether one of them is said.
    pub(crate) fn found_in(&self, said: &Said) -> bool {
        self.0.iter().any(|wording| wording.found_in(said))
    }

    /// The word behind the first of them that is said (none of them may hold a `..`).
    pub(crate) fn end_in(&self, said: &Said) -> Option<usize> {
        self.0.iter().find_map(|wording| wording.end_in(said))
    }
}
