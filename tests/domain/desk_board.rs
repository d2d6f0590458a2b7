//! The list of calls: state, waiting time, last words, the alert on calls that nobody takes (issue 6).
use super::desk_kit::*;
use aura::channel::Channel;
use aura::desk::{Board, CLOSED_MS};
use aura::event::{DeskEvent, News};
use aura::identity::{Held, Source};
use aura::ids::CallId;
use aura::patient::{Cause, Outage, Progress};
use aura::protocol::desk::{Row, State};
use aura::red_flag::RedFlag;
use aura::script::{Step, View};
use aura::suggestion::Mode;
use aura::transcript::Speaker;

const PATIENCE: u64 = 30_000;

/// A list with one forked call, `one`, that began at noon.
fn board() -> Board {
    let mut board = Board::default();
    board.told(&fork(&call("one"), News::Opened), NOON);
    board
}

fn tell(board: &mut Board, news: News, now: u64) -> Row {
    board.told(&fork(&call("one"), news), now);
    board.row(&call("one")).unwrap().clone()
}

fn last(row: &Row) -> Option<&str> {
    row.last.as_ref().map(|last| last.text.as_str())
}

/// Which rows have changed.
fn changed(board: &mut Board, now: u64) -> Vec<String> {
    board.changes(now).rows.iter().map(|row| row.call.to_string()).collect()
}

#[test]
fn issue6_a_forked_call_waits_from_its_first_moment_until_somebody_has_it_and_again_once_let_go() {
    let mut board = board();
    assert_eq!(board.row(&call("one")).unwrap().waiting_since, Some(NOON));
    let row = tell(&mut board, claimed(Some("elsa")), NOON + 5_000);
    assert_eq!((row.waiting_since, row.claimed_by.as_deref()), (None, Some("elsa")));
    let row = tell(&mut board, claimed(Some("raul")), NOON + 6_000);
    assert_eq!((row.waiting_since, row.claimed_by.as_deref()), (None, Some("raul")));
    let row = tell(&mut board, claimed(None), NOON + 9_000);
    assert_eq!((row.waiting_since, row.claimed_by, row.since), (Some(NOON + 9_000), None, NOON));
    // Told once more, it hasn't waited for less.
    assert_eq!(tell(&mut board, claimed(None), NOON + 12_000).waiting_since, Some(NOON + 9_000));
}

#[test]
fn issue6_a_call_that_nobody_takes_in_time_is_overdue_until_somebody_does() {
    let mut board = board();
    let overdue = |board: &Board| board.row(&call("one")).unwrap().overdue;
    changed(&mut board, NOON);
    board.tick(PATIENCE, NOON + PATIENCE - 1);
    assert_eq!((overdue(&board), changed(&mut board, NOON)), (false, vec![]));
    board.tick(PATIENCE, NOON + PATIENCE);
    assert_eq!((overdue(&board), changed(&mut board, NOON)), (true, vec!["one".to_owned()]));
    board.tick(PATIENCE, NOON + 2 * PATIENCE);
    assert_eq!((overdue(&board), changed(&mut board, NOON)), (true, vec![]), "told once");
    tell(&mut board, claimed(Some("elsa")), NOON + 2 * PATIENCE);
    board.tick(PATIENCE, NOON + 9 * PATIENCE);
    assert_eq!((overdue(&board), changed(&mut board, NOON)), (false, vec!["one".to_owned()]));
    tell(&mut board, claimed(None), NOON + 9 * PATIENCE);
    board.tick(PATIENCE, NOON + 10 * PATIENCE - 1);
    assert!(!overdue(&board), "it waits anew");
    board.tick(PATIENCE, NOON + 10 * PATIENCE);
    assert!(overdue(&board));
    board.tick(0, NOON + 11 * PATIENCE);
    assert!(!overdue(&board), "no alert is wanted any more");
}

