//! The second reader of documents: a model's answers read tolerantly, and a model that may not be just anywhere.
use crate::support::openai::{Answer, StandIn};
use actix::prelude::*;
use aura::dni::{Action, Extraction};
use aura::ids::Dni;
use aura_actors::capture::private::{self, NotPrivate, is_private};
use aura_actors::capture::{self, CaptureActor, Extractor, PERMITS, Reread, SecondOpinion};
use aura_actors::config::{self, Config, ConfigError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;

const SAID: &str = "anote: veintitrés, cuatro cinco seis, siete ocho nueve";

fn settings(base_url: &str) -> config::Extractor {
    config::Extractor { base_url: base_url.to_owned(), model: "lector".to_owned(), api_key: None }
}

fn reader(server: &StandIn) -> Arc<dyn Extractor> {
    capture::open(&settings(&server.base_url())).unwrap()
}

fn lines() -> Vec<String> {
    ["a", "b", "c", "d", SAID].map(str::to_owned).to_vec()
}

struct Ear(UnboundedSender<SecondOpinion>);

impl Actor for Ear {
    type Context = Context<Self>;
}

impl Handler<SecondOpinion> for Ear {
    type Result = ();

    fn handle(&mut self, said: SecondOpinion, _: &mut Self::Context) {
        drop(self.0.send(said));
    }
}

#[actix_rt::test]
async fn d22_the_reading_comes_home_with_its_line() {
    let server =
        StandIn::responding(|_, _| Answer::spoken(&["```json\n{\"dni\": \"23.456.", "789\"}\n```"])).await;
    let (told, mut heard) = unbounded_channel();
    let actor = CaptureActor::new(reader(&server)).start();
    actor.do_send(Reread { line: 7, lines: lines(), reply: Ear(told).start().recipient() });
    let said = heard.recv().await.expect("a reading");
    let dni = Dni::parse("23456789").ok();
    let reading = Extraction { dni, action: Action::Use, ..Extraction::default() };
    assert_eq!(said, SecondOpinion { line: 7, reading });
    assert!(!format!("{said:?}").contains("456"), "it prints no digits");
    let asked = &server.received()[0];
    let messages = asked.body["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 2);
    assert!(messages[0]["content"].as_str().is_some_and(|text| text.contains("pedir_repeticion")));
    assert_eq!(messages[1]["content"], format!("b\nc\nd\n{SAID}"), "the newest four lines, nothing else");
}

#[tokio::test]
async fn an_answer_that_is_no_reading_is_none_and_is_not_asked_for_again() {
    for (answer, part) in [
        (Answer::spoken(&["No sé qué decirle."]), "AURA_EXTRACTOR_MODEL"),
        (Answer::refused(500, "boom", "server_error"), "500"),
        (Answer::html(502), "502"),
        (Answer::spoken(&["{\"dni\":"]).broken_off(), ""),
    ] {
        let server = StandIn::responding(move |_, _| answer.clone()).await;
        let error = reader(&server).read(&lines()).await.expect_err("no reading").to_string();
        assert!(error.contains(part), "{error}");
        assert!(!error.contains("cuatro") && !error.contains("veintitrés"), "{error}");
        assert_eq!(server.received().len(), 1);
    }
}

#[actix_rt::test]
async fn i7_a_mute_model_costs_permits_and_nobodys_time() {
    let server = StandIn::responding(|_, _| Answer::mute()).await;
    let (told, mut heard) = unbounded_channel();
    let ear = Ear(told).start();
    let actor = CaptureActor::new(reader(&server)).start();
    for line in 0..PERMITS * 3 {
        actor.do_send(Reread { line, lines: lines(), reply: ear.clone().recipient() });
    }
    server.asked(PERMITS).await;
    drop((actor, ear));
    let silence = timeout(Duration::from_secs(30), heard.recv()).await.expect("the readings end");
    assert_eq!((silence, server.received().len()), (None, PERMITS));
}

fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let all: BTreeMap<&str, &str> = variables.iter().copied().collect();
    Config::read(&|name| all.get(name).map(|value| (*value).to_owned()))
}

#[test]
fn s04_digits_go_to_no_model_outside_the_house() {
    assert!(read(&[]).unwrap().extractor.is_none(), "off unless somebody sets it");
    let with = |url: &str| read(&[("AURA_EXTRACTOR_URL", url), ("AURA_EXTRACTOR_MODEL", "m")]);
    for url in
        ["http://127.0.0.1:8081/v1", "http://10.1.2.3/v1", "https://192.168.0.9", "http://[fd00::1]:80/v1"]
    {
        assert_eq!(with(url).unwrap().extractor.unwrap().base_url, url);
    }
    for url in
        ["https://8.8.8.8/v1", "http://[2001:4860::8888]/v1", "http://172.32.0.1", "http://134744072/v1"]
    {
        let error = with(url).unwrap_err();
        assert_eq!((error.name, error.value.as_str()), ("AURA_EXTRACTOR_URL", url));
        assert!(error.expected.contains("private network"), "{error}");
    }
    let error = with("http://ana:hunter2@127.0.0.1").unwrap_err().to_string();
    assert!(!error.contains("hunter2"), "{error}");
    assert_eq!(read(&[("AURA_EXTRACTOR_URL", "http://localhost")]).unwrap_err().name, "AURA_EXTRACTOR_MODEL");
}

#[test]
fn s04_a_name_is_believed_by_what_it_means() {
    assert!(capture::open(&settings("http://localhost:1/v1")).is_ok());
    let nowhere =
        capture::open(&settings("http://no-hay.invalid/v1")).err().expect("no such name").to_string();
    assert!(nowhere.contains("AURA_EXTRACTOR_URL") && nowhere.contains("no-hay.invalid"), "{nowhere}");
    let resolves = private::resolve("http://8.8.4.4/v1");
    assert!(matches!(resolves, Err(NotPrivate::Resolves { at, .. }) if at.to_string() == "8.8.4.4"));
    for (ip, inside) in [
        ("127.8.8.8", true),
        ("172.16.0.1", true),
        ("172.31.255.255", true),
        ("172.32.0.0", false),
        ("169.254.1.1", true),
        ("100.64.0.1", false),
        ("0.0.0.0", false),
        ("::1", true),
        ("fe80::1", true),
        ("::ffff:8.8.8.8", false),
        ("::ffff:10.0.0.1", true),
        ("2001:db8::1", false),
    ] {
        assert_eq!(is_private(ip.parse().unwrap()), inside, "{ip}");
    }
}
