//! Doors that anybody may knock at: whatever comes, nothing breaks and nothing grows.
use crate::intake_kit::{Socket, heard};
use aura::ears::intake::IntakeOut;
use aura::ears::{Door, Told};
use aura::protocol::asterisk::audiosocket::AudioSocket;
use aura::protocol::asterisk::websocket;
use aura::protocol::audio_fork;
use aura::protocol::pbx::query;
use aura::protocol::twilio::Stream;
use std::time::Duration;

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

const FRAMES: [&str; 6] = [
    r#"{"sampleRate":16000,"mixType":"stereo","callSid":"C1","direction":"inbound","customerData":{"a":"b"}}"#,
    r#"{"event":"dtmf","dtmf":"5","duration":1280}{"event":"hold"}{"type":"transcript","leg":"patient","text":"ñandú"}"#,
    r#"{"event":"start","start":{"callSid":"CA1","tracks":["inbound","outbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000}}}"#,
    r#"{"event":"media","media":{"track":"inbound","chunk":"7","payload":"AAAA"}}"#,
    "MEDIA_START connection_id:aura channel_id:1796069421.12 format:slin optimal_frame_size:320 ptime:20",
    "rate=8000&ch=2&call=a%40b&leg=operator&patient=%2B549",
];

fn damaged(dice: &mut Dice) -> String {
    let mut bytes = FRAMES[dice.below(FRAMES.len())].as_bytes().to_vec();
    for _ in 0..dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(3) {
            0 => bytes[at] = dice.below(256) as u8,
            1 => bytes.truncate(at.max(1)),
            _ => bytes.insert(at, b"{}[]\"\\:,0"[dice.below(9)]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_frames_break_no_door_and_no_intake() {
    let mut dice = Dice(0x9e37_79b9);
    let mut open = 0;
    for round in 0..400 {
        let door = [Door::AudioFork, Door::Twilio, Door::Asterisk][round % 3];
        let mut socket = Socket::new(door, "");
        let mut twilio = Stream::new();
        let mut out = Vec::new();
        for _ in 0..25 {
            let frame = damaged(&mut dice);
            let _ = query(&frame);
            let decoded = match door {
                Door::Twilio => twilio.text(&frame),
                Door::Asterisk => websocket::text(&frame),
                _ => audio_fork::text(&frame),
            };
            out.extend(socket.tell_all(decoded.told));
            out.extend(socket.audio(&vec![1; dice.below(700) + 1]));
            out.extend(socket.wait(Duration::from_millis(dice.below(300) as u64)));
        }
        let ends = out.iter().filter(|out| !matches!(out, IntakeOut::Piece(_))).count();
        let late =
            out.iter().skip(1).filter(|out| matches!(out, IntakeOut::Open(_) | IntakeOut::Probe)).count();
        assert!(ends <= 2 && late == 0, "a fork comes first and once: {out:?}");
        open += usize::from(matches!(out.first(), Some(IntakeOut::Open(_))));
    }
    assert!(open > 200, "only {open} of 400 sockets were heard at all");
}

#[test]
fn an_audiosocket_holds_one_frame_at_most() {
    let mut dice = Dice(7);
    for _ in 0..300 {
        let mut tcp = AudioSocket::new(true);
        let mut told: Vec<Told> = Vec::new();
        let mut fed = 0;
        for _ in 0..50 {
            let bytes: Vec<u8> =
                (0..dice.below(40)).map(|_| [0, 1, 3, 0x10, 0x18, 0xff][dice.below(6)]).collect();
            fed += bytes.len();
            let decoded = tcp.push(&bytes);
            told.extend(decoded.told);
            if decoded.fault.is_some() {
                assert!(tcp.push(&[0, 0, 0]).told.is_empty(), "nothing is read after a fault");
                break;
            }
        }
        assert!(told.len() <= fed, "more was told than came");
    }
}

#[test]
fn no_cut_of_the_audio_changes_it() {
    let mut dice = Dice(99);
    for _ in 0..50 {
        let samples: Vec<u8> = (0..8_000).map(|_| dice.below(256) as u8).collect();
        let whole = {
            let mut socket = Socket::new(Door::AudioFork, "call=C1&rate=16000&ch=2");
            heard(&socket.audio(&samples))
        };
        let mut socket = Socket::new(Door::AudioFork, "call=C1&rate=16000&ch=2");
        let mut out = Vec::new();
        let mut rest = &samples[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at((dice.below(1_300) + 1).min(rest.len()));
            out.extend(socket.audio(now));
            rest = later;
        }
        assert_eq!(heard(&out), whole);
    }
}
