//! What each word of a sentence is, in its place.
use super::fold::Word;
use super::lexicon::{Kind, Lexicon, VerbEntry, VerbKind, stem};
use super::verbs::Mood;
use crate::equipment::Code;
use crate::tokens::Gap;

/// A verb as it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verb {
    pub(super) lemma: String,
    pub(super) kind: VerbKind,
    /// Ordinary where nothing of the trade is spoken of.
    pub(super) weak: bool,
    pub(super) mood: Mood,
    /// Pronouns behind it.
    pub(super) pronouns: Vec<String>,
    /// A verb that the word list lacks.
    pub(super) unknown: bool,
}

/// What a word is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sense {
    Free,
    Verb(Verb),
    Term(String, Kind),
    /// Can't be read: another script.
    Opaque,
}

#[rustfmt::skip]
const ARTICLES: [&str; 62] = [
    "el", "un", "una", "unos", "unas", "su", "sus", "mi", "tu", "del", "al", "ese", "esa", "esta", "este",
    "otro", "otra", "cada", "de", "por", "sin", "con", "en", "ningun", "ninguna", "algun", "alguna",
    "cualquier", "primer", "ultima", "poca", "mucha", "misma", "segun", "otras", "otros", "esas", "esos",
    "estas", "estos", "todas", "todos", "varias", "varios", "algunas", "algunos", "muchas", "muchos",
    "pocas", "pocos", "demas", "ambas", "ambos", "mis", "tus", "poco", "mucho", "mas", "menos", "primera",
    "segunda", "tercera",
];
const PRONOUNS: [&str; 9] = ["no", "ni", "se", "me", "te", "le", "nos", "les", "ya"];

/// Reads the words one by one.
pub(super) struct Senses<'a> {
    pub(super) words: &'a [Word],
    pub(super) lexicon: &'a Lexicon,
}

