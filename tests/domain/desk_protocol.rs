//! The desk on the wire: requests that are read or refused by name, every frame there and back, what a newer peer adds
//! passed over, and nothing typed of a person in what is printed (issue 6, S4).
use super::desk_kit::*;
use aura::capture::{Field, FieldView};
use aura::channel::Channel;
use aura::ears::{Gap, Lack, Track};
use aura::event::{News, SearchRow};
use aura::identity::{Held, Source};
use aura::ids::{Dni, TurnId};
use aura::patient::{Cause, Outage, Progress};
use aura::protocol::desk::{
    Ask, Callback, Cursor, Device, Event, Farewell, Happening, Headline, LONGEST_REQUEST, Message, Patient,
    Private, Refusal, Request, Row, State, VERSION, Verdict, Welcome, read_message, read_request,
};
use aura::red_flag::RedFlag;
use aura::script::{self, Step, StepView};
use aura::suggestion::{Change, Gone, Mode, Reason, SuggestionId};
use aura::transcript::Speaker;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Every request, as `deploy/desk.schema.json` writes it.
#[allow(clippy::too_many_lines)] // a table
pub fn asks() -> Vec<(Ask, Value)> {
    let one = || call("one");
    let dni = || Private("23456789".to_owned());
    vec![
        (
            Ask::Hello { version: 1, extension: Some("204".to_owned()) },
            json!({ "ask": "hello", "version": 1, "extension": "204" }),
        ),
        (Ask::Hello { version: 1, extension: None }, json!({ "ask": "hello", "version": 1 })),
        (
            Ask::Watch { call: one(), after: Some(Cursor { epoch: 7, seq: 40 }) },
            json!({ "ask": "watch", "call": "one", "after": { "epoch": 7, "seq": 40 } }),
        ),
        (Ask::Watch { call: one(), after: None }, json!({ "ask": "watch", "call": "one" })),
        (Ask::Unwatch { call: one() }, json!({ "ask": "unwatch", "call": "one" })),
        (Ask::Claim { call: one() }, json!({ "ask": "claim", "call": "one" })),
        (Ask::Release { call: one() }, json!({ "ask": "release", "call": "one" })),
        (Ask::TakeOver { call: one() }, json!({ "ask": "take_over", "call": "one" })),
        (
            Ask::Mode { call: one(), mode: Mode::OnDemand },
            json!({ "ask": "mode", "call": "one", "mode": "on_demand" }),
        ),
        (Ask::Suggest { call: one() }, json!({ "ask": "suggest", "call": "one" })),
        (
            Ask::Step { call: one(), step: Step::Resolution },
            json!({ "ask": "step", "call": "one", "step": "resolution" }),
        ),
        (
            Ask::Capture { call: one(), field: Field::Telephone, value: Private("11 4567 8900".to_owned()) },
            json!({ "ask": "capture", "call": "one", "field": "telephone", "value": "11 4567 8900" }),
        ),
        (
            Ask::ConfirmCapture { call: one(), field: Field::Name },
            json!({ "ask": "confirm_capture", "call": "one", "field": "name" }),
        ),
        (
            Ask::TypeDni { call: one(), dni: dni() },
            json!({ "ask": "type_dni", "call": "one", "dni": "23456789" }),
        ),
        (
            Ask::ConfirmDni { call: one(), dni: dni() },
            json!({ "ask": "confirm_dni", "call": "one", "dni": "23456789" }),
        ),
        (Ask::SeePatient { call: one() }, json!({ "ask": "see_patient", "call": "one" })),
        (
            Ask::Search { call: one(), text: "la de Elsa Pérez".to_owned() },
            json!({ "ask": "search", "call": "one", "text": "la de Elsa Pérez" }),
        ),
        (Ask::Swap { call: one() }, json!({ "ask": "swap", "call": "one" })),
        (
            Ask::Mark {
                call: one(),
                suggestion_id: "one/1".to_owned(),
                verdict: Verdict::Divergent,
                note: Some("Elsa Pérez ya lo había hecho".to_owned()),
            },
            json!({ "ask": "mark", "call": "one", "suggestionId": "one/1", "verdict": "divergent",
                    "note": "Elsa Pérez ya lo había hecho" }),
        ),
        (Ask::Callbacks, json!({ "ask": "callbacks" })),
        (Ask::SeeTelephone { callback: "7".to_owned() }, json!({ "ask": "see_telephone", "callback": "7" })),
        (Ask::CallbackDone { callback: "7".to_owned() }, json!({ "ask": "callback_done", "callback": "7" })),
        (Ask::Ping, json!({ "ask": "ping" })),
    ]
}

