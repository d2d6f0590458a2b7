//! Amounts, durations, intervals and counts that a sentence states.
use super::fold::Word;
use super::lexicon::{Lexicon, Unit, masculine, stem};
use super::values::{Bound, ONE, bound, is_number, number};
use crate::tokens::Gap;

/// What a number is of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Measure {
    /// A unit's dimension.
    Of(String),
    /// Every so many seconds.
    Period,
    /// So many of a thing.
    Count(String),
    /// A unit without a number: 'unos minutos'.
    Some(String, i64),
    /// A number by itself.
    Bare,
}

/// One stated quantity, in thousandths of its dimension's base.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    pub(super) measure: Measure,
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) bound: Bound,
    /// Words from `at` to before `end`.
    pub(super) at: usize,
    pub(super) end: usize,
}

/// Finds them in order; none overlap.
pub(super) fn quantities(words: &[Word], lexicon: &Lexicon) -> Vec<Quantity> {
    let reader = Reader { words, lexicon };
    let (mut found, mut at): (Vec<Quantity>, usize) = (Vec::new(), 0);
    while at < words.len() {
        let near = found.last_mut().filter(|last| (last.end..=last.end + 2).contains(&at));
        if let Some(last) = near
            && let Some(rate) = reader.rate(last, at)
        {
            at = rate.end;
            *last = rate;
            continue;
        }
        match reader.period(at).or_else(|| reader.amount(at)) {
            Some(quantity) => {
                at = quantity.end.max(at + 1);
                found.push(quantity);
            }
            None => at += 1,
        }
    }
    found
}

struct Reader<'a> {
    words: &'a [Word],
    lexicon: &'a Lexicon,
}

