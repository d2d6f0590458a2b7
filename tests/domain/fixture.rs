//! A call on a clock that the test holds, rows made by hand, and verbs for what happens to a call.
use aura::call::{Call, Closing, Input, Memory, Output, Spec};
use aura::channel::Channel;
use aura::equipment::{Catalogue, Model};
use aura::event::{Kind, News};
use aura::generation::{Failure, FailureKind, Request, Usage};
use aura::ids::{CallId, Dni, ReplyId, TurnId};
use aura::patient::{self, Context};
use aura::prompt::Prompt;
use aura::retrieval::score::Scale;
use aura::retrieval::{Candidate, Chunk, Found, Search};
use aura::settings::Snapshot;
use aura::transcript::{Speaker, Turn};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const M50: &str = "concentradores electricos/m50_sysmedm50.md";
pub const YUWELL: &str = "concentradores electricos/yuwell_7f5.md";
pub const CP501: &str = "concentradores electricos/cp501.md";
pub const INOGEN: &str = "concentradores portatiles/inogen_one.md";
pub const CAP: &str = "cap/recarga.md";
pub const TUBOS: &str = "tubos/tubo_regulador.md";
/// When every call of these tests begins, in milliseconds since 1970.
pub const BEGAN: u64 = 1_700_000_000_000;
pub const BASE: &str = "Sos Aura. Hablás de usted.";

pub fn row(source: &str, label: &str, content: &str) -> Chunk {
    let title = match source {
        M50 => "Concentrador SysMed M50",
        YUWELL => "Concentrador Yuwell 7F-5",
        CP501 => "Concentrador CP501",
        INOGEN => "Concentrador portátil Inogen One",
        _ => "Atención general",
    };
    let text = |text: &str| text.to_owned();
    Chunk {
        source: text(source),
        title: text(title),
        section: text("Alarmas"),
        row: text(label),
        content: text(content),
    }
}

pub fn near(chunk: Chunk, cosine: f32) -> Candidate {
    Candidate { chunk, cosine }
}

/// The row of H08 in the M50's manual.
pub fn h08(cosine: f32) -> Candidate {
    let text = "Qué indica: El código H08 indica una falla.\nQué hacer: Apague el equipo, espere un momento y \
                enciéndalo una sola vez.";
    near(row(M50, "Código H08 / H01", text), cosine)
}

/// Nearest first; 7 ms to embed, 3 ms to search.
pub fn found(manuals: impl IntoIterator<Item = Candidate>) -> Found {
    let manuals = manuals.into_iter().collect();
    Found { manuals, lessons: Vec::new(), embed_ms: 7, query_ms: 3, model: "words".to_owned() }
}

pub fn models(names: &[&str]) -> BTreeSet<Model> {
    names.iter().map(|name| Model::new(name)).collect()
}

pub fn failure(detail: &str) -> Failure {
    Failure { kind: FailureKind::Upstream, detail: detail.to_owned() }
}

pub fn said(speaker: Speaker, text: &str) -> Turn {
    Turn { speaker, text: text.to_owned(), unclear: false, place: None }
}

/// Rows of (name, scope, value), all of which the registry takes.
pub fn settings(rows: &[(&str, &str, Value)]) -> Arc<Snapshot> {
    let (snapshot, refused) = Snapshot::new(
        rows.iter().map(|(name, scope, value)| (name.to_string(), scope.to_string(), value.clone())),
    );
    assert_eq!(refused, []);
    Arc::new(snapshot)
}

/// One call, the conversation so far, and everything that the call ever asked for.
pub struct Line {
    pub call: Call,
    pub spec: Spec,
    /// What the journal would hold: the last memory with its time, and the transcript as it was told.
    pub kept: Option<(Memory, Instant)>,
    pub heard: Vec<Turn>,
    pub now: Instant,
    pub log: Vec<Output>,
    pub turns: Vec<Turn>,
    pub reply: u64,
}

impl Line {
    pub fn on(channel: Channel) -> Self {
        Self::with(channel, settings(&[]))
    }

    pub fn retell() -> Self {
        Self::on(Channel::Retell)
    }

