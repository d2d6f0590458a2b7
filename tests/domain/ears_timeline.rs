//! Where audio belongs in the call: pauses, stalls, jitter and drift, seen through a session.
use super::ears_rig::*;
use super::noise::Noise;
use aura::ears::session::{Session, Stream, Streams};
use aura::ears::{Door, Gap, Lack, Layout, Track};

const MONO: Layout = Layout::Mono(Track::Inbound);
const LINK: Stream = Stream::Of(Track::Inbound);

fn rig(door: Door) -> Rig {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(1, door, MONO);
    rig
}

/// At what time of the call the recogniser's words are said to be that end with the audio so far.
fn at_ms(rig: &mut Rig) -> u64 {
    let end = rig.length(LINK);
    rig.hears(LINK, IN, "hola", true, (end - 20, end));
    rig.lines().last().unwrap().at_ms
}

#[test]
fn fault_57_ten_seconds_without_audio_are_a_gap_where_they_were() {
    for streams in [Streams::Joined, Streams::Apart] {
        let mut rig = Rig::new(streams);
        rig.plug(1, Door::AudioFork, Layout::Stereo);
        rig.talk(1, &[IN, OUT], 5000);
        rig.wait(10_000);
        rig.talk(1, &[IN, OUT], 5000);
        let gaps = rig.gaps();
        let tracks: Vec<Option<Track>> = gaps.iter().map(|gap| gap.track).collect();
        match streams {
            Streams::Joined => assert_eq!(tracks, [None]),
            _ => assert_eq!(tracks, [Some(IN), Some(OUT)]),
        }
        for Gap { from_ms, to_ms, why, .. } in gaps {
            assert_eq!(why, Lack::Paused);
            assert!(near_ms(from_ms, 5000, 25) && near_ms(to_ms, 15_000, 25), "{from_ms} {to_ms}");
        }
        let (stream, audio) = match streams {
            Streams::Joined => (Stream::Joined, 5000),
            _ => (Stream::Of(OUT), 5000),
        };
        rig.hears(stream, OUT, "antes", true, (4000, 4500));
        rig.hears(stream, OUT, "después", true, (audio + 1000, audio + 1500));
        let finals = rig.lines().into_iter().filter(|line| line.done);
        let times: Vec<u64> = finals.map(|line| line.at_ms).collect();
        assert!(near_ms(times[0], 4000, 25) && near_ms(times[1], 16_000, 25), "{times:?}");
    }
}

#[test]
fn fault_57_two_pauses_one_after_the_other_are_two_gaps() {
    let mut rig = rig(Door::AudioFork);
    rig.talk(1, &[IN], 2000);
    rig.wait(5000);
    rig.talk(1, &[IN], 500);
    rig.wait(5000);
    rig.talk(1, &[IN], 3000);
    let gaps: Vec<(u64, u64)> = rig.gaps().iter().map(|gap| (gap.from_ms, gap.to_ms)).collect();
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    for ((from, to), (expected_from, expected_to)) in gaps.into_iter().zip([(2000, 7000), (7500, 12_500)]) {
        assert!(near_ms(from, expected_from, 45) && near_ms(to, expected_to, 45), "{from} {to}");
    }
}

#[test]
fn a_door_that_sends_nothing_while_nobody_speaks_has_no_gaps_and_some_silence() {
    for door in [Door::Asterisk, Door::AudioSocket] {
        let mut rig = rig(door);
        rig.talk(1, &[IN], 5000);
        rig.wait(10_000);
        let silence = rig.length(LINK) - 5000;
        assert!((1500..=2000).contains(&silence), "{silence} ms");
        rig.talk(1, &[IN], 5000);
        assert_eq!(rig.gaps(), []);
        assert_eq!(rig.loud(LINK, 0), rig.sent[0]);
        assert!(rig.length(LINK) <= 12_000);
        let at = at_ms(&mut rig);
        assert!(near_ms(at, 20_000, 25), "after the pause it is what time it is: {at}");
    }
}

/// Words are timed by a few milliseconds more or less: those right after a pause don't belong before it.
#[test]
fn a_word_that_begins_a_little_before_its_audio_is_not_put_before_the_pause() {
    let mut rig = rig(Door::AudioSocket);
    rig.talk(1, &[IN], 2000);
    rig.wait(60_000);
    let before = rig.length(LINK);
    rig.talk(1, &[IN], 1000);
    rig.hears(LINK, IN, "sí, acá estoy", true, (before - 60, before + 900));
    let at = rig.lines()[0].at_ms;
    assert!(near_ms(at, 62_000, 150), "{at}");
}

#[test]
fn short_pauses_within_speech_get_real_silence_on_such_doors() {
    let mut rig = rig(Door::Asterisk);
    for _ in 0..20 {
        rig.talk(1, &[IN], 1000);
        rig.wait(700);
    }
    assert!(near_ms(rig.length(LINK), 34_000, 300), "{}", rig.length(LINK));
    assert_eq!(rig.gaps(), []);
}

/// Both legs of an Asterisk call: while one of them speaks the other one's silence isn't counted twice.
#[test]
fn one_silent_leg_does_not_make_the_other_one_stutter() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, Door::Asterisk, MONO);
    rig.plug(2, Door::Asterisk, Layout::Mono(OUT));
    for _ in 0..25 {
        rig.talk(1, &[IN], 20);
        rig.send(2, 8000, &[OUT], 20);
    }
    rig.talk(1, &[IN], 6000);
    assert_eq!(rig.audio(Stream::Joined, 0), rig.sent[0][..rig.audio(Stream::Joined, 0).len()]);
    rig.wait(3000);
    assert_eq!(rig.loud(Stream::Joined, 0), rig.sent[0]);
    assert_eq!(rig.loud(Stream::Joined, 1), rig.sent[1]);
    assert!(rig.length(Stream::Joined) <= 6500 + 2100, "{}", rig.length(Stream::Joined));
}

