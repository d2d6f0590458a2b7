//! Sockets of one forked call: joined, superseded, changed, gone; what the recogniser is given of them.
use super::ears_rig::*;
use aura::call::Input;
use aura::ears::session::{Stream, Streams, Want};
use aura::ears::{Door, Gap, Lack, Layout, Leg, Line, Piece, Track};

const FORK: Door = Door::AudioFork;
const MONO_IN: Layout = Layout::Mono(Track::Inbound);
const MONO_OUT: Layout = Layout::Mono(Track::Outbound);

#[test]
fn two_mono_forks_join_and_stay_aligned() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.plug(2, FORK, MONO_OUT);
    for at in 0..500 {
        rig.wait(14);
        rig.send(1, 8000, &[IN], 20);
        rig.wait(if at % 7 == 0 { 0 } else { 6 });
        rig.send(2, 8000, &[OUT], 20);
        rig.wait(if at % 7 == 0 { 6 } else { 0 });
    }
    let (inbound, outbound) = (rig.audio(Stream::Joined, 0), rig.audio(Stream::Joined, 1));
    assert_eq!(inbound, rig.sent[0]);
    assert_eq!(outbound, rig.sent[1]);
    assert_eq!(rig.gaps(), []);
    assert_eq!(rig.count(&Want::Open { stream: Stream::Joined, rate: 8000 }), 1);
    assert_eq!(rig.count(&Want::Carried), 1);
}

#[test]
fn two_mono_forks_go_each_to_its_own_link() {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(7, FORK, MONO_OUT);
    rig.plug(3, FORK, MONO_IN);
    for _ in 0..100 {
        rig.talk(3, &[IN], 20);
        rig.send(7, 8000, &[OUT], 20);
    }
    assert_eq!(rig.audio(Stream::Of(IN), 0), rig.sent[0]);
    assert_eq!(rig.audio(Stream::Of(OUT), 0), rig.sent[1]);
}

#[test]
fn a_track_that_comes_later_stands_where_it_was_spoken() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.talk(1, &[IN], 3000);
    rig.plug(2, FORK, MONO_OUT);
    for _ in 0..100 {
        rig.talk(1, &[IN], 20);
        rig.send(2, 8000, &[OUT], 20);
    }
    assert_eq!(rig.audio(Stream::Joined, 0), rig.sent[0], "no silence for one who speaks");
    let outbound = rig.audio(Stream::Joined, 1);
    let silence = outbound.iter().take_while(|sample| **sample == 0).count() as u64 / 8;
    assert!(near_ms(silence, 3000, 40), "{silence}");
    assert_eq!(rig.loud(Stream::Joined, 1), rig.sent[1]);
    assert_eq!(rig.gaps(), []);
}

#[test]
fn silence_stands_in_for_a_track_that_is_far_behind_and_no_sample_is_lost() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.plug(2, FORK, MONO_OUT);
    for at in 0..300 {
        rig.talk(1, &[IN], 20);
        if !(100..150).contains(&at) {
            rig.send(2, 8000, &[OUT], 20);
        }
    }
    rig.wait(1000);
    assert_eq!(rig.audio(Stream::Joined, 0), rig.sent[0]);
    assert_eq!(rig.loud(Stream::Joined, 1), rig.sent[1]);
    assert!(near_ms(rig.length(Stream::Joined), 6000, 260));
}

#[test]
fn a_48_khz_leg_beside_one_of_8_khz_stays_beside_it() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.plug(2, FORK, MONO_OUT);
    for _ in 0..500 {
        rig.wait(20);
        rig.send(1, 8000, &[IN], 20);
        rig.send(2, 48_000, &[OUT], 20);
    }
    assert_eq!(rig.gaps(), []);
    let inbound = rig.audio(Stream::Joined, 0);
    assert_eq!(inbound, rig.sent[0][..inbound.len()], "the resampler's lag is no silence for the other leg");
    assert!(near_ms(rig.length(Stream::Joined), 10_000, 60), "{}", rig.length(Stream::Joined));
}

#[test]
fn fault_57_another_rate_in_mid_stream_goes_on_in_place() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, Layout::Stereo);
    for rate in [8000, 16_000, 8000, 48_000] {
        for _ in 0..100 {
            rig.wait(20);
            rig.send(1, rate, &[IN, OUT], 20);
        }
    }
    rig.step(aura::ears::session::Session::end);
    let length = rig.length(Stream::Joined);
    assert!((8000..8060).contains(&length), "samples were swallowed: {length} ms of 8000");
    assert_eq!(rig.gaps(), []);
}

