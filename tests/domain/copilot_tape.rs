//! A forked call whose steps are written down: who said what, and what the copilot did, on a clock that the test
//! holds. The model and the stores are the test.
use super::fixture::*;
use aura::call::{Input, Output};
use aura::channel::Channel;
use aura::ears::{Spoken, Track};
use aura::event::{Kind, News};
use aura::generation::{Failure, FailureKind};
use aura::ids::AgentId;
use aura::settings::Snapshot;
use aura::suggestion::Mode;
use serde_json::{Value, json};
use std::sync::Arc;

pub const TROUBLE: &str = "mi M50 marca error H08 desde hoy";

/// See the module.
pub struct Tape {
    pub line: Line,
    pub text: String,
    /// How often a model was asked.
    pub spent: usize,
    /// How often the stores were.
    pub searched: usize,
    utterances: [u32; 2],
    began: std::time::Instant,
}

pub fn elsa() -> AgentId {
    AgentId("elsa".to_owned())
}

impl Tape {
    /// Connected, and nobody's yet.
    pub fn unclaimed() -> Self {
        Self::with(settings(&[]))
    }

    pub fn with(settings: Arc<Snapshot>) -> Self {
        let mut line = Line::with(Channel::AudioFork, settings);
        line.step(Input::PeerConnected);
        let began = line.now;
        Self { line, text: String::new(), spent: 0, searched: 0, utterances: [0, 0], began }
    }

    /// Connected and claimed.
    pub fn claimed() -> Self {
        let mut tape = Self::unclaimed();
        tape.line.step(Input::Claimed(elsa()));
        tape
    }

    pub fn write(&mut self, line: &str) {
        let at = self.line.now.duration_since(self.began).as_millis();
        self.text.push_str(&format!("{at:>6} ms  {line}\n"));
    }

    /// Lets one thing happen and writes down what of it an operator, a model or the event log sees.
    pub fn step(&mut self, input: Input) -> Vec<Output> {
        let outputs = self.line.step(input);
        for output in &outputs {
            match output {
                Output::Tell(News::Heard { .. }) => {}
                Output::Tell(news) => self.write(&format!("desk      {}", json!(news))),
                Output::Record(event) => self.write(&record(event.kind, &event.payload)),
                Output::Retrieve { turn, search, .. } => {
                    self.searched += 1;
                    self.write(&format!("search    turn {turn}: {}", search.text));
                }
                Output::Generate { turn, .. } => {
                    self.spent += 1;
                    self.write(&format!("model     turn {turn} is asked"));
                }
                Output::Cancel { turn } => self.write(&format!("cancel    turn {turn}")),
                Output::Say { .. } | Output::Close { .. } => panic!("the copilot speaks: {output:?}"),
                _ => {}
            }
        }
        outputs
    }

    /// Time passes; what becomes due on the way is done at its time.
    pub fn after(&mut self, ms: u64) -> &mut Self {
        let until = self.line.now + std::time::Duration::from_millis(ms);
        while let Some(due) = self.line.call.deadline().filter(|due| *due <= until) {
            self.line.now = self.line.now.max(due);
            self.step(Input::Tick);
        }
        self.line.now = until;
        self
    }

    pub fn say(&mut self, track: Track, text: &str, done: bool) -> Vec<Output> {
        let who = if track == Track::Inbound { "patient " } else { "operator" };
        self.write(&format!("{who}  {text}{}", if done { "" } else { "…" }));
        let utterance = self.utterances[track.channel()];
        self.utterances[track.channel()] += u32::from(done);
        let at_ms = self.line.now.duration_since(self.began).as_millis() as u64;
        self.step(Input::Spoken(Spoken { track, utterance, text: text.to_owned(), done, at_ms }))
    }

    pub fn patient(&mut self, text: &str) -> &mut Self {
        self.say(Track::Inbound, text, true);
        self
    }

    /// Words of the patient's that may still grow.
    pub fn begins(&mut self, text: &str) -> &mut Self {
        self.say(Track::Inbound, text, false);
        self
    }

    pub fn operator(&mut self, text: &str) -> &mut Self {
        self.say(Track::Outbound, text, true);
        self
    }

    pub fn mode(&mut self, mode: Mode) -> &mut Self {
        self.step(Input::Mode(mode));
        self
    }

    pub fn wants_one(&mut self) -> &mut Self {
        self.write("operator  wants a suggestion");
        self.step(Input::Suggest);
        self
    }

    /// The stores answer with the row of H08, at this cosine.
    pub fn found(&mut self, cosine: f32) -> &mut Self {
        let (turn, found) = (self.line.turn(), Ok(found([h08(cosine)])));
        self.step(Input::Retrieved { turn, found });
        self
    }

    /// The model writes, three letters a chunk, all within its own millisecond.
    pub fn writes(&mut self, text: &str) -> &mut Self {
        self.write(&format!("model     {text}"));
        let (turn, letters) = (self.line.turn(), text.chars().collect::<Vec<char>>());
        for chunk in letters.chunks(3) {
            self.step(Input::Delta { turn, text: chunk.iter().collect() });
        }
        self
    }

    pub fn finishes(&mut self) -> &mut Self {
        let turn = self.line.turn();
        self.step(Input::Finished { turn, usage: aura::generation::Usage::default() });
        self
    }

    /// All of a suggestion, from the patient's pause on.
    pub fn suggests(&mut self, text: &str) -> &mut Self {
        self.after(400).writes(text).finishes()
    }

    pub fn fails(&mut self, kind: FailureKind) -> &mut Self {
        let (turn, detail) = (self.line.turn(), "the model's server answered 503".to_owned());
        self.step(Input::Failed { turn, failure: Failure { kind, detail } });
        self
    }

    /// What was told of cards so far, the oldest first.
    pub fn cards(&self) -> Vec<Value> {
        cards(&self.line.log)
    }

    pub fn events(&self, kind: Kind) -> Vec<&Value> {
        events(&self.line.log, kind)
    }
}

/// What these outputs tell of cards.
pub fn cards(outputs: &[Output]) -> Vec<Value> {
    let told = news(outputs).into_iter().filter(|news| matches!(news, News::Suggestion(_)));
    told.map(|news| json!(news)).collect()
}

/// An event in short: what of it isn't a time of the machine's.
fn record(kind: Kind, payload: &Value) -> String {
    let fields = match kind {
        Kind::KnowledgeQueried => json!([payload["query"], payload["hit"], payload["reason"]]),
        _ => payload.clone(),
    };
    format!("event     {} {fields}", kind.as_str())
}
