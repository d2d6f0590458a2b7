//! What one client still has to be sent: bounded and with a deadline, the latest partial alone, finals always
//! (issue 6).
use super::desk_kit::*;
use aura::channel::Channel;
use aura::desk::{DEADLINE_MS, Feeds, Full, Outbox};
use aura::event::News;
use aura::protocol::desk::{Happening, Message};
use std::sync::Arc;

/// A feed and an outbox that watches it.
struct Rig {
    feeds: Feeds,
    outbox: Outbox,
}

impl Rig {
    fn new() -> Self {
        Self { feeds: Feeds::new(7), outbox: Outbox::default() }
    }

    fn tell(&mut self, name: &str, news: News) -> Result<(), Full> {
        let happening = Happening::of(&news, Channel::AudioFork);
        let frame = self.feeds.tell(&call(name), happening, NOON).unwrap();
        self.outbox.event(&frame)
    }

    fn line(&mut self, name: &str, index: usize, text: &str, partial: bool) {
        self.tell(name, heard(index, text, partial)).unwrap();
    }

    /// The lines of the next batch as `call text`, with `…` for what may still change.
    fn batch(&mut self, now: u64) -> Vec<String> {
        self.outbox.batch(now).iter().map(|text| said(text)).collect()
    }
}

fn said(text: &str) -> String {
    match aura::protocol::desk::read_message(text).unwrap() {
        Message::Event(event) => match event.happening {
            Happening::Line(line) => {
                format!("{} {}{}", event.call, line.text, if line.partial { "…" } else { "" })
            }
            other => format!("{} {other:?}", event.call),
        },
        other => format!("{other:?}"),
    }
}

fn pong(id: u64) -> Arc<str> {
    serde_json::to_string(&Message::Pong { id }).unwrap().into()
}

#[test]
fn issue6_of_what_grows_only_the_newest_waits_and_it_stands_where_it_came() {
    let mut rig = Rig::new();
    rig.line("one", 0, "me", true);
    rig.line("one", 1, "sí", true);
    rig.line("two", 0, "hola", true);
    rig.line("one", 0, "me marca", true);
    assert_eq!(rig.outbox.waiting().0, 3);
    assert_eq!(rig.batch(NOON), ["one sí…", "two hola…", "one me marca…"]);
}

#[test]
fn issue6_what_is_final_takes_the_partials_place_and_is_dropped_for_nothing() {
    let mut rig = Rig::new();
    rig.line("one", 0, "me", true);
    rig.line("one", 0, "me marca error", false);
    rig.line("one", 0, "me marca error H08", false);
    rig.line("one", 0, "me marca", true);
    rig.line("one", 0, "me marca DNI ···456", false);
    let finals = ["one me marca error", "one me marca error H08", "one me marca DNI ···456"];
    assert_eq!(rig.batch(NOON), finals);
}

#[test]
fn issue6_a_card_that_is_withdrawn_before_it_was_sent_is_only_withdrawn() {
    let mut rig = Rig::new();
    let one = call("one");
    rig.tell("one", card(&one, 1, "Quédese", false)).unwrap();
    rig.tell("one", card(&one, 1, "Quédese tranquila", false)).unwrap();
    rig.tell("one", card(&one, 2, "Lo escucho", false)).unwrap();
    let suggestion_id = aura::suggestion::SuggestionId::of(&one, aura::ids::TurnId(1));
    let (reason, cause) = (aura::suggestion::Gone::Newer, "hay otra");
    let gone = News::Suggestion(aura::suggestion::Change::Withdrawn { suggestion_id, reason, cause });
    rig.tell("one", gone).unwrap();
    let sent = rig.batch(NOON);
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent[0].contains("Lo escucho") && sent[1].contains("SuggestionWithdrawn"), "{sent:?}");
}

#[test]
fn issue6_one_batch_is_under_way_at_a_time_and_what_is_in_it_is_not_called_back() {
    let mut rig = Rig::new();
    assert!(rig.batch(NOON).is_empty());
    assert!(!rig.outbox.is_behind(NOON + 10 * DEADLINE_MS), "nothing is under way");
    rig.line("one", 0, "me", true);
    assert_eq!(rig.batch(NOON), ["one me…"]);
    rig.line("one", 0, "me marca", true);
    rig.line("one", 0, "me marca error", true);
    assert!(rig.batch(NOON + 1).is_empty(), "the first hasn't gone out");
    rig.outbox.delivered();
    assert_eq!(rig.batch(NOON + 2), ["one me marca error…"]);
}