#[test]
fn issue6_nobody_waits_for_an_operator_in_a_bots_call() {
    for source in [Channel::Retell, Channel::ElevenLabs, Channel::WhatsApp] {
        let mut board = Board::default();
        let mut tell = |news| board.told(&DeskEvent { call: call("one"), source, news }, NOON);
        tell(News::Opened);
        tell(claimed(Some("elsa")));
        tell(claimed(None));
        board.tick(PATIENCE, NOON + 10 * PATIENCE);
        let row = board.row(&call("one")).unwrap();
        assert_eq!((row.source, row.waiting_since, row.overdue), (source, None, false));
    }
}

#[test]
fn issue6_the_last_words_are_the_last_that_are_final() {
    let mut board = board();
    assert_eq!(last(&tell(&mut board, heard(0, "hola, me", true), NOON)), None, "it may still change");
    let row = tell(&mut board, heard(0, "hola, me marca error", false), NOON + 1);
    let shown = row.last.unwrap();
    assert_eq!(
        (shown.speaker, shown.text.as_str(), shown.at),
        (Speaker::Patient, "hola, me marca error", NOON + 1)
    );
    changed(&mut board, NOON);
    assert_eq!(last(&tell(&mut board, heard(1, "y también", true), NOON)), Some("hola, me marca error"));
    assert_eq!(changed(&mut board, NOON), [] as [&str; 0], "nothing that the list shows");
    tell(&mut board, heard(2, "un momento", false), NOON);
    let row = tell(&mut board, heard(1, "y también hace ruido", false), NOON);
    assert_eq!(last(&row), Some("un momento"), "a late line isn't the last");
    let row = tell(&mut board, heard(2, "un momento, por favor", false), NOON);
    assert_eq!(last(&row), Some("un momento, por favor"), "the same line, heard better");
    assert_eq!(last(&tell(&mut board, heard(3, "", false), NOON)), Some("un momento, por favor"), "no words");
    assert_eq!(last(&tell(&mut board, heard(2, "", false), NOON)), None, "taken back");
    assert_eq!(last(&tell(&mut board, heard(1, "y también hacía ruido", false), NOON)), None);
    assert_eq!(last(&tell(&mut board, heard(4, "hola", false), NOON)), Some("hola"));
}

#[test]
fn issue6_last_words_are_short_whatever_was_said() {
    let mut board = board();
    let row = tell(&mut board, heard(0, &"ñ".repeat(160), false), NOON);
    assert_eq!(last(&row), Some("ñ".repeat(160).as_str()));
    let row = tell(&mut board, heard(1, &"ñ".repeat(161), false), NOON);
    assert_eq!(last(&row), Some(format!("{}…", "ñ".repeat(160)).as_str()));
}

#[test]
fn issue6_a_call_is_live_on_hold_lost_or_over() {
    let mut board = board();
    assert_eq!(board.row(&call("one")).unwrap().state, State::Live);
    assert_eq!(tell(&mut board, News::Hold { on: true }, NOON).state, State::Hold);
    assert_eq!(tell(&mut board, heard(0, "música", false), NOON).state, State::Hold);
    assert_eq!(tell(&mut board, News::Hold { on: false }, NOON).state, State::Live);
    assert_eq!(tell(&mut board, News::Lost, NOON).state, State::Lost);
    assert_eq!(tell(&mut board, heard(1, "¿hola?", false), NOON).state, State::Live);
    assert_eq!(tell(&mut board, News::Lost, NOON).state, State::Lost);
    assert_eq!(tell(&mut board, News::Opened, NOON).state, State::Live);
    let row = tell(&mut board, News::Closed, NOON);
    assert_eq!((row.state, row.waiting_since, row.overdue), (State::Closed, None, false));
}

/// Words bring a call back whose socket was gone; what may still change is no last word for that.
#[test]
fn issue6_words_after_a_lost_socket_are_no_last_words_before_they_are_final() {
    let mut board = board();
    tell(&mut board, heard(0, "hola", false), NOON);
    tell(&mut board, heard(1, "me marca error", false), NOON);
    for news in [heard(2, "y además", true), heard(2, "", false), heard(0, "hola, buenas", false)] {
        tell(&mut board, News::Lost, NOON);
        changed(&mut board, NOON);
        let row = tell(&mut board, news, NOON + 1);
        assert_eq!((row.state, last(&row)), (State::Live, Some("me marca error")));
        assert_eq!(changed(&mut board, NOON), ["one"]);
    }
    assert_eq!(
        last(&tell(&mut board, heard(1, "me marca error H08", false), NOON)),
        Some("me marca error H08")
    );
}

