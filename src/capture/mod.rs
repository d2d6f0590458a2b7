//! What was taken down in a call (E13, DECISIONS 22): the caller's name, the reason, equipment and code as they
//! were named, a telephone for a call back. The document is [`crate::identity`]'s.
//!
//! Absent or invalid never erases. A correction replaces what was said, and is unconfirmed. What the operator
//! typed is pinned: only typing changes it. Where a model's reading and what is held disagree, what is held
//! stays and the datum is in doubt until it is said or typed again.
mod answer;
mod reading;
mod telephone;
mod view;

pub use answer::parse;
pub use reading::read;
pub use telephone::{BadTelephone, Telephone};
pub use view::{FieldView, View};

use crate::mask::mask;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What can be taken down.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Who is calling, or of whom it is.
    Name,
    /// What the call is about, in the caller's words.
    Reason,
    /// Equipment that the caller named; never what is on file (R20).
    Equipment,
    /// A code or message that the caller named.
    Code,
    /// Where a call back reaches the caller; no identity (R9).
    Telephone,
}

/// Where a datum came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Said in the call.
    Said,
    /// Entered by the operator: it wins and stays.
    Typed,
}

/// One value that is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Datum {
    value: String,
    source: Source,
    confirmed: bool,
}

impl Datum {
    /// What it is, masked.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Where it came from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Whether the operator vouched for it.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }
}

/// What one pass over the talk found: by the rules, or by a model. What it didn't find it says nothing about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Values by field; a telephone has its own place.
    pub found: BTreeMap<Field, Vec<String>>,
    /// The telephone.
    pub telephone: Option<Telephone>,
    /// The speaker said that what was understood before is wrong.
    pub corrects: bool,
}

/// Why a typed value was refused. Never holds the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDatum {
    /// Nothing was given.
    #[error("datum refused: it is empty; type a value, or leave what is there")]
    Empty,
    /// Too long.
    #[error("datum refused: {0} characters, at most {LONGEST} are kept; shorten it")]
    Long(usize),
    /// No telephone.
    #[error(transparent)]
    Telephone(#[from] BadTelephone),
}

/// Characters of a value at most.
const LONGEST: usize = 200;
/// Values of a field at most: a caller with more devices than that names them one at a time.
const MOST: usize = 4;

/// What is held.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    values: BTreeMap<Field, Vec<Datum>>,
    doubt: BTreeSet<Field>,
    /// Not written with the rest: its digits are nobody's but the call back's (S4).
    #[serde(skip)]
    telephone: Option<(Telephone, Source)>,
}

impl std::fmt::Debug for Captured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields: Vec<&Field> = self.values.keys().collect();
        f.debug_struct("Captured").field("fields", &fields).field("telephone", &self.telephone).finish()
    }
}

impl Captured {
    /// What is held of a field; the telephone isn't among them.
    pub fn values(&self, field: Field) -> impl Iterator<Item = &Datum> {
        self.values.get(&field).into_iter().flatten()
    }

    /// The telephone, which prints masked.
    pub fn telephone(&self) -> Option<&Telephone> {
        self.telephone.as_ref().map(|(telephone, _)| telephone)
    }

    /// A telephone as it was kept apart; for a call that is rebuilt.
    pub fn restore_telephone(&mut self, telephone: Telephone, source: Source) {
        self.telephone = Some((telephone, source));
    }

    /// What may be written down: all but the telephone (S4).
    #[must_use]
    pub fn kept(&self) -> Self {
        let mut kept = Self { telephone: None, ..self.clone() };
        kept.doubt.remove(&Field::Telephone);
        kept
    }

    /// What was said counts no more, as somebody else said it; what was typed or vouched for stays.
    pub fn forget_said(&mut self) {
        for held in self.values.values_mut() {
            held.retain(|datum| datum.source == Source::Typed || datum.confirmed);
        }
        self.values.retain(|_, held| !held.is_empty());
        self.telephone.take_if(|(_, source)| *source == Source::Said);
        self.doubt.clear();
    }

    /// Whether readings of it disagree, so that it should be asked for again.
    pub fn in_doubt(&self, field: Field) -> bool {
        self.doubt.contains(&field)
    }

    /// Takes in what the rules read in a line; the fields that changed.
    pub fn take(&mut self, pass: &Pass) -> Vec<Field> {
        let mut changed: Vec<Field> = Vec::new();
        for (field, values) in &pass.found {
            if self.said(*field, values, pass.corrects) {
                changed.push(*field);
            }
        }
        if pass.telephone.as_ref().is_some_and(|telephone| self.called_back_at(telephone, pass.corrects)) {
            changed.push(Field::Telephone);
        }
        changed
    }

