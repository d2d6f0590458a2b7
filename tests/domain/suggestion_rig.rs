//! The copilot's rooms put together as a call does, on a clock that the test holds; the model is the test.
use super::fixture::{said, settings};
use aura::ask::{Asked, Engine};
use aura::channel::Channel;
use aura::ears::Track;
use aura::equipment::Catalogue;
use aura::generation::FailureKind;
use aura::ids::{CallId, TurnId};
use aura::leak::Leaks;
use aura::retrieval::plan::Step;
use aura::retrieval::report::Rag;
use aura::retrieval::score::Scale;
use aura::sentence::Sentences;
use aura::suggestion::*;
use aura::transcript::{Speaker, Turn};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// One copilot call and all that it did, as lines of text.
pub struct Copilot {
    pub claimed: bool,
    pub mode: Mode,
    pub text: String,
    /// How often a model was asked.
    pub spent: usize,
    pub deck: Deck,
    wait: Debounce,
    lines: Vec<Turn>,
    unanswered: usize,
    utterance: u32,
    turn: u32,
    sentences: Sentences,
    engine: Engine,
    call: CallId,
    leaks: Leaks,
    started: Instant,
    now: Instant,
}

impl Copilot {
    pub fn new() -> Self {
        let now = Instant::now();
        let engine = Engine {
            catalogue: Catalogue::builtin(),
            settings: settings(&[]),
            scale: Scale::Identity,
            prompts: BTreeMap::new(),
        };
        Self {
            claimed: true,
            mode: Mode::Push,
            text: String::new(),
            spent: 0,
            deck: Deck::default(),
            wait: Debounce::default(),
            lines: Vec::new(),
            unanswered: 0,
            utterance: 0,
            turn: 0,
            sentences: Sentences::default(),
            engine,
            call: CallId::parse("call_1").unwrap(),
            leaks: Leaks::of("La primera frase es corta y va a lo que se acaba de preguntar."),
            started: now,
            now,
        }
    }

    fn write(&mut self, line: &str) {
        let at = self.now.duration_since(self.started).as_millis();
        self.text.push_str(&format!("{at:>6} ms  {line}\n"));
    }

    fn tell(&mut self, changes: impl IntoIterator<Item = Change>) {
        for change in changes {
            self.write(&format!("desk      {}", json!(change)));
        }
    }

    fn busy(&self) -> bool {
        self.deck.writing().is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.wait.deadline()
    }

    pub fn now(&self) -> Instant {
        self.now
    }

    /// Time passes; what becomes due on the way is done at its time.
    pub fn after(&mut self, ms: u64) -> &mut Self {
        let until = self.now + Duration::from_millis(ms);
        while let Some(due) = self.wait.deadline().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            if self.wait.ring(self.now).is_some() {
                self.decide(false);
            }
        }
        self.now = until;
        self
    }

    pub fn operator(&mut self, text: &str) -> &mut Self {
        self.write(&format!("operator  {text}"));
        self.line(said(Speaker::Agent, text));
        self
    }

    /// Words of the patient's that may still grow.
    pub fn begins(&mut self, text: &str) -> &mut Self {
        self.write(&format!("patient   {text}…"));
        let of = (Track::Inbound, self.utterance);
        let heard = self.wait.partial(of, text, self.busy(), Pace::of(400), self.now);
        self.interrupted(heard);
        self
    }

    pub fn patient(&mut self, text: &str) -> &mut Self {
        self.write(&format!("patient   {text}"));
        let of = (Track::Inbound, self.utterance);
        self.utterance += 1;
        let heard = self.wait.last(of, text, self.busy(), Pace::of(400), self.now);
        self.interrupted(heard);
        if !text.is_empty() {
            self.unanswered += 1;
            self.line(said(Speaker::Patient, text));
        }
        self
    }

    fn interrupted(&mut self, heard: Heard) {
        if heard == Heard::Interrupts {
            self.write("aborted");
            let change = self.deck.abort(Gone::Overtaken);
            self.tell(change);
            self.unanswered = self.unanswered.max(1); // its question is still to be answered
        }
    }

    fn line(&mut self, line: Turn) {
        let changes = self.deck.heard(&line, Catalogue::builtin());
        self.lines.push(line);
        self.tell(changes);
    }

    pub fn asks_for_one(&mut self) -> &mut Self {
        self.write("operator  wants a suggestion");
        self.wait.settle();
        self.decide(true);
        self
    }

    fn decide(&mut self, requested: bool) {
        let lines: Vec<&Turn> = self.lines.iter().collect();
        let situation = Situation {
            lines: &lines,
            unanswered: self.unanswered,
            claimed: self.claimed,
            mode: self.mode,
            requested,
            min_words: 4,
            own: self.deck.own_request(),
            answers_ask: false,
        };
        let question =
            situation.turn().iter().map(|(_, line)| line.text.clone()).collect::<Vec<_>>().join(" ");
        let decision = decide(&situation);
        match decision {
            Decision::Silent(reason) => {
                self.unanswered = 0;
                self.write(&format!("silent    {}", reason.as_str()));
            }
            Decision::Alert(flag) => {
                self.unanswered = 0;
                let changes = self.deck.clear(Gone::Danger);
                self.tell(changes);
                self.write(&format!("alert     {}", flag.as_str()));
            }
            Decision::Suggest(cause) => self.suggest(cause, &question),
        }
    }

    fn suggest(&mut self, cause: Cause, question: &str) {
        self.turn += 1;
        self.spent += 1;
        let asked = Asked { text: question, channel: Channel::AudioFork, on_file: &[], sticky: &[] };
        let gate = match self.engine.plan(&asked).plan.step {
            Step::ShortTurn => "short_turn",
            Step::Search | Step::AnsweredAsk => "search",
        };
        self.write(&format!("suggest   turn {}: {}, retrieval {gate}", self.turn, cause.as_str()));
        let opening = Opening {
            call: &self.call,
            turn: TurnId(self.turn),
            created_at: 1_700_000_000_000 + self.now.duration_since(self.started).as_millis() as u64,
            cause,
            question,
            identity: Label::Unknown,
        };
        let change = self.deck.begin(&opening);
        self.sentences = Sentences::default();
        self.tell(change);
    }

    pub fn grounded(&mut self, score: f64) -> &mut Self {
        let hit = score >= 0.55;
        let (source, section) = (Some("m50.md".to_owned()), Some("Alarmas".to_owned()));
        self.deck.grounded(&Rag { hit, score: Some(score), cosine: Some(score), source, section });
        self
    }

    /// The model writes, three letters a chunk, all within its own millisecond.
    pub fn writes(&mut self, text: &str) -> &mut Self {
        self.write(&format!("model     {text}"));
        let letters: Vec<char> = text.chars().collect();
        for chunk in letters.chunks(3) {
            self.chunk(&chunk.iter().collect::<String>());
        }
        self
    }

    pub fn chunk(&mut self, chunk: &str) {
        for sentence in self.sentences.push(chunk) {
            self.deck.released(&sentence);
        }
        let (sentences, leaks) = (&self.sentences, &self.leaks);
        let changes = self.deck.chunk(|| showable(sentences.running(), Catalogue::builtin(), leaks));
        self.tell(changes);
    }

    pub fn finishes(&mut self) -> &mut Self {
        if let Some(rest) = self.sentences.flush() {
            self.deck.released(&rest);
        }
        self.unanswered = 0;
        let changes = self.deck.finish();
        self.tell(changes);
        self
    }

    pub fn fails(&mut self, kind: FailureKind) -> &mut Self {
        self.unanswered = 0;
        let change = self.deck.fail(kind);
        self.tell(change);
        self
    }
}
