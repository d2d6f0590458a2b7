//! Markdown to rows: what becomes a row, what never enters one, and each way a file can be broken.
use aura::manual::{Manual, ManualError, chunk_hash, parse, passage};

const SOURCE: &str = "concentradores electricos/m50_sysmedm50.md";

fn read(text: &str) -> Manual {
    parse(SOURCE, text).expect("the manual is sound")
}

fn broken(text: &str) -> ManualError {
    parse(SOURCE, text).expect_err("the manual is broken")
}

fn rows(manual: &Manual) -> Vec<(&str, &str, &str)> {
    let parts = manual.chunks.iter();
    parts.map(|chunk| (chunk.section.as_str(), chunk.row.as_str(), chunk.content.as_str())).collect()
}

#[test]
fn a_heading_of_the_third_level_is_one_row() {
    let manual = read(
        "<!-- CORPUS DE PRUEBA: no usar -->\n<!-- category: concentrador_electrico -->\n\n# SysMed M50 — Guía\n\n\
         ## Alarmas\n\n### Código: H08 / H01\nQué indica: falla.\nQué hacer: apague el equipo.\n\n\
         ### Código: **Low O2**\nBaja concentración.\n\n## Ruidos\n\n### Vibra\nApóyelo firme.\n",
    );
    assert_eq!(manual.title, "SysMed M50 — Guía");
    assert_eq!(manual.category.as_deref(), Some("concentrador_electrico"));
    assert_eq!(manual.chunks[0].source, SOURCE);
    assert_eq!(
        rows(&manual),
        [
            ("Alarmas", "Código: H08 / H01", "Qué indica: falla.\nQué hacer: apague el equipo."),
            ("Alarmas", "Código: Low O2", "Baja concentración."),
            ("Ruidos", "Vibra", "Apóyelo firme."),
        ]
    );
    assert!(manual.notes.is_empty());
}

#[test]
fn a_table_row_is_one_row_with_its_headers() {
    let manual = read(
        "# M\n\n## Alarmas\n\n| Código | Causa | Qué hacer |\n|---|---|---|\n| H08 | Falla | Apague |\n| H02 | | Mire |\n",
    );
    assert_eq!(
        rows(&manual),
        [("Alarmas", "H08", "Causa: Falla\nQué hacer: Apague"), ("Alarmas", "H02", "Qué hacer: Mire")]
    );
}

#[test]
fn text_below_a_section_is_a_row_of_its_name_and_none_is_lost() {
    let manual = read(
        "# M\n\n## Uso\n\nEnchufe.\n\n- uno\n- dos\n\n1. tres\n2. cuatro\n\n#### Detalle\n\nCinco.\n\n## Alarmas\n\nAntes.\n\n### H01\nA.\n",
    );
    assert_eq!(
        rows(&manual),
        [
            ("Uso", "Uso", "Enchufe.\n- uno\n- dos\n1. tres\n2. cuatro\nDetalle\nCinco."),
            ("Alarmas", "Alarmas", "Antes."),
            ("Alarmas", "H01", "A."),
        ]
    );
}

#[test]
fn a_table_below_a_row_belongs_to_that_row() {
    let manual = read("# M\n\n## S\n\n### R\nAntes.\n\n| Luz | Qué es |\n|---|---|\n| roja | falla |\n");
    assert_eq!(rows(&manual), [("S", "R", "Antes.\nroja. Qué es: falla")]);
}

#[test]
fn comments_and_html_never_enter_a_row() {
    let manual = read(
        "# M\n\n## S\n\n### R\nAntes <!-- secreto --> después.\n\n<!-- otro\nsecreto -->\n\n<div>tampoco</div>\n\nFin.\n",
    );
    assert_eq!(rows(&manual), [("S", "R", "Antes después.\nFin.")]);
    assert!(!passage(&manual.chunks[0]).contains("secreto"));
}

#[test]
fn text_outside_every_section_is_noted_with_its_line() {
    let manual = read("\u{feff}# M\n\nVersión de marzo.\n\n## S\n\nTexto.\n");
    assert_eq!(manual.notes, ["line 3: this text is in no section and was left out"]);
    assert_eq!(manual.chunks.len(), 1);
}

#[test]
fn a_front_matter_is_not_read() {
    let manual = read("---\ntitle: x\n---\n\n# M\n\n## S\n\nTexto.\n");
    assert_eq!((manual.title.as_str(), manual.chunks.len()), ("M", 1));
}

