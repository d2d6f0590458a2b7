//! Real calls on the desk: what the list shows of them, what whoever comes late or comes back is told, and that no
//! document or telephone is in any frame (issue 6, S4).
use super::copilot_tape::{TROUBLE, Tape, elsa};
use super::desk_kit::*;
use super::fixture::*;
use super::restart::strings;
use aura::call::{Input, Output};
use aura::ears::Track;
use aura::event::News;
use aura::generation::FailureKind;
use aura::mask::contains_long_number;
use aura::protocol::desk::{Happening, Key, State};
use serde_json::{Value, json};

/// A call's news as they go to the desk.
fn tell(desk: &mut Desk, line: &Line, from: usize) -> usize {
    desk.now = BEGAN + line.now.duration_since(line.spec.began.0).as_millis() as u64;
    for output in &line.log[from..] {
        if let Output::Tell(news) = output {
            desk.news(&line.call.desk_event(news.clone()));
        }
    }
    line.log.len()
}

/// A forked call that a desk is told of as it goes.
struct Shown {
    tape: Tape,
    desk: Desk,
    told: usize,
}

impl Shown {
    fn new(clients: usize) -> Self {
        Self { tape: Tape::unclaimed(), desk: Desk::new(clients), told: 0 }.then(|_| {})
    }

    /// This happens, and the desk is told.
    fn then(mut self, happens: impl FnOnce(&mut Tape)) -> Self {
        self.goes_on(happens);
        self
    }

    fn goes_on(&mut self, happens: impl FnOnce(&mut Tape)) {
        happens(&mut self.tape);
        self.told = tell(&mut self.desk, &self.tape.line, self.told);
    }

    fn last(&self) -> u64 {
        self.desk.told[&self.tape.line.spec.id].last().unwrap().seq
    }
}

/// What somebody who watches a call from now on is told, one frame a line.
fn late(desk: &mut Desk) -> String {
    let (id, at) = (call("call_1"), desk.clients.len());
    desk.clients.push(Client::default());
    desk.connect(at);
    assert!(desk.watch(at, &id));
    let client = &mut desk.clients[at];
    let frames = client.outbox.batch(desk.now);
    client.outbox.delivered();
    assert_eq!(client.outbox.waiting(), (0, 0));
    frames.iter().map(|frame| format!("{frame}\n")).collect()
}

/// No words of these frames hold a document or a telephone, whole or in pieces.
fn private(frames: &str) {
    for frame in frames.lines() {
        let frame: Value = serde_json::from_str(frame).unwrap();
        for text in strings(&frame, &[]) {
            assert!(!contains_long_number(&text), "{text}");
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            assert!(
                ["23456789", "30123456", "45678900"].iter().all(|typed| !digits.contains(typed)),
                "{text}"
            );
        }
    }
}

/// The frames of all that was ever told, not only of what stands.
fn ever(desk: &Desk) -> String {
    desk.told.values().flatten().map(|event| format!("{}\n", json!(event))).collect()
}

fn copilots() -> Shown {
    let mut shown = Shown::new(0)
        .then(|tape| drop(tape.step(Input::Extension("204".to_owned()))))
        .then(|tape| drop(tape.after(1_000).operator("Soporte, buenas tardes").after(900)))
        .then(|tape| drop(tape.begins("hola, me")))
        .then(|tape| drop(tape.step(Input::Claimed(elsa()))))
        .then(|tape| drop(tape.after(300).begins("hola, me llamo Elsa y")))
        .then(|tape| drop(tape.after(300).patient("hola, me llamo Elsa y no me anda el aparato")))
        .then(|tape| drop(tape.after(400).found(0.2)))
        .then(|tape| drop(tape.writes("Lo ayudo. ¿Me dice su número de documento?").finishes()))
        .then(|tape| drop(tape.after(900).operator("¿Me dice su documento?")))
        .then(|tape| drop(tape.after(900).patient("es el 30.123.456")));
    let asked = asked_for(&shown.tape.line.log).expect("a look-up");
    shown.goes_on(|tape| drop(tape.step(looked_up(asked, &["M50"]))));
    shown
        .then(|tape| drop(tape.after(400).writes("Gracias, ya lo anoto.").finishes()))
        .then(|tape| drop(tape.after(900).patient("mi celular es 11 4567 8900")))
        .then(|tape| drop(tape.after(400).writes("Anotado. ¿Qué le pasa al equipo?").finishes()))
        .then(|tape| drop(tape.after(900).patient(TROUBLE)))
        .then(|tape| drop(tape.after(400).found(0.71).writes("Quédese tranquilo, lo vemos jun")))
        .then(|tape| drop(tape.after(100).begins("y además")))
        .then(|tape| drop(tape.after(300).patient("y además hace ruido")))
        .then(|tape| drop(tape.after(400).found(0.71).writes("Ya lo reviso con usted.").finishes()))
        .then(|tape| drop(tape.step(Input::Vouched(dni("30123456")))))
        .then(|tape| drop(tape.step(Input::Search { text: "H08, de 30.123.456".to_owned() })))
        .then(|tape| drop(tape.step(Input::Searched { search: 1, found: Ok(found([h08(0.8)])) })))
        .then(|tape| drop(tape.after(900).patient("¿y ahora qué hago con eso?")))
        .then(|tape| drop(tape.after(400).found(0.71).fails(FailureKind::Unavailable)))
        .then(|tape| drop(tape.after(900).begins("espere, ahora")))
}

