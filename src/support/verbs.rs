//! Spanish verbs: every form of every verb that the word list names.
use super::lexicon::Irregular;
use std::collections::HashMap;

/// What a form is used for, as far as a form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Mood {
    /// Usted's imperative and every present subjunctive.
    Imperative,
    /// Third person, tú, vos; vos' imperative too.
    Present,
    /// What the speaker does.
    First,
    /// Past, future, conditional.
    Past,
    /// `apagar`.
    Infinitive,
    /// `apagando`.
    Gerund,
    /// `apagado`.
    Participle,
}

/// Forms with what they are of.
pub(super) type Forms = HashMap<String, Vec<Form>>;
/// The verb's place in the list, and the mood.
pub(super) type Form = (usize, Mood);

/// Adds all forms of `entry` (`cerrar:ie`), the verb at `index`.
pub(super) fn conjugate(forms: &mut Forms, entry: &str, index: usize, irregular: Option<&Irregular>) {
    let (infinitive, change) = entry.split_once(':').unwrap_or((entry, ""));
    let mut add = |form: String, mood: Mood| {
        let known = forms.entry(form).or_default();
        if !known.contains(&(index, mood)) {
            known.push((index, mood));
        }
    };
    if let Some(verb) = Verb::new(infinitive, change) {
        verb.regular(irregular, &mut add);
    }
    for (listed, mood) in irregular.into_iter().flat_map(Irregular::listed) {
        for form in listed.split_whitespace() {
            if mood == Mood::Participle {
                participle(form, &mut add);
            } else {
                add(form.to_owned(), mood);
            }
        }
    }
}

fn participle(stem: &str, add: &mut impl FnMut(String, Mood)) {
    for end in ["o", "a", "os", "as"] {
        add(format!("{stem}{end}"), Mood::Participle);
    }
}

struct Verb<'a> {
    infinitive: &'a str,
    stem: &'a str,
    /// a, e or i.
    theme: char,
    change: &'a str,
}

impl<'a> Verb<'a> {
    fn new(infinitive: &'a str, change: &'a str) -> Option<Self> {
        let stem = infinitive.get(..infinitive.len().checked_sub(2)?)?;
        let theme = infinitive[stem.len()..].chars().next()?;
        Some(Verb { infinitive, stem, theme, change })
    }

    /// The stem where it is stressed.
    fn stressed(&self) -> String {
        let swap = |from: char, to: &str| match self.stem.rfind(from) {
            Some(at) => format!("{}{to}{}", &self.stem[..at], &self.stem[at + 1..]),
            None => self.stem.to_owned(),
        };
        match self.change {
            "ie" => swap('e', "ie"),
            "ue" if self.stem.rfind('o') > self.stem.rfind('u') => swap('o', "ue"),
            "ue" => swap('u', "ue"),
            "i" => swap('e', "i"),
            "y" => format!("{}y", self.stem),
            _ => self.stem.to_owned(),
        }
    }

    /// The stem before a vowel of the other kind: `apague`, `recoja`, `produzca`.
    fn turned(&self, stem: &str) -> String {
        let before = |end: &str, with: &str| format!("{}{with}", &stem[..stem.len() - end.len()]);
        if self.theme == 'a' {
            for (end, with) in [("c", "qu"), ("gu", "gu"), ("g", "gu"), ("z", "c")] {
                if stem.ends_with(end) {
                    return before(end, with);
                }
            }
        } else if self.change == "zc" {
            return before("c", "zc");
        } else if stem.ends_with("gu") {
            return before("gu", "g");
        } else if stem.ends_with('g') {
            return before("g", "j");
        } else if stem.ends_with('c') {
            return before("c", "z");
        }
        stem.to_owned()
    }

    /// The stem of gerund and third-person past: `pidiendo`, `durmió`, `construyó`.
    fn weak(&self) -> String {
        match (self.theme, self.change) {
            ('i', "ie" | "i") => match self.stem.rfind('e') {
                Some(at) => format!("{}i{}", &self.stem[..at], &self.stem[at + 1..]),
                None => self.stem.to_owned(),
            },
            ('i', "ue") => self.stem.replace('o', "u"),
            _ => self.stem.to_owned(),
        }
    }

    fn regular(&self, irregular: Option<&Irregular>, add: &mut impl FnMut(String, Mood)) {
        let (stem, strong) = (self.stem, self.stressed());
        let turned = self.turned(&strong);
        let flat = self.turned(stem);
        let (own, other) = if self.theme == 'a' { ("a", "e") } else { ("e", "a") };
        if !irregular.is_some_and(|forms| forms.replaces(Mood::Imperative)) {
            for (form, end) in [(&turned, ""), (&turned, "n"), (&turned, "s"), (&flat, "mos"), (&flat, "s")] {
                add(format!("{form}{other}{end}"), Mood::Imperative);
            }
        }
        if !irregular.is_some_and(|forms| forms.replaces(Mood::Present)) {
            for end in ["", "n", "s"] {
                add(format!("{strong}{own}{end}"), Mood::Present);
            }
        }
        for end in ["", "s"] {
            add(format!("{stem}{}{end}", self.theme), Mood::Present);
        }
        add(format!("{stem}{}d", self.theme), Mood::Present);
        add(format!("{strong}o"), Mood::First);
        add(format!("{stem}{}mos", self.theme), Mood::First);
        add(self.infinitive.to_owned(), Mood::Infinitive);
        self.tenses(add);
    }

    fn tenses(&self, add: &mut impl FnMut(String, Mood)) {
        let (stem, weak, whole) = (self.stem, self.weak(), self.infinitive);
        let y = if self.change == "y" { "y" } else { "i" };
        let past: &[&str] = &["o", "aste", "aron", "aba", "aban", "abas", "abamos", "ara", "aran", "ase"];
        let others: &[&str] = &["io", "ieron", "iera", "ieran", "iese"];
        if self.theme == 'a' {
            past.iter().for_each(|end| add(format!("{stem}{end}"), Mood::Past));
            add(format!("{}e", self.turned(stem)), Mood::First);
            add(format!("{stem}ando"), Mood::Gerund);
            participle(&format!("{stem}ad"), add);
        } else {
            others.iter().for_each(|end| add(format!("{weak}{y}{}", &end[1..]), Mood::Past));
            for end in ["iste", "ia", "ian", "iamos"] {
                add(format!("{stem}{end}"), Mood::Past);
            }
            add(format!("{stem}i"), Mood::First);
            add(format!("{weak}{y}endo"), Mood::Gerund);
            participle(&format!("{stem}id"), add);
        }
        for end in ["a", "an", "as", "ia", "ian", "ias"] {
            add(format!("{whole}{end}"), Mood::Past);
        }
        for end in ["e", "emos", "iamos"] {
            add(format!("{whole}{end}"), Mood::First);
        }
    }
}