/// Every news of the engine's, and what the desk adds.
#[allow(clippy::too_many_lines)] // a table
fn happenings() -> Vec<Happening> {
    let one = call("one");
    let id = SuggestionId::of(&one, TurnId(1));
    let held = Held::new(Source::Dictated, Dni::parse("23456789").unwrap(), aura::identity::State::Given);
    let outage = Some(Outage { cause: Cause::Timeout, retrying: true });
    let step = StepView { step: Step::Greeting, label: "Saludo", progress: script::Progress::Done };
    let field = FieldView {
        field: Field::Telephone,
        label: "Teléfono",
        values: vec!["Tel. ···8900".to_owned()],
        typed: false,
        confirmed: false,
        in_doubt: true,
    };
    let answer = |done| {
        let (text, rag_score) = ("Quédese tranquila.".to_owned(), Some(0.71));
        News::Answer { turn: TurnId(1), text, done, rag_hit: true, rag_score, unconfirmed: false }
    };
    let searched = SearchRow {
        source: "m50.md".to_owned(),
        title: "M50".to_owned(),
        section: "Alarmas".to_owned(),
        row: "H08".to_owned(),
        content: "Apague el equipo.".to_owned(),
        score: 0.8,
        holds: true,
    };
    let look_up = |outage| {
        let models = [aura::equipment::Model::new("M50")].into();
        News::LookUp { progress: Progress::Dni, outage, source: Some("mock"), models, cached: true }
    };
    let news = vec![
        News::Opened,
        heard(0, "hola", true),
        News::Heard { index: 1, speaker: Speaker::Agent, text: "Hola.".to_owned(), place: None },
        News::Gap(Gap { track: Some(Track::Outbound), from_ms: 5, to_ms: 9, why: Lack::Unrecognised }),
        News::Gap(Gap { track: None, from_ms: 5, to_ms: 9, why: Lack::Lost }),
        News::Hold { on: true },
        News::OneVoice,
        News::Extension { extension: "204".to_owned() },
        answer(false),
        answer(true),
        News::Aborted { turn: TurnId(1) },
        News::Failed { turn: TurnId(1), detail: "El modelo no respondió." },
        News::RedFlag { index: 0, flag: RedFlag::Fire, text: "Salga de la casa.".to_owned() },
        News::Identity { change: "captured", held: Some(held) },
        News::Identity { change: "denied", held: None },
        look_up(outage),
        look_up(None),
        card(&one, 1, "Quédese", false),
        News::Suggestion(Change::Failed {
            suggestion_id: id.clone(),
            created_at: NOON,
            text: String::new(),
            cause: "El modelo no respondió.",
        }),
        News::Suggestion(Change::Withdrawn {
            suggestion_id: id.clone(),
            reason: Gone::Newer,
            cause: "Hay otra.",
        }),
        News::Suggestion(Change::Repeated { suggestion_id: id, of: SuggestionId::of(&one, TurnId(2)) }),
        News::Withheld { reason: Reason::ShortTurn, cause: "Dijo poco." },
        News::Script(script::View { open: Step::Reason, corrected: true, steps: vec![step] }),
        News::Captured { fields: aura::capture::View(vec![field]) },
        claimed(Some("elsa")),
        claimed(None),
        News::Searched { search: 1, query: "H08".to_owned(), rows: vec![searched], failed: None },
        News::Searched { search: 2, query: "H08".to_owned(), rows: vec![], failed: Some("No respondió.") },
        News::Lost,
        News::Closed,
    ];
    let mut all: Vec<Happening> = news.iter().map(|news| Happening::of(news, Channel::AudioFork)).collect();
    let (by, verdict) = ("elsa".to_owned(), Verdict::Used);
    all.push(Happening::Marked { suggestion_id: "one/1".to_owned(), by, verdict });
    all.push(Happening::Equipment { detail: true });
    all
}

