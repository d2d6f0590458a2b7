//! The gate's word list, read once and looked up by word.
use super::verbs::{Form, Forms, Mood, conjugate};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What kind of verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerbKind {
    /// Done to equipment, or by it.
    Action,
    /// To look at something.
    Check,
    /// Of the call itself.
    Talk,
    /// Auxiliary or copula.
    Light,
}

/// What kind of word, verbs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Part,
    Generic,
    Stuff,
    Measure,
    Claim,
    Health,
    Adjective,
    Colour,
    State,
    /// A participle as an adjective.
    Done,
    /// A free word that matters beside a claim.
    Weighty,
    /// Letters and figures mixed, or a letter by itself.
    Name,
    /// Nobody knows.
    Unknown,
}

/// Irregular forms of one verb.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Irregular {
    imper: String,
    pres: String,
    first: String,
    past: String,
    inf: String,
    ger: String,
    pp: String,
}

impl Irregular {
    pub(super) fn listed(&self) -> [(&str, Mood); 7] {
        [
            (&self.imper, Mood::Imperative),
            (&self.pres, Mood::Present),
            (&self.first, Mood::First),
            (&self.past, Mood::Past),
            (&self.inf, Mood::Infinitive),
            (&self.ger, Mood::Gerund),
            (&self.pp, Mood::Participle),
        ]
    }

    pub(super) fn replaces(&self, mood: Mood) -> bool {
        self.listed().iter().any(|(forms, listed)| *listed == mood && !forms.is_empty())
    }
}

type Section = HashMap<String, String>;

#[derive(Deserialize)]
struct Source {
    verbs: Section,
    irregular: HashMap<String, Irregular>,
    same: HashMap<String, Vec<String>>,
    nouns: Section,
    adjectives: Section,
    lights: Section,
    units: Section,
    frequencies: Section,
    free: Section,
    foreign: Section,
    brands: Section,
}

/// A verb: its name (that of its synonyms' first) and kind.
#[derive(Clone, Debug)]
pub(super) struct VerbEntry {
    pub(super) lemma: String,
    pub(super) kind: VerbKind,
    pub(super) weak: bool,
}

/// What a unit measures and what one is worth, in seconds or in thousandths.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) dimension: String,
    pub(super) worth: i64,
}

/// All that is known of words.
pub(super) struct Lexicon {
    pub(super) verbs: Vec<VerbEntry>,
    pub(super) forms: Forms,
    nouns: HashMap<String, (String, Kind)>,
    adjectives: HashMap<String, (String, Kind)>,
    same: HashMap<String, String>,
    pub(super) units: HashMap<String, Unit>,
    pub(super) frequencies: HashMap<String, i64>,
    pub(super) free: HashMap<&'static str, HashSet<String>>,
    claims: HashSet<String>,
    pub(super) foreign: HashSet<String>,
    pub(super) brands: HashSet<String>,
}

/// The word list that is shipped.
pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
        let source: Source = toml::from_str(include_str!("words.toml")).unwrap_or_else(|error| {
            // Every test of this module reads it; a build whose own data is broken must not start.
            unreachable!("src/support/words.toml: {error}")
        });
        Lexicon::new(&source)
    });
    &LEXICON
}

