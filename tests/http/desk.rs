//! The operators' desk over real sockets: claims, watching, what an operator does to a call (issue 6).
use crate::console::{Answer, Console, id};
use crate::forked::{fork, grows, hangs_up, says};
use crate::people::{add, issue, store};
use crate::service::{Options, Running};
use aura::capture::Field;
use aura::protocol::desk::{
    Ask, Farewell, Happening, Key, Message as Told, Private, Refusal, State, Verdict,
};
use aura::script::Step;
use aura::suggestion::Mode;
use aura_actors::caller::{ForkScript, Live, Playing, Shown, Sitting, Voice, play_fork};
use aura_actors::secret::Secret;
use serde_json::json;

/// All that an operator's client may be given.
const SCOPES: [&str; 4] = ["calls:read", "calls:act", "patient:read", "patient:write"];

/// A service that takes forks, and tokens of two operators and a supervisor.
pub async fn staffed(options: Options) -> (Running, [String; 3]) {
    let options = options.set("PATIENT_LOOKUP_PROVIDER", "mock");
    let running = Running::start(options).await;
    let base = store(&running).await;
    let mut tokens = Vec::new();
    for (name, role) in [("ana", "operator"), ("bruno", "operator"), ("carla", "supervisor")] {
        let account = add(&base, name, role, crate::people::PASSWORD).await;
        let scopes =
            if role == "supervisor" { [&SCOPES[..], &["supervise"]].concat() } else { SCOPES.to_vec() };
        tokens.push(issue(&base, &format!("desk-{name}"), Some(account), &scopes).await);
    }
    (running, tokens.try_into().expect("three"))
}

#[actix_rt::test]
async fn an_operator_sees_a_call_claims_it_and_is_told_what_to_say() {
    let (running, [ana, ..]) = staffed(Options::default()).await;
    let mut desk = Console::open(running.address(), &ana).await;
    let call = fork(&running, "c1").await;
    desk.watch("c1", None).await;
    assert_eq!(desk.ask(Ask::Claim { call: id("c1") }).await, Answer::Done);
    says(&call, "operator", "Soporte, buenas tardes, ¿en qué lo ayudo?").await;
    grows(&call, "patient", "el concentrador M50 hace un pitido y dice H08 en la pantalla").await;
    let whole =
        desk.happens("a whole card", |it| matches!(it, Happening::Suggestion(card) if card.done)).await;
    let Happening::Suggestion(card) = whole else { unreachable!() };
    assert!(card.rag_hit && card.source.as_deref().is_some_and(|source| source.contains("m50")), "{card:?}");
    assert!(card.quote.contains("H08"), "{card:?}");
    // The same card all along, and its partials before.
    let partials = desk.log.iter().filter_map(|told| match told {
        Told::Event(event) => match &event.happening {
            Happening::Suggestion(of) if !of.done => Some((of.suggestion_id.clone(), of.created_at)),
            _ => None,
        },
        _ => None,
    });
    assert!(partials.into_iter().all(|of| of == (card.suggestion_id.clone(), card.created_at)));
    let row = &desk.mirror.rows[&id("c1")];
    assert_eq!((row.claimed_by.as_deref(), row.waiting_since, row.state), (Some("ana"), None, State::Live));
    // What it was worth is on disk before it is acknowledged, and everybody who watches sees it.
    let mark = Ask::Mark {
        call: id("c1"),
        suggestion_id: card.suggestion_id.clone(),
        verdict: Verdict::Right,
        note: Some("sirvió, DNI 30.123.456".to_owned()),
    };
    assert_eq!(desk.ask(mark).await, Answer::Done);
    let marked =
        |it: &Happening| matches!(it, Happening::Marked { by, verdict: Verdict::Right, .. } if by == "ana");
    if !desk.view("c1").events().any(|event| marked(&event.happening)) {
        desk.happens("the mark", marked).await;
    }
    let mark = running.last("c1", "suggestion_marked", 1).await;
    assert_eq!((&mark["verdict"], &mark["by"]), (&json!("right"), &json!("account:ana")));
    assert!(!mark.to_string().contains("30.123.456"), "{mark}");
    hangs_up(call).await;
    desk.until(
        "the end",
        |told| matches!(told, Told::Rows { rows, .. } if rows.iter().any(|row| row.state == State::Closed)),
    )
    .await;
}

