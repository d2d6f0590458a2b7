//! Summaries that a model words, and calls that nobody redialled: what is kept and shown of them, and when nothing is.
use crate::neighbours::{Mood, Neighbour};
use crate::support::openai::{Answer, StandIn};
use actix::prelude::*;
use aura::call::{Call, Input, Output, Spec};
use aura::channel::Channel;
use aura::equipment::Catalogue;
use aura::event::{Kind, News};
use aura::ids::{CallId, ReplyId};
use aura::prompt::Prompt;
use aura::retrieval::Chunk;
use aura::retrieval::score::Scale;
use aura::settings::Snapshot;
use aura::summary::{Assignment, By, Of};
use aura::transcript::{Speaker, Turn};
use aura_actors::breaker::{Breaker, State};
use aura_actors::calls::{Blueprint, Calls, Shared};
use aura_actors::desk::Tell;
use aura_actors::journal::{Accept, Entry, Fact, NotKept, Recalled, Record, Remembered};
use aura_actors::llm::Llm;
use aura_actors::llm::openai::OpenAiLlm;
use aura_actors::openai::{CONNECT, Http};
use aura_actors::secret::Secret;
use aura_actors::summary::{AT_ONCE, DEADLINE, PLACES, Summarise, SummaryActor};
use aura_actors::vault::Vault;
use jiff::Timestamp;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, pause, sleep, timeout};

const SAID: &str = "mi M50 me marca H08, ¿qué hago? Mi DNI es 30.123.456";

/// A call of one question, whose channel wants a model's words.
fn call() -> (Call, Spec) {
    let rows = [("summary.byModel".to_owned(), "global".to_owned(), json!(true))];
    let (settings, refused) = Snapshot::new(rows);
    assert_eq!(refused, []);
    let prompt =
        Prompt { key: "agent_identity".to_owned(), version: "1.0.0".to_owned(), body: "Es Aura.".to_owned() };
    let spec = Spec {
        id: CallId::parse("call_1").unwrap(),
        profile: Channel::Retell.profile(),
        catalogue: Catalogue::builtin(),
        settings: Arc::new(settings),
        prompt: Arc::new(prompt),
        scale: Scale::Identity,
        responder: "test/test".to_owned(),
        second_reader: false,
        began: (Instant::now().into_std(), 0),
    };
    let mut call = Call::new(spec.clone());
    let turns =
        Some(vec![Turn { speaker: Speaker::Patient, text: SAID.to_owned(), unclear: false, place: None }]);
    for input in [Input::PeerConnected, Input::Asked { reply: ReplyId(1), turns, reminder: false }] {
        call.handle(input, Instant::now().into_std());
        while call.poll().is_some() {}
    }
    (call, spec)
}

/// What that call hands out as it ends.
fn assignment() -> Box<Assignment> {
    let (mut call, _) = call();
    call.handle(Input::HungUp, Instant::now().into_std());
    let work = std::iter::from_fn(|| call.poll()).find_map(|output| match output {
        Output::Summarise(work) => Some(work),
        _ => None,
    });
    work.expect("a summary to be worded")
}

fn row() -> Chunk {
    Chunk {
        source: "concentradores electricos/m50_sysmedm50.md".to_owned(),
        title: "Concentrador SysMed M50".to_owned(),
        section: "Alarmas".to_owned(),
        row: "H08".to_owned(),
        content: "Código H08. Qué indica: el código H08 señala una falla del equipo.".to_owned(),
    }
}

/// Journal and desk: what reaches them, in order.
struct Office {
    heard: UnboundedSender<Heard>,
    full: bool,
}

#[derive(Debug)]
enum Heard {
    Kept(Entry),
    Told(News),
}

impl Actor for Office {
    type Context = Context<Self>;
}

impl Handler<Accept> for Office {
    type Result = Result<(), NotKept>;

    fn handle(&mut self, Accept(entry): Accept, _: &mut Self::Context) -> Self::Result {
        if self.full {
            return Err(NotKept::Full);
        }
        self.heard.send(Heard::Kept(entry)).map_err(|_| NotKept::Stopped)
    }
}

impl Handler<Tell> for Office {
    type Result = ();

    fn handle(&mut self, Tell(event): Tell, _: &mut Self::Context) {
        drop(self.heard.send(Heard::Told(event.news)));
    }
}

impl Handler<Record> for Office {
    type Result = ();