/// Singular, as far as spelling tells: `luces` luz, `vasitos` vaso, `cables` cabl.
pub(super) fn stem(word: &str) -> String {
    let mut stem = word;
    if stem.len() > 8 {
        stem = stem.strip_suffix("mente").unwrap_or(stem);
    }
    if stem.len() > 3 && stem.ends_with('s') && !stem.ends_with("is") {
        stem = &stem[..stem.len() - 1];
    }
    if stem.len() > 6 {
        for end in ["ecito", "ecita", "cito", "cita"] {
            if let Some(root) = stem.strip_suffix(end).filter(|root| root.len() >= 3 && !root.ends_with("ne"))
            {
                return self::stem(&format!("{root}{}", if end.starts_with('e') { "e" } else { "" }));
            }
        }
        for (end, vowel) in [("ito", "o"), ("ita", "a")] {
            if let Some(root) = stem.strip_suffix(end).filter(|root| !root.ends_with(['u', 'c', 'r'])) {
                return format!("{root}{vowel}");
            }
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem = &stem[..stem.len() - 1];
    }
    match stem.strip_suffix('c') {
        Some(root) => format!("{root}z"),
        None => stem.to_owned(),
    }
}

/// The masculine of an adjective's stem.
pub(super) fn masculine(stem: &str) -> String {
    stem.strip_suffix('a').map_or_else(|| stem.to_owned(), |root| format!("{root}o"))
}

fn listed<'a>(section: &'a Section, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    section.get(name).map(String::as_str).unwrap_or_default().split_whitespace()
}

fn groups(groups: Option<&Vec<String>>, fold: impl Fn(&str) -> String) -> HashMap<String, String> {
    let mut same = HashMap::new();
    for group in groups.into_iter().flatten() {
        let Some(first) = group.split_whitespace().next() else { continue };
        for word in group.split_whitespace() {
            same.insert(fold(word), fold(first));
        }
    }
    same
}

impl Lexicon {
    fn new(source: &Source) -> Self {
        let same = groups(source.same.get("words"), |word| masculine(&stem(word)));
        let (verbs, forms) = verbs(source);
        let mut lexicon = Lexicon {
            verbs,
            forms,
            nouns: HashMap::new(),
            adjectives: HashMap::new(),
            same,
            units: HashMap::new(),
            frequencies: HashMap::new(),
            free: HashMap::new(),
            claims: listed(&source.adjectives, "claims").map(|word| masculine(&stem(word))).collect(),
            foreign: listed(&source.foreign, "words").map(str::to_owned).collect(),
            brands: listed(&source.brands, "words").map(str::to_owned).collect(),
        };
        lexicon.add_nouns(source);
        lexicon.add_measures(source);
        for name in ["grammar", "talk", "weighty", "countable", "labels", "leads", "fillers"] {
            let set = listed(&source.free, name).map(str::to_owned).collect();
            lexicon.free.insert(name, set);
        }
        lexicon
    }

    fn add_nouns(&mut self, source: &Source) {
        let kinds = [
            ("health", Kind::Health),
            ("claim", Kind::Claim),
            ("measure", Kind::Measure),
            ("stuff", Kind::Stuff),
            ("generic", Kind::Generic),
            ("part", Kind::Part),
        ];
        for (name, kind) in kinds {
            for word in listed(&source.nouns, name) {
                self.nouns.insert(stem(word), (self.canonical(&stem(word)), kind));
            }
        }
        for word in listed(&source.adjectives, "tech") {
            let stem = masculine(&stem(word));
            self.adjectives.insert(stem.clone(), (self.canonical(&stem), Kind::Adjective));
        }
        for (name, kind) in [("states", Kind::State), ("colours", Kind::Colour)] {
            for entry in listed(&source.lights, name) {
                let (word, meaning) = entry.split_once(':').unwrap_or((entry, entry));
                let class = if meaning.ends_with('r') && kind == Kind::State {
                    format!("{meaning}#")
                } else {
                    masculine(&stem(meaning))
                };
                self.adjectives.insert(masculine(&stem(word)), (class, kind));
            }
        }
    }

    fn add_measures(&mut self, source: &Source) {
        for (word, value) in &source.units {
            let (dimension, worth) = value.split_once(' ').unwrap_or((value, "1"));
            let unit = Unit { dimension: dimension.to_owned(), worth: worth.parse().unwrap_or(1) };
            self.units.insert(stem(word), unit);
        }
        for (word, seconds) in &source.frequencies {
            self.frequencies.insert(masculine(&stem(word)), seconds.parse().unwrap_or(0));
        }
    }

