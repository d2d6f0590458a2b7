//! What FreeSWITCH's forks and the applications behind them say, and what the URL says for them.
use aura::ears::{Door, Encoding, Leg, Line, Metadata, Shape, Told, Track};
use aura::protocol::audio_fork::{binary, text, transcription};
use aura::protocol::pbx::{BadQuery, FrameError, query, subprotocol};

fn told(frame: &str) -> Vec<Told> {
    let decoded = text(frame);
    assert_eq!(decoded.fault, None, "{frame}");
    decoded.told
}

fn metadata(frame: &str) -> Metadata {
    match &told(frame)[..] {
        [Told::Metadata(metadata)] => *metadata.clone(),
        other => panic!("no metadata but {other:?}"),
    }
}

const JAMBONZ: &str = r#"{"sampleRate":16000,"mixType":"stereo","callSid":"3b1c","direction":"inbound",
  "from":"+5491140000000","to":"+541150000000","callId":"84b4c76e66710@10.0.0.1","sipStatus":200,
  "callStatus":"in-progress","callerId":"Ana","accountSid":"a1","applicationSid":"b2",
  "originatingSipIP":"10.0.0.2","originatingSipTrunkName":"troncal",
  "customerData":{"extension":"204","plan":"300 \\\"oro\\\"","vacio":null,"lista":[1]},"obra_social":"OSDE"}"#;

#[test]
fn jambonz_metadata_tell_the_call_and_its_audio() {
    let told = metadata(JAMBONZ);
    assert_eq!(
        (told.call.as_deref(), told.rate, told.layout),
        (Some("3b1c"), Some(16_000), Some(Shape::Stereo))
    );
    assert_eq!((told.outbound_call, told.phone.as_deref()), (Some(false), Some("+5491140000000")));
    assert_eq!((told.extension.as_deref(), told.leg, told.probe), (Some("204"), None, false));
    let variables: Vec<(&str, &str)> = told.variables.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(variables, [("obra_social", "OSDE"), ("plan", "300 \"oro\"")]);
}

#[test]
fn names_are_spelled_in_many_ways() {
    for frame in [
        r#"{"sampleRate":8000,"mixType":"mono","callSid":"C1","leg":"operator","extension":"7"}"#,
        r#"{"sample_rate":"8000","mix_type":"MONO","call_id":"C1","role":"agent","agent":"7"}"#,
        r#"{"SampleRate":"8k","channels":1,"uuid":"C1","leg":"Operador","agent_extension":7}"#,
        r#"{"rate":8000.0,"ch":"1","Call-SID":"C1","AURA_LEG":"OPERATOR","AURA_EXTENSION":"7"}"#,
    ] {
        let told = metadata(frame);
        assert_eq!(
            (told.call.as_deref(), told.rate, told.layout),
            (Some("C1"), Some(8_000), Some(Shape::Mono)),
            "{frame}"
        );
        assert_eq!((told.leg, told.extension.as_deref()), (Some(Leg::Operator), Some("7")), "{frame}");
    }
}

