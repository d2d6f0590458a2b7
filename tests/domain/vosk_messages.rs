//! vosk-server's messages: literal requests, replies of every kind.
use aura::protocol::vosk::{EOF, RESET, config, read};
use aura::stt::said::{Said, Stretch};
use std::time::Duration;

fn stretch(text: &str) -> Stretch {
    match read(text) {
        Said::Stretch(stretch) => stretch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_are_the_servers_literals() {
    assert_eq!((EOF, RESET), ("{\"eof\" : 1}", "{\"reset\" : 1}"));
    let config = config(8000);
    let value: serde_json::Value = serde_json::from_str(&config).unwrap();
    assert_eq!(value["config"]["sample_rate"], 8000);
    assert_eq!(value["config"]["words"], true);
    assert!(value["config"].get("phrase_list").is_none(), "a list of phrases leaves all else unheard");
}

#[test]
fn partials_and_finals_are_told_apart() {
    let partial = stretch(r#"{"partial" : "buen día"}"#);
    assert_eq!(
        (partial.text.as_str(), partial.settled, partial.endpoint, partial.span),
        ("buen día", false, false, None)
    );
    let done = stretch(
        r#"{"result":[{"conf":0.9,"start":0.1,"end":0.4,"word":"buen"},{"conf":1,"start":0.4,"end":0.8,"word":"día"}],
        "text":"buen día"}"#,
    );
    assert_eq!(
        (done.text.as_str(), done.settled, done.endpoint, done.words.len()),
        ("buen día", true, true, 2)
    );
    assert_eq!(done.span, Some((Duration::from_millis(100), Duration::from_millis(800))));
}

#[test]
fn empty_partials_and_finals_are_silence() {
    assert_eq!(stretch(r#"{"partial":""}"#), Stretch::default());
    let silence = stretch(r#"{"text":""}"#);
    assert!(silence.settled && silence.text.is_empty() && silence.span.is_none());
    assert!(stretch(r#"{"alternatives":[]}"#).settled);
}

#[test]
fn the_best_alternative_counts() {
    let best = stretch(
        r#"{"alternatives":[{"confidence":200.1,"text":"hola","result":[{"start":1,"end":1.5,"word":"hola"}]},
        {"confidence":1,"text":"ola"}]}"#,
    );
    assert_eq!((best.text.as_str(), best.words.len()), ("hola", 1));
}

#[test]
fn fault_45_numbers_stay_the_words_that_came() {
    let heard = [
        "seis doce treinta y cuatro cero cero uno dos",
        "una cita",
        "a las tres y media",
        "el veintitrés de mayo",
    ];
    for text in heard {
        assert_eq!(stretch(&format!(r#"{{"text":"{text}"}}"#)).text, text);
    }
}

#[test]
fn what_is_no_reply_is_trouble_not_a_panic() {
    for broken in ["", "{", "7", "[{}]"] {
        assert!(matches!(read(broken), Said::Trouble(_)), "{broken}");
    }
    assert_eq!(read("{}"), Said::Alive);
}
