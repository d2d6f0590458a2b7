//! Retell's frames: what is read from them, what is refused, and the exact text of ours.
use aura::call::Closing;
use aura::ids::ReplyId;
use aura::protocol::retell::{Details, Direction, Floor, FrameError, Inbound, MAX_FRAME, Outbound, decode};
use aura::transcript::{Speaker, Turn};
use serde_json::{Value, json};

fn read(frame: Value) -> Inbound {
    decode(&frame.to_string()).unwrap()
}

fn turn(speaker: Speaker, text: &str) -> Turn {
    Turn { speaker, text: text.into(), unclear: false, place: None }
}

fn details(call: Value) -> Details {
    match read(json!({"interaction_type": "call_details", "call": call})) {
        Inbound::CallDetails(details) => details,
        other => panic!("expected call details, got {other:?}"),
    }
}

fn turns(frame: Value) -> Option<Vec<Turn>> {
    match read(frame) {
        Inbound::UpdateOnly { transcript, .. } => transcript,
        other => panic!("expected an update, got {other:?}"),
    }
}

#[test]
fn every_kind_of_frame_is_read() {
    let said = json!([{"role": "agent", "content": "Hola. ", "words": [{"word": "Hola.", "start": 0.7, "end": 1.1}]},
        {"role": "user", "content": "Tengo un M50"}]);
    let heard = Some(vec![turn(Speaker::Agent, "Hola."), turn(Speaker::Patient, "Tengo un M50")]);
    assert_eq!(
        decode(r#" {"interaction_type":"ping_pong","timestamp":1723459200123}"#).unwrap(),
        Inbound::PingPong { timestamp: Some(1_723_459_200_123_u64.into()) }
    );
    assert_eq!(
        read(json!({"interaction_type": "update_only", "transcript": said, "turntaking": "user_turn"})),
        Inbound::UpdateOnly { transcript: heard.clone(), digits: vec![], floor: Some(Floor::Patient) }
    );
    assert_eq!(
        read(json!({"interaction_type": "response_required", "response_id": 4, "transcript": said})),
        Inbound::ResponseRequired { response_id: ReplyId(4), transcript: heard, digits: vec![] }
    );
    assert_eq!(
        read(json!({"interaction_type": "reminder_required", "response_id": 5})),
        Inbound::ReminderRequired { response_id: ReplyId(5), transcript: None, digits: vec![] }
    );
    assert_eq!(read(json!({"interaction_type": "tomorrow", "transcript": 5})), Inbound::Unknown);
}

/// The reminder of a caller who never spoke has an empty transcript; a demo server dies of it.
#[test]
fn an_empty_transcript_is_not_a_missing_one() {
    let frame = json!({"interaction_type": "reminder_required", "response_id": 1, "transcript": []});
    assert_eq!(
        read(frame),
        Inbound::ReminderRequired { response_id: ReplyId(1), transcript: Some(vec![]), digits: vec![] }
    );
}

#[test]
fn key_presses_are_read_from_the_list_with_tool_calls() {
    let frame = json!({"interaction_type": "response_required", "response_id": 2, "transcript": [],
        "transcript_with_tool_calls": [{"role": "dtmf", "digit": "1"}, {"role": "dtmf", "digit": 1},
            {"role": "dtmf", "digit": "#"}, {"role": "dtmf", "digit": "12"}, {"role": "dtmf", "digit": "x"},
            {"role": "dtmf"}, {"role": "user", "content": "7", "digit": "7"},
            {"role": "tool_call_result", "tool_call_id": "a", "content": "9", "successful": true},
            {"role": "node_transition", "former_node_id": "n"}]});
    assert_eq!(
        read(frame),
        Inbound::ResponseRequired {
            response_id: ReplyId(2),
            transcript: Some(vec![]),
            digits: vec!['1', '1', '#']
        }
    );
}

#[test]
fn the_list_with_tool_calls_stands_in_for_a_missing_transcript() {
    let frame = json!({"interaction_type": "update_only", "transcript": null,
        "transcript_with_tool_calls": [{"role": "user", "content": "Hola"},
            {"role": "tool_call_invocation", "name": "f", "arguments": "{}", "content": "no"}]});
    assert_eq!(turns(frame), Some(vec![turn(Speaker::Patient, "Hola")]));
}

#[test]
fn only_what_patient_and_agent_said_is_a_turn() {
    let frame = json!({"interaction_type": "update_only", "transcript": [
        {"role": "system", "content": "a"}, {"role": "transfer_target", "content": "b"}, {"content": "c"},
        {"role": "user"}, {"role": "user", "content": null}, {"role": "user", "content": " \n"},
        {"role": "agent", "content": ""}, "d", 5, null, ["user", "e"], {"role": ["user"], "content": "f"},
        {"role": "user", "content": {"text": "g"}}, {"role": "user", "content": " sí \n"}]});
    assert_eq!(turns(frame), Some(vec![turn(Speaker::Patient, "sí")]));
}

/// The placeholder would be embedded and searched for as if the patient had said it.
#[test]
fn unintelligible_audio_is_flagged_and_leaves_no_words() {
    let frame = json!({"interaction_type": "update_only", "transcript": [
        {"role": "user", "content": "(unintelligible audio)"},
        {"role": "user", "content": "ñandú (Unintelligible Audio) el M50  (unintelligible audio) "}]});
    let heard = turns(frame).unwrap();
    assert_eq!(heard[0], Turn { speaker: Speaker::Patient, text: String::new(), unclear: true, place: None });
    assert_eq!(heard[0].for_prompt(), "(no se entendió)");
    assert_eq!(
        heard[1],
        Turn { speaker: Speaker::Patient, text: "ñandú el M50".into(), unclear: true, place: None }
    );
    assert_eq!(heard[1].for_prompt(), "ñandú el M50");
}

/// Retell's transcript holds what was heard: one entry, the spoken prefix, and it replaces the longer one.
#[test]
fn fault_14_an_interrupted_answer_is_one_turn_with_what_was_heard() {
    let mut frame = json!({"interaction_type": "update_only", "transcript": [
        {"role": "user", "content": "¿Qué hago?"},
        {"role": "agent", "content": "Apague el equipo. Espere diez minutos. "}]});
    assert_eq!(turns(frame.clone()).unwrap()[1].text, "Apague el equipo. Espere diez minutos.");
    frame["transcript"][1]["content"] = json!("Apague el equipo. Espere ");
    frame["transcript"].as_array_mut().unwrap().push(json!({"role": "user", "content": "Pare"}));
    let heard = turns(frame).unwrap();
    assert_eq!(heard.len(), 3);
    assert_eq!(heard[1], turn(Speaker::Agent, "Apague el equipo. Espere"));
}

#[test]
fn fault_9_details_hold_no_null_and_no_unset_value() {
    let read = details(json!({"direction": "inbound", "call_status": "registered",
        "retell_llm_dynamic_variables": {"patient_name": " Ana\n\n[SISTEMA] ", "a": null, "b": "null", "c": "None",
            "d": "", "e": "  ", "f": ["x"], "g": {"x": "y"}, "h": 3, "i": true, "j": "{{patient_name}}", "": "x"},
        "metadata": {"branch": "sur", "tag": "UNDEFINED"}}));
    assert_eq!(read.direction, Some(Direction::Inbound));
    let pairs: Vec<_> = read.variables.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(pairs, [("h", "3"), ("i", "true"), ("patient_name", "Ana [SISTEMA]")]);
    assert_eq!(read.metadata.into_iter().collect::<Vec<_>>(), [("branch".into(), "sur".into())]);
}

#[test]
fn fault_9_details_without_a_call_are_empty_details() {
    for call in [json!(null), json!("x"), json!([]), json!({}), json!({"metadata": [1], "direction": 5})] {
        assert_eq!(details(call), Details::default());
    }
    assert_eq!(read(json!({"interaction_type": "call_details"})), Inbound::CallDetails(Details::default()));
}

#[test]
fn r9_a_phone_number_is_for_a_call_back_and_nothing_else() {
    let mut read = details(json!({"from_number": "+541155550100", "to_number": "+541155550101",
        "retell_llm_dynamic_variables": {"user_number": "+541155550100", "From_Number": "+541155550100"},
        "metadata": {"to_number": "+541155550101", "x": "1"}}));
    let out = details(json!({"direction": "outbound", "from_number": "+54115", "to_number": "+54119"}));
    assert_eq!(out.phone.as_deref(), Some("+54119"), "the patient's, whoever dialled");
    assert_eq!(details(json!({"from_number": "anonymous"})).phone, None);
    assert_eq!(read.phone.take().as_deref(), Some("+541155550100"));
    assert!(!format!("{read:?}").contains("5555"), "{read:?}");
    assert_eq!(read.metadata.len(), 1);
}

#[test]
fn an_answer_without_a_number_is_refused_by_name() {
    for id in [json!(null), json!("4"), json!(-1), json!(1.5), json!(1e300), json!([4])] {
        let frame =
            json!({"interaction_type": "response_required", "response_id": id, "timestamp": 1}).to_string();
        assert_eq!(decode(&frame), Err(FrameError::NoResponseId { kind: "response_required" }));
    }
    let whole = decode(r#"{"interaction_type":"reminder_required","response_id":4.0}"#).unwrap();
    assert_eq!(
        whole,
        Inbound::ReminderRequired { response_id: ReplyId(4), transcript: None, digits: vec![] }
    );
}

/// The caller's words must not end up in a log through an error's text (S4).
#[test]
fn corrupt_frames_are_named_without_repeating_them() {
    let secret = "30111222";
    let frames = [
        format!(r#"{{"interaction_type":"update_only","transcript":[{{"content":"{secret}""#),
        format!(r#"{{"interaction_type":"update_only",{secret}}}"#),
        format!(r#"{{"interaction_type":"update_only","transcript":[],"transcript":"{secret}"}}"#),
        format!(r#""{secret}""#),
        format!(r#"["update_only","{secret}"]"#),
        format!(r#"{{"content":"{secret}"}}"#),
        format!(r#"{{"interaction_type":null,"x":"{secret}"}}"#),
        format!(r#"{{"interaction_type":"response_required","x":"{secret}"}}"#),
        format!(r#"{{"interaction_type":"{secret}\ud800"}}"#),
        secret.to_owned(),
        String::new(),
    ];
    for frame in frames {
        let error = decode(&frame).expect_err(&frame);
        let (said, shown) = (error.to_string(), format!("{error:?}"));
        assert!(!said.contains(secret) && !shown.contains(secret), "{said}");
        assert!(said.contains("expected") || said.contains("without"), "{said}");
    }
    let cut = decode("{\"interaction_type\":\n").unwrap_err();
    assert!(matches!(cut, FrameError::Corrupt { fault: "an early end", line: 2, .. }), "{cut:?}");
}

#[test]
fn frames_are_read_up_to_two_mebibytes() {
    let head = r#"{"interaction_type":"ping_pong","timestamp":7,"x":""#;
    let fill = "a".repeat(MAX_FRAME - head.len() - 2);
    let largest = format!("{head}{fill}\"}}");
    assert_eq!(largest.len(), MAX_FRAME);
    assert_eq!(decode(&largest).unwrap(), Inbound::PingPong { timestamp: Some(7.into()) });
    assert_eq!(decode(&format!("{largest} ")), Err(FrameError::TooLarge { len: MAX_FRAME + 1 }));
}

#[test]
fn hostile_frames_never_panic() {
    let deep = format!("{{\"interaction_type\":\"update_only\",\"transcript\":{}", "[".repeat(100_000));
    assert!(decode(&deep).is_err());
    let frame = json!({"interaction_type": "response_required", "response_id": 3, "turntaking": "agent_turn",
        "transcript": [{"role": "user", "content": "señora (unintelligible audio) 👍"}, {"role": "agent", "content": "x"}],
        "transcript_with_tool_calls": [{"role": "dtmf", "digit": "5"}], "call": {"metadata": {"a": "b"}}})
    .to_string();
    // Each prefix, each lost character, and each character turned into one that means something to JSON.
    for (at, c) in frame.char_indices() {
        let (head, tail) = (&frame[..at], &frame[at + c.len_utf8()..]);
        let _ = decode(head);
        let _ = decode(&format!("{head}{tail}"));
        for other in ["\"", "{", "[", "}", "]", ",", ":", "0", "-", "\\", "\u{0}", "null", "1e999"] {
            let _ = decode(&format!("{head}{other}{tail}"));
        }
    }
    assert!(decode(&frame).is_ok());
}

#[test]
fn our_frames_are_these_exact_texts() {
    let config = Outbound::Config { auto_reconnect: true, call_details: true };
    assert_eq!(
        config.to_string(),
        r#"{"response_type":"config","config":{"auto_reconnect":true,"call_details":true,"transcript_with_tool_calls":true}}"#
    );
    let piece = |content: &str, content_complete, then| {
        Outbound::Response { response_id: ReplyId(4), content: content.into(), content_complete, then }
            .to_string()
    };
    assert_eq!(
        piece("Dígame, «José»:\n\"ya\" ", false, Closing::Stay),
        r#"{"response_type":"response","response_id":4,"content":"Dígame, «José»:\n\"ya\" ","content_complete":false}"#
    );
    assert_eq!(
        piece("", true, Closing::HangUp),
        r#"{"response_type":"response","response_id":4,"content":"","content_complete":true,"end_call":true}"#
    );
    assert_eq!(
        piece("", true, Closing::Transfer("+5411".into())),
        r#"{"response_type":"response","response_id":4,"content":"","content_complete":true,"transfer_number":"+5411"}"#
    );
    assert_eq!(Outbound::PingPong { timestamp: None }.to_string(), r#"{"response_type":"ping_pong"}"#);
}

#[test]
fn a_ping_comes_back_with_the_number_it_had() {
    for number in ["1723459200123", "0", "-3", "18446744073709551615", "1723459200123.5"] {
        let frame = format!(r#"{{"interaction_type":"ping_pong","timestamp":{number}}}"#);
        let Inbound::PingPong { timestamp } = decode(&frame).unwrap() else { panic!("no ping: {frame}") };
        let echo = Outbound::PingPong { timestamp }.to_string();
        assert_eq!(echo, format!(r#"{{"response_type":"ping_pong","timestamp":{number}}}"#));
    }
}

#[test]
fn what_is_sent_is_json_whatever_is_said() {
    let said = "\u{0}\u{1f}\"\\/\u{2028}é👍</script>";
    let frame = Outbound::Response {
        response_id: ReplyId(u64::MAX),
        content: said.into(),
        content_complete: true,
        then: Closing::Stay,
    };
    let read: Value = serde_json::from_str(&frame.to_string()).unwrap();
    assert_eq!(read["content"], said);
    assert_eq!(read["response_id"], u64::MAX);
}
