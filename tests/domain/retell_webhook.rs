//! Retell's webhooks: what is kept of them, and that nothing else ever is.
use super::noise::Noise;
use aura::event::Kind;
use aura::mask::contains_long_number;
use aura::protocol::retell::webhook::{Report, Reported, Topic, Webhook, WebhookError, decode};
use serde_json::{Value, json};

fn reported(body: &Value) -> Reported {
    match decode(body.to_string().as_bytes()) {
        Ok(Webhook::Reported(reported)) => *reported,
        other => panic!("a report was expected: {other:?}"),
    }
}

/// A report of a call with these fields.
fn report(mut call: Value) -> Report {
    call["call_id"] = json!("c1");
    reported(&json!({ "event": "call_analyzed", "call": call })).report
}

#[test]
fn webhook_todays_payload_and_the_older_one_are_read() {
    let call = json!({ "call_id": "c1", "call_status": "ended" });
    let today = reported(&json!({ "event": "call_ended", "call": call }));
    let older = reported(&json!({ "event": "call_ended", "data": call }));
    let empty = reported(&json!({ "event": "call_ended", "call": null, "data": call }));
    assert_eq!((&today, &today), (&older, &empty));
    assert_eq!(today.call.as_str(), "c1");
    let other = json!({ "call_id": "c2" });
    let both = reported(&json!({ "event": "call_ended", "call": call, "data": other }));
    assert_eq!(both, today, "`call` counts");
}

#[test]
fn webhook_every_kept_kind_is_a_fact_of_its_call() {
    for topic in Topic::KEPT {
        let reported = reported(&json!({ "event": topic.as_str(), "call": { "call_id": "c1" } }));
        assert_eq!(reported.topic, topic);
        assert_eq!(reported.key(), format!("retell/c1/{}", topic.as_str()));
        let event = reported.into_event();
        assert_eq!((event.kind, event.kind.as_str()), (Kind::CallReported, "call_reported"));
        assert_eq!((event.call.as_str(), event.source.as_str(), event.turn.0), ("c1", "retell", 0));
        assert_eq!(event.payload["event"], topic.as_str());
        assert!(event.payload["report"].is_object());
    }
}

#[test]
fn webhook_events_are_an_open_list() {
    for (event, expected) in [
        ("transcript_updated", Webhook::Passed(Topic::TranscriptUpdated)),
        ("chat_started", Webhook::Passed(Topic::Chat)),
        ("chat_analyzed", Webhook::Passed(Topic::Chat)),
        ("call_dreamt", Webhook::Passed(Topic::Other)),
        ("Call_Ended", Webhook::Passed(Topic::Other)),
        ("", Webhook::Passed(Topic::Other)),
        ("call_inbound", Webhook::Inbound),
    ] {
        let body =
            json!({ "event": event, "chat": { "chat_id": "x" }, "call_inbound": { "from_number": "+1" } });
        assert_eq!(decode(body.to_string().as_bytes()), Ok(expected), "{event}");
    }
}

#[test]
fn webhook_the_whole_report_is_read() {
    let body = json!({ "event": "call_analyzed", "call": {
        "call_id": "c1", "agent_id": "agent_01", "call_status": "ended", "disconnection_reason": "user_hangup",
        "start_timestamp": 1_767_225_600_000_u64, "end_timestamp": 1_767_225_690_500.0, "duration_ms": 90_500,
        "data_storage_setting": "everything_except_pii",
        "latency": {
            "e2e": { "p50": 800, "p99": 1200.5, "max": 1300, "values": [800, 900], "num": 9 },
            "llm_websocket_network_rtt": { "p50": 40 }, "asr": {}, "tts": null, "other": { "p50": 1 } },
        "call_analysis": {
            "call_summary": "Consultó por el error H08.", "user_sentiment": "Positive",
            "call_successful": true, "in_voicemail": false,
            "custom_analysis_data": { "equipo": "M50", "litros": 2.5, "avisado": true, "turnos": [1, 2] } },
    }});
    let payload = reported(&body).into_event().payload;
    let expected = json!({ "event": "call_analyzed", "report": {
        "agentId": "agent_01", "callStatus": "ended", "disconnectionReason": "user_hangup",
        "startTimestamp": 1_767_225_600_000_u64, "endTimestamp": 1_767_225_690_500_u64, "durationMs": 90_500,
        "dataStorageSetting": "everything_except_pii",
        "latency": {
            "e2e": { "p50": 800.0, "p99": 1200.5, "max": 1300.0, "num": 9.0 },
            "llmWebsocketNetworkRtt": { "p50": 40.0 } },
        "callAnalysis": {
            "summary": "Consultó por el error H08.", "sentiment": "Positive", "successful": true,
            "inVoicemail": false,
            "customAnalysisData": { "equipo": "M50", "litros": 2.5, "avisado": true, "turnos": [1, 2] } },
    }});
    assert_eq!(payload, expected);
}

