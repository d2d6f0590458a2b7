//! What a call tells of its searches and answers, and what no output may hold (R4, R28, E10, S4).
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::event::{Kind, News};
use aura::generation::Usage;
use aura::mask::contains_long_number;
use aura::retrieval::{Found, LessonCandidate, LessonKind};
use serde_json::{Value, json};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number was expected: {value}"))
}

fn lesson(cosine: f32) -> LessonCandidate {
    let text = |text: &str| text.to_owned();
    LessonCandidate {
        id: text("ab"),
        kind: LessonKind::Correction,
        complaint: text("Se tapa."),
        answer: text("Límpielo."),
        cosine,
    }
}

#[test]
fn r28_the_payload_of_a_search_has_every_field() {
    let mut line = Line::retell();
    line.patient("mi M50 marca error hache ocho desde hoy");
    let turn = line.turn();
    let found = Found { lessons: vec![lesson(0.5)], ..found([h08(0.75)]) };
    let outputs = line.step(Input::Retrieved { turn, found: Ok(found) });
    let event = queried(&outputs);
    assert_eq!(event["query"], "mi M50 marca error H08 desde hoy");
    assert_eq!(event["hit"], true);
    assert_eq!(event["reason"], Value::Null);
    assert_eq!(event["scope"], "retell");
    for (field, value) in [
        ("bestScore", 0.75),
        ("bestCosine", 0.75),
        ("memoryBestScore", 0.5),
        ("embedMs", 7.0),
        ("queryMs", 3.0),
        ("knowledgeThreshold", 0.6),
        ("similarityThreshold", 0.78),
        ("approvedThreshold", 0.85),
    ] {
        assert!((number(&event[field]) - value).abs() < 1e-6, "{field}: {}", event[field]);
    }
    assert_eq!(event["knowledgeSources"], json!([M50]));
    assert_eq!((&event["bestSource"], &event["bestSection"]), (&json!(M50), &json!("Alarmas")));
    assert_eq!(event["embeddingModel"], "words");
}

/// The event of one search of a Retell call.
fn event(on_file: &[&str], text: &str, found: Found) -> Value {
    let mut line = Line::retell();
    line.on_file(on_file);
    line.patient(text);
    let turn = line.turn();
    let outputs = line.step(Input::Retrieved { turn, found: Ok(found) });
    queried(&outputs).clone()
}

#[test]
fn r28_a_threshold_miss_is_told_from_a_filter_miss() {
    let threshold = event(&["M50"], "hace un ruido muy raro", found([h08(0.4)]));
    assert_eq!(threshold["reason"], "below_threshold");
    assert!(number(&threshold["bestScore"]) < number(&threshold["knowledgeThreshold"]));
    let filter = event(&["M50"], "hace un ruido muy raro", found([]));
    assert_eq!(filter["reason"], "no_candidates");
    assert_eq!(filter["knowledgeSources"], json!([M50]), "the restricted part of the corpus was empty");
    assert_eq!(filter["bestScore"], Value::Null);
    let foreign = event(&[], "el CPAP hace un ruido muy raro", found([h08(0.9)]));
    assert_eq!((&foreign["reason"], &foreign["knowledgeSources"]), (&json!("other_equipment"), &Value::Null));
    assert!(number(&foreign["bestScore"]) > number(&foreign["knowledgeThreshold"]));
    let code = event(&["M50"], "me marca el error H33", found([h08(0.9)]));
    assert_eq!(code["reason"], "code_not_found");
    for miss in [threshold, filter, foreign, code] {
        assert_eq!(miss["hit"], false);
    }
}

#[test]
fn r24_the_best_values_survive_a_miss_and_are_null_only_without_a_candidate() {
    for (text, on_file, cosine) in [
        ("hace un ruido muy raro", &["M50"][..], 0.25),
        ("hace un ruido muy raro", &[], 0.75),
        ("marca el error H33", &["M50"], 0.75),
    ] {
        let event = event(on_file, text, found([h08(cosine)]));
        assert_eq!(event["hit"], false);
        assert_eq!(number(&event["bestScore"]), f64::from(cosine));
        assert_eq!((&event["bestSource"], &event["bestSection"]), (&json!(M50), &json!("Alarmas")));
    }
    let mut line = Line::retell();
    line.patient("hace un ruido muy raro");
    let turn = line.turn();
    let outputs = line.step(Input::Retrieved { turn, found: Err(failure("no connection")) });
    let event = queried(&outputs);
    assert_eq!((&event["reason"], &event["error"]), (&json!("search_failed"), &json!("no connection")));
    for field in ["bestScore", "bestSource", "bestSection", "memoryBestScore", "embedMs"] {
        assert_eq!(event[field], Value::Null, "{field}");
    }
}

#[test]
fn r24_the_memorys_best_is_told_although_it_missed() {
    let found = Found { lessons: vec![lesson(0.25)], ..found([]) };
    assert_eq!(number(&event(&["M50"], "hace un ruido muy raro", found)["memoryBestScore"]), 0.25);
}

#[test]
fn r1_lessons_over_their_threshold_reach_the_prompt_beside_the_manual() {
    let mut line = Line::retell();
    line.on_file(&["M50"]);
    line.patient("hace un ruido muy raro");
    let turn = line.turn();
    let found = Found { lessons: vec![lesson(0.9)], ..found([h08(0.8)]) };
    let outputs = line.step(Input::Retrieved { turn, found: Ok(found) });
    let last = last_message(&outputs);
    let at = |text: &str| last.find(text).unwrap_or_else(|| panic!("{text} isn't in {last}"));
    assert!(at("[INFORMACIÓN TÉCNICA DEL MANUAL]") < at("[CORRECCIONES DE SUPERVISORES]"));
    assert!(at("Límpielo.") < at("hace un ruido muy raro"));
}

