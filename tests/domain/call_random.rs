//! Five hundred calls in which anything happens in any order: what must hold all the same
//! (I3, I4, I11, I12, E5, R20, R28, S4).
use super::events::texts;
use super::fixture::*;
use super::world::{Watched, World};
use aura::call::{Input, Output};
use aura::equipment::{Catalogue, ManualOf, Model};
use aura::event::{Kind, News};
use aura::generation::Grounding;
use aura::ids::TurnId;
use aura::mask::contains_long_number;
use aura::patient::{Found, Progress};
use aura::retrieval::reading;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl World {
    /// Whether a result belongs to no work that is awaited.
    fn is_stale(&self, input: &Input) -> bool {
        let (turn, generation) = match input {
            Input::Retrieved { turn, .. } => (turn, false),
            Input::Delta { turn, .. } | Input::Finished { turn, .. } | Input::Failed { turn, .. } => {
                (turn, true)
            }
            Input::Asked { reply, .. } => return self.newest.is_some_and(|newest| reply.0 <= newest),
            _ => return false,
        };
        self.current().is_none_or(|(id, watched)| id != *turn || watched.generating != generation)
    }

    pub fn step(&mut self, input: Input) {
        let (stale, due, ended) =
            (self.is_stale(&input) || self.ended, self.line.call.deadline(), self.ended);
        self.watch_input(&input, stale);
        let outputs = self.line.step(input.clone());
        if stale {
            assert_eq!(outputs, [], "I3: {input:?}");
            assert_eq!(self.line.call.deadline(), due, "I3: {input:?}");
        }
        for output in &outputs {
            assert!(!ended);
            self.watch_output(output);
        }
        let busy = self.current().is_some();
        assert_eq!(self.line.call.is_busy(), busy);
        if busy {
            assert!(self.line.call.deadline().is_some(), "I11: a turn without a deadline may never end");
        } else if !self.lost && self.greeted {
            assert_eq!(self.line.call.deadline(), None, "idle");
        }
    }

    fn watch_input(&mut self, input: &Input, stale: bool) {
        match input {
            _ if self.ended => {}
            Input::PeerConnected => self.lost = false,
            Input::PeerLost { .. } => self.lost = true,
            Input::LookedUp { found: Found::Found(context), .. } => self.on_file = context.models.clone(),
            Input::Settings(settings) => self.settings = Arc::clone(settings),
            Input::Asked { reply, .. } if !stale => {
                for line in &self.line.turns[self.read..] {
                    self.named.extend(reading::read(&line.text, Catalogue::builtin()).named());
                }
                self.read = self.line.turns.len();
                self.newest = Some(reply.0);
                self.greeted = true;
                let known = self.on_file.iter().chain(&self.named).cloned().collect();
                let watched =
                    Watched { reply: reply.0, known, filter: None, generating: false, ended: false };
                // The turn that ran is superseded by the outputs; the new one comes after it.
                self.turns.insert(TurnId(self.turns.len() as u32 + 1), watched);
            }
            _ => {}
        }
    }

    fn watch_output(&mut self, output: &Output) {
        match output {
            Output::Retrieve { turn, search, .. } => self.watched(*turn).filter = search.filter.clone(),
            Output::Generate { turn, request } => {
                let live =
                    self.turns.iter().filter(|(id, other)| *id != turn && other.generating && !other.ended);
                assert_eq!(live.count(), 0, "I4");
                let watched = self.watched(*turn);
                watched.generating = true;
                let known = watched.known.clone();
                if let Grounding::Rows(rows) = &request.grounding {
                    for row in rows {
                        assert!(permitted(&known, &row.source), "I12: {} with {known:?}", row.source);
                    }
                }
            }
            Output::Say { reply, .. } | Output::Close { reply, .. } => {
                self.greeted |= reply.0 == 0;
                assert_eq!(reply.0, self.newest.unwrap_or(0), "a superseded number is silent");
            }
            Output::Tell(
                News::Answer { turn, done: true, .. } | News::Aborted { turn } | News::Failed { turn, .. },
            ) => {
                let watched = self.watched(*turn);
                assert!(!watched.ended, "I11: turn {turn} ended twice");
                watched.ended = true;
            }
            Output::LookUp { ask, dni } => {
                if self.lookup.is_some_and(|(_, before)| before != *dni) {
                    self.on_file.clear();
                }
                self.lookup = Some((*ask, *dni));
            }
            Output::Tell(News::LookUp { progress: Progress::Waiting, .. }) => {
                self.lookup = None;
                self.on_file.clear();
            }
            Output::End => self.ended = true,
            _ => {}
        }
    }

    fn watched(&mut self, turn: TurnId) -> &mut Watched {
        self.turns.get_mut(&turn).expect("a turn that was asked for")
    }

    /// The process ended; this is what the rebuilt call says of itself.
    pub fn restarted(&mut self, outputs: &[Output]) {
        let cut = news(outputs).iter().any(|news| matches!(news, News::Aborted { .. }));
        outputs.iter().for_each(|output| self.watch_output(output));
        self.newest = self.newest.and_then(|newest| if cut { newest.checked_sub(1) } else { Some(newest) });
        self.lost = true;
        self.step(Input::Settings(Arc::clone(&self.settings)));
    }

    /// Lets every deadline pass.
    pub fn settle(&mut self) {
        for _ in 0..5 {
            let Some(due) = self.line.call.deadline().filter(|_| !self.ended) else { return };
            self.line.now = self.line.now.max(due);
            self.step(Input::Tick);
        }
        assert!(self.ended || self.line.call.deadline().is_none(), "never idle");
    }

    fn of_turn(&self, turn: TurnId, kinds: &[Kind]) -> usize {
        let counted = |output: &&Output| matches!(output, Output::Record(event) if event.turn == turn && kinds.contains(&event.kind));
        self.line.log.iter().filter(counted).count()
    }

    fn judge(&self) {
        for (turn, watched) in &self.turns {
            assert!(watched.ended, "I11: turn {turn} never ended");
            let ends = [Kind::SuggestionGenerated, Kind::TurnFailed, Kind::TurnAborted];
            assert_eq!(self.of_turn(*turn, &ends), 1, "I11: turn {turn}");
            let whole = usize::from(self.of_turn(*turn, &[Kind::TurnAborted]) == 0);
            let closes = closed(&self.line.log).iter().filter(|(reply, _)| *reply == watched.reply).count();
            assert_eq!(closes, whole, "turn {turn}: one closing, unless superseded");
            let searched = self.of_turn(*turn, &[Kind::KnowledgeQueried]);
            assert!(searched <= 1 && searched >= whole, "R28: turn {turn}: {searched}");
        }
        let requests = self.line.log.iter().filter_map(|output| match output {
            Output::Generate { request, .. } => Some(&request.messages[0]),
            _ => None,
        });
        assert!(requests.collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1]), "E5");
        let all: BTreeSet<String> = self.line.log.iter().flat_map(texts).collect();
        for text in all {
            assert!(!contains_long_number(&text), "S4: {text}");
            assert!(!text.contains("Inogen"), "R20: {text}");
        }
    }
}

