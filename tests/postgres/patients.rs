//! The cache of patients in a real database, behind a patients' system that follows the contract and fails.
use crate::database::Database;
use crate::support::oxitesa::{Mood, Oxitesa, SECRET};
use actix::prelude::*;
use aura::equipment::{Catalogue, Model};
use aura::ids::{CallId, Dni};
use aura::patient::{Cause, Context as Known, Found, Outage};
use aura_actors::breaker::Breaker;
use aura_actors::lookup::{Equipment, Limits, LookUp, LookedUp, PatientLookupActor};
use aura_actors::openai::{CONNECT, Http};
use aura_actors::patients::oxitesa;
use aura_actors::secret::Secret;
use aura_actors::store::Store;
use aura_actors::vault::Vault;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const DNI: &str = "23456789";

fn models(names: &[&str]) -> BTreeSet<Model> {
    names.iter().map(|name| Model::new(name)).collect()
}

#[tokio::test]
async fn r13_models_are_kept_by_a_hash_and_forgotten() {
    let (database, store) = Database::migrated().await;
    let patient = "0123456789abcdef0123456789abcdef";
    assert_eq!(store.known_patient(patient, "oxitesa").await.unwrap(), None);
    for names in [&["M50"][..], &["CP501", "Zen-O Lite"], &[]] {
        store.keep_patient(patient, &models(names), "oxitesa").await.unwrap();
        assert_eq!(store.known_patient(patient, "oxitesa").await.unwrap(), Some(models(names)));
    }
    assert_eq!(
        store.known_patient(patient, "mock").await.unwrap(),
        None,
        "invented ones back up nothing real"
    );
    let client = database.client().await;
    let rows: i64 = client.query_one("SELECT count(*) FROM patients", &[]).await.unwrap().get(0);
    assert_eq!(rows, 1, "written three times, kept once");
    assert!(store.keep_patient(DNI, &models(&["M50"]), "oxitesa").await.is_err(), "a document is no key");
    assert!(store.forget_patient(patient).await.unwrap());
    assert!(!store.forget_patient(patient).await.unwrap());
    assert_eq!(store.known_patient(patient, "oxitesa").await.unwrap(), None);
}

/// The service's own parts: the adapter over HTTP, the actor, the store.
struct Rig {
    system: Oxitesa,
    actor: Addr<PatientLookupActor>,
    database: Database,
}

impl Rig {
    async fn new() -> Self {
        let device = |name, model| json!({"name": name, "model": model, "sku": "CON-77"});
        let devices =
            json!([device("Concentrador CP501 5 litros", "CP-501"), device("Portátil", "Zen-O Lite")]);
        let system = Oxitesa::start(&[(DNI, devices)]).await;
        let (database, store) = Database::migrated().await;
        let actor = actor(&system, store);
        Self { system, actor, database }
    }

    async fn ask(&self) -> (Found, Option<Equipment>) {
        let (told, mut answers) = unbounded_channel();
        let (shown, mut panel) = unbounded_channel();
        let ear = Ear { told, shown }.start();
        self.actor.do_send(LookUp {
            call: CallId::parse("call-1").unwrap(),
            ask: 1,
            dni: Dni::parse(DNI).unwrap(),
            reply: ear.clone().recipient(),
            desk: ear.recipient(),
        });
        loop {
            let said = answers.recv().await.expect("an answer");
            if !matches!(said.found, Found::Unavailable { outage: Outage { retrying: true, .. }, .. }) {
                assert_eq!(said.source, "oxitesa");
                return (said.found, panel.try_recv().ok());
            }
        }
    }
}

fn actor(system: &Oxitesa, store: Store) -> Addr<PatientLookupActor> {
    let http = Http::new(CONNECT).unwrap();
    let adapter =
        oxitesa::Oxitesa::new(&http, &system.url(), &Secret::new(SECRET), Catalogue::builtin()).unwrap();
    let long = Duration::from_secs(30);
    let limits = Limits {
        tries: 2,
        pause: Duration::from_millis(1),
        deadline: long,
        cache: long,
        ..Limits::default()
    };
    let vault = Vault::open(Some(&Secret::new("k".repeat(32))), Path::new("unused")).unwrap();
    let (adapter, store) = (Arc::new(adapter.deadline(long)), Arc::new(store));
    PatientLookupActor::new(adapter, store, vault, Breaker::new("patients"), limits).start()
}

struct Ear {
    told: UnboundedSender<LookedUp>,
    shown: UnboundedSender<Equipment>,
}

impl Actor for Ear {
    type Context = Context<Self>;
}

impl Handler<LookedUp> for Ear {
    type Result = ();

    fn handle(&mut self, said: LookedUp, _: &mut Self::Context) {
        drop(self.told.send(said));
    }
}

impl Handler<Equipment> for Ear {
    type Result = ();

    fn handle(&mut self, said: Equipment, _: &mut Self::Context) {
        drop(self.shown.send(said));
    }
}

fn failing(cached: Option<&[&str]>) -> Found {
    let cached = cached.map(|names| Known { models: models(names) });
    Found::Unavailable { outage: Outage { cause: Cause::Failing, retrying: false }, cached }
}

#[actix_rt::test]
async fn r12_an_outage_with_and_without_cache_and_never_stale_after_not_found() {
    let rig = Rig::new().await;
    rig.system.turns(Mood::Fails);
    let (found, shown) = rig.ask().await;
    assert_eq!((found, shown), (failing(None), None), "nothing is known yet");
    rig.system.turns(Mood::Well);
    let (found, shown) = rig.ask().await;
    assert_eq!(found, Found::Found(Known { models: models(&["CP501", "Zen-O Lite"]) }));
    assert!(shown.is_some_and(|shown| shown.devices.is_some()));
    rig.system.turns(Mood::Fails);
    let (found, shown) = rig.ask().await;
    assert_eq!(found, failing(Some(&["CP501", "Zen-O Lite"])));
    assert!(shown.is_some_and(|shown| shown.devices.is_none()), "models, no detail");
    rig.system.turns(Mood::Says(404, "application/json", r#"{"error":"patient_not_found"}"#.into()));
    assert_eq!(rig.ask().await, (Found::NotFound, None));
    rig.system.turns(Mood::Fails);
    assert_eq!(rig.ask().await, (failing(None), None), "what it said last is that it doesn't know");
}

/// Nothing of a patient but models and a hash is ever in the database.
#[actix_rt::test]
async fn r13_no_document_and_no_device_reaches_the_database() {
    let rig = Rig::new().await;
    rig.ask().await;
    rig.system.turns(Mood::Fails);
    rig.ask().await;
    let row = rig.database.client().await.query_one("SELECT to_jsonb(p) FROM patients p", &[]).await.unwrap();
    let row: Value = row.get(0);
    assert_eq!((&row["models"], &row["source"]), (&json!(["CP501", "Zen-O Lite"]), &json!("oxitesa")));
    let text = row.to_string();
    for private in [DNI, "Concentrador", "litros", "Portátil", "CON-77"] {
        assert!(!text.contains(private), "{private} in {text}");
    }
}
