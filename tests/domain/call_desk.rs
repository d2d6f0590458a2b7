//! What an operator does to a call, and what a call does when it changes hands: claims, script, data, identity,
//! searches by hand, swaps, restarts (E10, E13, E15, S5).
use super::copilot_tape::{TROUBLE, Tape, cards, elsa};
use super::fixture::*;
use super::restart::strings;
use aura::call::{Input, Output, trace};
use aura::capture::Field;
use aura::channel::Channel;
use aura::ears::{Spoken, Track};
use aura::event::{Kind, News};
use aura::generation::{Failure, FailureKind};
use aura::ids::AgentId;
use aura::mask::contains_long_number;
use aura::phrases::desk::{CAPTURED_HEADER, SEARCH_FAILED, SUGGESTIONS_HEADER};
use aura::script::{Progress, Step};
use aura::suggestion::Mode;
use aura::transcript::Speaker;
use serde_json::{Value, json};

fn raul() -> AgentId {
    AgentId("raul".to_owned())
}

fn told(outputs: &[Output], name: &str) -> Vec<Value> {
    let all = news(outputs).into_iter().map(|news| json!(news));
    all.filter(|news| news["news"] == name).collect()
}

/// The open step as the desk was told last.
fn open_step(tape: &Tape) -> Value {
    told(&tape.line.log, "script").pop().map(|view| view["open"].clone()).unwrap_or_default()
}

/// A claimed call with one whole card on the desk.
fn with_card() -> Tape {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71).writes("Quédese tranquilo, ya lo vemos.").finishes();
    tape
}

#[test]
fn issue6_two_operators_claim_at_once_and_the_second_is_told_who_has_it() {
    for channel in [Channel::AudioFork, Channel::Retell] {
        let mut line = Line::on(channel);
        line.step(Input::PeerConnected);
        let first = line.step(Input::Claimed(elsa()));
        let second = line.step(Input::Claimed(raul()));
        let has = json!({ "news": "claimed", "by": "elsa", "mode": "push" });
        assert_eq!((told(&first, "claimed"), told(&second, "claimed")), (vec![has.clone()], vec![has]));
        assert_eq!(events(&line.log, Kind::CallClaimed), [&json!({ "from": null })], "{channel}");
        let by = |output: &Output| match output {
            Output::Record(event) if event.kind == Kind::CallClaimed => event.agent.clone(),
            _ => None,
        };
        let kept: Vec<AgentId> = line.log.iter().filter_map(by).collect();
        assert_eq!(kept, [elsa()]);
        // A supervisor takes over; the former's release comes too late.
        line.step(Input::TakenOver(raul()));
        let late = line.step(Input::Released(elsa()));
        assert_eq!(told(&late, "claimed")[0]["by"], "raul");
        let released = line.step(Input::Released(raul()));
        assert_eq!(told(&released, "claimed")[0]["by"], Value::Null);
        assert_eq!(events(&line.log, Kind::CallClaimed)[1], &json!({ "from": "elsa" }));
        assert_eq!(events(&line.log, Kind::CallReleased).len(), 1);
    }
}

#[test]
fn e8_a_call_that_is_let_go_has_no_card_and_gets_none() {
    let mut tape = with_card();
    tape.after(500).patient("¿y ahora qué hago con eso?").after(400).found(0.71).writes("Espere un mom");
    let outputs = tape.step(Input::Released(elsa()));
    let gone: Vec<Value> = cards(&outputs);
    assert!(gone.iter().all(|card| card["reason"] == "released") && !gone.is_empty(), "{gone:?}");
    assert!(!tape.line.call.is_busy());
    let spent = tape.spent;
    tape.patient("hola, ¿hay alguien ahí?").after(2000);
    assert_eq!(tape.spent, spent);
}