/// Whether a row of this manual may be injected where these models are known.
fn permitted(known: &BTreeSet<Model>, source: &str) -> bool {
    let catalogue = Catalogue::builtin();
    let general = catalogue.always_allowed().iter().any(|prefix| source.starts_with(prefix.as_str()));
    general || known.iter().any(|model| catalogue.manual_of(model) == ManualOf::Manual(source))
}

#[test]
fn i3_i4_i11_i12_whatever_happens_in_whatever_order() {
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 1..=500 {
        let mut world = World::new(seed);
        for _ in 0..60 {
            let input = world.input();
            world.step(input);
        }
        world.settle();
        world.judge();
        for (name, kind) in [
            ("complete", Kind::SuggestionGenerated),
            ("failed", Kind::TurnFailed),
            ("aborted", Kind::TurnAborted),
            ("ended", Kind::CallEnded),
        ] {
            *ends.entry(name).or_default() += events(&world.line.log, kind).len();
        }
        let reasons = [
            "locked",
            "ask",
            "answered_ask",
            "short_turn",
            "below_threshold",
            "code_not_found",
            "search_failed",
        ];
        for event in events(&world.line.log, Kind::KnowledgeQueried) {
            if let Some(name) = reasons.iter().find(|reason| event["reason"] == **reason) {
                *ends.entry(name).or_default() += 1;
            }
        }
    }
    assert!(ends.len() == 11 && ends.values().all(|count| *count > 5), "the dice reach everything: {ends:?}");
}
