//! A database for the journal to write to, which fails when and how a test says.
use async_trait::async_trait;
use aura::call::trace::Line;
use aura::channel::Channel;
use aura::ids::{CallId, TurnId};
use aura_actors::journal::{AppendError, CallLine, Entry, EventLog, Fact};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

/// How long a test waits for what must come, before it fails.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How the database behaves at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// It takes what it is given.
    Fair,
    /// It isn't there.
    Away,
    /// Every other batch fails; of those, every other was written all the same and only its answer was lost.
    Changing,
}

struct Pages {
    weather: Weather,
    tries: usize,
    rows: Vec<Entry>,
    known: HashSet<Uuid>,
    refused: HashSet<Uuid>,
}

/// What it took, each fact once by its key, in the order in which it came.
pub struct Book(Mutex<Pages>);

impl Book {
    /// An empty one.
    pub fn new(weather: Weather) -> Self {
        let (known, refused) = (HashSet::new(), HashSet::new());
        Self(Mutex::new(Pages { weather, tries: 0, rows: Vec::new(), known, refused }))
    }

    /// Changes its behaviour.
    pub fn turns(&self, weather: Weather) {
        self.0.lock().unwrap().weather = weather;
    }

    /// Refuses any batch with this fact in it, now and always.
    pub fn refuses(&self, id: Uuid) {
        self.0.lock().unwrap().refused.insert(id);
    }

    /// The numbers of the lines that it has.
    pub fn numbers(&self) -> Vec<u64> {
        let number = |entry: &Entry| match &entry.fact {
            Fact::Line(line) => line.seq,
            _ => panic!("these tests write lines"),
        };
        self.0.lock().unwrap().rows.iter().map(number).collect()
    }

    /// How often it was asked.
    pub fn tries(&self) -> usize {
        self.0.lock().unwrap().tries
    }

    /// Waits until it has so many.
    pub async fn holds(&self, count: usize) -> Vec<u64> {
        let enough = async {
            while self.numbers().len() < count {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let came = timeout(PATIENCE, enough).await;
        assert!(came.is_ok(), "{count} facts never came; there are {:?}", self.numbers());
        self.numbers()
    }
}

impl Pages {
    fn write(&mut self, entries: &[Entry]) {
        for entry in entries {
            if self.known.insert(entry.id) {
                self.rows.push(entry.clone());
            }
        }
    }
}

#[async_trait]
impl EventLog for Book {
    async fn append(&self, entries: &[Entry]) -> Result<(), AppendError> {
        let mut pages = self.0.lock().unwrap();
        pages.tries += 1;
        if pages.weather == Weather::Away {
            return Err(AppendError::Away("told to be away".to_owned()));
        }
        if entries.iter().any(|entry| pages.refused.contains(&entry.id)) {
            return Err(AppendError::Refused("told to refuse".to_owned()));
        }
        let fails = pages.weather == Weather::Changing && pages.tries % 2 == 1;
        if !fails || pages.tries % 4 == 1 {
            pages.write(entries);
        }
        if fails { Err(AppendError::Away("told to come and go".to_owned())) } else { Ok(()) }
    }
}

/// The `number`th line of one call.
pub fn line(number: u64) -> Entry {
    line_with(number, json!(number))
}

/// The same with a detail of its own.
pub fn line_with(seq: u64, detail: Value) -> Entry {
    entry(seq, "said", detail)
}

/// The same of another kind.
pub fn line_of(seq: u64, what: &str) -> Entry {
    entry(seq, what, Value::Null)
}

fn entry(seq: u64, what: &str, detail: Value) -> Entry {
    let line = Line { what: what.to_owned(), turn: TurnId(0), detail };
    let call = CallId::parse("told").unwrap();
    Entry::now(Fact::Line(CallLine { call, source: Channel::Retell, seq, line }))
}
