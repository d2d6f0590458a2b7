//! When the patient has stopped speaking (E4, E9), on a clock that the test holds.
use aura::ears::Track;
use aura::suggestion::{Debounce, Heard, LONGEST_WAIT, Pace, Rung, Utterance};
use std::time::{Duration, Instant};

/// The patient's track of one call; a suggestion that is being written, or not.
struct Patient {
    wait: Debounce,
    pace: Pace,
    now: Instant,
    busy: bool,
}

fn utterance(n: u32) -> Utterance {
    (Track::Inbound, n)
}

impl Patient {
    fn new() -> Self {
        Self { wait: Debounce::default(), pace: Pace::of(400), now: Instant::now(), busy: false }
    }

    fn after(&mut self, ms: u64) -> &mut Self {
        self.now += Duration::from_millis(ms);
        self
    }

    fn partial(&mut self, n: u32, text: &str) -> Heard {
        let heard = self.wait.partial(utterance(n), text, self.busy, self.pace, self.now);
        self.busy &= heard == Heard::GoesOn;
        heard
    }

    fn last(&mut self, n: u32, text: &str) -> Heard {
        let heard = self.wait.last(utterance(n), text, self.busy, self.pace, self.now);
        self.busy &= heard == Heard::GoesOn;
        heard
    }

    fn ring(&mut self) -> Option<Rung> {
        let rung = self.wait.ring(self.now);
        self.busy |= rung.is_some();
        rung
    }

    /// Milliseconds until the deadline.
    fn due(&self) -> Option<u128> {
        self.wait.deadline().map(|due| due.saturating_duration_since(self.now).as_millis())
    }
}

#[test]
fn e9_a_suggestion_waits_for_the_pause() {
    let mut patient = Patient::new();
    assert_eq!(patient.due(), None);
    patient.last(1, "me marca H08");
    assert_eq!(patient.due(), Some(400));
    assert_eq!(patient.after(399).ring(), None);
    assert_eq!(patient.after(1).ring(), Some(Rung::Quiet));
    assert_eq!((patient.due(), patient.ring()), (None, None), "once");
}

#[test]
fn e9_a_new_utterance_restarts_it() {
    let mut patient = Patient::new();
    patient.last(1, "me marca H08");
    patient.after(300).last(2, "y pita");
    assert_eq!(patient.due(), Some(400));
    assert_eq!(patient.after(399).ring(), None);
    assert_eq!(patient.after(1).ring(), Some(Rung::Quiet));
}

#[test]
fn e9_a_partial_holds_it_back() {
    let mut patient = Patient::new();
    patient.last(1, "me marca");
    patient.after(300).partial(2, "H");
    assert_eq!(patient.after(1000).ring(), None);
    patient.partial(2, "H cero");
    patient.after(500).last(2, "H cero ocho");
    assert_eq!(patient.due(), Some(400));
    assert_eq!(patient.after(400).ring(), Some(Rung::Quiet));
}

#[test]
fn e9_a_patient_who_never_pauses_still_gets_one() {
    let mut patient = Patient::new();
    let mut rung = None;
    for n in 0..200 {
        patient.after(100).partial(1, &"palabra ".repeat(n + 1));
        rung = rung.or_else(|| patient.ring().map(|rung| (n, rung)));
    }
    let (n, rung) = rung.expect("a suggestion");
    assert_eq!(rung, Rung::Longest);
    assert_eq!(n as u128, LONGEST_WAIT.as_millis() / 100);
    // It isn't given up for the rest of the same utterance; what was said since is a turn of its own.
    assert!(patient.busy);
    assert_eq!(patient.last(1, &"palabra ".repeat(200)), Heard::GoesOn);
    assert_eq!(patient.due(), Some(400));
    assert_eq!(patient.after(400).ring(), Some(Rung::Quiet));
}

#[test]
fn e9_an_utterance_that_was_all_but_whole_is_answered_once() {
    let mut patient = Patient::new();
    patient.partial(1, "no me anda el equipo desde");
    patient.after(8000);
    assert_eq!(patient.ring(), Some(Rung::Longest));
    patient.after(100).last(1, "no me anda el equipo desde ayer");
    assert_eq!(patient.due(), None);
}

#[test]
fn e4_a_new_utterance_interrupts_once_and_at_once() {
    let mut patient = Patient::new();
    patient.last(1, "me marca H08");
    patient.after(400).ring().unwrap();
    assert_eq!(patient.after(50).partial(2, ""), Heard::GoesOn, "no words, no interruption");
    assert_eq!(patient.partial(2, "pero"), Heard::Interrupts);
    assert_eq!(patient.partial(2, "pero además"), Heard::GoesOn);
    assert_eq!(patient.last(2, "pero además pita"), Heard::GoesOn);
    patient.after(400).ring().unwrap();
    assert_eq!(patient.last(3, "sí"), Heard::Interrupts, "without partials too");
}

#[test]
fn e9_what_was_given_up_for_no_words_at_all_is_due_again() {
    let mut patient = Patient::new();
    patient.last(1, "me marca H08");
    patient.after(400).ring().unwrap();
    assert_eq!(patient.partial(2, "eh"), Heard::Interrupts);
    patient.after(200).last(2, "");
    assert_eq!(patient.due(), Some(0));
    assert_eq!(patient.ring(), Some(Rung::Quiet));
}

#[test]
fn e9_words_that_were_taken_back_leave_nothing_to_wait_for() {
    let mut patient = Patient::new();
    patient.partial(1, "eh");
    patient.after(200).last(1, "");
    assert_eq!(patient.due(), None);
    patient.last(2, "no anda");
    patient.partial(3, "eh");
    patient.after(900).last(3, "");
    assert_eq!(patient.due(), Some(0), "the pause has passed");
}

#[test]
fn e9_nothing_is_waited_for_once_it_was_settled() {
    let mut patient = Patient::new();
    patient.last(1, "no anda");
    patient.wait.settle();
    assert_eq!(patient.due(), None);
}

#[test]
fn d10_the_setting_acts_from_the_next_words_on() {
    let mut patient = Patient::new();
    patient.pace = Pace::of(0);
    patient.last(1, "no anda");
    assert_eq!(patient.ring(), Some(Rung::Quiet));
    assert_eq!(Pace::of(5000).longest, LONGEST_WAIT);
    assert!(Pace::of(60_000).longest >= Pace::of(60_000).quiet);
}
