//! From results to utterances: ends that come, come twice, come empty or never.
use aura::ears::Track;
use aura::stt::{Assembled, Assembler, Heard, Patience, Report, Utterance};
use std::time::{Duration, Instant};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An assembler on a stage: time passes as the audio does.
struct Stage {
    assembler: Assembler,
    begin: Instant,
    now: Instant,
    out: Vec<(Duration, Assembled)>,
}

impl Stage {
    fn new() -> Self {
        let now = Instant::now();
        let assembler = Assembler::new(Track::Inbound, Patience::default());
        Self { assembler, begin: now, now, out: Vec::new() }
    }

    fn drain(&mut self) {
        while let Some(out) = self.assembler.poll() {
            self.out.push((self.now - self.begin, out));
        }
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(at) = self.assembler.deadline().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.assembler.tick(self.now);
            self.drain();
            assert!(
                self.assembler.deadline().is_none_or(|next| next > self.now),
                "a deadline that doesn't move"
            );
        }
        self.now = until;
    }

    fn hear(&mut self, report: &Report) {
        self.assembler.hear(report, self.now);
        self.drain();
    }

    fn heard(&mut self, text: &str, span: (u64, u64), settled: bool, endpoint: bool) {
        let (start, end) = (ms(span.0), ms(span.1));
        let heard = Heard { track: Track::Inbound, text: text.to_owned(), settled, endpoint, start, end };
        self.hear(&Report::Heard(heard));
    }

    fn interim(&mut self, text: &str, span: (u64, u64)) {
        self.heard(text, span, false, false);
    }

    fn part(&mut self, text: &str, span: (u64, u64)) {
        self.heard(text, span, true, false);
    }

    fn last(&mut self, text: &str, span: (u64, u64)) {
        self.heard(text, span, true, true);
    }

    fn utterance_end(&mut self, last_word_end: u64) {
        self.hear(&Report::UtteranceEnd { track: Track::Inbound, last_word_end: ms(last_word_end) });
    }

    fn utterances(&self) -> Vec<&Utterance> {
        let told = self.out.iter().filter_map(|(_, out)| match out {
            Assembled::Utterance(utterance) => Some(utterance),
            Assembled::Finalize => None,
        });
        told.collect()
    }

    fn done(&self) -> Vec<&str> {
        self.utterances().into_iter().filter(|said| said.done).map(|said| said.text.as_str()).collect()
    }

    fn finalizes(&self) -> usize {
        self.out.iter().filter(|(_, out)| *out == Assembled::Finalize).count()
    }
}

#[test]
fn partials_replace_each_other_until_the_end() {
    let mut stage = Stage::new();
    stage.interim("hola", (0, 500));
    stage.interim("hola", (0, 600));
    stage.interim("hola buen", (0, 800));
    stage.part("Hola, buen día.", (0, 1000));
    stage.interim("tengo", (1000, 1300));
    stage.last("Tengo un M50.", (1000, 2000));
    let told: Vec<(u32, &str, bool)> =
        stage.utterances().iter().map(|said| (said.id, said.text.as_str(), said.done)).collect();
    let expected = [
        (0, "hola", false),
        (0, "hola buen", false),
        (0, "Hola, buen día.", false),
        (0, "Hola, buen día. tengo", false),
        (0, "Hola, buen día. Tengo un M50.", false),
        (0, "Hola, buen día. Tengo un M50.", true),
    ];
    assert_eq!(told, expected);
    let last = stage.utterances()[5];
    assert_eq!((last.start, last.end, last.unconfirmed), (ms(0), ms(2000), false));
    stage.last("No prende.", (2500, 3000));
    assert_eq!((stage.utterances()[7].id, stage.utterances()[7].start), (1, ms(2500)));
}

#[test]
fn fault_19_two_finals_of_one_sentence_are_one_utterance() {
    let mut stage = Stage::new();
    stage.part("el concentrador no", (0, 1000));
    stage.wait(ms(100));
    stage.last("prende desde ayer", (1000, 2000));
    assert_eq!(stage.done(), ["el concentrador no prende desde ayer"]);
}