    fn handle(&mut self, Record(entries): Record, _: &mut Self::Context) {
        for entry in entries {
            drop(self.heard.send(Heard::Kept(entry)));
        }
    }
}

/// The actor, with this many permits of the model.
struct Rig {
    actor: Addr<SummaryActor>,
    breaker: Breaker,
    heard: UnboundedReceiver<Heard>,
}

impl Rig {
    fn new(llm: Arc<dyn Llm>, permits: usize, full: bool) -> Self {
        let (heard, receiver) = unbounded_channel();
        let office = Office { heard, full }.start();
        let (breaker, permits) = (Breaker::new("model"), Arc::new(Semaphore::new(permits)));
        let (journal, desk) = (office.clone().recipient(), office.recipient());
        let actor = SummaryActor::new(llm, permits, breaker.clone(), journal, desk).start();
        Self { actor, breaker, heard: receiver }
    }

    /// Everything that reaches journal and desk until nothing more will.
    async fn all(self) -> Vec<Heard> {
        let Self { actor, mut heard, .. } = self;
        drop(actor);
        let mut all = Vec::new();
        while let Some(one) = timeout(Duration::from_secs(600), heard.recv()).await.expect("it ends") {
            all.push(one);
        }
        all
    }
}

#[actix_rt::test]
async fn issue6_a_models_summary_is_kept_then_shown_and_holds_no_invented_figure() {
    let pieces =
        ["**Consultó** por el código H08 en su M50. Se le dijo que ", "espere 45 minutos. Quedó conforme."];
    let server = StandIn::responding(move |_, _| Answer::spoken(&pieces)).await;
    let model = OpenAiLlm::new(server.base_url(), None, "redactor");
    let llm = Arc::new(model.adapter(&Http::new(CONNECT).unwrap()).unwrap());
    let rig = Rig::new(llm, 4, false);
    let mut work = assignment();
    work.record.rows = vec![row()]; // as if the row had been found before the end
    rig.actor.do_send(Summarise(work));
    let all = rig.all().await;
    let [Heard::Kept(Entry { fact: Fact::Event(event), .. }), Heard::Told(News::Summary(note))] = &all[..]
    else {
        panic!("kept, then shown: {all:?}")
    };
    assert_eq!(
        (event.kind, event.call.as_str(), event.source),
        (Kind::CallSummarised, "call_1", Channel::Retell)
    );
    assert_eq!(
        (&event.payload["by"], &event.payload["responder"]),
        (&json!("model"), &json!("openai/redactor"))
    );
    assert_eq!((note.of, note.by), (Of::After, By::Model));
    let text = &note.summary.text;
    assert!(text.starts_with("Consultó por el código H08 en su M50. Quedó conforme.\n"), "{text}");
    assert!(!text.contains("45 min") && text.contains("Queda pendiente:"), "{text}");
    let asked = server.received();
    assert_eq!(asked.len(), 1, "one try");
    let sent = asked[0].body.to_string();
    assert!(sent.contains("H08") && !sent.contains("30.123.456") && !sent.contains("30123456"), "{sent}");
}

#[actix_rt::test]
async fn issue6_where_the_model_fails_the_rules_summary_stands() {
    pause();
    for mood in [Mood::Fails, Mood::Refuses, Mood::Mute] {
        let model = Arc::new(Neighbour::new(mood));
        let rig = Rig::new(model.clone(), 4, false);
        let breaker = rig.breaker.clone();
        let began = Instant::now();
        rig.actor.do_send(Summarise(assignment()));
        assert!(rig.all().await.is_empty(), "{mood:?}: nothing is kept, nothing shown");
        assert_eq!(model.asked(), 1, "{mood:?}: once");
        assert!(began.elapsed() <= DEADLINE + Duration::from_secs(1), "{mood:?}: {:?}", began.elapsed());
        assert_eq!(breaker.state().0, State::Closed);
    }
}

#[actix_rt::test]
async fn issue6_live_calls_come_first_and_what_is_not_on_record_is_not_shown() {
    pause();
    let model = Arc::new(Neighbour::new(Mood::Well(Duration::from_millis(10))));
    let busy = Rig::new(model.clone(), 0, false);
    busy.actor.do_send(Summarise(assignment()));
    assert!(busy.all().await.is_empty());
    assert_eq!(model.asked(), 0, "calls have all permits");
    let full = Rig::new(model.clone(), 4, true);
    full.actor.do_send(Summarise(assignment()));
    assert!(full.all().await.is_empty(), "the journal refuses, so the desk isn't told");
    assert_eq!(model.asked(), 1);
}

