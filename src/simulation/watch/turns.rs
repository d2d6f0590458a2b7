//! Turns: one at a time, each ends once, an old answer changes nothing, nobody waits in silence (I3, I4, I11, S3).
use super::super::mail::Ms;
use super::{Judged, Watch, ensure};
use crate::call::{Call, Input, Output};
use crate::equipment::Model;
use crate::ids::ReplyId;
use crate::red_flag::RedFlag;
use crate::retrieval::Filter;
use crate::settings::{self, ANSWER};
use crate::support::Support;
use crate::transcript::Turn;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Complete,
    Failed,
    Aborted,
}

/// Where a turn stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    #[default]
    Begun,
    Searching,
    Answering,
}

/// What the watcher knows of a turn.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) reply: ReplyId,
    /// Whether its answer is a card on the desk, which is closed by nobody.
    pub(super) card: bool,
    pub(super) phase: Phase,
    pub(super) end: Option<End>,
    pub(super) asked_at: Ms,
    /// Milliseconds until a filler, and until the holding sentence.
    pub(super) filler_ms: Option<Ms>,
    pub(super) hold_ms: Option<Ms>,
    pub(super) on_hold: bool,
    /// The danger in what was new, and in that or the last line again.
    pub(super) danger: Option<RedFlag>,
    pub(super) may_alarm: Option<RedFlag>,
    pub(super) named: BTreeSet<Model>,
    pub(super) filter: Option<Filter>,
    pub(super) filler: bool,
    pub(super) words: u32,
    pub(super) question: String,
    /// The turn's own words, without the equipment that a search adds to them.
    pub(super) own: String,
    pub(super) asks_equipment: bool,
    pub(super) support: Option<Box<Support>>,
    /// Facts that were recorded of it: searches, and how it ended.
    pub(super) searches: u32,
    pub(super) facts: u32,
}

