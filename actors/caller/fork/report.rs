//! What came of a forked call: for people and for programs.
use super::script::{ForkAction, Hearing};
use super::seat::Shown;
use crate::caller::judge::{folded, verdict};
use aura::ears::Leg;
use serde::Serialize;
use std::fmt;

/// A played call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ForkReport {
    /// The script's name.
    pub name: String,
    /// The call's id.
    pub call_id: String,
    /// How lines were spoken: `espeak-ng` or `texto`.
    pub voice: &'static str,
    /// What happened, in order.
    pub steps: Vec<PlayedStep>,
    /// What the server sent that mod_audio_fork would drop or log as an error.
    pub breaches: Vec<String>,
    /// Lines that came before they were final.
    pub partials: usize,
    /// Lines that never became final.
    pub unfinished: Vec<HeardLine>,
    /// Sockets that the call used.
    pub sockets: usize,
    /// Audio frames of 20 ms that were sent.
    pub frames: u64,
}

/// A step, and what was heard back until the next one.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedStep {
    /// What happened.
    pub action: ForkAction,
    /// When it began, in milliseconds since the call was dialled.
    pub from_ms: u64,
    /// When its last sample was sent.
    pub to_ms: u64,
    /// The final lines that came since it began.
    pub lines: Vec<HeardLine>,
    /// What the desk showed since it began.
    pub shown: Vec<ShownAt>,
    /// Expectations that weren't met.
    pub failures: Vec<String>,
}

/// Something that the desk showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownAt {
    /// When, in milliseconds since the call was dialled.
    pub at_ms: u64,
    /// What.
    #[serde(flatten)]
    pub shown: Shown,
}

/// A line that came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeardLine {
    /// When it came, in milliseconds since the call was dialled.
    pub at_ms: u64,
    /// Whose.
    pub leg: Leg,
    /// Its words.
    pub text: String,
}

impl ForkReport {
    /// Whether every expectation was met, and nothing came that a PBX would drop.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.problems().is_empty()
    }

    /// All that went wrong, in a sentence each.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let failed = self.steps.iter().enumerate().flat_map(|(n, step)| {
            step.failures.iter().map(move |failure| format!("step {}: {failure}", n + 1))
        });
        failed.chain(self.breaches.iter().map(|breach| format!("dropped by the PBX: {breach}"))).collect()
    }

    /// All final lines of a leg, in the order they came.
    #[must_use]
    pub fn heard(&self, leg: Leg) -> Vec<&str> {
        let lines = self.steps.iter().flat_map(|step| &step.lines);
        lines.filter(|line| line.leg == leg).map(|line| line.text.as_str()).collect()
    }

    fn step(&self, n: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = &self.steps[n];
        match &step.action {
            ForkAction::Speak(lines) => lines
                .each()
                .try_for_each(|(leg, text)| writeln!(f, "{:<22}{text}", format!("{} dice", person(leg))))?,
            action => writeln!(f, "   — {} —", told(action))?,
        }
        for line in &step.lines {
            // Counted from when that leg last spoke, which may be some steps ago.
            let spoke = self.steps[..=n].iter().rev().find(|step| step.speaks(line.leg));
            let after = i128::from(line.at_ms) - i128::from(spoke.map_or(step.from_ms, |step| step.to_ms));
            let who = person(line.leg).to_lowercase();
            writeln!(f, "  se oyó {after:>+6} ms  {who}: {}", line.text.trim())?;
        }
        for ShownAt { at_ms, shown } in &step.shown {
            let after = i128::from(*at_ms) - i128::from(step.to_ms);
            writeln!(f, "  » {after:>+8} ms  {}", shown.told())?;
        }
        step.failures.iter().try_for_each(|failure| writeln!(f, " ✗ {failure}"))
    }

    /// Nothing at all came back, though somebody spoke.
    fn deaf(&self) -> bool {
        let spoke = self.steps.iter().any(|step| matches!(step.action, ForkAction::Speak(_)));
        spoke && self.partials == 0 && self.steps.iter().all(|step| step.lines.is_empty())
    }
}