impl Reader<'_> {
    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.words.get(at).is_some_and(|word| word.is(words))
    }

    /// A unit of time at `at`, in seconds.
    fn time(&self, at: usize) -> Option<i64> {
        let unit = self.lexicon.unit(&self.words.get(at)?.text)?;
        (unit.dimension == "time").then_some(unit.worth)
    }

    fn every(&self, seconds: i64, at: usize, end: usize) -> Quantity {
        let value = seconds.saturating_mul(ONE);
        Quantity { measure: Measure::Period, low: value, high: value, bound: Bound::Exact, at, end }
    }

    /// `cada 7 días`, `cada semana`, `todos los días`, `semanal`, `día por medio`.
    fn period(&self, at: usize) -> Option<Quantity> {
        let word = self.words.get(at)?;
        if word.is(&["cada"]) {
            if let Some(seconds) = self.time(at + 1) {
                return Some(self.every(seconds, at, at + 2));
            }
            let amount =
                self.amount(at + 1).filter(|amount| amount.measure == Measure::Of("time".to_owned()))?;
            return Some(Quantity { measure: Measure::Period, at, ..amount });
        }
        if word.is(&["todos", "todas"]) && self.is(at + 1, &["los", "las"]) {
            return self.time(at + 2).map(|seconds| self.every(seconds, at, at + 3));
        }
        if let Some(seconds) = self.time(at) {
            let by = if self.is(at + 1, &["de"]) { at + 2 } else { at + 1 };
            if self.is(by, &["por"]) && self.is(by + 1, &["medio", "media"]) {
                return Some(self.every(seconds * 2, at, by + 2));
            }
        }
        if word.is(&["por", "x"]) {
            return self.time(at + 1).map(|seconds| self.every(seconds, at, at + 2));
        }
        let seconds = self.lexicon.frequencies.get(&masculine(&stem(&word.text)))?;
        Some(self.every(*seconds, at, at + 1))
    }

    /// What `per time` behind a quantity makes of it: `dos veces por semana`, `3 litros por minuto`.
    fn rate(&self, last: &Quantity, at: usize) -> Option<Quantity> {
        let slash = at == last.end && self.words.get(at).is_some_and(|word| word.gap == Gap::Hyphen);
        let unit_at = if slash {
            at
        } else if self.is(at, &["al", "por", "x", "a", "en"]) {
            let article = self.is(at + 1, &["la", "el", "un", "una", "cada"]);
            if article { at + 2 } else { at + 1 }
        } else if self.is(at, &["cada"]) {
            at + 1
        } else {
            return None;
        };
        let litres = last.measure == Measure::Of("litre".to_owned());
        let minute = self.is(unit_at, &["minuto", "min", "m", "minutos"]);
        if litres && minute && at == last.end {
            return Some(Quantity {
                measure: Measure::Of("flow".to_owned()),
                end: unit_at + 1,
                ..last.clone()
            });
        }
        if last.measure != Measure::Of("vez".to_owned()) || slash {
            return None;
        }
        let (seconds, end) = match self.time(unit_at) {
            Some(seconds) => (seconds.saturating_mul(ONE), unit_at + 1),
            None => {
                let span =
                    self.amount(unit_at).filter(|span| span.measure == Measure::Of("time".to_owned()))?;
                (span.low, span.end)
            }
        };
        let per = |times: i64| seconds.saturating_mul(ONE) / times.max(1);
        Some(Quantity {
            measure: Measure::Period,
            low: per(last.high),
            high: per(last.low),
            end,
            ..last.clone()
        })
    }

    /// A number, or a range, with what it is of.
    fn amount(&self, at: usize) -> Option<Quantity> {
        if let Some(some) = self.some(at) {
            return Some(some);
        }
        let range = self.is(at, &["entre", "de"]) && self.value(at + 1).is_some();
        let start = if range { at + 1 } else { at };
        let (low, mut end) = self.value(start)?;
        let mut high = low;
        let joint: &[&str] = match (range, self.is(at, &["entre"])) {
            (true, true) => &["y", "a"],
            (true, false) => &["a"],
            _ => &["a", "o", "u"],
        };
        let dash = self.words.get(end).is_some_and(|word| word.figures && word.gap == Gap::Hyphen);
        let second = if dash { end } else { end + 1 };
        let first_unit = self.unit_at(end);
        let second = match first_unit {
            Some((_, behind)) if self.is(behind, joint) => behind + 1,
            _ => second,
        };
        if (dash || self.is(second.wrapping_sub(1), joint)) && second >= end {
            if let Some((other, behind)) = self.value(second) {
                (high, end) = (other, behind);
            } else if range && !self.is(at, &["entre"]) {
                return self.measured(low, low, start, end);
            }
        }
        if range && high == low && !self.is(at, &["entre"]) {
            return None;
        }
        self.measured(low, high, if range { at } else { start }, end)
    }

    /// `unos minutos`, `pocos segundos`: a unit and no number.
    fn some(&self, at: usize) -> Option<Quantity> {
        // 'Las veces que haga falta'; 'a veces' is no number.
        if self.is(at, &["veces"]) && !(at > 0 && self.is(at - 1, &["a"])) {
            let measure = Measure::Some("vez".to_owned(), ONE);
            return Some(Quantity { measure, low: 0, high: 0, bound: Bound::Exact, at, end: at + 1 });
        }
        let few = [
            "unos", "unas", "pocos", "pocas", "varios", "varias", "algunos", "algunas", "durante", "muchos",
            "muchas",
        ];
        if !self.is(at, &few) {
            return None;
        }
        let unit_at = (at + 1..at + 3)
            .find(|next| !self.is(*next, &["los", "las", "pocos", "pocas", "cuantos", "cuantas"]))?;
        let unit = self.lexicon.unit(&self.words.get(unit_at)?.text)?;
        let plural = self.words[unit_at].text.ends_with('s');
        plural.then(|| Quantity {
            measure: Measure::Some(unit.dimension.clone(), unit.worth),
            low: 0,
            high: 0,
            bound: Bound::Exact,
            at,
            end: unit_at + 1,
        })
    }

    /// A number at `at`: figures, words, `medio`, `un par de`; `un` only before a unit.
    fn value(&self, at: usize) -> Option<(i64, usize)> {
        let word = self.words.get(at).filter(|word| !(word.figures && word.gap == Gap::Glued))?;
        let unit = |at: usize| self.words.get(at).is_some_and(|word| self.lexicon.unit(&word.text).is_some());
        if word.is(&["un", "una"]) {
            if self.is(at + 1, &["par"]) {
                return Some((2 * ONE, at + 2 + usize::from(self.is(at + 2, &["de"]))));
            }
            if self.is(at + 1, &["docena"]) {
                return Some((12 * ONE, at + 2 + usize::from(self.is(at + 2, &["de"]))));
            }
            if self.is(at + 1, &["cuarto", "tercio"]) {
                let part = if self.is(at + 1, &["cuarto"]) { ONE / 4 } else { ONE / 3 };
                return Some((part, at + 2 + usize::from(self.is(at + 2, &["de"]))));
            }
            let alone = self.is(at + 1, &["sola", "unica", "solo", "unico"]);
            let unit_at = if alone { at + 2 } else { at + 1 };
            let once = self.is(unit_at, &["vez"]) && self.is(unit_at + 1, &["que"]);
            return (unit(unit_at) && !once).then_some((ONE, at + 1));
        }
        if word.is(&["medio", "media"]) {
            return unit(at + 1).then_some((ONE / 2, at + 1));
        }
        if word.is(&["mitad"]) {
            return Some((ONE / 2, at + 1));
        }
        if word.is(&["triple", "doble", "triples", "dobles"]) {
            let noun = self.words.get(at + 1).is_some_and(|next| self.lexicon.noun(&next.text).is_some());
            return noun.then_some((if word.text.starts_with('t') { 3 * ONE } else { 2 * ONE }, at + 1));
        }
        if word.is(&["uno", "una"]) && !self.alone(at) {
            return None;
        }
        number(self.words, at)
    }

    /// `póngalo en uno`, `uno coma cinco`: a number, not a pronoun.
    fn alone(&self, at: usize) -> bool {
        let after = self.words.get(at + 1);
        let led = at > 0
            && self
                .is(at - 1, &["en", "a", "nivel", "punto", "posicion", "numero", "coma", "entre", "o", "y"]);
        self.is(at + 1, &["coma", "punto"])
            || after.is_some_and(|word| self.lexicon.unit(&word.text).is_some() || is_number(word))
            || (led
                && after
                    .is_none_or(|word| word.breaks() || word.is(&["y", "o", "a", "hasta", "para", "cuando"])))
    }

    /// The unit at `at` and the word behind it.
    fn unit_at(&self, at: usize) -> Option<(Unit, usize)> {
        let word = self.words.get(at).filter(|word| !word.breaks())?;
        if word.is(&["por"]) && self.is(at + 1, &["ciento"]) {
            return Some((Unit { dimension: "percent".to_owned(), worth: ONE }, at + 2));
        }
        if word.is(&["de"]) {
            return self.unit_at(at + 1).filter(|_| !self.is(at + 1, &["de"]));
        }
        let filler = [
            "sola", "unica", "solas", "largas", "largos", "buenos", "buenas", "solo", "unico", "buen",
            "buena", "pequenas",
        ];
        if word.is(&filler) {
            return self.unit_at(at + 1);
        }
        Some((self.lexicon.unit(&word.text)?.clone(), at + 1))
    }

    fn measured(&self, low: i64, high: i64, at: usize, end: usize) -> Option<Quantity> {
        let Some((unit, mut behind)) = self.unit_at(end) else {
            return Some(self.counted(low, high, at, end));
        };
        let worth =
            |value: i64| value.saturating_mul(unit.worth) / if unit.dimension == "time" { 1 } else { ONE };
        let (mut low, mut high) = (worth(low), worth(high));
        let half = self.is(behind, &["y"]) && self.is(behind + 1, &["media", "medio", "cuarto", "pico"]);
        if half {
            let more = match self.words[behind + 1].text.as_str() {
                "cuarto" => worth(ONE / 4),
                "pico" => 0,
                _ => worth(ONE / 2),
            };
            (low, high, behind) = (low + more, high + more, behind + 2);
        } else if self.is(behind, &["y", "con"]) && unit.dimension == "time" {
            let more =
                self.value(behind + 1).and_then(|(value, end)| self.measured(value, value, behind + 1, end));
            if let Some(more) =
                more.filter(|more| more.measure == Measure::Of("time".to_owned()) && more.low < low)
            {
                (low, high, behind) = (low + more.low, high + more.low, more.end);
            }
        }
        if self.is(behind, &["centigrados", "celsius"]) {
            behind += 1;
        }
        if unit.dimension == "vez" {
            // 'una vez sola', 'una vez nada más'
            let only = ["sola", "unica", "solamente", "unicamente", "solas"];
            behind += usize::from(self.is(behind, &only));
            behind += 2 * usize::from(self.is(behind, &["nada"]) && self.is(behind + 1, &["mas"]));
        }
        let (limit, behind) = bound(self.words, at, behind);
        Some(Quantity { measure: Measure::Of(unit.dimension), low, high, bound: limit, at, end: behind })
    }

    /// So many of a thing, or a number by itself.
    fn counted(&self, low: i64, high: i64, at: usize, end: usize) -> Quantity {
        let next = self.words.get(end).filter(|word| !word.breaks() && !word.figures);
        let thing = next.filter(|word| {
            let grammar = self.lexicon.is_free("grammar", &word.text) || word.text.len() < 2;
            let verb = self.lexicon.verb(&word.text).is_some()
                && self.lexicon.noun(&word.text).is_none()
                && !word.text.ends_with('s');
            !grammar && !verb
        });
        let measure = match thing {
            Some(word) => {
                let class =
                    self.lexicon.noun(&word.text).map_or_else(|| stem(&word.text), |(class, _)| class);
                Measure::Count(class)
            }
            None => Measure::Bare,
        };
        // The thing itself is read as a word too.
        let (bound, behind) = match thing {
            Some(_) => (bound(self.words, at, end + 1).0, end),
            None => bound(self.words, at, end),
        };
        Quantity { measure, low, high, bound, at, end: behind }
    }
}
