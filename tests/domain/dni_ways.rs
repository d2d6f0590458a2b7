//! Every way to say a document, by a generator: what is said whole is recovered, what lacks a digit isn't used.

use super::dni_cases::show;
use aura::dni::{Action, Dictation, extract};
use aura::ids::Dni;
use aura::mask::mask_lines;
use aura::transcript::{Speaker, Turn};

const UNITS: [&str; 10] = ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"];
const TEENS: [&str; 20] = [
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
];
const TENS: [&str; 10] =
    ["", "", "", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];
const HUNDREDS: [&str; 10] = [
    "",
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
];

/// Repeatable chance (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[usize::try_from(self.below(of.len() as u64)).expect("small")]
    }

    /// A document: six of seven have eight digits; zeros are as frequent as in life, and then some.
    fn document(&mut self) -> String {
        let head = match self.below(7) {
            0 => 1 + self.below(9),
            1 => 92 + self.below(4),
            2 => 70 + self.below(2),
            _ => 10 + self.below(46),
        };
        let mut digits = head.to_string();
        for _ in 0..2 {
            let third = match self.below(8) {
                0 => 0,
                1 => self.below(10),
                2 => self.below(100),
                3 => self.below(10) * 100,
                _ => self.below(1000),
            };
            digits.push_str(&format!("{third:03}"));
        }
        digits
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("digits")
}

fn below_hundred(n: u64, and: &str) -> String {
    let (tens, units) = ((n / 10) as usize, (n % 10) as usize);
    match n {
        0..=9 => UNITS[units].to_owned(),
        10..=29 => TEENS[(n - 10) as usize].to_owned(),
        _ if units == 0 => TENS[tens].to_owned(),
        _ => format!("{}{and}{}", TENS[tens], UNITS[units]),
    }
}

fn cardinal(n: u64) -> String {
    match (n / 100, n % 100) {
        (0, rest) => below_hundred(rest, " y "),
        (1, 0) => "cien".to_owned(),
        (hundreds, 0) => HUNDREDS[hundreds as usize].to_owned(),
        (hundreds, rest) => format!("{} {}", HUNDREDS[hundreds as usize], below_hundred(rest, " y ")),
    }
}

fn spelled(digits: &str) -> Vec<String> {
    digits.bytes().map(|digit| UNITS[usize::from(digit - b'0')].to_owned()).collect()
}

/// Three digits as a group: a number, digit by digit, or `cero` and the rest.
fn third(digits: &str, dice: &mut Dice) -> String {
    match dice.below(4) {
        0 => spelled(digits).join(" "),
        1 if digits.starts_with("00") => format!("doble cero {}", UNITS[number(&digits[2..]) as usize]),
        _ if digits.starts_with("00") => spelled(digits).join(" "),
        _ if digits.starts_with('0') => format!("cero {}", below_hundred(number(digits), " y ")),
        _ => cardinal(number(digits)),
    }
}

fn one(text: String) -> String {
    text.replace("veintiuno mil", "veintiún mil").replace("uno mil", "un mil")
}