    /// Takes in what a model read in the talk so far. It fills what is empty; where it disagrees with what is
    /// held, that is in doubt, unless the operator typed it or vouched for it. The fields that changed.
    pub fn second_opinion(&mut self, pass: &Pass) -> Vec<Field> {
        let mut changed = Vec::new();
        for (field, values) in &pass.found {
            let held = self.values.get(field).map(Vec::as_slice).unwrap_or_default();
            let differs = !values.iter().any(|value| held.iter().any(|datum| alike(&datum.value, value)));
            let firm = held.iter().any(|datum| datum.source == Source::Typed || datum.confirmed);
            let moved = match (held.is_empty(), differs, *field) {
                (true, ..) => self.said(*field, values, false),
                // Two ways to put one reason are no disagreement.
                (false, true, Field::Name | Field::Equipment | Field::Code) if !firm => {
                    self.doubt.insert(*field)
                }
                _ => false,
            };
            if moved {
                changed.push(*field);
            }
        }
        if let Some(telephone) = &pass.telephone
            && !self.in_doubt(Field::Telephone)
            && self.called_back_at(telephone, false)
        {
            changed.push(Field::Telephone);
        }
        changed
    }

    /// The operator types a value: it wins and stays.
    pub fn typed(&mut self, field: Field, value: &str) -> Result<(), BadDatum> {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        if value.is_empty() {
            return Err(BadDatum::Empty);
        }
        let length = value.chars().count();
        if length > LONGEST {
            return Err(BadDatum::Long(length));
        }
        if field == Field::Telephone {
            self.telephone = Some((Telephone::parse(&value)?, Source::Typed));
        } else {
            let value = mask(&value).into_owned();
            self.values.insert(field, vec![Datum { value, source: Source::Typed, confirmed: true }]);
        }
        self.doubt.remove(&field);
        Ok(())
    }

    /// The operator vouches for what is held; whether anything was.
    pub fn confirm(&mut self, field: Field) -> bool {
        self.doubt.remove(&field);
        let held = self.values.get_mut(&field).into_iter().flatten();
        held.map(|datum| datum.confirmed = true).count() > 0
    }

    /// A telephone was heard. Another one than is held, without a correction, leaves both in doubt; said again,
    /// it is the one.
    fn called_back_at(&mut self, telephone: &Telephone, corrects: bool) -> bool {
        let doubt = self.in_doubt(Field::Telephone);
        match &self.telephone {
            Some((_, Source::Typed)) => return false,
            Some((held, _)) if held == telephone => return self.doubt.remove(&Field::Telephone),
            Some(_) if !corrects && !doubt => return self.doubt.insert(Field::Telephone),
            _ => {}
        }
        self.telephone = Some((telephone.clone(), Source::Said));
        self.doubt.remove(&Field::Telephone);
        true
    }

    fn said(&mut self, field: Field, values: &[String], corrects: bool) -> bool {
        let values = values.iter().map(|value| tidy(value)).filter(|value| !value.is_empty());
        let values: Vec<String> = values.collect();
        let doubt = self.in_doubt(field);
        let held = self.values.entry(field).or_default();
        if values.is_empty() || held.iter().any(|datum| datum.source == Source::Typed) {
            return false;
        }
        let known = |value: &String| held.iter().any(|datum| alike(&datum.value, value));
        if values.iter().all(known) && (values.len() == held.len() || !corrects) {
            return self.doubt.remove(&field);
        }
        let several = matches!(field, Field::Equipment | Field::Code);
        let replaces = corrects || doubt;
        if !held.is_empty() && !replaces && !several {
            return false;
        }
        let new: Vec<String> = values.into_iter().filter(|value| replaces || !known(value)).collect();
        if replaces {
            held.clear();
        }
        held.extend(new.into_iter().map(|value| Datum { value, source: Source::Said, confirmed: false }));
        let over = held.len().saturating_sub(MOST);
        held.drain(..over);
        self.doubt.remove(&field);
        true
    }
}

fn tidy(value: &str) -> String {
    let folded = value.split_whitespace().collect::<Vec<_>>().join(" ");
    mask(&folded).chars().take(LONGEST).collect()
}

/// Whether two spellings are one value, case, accents and marks aside.
fn alike(one: &str, other: &str) -> bool {
    let folded = |text: &str| {
        let words = crate::tokens::tokens(text).map(|token| crate::tokens::plain(token.text));
        words.map(|word| word.as_str().to_owned()).collect::<String>()
    };
    folded(one) == folded(other)
}