    /// The name that stands for a stem and its synonyms.
    pub(super) fn canonical(&self, stem: &str) -> String {
        let masculine = masculine(stem);
        self.same.get(&masculine).cloned().unwrap_or_else(|| stem.to_owned())
    }

    /// A noun or adjective of the trade.
    pub(super) fn term(&self, word: &str) -> Option<(String, Kind)> {
        let stem = stem(word);
        self.noun(word).or_else(|| self.adjectives.get(&masculine(&stem)).cloned())
    }

    /// A noun of the trade.
    pub(super) fn noun(&self, word: &str) -> Option<(String, Kind)> {
        self.nouns.get(&stem(word)).cloned()
    }

    /// An adjective, colour or state.
    pub(super) fn adjective(&self, word: &str) -> Option<(String, Kind)> {
        self.adjectives.get(&masculine(&stem(word))).cloned()
    }

    /// Whether a list of free words holds `word`.
    pub(super) fn is_free(&self, list: &str, word: &str) -> bool {
        self.free.get(list).is_some_and(|words| words.contains(word))
    }

    /// Whether a word of the trade begins so.
    pub(super) fn begins_term(&self, start: &str) -> bool {
        let actions = |found: &[(usize, Mood)]| {
            found.iter().any(|(verb, _)| self.verbs[*verb].kind == VerbKind::Action)
        };
        self.nouns.keys().chain(self.adjectives.keys()).any(|word| word.starts_with(start))
            || self.forms.iter().any(|(form, found)| form.starts_with(start) && actions(found))
    }

    /// A unit of measure.
    pub(super) fn unit(&self, word: &str) -> Option<&Unit> {
        self.units.get(&stem(word)).or_else(|| self.units.get(word))
    }

    /// Whether an adjective's class is a claim by itself.
    pub(super) fn weighs(&self, class: &str) -> bool {
        self.claims.contains(class)
    }

    /// A verb's form, its pronouns cut off: what it is of, and the pronouns.
    pub(super) fn verb<'a>(&self, word: &'a str) -> Option<(&[Form], Vec<&'a str>)> {
        if let Some(found) = self.forms.get(word) {
            return Some((found, Vec::new()));
        }
        let (mut base, mut pronouns) = (word, Vec::new());
        for _ in 0..2 {
            let ends = ["los", "las", "les", "nos", "lo", "la", "le", "me", "te", "se"];
            let end = ends.iter().find(|end| base.len() > end.len() + 2 && base.ends_with(**end))?;
            let cut = base.len() - end.len();
            pronouns.push(&base[cut..]);
            base = &base[..cut];
            if let Some(found) = self.forms.get(base) {
                let takes = |mood: &Mood| {
                    matches!(
                        mood,
                        Mood::Imperative | Mood::Present | Mood::Infinitive | Mood::Gerund | Mood::First
                    )
                };
                if found.iter().any(|(_, mood)| takes(mood)) {
                    return Some((found, pronouns));
                }
            }
        }
        None
    }
}

fn verbs(source: &Source) -> (Vec<VerbEntry>, Forms) {
    let same = groups(source.same.get("verbs"), str::to_owned);
    let weak: HashSet<&str> = listed(&source.verbs, "weak").collect();
    let (mut verbs, mut forms, mut seen) = (Vec::new(), Forms::new(), HashSet::new());
    let kinds = [
        ("check", VerbKind::Check),
        ("light", VerbKind::Light),
        ("talk", VerbKind::Talk),
        ("action", VerbKind::Action),
    ];
    for (name, kind) in kinds {
        for entry in listed(&source.verbs, name) {
            let infinitive = entry.split(':').next().unwrap_or(entry);
            if !seen.insert(infinitive) {
                continue;
            }
            conjugate(&mut forms, entry, verbs.len(), source.irregular.get(infinitive));
            let lemma = same.get(infinitive).cloned().unwrap_or_else(|| infinitive.to_owned());
            verbs.push(VerbEntry { lemma, kind, weak: weak.contains(infinitive) });
        }
    }
    (verbs, forms)
}