#[actix_rt::test]
async fn i7_few_are_worded_at_once_and_no_more_wait_than_there_are_places() {
    pause();
    let model = Arc::new(Neighbour::new(Mood::Well(Duration::from_secs(1))));
    let rig = Rig::new(model.clone(), 16, false);
    for _ in 0..PLACES * 2 {
        rig.actor.do_send(Summarise(assignment()));
    }
    sleep(Duration::from_millis(500)).await;
    assert_eq!(model.asked(), AT_ONCE);
    let all = rig.all().await;
    assert_eq!((model.asked(), all.len()), (PLACES, PLACES * 2), "each kept and shown; the rest refused");
}

/// Takes what it is sent, and does nothing.
struct Deaf;

impl Actor for Deaf {
    type Context = Context<Self>;
}

impl<M: Message<Result = ()> + Send> Handler<M> for Deaf {
    type Result = ();

    fn handle(&mut self, _: M, _: &mut Self::Context) {}
}

#[actix_rt::test]
async fn issue6_a_call_that_nobody_redialled_is_written_down_as_it_ends() {
    pause();
    let (before, spec) = call();
    let (heard, mut office) = unbounded_channel();
    let (worded, mut summaries) = unbounded_channel();
    let place = Office { heard, full: false }.start();
    let (deaf, clerk) = (Deaf.start(), Clerk(worded).start());
    let wires = Shared {
        rag: deaf.clone().recipient(),
        desk: place.clone().recipient(),
        journal: place.recipient(),
        lookup: deaf.clone().recipient(),
        equipment: deaf.recipient(),
        reader: None,
        summary: clerk.recipient(),
        vault: Vault::open(Some(&Secret::new("k".repeat(32))), Path::new("unused")).unwrap(),
    };
    let (_settings, settings) = watch::channel(Arc::clone(&spec.settings));
    // Its prompt isn't there any more: it ends all the same.
    let (_prompts, prompts) = watch::channel(Arc::default());
    let (catalogue, scale, responder) = (spec.catalogue, spec.scale, spec.responder.clone());
    let calls = Calls::new(Blueprint { catalogue, scale, responder, wires, settings, prompts, max_calls: 4 });
    let now = Timestamp::now();
    let remembered = Remembered {
        memory: before.memory(Instant::now().into_std()),
        sealed: None,
        at: now,
        last: now,
        transcript: before.transcript().to_vec(),
        seq: 41,
    };
    calls.recall(vec![Recalled { id: spec.id, source: Channel::Retell, remembered, first_segment: 1 }]);
    let (mut kinds, mut seqs, mut told) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        match office.recv().await.expect("it ends") {
            Heard::Told(news) => told.push(news),
            Heard::Kept(Entry { fact: Fact::Event(event), .. }) => kinds.push(event.kind),
            Heard::Kept(Entry { fact: Fact::Line(line), .. }) => {
                seqs.push(line.seq);
                if line.line.what == "ended" {
                    break;
                }
            }
            Heard::Kept(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(
        kinds,
        [Kind::CallRebuilt, Kind::TurnAborted, Kind::CallSummarised, Kind::CallEnded],
        "in the order in which it happened"
    );
    assert!(seqs.iter().copied().eq(42..42 + seqs.len() as u64), "numbered on: {seqs:?}");
    let shown = |news: &&News| matches!(news, News::Summary(_) | News::Closed);
    let shown: Vec<&News> = told.iter().filter(shown).collect();
    let [News::Summary(note), News::Closed] = shown[..] else { panic!("{told:?}") };
    assert!(note.summary.text.contains("Sin responder: «mi M50 me marca H08"), "{}", note.summary.text);
    let Summarise(work) = summaries.recv().await.expect("a model may word it");
    assert_eq!(work.call.as_str(), "call_1");
}

/// Takes the work for a model.
struct Clerk(UnboundedSender<Summarise>);

impl Actor for Clerk {
    type Context = Context<Self>;
}

impl Handler<Summarise> for Clerk {
    type Result = ();

    fn handle(&mut self, work: Summarise, _: &mut Self::Context) {
        drop(self.0.send(work));
    }
}
