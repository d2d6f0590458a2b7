//! What is hidden from a sentence and what isn't (S4).

use aura::mask::{contains_long_number, mask};
use serde_json::Value;
use std::borrow::Cow;

fn spoken() -> Vec<Value> {
    let data: Value = serde_json::from_str(include_str!("../data/dni_spoken.json")).expect("dni_spoken.json");
    data["entries"].as_array().expect("entries").clone()
}

#[test]
fn s4_every_usable_form_of_the_public_set_is_masked_with_its_last_digits() {
    let mut seen = 0;
    for entry in spoken() {
        if entry["action"] != "usar" {
            continue;
        }
        let (text, digits) =
            (entry["spoken"].as_str().expect("spoken"), entry["expected"].as_str().expect("digits"));
        let wanted = format!("DNI ···{}", &digits[digits.len() - 3..]);
        for text in [
            text.to_owned(),
            format!("hola, mi documento es {text}, y el equipo no anda"),
            text.to_uppercase(),
        ] {
            let masked = mask(&text);
            assert!(masked.contains(&wanted), "{text:?} became {masked:?}, wanted {wanted}");
            assert!(!contains_long_number(&masked), "{masked:?}");
            assert_eq!(masked.matches("DNI ···").count(), 1, "{masked:?}");
        }
        seen += 1;
    }
    assert!(seen >= 45, "{seen} forms");
}

#[test]
fn s4_phones_cuils_and_doubtful_numbers_are_masked_too() {
    for (text, wanted) in [
        ("mi CUIL es 27-05612340-2", "mi CUIL es DNI ···402"),
        ("llámeme al 11 4567-8901 por favor", "llámeme al DNI ···901 por favor"),
        ("mi teléfono es 4567-8901", "mi teléfono es DNI ···901"),
        ("al +54 9 11 5555-1234.", "al +DNI ···234."),
        ("uno dos tres, no, perdón, dos tres cuatro cinco seis siete ocho nueve", ""),
        ("23.456.798, no, 789 termina", "DNI ···789 termina"),
        ("23.456.798, no, 9", "DNI ···"),
        ("DNI: 23.456.789", "DNI ···789"),
        ("mi dni es 23456789", "mi DNI ···789"),
        ("DNI N° 23456789 y listo", "DNI ···789 y listo"),
        ("¿dos tres cuatro? cinco seis siete. ocho nueve", "¿DNI ···789"),
        ("tres cinco seis uno dos cuatro o ocho", "DNI ···408"),
        ("treinta cinco sesenta uno veinticuatro cero ocho", "DNI ···408"),
        ("un millón doscientos tres mil cuatrocientos cinco", "DNI ···405"),
        ("cuarentitrés, seiscientos doce, cuatrocientos ocho", "DNI ···408"),
        ("35\u{a0}612\u{a0}408", "DNI ···408"),
    ] {
        let masked = mask(text);
        assert!(contains_long_number(text), "{text:?}");
        if wanted.is_empty() {
            assert!(masked.ends_with("DNI ···789"), "{masked:?}");
        } else {
            assert_eq!(masked, wanted);
        }
    }
}

#[test]
fn s4_codes_models_times_and_quantities_are_left_alone() {
    for text in [
        "el M50 me marca error H08 y el 7F-5 E43",
        "tengo el eme cincuenta y el siete efe cinco",
        "a las siete y cinco le di la pastilla",
        "cinco litros durante 2 minutos, dos o tres veces por día",
        "LG103, CP501, M50, H01 y H02",
        "a las 8:30, 12:45 y 16:15",
        "mil novecientos cincuenta y seis",
        "nació el 23/04/1956",
        "entre mil quinientos y dos mil pesos",
        "un millón de gracias",
        "me salió dos millones",
        "cincuenta millones de pesos",
        "h o ocho, hache cero dos, e cuarenta y tres",
        "DNI ···789",
        "1500 metros, 220 voltios, 50 hertz",
        "",
    ] {
        assert!(
            matches!(mask(text), Cow::Borrowed(same) if same == text),
            "{text:?} became {:?}",
            mask(text)
        );
        assert!(!contains_long_number(text), "{text:?}");
    }
}

#[test]
fn s4_masking_twice_is_masking_once_whatever_the_text() {
    for text in super::noise::texts(4_000) {
        let once = mask(&text).into_owned();
        assert_eq!(mask(&once), once, "{text:?}");
        assert!(!contains_long_number(&once), "{text:?} became {once:?}");
    }
}

#[test]
fn s4_any_run_of_seven_figures_is_masked_however_it_is_split() {
    for gaps in [".", " ", "-", ", ", ",", "... ", " - ", ". "] {
        for count in 7..=12 {
            let digits: Vec<String> = (0..count).map(|i| ((i * 7 + 3) % 10).to_string()).collect();
            let (text, last) = (digits.join(gaps), digits[count - 3..].concat());
            assert_eq!(mask(&text), format!("DNI ···{last}"), "{text:?}");
        }
    }
}

#[test]
fn s4_a_talk_is_masked_as_it_is_spoken() {
    use aura::transcript::Speaker::{Agent, Patient};
    let mut talk = aura::mask::Talk::default();
    assert_eq!(talk.line(Agent, "¿Me dice su documento?", true), "¿Me dice su documento?");
    talk.line(Patient, "catorce millones", true);
    for (partial, text) in [("doscientos", "doscientos treinta y uno"), ("seiscientos", "seiscientos ocho")] {
        talk.line(Patient, partial, false);
        let masked = talk.line(Patient, text, true);
        assert!(masked.contains("DNI ···") && !masked.contains("cientos"), "{masked}");
    }
    assert_eq!(talk.line(Patient, "y hace ruido desde ayer", true), "y hace ruido desde ayer");
}
