//! A socket's audio: every sample once, on its track, in pieces of a bounded length.
use crate::intake_kit::{Socket, bytes, heard, opened, pieces, stereo};
use aura::ears::intake::IntakeOut;
use aura::ears::{Door, Layout, Piece, Track};
use std::time::Duration;

fn fork(frame: &str) -> Socket {
    let mut socket = Socket::new(Door::AudioFork, "");
    opened(&socket.text(frame));
    socket
}

fn stereo_fork() -> Socket {
    fork(r#"{"callSid":"C1","sampleRate":8000,"mixType":"stereo"}"#)
}

/// Something like speech: noise in syllables, with pauses.
fn speech(seed: u32, len: usize) -> Vec<i16> {
    let mut state = seed;
    let mut last = 0.0;
    (0..len)
        .map(|n| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = f64::from(state >> 16) - 32_768.0;
            last = 0.7 * last + 0.3 * noise;
            let syllable =
                (n as f64 / 8_000.0 * std::f64::consts::TAU * 3.0 + f64::from(seed)).sin().max(0.0);
            (last * syllable * 0.5) as i16
        })
        .collect()
}

fn duplicated(out: &[IntakeOut]) -> usize {
    pieces(out).iter().filter(|piece| **piece == Piece::Duplicated).count()
}

#[test]
fn fault_51_odd_frames_lose_no_byte() {
    let mut socket = stereo_fork();
    let (inbound, outbound) = (speech(1, 4_000), speech(2, 4_000));
    let all = stereo(&inbound, &outbound);
    let mut out = Vec::new();
    let mut at = 0;
    for size in [321, 319, 642, 1, 2, 3].iter().cycle() {
        let end = (at + size).min(all.len());
        out.extend(socket.audio(&all[at..end]));
        at = end;
        if at == all.len() {
            break;
        }
    }
    assert_eq!(heard(&out), (inbound, outbound));
    assert!(socket.intake.carried() > 0);
}