    pub fn with(channel: Channel, settings: Arc<Snapshot>) -> Self {
        Self::prompted(channel, settings, BASE)
    }

    pub fn prompted(channel: Channel, settings: Arc<Snapshot>, body: &str) -> Self {
        let (profile, now) = (channel.profile(), Instant::now());
        let prompt =
            Prompt { key: profile.prompt_key.to_owned(), version: "1.0.0".to_owned(), body: body.to_owned() };
        let spec = Spec {
            id: CallId::parse("call_1").unwrap(),
            profile,
            catalogue: Catalogue::builtin(),
            settings,
            prompt: Arc::new(prompt),
            scale: Scale::Identity,
            responder: "local/quote".to_owned(),
            second_reader: false,
            began: (now, BEGAN),
        };
        let call = Call::new(spec.clone());
        let (log, turns, heard) = (Vec::new(), Vec::new(), Vec::new());
        Self { call, spec, kept: None, heard, now, log, turns, reply: 0 }
    }

    /// Lets one thing happen and takes out all that the call wants done.
    pub fn step(&mut self, input: Input) -> Vec<Output> {
        self.call.handle(input, self.now);
        self.drain()
    }

    /// All that the call wants done, of which the journal keeps what it would.
    pub fn drain(&mut self) -> Vec<Output> {
        let outputs: Vec<Output> = std::iter::from_fn(|| self.call.poll()).collect();
        assert_eq!(self.call.poll(), None, "drained is drained");
        for output in &outputs {
            match output {
                Output::Remember => self.kept = Some((self.call.memory(self.now), self.now)),
                Output::Tell(News::Heard { index, speaker, text, place }) => {
                    let line = Turn {
                        speaker: *speaker,
                        text: text.clone(),
                        unclear: text.is_empty(),
                        place: *place,
                    };
                    self.heard.resize(self.heard.len().max(index + 1), line.clone());
                    self.heard[*index] = line;
                }
                _ => {}
            }
        }
        self.log.extend(outputs.iter().cloned());
        outputs
    }

    pub fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    /// Goes to the deadline and rings.
    pub fn ring(&mut self) -> Vec<Output> {
        self.now = self.now.max(self.call.deadline().expect("a deadline to go to"));
        self.step(Input::Tick)
    }

    /// The patient speaks and the peer wants an answer.
    pub fn patient(&mut self, text: &str) -> Vec<Output> {
        self.turns.push(said(Speaker::Patient, text));
        self.ask()
    }

    /// What the peer heard Aura say.
    pub fn agent(&mut self, text: &str) {
        self.turns.push(said(Speaker::Agent, text));
    }

    /// The peer wants an answer to the transcript as it stands.
    pub fn ask(&mut self) -> Vec<Output> {
        self.reply += 1;
        let (reply, turns) = (ReplyId(self.reply), Some(self.turns.clone()));
        self.step(Input::Asked { reply, turns, reminder: false })
    }

    /// The peer wants an answer to what the call itself has heard.
    pub fn ask_as_it_stands(&mut self) -> Vec<Output> {
        self.reply += 1;
        self.step(Input::Asked { reply: ReplyId(self.reply), turns: None, reminder: false })
    }

    pub fn remind(&mut self) -> Vec<Output> {
        self.reply += 1;
        let (reply, turns) = (ReplyId(self.reply), Some(self.turns.clone()));
        self.step(Input::Asked { reply, turns, reminder: true })
    }

    /// The newest turn that work was asked for.
    pub fn turn(&self) -> TurnId {
        let work = |output: &Output| match output {
            Output::Retrieve { turn, .. } | Output::Generate { turn, .. } => Some(*turn),
            _ => None,
        };
        self.log.iter().rev().find_map(work).expect("a turn")
    }

    pub fn find(&mut self, manuals: impl IntoIterator<Item = Candidate>) -> Vec<Output> {
        let (turn, found) = (self.turn(), Ok(found(manuals)));
        self.step(Input::Retrieved { turn, found })
    }

