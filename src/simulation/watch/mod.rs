//! The watcher: what must hold whatever happens, checked after each step from what it knows by itself.
mod cards;
mod equipment;
mod requests;
mod secrets;
mod summary;
mod turns;
mod words;

use super::mail::Ms;
use crate::call::{Call, Input, Memory, Output, Spec};
use crate::channel::Profile;
use crate::equipment::Catalogue;
use crate::event::{Kind, News};
use crate::ids::{CallId, ReplyId};
use crate::mask::mask;
use crate::patient::Progress;
use crate::red_flag::RedFlag;
use crate::retrieval::Chunk;
use crate::settings::Snapshot;
use crate::suggestion::SuggestionId;
use crate::transcript::Turn;
use equipment::Known;
use secrets::Sweeper;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;
use turns::Watched;

/// An invariant that doesn't hold.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) invariant: &'static str,
    pub(super) detail: String,
}

pub(super) type Judged = Result<(), Fault>;

fn ensure(holds: bool, invariant: &'static str, detail: impl FnOnce() -> String) -> Judged {
    if holds { Ok(()) } else { Err(Fault { invariant, detail: detail() }) }
}

/// What is expected of a step.
#[derive(Debug)]
enum Expected {
    Anything,
    /// Nothing changes; why, and what the call was before.
    Nothing(&'static str, Box<(Memory, Option<Instant>, bool, usize)>),
}

/// What the watcher knows of a call by itself.
#[derive(Debug)]
pub(super) struct Watch {
    profile: &'static Profile,
    catalogue: &'static Catalogue,
    settings: Arc<Snapshot>,
    /// What a rebuilt call knows again, and that as it was kept, with whether a turn ran then.
    known: Known,
    kept: Option<(Known, bool)>,
    /// Every turn there ever was, by its number.
    turns: BTreeMap<u32, Watched>,
    /// The turn that has a search or an answer under way.
    live: Option<u32>,
    closings: BTreeMap<ReplyId, u32>,
    newest: Option<ReplyId>,
    greetings: u32,
    lost: bool,
    connected: bool,
    over: bool,
    system: Option<String>,
    /// Rows of this call's requests, oldest first, and lessons.
    rows: Vec<Chunk>,
    lessons: Vec<String>,
    /// A question that 'which equipment?' was asked for.
    waiting: Option<String>,
    /// The patient's lines as the last question had them, by their place.
    judged: BTreeMap<usize, String>,
    alerts: BTreeSet<(usize, RedFlag)>,
    /// What is dangerous in each line, as it was once read.
    dangers: BTreeMap<String, Option<RedFlag>>,
    alarmed: bool,
    promised: bool,
    callbacks: u32,
    sweeper: Sweeper,
    expected: Expected,
    /// Whose cards they are, when each was begun, and which stand on the desk.
    call: Option<CallId>,
    created: BTreeMap<u32, u64>,
    standing: BTreeSet<SuggestionId>,
    /// When the step at hand happens.
    at: Ms,
}

impl Watch {
    pub(super) fn new(spec: &Spec) -> Self {
        Self {
            profile: spec.profile,
            catalogue: spec.catalogue,
            settings: Arc::clone(&spec.settings),
            known: Known::default(),
            kept: None,
            turns: BTreeMap::new(),
            live: None,
            closings: BTreeMap::new(),
            newest: None,
            greetings: 0,
            lost: false,
            connected: false,
            over: false,
            system: None,
            rows: Vec::new(),
            lessons: Vec::new(),
            waiting: None,
            judged: BTreeMap::new(),
            alerts: BTreeSet::new(),
            dangers: BTreeMap::new(),
            alarmed: false,
            promised: false,
            callbacks: 0,
            sweeper: Sweeper::default(),
            expected: Expected::Anything,
            call: Some(spec.id.clone()),
            created: BTreeMap::new(),
            standing: BTreeSet::new(),
            at: 0,
        }
    }

