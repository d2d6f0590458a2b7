//! How turns are counted (DECISIONS 5).

use aura::words::count_words;

#[test]
fn r30_words_are_what_stands_between_spaces() {
    for (text, words) in [
        ("", 0),
        ("  ... — ¿? ", 0),
        ("sí", 1),
        ("ajá, dale", 2),
        ("¿el M50 me marca error H08?", 6),
        ("el 7F-5 no anda", 4),
        ("h o ocho", 3),
        ("a las 8:30", 3),
        ("no — gracias", 2),
    ] {
        assert_eq!(count_words(text), words, "{text:?}");
    }
}

#[test]
fn r30_five_or_more_dictated_digits_are_one_word() {
    for (text, words) in [
        ("dos tres cuatro cinco", 4),
        ("dos tres cuatro cinco seis", 1),
        ("dos, tres, cuatro... cinco, seis, siete", 1),
        ("2 3 4 5 6 7 8 9", 1),
        ("2 tres 4, cinco 6", 1),
        ("mi documento es dos tres cuatro cinco seis siete ocho nueve", 4),
        ("dos tres cuatro y cinco seis siete", 7),
        ("1 2 3 4 5 hola 1 2 3 4 5", 3),
        ("23 45 67 89 10", 5),
        ("CERO Uno DÓS tres cuatro", 1),
    ] {
        assert_eq!(count_words(text), words, "{text:?}");
    }
}