#[test]
fn the_id_that_both_legs_share_comes_first() {
    let call = |frame: &str| metadata(frame).call;
    assert_eq!(call(r#"{"callSid":"A","bridgeId":"B","uuid":"C"}"#).as_deref(), Some("B"));
    assert_eq!(call(r#"{"uniqueid":"1.2","linkedid":"1.1"}"#).as_deref(), Some("1.1"));
    assert_eq!(call(r#"{"callId":"x@h","callSid":"A"}"#).as_deref(), Some("A"));
    assert_eq!(call(r#"{"callSid":"null","uuid":"C"}"#).as_deref(), Some("C"));
}

#[test]
fn fault_62_of_a_call_that_we_made_the_patients_number_is_to() {
    let frame = |direction: &str| {
        format!(r#"{{"callSid":"A","direction":"{direction}","from":"sip:+111@h","to":"tel:+54 9 222"}}"#)
    };
    assert_eq!(metadata(&frame("outbound")).phone.as_deref(), Some("+549222"));
    assert_eq!(metadata(&frame("inbound")).phone.as_deref(), Some("+111"));
    // Who dialled isn't known: either could be ours.
    assert_eq!(metadata(r#"{"callSid":"A","from":"+111","to":"+222"}"#).phone, None);
    assert_eq!(
        metadata(r#"{"callSid":"A","from":"+111","patient_phone":"+333"}"#).phone.as_deref(),
        Some("+333")
    );
}

#[test]
fn r9_telephone_numbers_are_no_variables() {
    let told =
        metadata(r#"{"callSid":"A","from":"+111","to":"+222","callerId":"333","phone":"444","nota":"x"}"#);
    assert_eq!(told.variables.into_keys().collect::<Vec<_>>(), ["nota"]);
}

#[test]
fn glued_objects_are_told_apart() {
    let told = told(r#"{"callSid":"C1"}{"event":"dtmf","dtmf":"5","duration":1280} {"event":"hold"}"#);
    assert!(matches!(&told[0], Told::Metadata(m) if m.call.as_deref() == Some("C1")));
    assert_eq!(told[1..], [Told::Dtmf('5'), Told::Hold(true)]);
}

#[test]
fn a_broken_object_loses_none_before_it() {
    for (frame, fault) in [
        (r#"{"event":"dtmf","dtmf":"1"}{"callSid":"C1","cut"#, "an early end"),
        (r#"{"event":"dtmf","dtmf":"1"}{callSid:1}"#, "a syntax error"),
        (r#"{"event":"dtmf","dtmf":"1"}hola {"event":"hold"}"#, "a syntax error"),
    ] {
        let decoded = text(frame);
        assert_eq!(decoded.told, [Told::Dtmf('1')]);
        assert!(matches!(decoded.fault, Some(FrameError::Corrupt { fault: f, .. }) if f == fault), "{frame}");
    }
    let decoded = text(r#"[1] {"event":"hold"}"#);
    assert_eq!((decoded.told, decoded.fault), (vec![Told::Hold(true)], Some(FrameError::NotAnObject)));
}

#[test]
fn what_is_no_frame_is_refused_without_repeating_it() {
    assert_eq!(text("").told, []);
    for frame in ["{\"dni\":12345678", "12345678x", "\u{0}12345678"] {
        let fault = text(frame).fault.expect("a fault");
        assert!(!fault.to_string().contains("1234"), "{fault}");
    }
    let long = format!(r#"{{"callSid":"{}"}}"#, "x".repeat(70_000));
    assert_eq!(text(&long).fault, Some(FrameError::TooLarge { len: long.len() }));
    assert!(text(&"[".repeat(60_000)).fault.is_some());
}

#[test]
fn quotes_escaped_once_too_often_are_read() {
    assert_eq!(metadata(r#"{\"callSid\":\"C1\",\"sampleRate\":8000}"#).rate, Some(8_000));
    let told = metadata(r#"{"callSid":"C1","customerData":"{\\\"agent\\\":\\\"204\\\"}"}"#);
    assert_eq!(told.extension.as_deref(), Some("204"));
}

#[test]
fn fault_54_keys_in_all_their_spellings() {
    for (frame, keys) in [
        (r#"{"event":"dtmf","dtmf":"5","duration":1280}"#, "5"),
        (r#"{"type":"dtmf","digit":"*"}"#, "*"),
        (r#"{"type":"dtmf","data":{"digit":"b"}}"#, "B"),
        (r#"{"Event-Name":"DTMF","DTMF-Digit":"9","DTMF-Duration":"2000"}"#, "9"),
        (r#"{"dtmf":3}"#, "3"),
        (r#"{"digit":"0"}"#, "0"),
        (r#"{"event":"dtmf","digits":"11#"}"#, "11#"),
        (r#"{"event":"dtmf","dtmf":"x"}"#, ""),
        (r#"{"event":"dtmf"}"#, ""),
    ] {
        assert_eq!(told(frame), keys.chars().map(Told::Dtmf).collect::<Vec<_>>(), "{frame}");
    }
}

#[test]
fn events_of_the_call_as_applications_send_them() {
    for (frame, expected) in [
        (r#"{"event":"hold"}"#, vec![Told::Hold(true)]),
        (r#"{"type":"CHANNEL_UNHOLD"}"#, vec![Told::Hold(false)]),
        (r#"{"Event-Name":"CHANNEL_BRIDGE","Unique-ID":"other"}"#, vec![Told::Bridged]),
        (r#"{"event":"hangup","cause":"NORMAL_CLEARING"}"#, vec![Told::HungUp]),
        (r#"{"event":"stop"}"#, vec![Told::Flush]),
        (r#"{"event":"playback_started","file":"x.wav"}"#, vec![]),
    ] {
        assert_eq!(told(frame), expected, "{frame}");
    }
    let bridged = told(r#"{"event":"transfer","extension":"205","callSid":"another leg"}"#);
    assert!(
        matches!(&bridged[..], [Told::Metadata(m), Told::Bridged] if m.extension.as_deref() == Some("205") && m.call.is_none())
    );
    let ended = told(r#"{"callSid":"C1","callStatus":"completed"}"#);
    assert!(matches!(&ended[..], [Told::Metadata(_), Told::HungUp]));
    // What an application adds to metadata may have a type of its own.
    assert_eq!(metadata(r#"{"callSid":"C1","customerData":{"type":"hangup"}}"#).call.as_deref(), Some("C1"));
}

#[test]
fn lines_of_a_pbx_that_transcribes_itself() {
    let line = |leg, text: &str, done| vec![Told::Line(Line { leg, text: text.to_owned(), done })];
    let frame = r#"{"type":"transcript","leg":"patient","text":"Me llamo Ana.","final":true}"#;
    assert_eq!(told(frame), line(Leg::Patient, "Me llamo Ana.", true));
    let frame =
        r#"{"type":"transcription","data":{"speaker":"agent","transcript":"Dígame","is_final":false}}"#;
    assert_eq!(told(frame), line(Leg::Operator, "Dígame", false));
    let frame = r#"{"event":"transcript","track":"outbound","text":"hola"}"#;
    let expected = Told::TrackLine { track: Track::Outbound, text: "hola".to_owned(), done: true };
    assert_eq!(told(frame), [expected]);
    assert_eq!(
        text(r#"{"type":"transcript","speaker":"caller","text":"x"}"#).fault,
        Some(FrameError::NoSpeaker)
    );
    assert_eq!(told(r#"{"type":"transcript","leg":"patient","text":" "}"#), []);
}

#[test]
fn our_own_message_is_one_that_a_switch_understands() {
    let line = Line { leg: Leg::Patient, text: "dijo \"hola\"\u{0}".to_owned(), done: true };
    let message = transcription(&line);
    let parsed: serde_json::Value = serde_json::from_str(&message).unwrap();
    assert_eq!((&parsed["type"], &parsed["data"]["leg"]), (&"transcription".into(), &"patient".into()));
    assert_eq!(parsed["data"]["final"], true);
    assert!(!message.contains('\u{0}'), "a switch would cut it there");
}

#[test]
fn an_empty_binary_frame_ends_the_audio() {
    assert_eq!(binary(vec![]), Told::Flush);
    assert_eq!(binary(vec![1, 2]), Told::Audio { track: None, bytes: vec![1, 2] });
}

#[test]
fn exactly_one_offered_subprotocol_is_echoed() {
    assert_eq!(subprotocol(Door::AudioFork, "audio.drachtio.org"), Some("audio.drachtio.org"));
    assert_eq!(
        subprotocol(Door::AudioFork, "x, audio.jambonz.org,audio.drachtio.org"),
        Some("audio.jambonz.org")
    );
    assert_eq!(subprotocol(Door::AudioFork, "media"), None);
    assert_eq!(subprotocol(Door::AudioFork, ""), None);
    assert_eq!(subprotocol(Door::Asterisk, "media"), Some("media"));
}

#[test]
fn the_url_says_what_the_fork_does_not() {
    let told = query("rate=16000&ch=2&call=a%40b%3Bc&leg=operator&patient=%2B5491140000000&transcripts=1&encoding=l16&token=secreto").unwrap();
    assert_eq!(
        (told.rate, told.layout, told.encoding),
        (Some(16_000), Some(Shape::Stereo), Some(Encoding::L16))
    );
    assert_eq!((told.call.as_deref(), told.leg), (Some("a@b;c"), Some(Leg::Operator)));
    assert_eq!((told.phone.as_deref(), told.transcripts), (Some("+5491140000000"), Some(true)));
    assert!(told.variables.is_empty(), "a token is no variable");
    assert_eq!(query("patient=outbound").unwrap().leg, Some(Leg::Operator));
    assert_eq!(query("").unwrap(), Metadata::default());
}

#[test]
fn a_parameter_that_cannot_be_used_is_named() {
    for (text, wrong) in [
        ("rate=fast", "rate"),
        ("ch=3", "ch"),
        ("leg=caller", "leg"),
        ("encoding=opus", "encoding"),
        ("patient=Ana", "patient"),
    ] {
        let bad = query(text).unwrap_err();
        assert!(matches!(bad, BadQuery::Parameter { name, .. } if name == wrong), "{text}");
    }
    assert_eq!(query(&"x".repeat(5_000)), Err(BadQuery::TooLong { len: 5_000 }));
}
