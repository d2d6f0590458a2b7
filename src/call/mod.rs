//! One call, without IO: [`Call::handle`] lets one thing happen, [`Call::poll`] hands out what is to
//! be done, [`Call::deadline`] says when it wants to be woken.
//!
//! The contract: every `handle` is followed by draining `poll` to `None`. A call changes in `handle`
//! only (I2); it never reads a clock (I1).
mod answer;
mod ask;
mod by_hand;
mod claim;
mod copilot;
mod danger;
mod details;
mod farewell;
mod greeting;
mod identity;
mod input;
mod lock;
mod memory;
mod output;
mod patience;
mod pieces;
mod record;
mod release;
mod spoken;
mod sticky;
mod suggest;
pub mod trace;
mod turn;

pub use farewell::is_farewell;
pub use input::Input;
pub use memory::Memory;
pub use output::{Closing, Output};
pub use sticky::Sticky;
pub use turn::Answered;

use crate::channel::Profile;
use crate::equipment::{Catalogue, Model};
use crate::event::{DeskEvent, Event, Kind, News};
use crate::ids::{AgentId, CallId, ReplyId, TurnId};
use crate::leak::Leaks;
use crate::phrases::BROKEN;
use crate::prompt::Prompt;
use crate::red_flag::RedFlag;
use crate::retrieval::score::Scale;
use crate::settings::{self, Snapshot};
use crate::suggestion::Gone;
use crate::summary::Of;
use crate::transcript::{Speaker, Turn};
use copilot::Copilot;
use greeting::Greeting;
use identity::Caller;
use lock::Held;
use release::Evidence;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use turn::Running;

/// How long a call whose socket broke, or whose process did, waits for the redial.
pub const LINGER: Duration = Duration::from_secs(120);

/// What a call begins with, and keeps (DECISIONS 13).
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its id.
    pub id: CallId,
    /// Its channel's row.
    pub profile: &'static Profile,
    /// Models, codes and manuals.
    pub catalogue: &'static Catalogue,
    /// The settings in force now.
    pub settings: Arc<Snapshot>,
    /// The base prompt, for the whole call.
    pub prompt: Arc<Prompt>,
    /// Maps the embedder's cosines.
    pub scale: Scale,
    /// The adapter and model that answers, for events.
    pub responder: String,
    /// Whether a model reads the patient's lines for documents too (DECISIONS 22).
    pub second_reader: bool,
    /// One moment on both clocks, the second in milliseconds since 1970: what is shown with a time is told by it.
    pub began: (Instant, u64),
}

/// One call.
#[derive(Debug)]
pub struct Call {
    spec: Spec,
    settings: Arc<Snapshot>,
    turn: TurnId,
    running: Option<Running>,
    /// The newest answer that the peer asked for.
    reply: Option<ReplyId>,
    transcript: Vec<Turn>,
    tracks: spoken::Tracks,
    /// The patient's lines that were read for equipment.
    read: usize,
    details: Option<BTreeMap<String, String>>,
    caller: Caller,
    /// Lines in which a part of a document is dictated.
    pieces: BTreeSet<usize>,
    /// The system message's extras; frozen at the first turn (E5).
    extras: Option<Vec<String>>,
    greeting: Greeting,
    on_file: BTreeSet<Model>,
    sticky: Sticky,
    held: Option<Held>,
    /// The question that waits for 'which equipment?' to be answered, with the turns it has left.
    pending: Option<(String, usize)>,
    /// The operator who has the call.
    agent: Option<AgentId>,
    copilot: Copilot,
    by_hand: by_hand::Searches,
    /// Where a call back reaches the caller; told by the peer, no identity (R9).
    phone: Option<String>,
    /// What later turns may still rest on (S2).
    evidence: Evidence,
    /// The prompt's words, which are never said.
    leaks: Arc<Leaks>,
    /// Lines that an alert card was shown for.
    alerted: BTreeSet<(usize, RedFlag)>,
    /// Dangerous lines, new or changed, that no question was answered for yet (S1).
    unanswered: BTreeSet<usize>,
    /// The last danger that was answered: later turns know of it.
    emergency: Option<RedFlag>,
    /// Whether a call back is on the desk.
    callback: bool,
    /// For the summary.
    notes: record::Notes,
    opened: bool,
    lost_until: Option<Instant>,
    ended: bool,
    outbox: VecDeque<Output>,
}

