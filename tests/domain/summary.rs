//! What is written down of a call, and nothing technical that its rows don't hold.
use super::fixture::{CAP, M50, row, said};
use aura::capture::{Captured, read};
use aura::equipment::Catalogue;
use aura::red_flag::RedFlag;
use aura::retrieval::Chunk;
use aura::script::Step;
use aura::suggestion::Label;
use aura::summary::{Callback, Given, Open, Record, Summary, accept, hand_over, request, summary};
use aura::transcript::{Speaker, Turn};

struct Story {
    lines: Vec<Turn>,
    given: Vec<Given>,
    rows: Vec<Chunk>,
    callbacks: Vec<Callback>,
    captured: Captured,
    flags: Vec<RedFlag>,
    step: Step,
    identity: Label,
}

const QUESTION: &str = "Hola, me llamo Elsa, el M50 me marca H08. ¿Qué tengo que hacer?";
const ANSWER: &str =
    "El código H08 indica una falla. Apague el equipo, espere un momento y enciéndalo una sola vez.";

fn given(question: &str, text: &str, hit: bool) -> Given {
    Given {
        question: question.to_owned(),
        text: text.to_owned(),
        hit,
        source: Some(M50.to_owned()),
        section: Some("Alarmas".to_owned()),
        unanswered: false,
    }
}

impl Story {
    fn new() -> Self {
        let text = "Qué indica: El código H08 indica una falla.\nQué hacer: Apague el equipo, espere un momento y \
                    enciéndalo una sola vez.";
        let mut captured = Captured::default();
        captured.take(&read(QUESTION, false, Step::Reason, Catalogue::builtin()));
        Self {
            lines: vec![said(Speaker::Patient, QUESTION), said(Speaker::Agent, ANSWER)],
            given: vec![given(QUESTION, ANSWER, true)],
            rows: vec![row(M50, "Código H08 / H01", text), row(CAP, "Recarga", "Llame para pedirla.")],
            callbacks: Vec::new(),
            captured,
            flags: Vec::new(),
            step: Step::Closing,
            identity: Label::Confirmed,
        }
    }

    fn record(&self) -> Record {
        Record {
            lines: self.lines.clone(),
            given: self.given.clone(),
            rows: self.rows.clone(),
            lessons: vec![],
            callbacks: self.callbacks.clone(),
            identity: self.identity,
            outage: None,
            captured: self.captured.clone(),
            flags: self.flags.clone(),
            step: self.step,
            bot: true,
            catalogue: Catalogue::builtin(),
        }
    }

    fn summary(&self) -> Summary {
        summary(&self.record())
    }
}

#[test]
fn issue6_a_call_that_went_well() {
    let summary = Story::new().summary();
    assert_eq!(summary.open, []);
    assert_eq!(summary.answered[0].source.as_deref(), Some(M50));
    assert_eq!((summary.equipment, summary.codes), (vec!["M50".to_owned()], vec!["H08".to_owned()]));
    insta::assert_snapshot!("summary_well", summary.text);
}

#[test]
fn issue6_a_call_with_much_left_open_and_its_hand_over() {
    let mut story = Story::new();
    story.step = Step::Resolution;
    story.identity = Label::Unconfirmed;
    story.flags = vec![RedFlag::Breathing];
    let question = "¿Cada cuánto le cambio el filtro? Mi DNI es 30.123.456";
    let holding = aura::phrases::HOLDING_BOT.es;
    story.lines.push(said(Speaker::Patient, question));
    story.given.push(Given { unanswered: true, ..given(question, holding, false) });
    story.callbacks = vec![Callback { reason: "holding".to_owned(), question: Some(question.to_owned()) }];
    let summary = story.summary();
    assert_eq!(summary.open.len(), 5, "{:?}", summary.open);
    assert!(matches!(summary.open[0], Open::Emergency), "the gravest first");
    assert!(!aura::mask::contains_long_number(&summary.text), "S4: {}", summary.text);
    insta::assert_snapshot!("summary_open", summary.text);
    let note = hand_over(&story.record());
    assert!(!note.open.iter().any(|open| matches!(open, Open::Unfinished(_))), "it goes on");
    insta::assert_snapshot!("hand_over", note.text);
}