#[test]
fn fault_52_one_frame_of_128_000_bytes_is_many_pieces() {
    let mut socket = fork(r#"{"callSid":"C1","sampleRate":16000,"mixType":"stereo"}"#);
    let (inbound, outbound) = (speech(1, 32_000), speech(2, 32_000));
    let frame = stereo(&inbound, &outbound);
    assert_eq!(frame.len(), 128_000);
    let out = socket.audio(&frame);
    for piece in pieces(&out) {
        let Piece::Samples { rate, inbound, outbound } = piece else { panic!("{piece:?}") };
        assert!(rate == 16_000 && inbound.len() == outbound.len() && inbound.len() <= 3_200);
    }
    assert_eq!(out.len(), 10);
    assert_eq!(heard(&out), (inbound, outbound));
}

#[test]
fn fault_57_a_pause_of_ten_seconds_changes_nothing() {
    let mut socket = stereo_fork();
    // Paused in the middle of a group of samples.
    let mut out = socket.audio(&bytes(&[1, -1, 2, -2])[..5]);
    assert!(socket.wait(Duration::from_secs(10)).is_empty());
    out.extend(socket.audio(&bytes(&[1, -1, 2, -2])[5..]));
    assert_eq!(heard(&out), (vec![1, 2], vec![-1, -2]));
}

#[test]
fn fault_57_a_rate_that_changes_in_mid_stream_holds_from_there() {
    let mut socket = fork(r#"{"callSid":"C1","sampleRate":8000}"#);
    let rate = |out: Vec<IntakeOut>| match &pieces(&out)[..] {
        [Piece::Samples { rate, .. }] => *rate,
        other => panic!("{other:?}"),
    };
    assert_eq!(rate(socket.audio(&[0; 320])), 8_000);
    let out = socket.text(r#"{"sampleRate":16000}"#);
    assert!(matches!(&pieces(&out)[..], [Piece::Metadata(told)] if told.rate == Some(16_000)));
    assert_eq!(rate(socket.audio(&[0; 640])), 16_000);
    // One that can't be used leaves things as they are.
    socket.text(r#"{"sampleRate":1}"#);
    assert_eq!(rate(socket.audio(&[0; 640])), 16_000);
    let out = socket.text(r#"{"leg":"operator"}"#);
    let changed = Piece::Changed { layout: Layout::Mono(Track::Outbound), patient: Track::Inbound };
    assert_eq!(pieces(&out)[1..], [changed]);
}

#[test]
fn fault_57_channels_that_turn_up_later_are_told() {
    let mut socket = fork(r#"{"callSid":"C1","mixType":"mono"}"#);
    let out = socket.text(r#"{"mixType":"stereo"}"#);
    let changed = Piece::Changed { layout: Layout::Stereo, patient: Track::Inbound };
    assert_eq!(pieces(&out)[1..], [changed]);
    assert_eq!(heard(&socket.audio(&bytes(&[1, 2]))), (vec![1], vec![2]));
}

#[test]
fn fault_62_identical_channels_are_noticed_once_and_one_is_dropped() {
    let mut socket = stereo_fork();
    let voice = speech(1, 80_000);
    let out: Vec<IntakeOut> =
        voice.chunks(160).flat_map(|frame| socket.audio(&stereo(frame, frame))).collect();
    assert_eq!(duplicated(&out), 1);
    let all = pieces(&out);
    let at = all.iter().position(|piece| *piece == Piece::Duplicated).unwrap();
    let both = |piece: &Piece| matches!(piece, Piece::Samples { outbound, .. } if !outbound.is_empty());
    assert!(all[..at].iter().all(both) && !all[at..].iter().any(both));
    assert_eq!(heard(&out).0, voice, "the inbound track loses nothing");
    assert!(at < 250, "noticed after {at} frames of 20 ms");
}

#[test]
fn fault_62_one_huge_frame_is_judged_as_small_ones_are() {
    let voice = speech(1, 80_000);
    let mut socket = stereo_fork();
    assert_eq!(duplicated(&socket.audio(&stereo(&voice, &voice))), 1);
}

#[test]
fn fault_62_silence_proves_nothing() {
    let mut socket = stereo_fork();
    let silence = vec![0; 8_000 * 30];
    assert_eq!(duplicated(&socket.audio(&stereo(&silence, &silence))), 0);
    let hiss: Vec<i16> = speech(3, 8_000 * 10).iter().map(|sample| sample / 200).collect();
    assert_eq!(duplicated(&socket.audio(&stereo(&hiss, &hiss))), 0);
    // And it doesn't hide what comes after it.
    let voice = speech(1, 80_000);
    assert_eq!(duplicated(&socket.audio(&stereo(&voice, &voice))), 1);
}

#[test]
fn fault_62_two_voices_an_echo_or_a_side_tone_are_no_twins() {
    let voice = speech(1, 80_000);
    let other = speech(2, 80_000);
    let mix = |parts: [(&[i16], f64); 2]| -> Vec<i16> {
        let at = |part: &[i16], n: usize| f64::from(part[n]);
        (0..80_000)
            .map(|n| (at(parts[0].0, n) * parts[0].1 + at(parts[1].0, n) * parts[1].1) as i16)
            .collect()
    };
    let late: Vec<i16> = std::iter::repeat_n(0, 120).chain(voice.iter().copied()).take(80_000).collect();
    let quiet = mix([(&voice, 0.3), (&other, 0.0)]);
    let side_tone = mix([(&other, 1.0), (&voice, 0.3)]);
    let silence = vec![0; 80_000];
    for (name, outbound) in [
        ("two voices", &other),
        ("echo", &late),
        ("quieter", &quiet),
        ("side tone", &side_tone),
        ("silence", &silence),
    ] {
        let mut socket = stereo_fork();
        let out = socket.audio(&stereo(&voice, outbound));
        assert_eq!(duplicated(&out), 0, "{name}");
        assert_eq!(heard(&out).1, *outbound, "{name}");
    }
}

#[test]
fn fault_62_a_tone_on_both_sides_and_direct_current_prove_nothing() {
    let ring: Vec<i16> = (0..80_000)
        .map(|n| (8_000.0 * (f64::from(n) * std::f64::consts::TAU * 425.0 / 8_000.0).sin()) as i16)
        .collect();
    let mut socket = stereo_fork();
    assert_eq!(duplicated(&socket.audio(&stereo(&ring, &ring))), 0);
    let raised = |voice: Vec<i16>| -> Vec<i16> { voice.iter().map(|sample| sample / 4 + 6_000).collect() };
    let out = socket.audio(&stereo(&raised(speech(1, 80_000)), &raised(speech(2, 80_000))));
    assert_eq!(duplicated(&out), 0);
}

#[test]
fn fault_62_a_call_that_we_made_does_not_swap_the_legs() {
    let frame = r#"{"callSid":"C1","mixType":"stereo","direction":"outbound","from":"08105550000","to":"+5491140000000"}"#;
    let mut socket = Socket::new(Door::AudioFork, "");
    let out = socket.text(frame);
    let fork = opened(&out);
    assert_eq!((fork.patient, fork.metadata.outbound_call), (Track::Inbound, Some(true)));
    assert_eq!(fork.metadata.phone.as_deref(), Some("+5491140000000"));
    // The PBX dials operators: of such a leg the direction says nothing of the call.
    let frame = r#"{"callSid":"C1","mixType":"stereo","direction":"outbound","leg":"operator","from":"1","to":"204"}"#;
    let out = Socket::new(Door::AudioFork, "").text(frame);
    let fork = opened(&out);
    assert_eq!((fork.patient, fork.metadata.outbound_call), (Track::Outbound, None));
    assert_eq!(fork.metadata.phone, None);
    // The same, where only the URL says whose leg it is.
    let frame = r#"{"callSid":"C1","direction":"outbound","from":"1","to":"204"}"#;
    let out = Socket::new(Door::AudioFork, "ch=2&leg=operator&patient=%2B5491140000000").text(frame);
    let told = &opened(&out).metadata;
    assert_eq!((told.outbound_call, told.phone.as_deref()), (None, Some("+5491140000000")));
}