#[test]
fn issue6_what_else_an_operator_looks_for_in_the_list() {
    let mut board = board();
    let red = |flag| News::RedFlag { index: 0, flag, text: "Llame al 107.".to_owned() };
    tell(&mut board, red(RedFlag::Breathing), NOON);
    tell(&mut board, red(RedFlag::Other), NOON);
    assert_eq!(tell(&mut board, red(RedFlag::Breathing), NOON).danger, Some(RedFlag::Breathing));
    assert_eq!(tell(&mut board, red(RedFlag::Fire), NOON).danger, Some(RedFlag::Fire), "the gravest");
    let script = News::Script(View { open: Step::Equipment, corrected: false, steps: Vec::new() });
    assert_eq!(tell(&mut board, script, NOON).step, Some(Step::Equipment));
    let document = aura::ids::Dni::parse("23456789").unwrap();
    let state = aura::identity::State::ReadBack;
    let held = Some(Held::new(Source::Dictated, document, state));
    let row = tell(&mut board, News::Identity { change: "read_back", held }, NOON);
    assert_eq!(row.identity, Some(state));
    assert!(!serde_json::to_string(&row).unwrap().contains("789"), "how far it has come, not what it is");
    let outage = Some(Outage { cause: Cause::Timeout, retrying: true });
    let progress = Progress::Pending;
    let look_up =
        News::LookUp { progress, outage, source: Some("mock"), models: Default::default(), cached: false };
    let row = tell(&mut board, look_up, NOON);
    assert_eq!((row.look_up, row.outage), (progress, outage));
    let quiet = News::Claimed { by: Some(aura::ids::AgentId("elsa".to_owned())), mode: Mode::Quiet };
    assert_eq!(tell(&mut board, quiet, NOON).mode, Mode::Quiet);
    let row = tell(&mut board, News::Extension { extension: "204".to_owned() }, NOON);
    assert_eq!(row.extension.as_deref(), Some("204"));
    changed(&mut board, NOON);
    tell(&mut board, card(&call("one"), 1, "Quédese", false), NOON);
    assert_eq!(changed(&mut board, NOON), [] as [&str; 0], "cards aren't in the list");
}

#[test]
fn issue6_calls_ring_at_their_extension_while_nobody_has_them() {
    let mut board = Board::default();
    for name in ["one", "two", "three"] {
        board.told(&fork(&call(name), News::Opened), NOON);
    }
    for (name, extension) in [("one", "204"), ("two", "205"), ("three", "204")] {
        board.told(&fork(&call(name), News::Extension { extension: extension.to_owned() }), NOON);
    }
    let ringing = |board: &Board, at: &str| board.ringing_at(at).cloned().collect::<Vec<CallId>>();
    assert_eq!(ringing(&board, "204"), [call("one"), call("three")]);
    board.told(&fork(&call("three"), claimed(Some("elsa"))), NOON);
    assert_eq!(ringing(&board, "204"), [call("one")]);
    board.told(&fork(&call("one"), News::Closed), NOON);
    assert_eq!(ringing(&board, "204"), []);
    assert_eq!(ringing(&board, "20"), []);
}

#[test]
fn issue6_a_call_that_began_before_a_restart_brings_its_times_along() {
    let mut board = board();
    changed(&mut board, NOON);
    board.began(&call("one"), NOON - 60_000);
    let row = board.row(&call("one")).unwrap();
    assert_eq!((row.since, row.waiting_since), (NOON - 60_000, Some(NOON - 60_000)));
    assert_eq!(changed(&mut board, NOON), ["one"]);
    tell(&mut board, claimed(Some("elsa")), NOON);
    board.began(&call("one"), NOON - 70_000);
    assert_eq!(board.row(&call("one")).unwrap().waiting_since, None);
    board.began(&call("nobody"), NOON);
    assert!(board.row(&call("nobody")).is_none());
}

