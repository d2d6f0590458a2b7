//! A patient dictates a document number; nothing that leaves the service or is kept may hold it (S4, I8).
use crate::retell::Caller;
use crate::service::{Options, Running};
use crate::support::openai::{Answer, StandIn, vector_of};
use crate::watch::{self, holds_long_number, holds_number};
use serde_json::{Value, json};

/// The embedder's dimensions.
pub const DIMS: usize = 64;
/// What the patient says, turn by turn.
const DICTATED: [&str; 5] = [
    "mi documento es 23.456.789 y el M50 marca error H08",
    "se lo repito: dos tres cuatro cinco seis siete ocho nueve, anotó bien eso",
    "el de mi señora es el 30123456 y tiene el mismo equipo",
    "o sea treinta millones ciento veintitrés mil cuatrocientos cincuenta y seis, el DNI de ella",
    "30123456",
];

/// Embeds and answers; what it says repeats a number, as models do.
pub async fn provider(said: &'static [&'static str]) -> StandIn {
    StandIn::responding(move |_, received| match received.path.contains("embeddings") {
        true => {
            let inputs = received.body["input"].as_array().cloned().unwrap_or_default();
            let vectors: Vec<_> =
                inputs.iter().map(|text| vector_of(text.as_str().unwrap_or_default(), DIMS)).collect();
            Answer::embeddings(&vectors, received.body["encoding_format"] == "base64")
        }
        false => Answer::spoken(said),
    })
    .await
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.push(name.clone());
            texts(value, found);
        }),
        _ => {}
    }
}

#[test]
fn s4_the_watch_itself_sees_numbers_however_they_are_written() {
    for text in [
        "DNI 23.456.789.",
        "\"23456789\"",
        "30 12 34 56",
        "dos tres cuatro cinco seis siete ocho nueve",
        "30-123-456",
    ] {
        assert!(holds_number(text) && holds_long_number(text), "{text}");
    }
    for text in ["DNI ···789", "error H08 a las 10:30", "0.55", "dos tres", "call_0190a3b4"] {
        assert!(!holds_number(text) && !holds_long_number(text), "{text}");
    }
}

#[actix_rt::test]
async fn s4_i8_a_dictated_document_number_reaches_no_log_event_desk_or_provider() {
    watch::start();
    tracing::trace!(target: "planted", text = "27.345.678");
    let provider = provider(&["Anoto el documento 23.456.789. ", "¿Es del titular, 30 12 34 56?"]).await;
    let options = Options::default()
        .bare()
        .set("OPENAI_BASE_URL", provider.base_url())
        .set("OPENAI_EMBEDDING_DIMS", DIMS);
    let mut running = Running::start(options).await;
    let ingested = provider.received().len();
    assert!(ingested > 0, "the manuals were embedded");
    let mut caller = Caller::dial(&running, "dictated").await;
    let variables = json!({ "nombre": "Ana", "dni": "30123456", "documento": "23.456.789" });
    let details = json!({ "call_id": "dictated", "retell_llm_dynamic_variables": variables });
    caller.line.send(json!({ "interaction_type": "call_details", "call": details })).await;
    for said in DICTATED {
        assert!(caller.say(said).await.complete);
    }
    // A frame that can't be read, with a number in it: its error may not quote it.
    caller
        .line
        .send_text(
            r#"{"interaction_type":"update_only","transcript":[{"role":"user","content":"23456789"#.into(),
        )
        .await;
    caller.line.settle().await;
    running.facts_with("dictated", "suggestion_generated", DICTATED.len()).await;
    running.cut_connections().await; // what the store says of an error is a line too
    caller.say("23.456.789, por favor anótelo bien").await;
    let facts = running.facts_with("dictated", "suggestion_generated", DICTATED.len() + 1).await;

    let mut kept = Vec::new();
    facts.iter().for_each(|fact| texts(&fact.payload, &mut kept));
    let desk = serde_json::to_value(running.desk.of("dictated")).unwrap();
    texts(&desk, &mut kept);
    assert!(kept.iter().any(|text| text.contains("···789")), "masked numbers are there: {kept:#?}");
    let leaks: Vec<_> = kept.iter().filter(|text| holds_long_number(text)).collect();
    assert!(leaks.is_empty(), "in events or at the desk: {leaks:#?}");

    let asked = provider.received();
    let of_the_call: Vec<_> = asked[ingested..].iter().map(|received| &received.body).collect();
    assert!(of_the_call.iter().any(|body| body["input"].is_array()), "something was embedded");
    assert!(of_the_call.iter().any(|body| body["messages"].is_array()), "the model was asked");
    let mut sent = Vec::new();
    of_the_call.iter().for_each(|body| texts(body, &mut sent));
    assert!(sent.iter().any(|text| text.contains("DNI ···456")), "the details are there, masked: {sent:#?}");
    let leaks: Vec<_> = sent.iter().filter(|text| holds_long_number(text)).collect();
    assert!(leaks.is_empty(), "sent to the provider: {leaks:#?}");

    caller.line.hang_up().await;
    running.stop().await;
    let seen = watch::seen();
    let (planted, leaks): (Vec<_>, Vec<_>) = seen.leaks.iter().partition(|line| line.starts_with("planted"));
    assert_eq!(planted.len(), 1, "the watch sees what it should");
    assert!(leaks.is_empty(), "logged: {leaks:#?}");
    for target in ["aura_actors::web::retell", "tokio_postgres", "hyper"] {
        let heard = seen.targets.iter().any(|known| known.starts_with(target));
        assert!(heard, "lines of {target} were watched too: {:#?}", seen.targets);
    }
}