    pub fn delta(&mut self, text: &str) -> Vec<Output> {
        let (turn, text) = (self.turn(), text.to_owned());
        self.step(Input::Delta { turn, text })
    }

    pub fn finish(&mut self) -> Vec<Output> {
        let turn = self.turn();
        self.step(Input::Finished { turn, usage: Usage::default() })
    }

    /// The model answers with one sentence, which the peer hears.
    pub fn answer(&mut self, text: &str) -> Vec<Output> {
        let mut outputs = self.delta(text);
        outputs.extend(self.finish());
        self.agent(text);
        outputs
    }

    pub fn details(&mut self, pairs: &[(&str, &str)]) -> Vec<Output> {
        let pairs = pairs.iter().map(|(key, value)| (key.to_string(), value.to_string()));
        self.step(Input::Details { variables: pairs.collect::<BTreeMap<_, _>>(), phone: None })
    }

    /// The operator types the patient's document, and the patients' system knows it.
    pub fn on_file(&mut self, names: &[&str]) {
        let outputs = self.step(Input::Typed(dni(DOCUMENT)));
        self.step(looked_up(asked_for(&outputs).expect("a look-up"), names));
    }
}

/// Whose document it is.
pub const DOCUMENT: &str = "23456789";

pub fn dni(digits: &str) -> Dni {
    Dni::parse(digits).expect("a document")
}

/// The question to the patients' system.
pub fn asked_for(outputs: &[Output]) -> Option<(u32, Dni)> {
    outputs.iter().find_map(|output| match output {
        Output::LookUp { ask, dni } => Some((*ask, *dni)),
        _ => None,
    })
}

/// Its answer: a patient with this equipment.
pub fn looked_up((ask, dni): (u32, Dni), names: &[&str]) -> Input {
    let found = patient::Found::Found(Context { models: models(names) });
    Input::LookedUp { ask, dni, found, source: "mock" }
}

pub fn search(outputs: &[Output]) -> Option<&Search> {
    outputs.iter().find_map(|output| match output {
        Output::Retrieve { search, .. } => Some(search),
        _ => None,
    })
}

/// The manuals of the search's filter, without the folders that are always open.
pub fn sources(outputs: &[Output]) -> Option<Vec<String>> {
    let filter = search(outputs).expect("a search").filter.as_ref()?;
    Some(filter.sources.iter().cloned().collect())
}

pub fn request(outputs: &[Output]) -> &Request {
    let requests = outputs.iter().find_map(|output| match output {
        Output::Generate { request, .. } => Some(request.as_ref()),
        _ => None,
    });
    requests.expect("a request to the model")
}

pub fn last_message(outputs: &[Output]) -> &str {
    &request(outputs).messages.last().expect("messages").content
}

pub fn events(outputs: &[Output], kind: Kind) -> Vec<&Value> {
    let payloads = outputs.iter().filter_map(|output| match output {
        Output::Record(event) if event.kind == kind => Some(&event.payload),
        _ => None,
    });
    payloads.collect()
}

/// The only `knowledge_queried` of these outputs.
pub fn queried(outputs: &[Output]) -> &Value {
    let all = events(outputs, Kind::KnowledgeQueried);
    assert_eq!(all.len(), 1, "one knowledge_queried: {outputs:#?}");
    all[0]
}

pub fn spoken(outputs: &[Output]) -> Vec<(u64, &str)> {
    let said = outputs.iter().filter_map(|output| match output {
        Output::Say { reply, text } => Some((reply.0, text.as_str())),
        _ => None,
    });
    said.collect()
}

/// (reply, whether the call ends) of each closing.
pub fn closed(outputs: &[Output]) -> Vec<(u64, bool)> {
    let closings = outputs.iter().filter_map(|output| match output {
        Output::Close { reply, then } => Some((reply.0, *then == Closing::HangUp)),
        _ => None,
    });
    closings.collect()
}

pub fn news(outputs: &[Output]) -> Vec<&News> {
    let told = outputs.iter().filter_map(|output| match output {
        Output::Tell(news) => Some(news),
        _ => None,
    });
    told.collect()
}