#[test]
fn fault_36_an_utterance_ends_in_noise_by_our_own_clock() {
    let mut stage = Stage::new();
    for second in 0..4 {
        stage.part(
            &format!("parte {}", ["a", "b", "c", "d"][second]),
            (second as u64 * 1000, second as u64 * 1000 + 1000),
        );
        stage.wait(ms(1000));
    }
    // Noise goes on: settled, empty, no end.
    for second in 4..20 {
        stage.part("", (second * 1000, second * 1000 + 1000));
        stage.wait(ms(1000));
    }
    assert_eq!(stage.done(), ["parte a parte b parte c parte d"]);
    let (at, _) =
        stage.out.iter().find(|(_, out)| matches!(out, Assembled::Utterance(said) if said.done)).unwrap();
    assert_eq!(*at, ms(6000), "three seconds after the last new word");
    assert_eq!(stage.assembler.deadline(), None);
}

#[test]
fn fault_36_words_never_settled_are_asked_for_and_are_unconfirmed_in_the_end() {
    let mut stage = Stage::new();
    stage.interim("tres cero", (0, 900));
    for _ in 0..5 {
        stage.wait(ms(500));
        stage.interim("tres cero", (0, 900));
    }
    assert_eq!(stage.finalizes(), 0);
    stage.wait(ms(500));
    assert_eq!((stage.finalizes(), stage.done().len()), (1, 0), "an interim isn't a final");
    stage.wait(ms(10_000));
    assert!((2..6).contains(&stage.finalizes()) && stage.done().is_empty(), "asked again, not too often");
    stage.assembler.closed();
    stage.drain();
    assert_eq!(stage.done(), ["tres cero"]);
    assert!(stage.utterances().last().unwrap().unconfirmed);
}

#[test]
fn what_is_settled_doesnt_wait_for_what_isnt() {
    let mut stage = Stage::new();
    stage.part("no anda", (0, 1000));
    stage.interim("el", (1000, 1200));
    stage.wait(ms(4500));
    assert_eq!(stage.done(), ["no anda"]);
    stage.last("el equipo", (1000, 2000));
    assert_eq!(stage.done(), ["no anda", "el equipo"]);
}

#[test]
fn the_answer_to_a_request_for_the_rest_ends_the_utterance() {
    let mut stage = Stage::new();
    stage.interim("gracias", (0, 900));
    stage.utterance_end(900);
    assert_eq!((stage.finalizes(), stage.done().len()), (1, 0));
    stage.utterance_end(900);
    assert_eq!(stage.finalizes(), 1, "asked once");
    stage.wait(ms(200));
    stage.part("Gracias.", (0, 1000));
    assert_eq!(stage.done(), ["Gracias."]);
    assert!(!stage.utterances().last().unwrap().unconfirmed);
}

#[test]
fn fault_37_two_ends_are_one() {
    let mut stage = Stage::new();
    stage.last("no anda", (0, 1000));
    stage.wait(ms(1000));
    stage.utterance_end(1000);
    stage.last("", (1000, 2000));
    stage.wait(ms(10_000));
    assert_eq!(stage.done(), ["no anda"]);
    assert_eq!(stage.finalizes(), 0);
}

#[test]
fn fault_37_an_end_by_words_closes_what_came_since() {
    let mut stage = Stage::new();
    stage.last("no anda", (0, 1000));
    stage.part("y hace ruido", (1200, 2500));
    stage.utterance_end(2500);
    assert_eq!(stage.done(), ["no anda", "y hace ruido"]);
}

