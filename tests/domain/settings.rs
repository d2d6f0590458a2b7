//! Settings: which row decides, what the registry refuses, when a change acts (R4, E6, DECISIONS 10, 13).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::generation::Grounding;
use aura::settings::*;
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn r4_the_channels_row_then_the_global_one_then_the_default() {
    let key = "rag.knowledgeThreshold";
    let number = |rows: &[(&str, &str, Value)], channel| settings(rows).number(&KNOWLEDGE_THRESHOLD, channel);
    assert_eq!(number(&[], Channel::Retell), 0.60);
    let global = [(key, "global", json!(0.55))];
    assert_eq!(number(&global, Channel::Retell), SEEDED_KNOWLEDGE_THRESHOLD);
    let both = [(key, "global", json!(0.55)), (key, "retell", json!(0.7))];
    assert_eq!(number(&both, Channel::Retell), 0.7);
    for other in [Channel::AudioFork, Channel::ElevenLabs, Channel::WhatsApp] {
        assert_eq!(number(&both, other), 0.55);
    }
    let snapshot = settings(&both);
    assert_eq!(snapshot.row(&KNOWLEDGE_THRESHOLD, Channel::Retell), Some(("retell", &json!(0.7))));
    assert_eq!(snapshot.row(&KNOWLEDGE_THRESHOLD, Channel::WhatsApp), Some(("global", &json!(0.55))));
    assert_eq!(snapshot.row(&STICKY_TURNS, Channel::Retell), None);
}

#[test]
fn r2_r3_d10_the_registry_holds_the_documents_defaults() {
    let number = |name: &str| settings(&[]).number(find(name).unwrap(), Channel::AudioFork);
    for (name, default) in [
        ("rag.similarityThreshold", 0.78),
        ("rag.approvedThreshold", 0.85),
        ("rag.knowledgeThreshold", 0.60),
        ("suggestion.minWords", 4.0),
        ("suggestion.maxTokens", 120.0),
        ("suggestion.maxHistoryTurns", 12.0),
        ("suggestion.debounceMs", 400.0),
        ("equipment.stickyTurns", 10.0),
        ("equipment.stickyMinutes", 5.0),
    ] {
        assert_eq!(number(name), default, "{name}");
    }
    assert_eq!(settings(&[]).count(&STICKY_MINUTES, Channel::WhatsApp), 15);
    assert!(settings(&[]).flag(&ASK_WHEN_EQUIPMENT_UNKNOWN, Channel::Retell));
    assert!(matches!(find("rag.nothing"), Err(SettingError::UnknownName(_))));
}

