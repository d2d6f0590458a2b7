//! One call's actor on a paused clock: whom it talks to is the test, or real actors with neighbours that obey.
use actix::prelude::*;
use aura::call::{Closing, Input, Spec};
use aura::channel::{Profile, RETELL};
use aura::equipment::Catalogue;
use aura::event::{Event, Kind, News};
use aura::generation::Usage;
use aura::ids::{CallId, ReplyId, TurnId};
use aura::prompt::Prompt;
use aura::protocol::retell;
use aura::retrieval::score::Scale;
use aura::retrieval::{Candidate, Chunk, Found};
use aura::settings::Snapshot;
use aura::transcript::{Speaker, Turn};
use aura_actors::call::{Attach, CallActor, Happened, Origin, Speech, Wires};
use aura_actors::desk::Tell;
use aura_actors::journal::{CallLine, Entry, Fact, Record};
use aura_actors::llm::Generate;
use aura_actors::rag::{Of, Retrieve};
use aura_actors::secret::Secret;
use aura_actors::vault::Vault;
use serde_json::Value;
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, pause, sleep};

/// The manual's row that the tests find.
pub const ROW: &str = "Qué hacer: Apague el equipo, espere un momento y enciéndalo una sola vez.";
/// What the model says of it.
pub const STEP: &str = "Apague el equipo, espere un momento y enciéndalo una sola vez.";

thread_local! {
    /// How many of the next answers break their call. Each test runs on a thread of its own.
    static FUSE: Cell<usize> = const { Cell::new(0) };
}

/// The next so many answers panic inside `Call::handle`, as they are completed.
pub fn break_next(answers: usize) {
    FUSE.set(answers);
}

/// How many answers are still to panic.
pub fn to_break() -> usize {
    FUSE.get()
}

fn payload(answered: &aura::call::Answered) -> Value {
    if FUSE.get() > 0 {
        FUSE.set(FUSE.get() - 1);
        panic!("told to break");
    }
    retell::suggestion_payload(answered)
}

/// Retell's row of the table, but for what completes an answer.
static FRAGILE: Profile = Profile { suggestion_payload: Some(payload), ..RETELL };

/// Takes whatever it is sent, for the test to look at.
pub struct Tap<M>(mpsc::UnboundedSender<M>);

impl<M: Send + Unpin + 'static> Tap<M> {
    fn open() -> (Addr<Self>, mpsc::UnboundedReceiver<M>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender).start(), receiver)
    }
}

impl<M: Unpin + 'static> Actor for Tap<M> {
    type Context = Context<Self>;
}

impl<M: Message<Result = ()> + Send + Unpin + 'static> Handler<M> for Tap<M> {
    type Result = ();

    fn handle(&mut self, message: M, _: &mut Self::Context) {
        drop(self.0.send(message));
    }
}

/// Who answers a call's searches and asks.
pub struct Ports {
    /// Searches.
    pub rag: Recipient<Retrieve>,
    /// Answers.
    pub llm: Recipient<Generate>,
}

/// One call with its socket; what it does comes out of the receivers.
pub struct Stage {
    /// The call.
    pub call: Addr<CallActor>,
    /// What it says.
    pub speech: mpsc::Receiver<Speech>,
    searches: mpsc::UnboundedReceiver<Retrieve>,
    asks: mpsc::UnboundedReceiver<Generate>,
    news: mpsc::UnboundedReceiver<Tell>,
    records: mpsc::UnboundedReceiver<Record>,
    told: Vec<News>,
    kept: Vec<Entry>,
    turns: Vec<Turn>,
    reply: u64,
    _settings: watch::Sender<Arc<Snapshot>>,
}

impl Stage {
    /// A call whose searches and asks the test answers itself.
    pub async fn set(id: &str, rows: &[(&str, Value)]) -> Self {
        Self::with(id, rows, None).await
    }

