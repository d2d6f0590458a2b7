//! A patients' system and a cache that do as they are told, and the adapters that need no server.
use async_trait::async_trait;
use aura::equipment::{Catalogue, Model};
use aura::ids::Dni;
use aura::patient::{Answer, Cause, Context, Device, Devices};
use aura_actors::config::{Config, ConfigError};
use aura_actors::lookup::PatientCache;
use aura_actors::patients::mock::Mock;
use aura_actors::patients::{PatientLookup, Provider, open};
use aura_actors::store::StoreError;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::sleep;

/// What a request comes to.
#[derive(Clone, Debug)]
pub enum Step {
    Now(Answer),
    After(Duration, Answer),
    Hangs,
    Panics,
}

/// A patient with these models, a device each.
pub fn patient(models: &[&str]) -> Answer {
    let device = |model: &&str| Device {
        name: format!("Equipo {model}"),
        brand: None,
        sku: None,
        category: Some("concentrador".to_owned()),
    };
    let context = Context { models: models.iter().map(|model| Model::new(model)).collect() };
    Answer::Found(context, Devices::new(models.iter().map(device).collect()))
}

/// The system.
#[derive(Default)]
pub struct System(Mutex<Script>);

#[derive(Default)]
struct Script {
    steps: VecDeque<Step>,
    then: Option<Step>,
    quiet: Duration,
    asked: usize,
    now: usize,
    at_once: usize,
}

impl System {
    /// Answers so, in order.
    pub fn will(&self, steps: impl IntoIterator<Item = Step>) {
        self.0.lock().unwrap().steps.extend(steps);
    }

    /// Answers so from now on.
    pub fn always(&self, answer: Answer) {
        self.0.lock().unwrap().then = Some(Step::Now(answer));
    }

    /// Answers so from now on, each after so long.
    pub fn always_after(&self, time: Duration, answer: Answer) {
        self.0.lock().unwrap().then = Some(Step::After(time, answer));
    }

    /// Wants to be left alone for so long after each answer.
    pub fn wants_quiet(&self, time: Duration) {
        self.0.lock().unwrap().quiet = time;
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.0.lock().unwrap().asked
    }

    /// The most requests at one time.
    pub fn at_once(&self) -> usize {
        self.0.lock().unwrap().at_once
    }
}

#[async_trait]
impl PatientLookup for System {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn by_dni(&self, _: Dni) -> Answer {
        let step = {
            let mut script = self.0.lock().unwrap();
            script.asked += 1;
            script.now += 1;
            script.at_once = script.at_once.max(script.now);
            script.steps.pop_front().or_else(|| script.then.clone()).expect("a step")
        };
        let answer = match step {
            Step::Now(answer) => answer,
            Step::After(time, answer) => {
                sleep(time).await;
                answer
            }
            Step::Hangs => std::future::pending().await,
            Step::Panics => panic!("told to"),
        };
        self.0.lock().unwrap().now -= 1;
        answer
    }

    fn pause(&self) -> Duration {
        self.0.lock().unwrap().quiet
    }
}

/// The cache.
#[derive(Default)]
pub struct Shelf {
    rows: Mutex<BTreeMap<String, BTreeSet<Model>>>,
    mood: Mutex<(bool, Option<Duration>)>,
}

impl Shelf {
    /// Fails from now on, or works again.
    pub fn breaks(&self, broken: bool) {
        self.mood.lock().unwrap().0 = broken;
    }

    /// Takes so long from now on.
    pub fn slow(&self, time: Duration) {
        self.mood.lock().unwrap().1 = Some(time);
    }

    /// Never answers again.
    pub fn hangs(&self) {
        self.slow(Duration::from_secs(1_000_000));
    }

    /// Whose models are kept.
    pub fn keys(&self) -> Vec<String> {
        self.rows.lock().unwrap().keys().cloned().collect()
    }

    async fn work<T>(
        &self,
        work: impl FnOnce(&mut BTreeMap<String, BTreeSet<Model>>) -> T,
    ) -> Result<T, StoreError> {
        let (broken, time) = *self.mood.lock().unwrap();
        if let Some(time) = time {
            sleep(time).await;
        }
        if broken {
            Err(StoreError::Outage("told to fail".into()))
        } else {
            Ok(work(&mut self.rows.lock().unwrap()))
        }
    }
}

#[async_trait]
impl PatientCache for Shelf {
    async fn keep(&self, patient: &str, models: &BTreeSet<Model>, source: &str) -> Result<(), StoreError> {
        assert_eq!(source, "scripted");
        self.work(|rows| drop(rows.insert(patient.to_owned(), models.clone()))).await
    }

    async fn known(&self, patient: &str, _: &str) -> Result<Option<BTreeSet<Model>>, StoreError> {
        self.work(|rows| rows.get(patient).cloned()).await
    }