#[test]
fn webhook_unknown_words_are_kept_and_other_shapes_are_absent() {
    let open = report(json!({ "call_status": "teleported", "disconnection_reason": "error_of_2031",
                              "data_storage_setting": "some_attributes" }));
    assert_eq!(open.call_status.as_deref(), Some("teleported"));
    assert_eq!(open.disconnection_reason.as_deref(), Some("error_of_2031"));
    assert_eq!(open.data_storage_setting.as_deref(), Some("some_attributes"));
    let sentence = "a caller's own words are no name";
    for odd in
        [json!(null), json!([1]), json!({ "a": 1 }), json!(sentence), json!("x".repeat(300)), json!("")]
    {
        let call = json!({ "call_status": odd, "disconnection_reason": odd, "agent_id": odd, "latency": odd,
            "start_timestamp": odd, "end_timestamp": odd, "duration_ms": odd, "data_storage_setting": odd,
            "call_analysis": odd });
        assert_eq!(report(call), Report::default(), "{odd}");
    }
    for odd in [json!(-1), json!(1.5), json!("12"), json!(1e300)] {
        assert_eq!(report(json!({ "duration_ms": odd })).duration_ms, None, "{odd}");
    }
}

#[test]
fn s4_r9_what_must_not_be_kept_is_not() {
    let secret = "Elsa Quiroga";
    let mut call = json!({ "call_id": "c1" });
    for field in [
        "transcript",
        "transcript_object",
        "transcript_with_tool_calls",
        "scrubbed_transcript_with_tool_calls",
        "recording_url",
        "recording_multi_channel_url",
        "scrubbed_recording_url",
        "public_log_url",
        "knowledge_base_retrieved_contents_url",
        "from_number",
        "to_number",
        "metadata",
        "retell_llm_dynamic_variables",
        "collected_dynamic_variables",
        "custom_sip_headers",
        "telephony_identifier",
        "transfer_destination",
        "call_cost",
        "agent_name",
    ] {
        call[field] = json!({ "a": [secret, "+5491145678901"] });
    }
    for field in ["from_number", "to_number", "transcript", "recording_url", "transfer_destination"] {
        call[field] = json!(format!("{secret} +5491145678901"));
    }
    let event = reported(&json!({ "event": "call_ended", "call": call, "extra": secret })).into_event();
    let kept = serde_json::to_string(&event.payload).unwrap();
    assert!(!kept.contains("Elsa") && !kept.contains("5678"), "{kept}");
    assert_eq!(event.payload, json!({ "event": "call_ended", "report": Report::default() }));
}

/// Every text of a value, names included, and its numbers as they are written.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Number(number) => into.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            into.push(name.clone());
            texts(value, into);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}