#[test]
fn r4_a_row_that_does_not_fit_is_left_out_and_named() {
    let bad = [
        ("rag.nothing", "global", json!(1)),
        ("rag.knowledgeThreshold", "global", json!(1.1)),
        ("rag.knowledgeThreshold", "retell", json!("0.6")),
        ("rag.knowledgeThreshold", "telefono", json!(0.6)),
        ("suggestion.minWords", "retell", json!(4)),
        ("suggestion.minWords", "global", json!(2.5)),
        ("suggestion.minWords", "global", json!(-1)),
        ("rag.askWhenEquipmentUnknown", "global", json!("true")),
        ("rag.knowledgeThreshold", "global", Value::Null),
        ("retell.greeting", "global", json!("x".repeat(301))),
    ];
    let rows = bad.iter().map(|(name, scope, value)| (name.to_string(), scope.to_string(), value.clone()));
    let (snapshot, refused) = Snapshot::new(rows);
    assert_eq!(snapshot, Snapshot::default());
    assert_eq!(refused.len(), bad.len());
    for (error, (name, ..)) in refused.iter().zip(&bad) {
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn e6_the_table_of_channels() {
    let none = settings(&[]);
    let loud: Vec<(&str, &str, Value)> =
        [("suggestion.minWords", 9), ("suggestion.maxTokens", 333), ("suggestion.maxHistoryTurns", 2)]
            .map(|(name, value)| (name, "global", json!(value)))
            .to_vec();
    let loud = settings(&loud);
    let figures = |channel: Channel, settings: &Snapshot| {
        let row = channel.profile();
        let resolve = |figure: aura::channel::Figure| figure.resolve(settings, channel);
        (resolve(row.min_words), resolve(row.max_tokens), row.history.map(resolve))
    };
    for (channel, fixed) in [
        (Channel::Retell, (4, 80, None)),
        (Channel::ElevenLabs, (4, 80, None)),
        (Channel::WhatsApp, (1, 200, None)),
    ] {
        assert_eq!(figures(channel, &none), fixed);
        assert_eq!(figures(channel, &loud), fixed, "{channel}: fixed in code");
    }
    assert_eq!(figures(Channel::AudioFork, &none), (4, 120, Some(12)));
    assert_eq!(figures(Channel::AudioFork, &loud), (9, 333, Some(2)));
    let flags = |channel: Channel| {
        let row = channel.profile();
        (row.query_prefix, row.always_rag_on_equipment, row.sticky, row.lock_context, row.spoken)
    };
    assert_eq!(flags(Channel::Retell), (true, false, true, true, true));
    assert_eq!(flags(Channel::ElevenLabs), (true, false, true, false, true));
    assert_eq!(flags(Channel::WhatsApp), (true, true, true, false, false));
    assert_eq!(flags(Channel::AudioFork), (false, false, false, false, true));
}

#[test]
fn e6_the_figures_reach_the_request() {
    for (channel, tokens) in [
        (Channel::Retell, 80),
        (Channel::ElevenLabs, 80),
        (Channel::WhatsApp, 200),
        (Channel::AudioFork, 120),
    ] {
        let mut line = Line::on(channel);
        for n in 0..20 {
            line.agent(&format!("renglón {n}"));
        }
        line.patient("necesito pedir una recarga de oxígeno");
        let outputs = line.find([]);
        let request = request(&outputs);
        assert_eq!(request.max_tokens, tokens, "{channel}");
        let history = if channel == Channel::AudioFork { 12 } else { 20 };
        assert_eq!(request.messages.len(), 1 + history + 1, "{channel}");
        assert_eq!(request.holding, channel.profile().holding);
    }
}

#[test]
fn d10_the_channels_names_are_the_sources() {
    assert_eq!(Channel::ALL.map(Channel::as_str), ["retell", "audio_fork", "elevenlabs", "whatsapp"]);
    for channel in Channel::ALL {
        assert_eq!(Channel::parse(channel.as_str()), Some(channel));
        assert_eq!(json!(channel), channel.as_str());
        assert_eq!(channel.profile().channel, channel);
    }
}

fn threshold(value: f64) -> Arc<Snapshot> {
    settings(&[("rag.knowledgeThreshold", "global", json!(value))])
}

fn ran(outputs: &[Output]) -> (f64, bool) {
    let event = queried(outputs);
    (event["knowledgeThreshold"].as_f64().unwrap(), event["hit"].as_bool().unwrap())
}

#[test]
fn r4_a_change_acts_in_the_next_turn_of_a_running_call() {
    let mut line = Line::with(Channel::ElevenLabs, threshold(0.55));
    line.on_file(&["M50"]);
    line.patient("me marca error H08 desde hoy");
    assert_eq!(ran(&line.find([h08(0.58)])), (0.55, true));
    line.answer("Apague el equipo.");
    assert_eq!(line.step(Input::Settings(threshold(0.6))), []);
    line.patient("me marca error H08 de nuevo");
    assert_eq!(ran(&line.find([h08(0.58)])), (0.6, false));
    assert_eq!(events_scope(&line), "elevenlabs");
}

fn events_scope(line: &Line) -> String {
    let all = events(&line.log, aura::event::Kind::KnowledgeQueried);
    all.last().unwrap()["scope"].as_str().unwrap().to_owned()
}

#[test]
fn d13_a_change_in_the_middle_of_a_turn_waits_for_the_next() {
    let mut line = Line::with(Channel::AudioFork, threshold(0.55));
    line.on_file(&["M50"]);
    line.patient("me marca error H08 desde hoy");
    let rows =
        [("rag.knowledgeThreshold", "global", json!(0.6)), ("suggestion.maxTokens", "global", json!(50))];
    line.step(Input::Settings(settings(&rows)));
    let outputs = line.find([h08(0.58)]);
    assert_eq!(ran(&outputs), (0.55, true));
    assert!(matches!(request(&outputs).grounding, Grounding::Rows(_)));
    assert_eq!(request(&outputs).max_tokens, 120);
}

#[test]
fn r4_the_event_has_the_threshold_as_it_was_set() {
    let mut line = Line::with(Channel::Retell, threshold(0.55));
    let outputs = line.patient("sí, dale");
    assert_eq!(queried(&outputs)["knowledgeThreshold"].to_string(), "0.55", "as whoever set it looks for it");
}