    async fn forget(&self, patient: &str) -> Result<(), StoreError> {
        self.work(|rows| drop(rows.remove(patient))).await
    }
}

fn config(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let all: BTreeMap<&str, &str> = variables.iter().copied().collect();
    Config::read(&|name| all.get(name).map(|value| (*value).to_owned()))
}

#[test]
fn r11_which_system_is_asked_is_chosen_and_the_off_switch_never_inferred() {
    const OPEN: [(&str, &str); 2] = [("AURA_LISTEN", "0.0.0.0:8080"), ("RETELL_SECRET", "s")];
    let provider = |more: &[(&str, &str)]| config(more).map(|config| config.patients.provider);
    let chosen = |name: &'static str| [OPEN[0], OPEN[1], ("PATIENT_LOOKUP_PROVIDER", name)];
    assert_eq!(provider(&[]), Ok(Provider::Mock));
    assert_eq!(provider(&[("OXITESA_URL", "https://x"), ("OXITESA_SECRET", "s")]), Ok(Provider::Oxitesa));
    assert_eq!(provider(&chosen("disabled")), Ok(Provider::Disabled));
    assert_eq!(provider(&chosen("mock")), Ok(Provider::Mock));
    let refused = |more: &[(&str, &str)]| provider(more).expect_err("refused");
    for (more, name) in [
        (&OPEN[..], "PATIENT_LOOKUP_PROVIDER"),
        (&chosen("Oxitesa"), "PATIENT_LOOKUP_PROVIDER"),
        (&chosen("none"), "PATIENT_LOOKUP_PROVIDER"),
        (&chosen("oxitesa"), "OXITESA_URL"),
        (&[("OXITESA_URL", "https://x")], "OXITESA_SECRET"),
    ] {
        let error = refused(more);
        assert_eq!(error.name, name);
        assert!(
            name != "PATIENT_LOOKUP_PROVIDER" || error.expected.contains("oxitesa, mock, disabled"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn r14_the_sample_roster_is_known_as_made_up_and_holds_the_documents_own_cases() {
    let lookup = open(&config(&[]).unwrap().patients, Catalogue::builtin()).unwrap();
    assert_eq!(lookup.name(), "mock");
    let models = async |dni: &str| match lookup.by_dni(Dni::parse(dni).unwrap()).await {
        Answer::Found(context, _) => context.models.iter().map(Model::to_string).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(models("20.111.222").await, ["7F-5"]);
    assert_eq!(models("23456789").await, ["CP501", "Zen-O Lite"]);
    assert_eq!(models("27333444").await, ["CPAP"]);
    assert_eq!(models("33777888").await, ["AX-9"], "no catalogue knows it: the filter opens (R8)");
    assert_eq!(models("35999000").await, ["EverFlo"]);
    assert_eq!(models("41000123").await, [""; 0]);
    assert_eq!(lookup.by_dni(Dni::parse("40000000").unwrap()).await, Answer::NotFound);
}

#[tokio::test]
async fn r11_disabled_asks_nobody_and_says_so() {
    let config = config(&[("PATIENT_LOOKUP_PROVIDER", "disabled")]).unwrap();
    let lookup = open(&config.patients, Catalogue::builtin()).unwrap();
    let answer = lookup.by_dni(Dni::parse("23456789").unwrap()).await;
    assert_eq!((lookup.name(), answer), ("disabled", Answer::Unavailable(Cause::Disabled)));
}

#[test]
fn a_roster_that_can_not_be_read_is_named_without_its_documents() {
    let folder = crate::folder::Folder::new();
    let file = folder.path().join("roster.toml");
    let device = "device = [{ name = \"Concentrador M50\" }]";
    for (text, part) in [
        ("[[patient]]\ndni = \"234567890\"\n".to_owned(), "patient 1"),
        (
            format!("[[patient]]\ndni = \"23456789\"\n{device}\n[[patient]]\ndni = \"23.456.789\"\n"),
            "patient 2",
        ),
        ("[[patient]]\ndni = 23456789\n".to_owned(), "line 2"),
        ("[[patient]]\ndni = \"23456789\"\nname = \"Ana\"\n".to_owned(), "line 2"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = Mock::open(Some(&file), Catalogue::builtin()).unwrap_err().to_string();
        assert!(error.contains("roster.toml") && error.contains("AURA_ROSTER"), "{error}");
        assert!(error.contains(part), "{part} isn't in {error}");
        assert!(!error.contains("2345678") && !error.contains("23.456"), "{error}");
    }
    std::fs::write(&file, format!("[[patient]]\ndni = \"23456789\"\n{device}\n")).unwrap();
    assert_eq!(Mock::open(Some(&file), Catalogue::builtin()).unwrap().len(), 1);
    let missing = Mock::open(Some(Path::new("no/hay.toml")), Catalogue::builtin()).unwrap_err().to_string();
    assert!(missing.contains("no/hay.toml"), "{missing}");
}