/// The ways to say a document. The flag: with a digit left out it can be told that one is missing.
type Way = (&'static str, bool, fn(&str, &mut Dice) -> String);

fn parts(digits: &str) -> (&str, &str, &str) {
    let len = digits.len();
    (&digits[..len - 6], &digits[len - 6..len - 3], &digits[len - 3..])
}

fn as_number(digits: &str, _: &mut Dice) -> String {
    let (head, thousands, units) = parts(digits);
    let millions = match number(head) {
        1 => "un millón".to_owned(),
        other => format!("{} millones", below_hundred(other, " y ")).replace("uno millones", "un millones"),
    };
    let thousands = match number(thousands) {
        0 => String::new(),
        1 => " mil".to_owned(),
        other => one(format!(" {} mil", cardinal(other))),
    };
    let units = if number(units) == 0 { String::new() } else { format!(" {}", cardinal(number(units))) };
    millions + &thousands + &units
}

fn as_recognised_number(digits: &str, dice: &mut Dice) -> String {
    let (head, thousands, units) = parts(digits);
    match dice.below(3) {
        0 => format!("{head} millones {} mil {}", number(thousands), number(units)),
        1 => format!("{head} millones {thousands}.{units}"),
        _ => format!("{head} millones {thousands}{units}"),
    }
}

fn digit_by_digit(digits: &str, dice: &mut Dice) -> String {
    let gap = dice.pick(&[" ", ", ", "... ", ". ", ", eh, "]);
    spelled(digits).join(gap)
}

fn figures_one_by_one(digits: &str, dice: &mut Dice) -> String {
    let gap = dice.pick(&[" ", ", ", "-", ". "]);
    digits.chars().map(String::from).collect::<Vec<_>>().join(gap)
}

fn pairs(digits: &str, dice: &mut Dice) -> String {
    let gap = dice.pick(&[" ", ", "]);
    let pair = |pair: &[u8]| match pair {
        [b'0', unit] => format!("cero {}", UNITS[usize::from(unit - b'0')]),
        [one] => UNITS[usize::from(one - b'0')].to_owned(),
        pair => below_hundred(number(std::str::from_utf8(pair).expect("digits")), " y "),
    };
    digits.as_bytes().chunks(2).map(pair).collect::<Vec<_>>().join(gap)
}

fn groups(digits: &str, dice: &mut Dice) -> String {
    let (head, thousands, units) = parts(digits);
    let gap = dice.pick(&[" ", ", ", "... "]);
    [below_hundred(number(head), " y "), third(thousands, dice), third(units, dice)].join(gap)
}

fn millions_and_groups(digits: &str, _: &mut Dice) -> String {
    let (head, thousands, units) = parts(digits);
    let head =
        if head == "1" { "un millón".to_owned() } else { format!("{} millones", cardinal(number(head))) };
    format!("{head}, {}, {}", spelled(thousands).join(" "), spelled(units).join(" "))
}

fn written(digits: &str, dice: &mut Dice) -> String {
    let (head, thousands, units) = parts(digits);
    let gap = dice.pick(&[".", " ", "-", ",", "."]);
    [head, thousands, units].join(gap)
}

fn together(digits: &str, _: &mut Dice) -> String {
    digits.to_owned()
}

const WAYS: [Way; 9] = [
    ("as a number", false, as_number),
    ("as a recognised number", false, as_recognised_number),
    ("digit by digit", false, digit_by_digit),
    ("figures one by one", false, figures_one_by_one),
    ("pairs", true, pairs),
    ("groups", true, groups),
    ("millions and groups", true, millions_and_groups),
    ("written", true, written),
    ("together", false, together),
];

const LEADS: [&str; 6] =
    ["", "mi documento es ", "sí, anote: ", "el DNI es el ", "le digo, ", "Buenas, llamo por mi mamá, "];
const TRAILS: [&str; 4] = ["", ".", ", y el M50 marca H08", ", gracias"];

/// Whether what was said isn't sure by itself, and is asked for again: what may be an amount, and hundreds
/// or tens right before a digit (`cuatrocientos siete seis cinco`).
fn is_open(way: &str, digits: &str, said: &str) -> bool {
    let run_on = |word: &str| UNITS[1..].iter().any(|unit| said.contains(&format!("{word} {unit}")));
    let cut = HUNDREDS[1..].iter().chain(&TENS[3..]).chain(&["cien", "veinte"]);
    (way == "as a number" && digits.ends_with("00000"))
        || (way == "groups" && cut.into_iter().any(|word| run_on(word)))
}

#[test]
fn r9_e13_any_document_is_recovered_exactly_in_every_way_to_say_it() {
    let (mut dice, mut open) = (Dice(5), 0);
    for round in 0..2_500 {
        let digits = dice.document();
        for (way, _, say) in WAYS {
            // Round millions are an amount wherever nobody speaks of a document.
            if way == "as a number" && digits.ends_with("000000") {
                continue;
            }
            // Pairs that don't come out even lack a digit for all that anybody can tell.
            if way == "pairs" && digits.len() == 7 {
                continue;
            }
            // A recogniser doesn't write `mil 000`.
            if way == "as a recognised number" && (digits[digits.len() - 6..].contains("000")) {
                continue;
            }
            let said = say(&digits, &mut dice);
            let text = format!("{}{said}{}", dice.pick(&LEADS), dice.pick(&TRAILS));
            let found = extract(&text);
            if is_open(way, &digits, &said) && found.action == Action::AskAgain {
                let may_be: Vec<String> = found.may_be().into_iter().map(Dni::digits).collect();
                assert!(may_be.contains(&digits), "{round} {way}: {text:?} {}", show(&found));
                open += 1;
            } else {
                let used = found.to_use().map(Dni::digits);
                assert_eq!(used.as_deref(), Some(&digits[..]), "{round} {way}: {text:?} {}", show(&found));
            }
            assert!(aura::mask::contains_long_number(&text), "S4 {way}: {text:?}");
        }
    }
    assert!(open < 1_000, "{open} of 22,000 are asked for again");
}

/// The positions whose digit is left out: after the millions. A digit of the millions leaves a document of seven.
fn droppable(digits: &str) -> impl Iterator<Item = usize> + '_ {
    let head = digits.len() - 6;
    head..digits.len()
}

