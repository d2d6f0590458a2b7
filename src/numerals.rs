//! Spanish number words, one at a time: what a word is worth and how it joins its neighbours.

use crate::tokens::{Key, phonetic, plain};
use std::collections::HashMap;
use std::sync::LazyLock;

/// One number word, by the place it takes in a spoken number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Num {
    /// 0–9.
    Unit(u16),
    /// 10–19, 21–29 and fused forms (`cuarentitrés`): complete, nothing joins them from the right.
    Pair(u16),
    /// 20, 30 … 90: a unit may follow, usually after `y`.
    Tens(u16),
    /// 100 … 900.
    Hundreds(u16),
    /// `mil`.
    Thousand,
    /// `millón`, `millones`.
    Million,
}

const WORDS: [(&str, Num); 63] = [
    ("cero", Num::Unit(0)),
    ("uno", Num::Unit(1)),
    ("dos", Num::Unit(2)),
    ("tres", Num::Unit(3)),
    ("cuatro", Num::Unit(4)),
    ("cinco", Num::Unit(5)),
    ("seis", Num::Unit(6)),
    ("siete", Num::Unit(7)),
    ("ocho", Num::Unit(8)),
    ("nueve", Num::Unit(9)),
    ("diez", Num::Pair(10)),
    ("once", Num::Pair(11)),
    ("doce", Num::Pair(12)),
    ("trece", Num::Pair(13)),
    ("catorce", Num::Pair(14)),
    ("quince", Num::Pair(15)),
    ("dieciseis", Num::Pair(16)),
    ("diecisiete", Num::Pair(17)),
    ("dieciocho", Num::Pair(18)),
    ("diecinueve", Num::Pair(19)),
    ("veintiun", Num::Pair(21)),
    ("veintiuno", Num::Pair(21)),
    ("veintidos", Num::Pair(22)),
    ("veintitres", Num::Pair(23)),
    ("veinticuatro", Num::Pair(24)),
    ("veinticinco", Num::Pair(25)),
    ("veintiseis", Num::Pair(26)),
    ("veintisiete", Num::Pair(27)),
    ("veintiocho", Num::Pair(28)),
    ("veintinueve", Num::Pair(29)),
    ("veintiuna", Num::Pair(21)),
    ("veinte", Num::Tens(20)),
    ("treinta", Num::Tens(30)),
    ("cuarenta", Num::Tens(40)),
    ("cincuenta", Num::Tens(50)),
    ("sesenta", Num::Tens(60)),
    ("setenta", Num::Tens(70)),
    ("ochenta", Num::Tens(80)),
    ("noventa", Num::Tens(90)),
    ("cien", Num::Hundreds(100)),
    ("ciento", Num::Hundreds(100)),
    ("doscientos", Num::Hundreds(200)),
    ("trescientos", Num::Hundreds(300)),
    ("cuatrocientos", Num::Hundreds(400)),
    ("quinientos", Num::Hundreds(500)),
    ("seiscientos", Num::Hundreds(600)),
    ("setecientos", Num::Hundreds(700)),
    ("ochocientos", Num::Hundreds(800)),
    ("novecientos", Num::Hundreds(900)),
    ("cincocientos", Num::Hundreds(500)),
    ("sietecientos", Num::Hundreds(700)),
    ("nuevecientos", Num::Hundreds(900)),
    ("doscientas", Num::Hundreds(200)),
    ("trescientas", Num::Hundreds(300)),
    ("cuatrocientas", Num::Hundreds(400)),
    ("quinientas", Num::Hundreds(500)),
    ("seiscientas", Num::Hundreds(600)),
    ("setecientas", Num::Hundreds(700)),
    ("ochocientas", Num::Hundreds(800)),
    ("novecientas", Num::Hundreds(900)),
    ("mil", Num::Thousand),
    ("millon", Num::Million),
    ("millones", Num::Million),
];

/// Stems of the tens, for words that swallow the `y`: `cuarentitrés`, `cincuentaicinco`.
const STEMS: [(&str, u16); 7] = [
    ("treint", 30),
    ("cuarent", 40),
    ("cincuent", 50),
    ("sesent", 60),
    ("setent", 70),
    ("ochent", 80),
    ("novent", 90),
];

/// What a word spelled as it should be (accents and case aside) is worth.
pub(crate) fn number(word: &Key) -> Option<Num> {
    static TABLE: LazyLock<HashMap<Key, Num>> = LazyLock::new(|| table(plain));
    TABLE.get(word).copied()
}

/// The same for a word as it sounds: `sinco`, `sien`, `dies`.
pub(crate) fn sounded_number(word: &Key) -> Option<Num> {
    static TABLE: LazyLock<HashMap<Key, Num>> = LazyLock::new(|| table(phonetic));
    TABLE.get(word).copied()
}

fn table(fold: fn(&str) -> Key) -> HashMap<Key, Num> {
    let mut table: HashMap<Key, Num> = WORDS.iter().map(|(word, num)| (fold(word), *num)).collect();
    for (stem, ten) in STEMS {
        for (unit, num) in &WORDS[1..10] {
            let Num::Unit(one) = num else { continue };
            for joint in ["i", "ai", "y", "ay"] {
                table.insert(fold(&format!("{stem}{joint}{unit}")), Num::Pair(ten + one));
            }
        }
    }
    // `ventitrés`, as many say and write it.
    for (unit, num) in &WORDS[1..10] {
        let Num::Unit(one) = num else { continue };
        table.insert(fold(&format!("venti{unit}")), Num::Pair(20 + one));
    }
    for (unit, value) in [("seis", 16), ("siete", 17), ("ocho", 18), ("nueve", 19)] {
        table.insert(fold(&format!("diesi{unit}")), Num::Pair(value));
    }
    table
}

/// Every word for a number below 1000 that takes one word.
pub(crate) fn below_thousand() -> impl Iterator<Item = &'static str> {
    let small = |num: &Num| !matches!(num, Num::Thousand | Num::Million);
    WORDS.iter().filter(move |(_, num)| small(num)).map(|(word, _)| *word)
}

/// A cardinal below 1000 in words, as the catalogue's patterns need it (`ciento tres`).
pub(crate) fn cardinal(value: u16) -> String {
    let word = |wanted: Num| WORDS.iter().find(|(_, num)| *num == wanted).map_or("", |(word, _)| *word);
    let (hundreds, rest) = (value / 100 * 100, value % 100);
    let mut words = Vec::new();
    match (hundreds, rest) {
        (0, _) => {}
        (100, 1..) => words.push("ciento"),
        _ => words.push(word(Num::Hundreds(hundreds))),
    }
    match rest {
        0 if hundreds > 0 => {}
        0..=9 => words.push(word(Num::Unit(rest))),
        _ if rest % 10 == 0 && rest >= 20 => words.push(word(Num::Tens(rest))),
        10..=29 => words.push(word(Num::Pair(rest))),
        _ => words.extend([word(Num::Tens(rest / 10 * 10)), "y", word(Num::Unit(rest % 10))]),
    }
    words.join(" ")
}