#[test]
fn e10_a_suggestion_is_kept_with_its_text_and_its_agent_or_not_at_all() {
    let tape = with_card();
    let kept = tape.events(Kind::SuggestionGenerated);
    assert_eq!(kept.len(), 1);
    let fields = json!({
        "agentId": "elsa", "text": "Quédese tranquilo, ya lo vemos.", "ragHit": true, "ragScore": 0.71,
        "source": M50, "section": "Alarmas", "confidence": 0.9, "createdAt": BEGAN + 400, "identity": "unknown",
    });
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(&kept[0][name], value, "{name}");
    }
    for tape in [
        {
            let mut tape = with_card();
            tape.after(500).patient("¿y ahora qué hago con eso?").after(400).found(0.71).finishes();
            tape
        },
        {
            let mut tape = with_card();
            tape.after(500).patient("¿y ahora qué hago con eso?").after(400).found(0.71).writes("Espere. Ya");
            tape.begins("mejor");
            tape
        },
    ] {
        assert_eq!(tape.events(Kind::SuggestionGenerated).len(), 1, "empty or overtaken: {}", tape.text);
    }
}

#[test]
fn e6_a_suggestion_knows_what_was_taken_down_and_what_was_suggested() {
    let mut tape = with_card();
    tape.after(500).patient("¿y ahora qué hago con eso?").after(400).found(0.71);
    let request = request(&tape.line.log[tape.line.log.len() - 4..]).clone();
    let last = &request.messages.last().unwrap().content;
    let at = |text: &str| last.find(text).unwrap_or_else(|| panic!("{text} isn't in {last}"));
    assert!(at("[INFORMACIÓN TÉCNICA DEL MANUAL]") < at(CAPTURED_HEADER));
    assert!(at(CAPTURED_HEADER) < at(SUGGESTIONS_HEADER));
    assert!(at("ya lo vemos") < at("¿y ahora qué hago con eso?"), "the turn is last");
}

#[test]
fn e15_the_script_goes_with_the_talk_and_the_operator_puts_it_right() {
    let mut tape = Tape::claimed();
    tape.operator("Buenas tardes, soporte, le habla Elsa").after(900);
    tape.operator("¿Me dice su documento, por favor?").after(900);
    assert_eq!(open_step(&tape), "identification");
    tape.patient("llamo porque el concentrador hace un ruido raro").after(100);
    assert_eq!(open_step(&tape), "reason");
    let outputs = tape.step(Input::Step(Step::Equipment));
    let view = told(&outputs, "script").remove(0);
    assert_eq!((&view["open"], &view["corrected"]), (&json!("equipment"), &json!(true)));
    // A document that is typed is done, whatever step is open.
    let mut tape = Tape::claimed();
    let outputs = tape.step(Input::Typed(dni(DOCUMENT)));
    let view = told(&outputs, "script").remove(0);
    let identification = &view["steps"][1];
    assert_eq!(identification["progress"], json!(Progress::Done));
    assert_eq!(trace::input(&Input::Step(Step::Equipment)).unwrap().detail, json!({ "step": "equipment" }));
}

#[test]
fn e13_what_is_typed_is_pinned_and_a_bad_value_changes_nothing() {
    let mut tape = Tape::claimed();
    let fields = |outputs: &[Output]| told(outputs, "captured").remove(0)["fields"].clone();
    let outputs = tape.say(Track::Inbound, "me llamo Elsa y el equipo no anda", true);
    assert_eq!(fields(&outputs)[0]["values"], json!(["Elsa"]));
    let typed = |field, value: &str| Input::Captured { field, value: value.to_owned() };
    let outputs = tape.step(typed(Field::Name, "Elsa Gómez"));
    assert_eq!(fields(&outputs)[0]["confirmed"], true);
    tape.say(Track::Inbound, "perdón, me llamo Marta", true);
    let refused = tape.step(typed(Field::Telephone, "12"));
    assert_eq!(fields(&refused)[0]["values"], json!(["Elsa Gómez"]), "pinned, and what holds is told");
    let phone = typed(Field::Telephone, "11 4567 8900");
    let line = trace::input(&phone).unwrap();
    assert!(!line.detail.to_string().contains("4567"), "a telephone isn't journaled: {line:?}");
    let outputs = tape.step(phone);
    assert!(!json!(told(&outputs, "captured")).to_string().contains("4567"), "nor shown in full");
    let written = serde_json::to_string(&tape.line.call.memory(tape.line.now)).unwrap();
    assert!(!written.contains("45678900") && !written.contains("1145678900"), "nor kept: {written}");
}