#[test]
fn r9_e13_a_document_that_lacks_a_digit_is_never_used() {
    let mut dice = Dice(6);
    let mut told = 0;
    for round in 0..1_500 {
        let digits = dice.document();
        for (way, tells, say) in WAYS {
            for at in droppable(&digits) {
                let short = format!("{}{}", &digits[..at], &digits[at + 1..]);
                // Seven digits, each by itself, are a document of seven; nobody can tell.
                if !tells && short.len() == 7 {
                    continue;
                }
                let said = match way {
                    "pairs" | "digit by digit" | "figures one by one" | "together" => say(&short, &mut dice),
                    "groups" | "written" => lacking(&digits, at, way, &mut dice),
                    _ => continue,
                };
                let found = extract(&format!("mi documento es {said}"));
                assert_eq!(found.to_use(), None, "{round} {way}: {said:?} of {digits}: {}", show(&found));
                assert_eq!(found.action, Action::AskAgain, "{round} {way}: {said:?}");
                told += 1;
            }
        }
    }
    assert!(told > 10_000, "{told}");
}

/// The three groups with one digit left out of one of them.
fn lacking(digits: &str, at: usize, way: &str, dice: &mut Dice) -> String {
    let (head, thousands, units) = parts(digits);
    let at = at - head.len();
    let without = |group: &str, at: usize| format!("{}{}", &group[..at], &group[at + 1..]);
    let (thousands, units) = match at {
        0..=2 => (without(thousands, at), units.to_owned()),
        _ => (thousands.to_owned(), without(units, at - 3)),
    };
    if way == "written" {
        return [head, &thousands, &units].join(dice.pick(&[".", " ", "-"]));
    }
    let say = |group: &str, dice: &mut Dice| {
        if group.len() == 3 { third(group, dice) } else { spelled(group).join(" ") }
    };
    [below_hundred(number(head), " y "), say(&thousands, dice), say(&units, dice)]
        .join(dice.pick(&[" ", ", "]))
}

#[test]
fn r9_s4_any_document_dictated_over_lines_is_recovered_and_masked_whatever_the_operator_hums() {
    let (mut dice, mut asked) = (Dice(7), 0);
    for round in 0..1_500 {
        let digits = dice.document();
        let (head, thousands, units) = parts(&digits);
        let groups =
            [below_hundred(number(head), " y "), third(thousands, &mut dice), third(units, &mut dice)];
        let mut dictation = Dictation::of(Speaker::Patient);
        let mut hear = |speaker, text: &str| dictation.hear(&Turn::heard(speaker, text).expect("words"));
        hear(Speaker::Agent, "¿Me dice su documento, por favor?");
        let mut last = None;
        let mut lines =
            vec![Turn::heard(Speaker::Agent, "¿Me dice su documento, por favor?").expect("words")];
        for group in &groups {
            let found = hear(Speaker::Patient, group);
            let early = found.to_use().map(Dni::digits).filter(|used| *used != digits);
            assert_eq!(early, None, "{round}: {group:?} of {groups:?}");
            last = Some(found);
            let hum = [group.as_str(), "ajá", "sí", "lo escucho", "perfecto"];
            let hum = dice.pick(&hum);
            hear(Speaker::Agent, hum);
            let turn = |speaker, text| Turn::heard(speaker, text).expect("words");
            lines.extend([turn(Speaker::Patient, group), turn(Speaker::Agent, hum)]);
        }
        let found = last.expect("three lines");
        let may_be: Vec<String> = found.may_be().into_iter().map(Dni::digits).collect();
        assert_eq!(may_be, [digits.as_str()], "{round}: {groups:?} {}", show(&found));
        asked += usize::from(found.action == Action::AskAgain);
        let masked = mask_lines(&lines);
        for (line, masked) in lines.iter().zip(&masked).filter(|(line, _)| line.speaker == Speaker::Patient) {
            assert!(!masked.contains(&line.text) && masked.contains("DNI ···"), "S4 {round}: {masked:?}");
        }
    }
    // A line that begins as the first did, or says what the last one did, may say it again (zeros do so often here).
    assert!(asked < 45, "{asked} of 1,500 are asked for again");
}