    /// Takes in what is about to happen.
    pub(super) fn before(&mut self, input: &Input, call: &Call, now: Instant, at: Ms) {
        self.expected = match self.is_vain(input, call, now) {
            Some(why) => {
                let state = (call.memory(now), call.deadline(), call.is_busy(), call.transcript().len());
                Expected::Nothing(why, Box::new(state))
            }
            None => Expected::Anything,
        };
        if matches!(self.expected, Expected::Nothing(..)) {
            return;
        }
        self.claims(input);
        match input {
            Input::PeerConnected => (self.lost, self.connected) = (false, true),
            Input::PeerLost { .. } => self.lost = true,
            Input::LookedUp { found, .. } => self.known.looked_up(found),
            Input::Typed(_) | Input::Vouched(_) | Input::Keypad(_) | Input::SecondOpinion { .. } => {}
            Input::Settings(settings) => self.settings = Arc::clone(settings),
            Input::Heard(lines) => self.known.lines.clone_from(lines),
            Input::Asked { reply, turns, reminder } => self.asked(*reply, turns.as_deref(), *reminder, at),
            Input::Finished { turn, .. } | Input::Failed { turn, .. } | Input::Retrieved { turn, .. } => {
                self.live.take_if(|live| *live == turn.0);
            }
            Input::Broken { reply } => {
                self.known.newest = reply.or(self.known.newest).or(Some(ReplyId(0)));
                self.newest = self.newest.max(self.known.newest);
            }
            // A forked call's lines are told by the call itself.
            Input::Spoken(_) | Input::Patient(_) | Input::Gap(_) | Input::Hold(_) | Input::OneVoice => {}
            Input::Extension(_) => {}
            Input::Details { .. } | Input::Delta { .. } | Input::HungUp | Input::Tick => {}
            Input::Claimed(_) | Input::TakenOver(_) | Input::Released(_) | Input::Mode(_) => {}
            Input::Suggest | Input::Step(_) | Input::Captured { .. } | Input::CapturedVouched(_) => {}
            Input::Search { .. } | Input::Searched { .. } => {}
        }
    }

    /// Judges what the call did; without an input it was rebuilt.
    pub(super) fn after(
        &mut self,
        input: Option<&Input>,
        outputs: &[Output],
        call: &Call,
        now: Instant,
        at: Ms,
    ) -> Judged {
        let expected = std::mem::replace(&mut self.expected, Expected::Anything);
        if let Expected::Nothing(invariant, before) = expected {
            let state = (call.memory(now), call.deadline(), call.is_busy(), call.transcript().len());
            return ensure(outputs.is_empty() && *before == state, invariant, || {
                format!("{input:?} must change nothing, but the call did {outputs:?}")
            });
        }
        self.at = at;
        self.lines_of(input, call);
        self.sweeper.input(input)?;
        for output in outputs {
            ensure(!self.over, "nothing after the end", || format!("{output:?}"))?;
            self.sweeper.output(output)?;
            self.output(input, output)?;
        }
        self.check_turns(outputs, call, at)?;
        self.check_patience(input, outputs, call, now, at)?;
        self.check_alerts(input)?;
        self.check_cards()?;
        self.check_summaries(input, outputs, call)?;
        ensure(!self.promised || self.callbacks > 0 || !self.profile.bot, "a promised call back", || {
            "a call back was promised and isn't on the desk".to_owned()
        })
    }

