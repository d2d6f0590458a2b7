//! What was told of a call piece by piece, put together within bounds.
use super::Metadata;
use std::collections::BTreeMap;

/// Variables that are kept of a call.
pub const MOST_VARIABLES: usize = 32;
/// Characters that are kept of a variable, and of its name.
pub const LONGEST_VARIABLE: usize = 300;

impl Metadata {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in what was told later: what it says replaces what was said before, and variables add up to
    /// 32, of 300 characters each.
    pub fn merge(&mut self, later: Self) {
        let Self {
            call,
            probe,
            rate,
            layout,
            encoding,
            leg,
            outbound_call,
            extension,
            phone,
            transcripts,
            ..
        } = later;
        self.call = call.or(self.call.take());
        self.probe |= probe;
        self.rate = rate.or(self.rate);
        self.layout = layout.or(self.layout);
        self.encoding = encoding.or(self.encoding);
        self.leg = leg.or(self.leg);
        self.outbound_call = outbound_call.or(self.outbound_call);
        self.extension = extension.or(self.extension.take());
        self.phone = phone.or(self.phone.take());
        self.transcripts = transcripts.or(self.transcripts);
        for (name, value) in later.variables {
            self.set_variable(&name, &value);
        }
    }

    /// Keeps one variable, cut to size; a new one only where there is room.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        let short = |text: &str| text.chars().take(LONGEST_VARIABLE).collect::<String>();
        let name = short(name);
        if self.variables.len() < MOST_VARIABLES || self.variables.contains_key(&name) {
            self.variables.insert(name, short(value));
        }
    }

    /// The same, with all its variables within bounds.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        for (name, value) in std::mem::take::<BTreeMap<_, _>>(&mut self.variables) {
            self.set_variable(&name, &value);
        }
        self
    }
}