#[actix_rt::test]
async fn two_operators_claim_at_once_and_a_supervisor_takes_over() {
    let (running, [ana, bruno, carla]) = staffed(Options::default().few_manuals()).await;
    let address = running.address();
    let mut desks = (
        Console::open(address, &ana).await,
        Console::open(address, &bruno).await,
        Console::open(address, &carla).await,
    );
    let call = fork(&running, "c2").await;
    for desk in [&mut desks.0, &mut desks.1, &mut desks.2] {
        desk.watch("c2", None).await;
    }
    let claim = || Ask::Claim { call: id("c2") };
    let (first, second) = futures_util::join!(desks.0.ask(claim()), desks.1.ask(claim()));
    let taken = |by: &str| Answer::Refused(Refusal::Taken, Some(by.to_owned()));
    let winner = match (&first, &second) {
        (Answer::Done, lost) if *lost == taken("ana") => "ana",
        (lost, Answer::Done) if *lost == taken("bruno") => "bruno",
        both => panic!("{both:?}"),
    };
    // Not theirs: neither of them may act on the other's call, and nobody but a supervisor takes over.
    let (winning, losing) =
        if winner == "ana" { (&mut desks.0, &mut desks.1) } else { (&mut desks.1, &mut desks.0) };
    let suggest = || Ask::Suggest { call: id("c2") };
    assert_eq!(losing.ask(suggest()).await, Answer::Refused(Refusal::NotYours, None));
    assert_eq!(losing.ask(Ask::TakeOver { call: id("c2") }).await, Answer::Refused(Refusal::Forbidden, None));
    assert_eq!(winning.ask(Ask::Mode { call: id("c2"), mode: Mode::Quiet }).await, Answer::Done);
    assert_eq!(desks.2.ask(Ask::TakeOver { call: id("c2") }).await, Answer::Done);
    let claimed = |by: &'static str| move |it: &Happening| matches!(it, Happening::Claimed { by: Some(of), .. } if of == by);
    winning.happens("taken over", claimed("carla")).await;
    assert_eq!(winning.ask(suggest()).await, Answer::Refused(Refusal::NotYours, None));
    assert_eq!(winning.ask(Ask::Release { call: id("c2") }).await, Answer::Refused(Refusal::NotYours, None));
    assert_eq!(desks.2.ask(Ask::Release { call: id("c2") }).await, Answer::Done);
    assert_eq!(losing.ask(claim()).await, Answer::Done);
    hangs_up(call).await;
}

#[actix_rt::test]
async fn what_an_operator_enters_is_kept_and_what_cant_be_is_refused_with_its_reason() {
    let (running, [ana, bruno, _]) = staffed(Options::default().few_manuals()).await;
    let mut desk = Console::open(running.address(), &ana).await;
    let mut other = Console::open(running.address(), &bruno).await;
    let call = fork(&running, "c3").await;
    desk.watch("c3", None).await;
    other.watch("c3", None).await;
    let name = |value: &str| Ask::Capture {
        call: id("c3"),
        field: Field::Telephone,
        value: Private(value.to_owned()),
    };
    assert_eq!(desk.ask(name("11 4567 8900")).await, Answer::Refused(Refusal::NotYours, None));
    assert_eq!(desk.ask(Ask::Claim { call: id("c3") }).await, Answer::Done);
    assert_eq!(desk.ask(name("12")).await, Answer::Refused(Refusal::Value, None));
    assert_eq!(desk.ask(name("11 4567 8900")).await, Answer::Done);
    assert_eq!(desk.ask(Ask::Step { call: id("c3"), step: Step::Equipment }).await, Answer::Done);
    let dni = |dni: &str| Ask::TypeDni { call: id("c3"), dni: Private(dni.to_owned()) };
    assert_eq!(desk.ask(dni("123")).await, Answer::Refused(Refusal::Value, None));
    assert_eq!(desk.ask(dni("20.111.222")).await, Answer::Done);
    other.happens("found", |it| matches!(it, Happening::LookUp { models, .. } if *models > 0)).await;
    // Whoever looks sees the patient; who watches doesn't see the document or the models.
    let Answer::Other(Told::Patient(patient)) = desk.ask(Ask::SeePatient { call: id("c3") }).await else {
        panic!("no patient");
    };
    assert_eq!((patient.dni.as_deref(), patient.provider.as_deref()), (Some("20111222"), Some("mock")));
    assert!(patient.devices.is_some_and(|devices| !devices.is_empty()));
    let told = serde_json::to_string(&other.log).unwrap();
    assert!(
        !told.contains("20111222") && !told.contains("4567 8900") && !told.contains("45678900"),
        "{told}"
    );
    let confirm = |dni: &str| Ask::ConfirmDni { call: id("c3"), dni: Private(dni.to_owned()) };
    assert_eq!(desk.ask(confirm("30123456")).await, Answer::Refused(Refusal::Changed, None));
    assert_eq!(desk.ask(confirm("20111222")).await, Answer::Done);
    assert_eq!(desk.ask(Ask::Swap { call: id("c3") }).await, Answer::Done);
    let script = Key::One("script");
    let open = desk.view("c3").of(&script).cloned();
    assert!(
        matches!(open, Some(Happening::Script { open: Step::Equipment, corrected: true, .. })),
        "{open:?}"
    );
    hangs_up(call).await;
}