fn rows() -> Vec<Row> {
    let full = Row {
        call: call("one"),
        source: Channel::AudioFork,
        state: State::Hold,
        since: NOON,
        waiting_since: Some(NOON),
        overdue: true,
        claimed_by: Some("elsa".to_owned()),
        mode: Mode::Quiet,
        extension: Some("204".to_owned()),
        last: Some(Headline { speaker: Speaker::Patient, text: "hola".to_owned(), at: NOON }),
        danger: Some(RedFlag::Breathing),
        step: Some(Step::Closing),
        identity: Some(aura::identity::State::ReadBack),
        look_up: Progress::NotFound,
        outage: Some(Outage { cause: Cause::Failing, retrying: false }),
    };
    let mut empty =
        Row { waiting_since: None, claimed_by: None, extension: None, last: None, ..full.clone() };
    (empty.danger, empty.step, empty.identity, empty.outage) = (None, None, None, None);
    vec![full, empty]
}

fn patient() -> Patient {
    let device = Device {
        name: "Concentrador de oxígeno M50".to_owned(),
        brand: Some("SysMed".to_owned()),
        sku: None,
        category: Some("concentrador".to_owned()),
    };
    Patient {
        call: call("one"),
        dni: Some("23456789".to_owned()),
        source: Some(Source::Keypad),
        state: Some(aura::identity::State::Confirmed),
        look_up: Progress::Dni,
        outage: None,
        provider: Some("mock".to_owned()),
        cached: false,
        models: vec!["M50".to_owned()],
        devices: Some(vec![device]),
    }
}

pub fn messages() -> Vec<Message> {
    let one = || call("one");
    let callback = Callback {
        callback: "7".to_owned(),
        call: one(),
        source: "retell".to_owned(),
        reason: "holding".to_owned(),
        text: "se le prometió una respuesta".to_owned(),
        question: Some("¿cuándo llega la recarga?".to_owned()),
        telephone: Some("Tel. ···8900".to_owned()),
        since: NOON,
    };
    let welcome = Welcome {
        id: 1,
        version: VERSION,
        epoch: 7,
        now: NOON,
        operator: "elsa".to_owned(),
        may: vec!["claim".to_owned()],
        rows: rows(),
        down: vec!["No hay sugerencias.".to_owned()],
    };
    let refused = |id, why, by| Message::Refused { id, why, text: "No.".to_owned(), by };
    let refusals = [
        Refusal::Unreadable,
        Refusal::Hello,
        Refusal::Forbidden,
        Refusal::Unknown,
        Refusal::Taken,
        Refusal::NotYours,
        Refusal::Value,
        Refusal::Changed,
        Refusal::TooMany,
        Refusal::Unavailable,
    ];
    let mut all = vec![
        Message::Welcome(Box::new(welcome)),
        Message::Done { id: u64::MAX },
        refused(None, Refusal::Unreadable, None),
        refused(Some(1), Refusal::Taken, Some("raul".to_owned())),
        Message::Rows { rows: rows(), gone: vec![] },
        Message::Rows { rows: vec![], gone: vec![one(), call("two")] },
        Message::Watching { id: 2, call: one(), epoch: 7, anew: true, cut: false },
        Message::CaughtUp { call: one(), seq: 9 },
        Message::Patient(Box::new(patient())),
        Message::Callbacks { rows: vec![callback] },
        Message::Telephone { callback: "7".to_owned(), telephone: Some("1145678900".to_owned()) },
        Message::Telephone { callback: "7".to_owned(), telephone: None },
        Message::Health { down: vec![] },
        Message::Pong { id: 3 },
    ];
    all.extend(refusals.map(|why| refused(Some(2), why, None)));
    let farewells =
        [Farewell::Behind, Farewell::Restart, Farewell::Silent, Farewell::SignedOut, Farewell::Protocol];
    all.extend(farewells.map(|why| Message::Bye { why, text: "Chau.".to_owned() }));
    all.extend(happenings().into_iter().enumerate().map(|(at, happening)| {
        Message::Event(Event { call: one(), seq: at as u64 + 1, at: NOON, happening })
    }));
    all
}

