//! Server-sent events, cut and ended in every way that servers have been seen to.
use aura::protocol::sse::{Event, SseDecoder, SseError};

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Result<Event, SseError>> {
    let mut decoder = SseDecoder::default();
    let mut events: Vec<_> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    events.extend(decoder.finish());
    events
}

fn texts(stream: &[u8]) -> Vec<String> {
    decode([stream]).into_iter().map(|event| event.unwrap().data).collect()
}

/// Everything odd at once: a mark at the start, comments, every line end, an event's name, lines without a
/// space, accents, an emoji, data over several lines, JSON after a break, and an end without a blank line.
const ODD: &str = "\u{feff}: hola, señora\n\ndata: {\"a\":\"señora 🫁\"}\n\nid: 7\r\nevent:  aviso\r\ndata:uno\r\ndata:  dos\r\n\r\n\
data: tres\r\r: latido\r\rretry: 10\ndata\ndata: cuatro\n\nevent: vacío\n\ndata:\n {\"b\":1}\n\ndata: [DONE]";

fn odd_events() -> Vec<Result<Event, SseError>> {
    let event =
        |name: Option<&str>, data: &str| Ok(Event { name: name.map(str::to_owned), data: data.to_owned() });
    vec![
        event(None, "{\"a\":\"señora 🫁\"}"),
        event(Some(" aviso"), "uno\n dos"),
        event(None, "tres"),
        event(None, "\ncuatro"),
        event(None, "\n {\"b\":1}"),
        event(None, "[DONE]"),
    ]
}

#[test]
fn whole_stream_in_one_piece() {
    assert_eq!(decode([ODD.as_bytes()]), odd_events());
}

#[test]
fn any_two_cuts_give_the_same_events() {
    let bytes = ODD.as_bytes();
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            assert_eq!(decode(pieces), odd_events(), "cut at {first} and {second}");
        }
    }
}

#[test]
fn any_seeded_cutting_gives_the_same_events() {
    let bytes = ODD.as_bytes();
    for seed in 0..2_000_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut pieces = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (piece, after) = rest.split_at((((state >> 33) % 9) as usize).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        assert_eq!(decode(pieces), odd_events(), "seed {seed}");
    }
}

#[test]
fn any_line_end_gives_the_same_events() {
    let plain = "data: a\ndata: b\n\n: latido\n\nevent: e\ndata: ñ\n\n";
    let expected = decode([plain.as_bytes()]);
    assert_eq!(expected.len(), 2);
    for end in ["\r\n", "\r"] {
        let stream = plain.replace('\n', end);
        for cut in 0..=stream.len() {
            let (left, right) = stream.as_bytes().split_at(cut);
            assert_eq!(decode([left, right]), expected, "{end:?} cut at {cut}");
        }
    }
}

#[test]
fn fault_25_a_character_cut_in_two_stays_whole() {
    let stream = "data: {\"x\":\"señora\"}\n\n".as_bytes();
    let cut = stream.iter().position(|byte| *byte == 0xC3).unwrap() + 1;
    let events = decode([&stream[..cut], &stream[cut..]]);
    assert_eq!(events, [Ok(Event { name: None, data: "{\"x\":\"señora\"}".into() })]);
    assert_eq!(decode(stream.chunks(1)), events);
}

#[test]
fn fault_26_carriage_return_and_line_feed_end_one_line() {
    let stream = b"data: a\r\n\r\ndata: b\r\n\r\n";
    assert_eq!(texts(stream), ["a", "b"]);
    assert_eq!(decode(stream.chunks(1)), decode([&stream[..]]));
}

#[test]
fn fault_27_a_bare_carriage_return_dispatches_at_once() {
    let mut decoder = SseDecoder::default();
    assert_eq!(decoder.push(b"data: {}\r\r").len(), 1, "not held back until another byte comes");
}

#[test]
fn fault_29_no_space_comments_and_data_over_lines() {
    assert_eq!(texts(b"data:{}\n\n"), ["{}"]);
    assert_eq!(texts(b": ping\n\n: ping\n\n"), Vec::<String>::new());
    assert_eq!(texts(b"data: {\ndata: }\n\n"), ["{\n}"]);
    assert_eq!(texts(b"data:\n {\"a\":1}\n\n"), ["\n {\"a\":1}"]);
}

#[test]
fn fault_31_an_end_without_a_blank_line_keeps_the_last_event() {
    assert_eq!(texts(b"data: [DONE]"), ["[DONE]"]);
    assert_eq!(texts(b"data: [DONE]\n"), ["[DONE]"]);
}

#[test]
fn an_endless_event_is_refused_and_nothing_follows() {
    let mut decoder = SseDecoder::with_limit(32);
    assert_eq!(decoder.push(b"data: ok\n\n").len(), 1);
    let events = decoder.push(&[b'x'; 100]);
    assert_eq!(events, [Err(SseError::TooLong(32))]);
    assert_eq!(decoder.push(b"\n\ndata: ok\n\n"), []);
    assert_eq!(decoder.finish(), None);
}

#[test]
fn many_short_data_lines_are_bounded_too() {
    let mut decoder = SseDecoder::with_limit(64);
    let events: Vec<_> = (0..100).flat_map(|_| decoder.push(b"data: 0123456789\n")).collect();
    assert_eq!(events, [Err(SseError::TooLong(64))]);
}

#[test]
fn bytes_that_are_no_text_are_an_error_after_the_good_events() {
    let events = decode([&b"data: ok\n\ndata: \xC3\x28\n\ndata: no\n\n"[..]]);
    assert_eq!(events.len(), 2);
    assert_eq!(events[1], Err(SseError::NotUtf8));
    assert_eq!(texts(b": \xFF\xFE\ndata: ok\n\n"), ["ok"], "a comment's bytes don't matter");
}