#[test]
fn issue6_a_copilots_call_as_somebody_sees_it_who_comes_late() {
    let mut shown = copilots();
    let told = late(&mut shown.desk);
    insta::assert_snapshot!("copilot", told);
    private(&told);
    private(&ever(&shown.desk));
    let row = shown.desk.board.row(&call("call_1")).unwrap();
    assert_eq!((row.state, row.claimed_by.as_deref(), row.waiting_since), (State::Live, Some("elsa"), None));
    assert_eq!(row.extension.as_deref(), Some("204"));
    assert_eq!(row.last.as_ref().unwrap().text, "¿y ahora qué hago con eso?", "not what may still change");
}

#[test]
fn issue6_a_copilots_call_that_ends_leaves_no_card_and_no_line_that_may_still_grow() {
    let mut shown = copilots();
    shown.goes_on(|tape| drop(tape.step(Input::HungUp)));
    let stands = shown.desk.standing(&call("call_1"));
    assert!(stands.iter().all(|event| !event.happening.is_partial()), "{stands:#?}");
    let card = |happening: &Happening| matches!(happening, Happening::Suggestion(_));
    assert!(!stands.iter().any(|event| card(&event.happening)), "{stands:#?}");
    assert_eq!(stands.last().unwrap().happening, Happening::Closed);
    assert_eq!(shown.desk.board.row(&call("call_1")).unwrap().state, State::Closed);
    private(&ever(&shown.desk));
}

#[test]
fn issue6_a_bots_call_as_somebody_sees_it_who_comes_late() {
    let (mut line, mut desk) = (Line::retell(), Desk::new(0));
    line.step(Input::PeerConnected);
    line.agent("Hola, habla Aura.");
    line.patient("Hola, soy Elsa, mi documento es 30.123.456");
    line.find([]);
    line.answer("¿En qué la ayudo?");
    // A voice bot takes no dictated document: it is dialled.
    line.step(Input::Keypad("30123456#".to_owned()));
    let asked = asked_for(&line.log).expect("a look-up");
    line.step(looked_up(asked, &["M50"]));
    line.wait(4_000);
    line.patient("tengo un concentrador M50 y me marca error H 8");
    let mut from = tell(&mut desk, &line, 0);
    line.wait(1_000);
    line.find([h08(0.75)]);
    for text in ["El código H08 indica una falla. Apague el equi", "po, espere un momento y enciéndalo."] {
        line.delta(text);
        from = tell(&mut desk, &line, from);
    }
    line.finish();
    line.agent("El código H08 indica una falla. Apague el equipo, espere un momento y enciéndalo.");
    line.wait(5_000);
    line.patient("bueno, y si no anda llámenme al 11 4567 8900");
    line.find([h08(0.75)]);
    line.delta("Lo llamamos al 11 4567 8900. Qué");
    from = tell(&mut desk, &line, from);
    line.agent("Lo llamamos");
    line.patient("no, no, espere, ahora hay humo");
    line.wait(2_000);
    tell(&mut desk, &line, from);
    let told = late(&mut desk);
    insta::assert_snapshot!("bot", told);
    private(&told);
    private(&ever(&desk));
    let row = desk.board.row(&call("call_1")).unwrap();
    assert_eq!((row.waiting_since, row.overdue, row.danger.is_some()), (None, false, true));
}