#[test]
fn each_fault_is_named_with_its_line() {
    let s = str::to_owned;
    assert_eq!(broken("Sólo texto.\n"), ManualError::NoTitle);
    assert_eq!(broken(""), ManualError::NoTitle);
    assert_eq!(broken("## S\n\nTexto.\n"), ManualError::NoTitle);
    assert_eq!(broken("\n# M\n\nTexto.\n"), ManualError::NoSection { line: 2 });
    assert_eq!(broken("# M\n\n## S\n\nA.\n\n# N\n"), ManualError::SecondTitle { line: 7 });
    assert_eq!(broken("# M\n\n### R\nA.\n"), ManualError::RowOutsideSection { line: 3, row: s("R") });
    assert_eq!(broken("# M\n\n## S\n\n### R\n\n### Q\nA.\n"), ManualError::EmptyRow { line: 5, row: s("R") });
    assert_eq!(broken("# M\n\n## S\n\n## T\n\nA.\n"), ManualError::EmptyRow { line: 3, row: s("S") });
    assert_eq!(broken("# M\n\n## S\n\n###\nA.\n"), ManualError::EmptyRow { line: 5, row: s("") });
    assert_eq!(
        broken("# M\n\n## S\n\n### R\nA.\n\n### R\nB.\n"),
        ManualError::DuplicateRow { line: 8, section: s("S"), row: s("R"), first: 5 }
    );
    assert_eq!(
        broken("<!-- category: a -->\n<!-- category: b -->\n# M\n"),
        ManualError::SecondCategory { line: 2 }
    );
}

#[test]
fn a_broken_table_is_named_with_its_line() {
    let table = "# M\n\n## S\n\n";
    assert_eq!(
        broken(&format!("{table}| H08 | Falla |\n| H02 | Baja |\n")),
        ManualError::TableWithoutHeader { line: 5 }
    );
    assert_eq!(
        broken(&format!("{table}|  |  |\n|---|---|\n| H08 | Falla |\n")),
        ManualError::TableWithoutHeader { line: 5 }
    );
    assert_eq!(
        broken(&format!("{table}| C | Q |\n|---|---|\n| | Falla |\n")),
        ManualError::EmptyRow { line: 7, row: String::new() }
    );
    assert_eq!(
        broken(&format!("{table}| C | Q |\n|---|---|\n| H08 | a |\n| H02 | |\n")),
        ManualError::EmptyRow { line: 8, row: "H02".to_owned() }
    );
}

#[test]
fn a_row_longer_than_the_embedder_reads_is_refused() {
    let words = |count: usize| format!("# M\n\n## S\n\n### R\n{}\n", "palabra ".repeat(count));
    assert_eq!(read(&words(447)).chunks.len(), 1);
    assert_eq!(broken(&words(448)), ManualError::TooLong { line: 5, row: "R".to_owned(), words: 451 });
}

#[test]
fn the_same_row_may_stand_in_two_sections() {
    assert_eq!(read("# M\n\n## S\n\n### R\nA.\n\n## T\n\n### R\nA.\n").chunks.len(), 2);
}

#[test]
fn what_is_embedded_holds_title_section_row_and_text() {
    let manual = read("# M50\n\n## Alarmas\n\n### H08\nApague.\n\n## Uso\n\nEnchufe.\n");
    assert_eq!(passage(&manual.chunks[0]), "M50\nAlarmas\nH08\nApague.");
    assert_eq!(passage(&manual.chunks[1]), "M50\nUso\nEnchufe.");
}

#[test]
fn the_hash_changes_with_everything_that_is_stored_and_with_nothing_else() {
    let text = "# M\n\n## S\n\n### R\nA.\n\n### Q\nB.\n";
    let manual = read(text);
    let hash = manual.content_hash();
    assert_eq!(hash.len(), 64);
    assert_eq!(hash, read(&format!("<!-- nota -->\n{text}\n\n")).content_hash());
    let others = [
        text.replace("# M\n", "# N\n"),
        text.replace("## S", "## T"),
        text.replace("### R", "### P"),
        text.replace("A.", "C."),
        format!("<!-- category: x -->\n{text}"),
        "# M\n\n## S\n\n### Q\nB.\n\n### R\nA.\n".to_owned(),
    ];
    for other in &others {
        assert_ne!(hash, read(other).content_hash(), "{other}");
    }
    assert_ne!(hash, parse("otro.md", text).expect("sound").content_hash());
    assert_ne!(chunk_hash(&manual.chunks[0], None), chunk_hash(&manual.chunks[1], None));
}
