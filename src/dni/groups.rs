//! The groups of digits that a stretch of number words may be heard as: `treinta y cinco, seiscientos doce`.

use super::run::{Part, Said};
use crate::numerals::Num;

/// Readings of one stretch that are looked at; speech has one or two.
const READINGS: usize = 32;

/// How a group was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A digit by itself, or one said to be double: fits anywhere.
    Loose,
    /// A number word of two or three digits.
    Cardinal,
    /// Figures, as a recogniser or a person wrote them.
    Figures,
}

/// Some digits that were said as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) digits: String,
    pub(super) kind: Kind,
    /// Cut off the word before it, which it would join if it were said on its own.
    pub(super) cut: bool,
}

/// One way to hear a stretch.
pub(super) type Reading = Vec<Group>;

/// All digits of a reading.
pub(super) fn joined(reading: &[Group]) -> String {
    reading.iter().map(|group| group.digits.as_str()).collect()
}

/// The digits of the likeliest reading.
pub(super) fn first_digits(parts: &[Part]) -> String {
    readings(parts).first().map(|reading| joined(reading)).unwrap_or_default()
}

/// The ways to hear `parts`, the likeliest first; never empty.
pub(super) fn readings(parts: &[Part]) -> Vec<Reading> {
    let mut found = Vec::new();
    Hearing { groups: Vec::new(), open: None, cut: false }.walk(parts, &mut found);
    found
}

/// Whether the spoken group still takes a smaller word to its right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Hundreds,
    Tens,
    /// `diez y seis`.
    Ten,
    Closed,
}

#[derive(Clone)]
struct Hearing {
    groups: Vec<Group>,
    open: Option<(u16, Open)>,
    cut: bool,
}

impl Hearing {
    fn walk(mut self, parts: &[Part], found: &mut Vec<Reading>) {
        let Some((part, rest)) = parts.split_first() else {
            self.flush();
            found.push(self.groups);
            return;
        };
        if found.len() >= READINGS {
            return;
        }
        match self.joins(part) {
            Join::Never => self.apart(part).walk(rest, found),
            Join::Always => self.merged(part).walk(rest, found),
            Join::Rather => {
                self.clone().merged(part).walk(rest, found);
                let mut cut = self.apart(part);
                cut.cut = true;
                cut.walk(rest, found);
            }
            Join::Hardly => {
                self.clone().apart(part).walk(rest, found);
                self.merged(part).walk(rest, found);
            }
        }
    }

    fn joins(&self, part: &Part) -> Join {
        let (Some((_, open)), Said::Word(num)) = (self.open, &part.said) else { return Join::Never };
        match (open, num) {
            (Open::Hundreds, Num::Unit(1..) | Num::Pair(_) | Num::Tens(_)) if part.paused() => Join::Hardly,
            // `cuatrocientos siete seis cinco` may be 400 765.
            (Open::Hundreds, Num::Unit(1..)) => Join::Rather,
            (Open::Hundreds, Num::Pair(_) | Num::Tens(_)) => Join::Always,
            (Open::Tens, Num::Unit(1..)) if part.and => Join::Always,
            (Open::Tens, Num::Unit(1..)) if part.paused() => Join::Hardly,
            (Open::Tens, Num::Unit(1..)) => Join::Rather,
            (Open::Ten, Num::Unit(6..=9)) if part.and => Join::Always,
            _ => Join::Never,
        }
    }

    fn merged(mut self, part: &Part) -> Self {
        if let (Some((so_far, _)), Said::Word(num)) = (self.open, &part.said) {
            let (value, open) = worth(*num);
            self.open = Some((so_far + value, open));
        }
        self
    }

    fn apart(mut self, part: &Part) -> Self {
        self.flush();
        match &part.said {
            Said::Word(num) => self.open = Some(worth(*num)),
            Said::Repeated(digits) => self.push(digits.clone(), Kind::Loose),
            Said::Figures(digits) => self.push(digits.clone(), Kind::Figures),
        }
        self
    }

    fn flush(&mut self) {
        if let Some((value, _)) = self.open.take() {
            let kind = if value < 10 { Kind::Loose } else { Kind::Cardinal };
            self.push(value.to_string(), kind);
        }
    }

    fn push(&mut self, digits: String, kind: Kind) {
        self.groups.push(Group { digits, kind, cut: std::mem::take(&mut self.cut) });
    }
}

/// Whether a word joins the group before it.
enum Join {
    Always,
    Rather,
    Hardly,
    Never,
}

/// `mil` and `millones` aren't parts of a group; whoever has them cuts there first.
fn worth(num: Num) -> (u16, Open) {
    match num {
        Num::Unit(value) => (value, Open::Closed),
        Num::Pair(10) => (10, Open::Ten),
        Num::Pair(value) => (value, Open::Closed),
        Num::Tens(value) => (value, Open::Tens),
        Num::Hundreds(value) => (value, Open::Hundreds),
        Num::Thousand | Num::Million => (0, Open::Closed),
    }
}