    fn output(&mut self, input: Option<&Input>, output: &Output) -> Judged {
        if let Output::Retrieve { turn, .. } | Output::Generate { turn, .. } = output {
            self.may_begin(turn.0, input, self.at)?;
        }
        match output {
            Output::Retrieve { turn, search, .. } => self.retrieve(turn.0, search),
            Output::Generate { turn, request } => self.generate(turn.0, request),
            Output::Cancel { turn } => {
                self.live.take_if(|live| *live == turn.0);
                Ok(())
            }
            Output::LookUp { ask, dni } => {
                self.known.asks(*ask, Some(*dni));
                Ok(())
            }
            Output::Tell(News::LookUp { progress: Progress::Waiting, .. }) => {
                self.known.asks(0, None);
                Ok(())
            }
            Output::Say { reply, text } => self.say(input, *reply, text),
            Output::Close { reply, .. } => self.close(*reply, input),
            Output::Tell(News::Answer { turn, done: true, .. }) => self.ends(turn.0, turns::End::Complete),
            Output::Tell(News::Aborted { turn }) => self.ends(turn.0, turns::End::Aborted),
            Output::Tell(News::Failed { turn, .. }) => self.ends(turn.0, turns::End::Failed),
            Output::Tell(News::Suggestion(change)) => self.card(change),
            Output::Search { .. } | Output::Tell(_) | Output::Remember => Ok(()),
            Output::ReadAgain { .. } | Output::Summarise(_) => Ok(()),
            Output::Record(event) => {
                self.record(input, event)?;
                self.card_ends(event)
            }
            Output::End => {
                self.over = true;
                Ok(())
            }
        }
    }

    fn record(&mut self, input: Option<&Input>, event: &crate::event::Event) -> Judged {
        let turn = event.turn.0;
        if event.kind == Kind::KnowledgeQueried {
            self.may_begin(turn, input, self.at)?;
        }
        match event.kind {
            Kind::CallbackRequested => {
                self.callbacks += 1;
                ensure(self.callbacks == 1, "one call back a call", || event.payload.to_string())
            }
            Kind::RedFlag => self.alert(&event.payload),
            Kind::KnowledgeQueried => self.count(turn, |watched| &mut watched.searches),
            Kind::SuggestionGenerated | Kind::TurnFailed | Kind::TurnAborted => {
                self.count(turn, |watched| &mut watched.facts)
            }
            _ => Ok(()),
        }
    }

    /// The call's memory is kept as it stands.
    pub(super) fn remember(&mut self, memory: &Memory, written: &str) -> Judged {
        self.kept = Some((self.known.clone(), self.is_answering()));
        self.sweeper.memory(memory, written)
    }

    /// The call is rebuilt from what was kept and these lines.
    pub(super) fn rebuilt(&mut self, lines: Vec<Turn>, spec: &Spec) {
        let (known, cut) = self.kept.clone().unwrap_or_default();
        self.known = known;
        if cut {
            self.known.newest = self.known.newest.and_then(|ReplyId(n)| n.checked_sub(1)).map(ReplyId);
        }
        // What was judged is known as the journal has it: masked.
        for (at, line) in lines.iter().enumerate() {
            if let Some(judged) = self.judged.get_mut(&at).filter(|judged| mask(judged) == line.text) {
                judged.clone_from(&line.text);
            }
        }
        self.known.lines = lines;
        self.begin_again(spec);
    }

    /// Nothing was kept of the call yet: it begins anew.
    pub(super) fn forgotten(&mut self, spec: &Spec) {
        self.known = Known::default();
        self.begin_again(spec);
    }

    fn begin_again(&mut self, spec: &Spec) {
        self.settings = Arc::clone(&spec.settings);
        self.live = None;
        self.lost = true;
        self.expected = Expected::Anything;
    }

    /// Whether the step at hand must change nothing.
    pub(super) fn expects_nothing(&self) -> bool {
        matches!(self.expected, Expected::Nothing(..))
    }

    /// Whether the call has ended.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether a turn runs.
    pub(super) fn is_answering(&self) -> bool {
        self.running().is_some()
    }

    /// Nothing will happen any more.
    pub(super) fn end(&self, idle: bool) -> Judged {
        ensure(idle, "a call comes to rest", || {
            "something is still due after very much has happened".to_owned()
        })?;
        let open = self.running().map(|(turn, _)| turn);
        ensure(open.is_none(), "I11", || format!("turn {open:?} never ended"))
    }
}
