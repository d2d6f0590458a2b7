//! Cutting text to columns, and times.
use super::super::text::{clock, cut, ends, wrap, wrap_behind};

#[test]
fn text_is_cut_between_words_and_long_words_within() {
    assert_eq!(wrap("el equipo se apagó solo", 10), ["el equipo", "se apagó", "solo"]);
    assert_eq!(wrap("1234567890123 sí", 5), ["12345", "67890", "123", "sí"]);
    assert_eq!(wrap("a\n\nb  c", 9), ["a", "b c"]);
    assert_eq!(wrap("", 9), [""; 0]);
    assert_eq!(wrap("ñandú", 0), ["ñ", "a", "n", "d", "ú"], "no room at all is one column");
}

#[test]
fn the_first_row_may_be_shorter() {
    assert_eq!(wrap_behind("hola buenas tardes", 5, 12), ["hola", "buenas", "tardes"]);
    assert_eq!(wrap_behind("buenas tardes", 3, 13), ["", "buenas tardes"], "a word isn't cut for it");
    for width in 1..40 {
        let text = "Mire, el concentrador de mi mamá empezó a pitar y aparece H08";
        let rows = wrap_behind(text, width / 2, width);
        assert!(rows.iter().all(|row| row.chars().count() <= width), "{width}: {rows:?}");
        let joined: String = rows.concat();
        assert_eq!(joined.replace(' ', ""), text.replace(' ', ""), "{width}: nothing is lost");
    }
}

#[test]
fn what_doesnt_fit_ends_in_an_ellipsis() {
    assert_eq!(cut("hola", 4), "hola");
    assert_eq!(cut("hola", 3), "ho…");
    assert_eq!(cut("hola", 0), "");
    assert_eq!(ends("una llamada", "01:05", 12), "una l… 01:05");
    assert_eq!(ends("una", "01:05", 12), "una    01:05");
}

#[test]
fn times_are_minutes_and_seconds() {
    assert_eq!([0, 65_999, 3_600_000].map(clock), ["00:00", "01:05", "1:00:00"]);
}