#[test]
fn s4_every_kept_text_is_masked_at_every_depth() {
    let custom = json!({
        "dni": 30_123_456, "dni_real": 30_123_456.0, "con_decimales": 30.123456, "nota": 0.833333333333333,
        "30123456": "el 30.123.456", "texto": "dos tres cuatro cinco seis siete ocho nueve",
        "lista": ["30", "123", "456"], "digitos": [3, 0, 1, 2, 3, 4, 5, 6], "bueno": ["H08", "M50", 12],
        "hondo": [{ "a": [{ "telefono": "+54 9 11 4567-8901" }] }], "litros": 2.5, "cuenta": 1234.56789,
    });
    let report = report(json!({
        "agent_id": "agent_30123456", "call_status": "30123456",
        "call_analysis": { "call_summary": "Elsa, DNI 30.123.456, llamó.", "user_sentiment": "23456789",
            "custom_analysis_data": custom },
    }));
    let kept = serde_json::to_value(&report).unwrap();
    let mut all = Vec::new();
    texts(&kept, &mut all);
    let leaks: Vec<_> = all.iter().filter(|text| contains_long_number(text)).collect();
    assert!(leaks.is_empty(), "{leaks:?}");
    let analysis = report.call_analysis.unwrap();
    assert_eq!(analysis.summary.as_deref(), Some("Elsa, DNI ···456, llamó."));
    let custom = analysis.custom_analysis_data.unwrap();
    assert_eq!((&custom["dni"], &custom["nota"]), (&json!("DNI ···456"), &json!(0.83)));
    assert_eq!((&custom["lista"], &custom["digitos"]), (&json!("DNI ···456"), &json!("DNI ···456")));
    assert_eq!((&custom["litros"], &custom["bueno"]), (&json!(2.5), &json!(["H08", "M50", 12])));
    assert!(!analysis.cut, "nothing was too long");
}

#[test]
fn i7_an_analysis_is_bounded_in_size_and_depth() {
    let mut deep = json!("fondo");
    for _ in 0..90 {
        deep = json!({ "a": deep });
    }
    let many: Vec<Value> = (0..5_000).map(|n| json!({ "n": n })).collect();
    let fields: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("f{n}"), json!("x"))).collect();
    let long = "respira mal ".repeat(20_000);
    let texts = vec!["respira mal ".repeat(400); 400];
    for custom in [deep, json!(many), json!(fields), json!(long), json!(texts)] {
        let report = report(json!({ "call_analysis": { "custom_analysis_data": custom } }));
        let kept = serde_json::to_string(&report).unwrap();
        assert!(kept.len() < 64_000, "{} bytes are kept", kept.len());
        assert!(report.call_analysis.unwrap().cut, "and it says that it isn't all");
    }
    let report = report(json!({ "call_analysis": { "call_summary": long } })).call_analysis.unwrap();
    assert!(report.cut && report.summary.is_some_and(|text| text.ends_with('…')));
}

#[test]
fn webhook_what_cannot_be_used_is_refused_without_a_word_of_it() {
    let secret = "Elsa30123456";
    let cut = format!(r#"{{"event":"call_ended","call":{{"call_id":"{secret}"#);
    let bad_id = json!({ "event": "call_ended", "call": { "call_id": "Elsa Quiroga 30123456" } }).to_string();
    let no_id = json!({ "event": "call_ended", "call": { "name": secret } }).to_string();
    let twice = format!(r#"{{"event":"call_ended","event":"{secret}"}}"#);
    for (body, expected) in [
        (cut.as_str(), "an early end"),
        (secret, "a syntax error"),
        (&twice, "a repeated field"),
        ("[\"Elsa30123456\"]", "expected one JSON object"),
        ("\"Elsa30123456\"", "expected one JSON object"),
        (" 12 ", "expected one JSON object"),
        ("{\"Elsa30123456\":1}", "without a text `event`"),
        (&no_id, "without a `call.call_id`"),
        (&bad_id, "call id refused"),
    ] {
        let error: WebhookError = decode(body.as_bytes()).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(expected), "{body}: {text}");
        assert!(!text.contains("Elsa") && !text.contains("30123456"), "{text}");
    }
}

#[test]
fn webhook_garbage_never_panics() {
    let mut noise = Noise::default();
    let whole = json!({ "event": "call_analyzed", "call": { "call_id": "c1", "call_status": "ended",
        "latency": { "e2e": { "p50": 1 } }, "start_timestamp": 1,
        "call_analysis": { "call_summary": "ñandú", "custom_analysis_data": { "a": [1, 2.5, "x", null] } } } });
    let whole = whole.to_string().into_bytes();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut body = whole.clone();
        for _ in 0..=noise.below(4) {
            let at = noise.below(body.len());
            match noise.below(3) {
                0 => body[at] = noise.below(256) as u8,
                1 => body.truncate(at + 1),
                _ => body.insert(at, b"{}[]\",:0-9e\\"[noise.below(12)]),
            }
        }
        match decode(&body) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
    let deep = format!("{}{}", r#"{"event":"call_ended","call":"#.to_owned(), "[".repeat(1_000_000));
    assert!(decode(deep.as_bytes()).is_err());
}