#[test]
fn issue6_batches_are_bounded_and_in_order() {
    let mut rig = Rig::new();
    (0..600).for_each(|index| rig.line("one", index, &format!("línea {index}"), false));
    let mut sent = Vec::new();
    for size in [256, 256, 88, 0] {
        let batch = rig.batch(NOON);
        assert_eq!(batch.len(), size);
        sent.extend(batch);
        rig.outbox.delivered();
    }
    assert_eq!(sent, (0..600).map(|index| format!("one línea {index}")).collect::<Vec<_>>());
    let mut rig = Rig::new();
    (0..20).for_each(|index| rig.line("one", index, &"a".repeat(16 * 1024), false));
    let bytes: usize = rig.outbox.batch(NOON).iter().map(|text| text.len()).sum();
    assert!(bytes > 48 * 1024 && bytes < 96 * 1024, "{bytes}");
}

#[test]
fn issue6_a_client_is_behind_when_a_batch_is_not_taken_by_its_deadline() {
    let mut rig = Rig::new();
    rig.line("one", 0, "hola", false);
    assert_eq!(rig.batch(NOON).len(), 1);
    rig.line("one", 1, "¿hay alguien?", false);
    assert!(rig.batch(NOON + 4_000).is_empty(), "asking again doesn't put it off");
    assert!(!rig.outbox.is_behind(NOON + DEADLINE_MS - 1));
    assert!(rig.outbox.is_behind(NOON + DEADLINE_MS));
    rig.outbox.delivered();
    assert!(!rig.outbox.is_behind(NOON + DEADLINE_MS));
    // Slow is not behind: each batch has a deadline of its own.
    for batch in 1..100 {
        let now = NOON + batch * (DEADLINE_MS - 1);
        rig.line("one", 0, "hola", false);
        assert!(!rig.batch(now).is_empty());
        assert!(!rig.outbox.is_behind(now + DEADLINE_MS - 1));
        rig.outbox.delivered();
    }
}

#[test]
fn issue6_a_frozen_client_costs_one_frame_for_each_thing_that_grows() {
    let mut rig = Rig::new();
    for round in 0..20_000 {
        rig.line("one", 0, &format!("y además {round}"), true);
        rig.line("two", round % 2, &format!("y además {round}"), true);
    }
    let (frames, bytes) = rig.outbox.waiting();
    assert!(frames == 3 && bytes < 600, "{frames} frames, {bytes} bytes");
    assert_eq!(rig.batch(NOON).len(), 3);
    assert_eq!(rig.outbox.waiting(), (0, 0));
}

#[test]
fn issue6_finals_pile_up_to_a_bound_and_then_the_client_is_told_apart() {
    let mut rig = Rig::new();
    let mut kept = 0;
    while rig.tell("one", heard(kept, "hola", false)).is_ok() {
        kept += 1;
    }
    assert_eq!((kept, rig.outbox.waiting().0), (16_384, 16_384));
    assert_eq!(rig.outbox.message(pong(1)), Err(Full));
    assert_eq!(rig.batch(NOON)[0], "one hola", "nothing that was kept is lost");

    let mut rig = Rig::new();
    let (mut kept, long) = (0, "a".repeat(16 * 1024));
    while rig.tell("one", heard(kept, &long, false)).is_ok() {
        kept += 1;
    }
    assert!(kept > 450 && rig.outbox.waiting().1 <= 8 * 1024 * 1024, "{kept}: {:?}", rig.outbox.waiting());
}

#[test]
fn issue6_what_a_client_watches_no_more_is_not_sent_and_the_rest_is() {
    let mut rig = Rig::new();
    rig.line("one", 0, "hola", false);
    rig.outbox.message(pong(1)).unwrap();
    rig.outbox.about(&call("one"), pong(2)).unwrap();
    rig.line("one", 1, "me", true);
    rig.line("two", 1, "me", true);
    rig.outbox.about(&call("two"), pong(3)).unwrap();
    rig.outbox.forget(&call("one"));
    assert_eq!(rig.outbox.waiting().0, 3);
    // Watched again, it begins where it is.
    rig.line("one", 1, "me marca", true);
    rig.line("one", 1, "me marca error", true);
    rig.line("two", 1, "me marca", true);
    let pong = |id| said(&pong(id));
    assert_eq!(rig.batch(NOON), [pong(1), pong(3), "one me marca error…".into(), "two me marca…".into()]);
    assert_eq!(rig.outbox.waiting(), (0, 0));
}

#[test]
fn s4_an_outbox_prints_no_frame() {
    let mut outbox = Outbox::default();
    let telephone = Message::Telephone { callback: "7".to_owned(), telephone: Some("1145678900".to_owned()) };
    outbox.message(serde_json::to_string(&telephone).unwrap().into()).unwrap();
    let printed = format!("{outbox:?}");
    assert!(!printed.contains("45678900") && printed.contains("bytes"), "{printed}");
}
