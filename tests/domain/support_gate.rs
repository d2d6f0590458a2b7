//! S2's rules one by one: what counts as evidence, for what, and how values are compared.
use super::shelf::rows;
use super::support::all_models;
use aura::equipment::{Catalogue, Model};
use aura::phrases;
use aura::retrieval::Chunk;
use aura::support::{Support, Verdict, first_technical};
use std::collections::BTreeSet;

fn catalogue() -> &'static Catalogue {
    Catalogue::builtin()
}

/// A lesson as the only evidence: it is as good as a row.
fn taught(lesson: &str, sentence: &str) -> bool {
    Support::new(&[], &[lesson], &[], "", &BTreeSet::new(), catalogue()).check(sentence).may_leave()
}

fn row(source: &str, label: &str) -> Chunk {
    rows().iter().find(|row| row.source.contains(source) && row.row.contains(label)).unwrap().clone()
}

fn with(rows: &[Chunk], heard: &[&str], sentence: &str) -> Verdict {
    let question = heard.last().copied().unwrap_or_default();
    let said = heard.iter().flat_map(|line| catalogue().normalise(line).models).collect();
    Support::new(rows, &[], heard, question, &said, catalogue()).check(sentence)
}

#[test]
fn s2_what_the_code_itself_says_needs_no_evidence() {
    let spoken = [
        phrases::GREETING,
        phrases::HOLDING_COPILOT,
        phrases::HOLDING_BOT,
        phrases::ASK_EQUIPMENT,
        phrases::FAREWELL,
        phrases::REMINDER,
    ];
    let support = Support::default();
    for phrase in spoken {
        let mut cutter = aura::sentence::Sentences::default();
        let mut whole = cutter.push(phrase.es);
        whole.extend(cutter.flush());
        for sentence in whole {
            assert_eq!(support.check(&sentence), Verdict::Plain, "{sentence}");
        }
    }
}

#[test]
fn s2_a_value_is_the_same_however_it_is_said() {
    let same = [
        ("Espere media hora.", "Espere 30 minutos."),
        ("Espere media hora.", "Espere treinta minutos."),
        ("Espere una hora y media.", "Espere 90 minutos."),
        ("Espere un par de minutos.", "Espere 2 minutos."),
        ("Limpie el filtro una vez por semana.", "Limpie el filtro cada 7 días."),
        ("Limpie el filtro cada semana.", "Limpie el filtro semanalmente."),
        ("Limpie el filtro todos los días.", "Limpie el filtro a diario."),
        ("Limpie el filtro cada quince días.", "Limpie el filtro cada 15 días."),
        ("Limpie el filtro dos veces por día.", "Limpie el filtro cada doce horas."),
        ("Ponga la perilla en 1,5 litros por minuto.", "Ponga la perilla en 1.5 l/min."),
        (
            "Ponga la perilla en 1,5 litros por minuto.",
            "Ponga la perilla en uno coma cinco litros por minuto.",
        ),
        ("Ponga la perilla en 3 LPM.", "Ponga la perilla en tres litros."),
        ("Espere de 5 a 10 minutos.", "Espere entre cinco y diez minutos."),
        ("Espere al menos 2 minutos.", "Espere dos minutos como mínimo."),
        ("Espere hasta 5 minutos.", "Espere como máximo cinco minutos."),
        ("El agua llega al 82 %.", "El agua llega al 82 por ciento."),
    ];
    for (lesson, sentence) in same {
        assert!(taught(lesson, sentence), "{lesson} → {sentence}");
        assert!(taught(sentence, lesson) || lesson.contains("LPM"), "{sentence} → {lesson}");
    }
}

