//! The walk through a sentence, word by word: what is denied, told and supposed as it goes.
use super::fold::Word;
use super::lexicon::{Kind, Lexicon, VerbKind};
use super::quantities::{Measure, Quantity, quantities};
use super::reading::{Polarity, Predicate, Reading, Term};
use super::senses::{Sense, Senses, Verb};
use super::verbs::Mood;

/// Reads the words between two marks.
pub(super) fn part(words: Vec<Word>, lexicon: &Lexicon) -> Reading {
    let quantities = quantities(&words, lexicon);
    let reader = Senses { words: &words, lexicon };
    let senses: Vec<Sense> = (0..words.len()).map(|at| reader.at(at)).collect();
    let walk = Walk {
        words: &words,
        lexicon,
        senses: &senses,
        quantities: &quantities,
        denied: false,
        needless: false,
        directive: false,
        sin: false,
        copula_denied: false,
        shaded: false,
        conditional: false,
        reading: Reading::default(),
    };
    let mut reading = walk.run();
    (reading.quantities, reading.words) = (quantities, words);
    reading
}

/// Whether it is in another language, as far as a few words tell.
pub(super) fn foreign(words: &[Word], lexicon: &Lexicon) -> bool {
    let other = |word: &&Word| lexicon.foreign.contains(&word.text) && lexicon.verb(&word.text).is_none();
    words.iter().filter(other).count() >= 2
}

pub(super) fn word_breaks(words: &[Word], from: usize, to: usize) -> bool {
    words.get(from + 1..=to).is_some_and(|words| words.iter().any(Word::breaks))
}

pub(super) struct Walk<'a> {
    pub(super) words: &'a [Word],
    lexicon: &'a Lexicon,
    pub(super) senses: &'a [Sense],
    quantities: &'a [Quantity],
    denied: bool,
    needless: bool,
    directive: bool,
    /// Behind 'sin' or 'ni': what follows is denied, noun or verb.
    sin: bool,
    copula_denied: bool,
    shaded: bool,
    pub(super) conditional: bool,
    pub(super) reading: Reading,
}

