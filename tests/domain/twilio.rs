//! Twilio's media streams: both tracks by name, chunks in order, counters as strings.
use crate::intake_kit::{Socket, heard, opened, pieces};
use aura::ears::intake::IntakeOut;
use aura::ears::{Door, Encoding, Layout, Piece, Shape, Told, Track};
use aura::protocol::pbx::FrameError;
use aura::protocol::twilio::Stream;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const CONNECTED: &str = r#"{"event":"connected","protocol":"Call","version":"1.0.0"}"#;
const START: &str = r#"{"event":"start","sequenceNumber":"1","streamSid":"MZ1","start":{"accountSid":"AC1","streamSid":"MZ1",
  "callSid":"CA1","tracks":["inbound","outbound"],"customParameters":{"leg":"operator","turno":"noche"},
  "mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1}}}"#;
const STOP: &str =
    r#"{"event":"stop","sequenceNumber":"9","streamSid":"MZ1","stop":{"accountSid":"AC1","callSid":"CA1"}}"#;

fn media(track: &str, chunk: &str, byte: u8) -> String {
    let payload = STANDARD.encode([byte; 160]);
    format!(
        r#"{{"event":"media","sequenceNumber":"3","streamSid":"MZ1","media":{{"track":"{track}","chunk":{chunk},"timestamp":"5","payload":"{payload}"}}}}"#
    )
}

fn told(stream: &mut Stream, frame: &str) -> Vec<Told> {
    let decoded = stream.text(frame);
    assert_eq!(decoded.fault, None, "{frame}");
    decoded.told
}

/// The first byte of each chunk that comes out, by track.
fn chunks(stream: &mut Stream, frames: &[String]) -> Vec<(Track, u8)> {
    let told: Vec<Told> = frames.iter().flat_map(|frame| told(stream, frame)).collect();
    let chunk = |told: &Told| match told {
        Told::Audio { track: Some(track), bytes } => (*track, bytes[0]),
        other => panic!("{other:?}"),
    };
    told.iter().map(chunk).collect()
}

#[test]
fn a_stream_from_start_to_stop() {
    let mut stream = Stream::new();
    let mut socket = Socket::new(Door::Twilio, "");
    assert_eq!(told(&mut stream, CONNECTED), []);
    let mut out = socket.tell_all(told(&mut stream, START));
    let fork = opened(&out);
    // The operator's leg: what it hears is the patient.
    assert_eq!((fork.call.as_str(), fork.layout, fork.patient), ("CA1", Layout::Stereo, Track::Outbound));
    assert_eq!(fork.metadata.variables["turno"], "noche");
    for frame in [media("inbound", "\"1\"", 0x80), media("outbound", "\"1\"", 0x00), STOP.to_owned()] {
        out.extend(socket.tell_all(told(&mut stream, &frame)));
    }
    assert_eq!(heard(&out), (vec![32_124; 160], vec![-32_124; 160]));
    assert_eq!(out.last(), Some(&IntakeOut::Piece(Piece::HungUp)));
}

