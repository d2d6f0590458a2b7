//! Cutting a stream into sentences: the unit that is released (DECISIONS 17).
use aura::sentence::Sentences;

/// All sentences of a text that arrives in pieces.
fn cut<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut cutter = Sentences::default();
    let mut all: Vec<String> = pieces.into_iter().flat_map(|piece| cutter.push(piece)).collect();
    all.extend(cutter.flush());
    all
}

const TEXTS: [(&str, &[&str]); 16] = [
    ("Apague el equipo. Espere un momento.", &["Apague el equipo.", "Espere un momento."]),
    ("El flujo es de 1.5 litros. Nada más.", &["El flujo es de 1.5 litros.", "Nada más."]),
    ("Lo atiende el Dr. Pérez. Llámelo.", &["Lo atiende el Dr. Pérez.", "Llámelo."]),
    ("La Sra. Gómez y el Sr. Díaz. Bien.", &["La Sra. Gómez y el Sr. Díaz.", "Bien."]),
    ("¿Me escucha? ¡Bien! Sigamos.", &["¿Me escucha?", "¡Bien!", "Sigamos."]),
    ("Espere… ya lo miro... listo.", &["Espere…", "ya lo miro...", "listo."]),
    ("Dijo «apague el equipo.» Y nada más.", &["Dijo «apague el equipo.»", "Y nada más."]),
    ("(Es el de atrás.) Apague.", &["(Es el de atrás.)", "Apague."]),
    ("Presione H08. Espere", &["Presione H08.", "Espere"]),
    ("Sin punto final", &["Sin punto final"]),
    ("Uno\nDos. Tres", &["Uno", "Dos.", "Tres"]),
    ("Son las 10.30 hs. Av. Mitre 1.200. Fin.", &["Son las 10.30 hs.", "Av. Mitre 1.200.", "Fin."]),
    ("¿Qué?! No. Sí.", &["¿Qué?!", "No.", "Sí."]),
    ("Pase a aura.com.ar y mire. Fin.", &["Pase a aura.com.ar y mire.", "Fin."]),
    ("  \n ", &[]),
    ("El Dr. J. Pérez, aprox. a las 5. Fin.", &["El Dr. J. Pérez, aprox. a las 5.", "Fin."]),
];

#[test]
fn d17_sentences_are_cut_as_they_are_spoken() {
    for (text, expected) in TEXTS {
        assert_eq!(cut([text]), expected, "{text}");
    }
}

#[test]
fn d17_wherever_a_stream_is_split_the_sentences_are_the_same() {
    for (text, expected) in TEXTS {
        let letters: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(cut(letters.iter().map(String::as_str)), expected, "letter by letter: {text}");
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        for first in &places {
            for second in places.iter().filter(|second| *second >= first) {
                let pieces = [&text[..*first], &text[*first..*second], &text[*second..]];
                assert_eq!(cut(pieces), expected, "{pieces:?}");
            }
        }
    }
}

#[test]
fn d17_a_sentence_is_released_as_soon_as_the_next_begins() {
    let mut cutter = Sentences::default();
    assert_eq!(cutter.push("Apague el equipo"), [] as [&str; 0]);
    assert_eq!(cutter.push("."), [] as [&str; 0], "it may be a decimal yet");
    assert_eq!(cutter.push(" Es"), ["Apague el equipo."]);
    assert_eq!(cutter.flush().as_deref(), Some("Es"));
    assert_eq!(cutter.flush(), None);
}

/// Sixty words without a full stop, then another sentence.
fn long() -> String {
    format!("{}fin. Después viene otra.", "palabra ".repeat(60))
}

#[test]
fn d17_speech_never_waits_for_a_full_stop_that_does_not_come() {
    let text = long();
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let cut = cut(letters.iter().map(String::as_str));
    assert!(cut.len() >= 3, "{cut:?}");
    assert!(cut.iter().all(|sentence| sentence.len() <= 330 && !sentence.starts_with("alabra")), "{cut:?}");
    assert_eq!(cut.join(" "), text);
}

#[test]
fn d17_an_overlong_sentence_is_cut_alike_however_it_arrives() {
    let text = long();
    let letters: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(cut([text.as_str()]), cut(letters.iter().map(String::as_str)));
}

#[test]
fn d17_no_text_is_lost_and_nothing_panics() {
    let noise =
        ["…", "á", "ñ. ", "¿", "😀 ", "\u{301}", "... ", "1.", "5 ", "»", "\r\n", "Dr", ". ", "\t", "a!"];
    let mut state = 7_usize;
    for _ in 0..300 {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            noise[(state >> 33) % noise.len()]
        };
        let pieces: Vec<&str> = (0..40).map(|_| next()).collect();
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&cut(pieces.iter().copied()).concat()), squeezed(&pieces.concat()));
    }
}
