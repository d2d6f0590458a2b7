//! Weighs each sign against what is said around it.

use super::RedFlag;
use super::device;
use super::hearing::{Heard, REACH};
use super::list::{List, Meaning};
use super::source::{Cue, Unless};

/// How far what was imagined reaches.
const IMAGINED: usize = 16;
/// How far a `no` reaches over small words.
const DENIED: usize = 7;
/// How near a manner of speaking stands, before and after.
const IDIOM: (usize, usize) = (4, 5);
/// How far before a sign without a verb of its own its verb stands.
const VERB: usize = 4;

/// The words from `start` up to, not with, `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// When a sign is said to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Now,
    Open,
}

/// The weightiest sign that stands.
pub(super) fn red_flag(list: &List, text: &str) -> Option<RedFlag> {
    let heard = Heard::new(list, text);
    let mut judge = None;
    let (mut weightiest, mut denied_to): (Option<RedFlag>, usize) = (None, 0);
    for start in heard.first..heard.words.len() {
        for (sign, end) in list.signs.at(&heard, start) {
            if weightiest.is_some_and(|flag| flag <= sign.flag) {
                continue;
            }
            let judge = judge.get_or_insert_with(|| Judge::new(&heard));
            let span = Span { start, end };
            if judge.denied(span, denied_to) {
                denied_to = end;
            } else if !judge.excused(sign, span) {
                weightiest = Some(sign.flag);
            }
        }
    }
    weightiest
}

/// An utterance with its cues.
struct Judge<'a> {
    heard: &'a Heard<'a>,
    cues: [Vec<Span>; Cue::COUNT],
}

impl<'a> Judge<'a> {
    fn new(heard: &'a Heard<'a>) -> Self {
        let mut cues = [const { Vec::new() }; Cue::COUNT];
        for start in 0..heard.words.len() {
            for (cue, end) in heard.list.cues.at(heard, start) {
                if let Some(found) = cues.get_mut(*cue as usize) {
                    found.push(Span { start, end });
                }
            }
        }
        Judge { heard, cues }
    }

    fn excused(&self, sign: &Meaning, span: Span) -> bool {
        let excused = |unless: &Unless| match unless {
            Unless::Device => device::subject(self.heard, span),
            Unless::Contact => device::contact(self.heard, span),
            Unless::Idiom => self.idiom(span),
            Unless::Habit => self.habit(span),
            Unless::Mild => self.has(Cue::Mild, self.near(span)),
        };
        self.past(span)
            || self.over(span)
            || self.conditional(span)
            || self.imagined(span)
            || self.told(span)
            || self.compound(span)
            || sign.unless.iter().any(excused)
    }