#[test]
fn issue6_every_request_is_read_as_it_is_documented_and_written_as_it_was_read() {
    let mut names = BTreeSet::new();
    for (ask, mut frame) in asks() {
        assert_eq!(frame["ask"], ask.as_str());
        names.insert(ask.as_str());
        frame["id"] = json!(5);
        let request = Request { id: 5, ask };
        assert_eq!(read_request(&frame.to_string()).as_ref(), Ok(&request), "{frame}");
        assert_eq!(serde_json::to_value(&request).unwrap(), frame);
        assert_eq!(request.ask.call().map(|call| json!(call)), frame.get("call").cloned(), "{frame}");
        // What a newer client adds is passed over.
        frame["mood"] = json!({ "good": [true] });
        assert_eq!(read_request(&frame.to_string()), Ok(request), "{frame}");
    }
    assert_eq!(names.len(), 21, "all of them");
}

#[test]
fn issue6_frames_that_are_requests_after_all() {
    let (long, note) = ("ñ".repeat(500), "ñ".repeat(1_000));
    let full = format!("{{\"ask\":\"ping\",\"id\":1{}}}", " ".repeat(LONGEST_REQUEST - 21));
    assert_eq!(full.len(), LONGEST_REQUEST);
    let good = [
        (r#" { "id": 0, "ask": "ping" } "#.to_owned(), 0),
        (format!(r#"{{"ask":"ping","id":{}}}"#, u64::MAX), u64::MAX),
        (r#"{"id":1,"ask":"watch","call":"one","after":null}"#.to_owned(), 1),
        (r#"{"id":1,"ask":"hello","version":99,"extension":null}"#.to_owned(), 1),
        (r#"{"id":1,"ask":"mark","call":"one","suggestionId":"","verdict":"used","note":null}"#.to_owned(), 1),
        (json!({ "id": 1, "ask": "search", "call": "one", "text": long }).to_string(), 1),
        (
            json!({ "id": 1, "ask": "mark", "call": "one", "suggestionId": "a".repeat(200), "verdict": "used",
                    "note": note })
            .to_string(),
            1,
        ),
        (json!({ "id": 1, "ask": "hello", "version": 1, "extension": "a".repeat(200) }).to_string(), 1),
        (json!({ "id": 1, "ask": "see_telephone", "callback": "a".repeat(200) }).to_string(), 1),
        (full, 1),
    ];
    for (frame, id) in good {
        assert_eq!(read_request(&frame).map(|request| request.id), Ok(id), "{frame:.80}");
    }
}

#[test]
#[allow(clippy::too_many_lines)] // a table
fn issue6_what_is_no_request_is_refused_by_what_was_found_and_what_was_expected_and_quotes_nothing() {
    let no_json = ("no JSON (line ", "one JSON object a frame");
    let no_number = ("no number", "an `id` of 0 or more");
    let unknown = ("an unknown `ask`", "an `ask` of the schema");
    let fields = |ask: &'static str| (ask, "the fields of the schema");
    let long = ("a text that is too long", "500 characters of a search, 1,000 of a note, 200 of a name");
    let ask = |rest: &str| format!(r#"{{"id":9,"ask":{rest}}}"#);
    let longer = |ask: &str, field: &str, most: usize| {
        let mut frame = json!({ "id": 9, "ask": ask, "call": "one", "version": 1, "verdict": "used",
                                "suggestionId": "one/1" });
        frame[field] = json!("7".repeat(most + 1));
        frame.to_string()
    };
    let bad = [
        (String::new(), None, no_json),
        ("hola, soy 23456789".to_owned(), None, no_json),
        (r#"{"id":9,"ask":"ping""#.to_owned(), None, no_json),
        (r#"{"id":9,"ask":"ping"}{"id":10,"ask":"ping"}"#.to_owned(), None, no_json),
        ("[".repeat(5_000), None, no_json),
        ("[]".to_owned(), None, no_number),
        ("null".to_owned(), None, no_number),
        ("23456789".to_owned(), None, no_number),
        (r#""23456789""#.to_owned(), None, no_number),
        (r#"[{"id":9,"ask":"ping"}]"#.to_owned(), None, no_number),
        (r#"{"ask":"ping"}"#.to_owned(), None, no_number),
        (r#"{"id":null,"ask":"ping"}"#.to_owned(), None, no_number),
        (r#"{"id":"23456789","ask":"ping"}"#.to_owned(), None, no_number),
        (r#"{"id":-23456789,"ask":"ping"}"#.to_owned(), None, no_number),
        (r#"{"id":1.5,"ask":"ping"}"#.to_owned(), None, no_number),
        (r#"{"id":18446744073709551616,"ask":"ping"}"#.to_owned(), None, no_number),
        (r#"{"id":9}"#.to_owned(), Some(9), ("nothing is asked", "an `ask`")),
        (ask("23456789"), Some(9), unknown),
        (ask(r#""23456789""#), Some(9), unknown),
        (ask(r#"null"#), Some(9), unknown),
        (ask(r#""Watch","call":"one""#), Some(9), unknown),
        (ask(r#""dance","call":"one""#), Some(9), unknown),
        (ask(r#"{"watch":{"call":"one"}}"#), Some(9), unknown),
        (ask(r#""watch""#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":null"#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":23456789"#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":"""#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":"23456789 one""#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":"one","after":{"seq":23456789}"#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":"one","after":{"epoch":-1,"seq":2}"#), Some(9), fields("`watch` with fields")),
        (ask(r#""watch","call":"one","after":23456789"#), Some(9), fields("`watch` with fields")),
        (ask(r#""hello""#), Some(9), fields("`hello` with fields")),
        (ask(r#""hello","version":"23456789""#), Some(9), fields("`hello` with fields")),
        (ask(r#""mode","call":"one","mode":"23456789""#), Some(9), fields("`mode` with fields")),
        (ask(r#""step","call":"one","step":3"#), Some(9), fields("`step` with fields")),
        (
            ask(r#""capture","call":"one","field":"dni","value":"23456789""#),
            Some(9),
            fields("`capture` with"),
        ),
        (ask(r#""capture","call":"one","field":"name","value":23456789"#), Some(9), fields("`capture` with")),
        (ask(r#""type_dni","call":"one","dni":23456789"#), Some(9), fields("`type_dni` with fields")),
        (ask(r#""type_dni","call":"one","dni":["23456789"]"#), Some(9), fields("`type_dni` with fields")),
        (ask(r#""confirm_dni","call":"23456789""#), Some(9), fields("`confirm_dni` with fields")),
        (ask(r#""search","call":"one","text":{"dni":23456789}"#), Some(9), fields("`search` with fields")),
        (
            ask(r#""mark","call":"one","suggestion_id":"one/1","verdict":"used""#),
            Some(9),
            fields("`mark` with"),
        ),
        (
            ask(r#""mark","call":"one","suggestionId":"one/1","verdict":"23456789""#),
            Some(9),
            fields("`mark`"),
        ),
        (ask(r#""see_telephone","callback":23456789"#), Some(9), fields("`see_telephone` with fields")),
        (longer("search", "text", 500), Some(9), long),
        (longer("mark", "note", 1_000), Some(9), long),
        (longer("mark", "suggestionId", 200), Some(9), long),
        (longer("hello", "extension", 200), Some(9), long),
        (longer("see_telephone", "callback", 200), Some(9), long),
        (longer("callback_done", "callback", 200), Some(9), long),
        (longer("capture", "value", LONGEST_REQUEST), None, ("bytes", "at most 16 KiB")),
    ];
    for (frame, id, (found, expected)) in bad {
        let refused = read_request(&frame).expect_err(&frame);
        assert_eq!((refused.id, refused.expected), (id, expected), "{frame:.80}: {refused}");
        assert!(refused.found.contains(found), "{frame:.80}: {refused}");
        let said = refused.to_string();
        assert!(
            said.contains(&refused.found) && said.contains(expected) && said.contains("deploy/desk.md"),
            "{said}"
        );
        for printed in [said, format!("{refused:?}")] {
            assert!(!printed.contains("23456789") && !printed.contains("7777"), "{printed}");
        }
    }
}

#[test]
fn issue6_every_message_is_read_as_it_was_written() {
    let mut kinds = BTreeSet::new();
    for message in messages() {
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(read_message(&text).unwrap(), message, "{text}");
        let mut frame: Value = serde_json::from_str(&text).unwrap();
        kinds.insert((frame["type"].to_string(), frame["event"].to_string()));
        frame["mood"] = json!({ "good": [true] });
        assert_eq!(read_message(&frame.to_string()).unwrap(), message, "what a newer server adds");
    }
    let events = kinds.iter().filter(|(kind, _)| kind == "\"event\"").count();
    assert_eq!((events, kinds.len() - events), (25, 12), "all of them: {kinds:?}");
}

fn keys(value: &Value, to: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            to.insert(key.clone());
            keys(value, to);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, to)),
        _ => {}
    }
}

#[test]
fn issue6_all_fields_are_camel_case_and_all_names_snake_case() {
    let (mut fields, mut names) = (BTreeSet::new(), BTreeSet::new());
    let frames =
        messages().into_iter().map(|message| json!(message)).chain(asks().into_iter().map(|(_, ask)| ask));
    for frame in frames {
        keys(&frame, &mut fields);
        names.extend(
            ["type", "event", "ask", "why", "state"]
                .iter()
                .filter_map(|key| frame[*key].as_str().map(str::to_owned)),
        );
    }
    let camel =
        |name: &String| name.chars().all(char::is_alphanumeric) && name.starts_with(char::is_lowercase);
    assert!(fields.iter().all(camel), "{fields:?}");
    for field in
        ["waitingSince", "claimedBy", "lookUp", "atMs", "suggestionId", "ragScore", "inDoubt", "fromMs"]
    {
        assert!(fields.contains(field), "{field}");
    }
    let snake = |name: &String| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    assert!(names.iter().all(snake), "{names:?}");
    assert!(
        names.contains("suggestion_withdrawn") && names.contains("caught_up") && names.contains("signed_out")
    );
}

#[test]
fn issue6_an_event_is_as_it_is_documented() {
    let event = |happening| {
        let mut frame = json!(Message::Event(Event { call: call("one"), seq: 3, at: 4, happening }));
        for (key, value) in
            [("type", json!("event")), ("call", json!("one")), ("seq", json!(3)), ("at", json!(4))]
        {
            assert_eq!(frame.as_object_mut().unwrap().remove(key), Some(value));
        }
        frame
    };
    let of = |news: News| event(Happening::of(&news, Channel::AudioFork));
    assert_eq!(of(News::Opened), json!({ "event": "opened", "source": "audio_fork" }));
    let line = json!({ "event": "line", "index": 2, "speaker": "patient", "text": "me", "track": "inbound",
                       "atMs": 2000, "partial": true });
    assert_eq!(of(heard(2, "me", true)), line);
    let card = of(card(&call("one"), 1, "Quédese", false));
    let expected = json!({
        "event": "suggestion", "suggestionId": "one/1", "turn": 1, "createdAt": NOON + 1, "text": "Quédese",
        "done": false, "confidence": 0.9, "ragHit": true, "ragScore": 0.71,
        "source": "concentradores electricos/m50_sysmedm50.md", "section": null, "identity": "unknown",
        "cause": "turn", "quote": "me marca error H08",
    });
    assert_eq!(card, expected);
    let held = Held::new(Source::Dictated, Dni::parse("23456789").unwrap(), aura::identity::State::Given);
    let identity = of(News::Identity { change: "captured", held: Some(held) });
    let shown = json!({ "dni": "DNI ···789", "source": "dictated", "state": "given" });
    assert_eq!(identity, json!({ "event": "identity", "change": "captured", "held": shown }));
    assert_eq!(of(claimed(None)), json!({ "event": "claimed", "by": null, "mode": "push" }));
    assert_eq!(of(News::Closed), json!({ "event": "closed" }));
}

#[test]
fn issue6_what_a_newer_server_tells_is_passed_over() {
    for text in [
        r#"{"type":"weather"}"#,
        r#"{"type":"weather","sun":{"event":"line"},"id":"x"}"#,
        r#"{"id":1,"type":"unknown"}"#,
    ] {
        assert_eq!(read_message(text).unwrap(), Message::Unknown, "{text}");
    }
    for rest in [r#""event":"dance""#, r#""event":"dance","partner":{"name":"x"},"index":-1"#] {
        let text = format!(r#"{{"type":"event","call":"one","seq":3,"at":4,{rest}}}"#);
        let event = Event { call: call("one"), seq: 3, at: 4, happening: Happening::Unknown };
        assert_eq!(read_message(&text).unwrap(), Message::Event(event));
    }
    // What isn't a frame of any server's is none.
    for text in ["", "[]", "{}", r#"{"type":7}"#, r#"{"type":"done"}"#, r#"{"type":"event","event":"lost"}"#]
    {
        assert!(read_message(text).is_err(), "{text}");
    }
}

#[test]
fn issue6_what_replaces_what_is_as_it_is_documented() {
    let keyless = happenings().into_iter().filter(|happening| happening.key().is_none());
    assert!(keyless.map(|happening| json!(happening)["event"] == "gap").eq([true, true]));
    let partial = happenings().into_iter().filter(Happening::is_partial).map(|happening| json!(happening));
    let partial: Vec<_> = partial.map(|partial| partial["event"].clone()).collect();
    assert_eq!(partial, ["line", "answer", "suggestion"]);
    // All that becomes of a card is of one key; what becomes of the peer too.
    let of = |names: &[&str]| {
        let named = |happening: &Happening| names.contains(&json!(happening)["event"].as_str().unwrap());
        happenings().into_iter().filter(named).map(|happening| happening.key()).collect::<BTreeSet<_>>().len()
    };
    let card = ["suggestion", "suggestion_failed", "suggestion_withdrawn", "suggestion_repeated"];
    assert_eq!(
        (of(&card), of(&["opened", "lost", "closed"]), of(&["line"]), of(&["searched"])),
        (1, 1, 2, 2)
    );
    assert_eq!(of(&["answer", "answer_aborted", "answer_failed"]), 2, "an answer's words stay");
}

#[test]
fn s4_nothing_that_is_typed_of_a_person_is_printed() {
    for (ask, frame) in asks() {
        let printed = format!("{:?} {ask:?}", Request { id: 5, ask: ask.clone() });
        for typed in ["23456789", "4567 8900", "Pérez"] {
            assert!(!printed.contains(typed), "{printed}");
        }
        assert!(printed.contains(frame["ask"].as_str().unwrap()), "{printed}");
        assert_eq!(printed.contains("(one)"), frame["call"] == "one", "{printed}");
    }
    for message in messages() {
        let printed = format!("{message:?}");
        for typed in ["23456789", "45678900", "Concentrador", "SysMed"] {
            assert!(!printed.contains(typed), "{printed}");
        }
        if let Message::Event(event) = &message {
            assert!(printed.contains(&format!("\"seq\":{}", event.seq)), "what isn't private is: {printed}");
        }
    }
    assert_eq!(format!("{:?}", Private("23456789".to_owned())), "***");
    assert_eq!(format!("{:?}", patient()), "Patient(one, ***)");
}

#[test]
fn issue6_a_socket_is_closed_with_a_code_that_says_whether_to_come_back() {
    let table = [
        (Farewell::Behind, 1013, true),
        (Farewell::Restart, 1012, true),
        (Farewell::Silent, 1013, true),
        (Farewell::SignedOut, 1008, false),
        (Farewell::Protocol, 1002, false),
    ];
    for (why, code, again) in table {
        assert_eq!((why.code(), why.is_passing()), (code, again), "{why:?}");
    }
}