/// The same where the clock that ticks is held up for half a second.
#[test]
fn a_late_tick_does_not_put_silence_into_speech() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, Door::Asterisk, MONO);
    rig.plug(2, Door::Asterisk, Layout::Mono(OUT));
    for _ in 0..25 {
        rig.talk(1, &[IN], 20);
        rig.send(2, 8000, &[OUT], 20);
    }
    for _ in 0..50 {
        rig.now += std::time::Duration::from_millis(20);
        rig.send(1, 8000, &[IN], 20);
    }
    rig.wait(0);
    rig.talk(1, &[IN], 1000);
    let inbound = rig.audio(Stream::Joined, 0);
    assert!(inbound.len() <= rig.sent[0].len(), "{} ms too many", (inbound.len() - rig.sent[0].len()) / 8);
    assert_eq!(inbound, rig.sent[0][..inbound.len()]);
}

#[test]
fn a_stall_of_two_seconds_whose_audio_comes_in_a_burst_is_no_gap_and_no_drift() {
    for streams in [Streams::Joined, Streams::Apart] {
        let mut rig = Rig::new(streams);
        rig.plug(1, Door::AudioFork, Layout::Stereo);
        rig.talk(1, &[IN, OUT], 3000);
        for _ in 0..20 {
            rig.wait(2000);
            for _ in 0..10 {
                rig.send(1, 8000, &[IN, OUT], 200);
            }
            rig.talk(1, &[IN, OUT], 3000);
        }
        assert_eq!(rig.gaps(), []);
        let (stream, end) = match streams {
            Streams::Joined => (Stream::Joined, rig.length(Stream::Joined)),
            _ => (LINK, rig.length(LINK)),
        };
        assert_eq!(end, rig.ms());
        rig.hears(stream, IN, "hola", true, (end - 20, end));
        let at = rig.lines()[0].at_ms;
        assert!(near_ms(at, rig.ms(), 45), "{at}");
    }
}

#[test]
fn a_stall_that_drains_slowly_is_no_gap_either() {
    for faster in [2, 3, 4] {
        let mut rig = rig(Door::AudioFork);
        rig.talk(1, &[IN], 3000);
        rig.wait(2000);
        while rig.length(LINK) + 40 < rig.ms() {
            rig.wait(20);
            rig.send(1, 8000, &[IN], 20 * faster);
        }
        rig.talk(1, &[IN], 3000);
        assert_eq!(rig.gaps(), [], "{faster} times real time");
    }
}

#[test]
fn an_hour_with_jitter_has_no_gap_no_drift_and_no_waste() {
    for streams in [Streams::Joined, Streams::Apart] {
        let mut rig = Rig::new(streams);
        rig.plug(1, Door::AudioFork, Layout::Stereo);
        let (mut noise, mut given, mut worst) = (Noise::default(), 0, 0);
        let stream = if streams == Streams::Joined { Stream::Joined } else { LINK };
        let began = rig.now;
        for block in 1..=36_000_u64 {
            // Each 100 ms are complete 0 to 180 ms late, in order.
            let due = began + std::time::Duration::from_millis(block * 100 + noise.below(180) as u64);
            rig.wait(due.saturating_duration_since(rig.now).as_millis() as u64);
            rig.send(1, 8000, &[IN, OUT], 100);
            given += 100;
            if block % 600 == 0 {
                rig.hears(stream, IN, "hola", true, (given - 100, given));
                let at = rig.lines().last().unwrap().at_ms;
                worst = worst.max(at.abs_diff(block * 100 - 100));
                assert_eq!(rig.gaps(), []);
                rig.wants.clear();
                rig.sent = [Vec::new(), Vec::new()];
            }
        }
        assert!(worst <= 300, "{worst} ms");
    }
}

#[test]
fn a_clock_that_runs_fast_or_slow_stays_within_bounds() {
    for per_second in [990_u64, 1010] {
        let mut rig = rig(Door::AudioFork);
        let mut given = 0;
        for second in 1..=1800_u64 {
            for _ in 0..10 {
                rig.wait(100);
                rig.send(1, 8000, &[IN], per_second / 10);
            }
            given += per_second;
            if second % 30 == 0 {
                rig.hears(LINK, IN, "hola", true, (given - 20, given));
                let at = rig.lines().last().unwrap().at_ms;
                assert!(near_ms(at, second * 1000, 450), "{at} at {second} s");
                rig.wants.clear();
                rig.sent = [Vec::new(), Vec::new()];
            }
        }
    }
}

#[test]
fn what_the_recogniser_lost_is_a_gap_in_the_calls_time() {
    let mut rig = rig(Door::AudioFork);
    rig.wait(700);
    rig.talk(1, &[IN], 2000);
    rig.wait(10_000);
    rig.talk(1, &[IN], 4000);
    let ms = std::time::Duration::from_millis;
    rig.step(|session: &mut Session, _| session.lost(LINK, ms(1000), ms(3000)));
    rig.step(|session: &mut Session, _| session.lost(Stream::Of(OUT), ms(1000), ms(3000)));
    let gaps: Vec<Gap> = rig.gaps().into_iter().filter(|gap| gap.why == Lack::Unrecognised).collect();
    assert_eq!(gaps.len(), 1, "a stream that never was lost nothing");
    assert_eq!(gaps[0].track, Some(IN));
    assert!(near_ms(gaps[0].from_ms, 1700, 25) && near_ms(gaps[0].to_ms, 13_700, 25), "{gaps:?}");
}