    fn cues(&self, cue: Cue) -> &[Span] {
        self.cues.get(cue as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether a cue lies within `span`.
    fn has(&self, cue: Cue, span: Span) -> bool {
        let spans = self.cues(cue);
        let from = spans.partition_point(|found| found.start < span.start);
        spans[from..].iter().take_while(|found| found.start < span.end).any(|found| found.end <= span.end)
    }

    /// The words around `span` up to where `ends` says, at most [`REACH`] on either side.
    fn around(&self, span: Span, ends: impl Fn(usize) -> bool) -> Span {
        let Span { mut start, mut end } = span;
        while start > span.start.saturating_sub(REACH) && !ends(start) {
            start -= 1;
        }
        while end < self.heard.words.len().min(span.end + REACH) && !ends(end) {
            end += 1;
        }
        Span { start, end }
    }

    fn sentence(&self, span: Span) -> Span {
        self.around(span, |at| self.heard.breaks(at))
    }

    /// Whether a `no` governs the sign, or the list of what there isn't goes on with it.
    fn denied(&self, span: Span, denied_to: usize) -> bool {
        let (heard, named) = (self.heard, &self.heard.list.named);
        let negative = heard.is(span.start, named.not);
        let verb = |at: usize| heard.is(at, named.finite) || heard.is(at, named.past_verb);
        let (mut at, mut governed) = (span.start, !negative && verb(span.start));
        for _ in 0..DENIED {
            if heard.pauses(at) {
                break;
            }
            at -= 1;
            if negative && self.cues(Cue::DeniesNo).iter().any(|cue| cue.end == at + 1) {
                return true;
            }
            if !negative && heard.is(at, named.not) {
                return true;
            }
            // 'no sé, me falta…' without its accent and comma; 'no está, sale humo' without it.
            let know = heard.is(at, named.se) && heard.is(at + 1, named.dative);
            let parted =
                verb(at) && (governed || heard.is(at + 1, named.dative) || heard.is(at + 1, named.se));
            if know || parted || !heard.is(at, named.light) {
                break;
            }
            governed = verb(at) || (governed && !heard.is(at, named.that));
        }
        let noun = heard.is(span.start, named.noun);
        let listed = denied_to > 0
            && ((span.start == denied_to && heard.pauses(denied_to))
                || (span.start == denied_to + 1 && heard.is(denied_to, named.or)));
        noun && (listed || self.cues(Cue::DeniesAfter).iter().any(|cue| cue.start == span.end))
    }

    fn tense(&self, span: Span) -> Tense {
        let (heard, named) = (self.heard, &self.heard.list.named);
        let of = |at: usize| {
            let noun = heard.is(at, named.noun) && heard.is(at + 1, named.of);
            if noun || heard.is(at + 1, named.day_part) {
                return Tense::Open; // 'falta de aire', 'esta mañana'
            }
            let own = heard.is(at, named.o_verb);
            if own && at > 0 && heard.is(at - 1, named.me) {
                Tense::Now
            } else if own && at > 0 && heard.is(at - 1, named.se) || heard.is(at, named.past_verb) {
                Tense::Past
            } else if heard.is(at, named.now_verb) {
                Tense::Now
            } else {
                Tense::Open
            }
        };
        let inside: Vec<Tense> = (span.start..span.end).map(of).collect();
        if inside.contains(&Tense::Past) {
            return Tense::Past;
        }
        if inside.contains(&Tense::Now) {
            return Tense::Now;
        }
        let sentence = self.sentence(span);
        let near = (sentence.start.max(span.start.saturating_sub(VERB))..span.start).rev();
        near.map(of).find(|tense| *tense != Tense::Open).unwrap_or(Tense::Open)
    }

    /// Whether it was at another time and nothing says that it goes on.
    fn past(&self, span: Span) -> bool {
        if self.tense(span) == Tense::Now {
            return false;
        }
        let clause = self.clause(span);
        let past =
            self.cues(Cue::Past).iter().filter(|cue| cue.start >= clause.start && cue.end <= clause.end);
        let mut past = past.filter(|cue| !self.of_another(**cue, span, clause));
        let goes_on = self.has(Cue::GoesOn, self.sentence(span)) || self.has(Cue::Now, clause);
        past.next().is_some() && !goes_on
    }

    /// Whether a time before the sign is that of a verb before it: 'vino ayer, se desmayó'.
    fn of_another(&self, time: Span, span: Span, clause: Span) -> bool {
        let (heard, named) = (self.heard, &self.heard.list.named);
        let verb = |at: usize| heard.is(at, named.finite) || heard.is(at, named.past_verb);
        let tied = (time.end..span.start).any(|at| heard.is(at, named.link));
        time.end <= span.start && !tied && (clause.start..time.start).any(verb)
    }

    /// Whether it is said to have ended well, in what follows or right before.
    fn over(&self, span: Span) -> bool {
        if self.tense(span) == Tense::Now {
            return false;
        }
        let before = self.clause(span).start.max(span.start.saturating_sub(VERB));
        let before = Span { start: before, end: span.start };
        let after = Span { start: span.end, end: span.end + REACH };
        let ended = |within: Span| {
            let cues = self.cues(Cue::Over).iter();
            let mut cues = cues.filter(|cue| cue.start >= within.start && cue.end <= within.end);
            cues.any(|cue| cue.start == 0 || !self.heard.is(cue.start - 1, self.heard.list.named.not))
        };
        let ended = ended(before) || ended(after);
        ended && !self.has(Cue::GoesOn, Span { start: before.start, end: after.end })
    }

    /// Whether it was heard or read; or filed, where it isn't said to be now.
    fn told(&self, span: Span) -> bool {
        let (sentence, clause) = (self.sentence(span), self.clause(span));
        let now = self.tense(span) == Tense::Now;
        let tells = |cue: &Span| {
            let before = cue.start < span.end && !self.real_between(cue.end, span.start);
            let same = cue.start >= clause.start && cue.start < clause.end;
            (before && (same || !now)) || (same && !now)
        };
        let within = |cue: &&Span| cue.start >= sentence.start && cue.end <= sentence.end;
        let filed = !now && self.has(Cue::Filed, clause);
        filed || self.cues(Cue::Told).iter().filter(within).any(tells)
    }

    /// Whether the sign is but part of a name.
    fn compound(&self, span: Span) -> bool {
        self.cues(Cue::Compound).iter().any(|cue| cue.start < span.end && cue.end > span.start)
    }

    /// Whether it hangs on a `si`.
    fn conditional(&self, span: Span) -> bool {
        let sentence = self.sentence(span);
        let from = sentence.start.max(span.start.saturating_sub(IMAGINED));
        (from..span.start).any(|at| self.condition(at, span, sentence))
    }

    fn condition(&self, at: usize, span: Span, sentence: Span) -> bool {
        let (heard, named) = (self.heard, &self.heard.list.named);
        let accented = heard.words.get(at).is_some_and(|word| word.accented);
        if !heard.is(at, named.if_) || accented {
            return false;
        }
        let real = self.cues(Cue::RealIf).iter().any(|cue| cue.end == at + 1);
        if real || heard.pauses(at + 1) || heard.is(at + 1, named.after_yes) {
            return false;
        }
        let and = (at..span.start).any(|at| heard.is(at, named.clause));
        let told = and && (sentence.start..at).any(|at| heard.is(at, named.told_to));
        if told || self.real_between(at + 1, span.start) {
            return false;
        }
        let leads = heard.breaks(at) || heard.is(at - 1, named.before_yes);
        !leads || heard.asks || self.has(Cue::Asks, sentence)
    }

    /// Whether what was imagined has ended: 'pero', 'ahora', 'resulta'.
    fn real_between(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| self.heard.is(at, self.heard.list.named.real))
    }

    fn imagined(&self, span: Span) -> bool {
        let sentence = self.sentence(span);
        let from = sentence.start.max(span.start.saturating_sub(IMAGINED));
        let cues = self.cues(Cue::Imagined).iter();
        let mut before = cues.filter(|cue| cue.start >= from && cue.start < span.end);
        before.any(|cue| !self.real_between(cue.end, span.start))
    }

    fn idiom(&self, span: Span) -> bool {
        self.has(Cue::Idiom, self.near(span))
    }

    /// The words about `span` that belong to it: none beyond another clause.
    fn near(&self, span: Span) -> Span {
        let clause = self.clause(span);
        let (before, after) = IDIOM;
        let start = clause.start.max(span.start.saturating_sub(before));
        Span { start, end: clause.end.min(span.end + after) }
    }

    fn clause(&self, span: Span) -> Span {
        let ends = |at: usize| self.heard.breaks(at) || self.heard.is(at, self.heard.list.named.clause);
        self.around(span, ends)
    }

    fn habit(&self, span: Span) -> bool {
        let sentence = self.sentence(span);
        let worse = self.has(Cue::Worse, sentence) || self.has(Cue::Now, sentence);
        self.has(Cue::Habit, sentence) && !worse && !self.has(Cue::GoesOn, sentence)
    }
}