    /// A call that is greeted, the first of its test; `ports` answer it, or the test does.
    pub async fn with(id: &str, rows: &[(&str, Value)], ports: Option<Ports>) -> Self {
        pause();
        Self::beside(id, rows, ports).await
    }

    /// A further call of the same test.
    pub async fn beside(id: &str, rows: &[(&str, Value)], ports: Option<Ports>) -> Self {
        let (snapshot, refused) = Snapshot::new(
            rows.iter().map(|(name, value)| ((*name).to_owned(), "global".to_owned(), value.clone())),
        );
        assert_eq!(refused, []);
        let (sender, receiver) = watch::channel(Arc::new(snapshot));
        let body = "Es Aura. Habla siempre de usted con quien llama a la mesa de ayuda.".to_owned();
        let prompt = Prompt { key: "agent_identity".to_owned(), version: "1.0.0".to_owned(), body };
        let spec = Spec {
            id: CallId::parse(id).unwrap(),
            profile: &FRAGILE,
            catalogue: Catalogue::builtin(),
            settings: Arc::clone(&receiver.borrow()),
            prompt: Arc::new(prompt),
            scale: Scale::Identity,
            responder: "test/test".to_owned(),
            second_reader: false,
            began: (Instant::now().into_std(), 0),
        };
        let ((rag, searches), (llm, asks)) = (Tap::open(), Tap::open());
        let ((desk, news), (journal, records)) = (Tap::open(), Tap::open());
        let ports = ports.unwrap_or(Ports { rag: rag.recipient(), llm: llm.recipient() });
        let ((lookup, _), (equipment, _), (summary, _)) = (Tap::open(), Tap::open(), Tap::open());
        let wires = Wires {
            rag: ports.rag,
            llm: ports.llm,
            desk: desk.recipient(),
            journal: journal.recipient(),
            lookup: lookup.recipient(),
            equipment: equipment.recipient(),
            reader: None,
            summary: summary.recipient(),
            vault: Vault::open(Some(&Secret::new("k".repeat(32))), Path::new("unused")).unwrap(),
        };
        let origin = Origin { spec, before: None };
        let call = CallActor::new(origin, wires, receiver, Box::new(|| {})).start();
        let (outbox, speech) = mpsc::channel(128);
        call.send(Attach { socket: 1, outbox }).await.unwrap();
        let (told, kept, turns) = (Vec::new(), Vec::new(), Vec::new());
        let mut stage = Self {
            call,
            speech,
            searches,
            asks,
            news,
            records,
            told,
            kept,
            turns,
            reply: 0,
            _settings: sender,
        };
        let greeting = stage.answer(0).await;
        assert!(greeting.0.contains("Aura"), "greeted: {greeting:?}");
        stage
    }

    /// Something happens to the call, and is done.
    pub async fn happen(&self, input: Input) {
        self.call.send(Happened(input)).await.unwrap();
    }

    /// The patient speaks and the peer wants an answer; answers its number.
    pub async fn ask(&mut self, text: &str) -> u64 {
        self.turns.push(Turn {
            speaker: Speaker::Patient,
            text: text.to_owned(),
            unclear: false,
            place: None,
        });
        self.reply += 1;
        let (reply, turns) = (ReplyId(self.reply), Some(self.turns.clone()));
        self.happen(Input::Asked { reply, turns, reminder: false }).await;
        self.reply
    }

    /// All that is said under this number up to its close, and how it is closed. Any other number fails.
    pub async fn answer(&mut self, reply: u64) -> (String, Closing) {
        let mut said = Vec::new();
        loop {
            match self.speech.recv().await.expect("the call still speaks") {
                Speech::Say { reply: of, text } => {
                    assert_eq!(of.0, reply, "{text}");
                    said.push(text);
                }
                Speech::Close { reply: of, then } => {
                    assert_eq!(of.0, reply);
                    return (said.join(" "), then);
                }
                other => panic!("{other:?} instead of answer {reply}"),
            }
        }
    }