impl Call {
    /// A call that nobody has connected to yet.
    pub fn new(spec: Spec) -> Self {
        Self {
            settings: Arc::clone(&spec.settings),
            leaks: Leaks::shared(&spec.prompt),
            caller: Caller::new(spec.profile.documents, None, 0, 0),
            pieces: BTreeSet::new(),
            spec,
            turn: TurnId::default(),
            running: None,
            reply: None,
            transcript: Vec::new(),
            tracks: spoken::Tracks::default(),
            read: 0,
            details: None,
            extras: None,
            greeting: Greeting::default(),
            on_file: BTreeSet::new(),
            sticky: Sticky::default(),
            held: None,
            pending: None,
            agent: None,
            copilot: Copilot::default(),
            by_hand: by_hand::Searches::default(),
            phone: None,
            evidence: Evidence::default(),
            alerted: BTreeSet::new(),
            unanswered: BTreeSet::new(),
            emergency: None,
            callback: false,
            notes: record::Notes::default(),
            opened: false,
            lost_until: None,
            ended: false,
            outbox: VecDeque::new(),
        }
    }

    /// Lets one thing happen to the call.
    pub fn handle(&mut self, input: Input, now: Instant) {
        debug_assert!(self.outbox.is_empty(), "poll to None before the next input");
        if self.ended {
            return;
        }
        match input {
            Input::PeerConnected => self.connected(now),
            Input::PeerLost { clean } => self.lost(clean, now),
            Input::HungUp => self.end("hung_up"),
            Input::Details { variables, phone } => self.detailed(variables, phone),
            Input::Typed(dni) => self.typed(dni),
            Input::Vouched(dni) => self.vouched(dni),
            Input::Keypad(keys) => self.dialled(&keys),
            Input::SecondOpinion { line, reading } => self.second_opinion(line, &reading),
            Input::LookedUp { ask, dni, found, source } => self.looked_up((ask, dni), found, source),
            Input::Settings(settings) => self.settings = settings,
            Input::Heard(turns) => self.heard(turns),
            Input::Spoken(spoken) => self.spoken(&spoken, now),
            Input::Patient(track) => self.patient_on(track),
            Input::Extension(extension) => self.rings_at(extension),
            Input::Gap(gap) => self.gap(gap),
            Input::Hold(on) => self.tell(News::Hold { on }),
            Input::OneVoice => self.tell(News::OneVoice),
            Input::Asked { reply, turns, reminder } => self.asked(reply, turns, reminder, now),
            Input::Retrieved { turn, found } => self.retrieved(turn, found, now),
            Input::Delta { turn, text } => self.delta(turn, &text, now),
            Input::Finished { turn, usage } => self.finished(turn, usage, now),
            Input::Failed { turn, failure } => self.failed(turn, &failure),
            Input::Broken { reply } => self.broken(reply),
            Input::Claimed(agent) => self.claimed(agent),
            Input::TakenOver(agent) => self.taken_over(agent),
            Input::Released(agent) => self.released(&agent),
            Input::Mode(mode) => self.mode(mode),
            Input::Suggest => self.suggestion_wanted(now),
            Input::Step(step) => self.correct_step(step),
            Input::Captured { field, value } => self.datum_typed(field, &value),
            Input::CapturedVouched(field) => self.datum_vouched(field),
            Input::Search { text } => self.search_by_hand(&text, now),
            Input::Searched { search, found } => self.searched_by_hand(search, found),
            Input::Tick => self.tick(now),
        }
        self.suggest_anew(now);
    }

    /// The next thing the call wants done.
    pub fn poll(&mut self) -> Option<Output> {
        self.outbox.pop_front()
    }

    /// When the call wants an [`Input::Tick`].
    pub fn deadline(&self) -> Option<Instant> {
        let running = self.running.as_ref().map(turn::Running::deadline);
        let waits = [self.copilot.wait.deadline(), self.by_hand.due()];
        [self.greeting.due(), running, self.lost_until].into_iter().chain(waits).flatten().min()
    }

    /// Its id.
    pub fn id(&self) -> &CallId {
        &self.spec.id
    }

    /// What was said so far, as the peer tells it: unmasked.
    pub fn transcript(&self) -> &[Turn] {
        &self.transcript
    }

    /// Whether a turn runs.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// What the desk is told, addressed.
    pub fn desk_event(&self, news: News) -> DeskEvent {
        DeskEvent { call: self.spec.id.clone(), source: self.spec.profile.channel, news }
    }

