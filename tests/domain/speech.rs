//! DECISIONS 29: what is spoken never carries Markdown, lists or URLs.
use aura::speech::{Style, is_item, plain, speakable};

/// Written → spoken.
const CASES: &[(&str, &str)] = &[
    ("**Apague** el equipo.", "Apague el equipo."),
    ("*Apague* el __equipo__ y _espere_.", "Apague el equipo y espere."),
    ("***Importante:*** no fume.", "Importante: no fume."),
    // A sentence cut out of a longer bold passage leaves half of its marks.
    ("**Apague el equipo.", "Apague el equipo."),
    ("Espere un momento.**", "Espere un momento."),
    ("Pulse `H08` en el `M50`.", "Pulse H08 en el M50."),
    ("## Error H08\nApague el equipo.", "Error H08. Apague el equipo."),
    ("# Título #\nTexto.", "Título. Texto."),
    ("- Apague el equipo\n- Espere\n* Encienda", "Apague el equipo. Espere. Encienda."),
    ("1. Apague el equipo.\n2) Espere\n3. **Encienda**.", "Apague el equipo. Espere. Encienda."),
    ("• Revise la cánula\n– [ ] Revise el filtro", "Revise la cánula. Revise el filtro."),
    ("> Nota: use el respaldo.", "Nota: use el respaldo."),
    ("Antes.\n\n---\n\nDespués.", "Antes. Después."),
    ("```json\n{\"a\": 1}\n```", "{\"a\": 1}"),
    ("| Código | Acción |\n|---|:---|\n| H08 | Apagar |", "Código, Acción. H08, Apagar."),
    ("Vea el [manual del M50](https://ejemplo.com/m50_(v2).pdf \"título\").", "Vea el manual del M50."),
    ("Vea ![foto del panel](foto.png) aquí.", "Vea foto del panel aquí."),
    ("Más datos en https://ejemplo.com/a_b?x=1&y=2.", "Más datos en."),
    ("Entre a www.ejemplo.com.ar, por favor.", "Entre a, por favor."),
    ("Entre a ejemplo.com.ar/ayuda (o <https://x.org>).", "Entre a (o)."),
    ("Vea (https://ejemplo.com) el manual.", "Vea el manual."),
    ("Escriba a soporte@ejemplo.com.ar.", "Escriba a soporte@ejemplo.com.ar."),
    ("¡Listo! 👍🏽 ✅ Ya está 🇦🇷.", "¡Listo! Ya está."),
    ("Paso 1️⃣ ⚠️ cuidado", "Paso 1 cuidado"),
    ("Menú → Ajustes", "Menú Ajustes"),
    ("Apague<br>y <b>espere</b>.", "Apague y espere."),
    (r"Use 3 \* 4 \_así\_.", "Use 3 * 4 así."),
    ("  hola \t\r\n\r\n  ¿qué\u{200B} tal?\u{0007} ", "hola ¿qué tal?"),
    ("", ""),
    ("**", ""),
    ("🙂", ""),
];

/// Nothing of these may change: a technical value that is altered is a wrong answer.
const KEPT: &[&str] = &[
    "Ponga el flujo en 2,5 litros por minuto, o 1.5 si se lo indicaron.",
    "El equipo 7F-5 muestra H08, y el Zen-O Lite muestra E43.",
    "¿Ve «Low O2» en la pantalla? ¡No fume!",
    "La temperatura es de -5 °C a 40 °C, con 93 % ± 3 %.",
    "Si la presión es < 5 y > 2, espere 3 * 4 minutos.",
    "Marque el 0800-555-1234, interno #5.",
    "3. 5 litros por minuto.",
    "1.5 litros.",
    "El archivo se llama m50_tabla_errores.",
    "Son las 3. Luego llame.",
    "Espere… y avise: «listo».",
    "Use la opción (A) o la [B].",
];

#[test]
fn decision_29_marks_for_the_eye_are_not_spoken() {
    for (written, spoken) in CASES {
        assert_eq!(speakable(written), *spoken, "from {written:?}");
    }
}

#[test]
fn decision_29_values_and_spanish_signs_are_left_alone() {
    for text in KEPT {
        assert_eq!(speakable(text), *text);
    }
}

#[test]
fn decision_29_saying_twice_is_saying_once() {
    for text in CASES.iter().map(|(written, _)| written).chain(KEPT) {
        let once = speakable(text);
        assert_eq!(speakable(&once), once, "from {text:?}");
    }
}

/// Written → shown in a chat.
const SHOWN: &[(&str, &str)] = &[
    ("**Apague** el equipo.", "*Apague* el equipo."),
    ("*Apague* el __equipo__ y _espere_.", "*Apague* el equipo y espere."),
    ("***Importante:*** no fume.", "*Importante:* no fume."),
    ("**Apague el equipo.", "Apague el equipo."),
    ("Espere un momento.**", "Espere un momento."),
    ("Ponga *2,5 litros* o *3*, (*no más*).", "Ponga *2,5 litros* o *3*, (*no más*)."),
    ("Espere 3 * 4 minutos.", "Espere 3 * 4 minutos."),
    ("## Error H08 ##\nApague el equipo.", "Error H08\nApague el equipo."),
    ("* Apague el equipo\n• Espere\n- **Encienda**", "- Apague el equipo\n- Espere\n- *Encienda*"),
    ("1. Apague\n2) Espere", "1. Apague\n2) Espere"),
    ("> Nota: use el respaldo.\n\n---\n\nListo.", "Nota: use el respaldo.\nListo."),
    ("| Código | Acción |\n|---|:---|\n| H08 | **Apagar** |", "Código, Acción\nH08, *Apagar*"),
    ("Vea el [manual](https://ejemplo.com/m50) o **[este](x.md)** `H08` 👍 .", "Vea el manual o *este* H08."),
    ("**👍** Listo", "Listo"),
    ("\u{E000}Listo\u{E001}", "Listo"),
    ("", ""),
];

#[test]
fn decision_29_a_chat_keeps_lists_and_its_own_bold() {
    for (written, shown) in SHOWN {
        assert_eq!(plain(written, Style::WhatsApp), *shown, "from {written:?}");
        assert_eq!(plain(shown, Style::WhatsApp), *shown, "twice is once");
        assert_eq!(plain(written, Style::Voice), speakable(written));
    }
    for text in KEPT {
        assert_eq!(plain(text, Style::WhatsApp), *text);
    }
    assert!(["- Apague", "2) Espere", "1. ¿Ve algo?"].into_iter().all(is_item));
    assert!(!["-5 °C", "3. 5 litros", "Apague - espere", ""].into_iter().any(is_item));
}

/// Whatever it is fed, it neither panics nor lets a mark or an address through.
#[test]
fn decision_29_hostile_text_is_harmless() {
    let hostile = [
        "[".repeat(20_000),
        "*_`~".repeat(10_000),
        "[a](".repeat(5_000),
        "<a ".repeat(5_000),
        "https://".repeat(3_000),
        "|-".repeat(10_000),
        "ñ\u{301}\u{200D}👩\u{200D}⚕️\u{0}".repeat(1_000),
        "a.".repeat(20_000),
        "\n".repeat(50_000),
        "1. ".repeat(10_000),
    ];
    for text in &hostile {
        let spoken = speakable(text);
        assert!(spoken.len() <= 2 * text.len());
        assert!(!spoken.contains("**") && !spoken.contains('`') && !spoken.contains('\n'));
        assert!(!spoken.contains("https://"));
    }
}