#[test]
fn s2_nothing_technical_is_told_that_the_rows_do_not_hold() {
    let mut story = Story::new();
    story.given = vec![
        given(
            "¿Lo pongo en 5 litros? Me dijeron que lo ponga en 5 litros.",
            "Suba el flujo a 5 litros.",
            true,
        ),
        given("¿Y el filtro?", "El filtro se cambia cada 15 días. Quédese tranquila.", false),
    ];
    story.lines = story.given.iter().map(|given| said(Speaker::Patient, &given.question)).collect();
    for summary in [story.summary(), hand_over(&story.record())] {
        assert!(!summary.text.contains("5 litros") && !summary.text.contains("15 días"), "{}", summary.text);
        assert!(summary.answered.iter().all(|answered| answered.source.is_none()), "{:?}", summary.answered);
        assert!(summary.text.contains("Quédese tranquila"), "{}", summary.text);
    }
}

#[test]
fn issue6_a_question_that_was_answered_later_is_not_open() {
    let mut story = Story::new();
    story.given.insert(0, Given { unanswered: true, ..given(QUESTION, "", false) });
    assert_eq!(story.summary().open, []);
    assert_eq!(story.summary().asked.len(), 1, "told once");
}

#[test]
fn issue6_an_empty_call_has_a_summary_too() {
    let story = Story {
        lines: vec![],
        given: vec![],
        step: Step::Greeting,
        identity: Label::Unknown,
        captured: Captured::default(),
        ..Story::new()
    };
    let summary = story.summary();
    assert_eq!(summary.open, [Open::Identity, Open::Unfinished(Step::Greeting)]);
    insta::assert_snapshot!("summary_empty", summary.text);
}

#[test]
fn s2_a_models_words_are_held_to_the_rows_and_lose_nothing_that_is_pending() {
    let mut story = Story::new();
    story.identity = Label::Unconfirmed;
    story.callbacks = vec![Callback { reason: "holding".to_owned(), question: None }];
    let words = "## Resumen\n\n- Consultó por el código H08 en su **M50**.\n- Se le indicó suba el flujo a 5 litros.\n\
                 - El filtro se cambia cada 15 días.\n- Quedó conforme con la respuesta. Su DNI es 30.123.456.";
    let told = accept(&story.record(), words).expect("a summary");
    for lost in ["Resumen", "5 litros", "15 días", "**", "##", "30.123.456"] {
        assert!(!told.text.contains(lost), "{lost}: {}", told.text);
    }
    assert!(!aura::mask::contains_long_number(&told.text), "S4: {}", told.text);
    assert!(told.text.starts_with("Consultó por el código H08 en su M50."), "{}", told.text);
    assert_eq!(told.open, story.summary().open, "what is open is the rule's");
    insta::assert_snapshot!("summary_by_model", told.text);
}

#[test]
fn s2_a_models_words_of_which_nothing_is_left_are_no_summary() {
    let record = Story::new().record();
    for words in ["", " \n", "…", "Suba el flujo a 5 litros por minuto.", "```\n```"] {
        assert_eq!(accept(&record, words), None, "{words}");
    }
}

#[test]
fn r20_a_model_is_told_the_talk_and_nothing_that_is_on_file() {
    let mut story = Story::new();
    story.lines.push(said(Speaker::Patient, "Mi DNI es 30.123.456 y mi teléfono es 11 4567-8901"));
    let request = request(&story.record());
    let told: String = request.messages.iter().map(|message| message.content.as_str()).collect();
    assert!(!aura::mask::contains_long_number(&told), "S4: {told}");
    assert!(told.contains("Paciente: Hola, me llamo Elsa") && told.contains("Aura: El código H08"), "{told}");
    assert!(
        !told.contains(M50) && !told.contains(CAP),
        "no manual's name: it may be of what is on file: {told}"
    );
    assert_eq!(request.holding, "", "who has no model has nothing to say");
    story.lines = vec![said(Speaker::Patient, &"Hablo mucho. ".repeat(200)); 40];
    let long = aura::summary::request(&story.record());
    assert!(long.messages[1].content.len() < 32 * 1024, "bounded");
}
