//! Numbers as they are said: whole, in groups, digit by digit.

const DIGITS: [&str; 10] =
    ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"];

/// A number below a thousand million, as it is said.
fn words(n: u32) -> String {
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
    const TENS: [&str; 7] = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];
    const HUNDREDS: [&str; 9] = [
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
    let join = |head: String, rest: u32| if rest == 0 { head } else { format!("{head} {}", words(rest)) };
    match n {
        0..10 => DIGITS[n as usize].to_owned(),
        10..30 => TEENS[n as usize - 10].to_owned(),
        30..100 if n.is_multiple_of(10) => TENS[n as usize / 10 - 3].to_owned(),
        30..100 => format!("{} y {}", TENS[n as usize / 10 - 3], DIGITS[n as usize % 10]),
        100 => "cien".to_owned(),
        101..1000 => join(HUNDREDS[n as usize / 100 - 1].to_owned(), n % 100),
        1000..2000 => join("mil".to_owned(), n % 1000),
        2000..1_000_000 => join(format!("{} mil", short(n / 1000)), n % 1000),
        1_000_000..2_000_000 => join("un millón".to_owned(), n % 1_000_000),
        _ => join(format!("{} millones", short(n / 1_000_000)), n % 1_000_000),
    }
}

/// As before `mil` and `millones`.
fn short(n: u32) -> String {
    words(n).replace("veintiuno", "veintiún").replace("y uno", "y un")
}

/// A group of figures as it is said by itself: its zeros too.
pub fn group(figures: &str) -> String {
    let zeros = figures.len() - figures.trim_start_matches('0').len();
    let rest = figures.trim_start_matches('0');
    let zeros = std::iter::repeat_n("cero".to_owned(), zeros);
    let rest = (!rest.is_empty()).then(|| words(rest.parse().expect("figures")));
    zeros.chain(rest).collect::<Vec<_>>().join(" ")
}

/// A document's parts as it is written: `23`, `456`, `789`.
pub fn parts(digits: &str) -> [&str; 3] {
    let (head, last) = digits.split_at(digits.len() - 3);
    let (first, middle) = head.split_at(head.len() - 3);
    [first, middle, last]
}

/// Digit by digit.
pub fn spelled(digits: &str) -> String {
    let digit = |c: char| DIGITS[c.to_digit(10).expect("a digit") as usize];
    digits.chars().map(digit).collect::<Vec<_>>().join(" ")
}

/// As one number.
pub fn as_number(digits: &str) -> String {
    words(digits.parse().expect("figures"))
}