#[test]
fn s2_another_value_another_unit_another_limit_is_held() {
    let other = [
        ("Espere media hora.", "Espere una hora."),
        ("Espere 5 minutos.", "Espere 5 segundos."),
        ("Espere 5 minutos.", "Espere cinco horas."),
        ("Limpie el filtro cada 7 días.", "Limpie el filtro cada 7 semanas."),
        ("Limpie el filtro una vez por semana.", "Limpie el filtro una vez por mes."),
        ("Limpie el filtro una vez por semana.", "Limpie el filtro dos veces por semana."),
        ("Limpie el filtro una vez por semana.", "Limpie el filtro todos los días."),
        ("Ponga la perilla en 1,5 litros.", "Ponga la perilla en 15 litros."),
        ("Ponga la perilla en 2 litros.", "Ponga la perilla en dos coma cinco litros."),
        ("Espere de 5 a 10 minutos.", "Espere de 5 a 15 minutos."),
        ("Espere al menos 2 minutos.", "Espere hasta 2 minutos."),
        ("Espere hasta 5 minutos.", "Espere más de 5 minutos."),
        ("Espere hasta 5 minutos.", "Espere 5 minutos o más."),
        ("Cambie el filtro cada 7 días y la cánula cada 15.", "Cambie la cánula cada 7 días."),
        (
            "El filtro se cambia cada 7 días. La cánula se cambia cada 15 días.",
            "La cánula se cambia cada 7 días.",
        ),
        ("Limpie el filtro con agua.", "Limpie el filtro con alcohol."),
        ("Limpie el filtro con agua.", "Limpie la cánula con agua."),
        ("Sacuda el filtro.", "Lave el filtro."),
    ];
    for (lesson, sentence) in other {
        assert!(!taught(lesson, sentence), "{lesson} → {sentence}");
    }
}

#[test]
fn s2_all_of_a_sentence_rests_on_one_row() {
    let rows = [row("yuwell", "E1"), row("yuwell", "E2")];
    assert!(with(&rows, &[], "Enderece la manguera y cierre bien el vasito.").may_leave());
    assert!(with(&rows, &[], "Conéctelo directo a otro tomacorriente, sin alargue.").may_leave());
    assert!(!with(&rows, &[], "Conéctelo a otro tomacorriente y cierre bien el vasito.").may_leave());
}

#[test]
fn s2_where_the_question_names_a_code_only_rows_that_hold_it_are_evidence() {
    let rows = [row("yuwell", "E1"), row("yuwell", "E2")];
    let sentence = "Enderece la manguera y cierre bien el vasito.";
    assert!(with(&rows, &["me marca E2"], sentence).may_leave());
    assert!(with(&rows, &["me marca e dos"], sentence).may_leave());
    assert!(!with(&rows, &["me marca E1"], sentence).may_leave());
    assert!(!with(&rows, &["me marca E9"], sentence).may_leave());
    assert!(with(&rows, &["antes marcaba E1", "y ahora E2"], sentence).may_leave());
}

#[test]
fn s2_where_the_turn_names_a_device_no_other_ones_row_is_evidence() {
    let rows = [row("lovego", "Pantalla: E1"), row("yuwell", "Pantalla: E1")];
    let power = "El E1 está relacionado con la alimentación eléctrica.";
    assert!(!with(&rows, &["el lg103 marca e1"], power).may_leave());
    assert!(with(&rows, &["el yuwell marca e1"], power).may_leave());
    assert!(
        with(&rows, &["me marca e1"], power).may_leave(),
        "the call's filter decides where nothing is named"
    );
}

#[test]
fn s2_a_tubes_row_says_nothing_of_a_device_but_all_of_a_tube() {
    let rows = [row("lovego", "No dispara"), row("mochila", "No dispara"), row("tubo_regulador", "Silbido")];
    let heard = ["el lovego no dispara cuando respiro"];
    assert!(!with(&rows, &heard, "Revise la pila.").may_leave());
    assert!(with(&rows, &heard, "Conecte firme la cánula.").may_leave());
    assert!(with(&rows, &heard, "Cierre la válvula.").may_leave());
    assert!(with(&rows, &["el ahorrador no dispara"], "Revise la pila.").may_leave());
}

#[test]
fn s2_nothing_is_put_before_a_call_for_help() {
    for late in [
        "Avise primero al proveedor y después llame a emergencias.",
        "Antes de llamar a emergencias, pase al respaldo.",
        "Pida service y, cuando lo haya pedido, llame a emergencias.",
        "Llámenos primero a nosotros y después a los bomberos.",
    ] {
        assert!(!with(&[], &[], late).may_leave(), "{late}");
    }
    assert!(with(&[], &[], "Llame ya a emergencias.").may_leave());
    assert!(with(&[], &[], "Llame a emergencias antes que a nadie.").may_leave());
}