/// What a resampler still holds of the old rate is the end of a word.
#[test]
fn fault_57_the_last_word_before_another_rate_is_heard_to_its_end() {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(1, FORK, MONO_IN);
    let piece = |rate: u32, loud: usize| {
        let mut inbound = vec![0; rate as usize / 50];
        let quiet = inbound.len() - loud;
        for (at, sample) in inbound[quiet..].iter_mut().enumerate() {
            *sample = if at % 32 < 16 { 8000 } else { -8000 };
        }
        Piece::Samples { rate, inbound, outbound: Vec::new() }
    };
    let power = |rig: &Rig| -> f64 {
        rig.audio(Stream::Of(IN), 0).iter().map(|sample| f64::from(*sample).powi(2)).sum()
    };
    rig.piece(1, piece(8000, 0));
    rig.wait(20);
    rig.piece(1, piece(16_000, 96));
    let held = power(&rig);
    rig.wait(20);
    rig.piece(1, piece(8000, 0));
    assert!(power(&rig) > held + 1e9, "{held} and {}", power(&rig));
}

#[test]
fn fault_50_the_newest_socket_wins_and_the_older_one_is_heard_no_more() {
    for streams in [Streams::Joined, Streams::Apart] {
        let mut rig = Rig::new(streams);
        rig.plug(1, FORK, Layout::Stereo);
        rig.talk(1, &[IN, OUT], 500);
        let before = rig.sent.clone();
        rig.plug(2, FORK, Layout::Stereo);
        assert_eq!(rig.count(&Want::Supersede { socket: 1 }), 1);
        // The old one's audio, lines, holds and goodbyes change nothing.
        rig.send(1, 8000, &[IN, OUT], 20);
        rig.line(1, Line { leg: Leg::Patient, text: "doble".to_owned(), done: true });
        rig.piece(1, Piece::Hold(true));
        rig.piece(1, Piece::Changed { layout: Layout::Stereo, patient: OUT });
        rig.piece(1, Piece::HungUp);
        rig.unplug(1);
        rig.sent = before;
        rig.talk(2, &[IN, OUT], 500);
        for track in Track::ALL {
            let (stream, channel) = match streams {
                Streams::Joined => (Stream::Joined, track.channel()),
                _ => (Stream::Of(track), 0),
            };
            assert_eq!(rig.audio(stream, channel), rig.sent[track.channel()], "{track:?}");
        }
        assert_eq!(rig.lines().len(), 0);
        assert_eq!(rig.gaps(), [], "nobody was away");
        assert!(!rig.session.is_over());
        assert_eq!(rig.count(&Want::Deserted { clean: false }), 0);
    }
}

#[test]
fn fault_50_a_fork_of_one_leg_replaces_that_leg_only() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.plug(2, FORK, MONO_OUT);
    rig.plug(3, FORK, MONO_OUT);
    assert_eq!(rig.count(&Want::Supersede { socket: 2 }), 1);
    assert_eq!(rig.count(&Want::Supersede { socket: 1 }), 0);
    for _ in 0..50 {
        rig.talk(1, &[IN], 20);
        rig.send(3, 8000, &[OUT], 20);
    }
    assert_eq!(rig.audio(Stream::Joined, 0), rig.sent[0]);
    assert_eq!(rig.audio(Stream::Joined, 1), rig.sent[1]);
}

/// Metadata that come late say that it is the operator's leg: then the patient's own fork is no second one.
#[test]
fn fault_48_a_fork_whose_leg_is_told_late_makes_room_for_the_other_one() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.piece(1, Piece::Changed { layout: MONO_OUT, patient: IN });
    rig.plug(2, FORK, MONO_IN);
    assert_eq!(rig.count(&Want::Supersede { socket: 1 }), 0);
    for _ in 0..50 {
        rig.talk(2, &[IN], 20);
        rig.send(1, 8000, &[OUT], 20);
    }
    assert_eq!(rig.audio(Stream::Joined, 0), rig.sent[0]);
    assert_eq!(rig.audio(Stream::Joined, 1), rig.sent[1]);
    assert_eq!(rig.gaps(), [], "the first audio of all: nothing was lost before it");
}

#[test]
fn asterisk_stays_asterisk_when_its_leg_is_told_late() {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(1, Door::Asterisk, MONO_IN);
    rig.piece(1, Piece::Changed { layout: MONO_OUT, patient: IN });
    rig.talk(1, &[OUT], 1000);
    rig.wait(10_000);
    rig.talk(1, &[OUT], 3000);
    assert_eq!(rig.gaps(), [], "it sends nothing while nobody speaks");
    assert!(rig.length(Stream::Of(OUT)) >= 5800, "silence stood in");
}