#[test]
fn issue6_a_call_is_shown_for_ten_minutes_after_its_end_and_two_hundred_of_them_at_most() {
    let mut board = board();
    tell(&mut board, News::Closed, NOON + 1_000);
    assert_eq!(changed(&mut board, NOON + 1_000), ["one"]);
    assert_eq!(board.changes(NOON + 1_000 + CLOSED_MS - 1), Default::default());
    let watch = board.changes(NOON + 1_000 + CLOSED_MS);
    assert_eq!((watch.rows.len(), watch.gone), (0, vec![call("one")]));
    assert!(board.rows().is_empty());

    let mut board = Board::default();
    for number in 0..=250_u64 {
        let name = call(&format!("call-{number:03}"));
        board.told(&fork(&name, News::Opened), NOON);
        if number < 250 {
            board.told(&fork(&name, News::Closed), NOON + number);
        }
    }
    let watch = board.changes(NOON + 300);
    let gone: Vec<CallId> = (0..50).map(|number| call(&format!("call-{number:03}"))).collect();
    assert_eq!((watch.gone, board.rows().len()), (gone, 201), "the oldest; live ones all stay");
}

#[test]
fn issue6_nothing_changes_a_call_that_is_over() {
    let mut board = board();
    tell(&mut board, heard(0, "chau", false), NOON);
    tell(&mut board, claimed(Some("elsa")), NOON);
    let row = tell(&mut board, News::Closed, NOON);
    changed(&mut board, NOON);
    let late = [claimed(None), News::Lost, News::Hold { on: false }, heard(1, "¿hola?", false), News::Closed];
    for news in late {
        assert_eq!(tell(&mut board, news, NOON + 1), row);
    }
    board.tick(PATIENCE, NOON + PATIENCE + 1);
    assert_eq!(changed(&mut board, NOON), [] as [&str; 0]);
    assert_eq!(board.changes(NOON + CLOSED_MS).gone, [call("one")], "the second end doesn't put it off");
    // A call that was never shown isn't shown for its end.
    board.told(&fork(&call("two"), News::Closed), NOON);
    assert!(board.rows().is_empty());
}

/// A fork whose grace is over may still come back, as a new call of the same id.
#[test]
fn issue6_an_id_that_is_dialled_again_waits_as_a_new_call() {
    let mut board = board();
    tell(&mut board, heard(5, "hola", false), NOON);
    tell(&mut board, claimed(Some("elsa")), NOON);
    tell(&mut board, News::Closed, NOON);
    let again = NOON + 60_000;
    let row = tell(&mut board, News::Opened, again);
    assert_eq!((row.state, row.since, row.waiting_since), (State::Live, again, Some(again)));
    assert_eq!((row.claimed_by, row.last), (None, None));
    assert_eq!(last(&tell(&mut board, heard(0, "soy yo de nuevo", false), again)), Some("soy yo de nuevo"));
    board.tick(PATIENCE, again + PATIENCE);
    assert!(board.row(&call("one")).unwrap().overdue);
    // The first end counts no more.
    assert_eq!(board.changes(NOON + CLOSED_MS).gone, []);
    tell(&mut board, News::Closed, again);
    assert_eq!(board.changes(NOON + CLOSED_MS).gone, []);
    assert_eq!(board.changes(again + CLOSED_MS).gone, [call("one")]);
}

#[test]
fn issue6_changes_are_told_once_and_rows_are_all_there_is() {
    let mut board = board();
    board.told(&fork(&call("two"), News::Opened), NOON);
    tell(&mut board, heard(0, "hola", false), NOON);
    let watch = board.changes(NOON);
    assert_eq!(watch.rows, board.rows());
    assert_eq!(board.changes(NOON), Default::default());
    board.told(&fork(&call("two"), claimed(Some("elsa"))), NOON);
    assert_eq!(changed(&mut board, NOON), ["two"]);
}
