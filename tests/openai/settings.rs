//! Addresses, keys and which server takes what.
use crate::support::openai::{Answer, StandIn};
use crate::{KEY, hear, http, patient};
use aura_actors::embed::Embedder;
use aura_actors::embed::openai::OpenAiEmbedder;
use aura_actors::llm::Llm;
use aura_actors::llm::openai::OpenAiLlm;
use aura_actors::openai::{Abilities, SettingsError, abilities, backoff};
use aura_actors::secret::Secret;
use std::time::Duration;

#[test]
fn a_secret_is_compared_but_never_printed() {
    let secret = Secret::new(format!(" {KEY}\n"));
    assert_eq!(format!("{secret} {secret:?}"), "*** ***");
    assert!(secret.matches(KEY));
    for offered in ["", "sk", "sk-test-124", "sk-test-1234", "SK-TEST-123", " sk-test-123"] {
        assert!(!secret.matches(offered), "{offered:?}");
    }
    assert!(!Secret::new("").matches(""), "an unset secret lets nobody in");
    let settings = OpenAiLlm::new("http://localhost", Some(secret), "m");
    assert!(!format!("{settings:?} {:?}", settings.clone().adapter(&http()).unwrap()).contains(KEY));
}

#[test]
fn only_known_hosts_are_asked_for_more() {
    let full = abilities("api.openai.com");
    assert!(full.base64 && full.chat.stream_options && full.chat.max_completion_tokens);
    assert!(full.chat.prompt_cache_key && full.chat.store);
    assert_eq!(abilities("eu.API.openai.com"), full);
    for other in ["", "localhost", "evilapi.openai.com", "x.openai.azure.com", "api.openai.com.evil.org"] {
        assert_eq!(abilities(other), Abilities::default(), "{other}");
    }
}

#[tokio::test]
async fn a_base_url_is_taken_as_people_write_it() {
    let server = StandIn::responding(|_, _| Answer::spoken(&["hola"])).await;
    let base = server.base_url();
    for written in [
        base.clone(),
        format!(" {base}/ "),
        format!("{base}/chat/completions"),
        format!("{base}?api-version=1"),
    ] {
        let settings = OpenAiLlm { limits: patient(), ..OpenAiLlm::new(written, None, "m") };
        hear(&settings.adapter(&http()).unwrap()).await.1.unwrap();
    }
    let paths: Vec<_> = server.received().into_iter().map(|received| received.path).collect();
    let path = "/v1/chat/completions";
    assert_eq!(paths, [path, path, path, "/v1/chat/completions?api-version=1"]);
}

#[test]
fn bad_settings_are_named_without_the_key() {
    let error = |base: &str, key: &str| {
        let settings = OpenAiLlm::new(base, Some(Secret::new(key)), "m");
        settings.adapter(&http()).unwrap_err().to_string()
    };
    for base in ["", "api.openai.com/v1", "ftp://x/v1", "https://", "https://sk-test-123@x/v1"] {
        let said = error(base, KEY);
        assert!(said.contains("base URL") && !said.contains(KEY), "{said}");
    }
    let said = error("https://x/v1", "sk-test\n-123");
    assert!(said.contains("API key") && !said.contains("sk-test"), "{said}");
}

#[test]
fn models_and_the_lengths_of_their_vectors() {
    let small = OpenAiEmbedder::new("http://localhost/v1", None);
    let adapter = |settings: OpenAiEmbedder| settings.adapter(&http());
    let named = |model: &str| OpenAiEmbedder { model: model.into(), ..small.clone() };
    let client = adapter(small.clone()).unwrap();
    assert_eq!((client.name(), client.model(), client.dims()), ("openai", "text-embedding-3-small", 1536));
    assert_eq!(adapter(named("text-embedding-3-large")).unwrap().dims(), 3072);
    assert!(matches!(adapter(named("bge-m3")), Err(SettingsError::UnknownModel(_))));
    let client = adapter(OpenAiEmbedder { dims: Some(1024), ..named("bge-m3") }).unwrap();
    assert_eq!((client.model(), client.dims()), ("bge-m3", 1024));
    let client = adapter(OpenAiEmbedder { shorten_to: Some(512), ..small.clone() }).unwrap();
    assert_eq!((client.model(), client.dims()), ("text-embedding-3-small@512", 512));
    let chat = OpenAiLlm::new("http://localhost/v1", None, "gpt-test").adapter(&http()).unwrap();
    assert_eq!((chat.name(), chat.model()), ("openai", "gpt-test"));
}

#[test]
fn pauses_double_up_to_a_bound_less_a_random_quarter() {
    let base = Duration::from_millis(500);
    for (n, full) in [(0, 500), (1, 1000), (3, 4000), (4, 8000), (40, 8000)] {
        for _ in 0..200 {
            let pause = backoff(base, n).as_millis();
            assert!((full * 3 / 4..=full).contains(&pause), "{n}: {pause}");
        }
    }
    assert_ne!(backoff(base, 1), backoff(base, 1));
}