#[test]
fn e10_retells_suggestion_has_its_tokens_its_prompt_and_its_times() {
    let mut line = Line::retell();
    line.patient("mi M50 marca error H08 desde hoy");
    line.wait(50);
    line.find([h08(0.75)]);
    line.wait(120);
    line.delta("Apague el equipo. ");
    line.wait(80);
    let usage = Usage { prompt_tokens: Some(900), cached_tokens: None, completion_tokens: Some(12) };
    let turn = line.turn();
    let outputs = line.step(Input::Finished { turn, usage });
    let expected = json!({
        "text": "Apague el equipo.", "promptTokens": 900, "cachedTokens": null, "completionTokens": 12,
        "ragHit": true, "ragScore": 0.75, "source": M50, "section": "Alarmas", "responder": "local/quote",
        "prompt": "agent_identity@1.0.0", "firstTokenMs": 120, "llmMs": 200, "turnMs": 250,
    });
    assert_eq!(events(&outputs, Kind::SuggestionGenerated), [&expected]);
}

#[test]
fn e10_an_aborted_turn_generated_nothing() {
    let mut line = Line::retell();
    line.patient("mi M50 marca error H08 desde hoy");
    line.find([h08(0.75)]);
    line.delta("Apague el equipo. Espere");
    line.patient("no, espere, es otra cosa");
    line.step(Input::HungUp);
    assert!(events(&line.log, Kind::SuggestionGenerated).is_empty());
    assert_eq!(events(&line.log, Kind::TurnAborted).len(), 2);
}

#[test]
fn e10_knowledge_queried_is_the_engines_on_every_channel() {
    for channel in Channel::ALL {
        let mut line = Line::on(channel);
        line.patient("necesito pedir una recarga de oxígeno");
        let outputs = line.find([near(row(CAP, "Pedido", "Llame."), 0.8)]);
        assert_eq!(queried(&outputs)["scope"], channel.as_str());
        let ended = line.answer("Llame.");
        let generated = events(&ended, Kind::SuggestionGenerated).len();
        assert_eq!(generated, usize::from(channel == Channel::Retell), "{channel}: its gateway's payload");
        assert_eq!(closed(&ended), [(1, false)]);
    }
}

/// Every text of an output but what is spoken to the patient and what the prompt itself says.
pub fn texts(output: &Output) -> Vec<String> {
    fn strings(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
            Value::Object(fields) => fields.values().for_each(|field| strings(field, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    match output {
        Output::Retrieve { search, .. } => all.push(search.text.clone()),
        Output::Generate { request, .. } => all.extend(request.messages.iter().map(|m| m.content.clone())),
        // The equipment on file is for the operator's panel (R13).
        Output::Tell(News::LookUp { .. }) => {}
        Output::Tell(news) => strings(&json!(news), &mut all),
        Output::Record(event) => {
            let mut event = json!(event);
            // A call back's telephone goes to the desk's table alone.
            event["payload"].as_object_mut().map(|payload| payload.remove("phone"));
            strings(&event, &mut all);
        }
        Output::Cancel { .. } | Output::Say { .. } | Output::Close { .. } => {}
        // A document may go to the patients' system, and a line to the reader that is this house's own.
        Output::LookUp { .. } | Output::ReadAgain { .. } => {}
        Output::Search { query, .. } => all.push(query.text.clone()),
        Output::Summarise(work) => all.extend(work.request.messages.iter().map(|m| m.content.clone())),
        Output::Remember | Output::End => {}
    }
    all
}

#[test]
fn s4_no_long_number_leaves_a_call() {
    let said = [
        "hola, soy Elsa, mi documento es 30.123.456 y el M50 marca H08",
        "treinta millones ciento veintitrés mil cuatrocientos cincuenta y seis",
        "tres cero uno dos tres cuatro cinco seis, eso",
        "mi teléfono es 11 4567 8901 y no anda nada",
        "DNI 30123456",
    ];
    for channel in Channel::ALL {
        let mut line = Line::on(channel);
        line.details(&[("dni", "30123456"), ("telefono", "+5491145678901")]);
        line.step(Input::PeerConnected);
        for text in said {
            line.patient(text);
            if search(&line.log).is_some() {
                line.find([h08(0.8)]);
            }
            line.delta("Su documento 30.123.456 quedó anotado. Es el tres cero uno dos tres cuatro");
            line.delta(" cinco seis. ");
            line.finish();
            line.agent("Su documento 30.123.456 quedó anotado.");
        }
        line.patient("y 30 123 456");
        line.delta("El 30123456. Y");
        line.step(Input::HungUp);
        for text in line.log.iter().flat_map(texts) {
            assert!(!contains_long_number(&text), "{channel}: {text}");
        }
        assert!(line.log.iter().flat_map(texts).any(|text| text.contains("DNI ···456")), "masked, not lost");
    }
}

#[test]
fn s4_a_question_that_waits_is_masked_when_it_is_searched() {
    let mut line = Line::retell();
    line.patient("soy Elsa, DNI 30.123.456, y me marca H08");
    line.find([h08(0.8)]);
    line.answer("¿Qué equipo tiene?");
    let outputs = line.patient("el M50");
    let text = &search(&outputs).unwrap().text;
    assert!(text.contains("DNI ···456") && !contains_long_number(text), "{text}");
}