#[test]
fn issue6_the_list_through_a_copilots_call() {
    let mut shown = Shown::new(0);
    let mut rows = String::new();
    let mut write = |shown: &mut Shown, what: &str| {
        shown.desk.board.tick(30_000, shown.desk.now);
        for row in shown.desk.board.changes(shown.desk.now).rows {
            rows.push_str(&format!("{what}: {}\n", json!(row)));
        }
    };
    write(&mut shown, "it begins");
    shown.goes_on(|tape| drop(tape.after(5_000).patient("hola, ¿hay alguien ahí?")));
    write(&mut shown, "somebody speaks");
    shown.goes_on(|tape| drop(tape.after(25_000)));
    write(&mut shown, "nobody has taken it for half a minute");
    shown.goes_on(|tape| drop(tape.step(Input::Claimed(elsa()))));
    write(&mut shown, "it is claimed");
    shown.goes_on(|tape| drop(tape.after(500).patient("mi documento es 30.123.456")));
    write(&mut shown, "a document");
    shown.goes_on(|tape| drop(tape.after(500).patient("¡hay humo!")));
    write(&mut shown, "danger");
    shown.goes_on(|tape| drop(tape.step(Input::Hold(true))));
    write(&mut shown, "on hold");
    shown.goes_on(|tape| drop(tape.step(Input::Hold(false))));
    write(&mut shown, "no longer");
    shown.goes_on(|tape| drop(tape.step(Input::Released(elsa()))));
    write(&mut shown, "let go");
    shown.goes_on(|tape| drop(tape.step(Input::HungUp)));
    write(&mut shown, "over");
    insta::assert_snapshot!("list", rows);
    private(&rows.lines().map(|line| format!("{}\n", line.split_once(": ").unwrap().1)).collect::<String>());
}

/// chatwoot #14934: a panel that is away for a minute catches up by number, not by time.
#[test]
fn fault_63_away_for_a_minute_during_five_lines_and_two_suggestions_it_gets_each_once() {
    let mut shown = Shown::new(2)
        .then(|tape| drop(tape.step(Input::Claimed(elsa()))))
        .then(|tape| drop(tape.after(500).patient("hola, no me anda el aparato").after(400).found(0.2)))
        .then(|tape| drop(tape.writes("Lo escucho. ¿Qué equipo tiene?").finishes()))
        .then(|tape| drop(tape.after(500).begins("me ha")));
    let id = call("call_1");
    for client in 0..2 {
        shown.desk.connect(client);
        shown.desk.watch(client, &id);
        shown.desk.clients[client].drain(shown.desk.now);
    }
    let (before, gone) = (shown.last(), shown.desk.now);
    shown.desk.clients[1].cut_off();
    let mut shown = shown
        .then(|tape| drop(tape.after(5_000).patient("me había olvidado de decirle")))
        .then(|tape| drop(tape.after(100).patient(TROUBLE).after(400).found(0.71)))
        .then(|tape| drop(tape.writes("Quédese tranquilo, ya lo vemos.").finishes()))
        .then(|tape| drop(tape.after(9_000).operator("Quédese tranquilo, ya lo vemos.")))
        .then(|tape| drop(tape.after(9_000).patient("¿y ahora qué hago con eso?").after(400).found(0.2)))
        .then(|tape| drop(tape.writes("Espere un momento, por favor.").finishes()))
        .then(|tape| drop(tape.after(20_000).operator("Espere un momento, por favor.")))
        .then(|tape| drop(tape.after(20_000)));
    assert!(shown.desk.now - gone >= 60_000);
    shown.desk.connect(1);
    shown.desk.watch(1, &id);
    let (frames, told) = (shown.desk.clients[1].outbox.waiting().0, shown.desk.told[&id].clone());
    shown.desk.clients[1].drain(shown.desk.now);
    shown.desk.clients[0].drain(shown.desk.now);
    // It is sent what came since and still stands: a welcome, where it begins and ends, and nothing twice.
    let since: Vec<_> = standing(&told).into_iter().filter(|event| event.seq > before).collect();
    assert_eq!(frames, since.len() + 3);
    assert!((told.len() as u64 - before) > since.len() as u64, "what grew is told as it stands");
    let named = |name: &str| since.iter().filter(|event| json!(event)["event"] == name).count();
    assert_eq!(named("line"), 5, "{since:#?}");
    // Of the two suggestions one stands; that the other one went is told too, as is that of the one before.
    assert_eq!((named("suggestion"), named("suggestion_withdrawn")), (1, 2), "{since:#?}");
    assert_eq!(shown.desk.clients[1].sees(&id), shown.desk.standing(&id));
    assert_eq!(shown.desk.clients[1].view(&id), shown.desk.clients[0].view(&id));
    assert_eq!(shown.desk.clients[1].anew, 1, "only the first time");
    // Coming back once more there is nothing to tell.
    shown.desk.connect(1);
    shown.desk.watch(1, &id);
    assert_eq!(shown.desk.clients[1].outbox.waiting().0, 3);
}