#[test]
fn e8_a_telephone_that_the_copilot_asked_for_is_taken_down() {
    let mut tape = Tape::claimed();
    tape.patient("¿me pueden llamar más tarde?").after(400).found(0.2);
    tape.writes("Sí, claro. ¿A qué teléfono lo llamamos?").finishes();
    let outputs = tape.after(900).say(Track::Inbound, "11 4567 8900", true);
    assert_eq!(
        told(&outputs, "captured")[0]["fields"].as_array().unwrap().last().unwrap()["values"],
        json!(["Tel. ···8900"])
    );
}

#[test]
fn s5_each_card_is_labelled_until_the_identity_is_confirmed() {
    let mut tape = Tape::claimed();
    let outputs = tape.step(Input::Typed(dni(DOCUMENT)));
    tape.step(looked_up(asked_for(&outputs).unwrap(), &["M50"]));
    tape.patient("me marca error H08 desde hoy").after(400).found(0.71);
    tape.writes("Quédese tranquilo, ya lo vemos.").finishes();
    assert_eq!(tape.cards().last().unwrap()["identity"], "unconfirmed");
    let outputs = tape.step(Input::Vouched(dni(DOCUMENT)));
    let shown = cards(&outputs);
    assert_eq!((&shown[0]["suggestionId"], &shown[0]["identity"]), (&json!("call_1/1"), &json!("confirmed")));
    assert_eq!(shown[0]["done"], true);
}

#[test]
fn s5_a_corrected_document_withdraws_what_rests_on_anothers_equipment_and_it_is_made_anew() {
    let mut tape = Tape::claimed();
    let outputs = tape.step(Input::Typed(dni(DOCUMENT)));
    tape.step(looked_up(asked_for(&outputs).unwrap(), &["M50"]));
    tape.patient("me marca error H08 desde hoy").after(400).found(0.71);
    tape.writes("Quédese tranquilo, ya lo vemos jun");
    let outputs = tape.step(Input::Typed(dni("5612340")));
    let gone = cards(&outputs);
    assert_eq!((&gone[0]["reason"], &gone[0]["suggestionId"]), (&json!("identity"), &json!("call_1/1")));
    assert!(outputs.contains(&Output::Cancel { turn: aura::ids::TurnId(1) }));
    assert!(!tape.line.call.is_busy());
    tape.step(looked_up(asked_for(&outputs).unwrap(), &["7F-5"]));
    let before = tape.line.log.len();
    tape.after(400);
    assert_eq!(sources(&tape.line.log[before..]), Some(vec![YUWELL.to_owned()]), "of whose it is");
    // The card that is whole goes too; a document that nobody's equipment hangs on takes none away.
    tape.found(0.2).writes("Lo escucho.").finishes();
    let outputs = tape.step(Input::Typed(dni(DOCUMENT)));
    assert_eq!(cards(&outputs)[0]["reason"], "identity");
    assert_eq!(tape.events(Kind::TurnAborted), [&json!({ "said": "", "reason": "identity" })]);
}

#[test]
fn r9_a_typed_document_answers_the_copilots_request() {
    let mut tape = Tape::claimed();
    tape.patient("hola, no me anda el aparato").after(400).found(0.2);
    tape.writes("¿Me dice su número de documento?").finishes();
    let outputs = tape.step(Input::Typed(dni(DOCUMENT)));
    assert_eq!(cards(&outputs)[0]["reason"], "answered");
}

