//! What the local responder quotes of a row (R19: nothing that the row doesn't say).
use super::fixture::*;
use super::shelf::rows;
use aura::quote::quote;
use aura::speech::speakable;
use std::collections::BTreeSet;

#[test]
fn r19_each_row_of_the_manuals_is_quoted_in_a_few_sentences_of_its_own() {
    let rows = rows();
    assert_eq!(rows.len(), 116);
    assert_eq!(rows.iter().map(|row| &row.source).collect::<BTreeSet<_>>().len(), 14);
    for row in rows {
        let quoted = quote(row);
        assert!((2..=4).contains(&quoted.len()), "{} § {}: {quoted:#?}", row.source, row.row);
        let text = speakable(&row.content);
        for sentence in &quoted {
            assert!(!sentence.trim().is_empty());
            assert!(
                text.contains(sentence.as_str()),
                "{} § {}: not in the row: {sentence}",
                row.source,
                row.row
            );
            assert!(
                sentence.ends_with(['.', '?', '!']),
                "{} § {}: cut short: {sentence}",
                row.source,
                row.row
            );
            assert!(!sentence.contains("Qué ") || !sentence.contains(':'), "a label is spoken: {sentence}");
        }
    }
}

#[test]
fn d29_what_is_quoted_can_be_spoken() {
    for row in rows() {
        for sentence in quote(row) {
            assert_eq!(speakable(&sentence), sentence);
            assert!(
                !sentence.contains(['*', '|', '#', '`', '[']) && !sentence.contains("http"),
                "{sentence}"
            );
        }
    }
}

#[test]
fn r20_a_row_does_not_name_its_model_where_its_title_is_withheld() {
    let names = [(M50, "M50"), (YUWELL, "7F-5"), (CP501, "CP501"), (INOGEN, "Inogen")];
    let naming: Vec<String> = rows()
        .iter()
        .filter(|row| {
            let text = aura::retrieval::block::manual(std::slice::from_ref(*row), |_| false).unwrap();
            names.iter().any(|(source, name)| row.source == *source && text.contains(name))
        })
        .map(|row| format!("{} § {} § {}", row.source, row.section, row.row))
        .collect();
    assert!(naming.is_empty(), "the model reaches the prompt all the same: {naming:#?}");
}

#[test]
fn what_it_means_what_to_do_and_when_to_call_in_this_order() {
    let content = "Cuándo llamar: Si vuelve, llame.\nQué indica: Una falla. Otra cosa.\nCausa probable: El uso.\n\
                   Qué hacer: Apague. Espere. Encienda.";
    assert_eq!(quote(&row(M50, "x", content)), ["Una falla.", "Apague.", "Espere.", "Si vuelve, llame."]);
}

#[test]
fn a_row_without_labels_is_quoted_from_its_beginning_and_an_empty_one_not_at_all() {
    assert_eq!(quote(&row(M50, "x", "Uno. **Dos**. Tres. Cuatro.")), ["Uno.", "Dos.", "Tres."]);
    assert_eq!(quote(&row(M50, "x", " \n ")), [] as [&str; 0]);
    assert_eq!(quote(&row(M50, "x", "Qué indica:\nQué hacer: Apague.")), ["Apague."]);
}