/// Google's interceptor drops what nobody listens to: here whoever opens the panel at minute 3 sees the whole call.
#[test]
fn fault_65_whoever_joins_at_minute_three_gets_the_whole_call() {
    let mut shown = Shown::new(2);
    let id = call("call_1");
    shown.desk.connect(0);
    shown.desk.watch(0, &id);
    shown.goes_on(|tape| drop(tape.step(Input::Claimed(elsa()))));
    for minute in 0..3 {
        shown.goes_on(|tape| {
            drop(tape.after(20_000).patient(&format!("me marca error H0{minute} desde hoy")))
        });
        shown.goes_on(|tape| {
            drop(tape.after(400).found(0.71).writes("Quédese tranquilo, ya lo vemos.").finishes())
        });
        shown.goes_on(|tape| drop(tape.after(20_000).operator("Ya lo vemos")));
        shown.desk.clients[0].drain(shown.desk.now);
        shown.goes_on(|tape| drop(tape.after(20_000)));
    }
    assert!(shown.desk.now - BEGAN >= 180_000);
    shown.desk.connect(1);
    shown.desk.watch(1, &id);
    (0..2).for_each(|client| shown.desk.clients[client].drain(shown.desk.now));
    let view = shown.desk.clients[1].view(&id);
    assert_eq!(view, shown.desk.clients[0].view(&id));
    assert!(view.caught_up && !view.cut);
    for index in 0..6 {
        assert!(view.of(&Key::Line(index)).is_some(), "line {index}");
    }
    assert_eq!(
        view.events().next().unwrap().happening,
        Happening::of(&News::Opened, aura::channel::Channel::AudioFork)
    );
    assert_eq!(shown.desk.clients[1].sees(&id), shown.desk.standing(&id));
}

/// The equipment of a patient is shown to whoever asks for it, on record: no event holds a model or a device.
#[test]
fn s5_a_look_up_tells_how_many_models_there_are_and_not_which() {
    let mut shown = Shown::new(0);
    shown.goes_on(|tape| drop(tape.step(Input::Claimed(elsa()))));
    shown.goes_on(|tape| drop(tape.step(Input::Typed(dni(DOCUMENT)))));
    let asked = asked_for(&shown.tape.line.log).unwrap();
    shown.goes_on(|tape| drop(tape.step(looked_up(asked, &["M50", "7F-5"]))));
    let told = ever(&shown.desk);
    assert!(told.contains("\"models\":2") && !told.contains("7F-5") && !told.contains("M50"), "{told}");
    private(&told);
}

/// Words that may still change are told as such, and who speaks on which track.
#[test]
fn issue6_lines_say_who_where_and_whether_they_may_change() {
    let mut shown = Shown::new(0);
    shown.goes_on(|tape| drop(tape.after(700).say(Track::Outbound, "buenas", false)));
    let told = shown.desk.standing(&call("call_1"));
    let Happening::Line(line) = &told.last().unwrap().happening else { panic!("{told:?}") };
    let expected = json!({ "index": 0, "speaker": "agent", "text": "buenas", "track": "outbound", "atMs": 700,
                           "partial": true });
    assert_eq!(json!(line), expected);
}
