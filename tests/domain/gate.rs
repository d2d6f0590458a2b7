//! The gate: which turns are too short to be searched (R30, DECISIONS 5), and who may turn it (E6).
use super::fixture::*;
use aura::call::Output;
use aura::channel::Channel;
use serde_json::json;

fn gated(line: &mut Line, text: &str) -> bool {
    let outputs = line.patient(text);
    let gated = search(&outputs).is_none();
    if gated {
        let event = queried(&outputs);
        assert_eq!(event["reason"], "short_turn");
        assert_eq!(event["hit"], false);
        assert!(
            event["embedMs"].is_null() && event["bestScore"].is_null() && event["knowledgeSources"].is_null()
        );
        assert!(
            outputs.iter().any(|output| matches!(output, Output::Generate { .. })),
            "answered all the same (E7)"
        );
    }
    gated
}

#[test]
fn r30_voice_bots_search_from_four_words_on() {
    for channel in [Channel::Retell, Channel::ElevenLabs] {
        for (text, expected) in [
            ("", true),
            ("sí, dale", true),
            ("no anda nada", true),
            ("— ¿ eh ? —", true),
            ("M50 error H08", true),
            ("el equipo no anda", false),
            ("marca H08 el M50", false),
        ] {
            assert_eq!(gated(&mut Line::on(channel), text), expected, "{channel}: {text}");
        }
    }
}

#[test]
fn r30_whatsapp_searches_from_one_word_on() {
    for (text, expected) in [("👍", true), ("", true), ("hola", false), ("H08", false), ("alarma", false)] {
        assert_eq!(gated(&mut Line::on(Channel::WhatsApp), text), expected, "{text}");
    }
}

#[test]
fn r30_the_words_are_those_of_the_raw_text() {
    // Put right it is three words, but four were said.
    assert!(!gated(&mut Line::retell(), "anda hache cero ocho"));
    // And a document spelled digit by digit is one.
    assert!(gated(&mut Line::retell(), "es tres cero uno dos tres cuatro cinco seis"));
}

#[test]
fn r30_the_copilots_words_are_a_setting_and_the_bots_are_not() {
    let rows = [("suggestion.minWords", "global", json!(2))];
    let on = |channel| Line::with(channel, settings(&rows));
    assert!(gated(&mut Line::on(Channel::AudioFork), "no anda nada"));
    assert!(!gated(&mut on(Channel::AudioFork), "no anda"));
    assert!(gated(&mut on(Channel::AudioFork), "no"));
    assert!(gated(&mut on(Channel::Retell), "no anda nada"));
    assert!(gated(&mut on(Channel::ElevenLabs), "no anda nada"));
    let wide = settings(&[("suggestion.minWords", "global", json!(50))]);
    assert!(!gated(&mut Line::with(Channel::WhatsApp, wide), "hola"));
}

#[test]
fn r30_naming_equipment_opens_the_gate_on_whatsapp_alone() {
    for channel in Channel::ALL {
        assert_eq!(channel.profile().always_rag_on_equipment, channel == Channel::WhatsApp);
    }
    for text in ["M50", "siete efe cinco", "hache ocho", "pita"] {
        assert!(gated(&mut Line::retell(), text), "{text}");
        assert!(!gated(&mut Line::on(Channel::WhatsApp), text), "{text}");
    }
}

#[test]
fn r30_the_event_of_a_short_turn_says_what_was_not_searched() {
    let mut line = Line::retell();
    let outputs = line.patient("H 8, sí");
    assert_eq!(queried(&outputs)["query"], "H08, sí");
}