impl Senses<'_> {
    pub(super) fn at(&self, at: usize) -> Sense {
        let Some(word) = self.words.get(at) else { return Sense::Free };
        if !word.readable() {
            return Sense::Opaque;
        }
        if let Some(name) = self.name(at) {
            return name;
        }
        if word.figures {
            return Sense::Free;
        }
        let text = word.text.as_str();
        // 'Hace falta' is one verb.
        let made = at > 0 && self.words[at - 1].is(&["hace", "hacen", "haga", "hacia", "haria"]);
        if word.is(&["este", "esta", "estas"]) && !self.copula(at)
            || made && word.is(&["falta"])
            || word.is(&["nuevo"]) && at > 0 && self.words[at - 1].is(&["de"])
            || word.is(&["senal", "senales"])
            || self.elapsed(at)
            || self.of_people(at)
            || self.of_the_office(at)
            || self.mourned(at)
        {
            return Sense::Free;
        }
        if text == "de" && word.accent > 0 {
            return Sense::Verb(Verb {
                lemma: "dar".to_owned(),
                kind: VerbKind::Light,
                weak: false,
                mood: Mood::Imperative,
                pronouns: Vec::new(),
                unknown: false,
            });
        }
        if self.is_low(at) {
            return Sense::Term("bajo".to_owned(), Kind::Adjective);
        }
        if self.lexicon.is_free("grammar", text) && !self.verb_after_all(at) {
            return self.weighed(text);
        }
        if let Some(forced) = self.forced(at) {
            return forced;
        }
        let noun = self.lexicon.term(text);
        if let Some((class, kind)) = &noun
            && (self.nominal(at) || self.lexicon.verb(text).is_none() || self.noun_first(at))
        {
            return Sense::Term(class.clone(), *kind);
        }
        if self.lexicon.is_free("talk", text) && (self.nominal(at) || self.lexicon.verb(text).is_none()) {
            return self.weighed(text);
        }
        if let Some(sense) = self.verb(at, noun.is_some()) {
            return sense;
        }
        if let Some((class, kind)) = noun {
            return Sense::Term(class, kind);
        }
        self.unknown(at)
    }

    fn weighed(&self, text: &str) -> Sense {
        if self.lexicon.is_free("weighty", text) {
            Sense::Term(self.lexicon.canonical(&stem(text)), Kind::Weighty)
        } else {
            Sense::Free
        }
    }

    /// 'está' and not 'esta luz'.
    fn copula(&self, at: usize) -> bool {
        let word = &self.words[at];
        let next = self.words.get(at + 1).filter(|next| !next.breaks());
        let noun = next.is_some_and(|next| {
            self.lexicon.noun(&next.text).is_some() || self.lexicon.is_free("talk", &next.text)
        });
        word.accent > 0 || (word.is(&["esta"]) && next.is_some() && !noun)
    }

    /// Grammar words that are verbs here: 'no para', 'se sobre'.
    fn verb_after_all(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.words.get(before));
        self.words[at].is(&["para"]) && before.is_some_and(|word| word.is(&["no", "se"]))
    }

    /// `H08`, `O2`, 'posición O': letters and figures in one piece, or a letter by itself.
    fn name(&self, at: usize) -> Option<Sense> {
        let word = &self.words[at];
        let glued = |word: &Word| word.gap == Gap::Glued;
        let next = self.words.get(at + 1).filter(|next| glued(next));
        if glued(word) && at > 0 {
            // The rest of a name; a unit behind its figure is the quantity's.
            return Some(Sense::Free);
        }
        if let Some(next) = next {
            let unit = word.figures && self.lexicon.unit(&next.text).is_some();
            let hours = next.figures && word.figures;
            if !unit && !hours {
                let run = self.words[at + 1..].iter().take_while(|word| glued(word));
                let name: String = std::iter::once(word).chain(run).map(|word| word.text.as_str()).collect();
                let name = Code::parse(&name).map_or(name, |code| code.to_string());
                return Some(Sense::Term(name, Kind::Name));
            }
        }
        let letter = word.text.len() == 1 && !word.figures && !word.is(&["a", "e", "y", "u"]);
        let placed = at > 0 && self.words[at - 1].is(&["posicion", "letra", "punto", "en", "tipo"]);
        let plain_o = word.is(&["o"]) && !(placed && (word.capital || self.words[at - 1].is(&["posicion"])));
        (letter && !plain_o && !word.is(&["l", "h", "m"])).then(|| Sense::Term(word.text.clone(), Kind::Name))
    }

    /// Whether an article or the like makes a noun of what may be a verb.
    fn nominal(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|before| self.words.get(before)) else { return false };
        let word = &self.words[at];
        if word.breaks() {
            return false;
        }
        // 'Él llame'
        if before.is(&["el"]) && before.accent > 0 {
            return false;
        }
        if before.is(&["la", "los", "las"]) {
            return !(at >= 2 && self.words[at - 2].is(&PRONOUNS));
        }
        if before.is(&["esta", "este"]) && before.accent > 0 {
            return true;
        }
        if before.is(&ARTICLES) {
            return true;
        }
        // 'concentración baja', 'hace ruido', 'tiene carga'
        let adjective = self.lexicon.adjective(&word.text).is_some();
        let noun_before = self.lexicon.term(&before.text).is_some() && !before.is(&["aguja"]);
        let copula = before.is(&[
            "muy", "esta", "estan", "sea", "es", "queda", "mas", "quedo", "este", "son", "tan", "hay",
            "tiene", "hace", "hizo", "va", "van", "quedan", "vayan", "vaya",
        ]);
        let verbal = before.is(&["que", "no", "se", "si", "lo", "ya", "le", "y", "o", "ni", "me", "te"]);
        let stressed = word.accent > 0 && self.lexicon.verb(&word.text).is_some();
        let state = self.lexicon.adjective(&word.text).is_some_and(|(_, kind)| kind == Kind::State);
        if state && !before.is(&["que", "no", "se", "lo", "me", "te", "ni"]) && word.accent == 0 {
            return true;
        }
        if adjective && !verbal && !stressed && (noun_before || copula || self.unlisted(at - 1)) {
            return true;
        }
        let has = ["hay", "tiene", "tenga", "hace", "hacen", "tienen", "hizo", "falta", "y"];
        before.is(&has)
            && self.lexicon.noun(&word.text).is_some()
            && word.accent != 1
            && !self.imperative_only(at)
    }

    /// A word that nothing is known of: an adjective, mostly, where an adjective follows.
    fn unlisted(&self, at: usize) -> bool {
        let text = &self.words[at].text;
        let listed = self.lexicon.verb(text).is_some() || self.lexicon.is_free("grammar", text);
        !listed && self.lexicon.term(text).is_none()
    }

    /// After 'y' a form like 'ajuste' is an imperative, one like 'carga' a noun.
    fn imperative_only(&self, at: usize) -> bool {
        let Some((found, _)) = self.lexicon.verb(&self.words[at].text) else { return false };
        self.words[at - 1].is(&["y"]) && found.iter().any(|(_, mood)| *mood == Mood::Imperative)
    }

    /// A noun that only looks like 'I do': `oxígeno`, `filtro`; or one that goes on with 'de': 'corte de luz'.
    fn noun_first(&self, at: usize) -> bool {
        let word = &self.words[at];
        let Some((found, pronouns)) = self.lexicon.verb(&word.text) else { return true };
        let mood = self.mood(at, found.iter().map(|(_, mood)| *mood), &pronouns);
        let me = ["yo", "lo", "la", "los", "las", "le", "les", "se", "te", "me"];
        let told =
            at > 0 && (self.words[at - 1].is(&me) || self.words[at - 1].is(&["no"]) && word.is(&["corto"]));
        let of = self.words.get(at + 1).is_some_and(|next| next.is(&["de", "del"]) && !next.breaks());
        let finite = matches!(mood, Mood::Imperative | Mood::Present) && word.accent != 1;
        let noun = self.lexicon.noun(&word.text).is_some();
        noun && !told && pronouns.is_empty() && (mood == Mood::First || of && finite)
    }

    fn verb(&self, at: usize, noun: bool) -> Option<Sense> {
        let word = &self.words[at];
        let (found, pronouns) = self.lexicon.verb(&word.text)?;
        let mood = self.mood(at, found.iter().map(|(_, mood)| *mood), &pronouns);
        let finite = matches!(mood, Mood::Imperative | Mood::Present | Mood::First);
        let article =
            at > 0 && self.words[at - 1].is(&ARTICLES) && !self.words[at - 1].is(&["en", "por", "cada"]);
        let before = |back: usize, list: &[&str]| at >= back && self.words[at - back].is(list);
        let led = before(1, &["la", "los", "las"])
            && before(2, &["a", "de", "en", "con", "por", "para", "sin", "sobre", "hasta", "segun"]);
        let he = at > 0 && self.words[at - 1].is(&["el"]) && self.words[at - 1].accent > 0;
        let article = (article || led) && !he;
        if finite && article && pronouns.is_empty() && !word.breaks() && word.accent != 1 {
            return Some(Sense::Term(self.lexicon.canonical(&stem(&word.text)), Kind::Unknown));
        }
        let (index, _) = found.iter().find(|(_, m)| *m == mood).or_else(|| found.first())?;
        let entry: &VerbEntry = &self.lexicon.verbs[*index];
        let perfect = at > 0
            && self.words[at - 1]
                .is(&["ha", "he", "han", "hemos", "has", "haya", "habia", "hubiera", "haber"]);
        if mood == Mood::Participle && !perfect {
            return match entry.kind {
                VerbKind::Talk | VerbKind::Light if !noun => Some(Sense::Free),
                _ => Some(Sense::Term(format!("{}#", entry.lemma), Kind::Done)),
            };
        }
        Some(Sense::Verb(Verb {
            lemma: entry.lemma.clone(),
            kind: entry.kind,
            weak: entry.weak,
            mood: if perfect { Mood::Past } else { mood },
            pronouns: pronouns.into_iter().map(str::to_owned).collect(),
            unknown: false,
        }))
    }

    /// The mood that accent, pronouns and neighbours leave.
    fn mood(&self, at: usize, moods: impl Iterator<Item = Mood> + Clone, pronouns: &[&str]) -> Mood {
        let word = &self.words[at];
        let may = |mood: Mood| moods.clone().any(|m| m == mood);
        let before = at.checked_sub(1).map(|before| &self.words[before]);
        if word.stressed_last() && !word.is(&["esta"]) {
            return match word.text.chars().next_back() {
                Some('o') if may(Mood::Past) => Mood::Past,
                Some('e') if may(Mood::First) && !may(Mood::Present) => Mood::First,
                Some('a' | 'e' | 'i') if may(Mood::Present) => Mood::Imperative,
                _ => moods.clone().next().unwrap_or(Mood::Past),
            };
        }
        if !pronouns.is_empty() && may(Mood::Present) && !may(Mood::Imperative) {
            return Mood::Imperative;
        }
        if may(Mood::First) && may(Mood::Past) && before.is_some_and(|word| word.is(&["se"])) {
            return Mood::Past;
        }
        let order = [
            Mood::Imperative,
            Mood::Present,
            Mood::Infinitive,
            Mood::Gerund,
            Mood::Participle,
            Mood::First,
            Mood::Past,
        ];
        order.into_iter().find(|mood| may(*mood)).unwrap_or(Mood::Past)
    }

    fn unknown(&self, at: usize) -> Sense {
        let word = &self.words[at];
        let text = word.text.as_str();
        let mood = self.unknown_verb(at);
        match mood {
            Some(mood) => Sense::Verb(Verb {
                lemma: stem(text),
                kind: VerbKind::Action,
                weak: false,
                mood,
                pronouns: vec!["lo".to_owned()],
                unknown: true,
            }),
            None => Sense::Term(self.lexicon.canonical(&stem(text)), Kind::Unknown),
        }
    }

    /// Whether an unknown word has the look of a verb: `sumérjalo`, `lijarla`, 'Lije la…'.
    fn unknown_verb(&self, at: usize) -> Option<Mood> {
        let word = &self.words[at];
        let ends = ["los", "las", "les", "nos", "lo", "la", "le", "me", "se"];
        let base = ends.iter().find_map(|end| word.text.strip_suffix(end)).filter(|base| base.len() >= 3);
        if let Some(base) = base {
            if base.ends_with("ar") || base.ends_with("er") || base.ends_with("ir") {
                return Some(Mood::Infinitive);
            }
            if word.accent >= 4 && base.ends_with(['a', 'e', 'n']) {
                return Some(Mood::Imperative);
            }
            if base.ends_with("ndo") {
                return Some(Mood::Gerund);
            }
        }
        let first = word.breaks()
            || self.words[at.saturating_sub(1)]
                .is(&["y", "no", "ni", "luego", "despues", "entonces", "primero", "ahora"]);
        let article = self.words.get(at + 1).is_some_and(|next| {
            !next.breaks()
                && next.is(&[
                    "el", "la", "los", "las", "un", "una", "con", "bien", "todo", "su", "en", "al", "unas",
                    "unos", "a", "por",
                ])
        });
        let shaped = word.text.len() >= 4
            && (word.text.ends_with(['e', 'a']) || word.text.ends_with("en") || word.text.ends_with("an"));
        if first && article && shaped {
            return Some(Mood::Imperative);
        }
        let led = at > 0
            && self.words[at - 1].is(&[
                "que",
                "puede",
                "debe",
                "conviene",
                "hay",
                "para",
                "recomiendo",
                "mejor",
                "podria",
            ]);
        let infinitive = word.text.len() > 4 && ["ar", "er", "ir"].iter().any(|end| word.text.ends_with(end));
        (led && infinitive).then_some(Mood::Infinitive)
    }
}