impl Walk<'_> {
    fn run(mut self) -> Reading {
        let words = self.words;
        let mut at = 0;
        while at < words.len() {
            if words[at].breaks() {
                (self.denied, self.needless, self.directive, self.copula_denied) =
                    (false, false, false, false);
                (self.sin, self.shaded) = (false, false);
                self.conditional = false;
            }
            let inside = self.quantities.iter().find(|q| (q.at..q.end).contains(&at));
            if let Some(quantity) = inside {
                at = quantity.end;
                if !matches!(quantity.measure, Measure::Count(_)) {
                    self.sin = false;
                }
                continue;
            }
            if !self.negator(at) {
                self.word(at);
            }
            at += 1;
        }
        self.reading
    }

    pub(super) fn is(&self, at: usize, list: &[&str]) -> bool {
        self.words.get(at).is_some_and(|word| word.is(list))
    }

    pub(super) fn sense(&self, at: usize) -> &Sense {
        self.senses.get(at).unwrap_or(&Sense::Free)
    }

    pub(super) fn breaks(&self, at: usize) -> bool {
        self.words.get(at).is_none_or(Word::breaks)
    }

    /// Words that deny, and words that end what is denied.
    fn negator(&mut self, at: usize) -> bool {
        let word = &self.words[at];
        let limit = self.is(at + 1, &["mas", "menos", "solo", "solamente"]);
        match word.text.as_str() {
            "no" => {
                if !self.breaks(at + 1) && !limit {
                    self.denied = !self.denied;
                }
            }
            "ni" if !limit => (self.denied, self.sin) = (true, true),
            "nunca" | "jamas" | "tampoco" | "nadie" if !self.denied && !self.shaded => {
                self.denied = !self.breaks(at + 1) || word.is(&["nunca"]);
                self.sin |= self.is(at + 1, &["de", "con", "en", "a"]);
            }
            "nada" => {
                if self.is(at + 1, &["de"]) {
                    self.sin = true;
                } else if !self.is(at + 1, &["mas"]) && !self.denied && !self.shaded && !self.sin {
                    self.denied = true;
                }
            }
            "ningun" | "ninguna" | "ninguno" => {
                self.denied |=
                    !self.denied && !self.shaded && !self.sin && self.reading.predicates.is_empty();
                self.sin = true;
            }
            "sin" => {
                self.denied = self.is(at + 1, &["que"]) || self.infinitive_next(at);
                self.sin = true;
            }
            "vez" | "lugar" if at > 0 && self.is(at - 1, &["en"]) && self.is(at + 1, &["de"]) => {
                let noun = (at + 2..at + 4).find(|next| matches!(self.sense(*next), Sense::Term(..)));
                if noun.is_some() && !self.infinitive_next(at + 1) {
                    self.sin = true
                } else {
                    self.denied = true
                }
            }
            "si" if word.accent == 0 && !self.breaks(at + 1) => self.conditional |= !self.asks(at),
            "cuando" | "aunque" | "mientras" | "apenas"
                if !word.is(&["mientras"]) || !self.is(at + 1, &["tanto"]) =>
            {
                self.conditional = true;
            }
            "con" | "en" | "y" | "o" | "pero" | "hasta" | "desde" | "para" => {
                self.sin = false;
                self.shaded &= !word.is(&["y", "pero"]);
                return false;
            }
            _ => return false,
        }
        true
    }

    fn word(&mut self, at: usize) {
        match self.sense(at).clone() {
            Sense::Free => {}
            Sense::Opaque => self.reading.obscure = true,
            Sense::Term(class, kind) => self.term(at, class, kind),
            Sense::Verb(verb) => self.verb(at, verb),
        }
    }

    fn term(&mut self, at: usize, class: String, kind: Kind) {
        if kind == Kind::Claim && class == "necesario"
            || self.is(at, &["necesario", "preciso", "indispensable", "obligatorio", "falta"])
                && (self.copula_denied || self.denied)
        {
            (self.needless, self.denied, self.copula_denied) = (true, false, false);
        }
        // 'No encienda luces ni aparatos y salga': the 'ni' was the noun's.
        let lead = (at.saturating_sub(3)..at).rev().take_while(|word| !self.words[*word].breaks());
        let mut lead = lead
            .skip_while(|word| self.is(*word, &["el", "la", "los", "las", "un", "una", "su", "en", "con"]));
        if lead.next().is_some_and(|word| self.is(word, &["ni"])) {
            self.denied = false;
        }
        self.sin &= !self.another(at);
        let right_behind = self.denied && self.is(at.wrapping_sub(1), &["no"]);
        self.denied &= !right_behind;
        let denied = self.sin || self.copula_denied || right_behind;
        self.copula_denied = false;
        self.reading.terms.push(Term { class, kind, denied, shaded: self.shaded, at });
    }

    /// Whether the verb at `at` only introduces the next one.
    fn introduces(&self, at: usize, verb: &Verb) -> bool {
        if verb.kind != VerbKind::Light && !self.lexicon.is_free("leads", &verb.lemma) {
            return false;
        }
        for next in at + 1..at + 6 {
            if self.breaks(next) || self.quantities.iter().any(|q| (q.at..q.end).contains(&next)) {
                return false;
            }
            match self.sense(next) {
                Sense::Verb(other) => {
                    let that = (at..next).any(|between| self.is(between, &["que"]));
                    let wishes = verb.kind == VerbKind::Light && verb.lemma != "ser" && verb.lemma != "estar";
                    return match other.mood {
                        Mood::Infinitive | Mood::Gerund => true,
                        Mood::Imperative => that && wishes,
                        _ => false,
                    };
                }
                Sense::Term(..) if self.is(next, &["falta", "necesario"]) => {}
                Sense::Free | Sense::Term(_, Kind::Weighty) if self.fills(next) => {}
                _ => return false,
            }
        }
        false
    }

    /// Whether a word may stand between an auxiliary and its verb.
    fn fills(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| self.lexicon.is_free("fillers", &word.text))
    }

    fn verb(&mut self, at: usize, verb: Verb) {
        self.copula_denied = false;
        let needed = verb.lemma == "hacer" && self.is(at + 1, &["falta"])
            || matches!(verb.lemma.as_str(), "necesitar" | "requerir");
        if self.introduces(at, &verb) {
            if self.denied && (needed || self.is(at + 1, &["necesario", "preciso", "obligatorio"])) {
                (self.denied, self.needless) = (false, true);
            }
            match verb.lemma.as_str() {
                "dejar" if self.is(at + 1, &["de"]) => self.denied = !self.denied,
                "evitar" | "olvidar" | "prohibir" => self.denied = !self.denied,
                _ => {}
            }
            let tells = !matches!(
                verb.lemma.as_str(),
                "estar"
                    | "soler"
                    | "lograr"
                    | "conseguir"
                    | "empezar"
                    | "comenzar"
                    | "terminar"
                    | "acabar"
                    | "volver"
                    | "ser"
            );
            let speaker = verb.mood == Mood::First
                && !self.is(at, &["recomiendo", "aconsejo", "sugiero", "podemos", "vamos", "recomendaria"]);
            let imperative = verb.mood == Mood::Imperative && !self.inside_that(at);
            self.directive |= (tells || imperative) && !speaker && !self.conditional;
            return;
        }
        if verb.kind == VerbKind::Light {
            return self.light(at, &verb);
        }
        self.predicate(at, verb);
    }

    fn light(&mut self, at: usize, verb: &Verb) {
        let denied = std::mem::take(&mut self.denied);
        self.sin = false;
        // 'Puede estar doblada' lets nobody do anything.
        let ordered =
            std::mem::take(&mut self.directive) && !matches!(verb.lemma.as_str(), "estar" | "ser" | "haber");
        let directive = ordered || verb.mood == Mood::Imperative && !self.inside_that(at);
        let needs = verb.lemma == "hacer" && self.is(at + 1, &["falta"]) || verb.lemma == "necesitar";
        let needless = std::mem::take(&mut self.needless) || denied && needs;
        let gerund = matches!(self.sense(at + 2), Sense::Verb(Verb { mood: Mood::Gerund, .. }));
        if denied && self.is(at + 1, &["algo", "nada", "cosa"]) && (self.is(at + 2, &["que"]) || gerund) {
            // 'No es algo que se arregle': the other verb is denied.
            self.denied = true;
        } else if denied {
            self.copula_denied = verb.lemma != "ir";
            self.shaded = true;
        } else {
            self.shaded = false;
        }
        let me = verb.pronouns.iter().any(|p| p == "me" || p == "nos")
            || at > 0 && self.is(at - 1, &["me", "nos"]);
        self.reading.predicates.push(Predicate {
            lemma: verb.lemma.clone(),
            kind: VerbKind::Light,
            weak: true,
            unknown: false,
            mood: verb.mood,
            polarity: match (needless, denied) {
                (true, _) => Polarity::Needless,
                (false, true) => Polarity::Denied,
                (false, false) => Polarity::Plain,
            },
            directive,
            pronoun: false,
            to_me: me,
            reflexive: false,
            conditional: self.conditional,
            at,
        });
    }

    fn predicate(&mut self, at: usize, mut verb: Verb) {
        // 'Estoy abriendo la ficha'
        if verb.mood == Mood::Gerund && at > 0 && self.is(at - 1, &["estoy", "estamos"]) {
            verb.mood = Mood::First;
        }
        let before: Vec<usize> = (at.saturating_sub(3)..at)
            .rev()
            .take_while(|p| self.is(*p, &["lo", "la", "los", "las", "le", "les", "se", "me", "te", "nos"]))
            .collect();
        let has = |list: &[&str]| {
            before.iter().any(|p| self.is(*p, list))
                || verb.pronouns.iter().any(|p| list.contains(&p.as_str()))
        };
        let object = has(&["lo", "la", "los", "las"]);
        let (to_me, reflexive) = (has(&["me", "nos"]), before.iter().any(|p| self.is(*p, &["se"])));
        let first = at - before.len();
        let led = first.checked_sub(1).is_some_and(|p| {
            let p = if self.is(p, &["no", "ni", "nunca", "ya", "nadie", "nada", "siempre", "bien"]) {
                p.wrapping_sub(1)
            } else {
                p
            };
            self.is(p, &["que", "cuando", "aunque", "donde", "mientras", "apenas", "quien", "como", "si"])
                && !(self.is(p, &["que"]) && self.opens(p))
        });
        let led = led || self.inside_that(first);
        let sin = self.sin && self.denied && verb.mood == Mood::Infinitive;
        let ordered = std::mem::take(&mut self.directive);
        let directive = match verb.mood {
            Mood::Imperative => !led && !self.conditional_word(first) || ordered || self.needless,
            Mood::Infinitive => (ordered || sin || self.needless) && !self.done_by_others(at),
            // 'Que no haya nada tapando la rejilla'
            Mood::Gerund => !(first > 0 && self.is(first - 1, &["nada", "algo", "esta", "estan"])),
            Mood::Present => object && !self.conditional && !led,
            _ => false,
        };
        let denied = std::mem::take(&mut self.denied);
        let needless = std::mem::take(&mut self.needless);
        self.sin = false;
        self.shaded = denied;
        let polarity = match (needless, denied) {
            (true, _) => Polarity::Needless,
            (_, true) => Polarity::Denied,
            _ => Polarity::Plain,
        };
        self.reading.predicates.push(Predicate {
            lemma: verb.lemma,
            kind: verb.kind,
            weak: verb.weak,
            unknown: verb.unknown,
            mood: verb.mood,
            polarity,
            directive,
            pronoun: object,
            to_me,
            reflexive,
            conditional: self.conditional,
            at,
        });
    }
}
