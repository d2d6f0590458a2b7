//! Each event once and numbered, the newest of its key alone; who comes back lacks exactly what came since, who comes
//! late gets the whole call (issue 6).
use super::desk_kit::*;
use aura::channel::Channel;
use aura::desk::{Feeds, Since};
use aura::event::News;
use aura::ids::CallId;
use aura::protocol::desk::{Cursor, Event, Happening, Key};

fn tell(feeds: &mut Feeds, call: &CallId, news: News) -> u64 {
    feeds.tell(call, Happening::of(&news, Channel::AudioFork), NOON).unwrap().seq
}

fn seqs(since: &Since) -> Vec<u64> {
    since.frames.iter().map(|frame| frame.seq).collect()
}

fn at(feeds: &Feeds, seq: u64) -> Option<Cursor> {
    Some(Cursor { epoch: feeds.epoch(), seq })
}

/// A call of twelve events: lines that grow, a card that grows and goes, a claim, a gap twice.
fn story(feeds: &mut Feeds, call: &CallId) -> Vec<Event> {
    let gap = || {
        let why = aura::ears::Lack::Lost;
        News::Gap(aura::ears::Gap { track: None, from_ms: 0, to_ms: 1_000, why })
    };
    let withdrawn = News::Suggestion(aura::suggestion::Change::Withdrawn {
        suggestion_id: aura::suggestion::SuggestionId::of(call, aura::ids::TurnId(1)),
        reason: aura::suggestion::Gone::Overtaken,
        cause: "el paciente siguió hablando",
    });
    let news = [
        News::Opened,
        heard(0, "hola", true),
        claimed(Some("elsa")),
        heard(0, "hola, me marca", true),
        gap(),
        heard(1, "sí", false),
        heard(0, "hola, me marca error H08", false),
        card(call, 1, "Quédese", false),
        card(call, 1, "Quédese tranquila", true),
        gap(),
        withdrawn,
        claimed(None),
    ];
    let told = news.into_iter().enumerate().map(|(at, news)| {
        let frame = feeds.tell(call, Happening::of(&news, Channel::AudioFork), NOON + at as u64).unwrap();
        event(&frame)
    });
    told.collect()
}

#[test]
fn issue6_numbers_rise_by_one_in_each_call_and_are_the_calls_own() {
    let mut feeds = Feeds::new(7);
    let (one, two) = (call("one"), call("two"));
    for seq in 1..=20 {
        assert_eq!(tell(&mut feeds, &one, heard(0, &"a".repeat(seq), true)), seq as u64);
        assert_eq!(tell(&mut feeds, &two, heard(seq, "b", false)), seq as u64);
    }
    assert_eq!(seqs(&feeds.since(&one, None).unwrap()), [20], "the newest of its key alone");
    assert_eq!(seqs(&feeds.since(&two, None).unwrap()), (1..=20).collect::<Vec<_>>());
}

#[test]
fn issue6_a_frame_is_what_goes_over_the_wire() {
    let mut feeds = Feeds::new(7);
    let happening = Happening::of(&heard(3, "hola", true), Channel::AudioFork);
    let frame = feeds.tell(&call("one"), happening.clone(), NOON + 5).unwrap();
    assert_eq!(event(&frame), Event { call: call("one"), seq: 1, at: NOON + 5, happening });
    assert_eq!((&frame.key, frame.partial), (&Some(Key::Line(3)), true));
    assert_eq!(feeds.bytes(), frame.text.len());
}

#[test]
fn issue6_from_wherever_a_client_is_it_gets_exactly_what_came_since_and_still_stands() {
    let mut feeds = Feeds::new(7);
    let told = story(&mut feeds, &call("one"));
    for after in 0..=told.len() as u64 {
        let since = feeds.since(&call("one"), at(&feeds, after)).unwrap();
        let expected: Vec<Event> = standing(&told).into_iter().filter(|event| event.seq > after).collect();
        let got: Vec<Event> = since.frames.iter().map(|frame| event(frame)).collect();
        assert_eq!(got, expected, "after {after}");
        assert_eq!((since.anew, since.cut, since.seq), (after == 0, false, told.len() as u64));
    }
    let all = feeds.since(&call("one"), None).unwrap();
    assert!(all.anew);
    assert_eq!(all.frames.len(), standing(&told).len());
    assert_eq!(feeds.bytes(), all.frames.iter().map(|frame| frame.text.len()).sum::<usize>());
}

#[test]
fn issue6_a_cursor_of_another_life_or_from_the_future_is_told_everything_anew() {
    let mut feeds = Feeds::new(7);
    let told = story(&mut feeds, &call("one")).len() as u64;
    for after in
        [Cursor { epoch: 6, seq: told }, Cursor { epoch: 8, seq: 3 }, Cursor { epoch: 7, seq: told + 1 }]
    {
        let since = feeds.since(&call("one"), Some(after)).unwrap();
        assert!(since.anew, "{after:?}");
        assert_eq!(since.frames.len(), feeds.since(&call("one"), None).unwrap().frames.len());
    }
    assert!(feeds.since(&call("nobody"), None).is_none());
    assert!(feeds.since(&call("nobody"), Some(Cursor { epoch: 7, seq: 1 })).is_none());
}