#[test]
fn issue6_a_search_by_hand_has_the_turns_filter_and_reaches_no_prompt() {
    let mut tape = with_card();
    let log = tape.line.log.len();
    let outputs = tape.step(Input::Search { text: "el M50 y H 8, DNI 30.123.456".to_owned() });
    let Some(Output::Search { search, query, .. }) = outputs.first() else { panic!("{outputs:?}") };
    assert_eq!(*search, 1);
    assert!(query.text.contains("H08") && !contains_long_number(&query.text), "{}", query.text);
    assert!(query.filter.as_ref().unwrap().sources.contains(M50));
    let rows = [h08(0.8), near(row(YUWELL, "E43", "Presión alta."), 0.7)];
    let outputs = tape.step(Input::Searched { search: 1, found: Ok(found(rows)) });
    let result = told(&outputs, "searched").remove(0);
    assert_eq!(result["rows"][0]["holds"], true);
    assert_eq!((&result["rows"][1]["holds"], &result["rows"][1]["source"]), (&json!(false), &json!(YUWELL)));
    assert_eq!(result["rows"][0]["score"], 0.8);
    assert_eq!(tape.events(Kind::ManualSearched).len(), 1);
    tape.after(500).patient("¿y ahora qué hago con eso?").after(400).found(0.2);
    let prompt = json!(request(&tape.line.log[log..]).messages).to_string();
    assert!(!prompt.contains("Presión alta"), "{prompt}");
}

#[test]
fn issue6_a_search_by_hand_that_fails_or_never_ends_is_shown_and_an_old_one_is_not() {
    let mut tape = Tape::claimed();
    let search = |text: &str| Input::Search { text: text.to_owned() };
    tape.step(search("alarma"));
    tape.step(search("alarma de flujo"));
    assert_eq!(tape.step(Input::Searched { search: 1, found: Ok(found([h08(0.8)])) }), []);
    let failure = Failure { kind: FailureKind::Unavailable, detail: "no connection".to_owned() };
    let outputs = tape.step(Input::Searched { search: 2, found: Err(failure) });
    assert_eq!(told(&outputs, "searched")[0]["failed"], SEARCH_FAILED.es);
    tape.step(search("alarma"));
    tape.after(5000);
    assert_eq!(told(&tape.line.log, "searched").len(), 2);
    assert_eq!(tape.step(Input::Searched { search: 3, found: Ok(found([])) }), [], "too late");
}

#[test]
fn issue6_a_swap_rereads_what_was_said_by_whom() {
    let mut tape = Tape::claimed();
    // The switch had it wrong: the patient is on the other leg.
    tape.patient("Soporte, buenas tardes, le habla Elsa, me llamo Elsa").after(400);
    tape.line.step(Input::Tick);
    if tape.line.call.is_busy() {
        tape.found(0.2).writes("Lo escucho, dig");
    }
    tape.operator("llamo porque mi M50 marca error H08").after(100);
    let outputs = tape.step(Input::Patient(Track::Outbound));
    assert!(cards(&outputs).iter().all(|card| card["reason"] == "swapped"), "{:?}", cards(&outputs));
    assert!(!tape.line.call.is_busy());
    let fields = told(&outputs, "captured").remove(0)["fields"].clone();
    assert!(!fields.to_string().contains("Elsa"), "{fields}");
    assert!(fields.to_string().contains("M50"), "{fields}");
    assert_eq!(open_step(&tape), "reason");
    let before = tape.line.log.len();
    tape.after(400);
    let search = search(&tape.line.log[before..]).expect("what the patient said is still to be answered");
    assert!(search.text.contains("H08"));
}