#[actix_rt::test]
async fn a_call_that_rings_at_an_operators_extension_is_theirs() {
    let (running, [ana, bruno, _]) = staffed(Options::default().few_manuals()).await;
    let mut seated = Console::at(running.address(), &ana, Some("104")).await;
    let mut late = Console::open(running.address(), &bruno).await;
    let url = running.door("/audio-fork?rate=8000&ch=2&call=c4&transcripts=1&extension=104");
    let mut first = crate::telephony::pbx::Dial::drachtio(&url).connect().await.expect("a fork");
    first.send_audio(&[0; 160], &[0; 160]).await;
    let mine = |by: &'static str, call: &'static str| {
        move |told: &Told| match told {
            Told::Rows { rows, .. } => {
                rows.iter().any(|row| row.call == id(call) && row.claimed_by.as_deref() == Some(by))
            }
            _ => false,
        }
    };
    seated.until("claimed by itself", mine("ana", "c4")).await;
    // Who sits down later is given what rings there.
    let url = running.door("/audio-fork?rate=8000&ch=2&call=c5&transcripts=1&extension=105");
    let mut second = crate::telephony::pbx::Dial::drachtio(&url).connect().await.expect("a fork");
    second.send_audio(&[0; 160], &[0; 160]).await;
    late.until("it rings", |told| matches!(told, Told::Rows { rows, .. } if rows.iter().any(|row| row.extension.as_deref() == Some("105")))).await;
    let mut now = Console::at(running.address(), &bruno, Some("105")).await;
    now.until("claimed at hello", mine("bruno", "c5")).await;
    hangs_up(first).await;
    hangs_up(second).await;
}

#[actix_rt::test]
async fn whoever_doesnt_keep_to_the_protocol_is_told_or_closed() {
    let (mut running, [ana, ..]) = staffed(Options::default().few_manuals()).await;
    let mut rude = Console::silent(running.address(), &ana).await;
    rude.raw(r#"{"id":1,"ask":"callbacks"}"#).await;
    assert_eq!(rude.farewell().await, Some(Farewell::Protocol));
    let mut old = Console::silent(running.address(), &ana).await;
    old.raw(r#"{"id":1,"ask":"hello","version":99}"#).await;
    assert_eq!(old.farewell().await, Some(Farewell::Protocol));
    let mut clumsy = Console::open(running.address(), &ana).await;
    clumsy.raw(r#"{"id":7,"ask":"claim"}"#).await;
    let told = clumsy.until("a refusal", |told| matches!(told, Told::Refused { .. })).await;
    assert!(matches!(told, Told::Refused { id: Some(7), why: Refusal::Unreadable, .. }), "{told:?}");
    assert_eq!(clumsy.ask(Ask::Claim { call: id("none") }).await, Answer::Refused(Refusal::Unknown, None));
    assert!(matches!(clumsy.ask(Ask::Ping).await, Answer::Other(Told::Pong { .. })));
    // A server that goes down says so.
    let address = running.address();
    running.stop().await;
    assert_eq!(clumsy.farewell().await, Some(Farewell::Restart), "{address}");
}

#[actix_rt::test]
async fn the_story_of_the_readme_with_an_operator_at_the_desk() {
    let (running, [ana, ..]) = staffed(Options::default()).await;
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls/copilot_m50.yaml");
    let script = ForkScript::load(&file).expect("the script");
    let desk = Some(Sitting { url: format!("ws://{}/desk", running.address()), token: Secret::new(ana) });
    let playing = Playing { voice: Voice::Text, desk, ..Playing::default() };
    let report = play_fork(&script, &running.door("/audio-fork"), &playing, &mut Live::off()).await;
    let report = report.expect("a played call");
    assert!(report.passed(), "{report}");
    let shown: Vec<&Shown> = report.steps.iter().flat_map(|step| &step.shown).map(|it| &it.shown).collect();
    let row = |it: &&&Shown| matches!(it, Shown::Suggestion { row: Some(row), .. } if row.contains("m50"));
    assert!(shown.iter().any(|it| row(&it)), "{report}");
    let summary = shown.iter().find_map(|it| if let Shown::Summary(text) = it { Some(text) } else { None });
    let summary = summary.expect("the call in short");
    assert!(summary.contains("H08") && !summary.contains("14231608"), "{summary}");
    let kept = running.last(&report.call_id, "call_summarised", 1).await;
    assert_eq!((&kept["of"], &kept["by"], &kept["text"]), (&json!("after"), &json!("rule"), &json!(summary)));
}