#[test]
fn issue6_what_a_mark_is_about_is_found_by_its_key() {
    let mut feeds = Feeds::new(7);
    let one = call("one");
    tell(&mut feeds, &one, card(&one, 1, "Quédese", false));
    tell(&mut feeds, &one, card(&one, 1, "Quédese tranquila", true));
    let frame = feeds.frame(&one, &Key::Card("one/1".to_owned())).unwrap();
    assert!(frame.text.contains("Quédese tranquila"));
    assert!(feeds.frame(&one, &Key::Card("one/2".to_owned())).is_none());
    assert!(feeds.frame(&call("two"), &Key::Card("one/1".to_owned())).is_none());
}

#[test]
fn issue6_a_call_is_bounded_and_whoever_lacks_its_beginning_is_told_so() {
    let mut feeds = Feeds::new(7);
    let one = call("one");
    for index in 0..9_000 {
        tell(&mut feeds, &one, heard(index, "hola", false));
    }
    let all = feeds.since(&one, None).unwrap();
    assert_eq!((all.anew, all.cut, all.frames.len(), all.frames[0].seq), (true, true, 8_000, 1_001));
    for (after, cut) in [(1, true), (999, true), (1_000, false), (8_999, false)] {
        let since = feeds.since(&one, at(&feeds, after)).unwrap();
        assert_eq!((since.cut, since.anew), (cut, false), "after {after}");
    }
    // What was dropped is told again under a number of its own, and nothing else is lost.
    assert_eq!(tell(&mut feeds, &one, heard(0, "hola, buenas", false)), 9_001);
    let all = feeds.since(&one, None).unwrap();
    assert_eq!((all.frames.len(), all.frames[0].seq), (8_000, 1_002));
    assert!(feeds.frame(&one, &Key::Line(0)).unwrap().text.contains("buenas"));
}

#[test]
fn issue6_bytes_are_bounded_too() {
    let mut feeds = Feeds::new(7);
    let (one, long) = (call("one"), "a".repeat(16 * 1024));
    for index in 0..600 {
        tell(&mut feeds, &one, heard(index, &long, false));
        assert!(feeds.bytes() <= 4 * 1024 * 1024);
    }
    let all = feeds.since(&one, None).unwrap();
    assert!(all.cut && all.frames.len() > 200);
    assert_eq!(feeds.bytes(), all.frames.iter().map(|frame| frame.text.len()).sum::<usize>());
    // What only grows takes room once.
    let mut feeds = Feeds::new(7);
    for _ in 0..600 {
        tell(&mut feeds, &one, heard(0, &long, true));
    }
    assert!(!feeds.since(&one, None).unwrap().cut && feeds.bytes() < 20_000);
    feeds.forget(&one);
    assert_eq!((feeds.bytes(), feeds.holds(&one)), (0, false));
}

/// The list shows a call for ten minutes after its end; by then its id may be dialled again, and a client may still be
/// at a number of the first.
#[test]
fn issue6_numbers_of_a_forgotten_call_are_never_used_again() {
    let mut feeds = Feeds::new(7);
    let one = call("one");
    let last = story(&mut feeds, &one).len() as u64;
    feeds.forget(&one);
    assert!(feeds.since(&one, None).is_none());
    for index in 0..40 {
        tell(&mut feeds, &one, heard(index, "otra llamada", false));
    }
    for after in [1, last - 1, last] {
        let since = feeds.since(&one, at(&feeds, after)).unwrap();
        assert_eq!((since.anew, since.frames.len()), (true, 40), "after {after}");
    }
    let since = feeds.since(&one, at(&feeds, last + 30)).unwrap();
    assert_eq!((since.anew, since.frames.len()), (false, 10));
}

#[test]
fn issue6_an_id_that_is_dialled_again_names_another_call() {
    let mut feeds = Feeds::new(7);
    let one = call("one");
    story(&mut feeds, &one);
    let last = tell(&mut feeds, &one, News::Closed);
    tell(&mut feeds, &one, News::Opened);
    tell(&mut feeds, &one, heard(0, "soy otra persona", false));
    for after in [1, last] {
        let since = feeds.since(&one, at(&feeds, after)).unwrap();
        assert_eq!((since.anew, seqs(&since)), (true, vec![last + 1, last + 2]), "after {after}");
    }
    assert_eq!(seqs(&feeds.since(&one, at(&feeds, last + 1)).unwrap()), [last + 2]);
    // One that is merely back goes on.
    tell(&mut feeds, &one, News::Lost);
    tell(&mut feeds, &one, News::Opened);
    assert_eq!(seqs(&feeds.since(&one, None).unwrap()), [last + 2, last + 4]);
}