#[test]
fn s2_the_patients_own_numbers_are_said_back_and_set_nothing() {
    let heard = ["vivo en belgrano 1250", "mi mamá tiene 78 años"];
    assert_eq!(with(&[], &heard, "Belgrano mil doscientos cincuenta, perfecto."), Verdict::Plain);
    assert_eq!(with(&[], &heard, "Setenta y ocho años, muy bien."), Verdict::Plain);
    for other in ["Belgrano 1260, perfecto.", "Entonces son 78 litros.", "Espere 78 minutos."] {
        assert!(!with(&[], &heard, other).may_leave(), "{other}");
    }
    assert!(!with(&[], &["lo pongo en 3?"], "En tres, perfecto.").may_leave());
}

#[test]
fn s2_the_patients_words_name_things_and_prove_nothing() {
    let heard = ["me aparece E9 y una luz violeta que titila, yo le puse 3 litros y lo limpio con alcohol"];
    assert!(with(&[], &heard, "Entiendo, le aparece E9.").may_leave());
    assert!(with(&[], &heard, "¿La luz violeta titila todo el tiempo?").may_leave());
    for claim in [
        "El E9 es una falla del equipo.",
        "La luz violeta indica que está en espera.",
        "Déjelo en 3 litros.",
        "Son 3 litros.",
        "Siga limpiándolo con alcohol.",
        "Sí, puede limpiarlo con alcohol.",
    ] {
        assert!(!with(&[], &heard, claim).may_leave(), "{claim}");
    }
}

#[test]
fn s2_a_model_is_named_only_where_the_patient_named_it() {
    let rows = [row("m50", "H08")];
    let sentence = "En el M50, el H08 señala una falla del equipo.";
    assert!(!with(&rows, &["me sale H08"], sentence).may_leave());
    assert!(with(&rows, &["el M50 marca H08"], sentence).may_leave());
    assert!(!with(&rows, &["el M50 marca H08"], "En su SysMed M50, el H08 señala una falla.").may_leave());
    assert!(!with(&[], &["tengo un concentrador blanco"], "Entonces tiene el Nuvo Lite.").may_leave());
    assert!(with(&[], &["tengo un EverFlo"], "Perfecto, usted tiene un EverFlo.").may_leave());
}

/// What a caller of the load generator hears, with a context that is fixed: no row is evidence.
#[test]
fn s2_a_reference_of_the_office_is_no_display_code() {
    let answer = "Entiendo, señora, quédese tranquila. Estoy mirando lo que usted me cuenta y enseguida le digo cómo \
                  seguimos, no corte la llamada, por favor, que ya casi lo tengo. Gracias por esperar, sigo con usted.";
    let words: Vec<&str> = answer.split(' ').collect();
    for reference in ["C1T3", "C12T345", "C998T1204", "R45-K2"] {
        let heard = format!("La pantalla muestra un cartelito. Mi referencia es {reference}.");
        // The generator cuts its answer anywhere and ends it so.
        for head in 0..=words.len() {
            let said = format!("{} Su referencia es {reference}.", words[..head].join(" "));
            let mut cutter = aura::sentence::Sentences::default();
            let mut whole = cutter.push(&said);
            whole.extend(cutter.flush());
            for sentence in whole {
                assert_eq!(with(&[], &[&heard], &sentence), Verdict::Plain, "{sentence}");
            }
        }
    }
}

#[test]
fn s2_a_display_code_called_a_reference_is_one_and_a_reference_excuses_nothing_else() {
    let row = [row("m50", "H08")];
    for held in [
        "Su referencia es E05.",
        "Su referencia es E-05.",
        "Su referencia es H02.",
        "Su número de reclamo es E43-K2.",
        "Su referencia es Low O2.",
        "La pantalla muestra C1T3.",
        "Su código de error es C1T3.",
        "La referencia del filtro es F12K3.",
        "Su referencia es C1T3 y suba el flujo a 3.",
        "Apague el equipo; su referencia es C1T3.",
    ] {
        assert!(!with(&row, &["el M50 marca H08"], held).may_leave(), "{held}");
    }
}