#[test]
fn e9_a_rebuilt_call_knows_its_cards_script_data_mode_and_operator() {
    let mut tape = Tape::claimed();
    tape.mode(Mode::Quiet).patient("me llamo Elsa, mi celular es 11 4567 8900").after(400).found(0.2);
    tape.writes("Hola, Elsa. ¿Qué equipo tiene?").finishes();
    tape.after(500)
        .patient("mi M50 marca error H08")
        .after(400)
        .found(0.71)
        .writes("Quédese tranquilo, ya lo vemos.")
        .finishes();
    tape.after(500)
        .patient("¿y ahora qué hago con eso?")
        .after(400)
        .found(0.71)
        .writes("Espere un momento, por fav");
    let (memory, _) = tape.line.kept.clone().unwrap();
    let written = serde_json::to_value(&memory).unwrap();
    for text in strings(&written, &["phone"]) {
        assert!(!contains_long_number(&text), "{text}");
    }
    let outputs = tape.line.crash_and_redial(2_000);
    let claim = told(&outputs, "claimed").remove(0);
    assert_eq!((&claim["by"], &claim["mode"]), (&json!("elsa"), &json!("quiet")));
    let cut = cards(&outputs);
    assert_eq!((&cut[0]["reason"], &cut[0]["suggestionId"]), (&json!("restarted"), &json!("call_1/3")));
    let aborted = events(&outputs, Kind::TurnAborted);
    assert_eq!(aborted, [&json!({ "said": "", "reason": "rebuilt" })]);
    assert!(!news(&outputs).iter().any(|news| matches!(news, News::Aborted { .. })), "cards have their own");
    assert_eq!(told(&outputs, "script").len(), 1);
    assert_eq!(told(&outputs, "captured")[0]["fields"][0]["values"], json!(["Elsa"]));
    // The question that was cut short joins the next turn, which knows what was suggested.
    let before = tape.line.log.len();
    let at_ms = 60_000;
    let spoken = Spoken {
        track: Track::Inbound,
        utterance: 0,
        text: "¿me escucha usted bien?".to_owned(),
        done: true,
        at_ms,
    };
    tape.step(Input::Spoken(spoken));
    tape.after(400).found(0.2);
    let prompt = last_message(&tape.line.log[before..]).to_owned();
    assert!(prompt.ends_with("¿y ahora qué hago con eso? ¿me escucha usted bien?"), "{prompt}");
    assert!(prompt.contains("ya lo vemos") && prompt.contains("Nombre: Elsa"), "{prompt}");
}

#[test]
fn e9_a_standing_card_is_shown_again_as_it_was() {
    let mut tape = with_card();
    let shown = tape.cards().pop().unwrap();
    let outputs = tape.line.crash_and_redial(2_000);
    assert_eq!(cards(&outputs), [shown]);
}

#[test]
fn i11_an_interrupted_suggestion_is_not_ended_again_by_a_restart() {
    let mut tape = Tape::claimed();
    tape.patient(TROUBLE).after(400).found(0.71).writes("Quédese tranquilo, ya lo vemos jun").begins("no");
    tape.line.crash_and_redial(2_000);
    assert_eq!(tape.events(Kind::TurnAborted).len(), 1);
}

#[test]
fn e9_the_socket_may_break_while_the_operator_reads_and_the_end_takes_all_cards_away() {
    let mut tape = with_card();
    tape.after(500)
        .patient("¿y ahora qué hago con eso?")
        .after(400)
        .found(0.71)
        .writes("Espere un momento, por fav");
    tape.step(Input::PeerLost { clean: false });
    assert!(tape.line.call.is_busy(), "who reads it is still there");
    let outputs = tape.step(Input::HungUp);
    assert!(cards(&outputs).iter().all(|card| card["reason"] == "ended") && !cards(&outputs).is_empty());
    assert_eq!(tape.line.call.deadline(), None);
    assert_eq!(tape.events(Kind::TurnAborted).len(), 1);
}

/// Bots answer for themselves: what the desk does to their calls suggests nothing.
#[test]
fn e1_a_bots_call_suggests_nothing_whatever_the_desk_wants() {
    for channel in [Channel::Retell, Channel::ElevenLabs, Channel::WhatsApp] {
        let mut line = Line::on(channel);
        line.step(Input::Claimed(elsa()));
        let mut outputs = line.step(Input::Suggest);
        outputs.extend(line.step(Input::Step(Step::Reason)));
        outputs.extend(line.step(Input::Captured { field: Field::Name, value: "Elsa".to_owned() }));
        assert_eq!(outputs, [], "{channel}");
        line.turns.push(said(Speaker::Patient, TROUBLE));
        line.step(Input::Heard(line.turns.clone()));
        line.wait(10_000);
        assert_eq!(line.step(Input::Tick), [], "{channel}");
    }
}
