//! The query that opens a Deepgram session: what it says, what it refuses to say, and the terms in it.
use aura::ears::{Layout, Track};
use aura::equipment::Catalogue;
use aura::protocol::deepgram::{MAX_TERMS, MAX_TOKENS, Options, OptionsError, keyterms, within_limits};

fn telephony() -> Options {
    Options::telephony(8000, Layout::Stereo)
}

#[test]
fn a_telephone_session_says_all_that_it_needs() {
    let options = Options { keyterms: vec!["Gómez & Cía".into(), "M50".into()], ..telephony() };
    assert_eq!(
        options.query().unwrap(),
        "model=nova-3&language=es&encoding=linear16&sample_rate=8000&channels=2&multichannel=true\
         &interim_results=true&endpointing=300&utterance_end_ms=1000&vad_events=true&numerals=true\
         &punctuate=true&smart_format=false&mip_opt_out=true&keyterm=G%C3%B3mez%20%26%20C%C3%ADa&keyterm=M50"
    );
}

#[test]
fn one_channel_is_no_multichannel() {
    let query = Options::telephony(16_000, Layout::Mono(Track::Outbound)).query().unwrap();
    assert!(query.contains("sample_rate=16000&channels=1&multichannel=false"), "{query}");
}

#[test]
fn endpointing_can_be_switched_off() {
    let query = Options { endpointing: None, ..telephony() }.query().unwrap();
    assert!(query.contains("&endpointing=false&"), "{query}");
}

#[test]
fn fault_41_utterance_ends_without_interim_results_are_refused() {
    let wrong = Options { interim_results: false, ..telephony() };
    assert_eq!(wrong.query(), Err(OptionsError::UtteranceEndWithoutInterims));
    let right = Options { utterance_end_ms: None, ..wrong };
    let query = right.query().unwrap();
    assert!(query.contains("interim_results=false") && !query.contains("utterance_end_ms"), "{query}");
}

#[test]
fn fault_41_what_can_never_work_is_refused_by_name() {
    let refused = |options: Options| options.query().unwrap_err();
    let short = Options { utterance_end_ms: Some(999), ..telephony() };
    assert_eq!(refused(short), OptionsError::UtteranceEndTooShort(999));
    let terms = Options { model: "nova-2".into(), keyterms: vec!["M50".into()], ..telephony() };
    assert_eq!(refused(terms), OptionsError::KeytermsNeedNova3("nova-2".into()));
    let trade = Options { model: "nova-2-phonecall".into(), ..telephony() };
    assert!(matches!(refused(trade), OptionsError::EnglishOnly { .. }));
    assert_eq!(refused(Options { rate: 0, ..telephony() }), OptionsError::Rate(0));
    assert_eq!(refused(Options { channels: 3, ..telephony() }), OptionsError::Channels(3));
    assert_eq!(refused(Options { model: " ".into(), ..telephony() }), OptionsError::Missing("model"));
    for model in ["nova-3", "nova-3-general", "nova-3-medical"] {
        let fine = Options { model: model.into(), keyterms: vec!["M50".into()], ..telephony() };
        assert_eq!(fine.check(), Ok(()));
    }
}

#[test]
fn the_catalogues_terms_fit_and_the_worthiest_come_first() {
    let terms = keyterms(Catalogue::builtin());
    let tokens: usize = terms.iter().map(|term| term.len() + 1).sum();
    assert!(terms.len() <= MAX_TERMS && tokens <= MAX_TOKENS, "{} terms, {tokens} tokens", terms.len());
    let place = |wanted: &str| terms.iter().position(|term| term == wanted);
    for wanted in [
        "M50",
        "7F-5",
        "Nuvo Lite",
        "eme cincuenta",
        "siete efe cinco",
        "Low O2",
        "hache cero ocho",
        "e cuarenta y tres",
        "Yuwell",
    ] {
        assert!(place(wanted).is_some(), "{wanted} is missing of {terms:?}");
    }
    assert!(place("M50") < place("hache cero ocho") && place("hache cero ocho") < place("Yuwell"));
}

#[test]
fn a_term_over_the_limit_is_dropped_never_sent() {
    let long = "x".repeat(MAX_TOKENS);
    let kept = within_limits([
        long,
        "M50".to_owned(),
        "m50".to_owned(),
        "  ".to_owned(),
        " Nuvo   Lite ".to_owned(),
    ]);
    assert_eq!(kept, ["M50", "Nuvo Lite"]);
    assert_eq!(within_limits((0..500).map(|n| format!("{n}"))).len(), MAX_TERMS);
    let query = Options { keyterms: (0..500).map(|n| format!("equipo {n}")).collect(), ..telephony() };
    let sent: Vec<String> = query.query().unwrap().split("&keyterm=").skip(1).map(str::to_owned).collect();
    assert!(sent.iter().map(|term| term.replace("%20", " ").len() + 1).sum::<usize>() <= MAX_TOKENS);
    assert!(sent.len() > 30);
}
