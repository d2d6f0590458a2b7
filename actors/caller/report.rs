//! What came of a scripted call: for people, for programs, and for snapshots.
use super::judge::{folded, verdict};
use super::script::Expect;
use serde::Serialize;
use std::fmt;

/// A played call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The script's name.
    pub name: String,
    /// The call's id.
    pub call_id: String,
    /// Every frame of the agent's but echoes of pings, as it came, in order.
    pub frames: Vec<SeenFrame>,
    /// Question and answer, in order; the first is the greeting.
    pub exchanges: Vec<Exchange>,
    /// What the agent did against Retell's rules.
    pub breaches: Vec<String>,
    /// Pieces that crossed with a newer question on their way: dropped, nobody's fault.
    pub late: usize,
    /// Sockets that the call used.
    pub sockets: usize,
    /// The agent hung up.
    pub ended_by_agent: bool,
}

/// One frame of the agent's.
#[derive(Clone, Debug, Serialize)]
pub struct SeenFrame {
    /// On which socket of the call, from 1.
    pub socket: usize,
    /// Milliseconds since the call was dialled.
    pub at_ms: u64,
    /// The text of the frame.
    pub text: String,
}

/// What an answer was given to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// The call begins.
    Begin,
    /// The caller said this.
    Said(String),
    /// The caller said this into the answer before.
    BargedIn(String),
    /// The caller said nothing.
    Silence,
    /// The line broke and was dialled again. There is no answer to it.
    Redialled,
    /// The caller made a sound that ends no turn. There is no answer to it.
    Noise(String),
    /// The caller hung up.
    HungUp,
}

/// A question and its answer.
#[derive(Clone, Debug, Serialize)]
pub struct Exchange {
    /// What was answered.
    pub asked: Asked,
    /// The answer's id; `None` where none is given.
    pub response_id: Option<u64>,
    /// The pieces of the answer that the caller heard, as they came.
    pub pieces: Vec<HeardPiece>,
    /// The answer was closed.
    pub complete: bool,
    /// The agent hangs up after it.
    pub end_call: bool,
    /// Expectations that weren't met.
    pub failures: Vec<String>,
}

/// A piece of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct HeardPiece {
    /// Milliseconds since the question.
    pub after_ms: u64,
    /// Its words.
    pub text: String,
}

impl Report {
    /// Whether every expectation was met and no rule was broken.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.problems().is_empty()
    }

    /// All that went wrong, in a sentence each.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let failed = self.exchanges.iter().flat_map(|exchange| {
            exchange.failures.iter().map(|failure| match exchange.response_id {
                Some(id) => format!("answer {id}: {failure}"),
                None => failure.clone(),
            })
        });
        failed.chain(self.breaches.iter().map(|breach| format!("against Retell's rules: {breach}"))).collect()
    }

    /// The frames' texts alone, which don't change from run to run if the agent's words don't.
    #[must_use]
    pub fn frame_texts(&self) -> Vec<&str> {
        self.frames.iter().map(|frame| frame.text.as_str()).collect()
    }
}

impl Exchange {
    pub(super) fn new(asked: Asked, response_id: Option<u64>) -> Self {
        Self { asked, response_id, pieces: vec![], complete: false, end_call: false, failures: vec![] }
    }

    /// All that the caller heard.
    #[must_use]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Holds the answer against what was expected, and keeps what isn't so.
    pub(super) fn judge(&mut self, expect: &Expect) {
        let said = folded(&self.text());
        let is_said = |text: &String| said.contains(&folded(text));
        let mut failures: Vec<String> = Vec::new();
        failures
            .extend(expect.contains.iter().filter(|t| !is_said(t)).map(|t| format!("expected «{t}» in it")));
        failures.extend(
            expect.not_contains.iter().filter(|t| is_said(t)).map(|t| format!("expected no «{t}» in it")),
        );
        if !expect.contains_any.is_empty() && !expect.contains_any.iter().any(is_said) {
            failures.push(format!("expected one of «{}» in it", expect.contains_any.join("», «")));
        }
        let frames = self.pieces.iter().filter(|piece| !piece.text.trim().is_empty()).count();
        if let Some(least) = expect.frames_at_least.filter(|least| frames < *least) {
            failures.push(format!("expected {least} pieces or more, got {frames}"));
        }
        if let Some(end) = expect.end_call.filter(|end| *end != self.end_call) {
            failures.push(format!("expected end_call {end}, got {}", self.end_call));
        }
        if let Some(within) = expect.within_ms {
            match self.pieces.first().map(|piece| piece.after_ms) {
                Some(after) if after <= within => {}
                Some(after) => {
                    failures.push(format!("expected a first piece within {within} ms, got it after {after}"))
                }
                None => failures.push(format!("expected a first piece within {within} ms, got none")),
            }
        }
        self.failures.append(&mut failures);
    }
}

/// The transcript for a person: Spanish, as it was spoken.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} — llamada {}", self.name, self.call_id)?;
        for exchange in &self.exchanges {
            exchange.fmt(f)?;
        }
        if self.ended_by_agent {
            writeln!(f, "   — Aura cortó —")?;
        }
        for breach in &self.breaches {
            writeln!(f, " ✗ regla de Retell: {breach}")?;
        }
        if self.late > 0 {
            writeln!(f, "   ({} fragmentos se cruzaron con una pregunta nueva)", self.late)?;
        }
        verdict(f, self.problems().len())
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.asked {
            Asked::Begin => {}
            Asked::Said(text) => writeln!(f, "Paciente              {text}")?,
            Asked::BargedIn(text) => writeln!(f, "Paciente (interrumpe) {text}")?,
            Asked::Silence => writeln!(f, "Paciente              (silencio)")?,
            Asked::Redialled => writeln!(f, "   — se cortó la línea y se volvió a conectar —")?,
            Asked::Noise(text) => writeln!(f, "Paciente (al pasar)   {text}")?,
            Asked::HungUp => writeln!(f, "   — el paciente cortó —")?,
        }
        if let Some(id) = self.response_id {
            // A closing piece is often empty: there is nothing to read in it.
            for piece in self.pieces.iter().filter(|piece| !piece.text.trim().is_empty()) {
                writeln!(f, "Aura  #{id:<3} +{:>5} ms  {}", piece.after_ms, piece.text.trim())?;
            }
            if !self.complete {
                writeln!(f, "      #{id:<3} (sin terminar)")?;
            }
        }
        self.failures.iter().try_for_each(|failure| writeln!(f, " ✗ {failure}"))
    }
}
