//! Switches for whoever is on call, what is owed to callers, and what operations see of both.
use crate::plain::{Response, dial, get};
use crate::retell::{Caller, Line};
use crate::service::{Options, PATIENCE, Running};
use crate::support::openai::{Answer, StandIn};
use aura::phrases::{HOLDING_BOT, HOLDING_BOT_AGAIN};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{sleep, timeout};

const MODE: &str = "retell.mode";

async fn knock(running: &Running, call: &str) -> Response {
    dial(running.address(), &format!("/llm-websocket/{call}"), &[]).await
}

/// Says the same until it is answered so: a switch acts from the next turn that sees it.
async fn says_until(caller: &mut Caller, said: &str, done: impl Fn(&str) -> bool) -> String {
    let answered = async {
        loop {
            let text = caller.say(said).await.text();
            if done(&text) {
                return text;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, answered).await.expect("the switch never acted")
}

fn holding(text: &str) -> bool {
    [HOLDING_BOT.es, HOLDING_BOT_AGAIN.es].contains(&text)
}

#[actix_rt::test]
async fn switch_off_refuses_new_calls_by_name_and_live_ones_are_held() {
    let model = StandIn::responding(|_, _| Answer::spoken(&["Aquí estoy."])).await;
    let running = Running::start(Options::default().llm(model.base_url())).await;
    let mut live = Caller::dial(&running, "live").await;
    assert_eq!(live.say("no sé").await.text(), "Aquí estoy.");
    running.set(MODE, "off").await;
    let refused = async {
        // A call of its own each time: one that was taken may redial.
        for n in 0.. {
            let answer = knock(&running, &format!("new_{n}")).await;
            if answer.status == 503 {
                return answer;
            }
            sleep(Duration::from_millis(50)).await;
        }
        unreachable!()
    };
    let refused = timeout(PATIENCE, refused).await.expect("new calls are refused");
    let detail = refused.problem();
    assert!(detail.contains("retell") && detail.contains("retell.mode"), "{detail}");
    assert!(refused.headers["retry-after"].parse::<u32>().is_ok_and(|seconds| seconds > 0), "{refused:?}");
    says_until(&mut live, "no sé", holding).await;
    let asked = model.received().len();
    let danger = live.say("mi marido se desmayó y no respira").await;
    assert!(danger.text().contains("911"), "an emergency is answered on any setting: {}", danger.text());
    live.redial(&running, "live").await;
    assert!(holding(&live.say("¿sigue ahí?").await.text()), "the live call may redial, and is held");
    let goodbye = live.say("gracias, chau").await;
    assert!(goodbye.end_call, "it can be ended: {goodbye:?}");
    assert_eq!(model.received().len(), asked, "the model is asked nothing");
    let facts = running.facts_with("live", "red_flag", 1).await;
    assert!(facts.iter().any(|fact| fact.payload["reason"] == "on_hold"), "{facts:#?}");
}

#[actix_rt::test]
async fn switch_hold_takes_calls_and_holds_them_until_it_is_turned_back() {
    let model = StandIn::responding(|_, _| Answer::spoken(&["Aquí estoy."])).await;
    let running = Running::start(Options::default().llm(model.base_url()).setting(MODE, "hold")).await;
    let mut caller = Caller::dial(&running, "held").await;
    assert_eq!(caller.say("Hola, tengo un M50 que marca H08").await.text(), HOLDING_BOT.es);
    assert_eq!(caller.say("¿y el filtro cómo se limpia?").await.text(), HOLDING_BOT_AGAIN.es);
    assert_eq!(model.received().len(), 0);
    running.set(MODE, "answer").await;
    says_until(&mut caller, "no sé", |text| text == "Aquí estoy.").await;
}

#[actix_rt::test]
async fn s3_a_call_back_that_was_promised_is_on_the_desk_with_its_telephone_and_in_no_event() {
    let running = Running::start(Options::default().setting(MODE, "hold")).await;
    let mut line = Line::dial(&running, "owed").await;
    let call = json!({ "call_id": "owed", "direction": "inbound", "from_number": "+5491145678901" });
    line.send(json!({ "interaction_type": "call_details", "call": call })).await;
    line.answer(0).await;
    line.ask(1, &[("user", "mi DNI es 30.555.666 y el M50 marca H08")]).await;
    assert_eq!(line.answer(1).await.text(), HOLDING_BOT.es);
    line.ask(2, &[("user", "mi DNI es 30.555.666 y el M50 marca H08"), ("user", "¿y entonces?")]).await;
    line.answer(2).await;
    let event = running.last("owed", "callback_requested", 1).await;
    assert_eq!(event["reason"], "holding");
    assert!(event.get("phone").is_none(), "{event}");
    running.facts_with("owed", "suggestion_generated", 2).await;
    let sql = "SELECT reason, question, phone, source, settled_at IS NULL FROM pending_callbacks
               WHERE call_id = 'owed'";
    let rows = running.sql().query(sql, &[]).await.unwrap();
    assert_eq!(rows.len(), 1, "promised twice, owed once");
    let text = |n: usize| rows[0].get::<_, Option<String>>(n).unwrap_or_default();
    assert_eq!(
        (text(0).as_str(), text(2).as_str(), text(3).as_str()),
        ("holding", "+5491145678901", "retell")
    );
    assert!(text(1).contains("M50") && text(1).contains("···666") && !text(1).contains("555"), "{}", text(1));
    assert!(rows[0].get::<_, bool>(4));
    let sql = "SELECT count(*) FROM event_log WHERE payload::text LIKE '%45678901%'";
    assert_eq!(running.sql().query_one(sql, &[]).await.unwrap().get::<_, i64>(0), 0);
    let sql = "SELECT count(*) FROM call_journal WHERE what <> 'memory' AND detail::text LIKE '%45678901%'";
    assert_eq!(running.sql().query_one(sql, &[]).await.unwrap().get::<_, i64>(0), 0);
}

#[actix_rt::test]
async fn s1_a_caller_in_danger_is_transferred_where_there_is_a_number() {
    let running = Running::start(Options::default().setting("transfer.number", "+541145550100")).await;
    let mut line = Line::dial(&running, "danger").await;
    line.answer(0).await;
    line.ask(1, &[("user", "hay humo y fuego en la pieza")]).await;
    let mut last = Value::Null;
    while last["content_complete"] != true {
        last = line.frame().await;
    }
    assert_eq!(
        (&last["response_id"], &last["transfer_number"]),
        (&json!(1), &json!("+541145550100")),
        "{last}"
    );
}

#[actix_rt::test]
async fn r29_what_is_new_is_counted() {
    // The held sentence names a quantity that no row holds.
    let model = StandIn::responding(|_, _| Answer::spoken(&["Ponga el flujo en 9 litros por minuto."])).await;
    let mut running = Running::start(Options::default().llm(model.base_url())).await;
    let mut caller = Caller::dial(&running, "counted").await;
    caller.say("no sé").await;
    caller.say("mi marido se desmayó y no respira").await;
    running.facts_with("counted", "suggestion_generated", 2).await;
    running.stop().await;
    running.again().await;
    caller.redial(&running, "counted").await;
    caller.line.settle().await;
    running.facts_with("counted", "call_rebuilt", 1).await;
    let metrics = get(running.address(), "/metrics", &[]).await.body;
    for series in [
        r#"aura_sentences_blocked_total{source="retell"}"#,
        r#"aura_callbacks_total{source="retell"}"#,
        r#"aura_red_flags_total{source="retell",flag="breathing"}"#,
        r#"aura_calls_rebuilt_total{cause="restart"}"#,
        "aura_journal_written_total",
        "aura_journal_waiting",
        "aura_calls_live",
        r#"aura_breaker_state{dependency="database"}"#,
    ] {
        assert!(metrics.lines().any(|line| line.starts_with(series)), "{series} is missing from\n{metrics}");
    }
    assert!(!metrics.contains("counted"), "no call's name is a label");
}