#[test]
fn s2_no_step_leaves_that_comes_after_one_the_patient_cannot_take() {
    let rows = [row("tubo_regulador", "Silbido o pérdida"), row("tubo_regulador", "La pérdida es grande")];
    let reopens = "Reajuste el regulador a mano y vuelva a abrir despacio.";
    assert!(with(&rows, &["silba la rosca del regulador"], reopens).may_leave());
    for stuck in [
        "la pérdida es grandísima y no puedo cerrar la válvula",
        "silba y la válvula no cierra",
        "no logro cerrarla",
        "la válvula no se puede cerrar",
    ] {
        assert!(!with(&rows, &[stuck], reopens).may_leave(), "{stuck}");
        let leave = "Abra puertas y ventanas, y salga del lugar con todos.";
        assert_eq!(with(&rows, &[stuck], leave), Verdict::Supported, "{stuck}");
    }
}

#[test]
fn s2_a_day_is_promised_by_nobody_but_noted_down() {
    let rows = [row("recarga", "Zonas")];
    assert!(!with(&rows, &["¿pasan el jueves?"], "Sí, pasan el jueves.").may_leave());
    assert!(with(&rows, &["el jueves no voy a estar"], "Anoto que el jueves no está.").may_leave());
    assert!(!with(&rows, &["el jueves no voy a estar"], "Anoto que el viernes no está.").may_leave());
    assert!(with(&rows, &[], "El día lo confirma logística, según la zona.").may_leave());
}

#[test]
fn s2_reasons_say_what_is_missing() {
    let Verdict::Unsupported(reasons) = with(&[row("everflo", "Luz roja fija")], &[], "Espere 15 minutos.")
    else {
        panic!("held")
    };
    assert_eq!(reasons, ["number: 900 s"]);
    let Verdict::Unsupported(reasons) = with(&[row("m50", "H08")], &[], "No apague el equipo.") else {
        panic!("held")
    };
    assert!(reasons.contains(&"verb: no apagar".to_owned()), "{reasons:?}");
    assert!(!Support::default().check("Ponga dos litros.").may_leave());
}

#[test]
fn s2_the_first_technical_word_of_a_running_text() {
    let at = |text: &'static str| first_technical(text, catalogue()).map(|at| &text[at..]);
    assert_eq!(at(""), None);
    assert_eq!(at("Entiendo, señora Marta. "), None);
    assert_eq!(at("Quédese tranquila, ya lo busco. "), None);
    assert_eq!(at("Entiendo, apague el equipo."), Some("apague el equipo."));
    assert_eq!(at("Bueno, no lo apague "), Some("no lo apague "));
    assert_eq!(at("Le cuento que son 5 litros "), Some("5 litros "));
    assert_eq!(at("Perfecto: la luz roja "), Some("la luz roja "));
    assert_eq!(at("Sí, el H08 "), Some("el H08 "));
    assert_eq!(at("Mire, el EverFlo "), Some("el EverFlo "));
    assert_eq!(at("Gracias. Desenchuf"), Some("Desenchuf"), "the word isn't finished yet");
}

/// Words, halves of words and marks that the gate looks at.
#[rustfmt::skip]
const PIECES: [&str; 45] = [
    "no ", "ni ", "sin ", "5", ",", ".", "½", "l/min ", "apague", "lo ", " ", "¿", "?", "E", "08",
    "ñ", "\u{301}", "🫁", "а", "veces ", "de ", "antes ", "si ", "mil ", "coma ", "media ", "un ", "H",
    "-", "···", "\n", "\u{200b}", "9999999999", "ª", "por ", "cada ", "luz ", "roja ", "que ", "M50",
    "hasta ", "entre ", "y ", "一", "%",
];

/// Any characters, in any order, and cut anywhere.
#[test]
fn s2_no_text_makes_the_gate_panic() {
    let evidence = [row("m50", "H08"), row("everflo", "Luz roja fija")];
    let support =
        Support::new(&evidence, &["Espere 5 minutos."], &["me marca H08"], "", &all_models(), catalogue());
    let mut seed = 7_u64;
    for _ in 0..1500 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(PIECES[(seed >> 33) as usize % PIECES.len()]);
        }
        let _ = support.check(&text);
        if let Some(at) = first_technical(&text, catalogue()) {
            assert!(text.is_char_boundary(at), "{text}");
        }
    }
    let _ = support.check(&"no apague el equipo ".repeat(500));
    let said: BTreeSet<Model> = BTreeSet::new();
    let _ = Support::new(&[], &["\u{0}", ""], &["", "···"], "🫁", &said, catalogue()).check("\u{FFFF}");
}