#[test]
fn an_end_that_comes_late_doesnt_cut_what_has_begun_since() {
    let mut stage = Stage::new();
    stage.last("no anda", (0, 1000));
    stage.part("el equipo", (1800, 2500));
    stage.utterance_end(1000);
    assert_eq!(stage.done(), ["no anda"]);
    stage.interim("de mi mamá", (2500, 3200));
    stage.utterance_end(2500);
    assert_eq!(stage.done(), ["no anda", "el equipo"], "what is open goes on as the next one");
    stage.last("de mi mamá", (2500, 3300));
    assert_eq!(stage.done()[2], "de mi mamá");
}

#[test]
fn fault_39_an_empty_final_begins_nothing_and_still_ends() {
    let mut stage = Stage::new();
    stage.last("", (0, 1000));
    stage.part("", (1000, 2000));
    assert!(stage.out.is_empty());
    stage.part("quiero cita", (2000, 3000));
    stage.last("", (3000, 3300));
    assert_eq!(stage.done(), ["quiero cita"]);
}

#[test]
fn fault_39_words_that_were_none_leave_no_turn() {
    let mut stage = Stage::new();
    stage.interim("eh", (0, 300));
    stage.last("", (0, 1000));
    stage.wait(ms(10_000));
    assert!(stage.done().is_empty() && stage.finalizes() == 0);
    assert_eq!(stage.utterances().last().unwrap().text, "", "what was shown is taken back");
    stage.last("sí", (2000, 2500));
    assert_eq!(stage.utterances().last().unwrap().id, 0);
}

#[test]
fn fault_45_numbers_pass_as_they_are() {
    let mut stage = Stage::new();
    for (n, text) in ["una cita", "a las tres y media", "el veintitrés de mayo"].into_iter().enumerate() {
        let begin = n as u64 * 5000;
        stage.last(text, (begin, begin + 1000));
        assert_eq!(stage.done().last(), Some(&text), "none of these is a document");
    }
    stage.last("seis doce treinta y cuatro cero cero uno dos", (20_000, 24_000));
    assert_eq!(
        stage.done().last(),
        Some(&"seis doce treinta y cuatro cero cero uno dos"),
        "whole: nine digits"
    );
}

#[test]
fn a_final_counts_once_whatever_comes_again() {
    let mut stage = Stage::new();
    stage.part("me falta el aire", (0, 2000));
    stage.part("me falta el aire", (0, 2000));
    stage.interim("falta el aire", (500, 2000));
    stage.last("desde anoche", (2000, 3000));
    stage.last("desde anoche", (2000, 3000));
    stage.wait(ms(10_000));
    assert_eq!(stage.done(), ["me falta el aire desde anoche"]);
}

#[test]
fn a_broken_link_leaves_what_was_said_and_says_what_is_unsure() {
    let mut stage = Stage::new();
    stage.part("la manguera está", (0, 1000));
    stage.interim("pinch", (1000, 1400));
    stage.assembler.closed();
    stage.drain();
    let last = *stage.utterances().last().unwrap();
    assert_eq!((last.text.as_str(), last.done, last.unconfirmed), ("la manguera está pinch", true, true));
    stage.assembler.closed();
    stage.drain();
    assert_eq!(stage.done().len(), 1, "nothing is left to be told");
}

#[test]
fn the_other_track_is_passed_over() {
    let mut stage = Stage::new();
    let (start, end) = (ms(0), ms(1000));
    let other =
        Heard { track: Track::Outbound, text: "hola".into(), settled: true, endpoint: true, start, end };
    stage.hear(&Report::Heard(other));
    stage.part("sí", (0, 500));
    stage.hear(&Report::UtteranceEnd { track: Track::Outbound, last_word_end: ms(500) });
    stage.hear(&Report::Trouble("x".into()));
    assert!(stage.done().is_empty());
}

#[test]
fn whoever_never_stops_begins_another_utterance_in_time() {
    let mut stage = Stage::new();
    for second in 0..600 {
        stage.part("y entonces me dijeron que el técnico venía hoy", (second * 1000, second * 1000 + 1000));
        stage.wait(ms(1000));
    }
    assert!(stage.done().len() > 3 && stage.done().iter().all(|text| text.len() < 5000));
}
