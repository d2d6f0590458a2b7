//! What a session tells of recognised lines, who is the patient, and how a forked call ends.
use super::ears_rig::*;
use aura::call::Input;
use aura::ears::session::{Session, Stream, Streams, Want};
use aura::ears::{Door, Layout, Leg, Line, Piece, Spoken, Track};
use aura::stt::Report;

const LINK: Stream = Stream::Joined;

fn joined() -> Rig {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, Door::AudioFork, Layout::Stereo);
    rig.talk(1, &[IN, OUT], 5000);
    rig
}

fn line(leg: Leg, text: &str, done: bool) -> Line {
    Line { leg, text: text.to_owned(), done }
}

/// (track, utterance, text, done) of each line that was told.
fn brief(lines: &[&Spoken]) -> Vec<(Track, u32, String, bool)> {
    lines.iter().map(|line| (line.track, line.utterance, line.text.clone(), line.done)).collect()
}

#[test]
fn partials_become_a_final_and_the_next_line_has_the_next_number() {
    let mut rig = joined();
    rig.hears(LINK, IN, "mi", false, (1000, 1200));
    rig.hears(LINK, IN, "mi equipo", false, (1000, 1500));
    rig.hears(LINK, OUT, "ajá", true, (1200, 1400));
    rig.hears(LINK, IN, "mi equipo suena", true, (1000, 2000));
    rig.hears(LINK, IN, "y pita", false, (3000, 3500));
    let lines = rig.lines();
    let own = |n: u32, text: &str, done| (IN, n, text.to_owned(), done);
    let expected = [
        own(0, "mi", false),
        own(0, "mi equipo", false),
        (OUT, 0, "ajá".to_owned(), true),
        own(0, "mi equipo suena", true),
        own(1, "y pita", false),
    ];
    // A final may be told as a partial first; that changes nothing.
    let mut told = brief(&lines);
    told.dedup_by(|later, line| {
        !line.3 && later.3 && line.1 == later.1 && line.2 == later.2 && {
            line.3 = true;
            true
        }
    });
    assert_eq!(told, expected);
    for line in lines.iter().filter(|line| line.track == IN) {
        assert!(near_ms(line.at_ms, if line.utterance == 0 { 1000 } else { 3000 }, 25), "{line:?}");
    }
}

#[test]
fn a_late_final_keeps_the_time_at_which_it_was_spoken() {
    let mut rig = joined();
    rig.hears(LINK, OUT, "¿qué le pasa?", true, (3000, 4000));
    rig.wait(2000);
    rig.hears(LINK, IN, "hola", true, (500, 900));
    let times: Vec<u64> = rig.lines().iter().filter(|line| line.done).map(|line| line.at_ms).collect();
    assert!(near_ms(times[0], 3000, 25) && near_ms(times[1], 500, 25), "{times:?}");
}

#[test]
fn lines_of_the_switchs_own_recogniser_keep_their_number_and_the_time_at_which_they_began() {
    let mut rig = Rig::new(Streams::None);
    rig.plug(1, Door::AudioFork, Layout::Stereo);
    rig.wait(1000);
    rig.line(1, line(Leg::Patient, "me", false));
    rig.wait(2000);
    rig.line(1, line(Leg::Operator, "ajá", true));
    rig.wait(2000);
    rig.line(1, line(Leg::Patient, "me suena", false));
    rig.line(1, line(Leg::Patient, "me suena la alarma", true));
    rig.wait(1000);
    rig.line(1, line(Leg::Patient, "ahora no", true));
    let lines = rig.lines();
    let patient: Vec<&&Spoken> = lines.iter().filter(|line| line.track == IN).collect();
    assert!(patient[..3].iter().all(|line| line.utterance == patient[0].utterance && line.at_ms == 1000));
    assert_ne!(patient[3].utterance, patient[0].utterance);
    assert_eq!(patient[3].at_ms, 6000);
    assert_eq!(lines.iter().find(|line| line.track == OUT).unwrap().at_ms, 3000);
    assert_eq!(rig.wants.iter().filter(|(_, want)| matches!(want, Want::Open { .. })).count(), 0);
}

#[test]
fn numbers_go_on_after_a_reconnection() {
    for streams in [Streams::Joined, Streams::None] {
        let mut rig = Rig::new(streams);
        let mut numbers = Vec::new();
        for round in 0..4_u64 {
            rig.plug(round, Door::AudioFork, Layout::Stereo);
            let seen = rig.lines().len();
            if streams == Streams::None {
                rig.line(round, line(Leg::Patient, "una frase", true));
            } else {
                rig.talk(round, &[IN, OUT], 1000);
                rig.hears(LINK, IN, "una frase", true, (round * 1000, round * 1000 + 900));
            }
            numbers.extend(rig.lines()[seen..].iter().filter(|line| line.done).map(|line| line.utterance));
            rig.unplug(round);
            rig.wait(1000);
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 4, "{streams:?}");
    }
}

#[test]
fn a_swap_holds_for_what_is_said_later_and_across_a_reconnection() {
    let mut rig = joined();
    rig.step(|session, _| session.swap());
    rig.hears(LINK, IN, "buenas, soporte", true, (500, 900));
    let leg = |rig: &Rig| {
        let lines = rig.wants.iter().rev();
        let legs = lines.filter_map(|(_, want)| match want {
            Want::Transcription(line) if line.done => Some(line.leg),
            _ => None,
        });
        legs.take(1).next().unwrap()
    };
    assert_eq!(leg(&rig), Leg::Operator);
    rig.unplug(1);
    rig.wait(1000);
    rig.plug(2, Door::AudioFork, Layout::Stereo);
    rig.talk(2, &[IN, OUT], 1000);
    rig.hears(LINK, IN, "la escucho", true, (5100, 5900));
    assert_eq!(leg(&rig), Leg::Operator, "the switch is wrong as it was before");
    let patient = rig.told().filter_map(|input| if let Input::Patient(of) = input { Some(of) } else { None });
    assert_eq!(patient.last(), Some(&OUT));
    rig.step(|session, _| session.swap());
    rig.hears(LINK, IN, "perdón", true, (5950, 6000));
    assert_eq!(leg(&rig), Leg::Patient, "and back");
}