    /// Everything that is said until `until` has passed, with its millisecond from now on: the hundreds and
    /// tens of it, since each timer may be one late.
    pub async fn listen(&mut self, until: Instant) -> Vec<(u128, Speech)> {
        let (started, mut heard) = (Instant::now(), Vec::new());
        while let Ok(Some(speech)) = tokio::time::timeout_at(until, self.speech.recv()).await {
            heard.push((started.elapsed().as_millis() / 10 * 10, speech));
        }
        heard
    }

    /// The search that the call asks for is answered with the row of H08.
    pub async fn find(&mut self) {
        let search = self.searches.recv().await.expect("a search");
        let chunk = Chunk {
            source: "concentradores electricos/m50_sysmedm50.md".to_owned(),
            title: "Concentrador SysMed M50".to_owned(),
            section: "Alarmas".to_owned(),
            row: "Código H08".to_owned(),
            content: ROW.to_owned(),
        };
        let manuals = vec![Candidate { chunk, cosine: 0.9 }];
        let found = Found { manuals, model: "words".to_owned(), ..Found::default() };
        let Of::Turn(turn) = search.of else { panic!("a search by hand") };
        self.happen(Input::Retrieved { turn, found: Ok(found) }).await;
    }

    /// The model answers the newest ask.
    pub async fn speak(&mut self, text: &str) -> TurnId {
        let mut ask = self.asks.recv().await.expect("an ask");
        while let Ok(newer) = self.asks.try_recv() {
            ask = newer;
        }
        let turn = ask.turn;
        self.happen(Input::Delta { turn, text: text.to_owned() }).await;
        self.happen(Input::Finished { turn, usage: Usage::default() }).await;
        turn
    }

    /// One whole turn about H08, which locks its row.
    pub async fn lock(&mut self) {
        let reply = self.ask("Hola, tengo un concentrador M50 y me marca error H08").await;
        self.find().await;
        self.speak(STEP).await;
        assert_eq!(self.answer(reply).await, (STEP.to_owned(), Closing::Stay));
    }

    /// Whether a search was asked for since the last look.
    pub fn searched(&mut self) -> bool {
        self.searches.try_recv().is_ok()
    }

    /// What the desk was told so far.
    pub async fn told(&mut self) -> Vec<News> {
        self.settle().await;
        while let Ok(Tell(event)) = self.news.try_recv() {
            self.told.push(event.news);
        }
        self.told.clone()
    }

    /// The facts so far.
    pub async fn events(&mut self) -> Vec<Event> {
        let entries = self.entries().await.into_iter();
        let event = |entry: Entry| match entry.fact {
            Fact::Event(event) => Some(event),
            _ => None,
        };
        entries.filter_map(event).collect()
    }

    /// The facts of one kind so far.
    pub async fn events_of(&mut self, kind: Kind) -> Vec<Event> {
        self.events().await.into_iter().filter(|event| event.kind == kind).collect()
    }

    /// The journal's lines so far, whose numbers must count from 1 without a gap.
    pub async fn lines(&mut self) -> Vec<CallLine> {
        let entries = self.entries().await.into_iter();
        let line = |entry: Entry| match entry.fact {
            Fact::Line(line) => Some(line),
            _ => None,
        };
        let lines: Vec<CallLine> = entries.filter_map(line).collect();
        let numbers = lines.iter().map(|line| line.seq);
        assert!(numbers.eq(1..=lines.len() as u64), "numbered from 1 without a gap: {lines:#?}");
        lines
    }

    async fn entries(&mut self) -> Vec<Entry> {
        self.settle().await;
        while let Ok(Record(entries)) = self.records.try_recv() {
            self.kept.extend(entries);
        }
        self.kept.clone()
    }

    /// Lets the recorders take what is on its way to them.
    async fn settle(&self) {
        sleep(Duration::from_millis(1)).await;
    }
}
