//! What Deepgram's messages say, also where fields are missing.
use aura::protocol::deepgram::{CLOSE_STREAM, FINALIZE, KEEP_ALIVE, read};
use aura::stt::said::{Said, Stretch};
use std::time::Duration;

fn stretch(text: &str) -> Stretch {
    match read(text) {
        Said::Stretch(stretch) => stretch,
        other => panic!("{other:?}"),
    }
}

const ANA: &str = r#"{"type":"Results","channel_index":[1,2],"duration":1.98,"start":5.99,"is_final":true,
 "speech_final":true,"from_finalize":false,"channel":{"alternatives":[{"transcript":"Me llamo Ana","confidence":0.98,
 "languages":["es"],"words":[{"word":"me","start":6.1,"end":6.2,"confidence":0.99,"punctuated_word":"Me","language":"es"},
 {"word":"llamo","start":6.2,"end":6.5},{"word":"ana","start":6.5,"end":7.0,"punctuated_word":"Ana"}]}]},
 "metadata":{"request_id":"r"}}"#;

#[test]
fn a_whole_result_is_read() {
    let ana = stretch(ANA);
    assert_eq!(
        (ana.channel, ana.text.as_str(), ana.settled, ana.endpoint),
        (Some(1), "Me llamo Ana", true, true)
    );
    assert_eq!(ana.span, Some((Duration::from_millis(5990), Duration::from_millis(7970))));
    let words: Vec<&str> = ana.words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(words, ["Me", "llamo", "Ana"]);
}

#[test]
fn whatever_is_missing_is_only_missing() {
    let bare = stretch(r#"{"type":"Results"}"#);
    assert_eq!(bare, Stretch::default());
    let odd = stretch(
        r#"{"type":"Results","channel_index":"0","start":-1,"duration":null,"is_final":"yes",
        "channel":{"alternatives":[{"transcript":" hola ","words":[{"word":"hola"}]}]}}"#,
    );
    assert_eq!((odd.channel, odd.text.as_str(), odd.settled, odd.span), (None, "hola", false, None));
    assert!(odd.words.is_empty(), "words without times can't be told apart");
}

#[test]
fn an_endpoint_is_always_settled() {
    let stretch = stretch(r#"{"type":"Results","speech_final":true}"#);
    assert!(stretch.settled && stretch.endpoint);
}

#[test]
fn the_other_messages() {
    let end = |text| match read(text) {
        Said::UtteranceEnd { channel, last_word_end } => (channel, last_word_end),
        other => panic!("{other:?}"),
    };
    let told = end(r#"{"type":"UtteranceEnd","channel":[0,2],"last_word_end":7.3}"#);
    assert_eq!(told, (Some(0), Some(Duration::from_millis(7300))));
    assert_eq!(end(r#"{"type":"UtteranceEnd","last_word_end":-1}"#), (None, None));
    assert_eq!(read(r#"{"type":"Metadata","request_id":"r","duration":30.1}"#), Said::Goodbye);
    assert_eq!(read(r#"{"type":"SpeechStarted","channel":[0,2],"timestamp":5.8}"#), Said::Alive);
    assert_eq!(read(r#"{"type":"ConfigureSuccess"}"#), Said::Alive);
}

#[test]
fn complaints_are_short_and_hold_no_document() {
    let long = format!(r#"{{"type":"Error","code":"X","description":"32456789 {}"}}"#, "a".repeat(4000));
    let Said::Trouble(told) = read(&long) else { panic!() };
    assert!(told.contains("X: DNI ···789") && told.len() < 300, "{told}");
    for broken in ["", "{", "[]", "null", "\"x\"", "{\"type\":\"Error\"}"] {
        assert!(matches!(read(broken), Said::Trouble(_)), "{broken}");
    }
}

#[test]
fn fault_46_foreign_words_drop_nothing_and_change_no_language() {
    let words = [("quiero", "es"), ("un", "es"), ("check-up", "en"), ("mañana", "es")];
    let words: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(n, (word, language))| {
            format!(r#"{{"word":"{word}","start":{n}.0,"end":{n}.5,"language":"{language}"}}"#)
        })
        .collect();
    let result = format!(
        r#"{{"type":"Results","channel_index":[0,1],"start":0,"duration":4,"is_final":true,"channel":{{"alternatives":
        [{{"transcript":"quiero un check-up mañana","languages":["es","en"],"words":[{}]}}]}}}}"#,
        words.join(",")
    );
    let heard = stretch(&result);
    assert_eq!((heard.text.as_str(), heard.words.len()), ("quiero un check-up mañana", 4));
    // What is asked for stays Spanish: no option of the session comes from what was heard.
    let options = aura::protocol::deepgram::Options::telephony(8000, aura::ears::Layout::Stereo);
    assert!(options.query().unwrap().contains("&language=es&"));
}

#[test]
fn what_is_sent_is_json_with_the_documented_types() {
    for (message, kind) in [(KEEP_ALIVE, "KeepAlive"), (FINALIZE, "Finalize"), (CLOSE_STREAM, "CloseStream")]
    {
        let value: serde_json::Value = serde_json::from_str(message).unwrap();
        assert_eq!(value, serde_json::json!({ "type": kind }));
    }
}