/// The switch calls the operator 'patient'; the operator puts it right, the switch goes on as before.
#[test]
fn a_swap_holds_for_lines_of_the_switchs_own_recogniser_too() {
    let mut rig = Rig::new(Streams::None);
    rig.plug(1, Door::AudioFork, Layout::Stereo);
    rig.line(1, line(Leg::Patient, "buenas, soporte", true));
    rig.step(|session, _| session.swap());
    rig.line(1, line(Leg::Patient, "dígame", true));
    let tracks: Vec<Track> = rig.lines().iter().map(|line| line.track).collect();
    assert_eq!(tracks[0], tracks[1], "one voice, one track");
}

#[test]
fn hanging_up_waits_for_the_last_words_and_not_longer_than_needed() {
    let mut rig = joined();
    rig.hears(LINK, IN, "gracias", false, (4500, 4900));
    rig.piece(1, Piece::HungUp);
    assert_eq!(rig.count(&Want::Finish(LINK)), 1);
    assert!(!rig.session.is_over());
    rig.wait(500);
    rig.hears(LINK, IN, "gracias, chau", true, (4500, 5000));
    rig.report(LINK, &Report::Finished);
    assert!(rig.session.is_over());
    let told: Vec<&Input> = rig.told().collect();
    assert_eq!(told.last(), Some(&&Input::HungUp));
    assert_eq!(rig.wants.last().unwrap().1, Want::Over);
    let last = rig.lines().last().map(|line| (line.text.clone(), line.done));
    assert_eq!(last, Some(("gracias, chau".to_owned(), true)));
}

#[test]
fn a_recogniser_that_says_no_goodbye_is_waited_for_eight_seconds() {
    let mut rig = joined();
    rig.hears(LINK, OUT, "adiós", false, (4500, 4900));
    rig.step(Session::end);
    rig.wait(7999);
    assert!(!rig.session.is_over());
    rig.wait(1);
    assert!(rig.session.is_over());
    let last = rig.lines().last().map(|line| (line.text.clone(), line.done));
    assert_eq!(last, Some(("adiós".to_owned(), true)), "what there is is taken as it stands");
    rig.wait(60_000);
}

#[test]
fn both_links_are_waited_for() {
    let mut rig = Rig::new(Streams::Apart);
    rig.plug(1, Door::AudioFork, Layout::Stereo);
    rig.talk(1, &[IN, OUT], 1000);
    rig.step(Session::end);
    rig.report(Stream::Of(IN), &Report::Finished);
    assert!(!rig.session.is_over());
    rig.report(Stream::Of(OUT), &Report::Finished);
    assert!(rig.session.is_over());
}

#[test]
fn a_call_without_audio_ends_at_once() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, Door::AudioFork, Layout::Stereo);
    rig.piece(1, Piece::HungUp);
    assert!(rig.session.is_over());
}

/// Stragglers of every kind: the rig refuses whatever is told after the end, or audio after a link's.
#[test]
fn nothing_is_told_after_the_end() {
    for door in [Door::AudioFork, Door::AudioSocket] {
        for answered in [false, true] {
            let mut rig = Rig::new(Streams::Joined);
            rig.plug(1, door, Layout::Mono(IN));
            rig.plug(2, door, Layout::Mono(OUT));
            rig.talk(1, &[IN], 1110);
            rig.send(2, 8000, &[OUT], 40);
            rig.step(Session::end);
            rig.wait(300);
            rig.unplug(2);
            if answered {
                rig.report(LINK, &Report::Finished);
            }
            rig.wait(10_000);
            assert!(rig.session.is_over());
            rig.hears(LINK, IN, "tarde", true, (100, 200));
            let ms = std::time::Duration::from_millis;
            rig.step(|session, _| session.lost(LINK, ms(0), ms(100)));
            rig.step(|session, _| session.swap());
            rig.step(Session::end);
            rig.unplug(1);
            rig.plug(3, door, Layout::Mono(IN));
            rig.send(3, 8000, &[IN], 20);
            rig.wait(10_000);
        }
    }
}

/// One leg runs ahead of the other when the call ends: what waits for the other one is heard too.
#[test]
fn the_end_of_the_last_word_is_not_kept_back() {
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, Door::AudioFork, Layout::Mono(IN));
    rig.plug(2, Door::AudioFork, Layout::Mono(OUT));
    rig.send(2, 8000, &[OUT], 20);
    rig.talk(1, &[IN], 200);
    rig.step(Session::end);
    assert_eq!(rig.loud(LINK, 0), rig.sent[0]);
    assert_eq!(rig.loud(LINK, 1), rig.sent[1]);
    let mut rig = Rig::new(Streams::Joined);
    rig.plug(1, Door::AudioFork, Layout::Mono(IN));
    rig.plug(2, Door::AudioFork, Layout::Mono(OUT));
    rig.send(2, 8000, &[OUT], 20);
    rig.talk(1, &[IN], 200);
    rig.wait(400);
    assert_eq!(rig.loud(LINK, 0), rig.sent[0], "nor is it before a pause");
}
