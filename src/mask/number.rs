//! One number while it is being said: its digits, and whether they are a document's.

use super::run::{ASIDES, Aside, LongNumber, Part};
use crate::numerals::Num;
use crate::tokens::{Gap, Token};

/// From this many digits on a number is a document (or a phone).
const LONG: usize = 7;

/// Whether the spoken group still takes a smaller word to its right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Hundreds,
    Tens,
    Closed,
}

/// A number being said.
pub(super) struct Run {
    start: usize,
    end: usize,
    /// The group being said, not yet among the digits.
    group: Option<(u16, Open)>,
    digits: usize,
    /// Digits that `mil` and `millones` promise in any case.
    floor: usize,
    last: [u8; 3],
    /// What was said before `millones`, and how many digits there were then.
    millions: Option<(u16, usize)>,
    /// How many digits there were at the last `mil`.
    thousands: Option<usize>,
    /// Digits since the speaker corrected himself.
    corrected: Option<usize>,
    times: u8,
    and: bool,
    zero: bool,
    asides: usize,
    after_figures: bool,
}

impl Run {
    pub(super) fn new(start: usize) -> Self {
        Run {
            start,
            end: start,
            group: None,
            digits: 0,
            floor: 0,
            last: [0; 3],
            millions: None,
            thousands: None,
            corrected: None,
            times: 1,
            and: false,
            zero: false,
            asides: 0,
            after_figures: false,
        }
    }

    fn count(&self) -> usize {
        let open = self.group.map_or(0, |(value, _)| width(value));
        (self.digits + open).max(self.floor)
    }

    /// Whether `token` doesn't belong to this number.
    pub(super) fn breaks(&self, text: &str, token: &Token<'_>, part: Part) -> bool {
        let between = &text[self.end..token.start];
        let apart = self.asides == 0 && (token.gap == Gap::Colon || between.contains(['/', '\n']));
        apart
            || match part {
                Part::Other => true,
                Part::Aside(aside) => self.asides >= ASIDES || !self.bears(aside),
                Part::Word(Num::Unit(1..)) if self.joins() => false,
                _ => self.and && (self.count() < 4 || self.complete()),
            }
    }

    /// A whole number of thousands and units (`mil quinientos`): with `y` another one begins.
    fn complete(&self) -> bool {
        let open = usize::from(self.group.is_some());
        self.millions.is_none() && self.thousands.is_some_and(|at| at <= 3 && self.digits + open > at)
    }

    fn bears(&self, aside: Aside) -> bool {
        match aside {
            Aside::And => self.count() >= 4 || matches!(self.group, Some((_, Open::Tens))),
            Aside::Times(_) | Aside::Hesitation => true,
            Aside::Late | Aside::Zero => self.count() >= 4,
            Aside::Correction => self.count() >= 5,
        }
    }

    fn joins(&self) -> bool {
        self.and && matches!(self.group, Some((_, Open::Tens)))
    }

    pub(super) fn aside(&mut self, aside: Aside) {
        self.asides += 1;
        match aside {
            Aside::And => self.and = true,
            Aside::Times(times) => self.times = times,
            Aside::Correction => {
                self.flush();
                self.corrected = Some(0);
            }
            Aside::Zero => self.zero = true,
            Aside::Hesitation | Aside::Late => {}
        }
    }

    pub(super) fn take(&mut self, token: &Token<'_>, part: Part) {
        if std::mem::take(&mut self.zero) {
            self.begin(0, Open::Closed);
        }
        match part {
            Part::Word(num) => self.word(num),
            _ => self.figures(token.text),
        }
        self.after_figures = part == Part::Figures;
        (self.end, self.asides, self.times, self.and) = (token.end(), 0, 1, false);
    }

    fn figures(&mut self, figures: &str) {
        self.flush();
        for _ in 0..self.times {
            figures.bytes().for_each(|digit| self.push(digit - b'0'));
        }
    }

    fn word(&mut self, num: Num) {
        let open = self.group.map(|(_, open)| open);
        match (num, open) {
            (Num::Unit(unit), _) if self.times > 1 => {
                self.flush();
                (0..self.times).for_each(|_| self.group_digit(unit));
            }
            (Num::Unit(unit @ 1..), Some(Open::Hundreds)) => self.merge(unit, Open::Closed),
            (Num::Unit(unit @ 1..), Some(Open::Tens)) => {
                // Without `y` it may be two numbers: the longer count decides whether it is masked.
                self.digits += usize::from(!self.and);
                self.merge(unit, Open::Closed);
            }
            (Num::Pair(pair), Some(Open::Hundreds)) => self.merge(pair, Open::Closed),
            (Num::Tens(tens), Some(Open::Hundreds)) => self.merge(tens, Open::Tens),
            (Num::Unit(value) | Num::Pair(value), _) => self.begin(value, Open::Closed),
            (Num::Tens(value), _) => self.begin(value, Open::Tens),
            (Num::Hundreds(value), _) => self.begin(value, Open::Hundreds),
            (Num::Thousand, _) => self.thousand(),
            (Num::Million, _) => self.million(),
        }
    }

    fn begin(&mut self, value: u16, open: Open) {
        self.flush();
        self.group = Some((value, open));
    }

    fn merge(&mut self, value: u16, open: Open) {
        self.group = self.group.map(|(so_far, _)| (so_far + value, open));
    }

    fn thousand(&mut self) {
        if self.group.is_none() && !self.after_figures {
            self.group_digit(1);
        }
        self.flush();
        self.thousands = Some(self.digits);
        self.floor = self.floor.max(self.digits + 3);
        self.last = [0; 3];
    }

    fn million(&mut self) {
        let value = self.group.map_or(u16::MAX, |(value, _)| value);
        self.flush();
        self.millions = Some((value, self.digits));
        self.floor = self.digits + 6;
        self.last = [0; 3];
    }

    fn flush(&mut self) {
        let Some((value, _)) = self.group.take() else { return };
        for place in (0..width(value)).rev() {
            let digit = value / 10_u16.pow(u32::try_from(place).unwrap_or(0)) % 10;
            self.group_digit(digit);
        }
    }

    fn group_digit(&mut self, digit: u16) {
        self.push(u8::try_from(digit % 10).unwrap_or(0));
    }

    fn push(&mut self, digit: u8) {
        self.digits += 1;
        self.corrected = self.corrected.map(|since| since + 1);
        self.last = [self.last[1], self.last[2], digit];
    }

    /// The number, if it is a long one; `next` is the word that ended it.
    pub(super) fn finish(mut self, next: &str) -> Option<LongNumber> {
        self.flush();
        let round = self.millions.is_some_and(|(_, at)| at == self.digits);
        let few = self.millions.is_some_and(|(value, _)| value < 3);
        let amount = matches!(next, "de" | "pesos" | "dolares" | "euros" | "pico");
        if self.count() < LONG || (round && (few || amount)) {
            return None;
        }
        let told = !matches!(self.corrected, Some(1 | 2));
        Some(LongNumber { start: self.start, end: self.end, last: told.then_some(self.last) })
    }
}

fn width(value: u16) -> usize {
    match value {
        0..=9 => 1,
        10..=99 => 2,
        _ => 3,
    }
}