    fn connected(&mut self, now: Instant) {
        self.lost_until = None;
        if !self.opened {
            self.opened = true;
            self.tell(News::Opened);
            let prompt = self.prompt_name();
            let settings = self.settings.rows();
            let payload = json!({ "prompt": prompt, "responder": self.spec.responder, "settings": settings });
            self.record(Kind::CallStarted, payload);
            self.tell_script();
            self.outbox.push_back(Output::Remember);
        }
        if !self.spec.profile.bot {
            return; // an operator greets
        }
        let known = self.details.is_some();
        let settings = Arc::clone(&self.settings);
        let template = settings.text(&settings::RETELL_GREETING, self.spec.profile.channel);
        if self.greeting.connected(template, known, now) {
            self.greet();
        }
    }

    fn lost(&mut self, clean: bool, now: Instant) {
        self.note_cut();
        self.abandon_answer(); // a suggestion's reader is still there
        self.greeting.interrupted();
        let profile = self.spec.profile;
        let grace = Duration::from_secs(profile.grace.resolve(&self.settings, profile.channel) as u64);
        let clean_grace = Duration::from_secs(profile.grace_clean).min(grace);
        self.lost_until = Some(now + if clean { clean_grace } else { grace });
        self.tell(News::Lost);
        self.outbox.push_back(Output::Remember); // that no turn runs: a rebuilt call would end it again
    }

    fn tick(&mut self, now: Instant) {
        if self.lost_until.is_some_and(|until| until <= now) {
            return self.end("not_redialled");
        }
        if self.greeting.tick(now) {
            self.greet();
        }
        self.wait_no_longer(now);
        self.by_hand_no_longer(now);
        self.paused(now);
    }

    /// The call broke again and again: it says so, promises a call back and asks the peer to hang up once
    /// that was spoken.
    fn broken(&mut self, reply: Option<ReplyId>) {
        self.abandon();
        self.record(Kind::CallBroken, json!({ "turn": self.turn }));
        self.request_callback("broken");
        self.greeting = Greeting::Told; // who takes leave greets no more
        let reply = reply.or(self.reply).unwrap_or(ReplyId(0));
        self.reply = Some(reply);
        self.outbox.push_back(Output::Say { reply, text: BROKEN.es.to_owned() });
        self.outbox.push_back(Output::Close { reply, then: Closing::HangUp });
        self.outbox.push_back(Output::Remember);
    }

    fn end(&mut self, reason: &'static str) {
        self.note_cut();
        self.abandon_answer();
        self.clear(Gone::Ended);
        self.greeting = Greeting::Told;
        self.settle_lines();
        self.ended = true;
        self.lost_until = None;
        let record = self.write_down(Of::After);
        self.tell(News::Closed);
        self.record(Kind::CallEnded, json!({ "reason": reason }));
        record.into_iter().for_each(|record| self.assign(record));
        self.outbox.push_back(Output::End);
    }

    /// Takes the transcript as it stands and tells the desk which lines are new.
    fn heard(&mut self, turns: Vec<Turn>) {
        self.transcript.truncate(turns.len());
        for (index, turn) in turns.into_iter().enumerate() {
            self.hear(index, turn);
        }
        self.read_documents();
    }

    /// Takes one line in: a new one, or what an old one has become.
    fn hear(&mut self, index: usize, turn: Turn) {
        if self.transcript.get(index) == Some(&turn) {
            return;
        }
        let text = self.written(index, &turn);
        let (speaker, place) = (turn.speaker, turn.place);
        self.tell(News::Heard { index, speaker, text, place });
        if speaker == Speaker::Patient {
            self.alert(index, &turn.text);
        }
        match self.transcript.get_mut(index) {
            Some(line) => *line = turn,
            None => self.transcript.push(turn),
        }
    }

    fn tell(&mut self, news: News) {
        self.outbox.push_back(Output::Tell(news));
    }

    fn record(&mut self, kind: Kind, payload: Value) {
        let turn = self.running.as_ref().map_or(TurnId(0), |turn| turn.id);
        self.record_in(turn, kind, payload);
    }

    fn record_in(&mut self, turn: TurnId, kind: Kind, payload: Value) {
        self.outbox.push_back(Output::Record(Event {
            kind,
            call: self.spec.id.clone(),
            source: self.spec.profile.channel,
            turn,
            agent: self.agent.clone(),
            payload,
        }));
    }

    /// Now, in milliseconds since 1970.
    fn unix_ms(&self, now: Instant) -> u64 {
        let (began, ms) = self.spec.began;
        let since = now.saturating_duration_since(began).as_millis();
        ms.saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
    }

    fn prompt_name(&self) -> String {
        format!("{}@{}", self.spec.prompt.key, self.spec.prompt.version)
    }
}