#[test]
fn music_on_hold_is_not_recognised_but_the_patient_is() {
    for patient in Track::ALL {
        let mut rig = Rig::new(Streams::Joined);
        rig.plug_for(1, FORK, Layout::Stereo, patient);
        rig.talk(1, &[IN, OUT], 1000);
        rig.piece(1, Piece::Hold(true));
        rig.talk(1, &[IN, OUT], 1000);
        rig.piece(1, Piece::Hold(false));
        rig.talk(1, &[IN, OUT], 1000);
        let other = patient.other().channel();
        assert_eq!(rig.audio(Stream::Joined, patient.channel()), rig.sent[patient.channel()]);
        let mut expected = rig.sent[other].clone();
        expected[8000..16_000].fill(0);
        assert_eq!(rig.audio(Stream::Joined, other), expected);
        let holds: Vec<&Input> = rig.told().filter(|input| matches!(input, Input::Hold(_))).collect();
        assert_eq!(holds, [&Input::Hold(true), &Input::Hold(false)]);
    }
}

#[test]
fn a_socket_that_comes_back_is_the_same_call_and_the_gap_is_marked() {
    for streams in [Streams::Joined, Streams::Apart] {
        let mut rig = Rig::new(streams);
        rig.plug(1, FORK, Layout::Stereo);
        rig.talk(1, &[IN, OUT], 2000);
        rig.unplug(1);
        assert_eq!(rig.count(&Want::Deserted { clean: false }), 1);
        rig.wait(5000);
        rig.plug(2, FORK, Layout::Stereo);
        assert_eq!(rig.count(&Want::Carried), 2);
        rig.talk(2, &[IN, OUT], 4000);
        let opened = rig.wants.iter().filter(|(_, want)| matches!(want, Want::Open { .. })).count();
        assert_eq!(opened, if streams == Streams::Joined { 1 } else { 2 }, "the same links");
        let gaps = rig.gaps();
        assert_eq!(gaps.len(), 2, "one for each track, and none of another kind: {gaps:?}");
        for (gap, track) in gaps.into_iter().zip(Track::ALL) {
            assert_eq!((gap.track, gap.why), (Some(track), Lack::Lost));
            assert!(near_ms(gap.from_ms, 2000, 25) && near_ms(gap.to_ms, 7000, 25), "{gap:?}");
        }
    }
}

#[test]
fn a_socket_that_flaps_leaves_one_gap_from_the_beginning() {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(1, FORK, MONO_IN);
    rig.talk(1, &[IN], 2000);
    rig.unplug(1);
    for socket in 2..6 {
        rig.wait(1000);
        rig.plug(socket, FORK, MONO_IN);
        rig.wait(100);
        rig.unplug(socket);
    }
    rig.plug(9, FORK, MONO_IN);
    rig.talk(9, &[IN], 2000);
    let gaps = rig.gaps();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(near_ms(gaps[0].from_ms, 2000, 25) && near_ms(gaps[0].to_ms, 6400, 25), "{gaps:?}");
}

/// A dead peer is noticed late: what it would have sent is missing from its last audio on.
#[test]
fn a_gap_begins_with_the_last_audio_not_when_the_loss_was_noticed() {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(1, FORK, MONO_IN);
    rig.talk(1, &[IN], 2000);
    rig.wait(20_000);
    rig.unplug(1);
    rig.wait(3000);
    rig.plug(2, FORK, MONO_IN);
    rig.talk(2, &[IN], 3000);
    let gaps = rig.gaps();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(near_ms(gaps[0].from_ms, 2000, 25) && near_ms(gaps[0].to_ms, 25_000, 25), "{gaps:?}");
}

#[test]
fn one_leg_away_is_a_gap_of_that_leg_and_the_other_one_goes_on() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, FORK, MONO_IN);
    rig.plug(2, FORK, MONO_OUT);
    for _ in 0..100 {
        rig.talk(1, &[IN], 20);
        rig.send(2, 8000, &[OUT], 20);
    }
    rig.unplug(2);
    rig.talk(1, &[IN], 3000);
    rig.plug(3, FORK, MONO_OUT);
    for _ in 0..100 {
        rig.talk(1, &[IN], 20);
        rig.send(3, 8000, &[OUT], 20);
    }
    assert_eq!(rig.audio(Stream::Joined, 0), rig.sent[0]);
    assert_eq!(rig.loud(Stream::Joined, 1), rig.sent[1]);
    let gaps = rig.gaps();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    let Gap { track, from_ms, to_ms, why } = gaps[0];
    assert_eq!((track, why), (Some(OUT), Lack::Lost));
    assert!(near_ms(from_ms, 2000, 25) && near_ms(to_ms, 5000, 25), "{gaps:?}");
    assert_eq!(rig.count(&Want::Deserted { clean: false }), 0);
}