#[test]
fn one_track_is_a_mono_fork() {
    let start = START.replace(r#"["inbound","outbound"]"#, r#"["inbound"]"#);
    for (leg, layout) in [("patient", Track::Inbound), ("operator", Track::Outbound)] {
        let mut socket = Socket::new(Door::Twilio, "");
        let out = socket.tell_all(told(&mut Stream::new(), &start.replace("operator", leg)));
        assert_eq!((opened(&out).layout, opened(&out).patient), (Layout::Mono(layout), Track::Inbound));
        let out = socket.tell_all(told(&mut Stream::new(), &media("inbound", "\"1\"", 0x80)));
        let (inbound, outbound) = heard(&out);
        assert_eq!((inbound.len(), outbound.len()), if leg == "patient" { (160, 0) } else { (0, 160) });
    }
}

#[test]
fn a_parameter_names_the_call_that_two_streams_share() {
    let start = START.replace(r#""turno""#, r#""call""#);
    let [Told::Metadata(metadata)] = &told(&mut Stream::new(), &start)[..] else { panic!("no metadata") };
    assert_eq!(metadata.call.as_deref(), Some("noche"));
    assert_eq!((metadata.rate, metadata.encoding), (Some(8_000), Some(Encoding::Mulaw)));
    assert_eq!(metadata.layout, Some(Shape::Stereo));
}

#[test]
fn chunks_out_of_order_are_put_in_order_track_by_track() {
    let mut stream = Stream::new();
    let frames = [
        media("inbound", "\"2\"", 2),
        media("outbound", "\"1\"", 101),
        media("inbound", "\"1\"", 1),
        media("inbound", "\"4\"", 4),
        media("inbound", "3", 3),
        media("outbound", "\"2\"", 102),
    ];
    let (inbound, outbound): (Vec<_>, Vec<_>) =
        chunks(&mut stream, &frames).into_iter().partition(|(track, _)| *track == Track::Inbound);
    assert_eq!(inbound.iter().map(|(_, byte)| *byte).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(outbound.iter().map(|(_, byte)| *byte).collect::<Vec<_>>(), [101, 102]);
    assert_eq!(stream.disorder(), (0, 0));
}

#[test]
fn repeated_chunks_are_left_out() {
    let mut stream = Stream::new();
    let numbers = [1, 2, 2, 1, 4, 4, 3];
    let frames: Vec<String> = numbers.iter().map(|n| media("inbound", &format!("\"{n}\""), *n)).collect();
    let bytes: Vec<u8> = chunks(&mut stream, &frames).iter().map(|(_, byte)| *byte).collect();
    assert_eq!((bytes, stream.disorder()), (vec![1, 2, 3, 4], (3, 0)));
}

#[test]
fn a_lost_chunk_is_not_waited_for_beyond_ten_others() {
    let mut stream = Stream::new();
    let frame = |n: u8| media("inbound", &format!("\"{n}\""), n);
    let mut heard = chunks(&mut stream, &[frame(1)]).len();
    for n in 3..=12 {
        heard += chunks(&mut stream, &[frame(n)]).len();
    }
    assert_eq!(heard, 1, "ten wait for the second");
    assert_eq!(chunks(&mut stream, &[frame(13)]).len(), 11);
    assert_eq!(stream.disorder(), (0, 1));
    // It comes after all: too late.
    assert_eq!(chunks(&mut stream, &[frame(2)]).len(), 0);
}

#[test]
fn what_waits_comes_out_at_the_end() {
    let mut stream = Stream::new();
    chunks(&mut stream, &[media("outbound", "\"1\"", 1)]);
    assert_eq!(chunks(&mut stream, &[media("outbound", "\"3\"", 3)]), []);
    let end = told(&mut stream, STOP);
    assert!(matches!(&end[..], [Told::Audio { track: Some(Track::Outbound), .. }, Told::HungUp]));
}

#[test]
fn a_stream_that_counts_anew_or_not_at_all_is_heard() {
    let mut stream = Stream::new();
    let frames = [
        media("inbound", "\"5000\"", 1),
        media("inbound", "\"1\"", 2),
        media("inbound", "\"2\"", 3),
        media("inbound", "null", 4),
    ];
    let bytes: Vec<u8> = chunks(&mut stream, &frames).iter().map(|(_, byte)| *byte).collect();
    assert_eq!(bytes, [1, 2, 3, 4]);
}

#[test]
fn fault_54_a_key_is_told_whatever_its_track_is_called() {
    let frame = r#"{"event":"dtmf","streamSid":"MZ1","sequenceNumber":"5","dtmf":{"track":"inbound_track","digit":"1"}}"#;
    let mut socket = Socket::new(Door::Twilio, "");
    let mut stream = Stream::new();
    socket.tell_all(told(&mut stream, START));
    assert_eq!(pieces(&socket.tell_all(told(&mut stream, frame))), [Piece::Dtmf('1')]);
    assert_eq!(told(&mut stream, r#"{"event":"mark","streamSid":"MZ1","mark":{"name":"m1"}}"#), []);
}

#[test]
fn what_cannot_be_read_is_named() {
    let mut stream = Stream::new();
    let opus = START.replace("audio/x-mulaw", "audio/opus");
    assert_eq!(told(&mut stream, &opus), [Told::Unreadable("audio/opus".to_owned())]);
    let broken = media("inbound", "\"1\"", 1).replace("payload\":\"", "payload\":\"!");
    assert_eq!(stream.text(&broken).fault, Some(FrameError::Payload));
    assert!(matches!(stream.text("hola").fault, Some(FrameError::Corrupt { .. })));
}