impl PlayedStep {
    pub(super) fn new(action: ForkAction, from_ms: u64) -> Self {
        Self { action, from_ms, to_ms: from_ms, lines: vec![], shown: vec![], failures: vec![] }
    }

    fn speaks(&self, leg: Leg) -> bool {
        matches!(&self.action, ForkAction::Speak(lines) if lines.each().any(|(speaker, _)| speaker == leg))
    }

    fn holds(&self, leg: Leg, words: &str) -> bool {
        let lines: Vec<&str> =
            self.lines.iter().filter(|line| line.leg == leg).map(|line| line.text.as_str()).collect();
        folded(&lines.join(" ")).contains(&folded(words))
    }

    fn shows(&self, words: &str) -> bool {
        self.shown.iter().any(|it| folded(it.shown.words()).contains(&folded(words)))
    }

    /// Whether all is heard that is to be, and shown where somebody sits at the desk; with nothing to be heard or
    /// shown, never.
    pub(super) fn has_heard(&self, expect: &Hearing, seated: bool) -> bool {
        let shown = !seated || expect.shows.iter().all(|words| self.shows(words));
        let something = !expect.hears.is_empty() || (seated && !expect.shows.is_empty());
        something && shown && expect.hears.each().all(|(leg, words)| self.holds(leg, words))
    }

    /// Holds what was heard against what was expected, and keeps what isn't so.
    pub(super) fn judge(&mut self, expect: &Hearing, seated: bool) {
        let missing = expect.hears.each().filter(|(leg, words)| !self.holds(*leg, words));
        let missing = missing.map(|(leg, words)| {
            format!("expected «{words}» of the {} within {} s", spoken_by(leg), expect.within)
        });
        let wrong = expect.not_hears.each().filter(|(leg, words)| self.holds(*leg, words));
        let wrong = wrong.map(|(leg, words)| format!("expected no «{words}» of the {}", spoken_by(leg)));
        let unshown = expect.shows.iter().filter(|words| seated && !self.shows(words));
        let unshown =
            unshown.map(|words| format!("expected «{words}» on the desk within {} s", expect.within));
        self.failures = missing.chain(wrong).chain(unshown).collect();
    }
}

/// Who that is, for the person who reads.
pub(super) fn person(leg: Leg) -> &'static str {
    match leg {
        Leg::Patient => "Paciente",
        Leg::Operator => "Operador",
    }
}

fn spoken_by(leg: Leg) -> &'static str {
    match leg {
        Leg::Patient => "patient",
        Leg::Operator => "operator",
    }
}

/// The transcript for a person: what was said, and below it what was heard.
impl fmt::Display for ForkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} — llamada {} — voz: {}", self.name, self.call_id, self.voice)?;
        (0..self.steps.len()).try_for_each(|n| self.step(n, f))?;
        for line in &self.unfinished {
            writeln!(f, "      {} (sin terminar) {}", person(line.leg), line.text)?;
        }
        for breach in &self.breaches {
            writeln!(f, " ✗ la centralita lo descarta: {breach}")?;
        }
        if self.deaf() {
            let hint = match self.voice {
                "espeak-ng" => "¿el servidor tiene con qué reconocer? si no, use --voice text",
                _ => "¿el servidor devuelve las transcripciones?",
            };
            writeln!(f, "   (no volvió ninguna línea: {hint})")?;
        }
        verdict(f, self.problems().len())
    }
}

/// What happens in a step, for the person who reads.
pub(super) fn told(action: &ForkAction) -> String {
    match action {
        ForkAction::Speak(_) => "hablan".to_owned(),
        ForkAction::Pause(seconds) => format!("pausa de {seconds} s"),
        ForkAction::Hold(seconds) => format!("en espera {seconds} s"),
        ForkAction::Lose(seconds) => format!("se corta el audio {seconds} s y vuelve"),
        ForkAction::Dtmf(keys) => format!("teclas {keys}"),
        ForkAction::HangUp => "la centralita corta".to_owned(),
    }
}
