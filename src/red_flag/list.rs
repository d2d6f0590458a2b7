//! The list compiled: patterns by the classes that they begin with, and the classes that judging needs.

use super::RedFlag;
use super::hearing::Heard;
use super::lexicon::{Classes, Lexicon};
use super::pattern::Pattern;
use super::source::{Cue, ListError, Source, Unless};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Patterns with what they mean, found by their first word.
pub(super) struct Patterns<T> {
    all: Vec<(T, Pattern)>,
    starts: Vec<Vec<usize>>,
}

impl<T> Patterns<T> {
    fn new(all: Vec<(T, Pattern)>, classes: usize) -> Self {
        let mut starts = vec![Vec::new(); classes];
        for (index, (_, pattern)) in all.iter().enumerate() {
            let start = pattern.first().and_then(|class| starts.get_mut(class));
            if let Some(start) = start {
                start.push(index);
            }
        }
        Patterns { all, starts }
    }

    /// What is said from word `at` on, and where it ends.
    pub(super) fn at<'p>(
        &'p self,
        heard: &'p Heard<'_>,
        at: usize,
    ) -> impl Iterator<Item = (&'p T, usize)> + 'p {
        let classes = heard.words.get(at).into_iter().flat_map(|word| word.classes.iter());
        let indices = classes.filter_map(|class| self.starts.get(class)).flatten();
        let patterns = indices.filter_map(|index| self.all.get(*index));
        patterns.filter_map(move |(what, pattern)| Some((what, pattern.end(heard, at)?)))
    }
}

/// What a sign means.
pub(super) struct Meaning {
    pub(super) flag: RedFlag,
    pub(super) unless: Vec<Unless>,
}

/// Classes of `[words]` that judging asks for by name; the list explains each.
pub(super) struct Named {
    pub(super) number: Classes,
    pub(super) year: Classes,
    pub(super) many: Classes,
    pub(super) low: Classes,
    pub(super) wall: Classes,
    pub(super) not: Classes,
    pub(super) light: Classes,
    pub(super) se: Classes,
    pub(super) me: Classes,
    pub(super) dative: Classes,
    pub(super) noun: Classes,
    pub(super) or: Classes,
    pub(super) past_verb: Classes,
    pub(super) now_verb: Classes,
    pub(super) finite: Classes,
    pub(super) link: Classes,
    pub(super) that: Classes,
    pub(super) day_part: Classes,
    pub(super) of: Classes,
    pub(super) says: Classes,
    pub(super) o_verb: Classes,
    pub(super) clause: Classes,
    pub(super) if_: Classes,
    pub(super) after_yes: Classes,
    pub(super) before_yes: Classes,
    pub(super) real: Classes,
    pub(super) told_to: Classes,
    pub(super) device: Classes,
    pub(super) part: Classes,
    pub(super) contact: Classes,
    pub(super) personal: Classes,
    pub(super) before_noun: Classes,
    pub(super) to_article: Classes,
    pub(super) unit: Classes,
    pub(super) per: Classes,
    pub(super) before_subject: Classes,
    pub(super) after_subject: Classes,
    pub(super) verb_lead: Classes,
}

impl Named {
    fn new(lexicon: &Lexicon) -> Result<Self, ListError> {
        let class = |name: &str| {
            let mut classes = Classes::NONE;
            classes.add(lexicon.class(name)?);
            Ok(classes)
        };
        Ok(Named {
            number: class("number")?,
            year: class("year")?,
            many: class("many")?,
            low: class("low")?,
            wall: class("wall")?,
            not: class("not")?,
            light: class("light")?,
            se: class("se")?,
            me: class("me")?,
            dative: class("dative")?,
            noun: class("noun")?,
            or: class("or")?,
            past_verb: class("past_verb")?,
            now_verb: class("now_verb")?,
            finite: class("finite")?,
            link: class("link")?,
            that: class("that")?,
            day_part: class("day_part")?,
            of: class("of")?,
            says: class("says")?,
            o_verb: class("o_verb")?,
            clause: class("clause")?,
            if_: class("if")?,
            after_yes: class("after_yes")?,
            before_yes: class("before_yes")?,
            real: class("real")?,
            told_to: class("told_to")?,
            device: class("device")?,
            part: class("part")?,
            contact: class("contact")?,
            personal: class("personal")?,
            before_noun: class("before_noun")?,
            to_article: class("to_article")?,
            unit: class("unit")?,
            per: class("per")?,
            before_subject: class("before_subject")?,
            after_subject: class("after_subject")?,
            verb_lead: class("verb_lead")?,
        })
    }
}

/// The whole list.
pub(super) struct List {
    pub(super) lexicon: Lexicon,
    pub(super) named: Named,
    pub(super) low: RangeInclusive<u16>,
    pub(super) signs: Patterns<Meaning>,
    pub(super) cues: Patterns<Cue>,
}

impl List {
    /// Reads and compiles a list in the format of `flags.toml`, which explains it.
    fn parse(text: &str) -> Result<Self, ListError> {
        let source: Source = toml::from_str(text).map_err(|e| ListError::Toml(e.to_string()))?;
        let mut lexicon = Lexicon::new(&source.words)?;
        let (mut signs, mut cues) = (Vec::new(), Vec::new());
        for sign in &source.sign {
            for say in &sign.say {
                let meaning = Meaning { flag: sign.flag, unless: sign.unless.clone() };
                signs.push((meaning, Pattern::parse(say, &mut lexicon, &source.words)?));
            }
        }
        for (cue, says) in &source.cue {
            for say in says {
                cues.push((*cue, Pattern::parse(say, &mut lexicon, &source.words)?));
            }
        }
        let classes = lexicon.len();
        if classes > Classes::LIMIT {
            return Err(ListError::TooMany { found: classes, most: Classes::LIMIT });
        }
        Ok(List {
            named: Named::new(&lexicon)?,
            low: source.low_saturation.0..=source.low_saturation.1,
            signs: Patterns::new(signs, classes),
            cues: Patterns::new(cues, classes),
            lexicon,
        })
    }

    /// The list that Aura ships.
    pub(super) fn builtin() -> &'static List {
        static BUILTIN: LazyLock<List> = LazyLock::new(|| {
            List::parse(include_str!("flags.toml")).unwrap_or_else(|error| {
                // Every test of this room reads it; a build whose own data is broken must not start.
                unreachable!("src/red_flag/flags.toml: {error}")
            })
        });
        &BUILTIN
    }
}
