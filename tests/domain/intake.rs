//! A socket's intake: which call it is, whose leg, and when that is known.
use crate::intake_kit::{Socket, bytes, heard, opened, pieces};
use aura::ears::intake::{IntakeOut, Refusal};
use aura::ears::{Door, Layout, Leg, Line, Piece, Told, Track, call_id};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

fn samples(len: i16) -> Vec<i16> {
    (1..=len).collect()
}

#[test]
fn metadata_opens_the_call_and_audio_follows() {
    let mut socket = Socket::new(Door::AudioFork, "");
    let out = socket.text(r#"{"sampleRate":16000,"mixType":"stereo","callSid":"C1","leg":"patient"}"#);
    let fork = opened(&out);
    assert_eq!((fork.call.as_str(), fork.layout, fork.patient), ("C1", Layout::Stereo, Track::Inbound));
    assert_eq!(out.len(), 1);
    let out = socket.audio(&bytes(&[1, -1, 2, -2]));
    let piece = Piece::Samples { rate: 16_000, inbound: vec![1, 2], outbound: vec![-1, -2] };
    assert_eq!(out, [IntakeOut::Piece(piece)]);
    assert_eq!(socket.intake.deadline(), None);
}

#[test]
fn fault_48_audio_before_metadata_is_kept_and_read_as_they_say() {
    let mut socket = Socket::new(Door::AudioFork, "");
    let all = bytes(&samples(400));
    assert!(socket.audio(&all[..401]).is_empty());
    assert!(socket.audio(&all[401..]).is_empty());
    let out = socket.text(r#"{"callSid":"C1","sampleRate":16000,"mixType":"stereo"}"#);
    assert_eq!(opened(&out).layout, Layout::Stereo);
    let (inbound, outbound) = heard(&out);
    assert_eq!((inbound.len(), outbound.len()), (200, 200));
    assert_eq!((inbound[..2].to_vec(), outbound[..2].to_vec()), (vec![1, 3], vec![2, 4]));
}

#[test]
fn fault_48_metadata_that_never_come_open_a_call_of_its_own_after_two_seconds() {
    let mut socket = Socket::new(Door::AudioFork, "");
    let all = samples(160);
    assert!(socket.audio(&bytes(&all)).is_empty());
    assert_eq!(socket.intake.deadline(), Some(socket.now + 2_000 * MS));
    assert!(socket.wait(1_999 * MS).is_empty());
    let out = socket.wait(MS);
    let fork = opened(&out);
    assert_eq!((fork.call.as_str(), fork.layout), ("spare", Layout::Mono(Track::Inbound)));
    assert_eq!(heard(&out), (all, vec![]));
}

#[test]
fn fault_48_more_audio_than_two_seconds_does_not_wait() {
    let mut socket = Socket::new(Door::AudioFork, "rate=8000&ch=1");
    let second = vec![7; 8_000];
    assert!(socket.audio(&bytes(&second)).is_empty());
    let out = socket.audio(&bytes(&second));
    assert_eq!(opened(&out).call.as_str(), "spare");
    assert_eq!(heard(&out).0.len(), 16_000);
}

#[test]
fn fault_48_metadata_without_an_id_wait_for_one_and_then_do_without() {
    let mut socket = Socket::new(Door::AudioFork, "");
    assert!(socket.text(r#"{"direction":"outbound","to":"+5491140000000","mixType":"stereo"}"#).is_empty());
    let out = socket.wait(2_000 * MS);
    let fork = opened(&out);
    assert_eq!((fork.call.as_str(), fork.layout), ("spare", Layout::Stereo));
    assert_eq!(fork.metadata.phone.as_deref(), Some("+5491140000000"));

    let mut socket = Socket::new(Door::AudioFork, "");
    socket.text(r#"{"mixType":"stereo"}"#);
    let out = socket.text(r#"{"callSid":"C9"}"#);
    assert_eq!((opened(&out).call.as_str(), opened(&out).layout), ("C9", Layout::Stereo));
}

#[test]
fn fault_48_late_metadata_is_a_piece_and_may_move_the_leg() {
    let mut socket = Socket::new(Door::AudioFork, "call=C1&rate=8000&ch=2");
    let out = socket.audio(&bytes(&[1, 2]));
    assert_eq!(opened(&out).patient, Track::Inbound);
    let out = socket.text(r#"{"callSid":"other","leg":"operator","extension":"204"}"#);
    let told = pieces(&out);
    assert!(matches!(&told[0], Piece::Metadata(m) if m.extension.as_deref() == Some("204")));
    assert_eq!(told[1..], [Piece::Changed { layout: Layout::Stereo, patient: Track::Outbound }]);
}

#[test]
fn the_url_names_the_call_whatever_else_is_told() {
    let mut socket = Socket::new(Door::AudioFork, "call=C1");
    // How the audio is to be read isn't known yet.
    assert!(socket.audio(&bytes(&[1, 2])).is_empty());
    let out = socket.text(r#"{"callSid":"other","mixType":"stereo"}"#);
    assert_eq!((opened(&out).call.as_str(), heard(&out)), ("C1", (vec![1], vec![2])));
}

#[test]
fn plain_drachtio_announces_nothing_and_is_taken_as_8_khz_mono() {
    let mut socket = Socket::new(Door::AudioFork, "call=C1");
    socket.audio(&bytes(&[1, 2]));
    let out = socket.wait(2_000 * MS);
    assert_eq!(pieces(&out), [Piece::Samples { rate: 8_000, inbound: vec![1, 2], outbound: vec![] }]);
}

#[test]
fn two_mono_forks_of_one_call_meet_whoever_each_is() {
    let fork = |frame: &str| {
        let mut socket = Socket::new(Door::AudioFork, "");
        let mut out = socket.text(frame);
        out.extend(socket.audio(&bytes(&[5])));
        (opened(&out).call.clone(), opened(&out).layout, opened(&out).patient, heard(&out))
    };
    let one = fork(r#"{"callSid":"A","bridgeId":"b@10.0.0.1","role":"patient","mixType":"mono"}"#);
    let two = fork(r#"{"callSid":"B","bridgeId":"b@10.0.0.1","role":"operator","mixType":"mono"}"#);
    assert_eq!(one.0, two.0);
    assert_eq!((one.1, two.1), (Layout::Mono(Track::Inbound), Layout::Mono(Track::Outbound)));
    assert_eq!((one.2, two.2), (Track::Inbound, Track::Inbound));
    assert_eq!((one.3, two.3), ((vec![5], vec![]), (vec![], vec![5])));
}

#[test]
fn the_doors_setting_says_whose_leg_it_is_where_nobody_else_does() {
    let open = |query: &str, frame: &str| {
        let mut socket = Socket::with_default(Door::AudioFork, query, Track::Outbound);
        let out = socket.text(frame);
        (opened(&out).layout, opened(&out).patient)
    };
    assert_eq!(open("ch=2", r#"{"callSid":"C"}"#), (Layout::Stereo, Track::Outbound));
    assert_eq!(open("ch=1", r#"{"callSid":"C"}"#), (Layout::Mono(Track::Outbound), Track::Inbound));
    assert_eq!(open("ch=2&leg=patient", r#"{"callSid":"C"}"#), (Layout::Stereo, Track::Inbound));
    assert_eq!(open("ch=mixed", r#"{"callSid":"C"}"#), (Layout::Mixed, Track::Inbound));
}

#[test]
fn a_nil_id_is_a_probe_and_starts_no_call() {
    let nil = "00000000-0000-0000-0000-000000000000";
    let mut socket = Socket::new(Door::AudioFork, "");
    socket.audio(&[0; 320]);
    assert_eq!(socket.text(&format!(r#"{{"callSid":"{nil}"}}"#)), [IntakeOut::Probe]);
    assert!(socket.audio(&[0; 320]).is_empty());
    assert!(socket.intake.is_over() && socket.intake.deadline().is_none());
    let mut socket = Socket::new(Door::AudioFork, &format!("call={nil}&rate=8000"));
    assert_eq!(socket.audio(&[0; 320]), [IntakeOut::Probe]);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    let mut socket = Socket::new(Door::AudioFork, "");
    let out = socket.text(r#"{"callSid":"C1","sampleRate":4000}"#);
    assert!(matches!(&out[..], [IntakeOut::Refuse { reason: Refusal::Rate(bad) }] if bad.rate == 4_000));
    let mut socket = Socket::new(Door::Asterisk, "call=C1");
    let out = socket.tell(Told::Unreadable("opus".to_owned()));
    let [IntakeOut::Refuse { reason }] = &out[..] else { panic!("not refused: {out:?}") };
    assert!(reason.to_string().contains("opus"));
    assert!(socket.audio(&[1, 2]).is_empty());
}

#[test]
fn a_socket_that_says_nothing_is_given_up() {
    let mut socket = Socket::new(Door::AudioFork, "call=C1&rate=8000");
    assert_eq!(socket.intake.deadline(), Some(socket.now + 30_000 * MS));
    assert_eq!(socket.wait(30_000 * MS), [IntakeOut::Refuse { reason: Refusal::Silent }]);
}

#[test]
fn fault_54_keys_before_metadata_come_after_the_fork_each_once() {
    let mut socket = Socket::new(Door::AudioFork, "");
    for key in ["1", "1", "#"] {
        assert!(socket.text(&format!(r#"{{"event":"dtmf","dtmf":"{key}","duration":480}}"#)).is_empty());
        socket.now += 40 * MS;
    }
    let out = socket.text(r#"{"callSid":"C1"}"#);
    opened(&out);
    assert_eq!(pieces(&out), [Piece::Dtmf('1'), Piece::Dtmf('1'), Piece::Dtmf('#')]);
    assert_eq!(pieces(&socket.text(r#"{"type":"dtmf","digit":7}"#)), [Piece::Dtmf('7')]);
}

#[test]
fn the_end_of_the_audio_is_not_the_end_of_the_call() {
    let mut socket = Socket::new(Door::AudioFork, "");
    socket.text(r#"{"callSid":"C1"}"#);
    assert_eq!(pieces(&socket.audio(&[])), [Piece::Finished]);
    // Each writable moment of the switch brings another one, and nothing that comes counts.
    assert!(socket.audio(&[]).is_empty() && socket.audio(&[1, 0]).is_empty());
    assert_eq!(pieces(&socket.text(r#"{"event":"hangup"}"#)), [Piece::HungUp]);
    assert!(socket.intake.is_over());
    assert!(socket.text(r#"{"event":"dtmf","dtmf":"1"}"#).is_empty());
}

#[test]
fn an_end_before_the_id_loses_nothing_that_was_heard() {
    let mut socket = Socket::new(Door::AudioFork, "");
    socket.audio(&bytes(&[3]));
    let out = socket.audio(&[]);
    assert_eq!((opened(&out).call.as_str(), heard(&out).0), ("spare", vec![3]));
    assert_eq!(pieces(&out).last(), Some(&Piece::Finished));
    let mut socket = Socket::new(Door::AudioFork, "");
    assert!(socket.text(r#"{"event":"hangup"}"#).is_empty());
    assert!(socket.intake.is_over());
}

#[test]
fn a_line_of_a_track_is_said_by_whose_leg_it_is() {
    let line = |query: &str, track: &str| {
        let mut socket = Socket::new(Door::AudioFork, query);
        socket.text(r#"{"callSid":"C1"}"#);
        let frame = format!(r#"{{"type":"transcript","track":"{track}","text":"hola","final":false}}"#);
        pieces(&socket.text(&frame))
    };
    let said = |leg| vec![Piece::Line(Line { leg, text: "hola".to_owned(), done: false })];
    assert_eq!(line("", "inbound"), said(Leg::Patient));
    assert_eq!(line("", "outbound"), said(Leg::Operator));
    assert_eq!(line("leg=operator", "inbound"), said(Leg::Operator));
    assert_eq!(line("leg=operator&ch=2", "outbound"), said(Leg::Patient));
}

#[test]
fn hold_and_bridge_reach_the_ears() {
    let mut socket = Socket::new(Door::AudioFork, "");
    socket.text(r#"{"callSid":"C1"}"#);
    let out = socket.text(r#"{"event":"hold"}{"event":"unhold"}{"event":"bridge"}"#);
    assert_eq!(pieces(&out), [Piece::Hold(true), Piece::Hold(false), Piece::Bridged]);
}

#[test]
fn what_waits_for_an_id_is_bounded() {
    let mut socket = Socket::new(Door::AudioFork, "");
    let out: Vec<IntakeOut> =
        (0..1_024).flat_map(|_| socket.text(r#"{"event":"dtmf","dtmf":"1"}"#)).collect();
    assert_eq!(opened(&out).call.as_str(), "spare");
    assert_eq!(pieces(&out).len(), 1_024);
}

#[test]
fn variables_are_bounded_however_many_messages_bring_them() {
    let mut socket = Socket::new(Door::AudioFork, "");
    for n in 0..60 {
        socket.text(&format!(r#"{{"v{n}":"{}"}}"#, "x".repeat(900)));
    }
    let out = socket.text(r#"{"callSid":"C1"}"#);
    let variables = &opened(&out).metadata.variables;
    assert_eq!(variables.len(), 32);
    assert!(variables.values().all(|value| value.len() == 300));
}

#[test]
fn foreign_ids_become_ours_and_stay_apart() {
    assert_eq!(call_id("CA12").unwrap().as_str(), "CA12");
    let (one, two) = (call_id("a@1;x").unwrap(), call_id("a;1@x").unwrap());
    assert_ne!(one, two);
    assert_eq!(Some(one), call_id(" a@1;x "));
    let long = "ñ".repeat(300);
    assert!(call_id(&long).unwrap().as_str().len() <= 128);
    assert_ne!(call_id(&long), call_id(&"ñ".repeat(301)));
    assert_eq!((call_id("  "), call_id(&"x".repeat(1_025))), (None, None));
}