impl Watch {
    /// Why an input must change nothing; none if it may.
    pub(super) fn is_vain(&self, input: &Input, call: &Call, now: Instant) -> Option<&'static str> {
        if self.over {
            return Some("nothing after the end");
        }
        let waits = |turn: u32, phase: Phase| {
            self.running().is_some_and(|(running, watched)| running == turn && watched.phase == phase)
        };
        let vain = match input {
            Input::Retrieved { turn, .. } => !waits(turn.0, Phase::Searching),
            Input::Delta { turn, .. } | Input::Finished { turn, .. } | Input::Failed { turn, .. } => {
                !waits(turn.0, Phase::Answering)
            }
            Input::Asked { reply, .. } => self.known.newest.is_some_and(|newest| *reply <= newest),
            Input::LookedUp { ask, dni, .. } => (*ask, Some(*dni)) != (self.known.ask, self.known.dni),
            Input::Tick => call.deadline().is_none_or(|due| now < due),
            _ => false,
        };
        vain.then_some("I3")
    }

    pub(super) fn running(&self) -> Option<(u32, &Watched)> {
        let last = self.turns.iter().next_back().map(|(turn, watched)| (*turn, watched));
        last.filter(|(_, watched)| watched.end.is_none())
    }

    pub(super) fn turn(&mut self, turn: u32) -> Result<&mut Watched, super::Fault> {
        let unknown = || super::Fault { invariant: "I3", detail: format!("turn {turn} was never asked for") };
        self.turns.get_mut(&turn).ok_or_else(unknown)
    }

    /// A question that counts: a new turn begins, the one before it must be ended by the outputs.
    pub(super) fn asked(&mut self, reply: ReplyId, lines: Option<&[Turn]>, reminder: bool, at: Ms) {
        if let Some(lines) = lines {
            self.known.lines = lines.to_vec();
        }
        self.known.newest = Some(reply);
        self.newest = self.newest.max(Some(reply));
        let (danger, may_alarm) = self.danger();
        let named =
            if reminder && danger.is_none() { BTreeSet::new() } else { self.known.hear(self.catalogue, at) };
        let channel = self.profile.channel;
        let ms = |setting| self.settings.count(setting, channel) as Ms;
        let watched = Watched {
            filler_ms: self.profile.filler.map(|_| ms(&settings::ANSWER_FILLER_MS)),
            hold_ms: self.profile.bot.then(|| ms(&settings::ANSWER_HOLD_MS)),
            on_hold: self.settings.text(self.profile.mode, channel) != ANSWER,
            danger,
            may_alarm,
            filter: self.filter(&named, at),
            named,
            question: self.question(),
            own: self.question(),
            ..Watched::begun(reply, at)
        };
        let next = self.turns.keys().next_back().map_or(1, |last| last + 1);
        self.turns.insert(next, watched);
    }

    /// Work for a turn: the running one's, and nothing else is under way (I4).
    pub(super) fn works(&mut self, turn: u32, phase: Phase) -> Judged {
        let live = self.live;
        let running = self.running().map(|(running, _)| running);
        ensure(live.is_none(), "I4", || format!("turn {turn} asks for work while turn {live:?} has some"))?;
        ensure(running == Some(turn), "I3", || format!("work for turn {turn} while {running:?} runs"))?;
        self.live = Some(turn);
        let watched = self.turn(turn)?;
        let (danger, on_hold, before) = (watched.danger, watched.on_hold, watched.phase);
        watched.phase = phase;
        ensure(danger.is_none(), "S1", || format!("a search or a model in a turn with {danger:?}"))?;
        ensure(!on_hold, "on hold", || "a search or a model although the channel is on hold".to_owned())?;
        ensure(before != phase, "I4", || format!("turn {turn} asks for the same work twice"))
    }

    pub(super) fn ends(&mut self, turn: u32, end: End) -> Judged {
        let watched = self.turn(turn)?;
        let before = watched.end.replace(end);
        ensure(before.is_none(), "I11", || format!("turn {turn} ended as {before:?} and again as {end:?}"))
    }

    pub(super) fn count(&mut self, turn: u32, of: impl Fn(&mut Watched) -> &mut u32) -> Judged {
        let watched = self.turn(turn)?;
        *of(watched) += 1;
        ensure(*of(watched) == 1, "I11", || format!("turn {turn} has a fact twice"))
    }

    pub(super) fn close(&mut self, reply: ReplyId, input: Option<&Input>) -> Judged {
        let times = self.closings.entry(reply).or_default();
        *times += 1;
        let broken = matches!(input, Some(Input::Broken { .. }));
        ensure(*times == 1 || broken, "one closing", || format!("reply {} was closed twice", reply.0))?;
        let newest = self.newest.unwrap_or(ReplyId(0));
        ensure(reply == newest || reply.0 == 0, "no superseded number", || {
            format!("closed {} while {} is the newest", reply.0, newest.0)
        })
    }

    /// After a step: at most the newest turn is open, and those that ended did it wholly.
    pub(super) fn check_turns(&mut self, outputs: &[Output], call: &Call, at: Ms) -> Judged {
        let newest = self.turns.keys().next_back().copied();
        let open = self.turns.iter().find(|(turn, watched)| watched.end.is_none() && Some(**turn) != newest);
        ensure(open.is_none(), "I11", || format!("turn {open:?} was superseded and never ended"))?;
        let busy = self.is_answering();
        ensure(call.is_busy() == busy, "I11", || format!("the call says busy={}", call.is_busy()))?;
        ensure(busy || self.live.is_none(), "I4", || format!("work of turn {:?} is orphaned", self.live))?;
        let idle = !busy && !self.lost && self.greetings > 0;
        let due = call.deadline();
        ensure(!idle || due.is_none() || self.over, "one timer", || {
            format!("an idle call is due ({at} ms)")
        })?;
        let ended = |output: &Output| match output {
            Output::Tell(crate::event::News::Answer { turn, done: true, .. })
            | Output::Tell(crate::event::News::Failed { turn, .. })
            | Output::Tell(crate::event::News::Aborted { turn }) => Some(turn.0),
            _ => None,
        };
        outputs.iter().filter_map(ended).try_for_each(|turn| self.check_ended(turn))
    }

    fn check_ended(&self, turn: u32) -> Judged {
        let Some(watched) = self.turns.get(&turn).filter(|watched| !watched.card) else { return Ok(()) };
        let whole = watched.end != Some(End::Aborted);
        let closed = self.closings.contains_key(&watched.reply);
        ensure(!whole || closed, "one closing", || format!("turn {turn} ended and was never closed"))?;
        ensure(!whole || watched.words > 0, "S3", || format!("turn {turn} ended without a word"))?;
        ensure(!whole || watched.searches == 1, "R28", || format!("turn {turn} has no knowledge_queried"))?;
        let has_fact = watched.end != Some(End::Complete) || self.profile.suggestion_payload.is_some();
        ensure(watched.facts == u32::from(has_fact), "I11", || format!("turn {turn} has no fact of its end"))
    }

    /// Whoever waits hears something in time, and the call asks to be woken for it (S3).
    pub(super) fn check_patience(
        &self,
        input: Option<&Input>,
        outputs: &[Output],
        call: &Call,
        now: Instant,
        at: Ms,
    ) -> Judged {
        let due = call.deadline();
        ensure(!matches!(input, Some(Input::Tick)) || due.is_none_or(|due| due > now), "one timer", || {
            "a tick left a deadline that has passed".to_owned()
        })?;
        let Some((turn, watched)) = self.running() else { return Ok(()) };
        ensure(due.is_some(), "I11", || format!("turn {turn} has no deadline: it may never end"))?;
        let filler = watched.filler_ms.filter(|_| !watched.filler);
        let bounds = [filler, watched.hold_ms].into_iter().flatten().map(|ms| watched.asked_at + ms);
        let Some(bound) = bounds.min().filter(|_| watched.words == 0) else { return Ok(()) };
        let left = Duration::from_millis(bound.saturating_sub(at));
        let overdue = bound <= at && matches!(input, Some(Input::Tick));
        ensure(!overdue, "S3", || format!("turn {turn} is mute since {} ms: {outputs:?}", watched.asked_at))?;
        ensure(due.is_some_and(|due| due <= now + left), "S3", || {
            format!("turn {turn} is mute and the call sleeps longer than until {bound} ms")
        })
    }
}
