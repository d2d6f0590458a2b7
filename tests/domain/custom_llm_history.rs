//! Histories of tools as peers send them after interruptions and retries, mended; and what was asked before.
use crate::custom_llm::{AFTER_TRANSFER, VOICE, of, request};
use aura::ids::CallId;
use aura::protocol::custom_llm::{CANCELLED, Called, Key, Message, Relation, Request, mend, relation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn call(id: Value, name: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

fn calls(list: Value) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": list})
}

fn tool(id: Value, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The mended history as a provider would get it.
fn wire(messages: &[Message]) -> Vec<Value> {
    let call = |call: &Called| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
    let message = |message: &Message| match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User { text, .. } => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls } => {
            let content = if text.is_empty() { Value::Null } else { Value::from(text.as_str()) };
            json!({"role": "assistant", "content": content, "tool_calls": calls.iter().map(call).collect::<Vec<_>>()})
        }
        Message::Tool { call, text } => json!({"role": "tool", "tool_call_id": call, "content": text}),
    };
    messages.iter().map(message).collect()
}

/// What OpenAI answers 400 to, written from its documents and not from the code.
fn objection(history: &[Value]) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, message) in history.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or("");
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or("");
            if !open.remove(id) {
                return Some(format!("messages[{at}]: answers no open call ({id:?})"));
            }
            if !message["content"].is_string() {
                return Some(format!("messages[{at}]: no content"));
            }
            continue;
        }
        if !open.is_empty() {
            return Some(format!("messages[{at}]: {open:?} not answered"));
        }
        match role {
            "system" | "user" if message["content"].is_string() => {}
            "assistant" => {
                let made = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
                if message.get("tool_calls").is_some() && made.is_empty() {
                    return Some(format!("messages[{at}]: empty tool_calls"));
                }
                if made.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
                    return Some(format!("messages[{at}]: says and calls nothing"));
                }
                for call in made {
                    let id = call["id"].as_str().unwrap_or("").to_owned();
                    let name = call["function"]["name"].as_str().unwrap_or("");
                    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
                    let arguments = call["function"]["arguments"].as_str().unwrap_or("");
                    if id.is_empty() || id.len() > 40 || !seen.insert(id.clone()) {
                        return Some(format!("messages[{at}]: id {id:?}"));
                    }
                    if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
                        return Some(format!("messages[{at}]: name {name:?}"));
                    }
                    if !serde_json::from_str::<Value>(arguments).is_ok_and(|json| json.is_object()) {
                        return Some(format!("messages[{at}]: arguments {arguments:?}"));
                    }
                    open.insert(id);
                }
            }
            _ => return Some(format!("messages[{at}]: role {role:?}")),
        }
    }
    (!open.is_empty()).then(|| format!("{open:?} not answered at the end"))
}

fn mended(messages: Value) -> Vec<Value> {
    let history = wire(&mend(&of(messages).messages));
    assert_eq!(objection(&history), None, "{history:#?}");
    history
}

/// The answers of a mended history, in order.
fn answers(messages: Value) -> Vec<String> {
    let tools = mended(messages).into_iter().filter(|message| message["role"] == "tool");
    tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_checker_sees_what_providers_refuse() {
    for bad in [
        json!([calls(json!([call(json!("a"), "f")])), user("hola")]),
        json!([calls(json!([call(json!("a"), "f")]))]),
        json!([tool(json!("a"), "x")]),
        json!([calls(json!([call(json!("a"), "f"), call(json!("a"), "f")])), tool(json!("a"), "x")]),
        json!([calls(json!([call(json!(null), "f")])), tool(json!(null), "x")]),
        json!([{"role": "assistant", "content": null}]),
    ] {
        assert!(objection(bad.as_array().unwrap()).is_some(), "{bad}");
    }
    assert_eq!(
        objection(&[calls(json!([call(json!("a"), "f")])), tool(json!("a"), "x"), user("hola")]),
        None
    );
}

#[test]
fn fault_15_an_orphan_call_gets_a_made_answer() {
    let history = json!([
        user("a"),
        calls(json!([call(json!("c1"), "f"), call(json!("c2"), "g")])),
        tool(json!("c2"), "bien"),
        user("pare")
    ]);
    assert_eq!(answers(history), [CANCELLED, "bien"]);
    assert_eq!(answers(json!([user("a"), calls(json!([call(json!("c1"), "f")]))])), [CANCELLED]);
    assert_eq!(answers(json!([user("a"), tool(json!("c9"), "de nadie"), user("b")])), [""; 0]);
}

#[test]
fn fault_16_results_that_came_late_early_or_twice_are_one_each() {
    let asked = calls(json!([call(json!("c1"), "f")]));
    for (history, expected) in [
        (json!([asked, user("pare"), tool(json!("c1"), "tarde")]), vec!["tarde"]),
        (json!([tool(json!("c1"), "antes"), asked, user("b")]), vec!["antes"]),
        (json!([asked, tool(json!("c1"), "cancelled"), tool(json!("c1"), "al fin")]), vec!["al fin"]),
        (
            json!([asked, tool(json!("c1"), "uno"), user("b"), asked, tool(json!("c1"), "dos")]),
            vec!["uno", "dos"],
        ),
        (json!([asked, tool(json!("c1"), "uno"), user("b"), asked]), vec!["uno", CANCELLED]),
    ] {
        assert_eq!(answers(history.clone()), expected, "{history}");
    }
    let parallel = json!([
        calls(json!([call(json!("a"), "f"), call(json!("b"), "g"), call(json!("c"), "h")])),
        tool(json!("c"), "3"),
        tool(json!("a"), "1"),
        tool(json!("b"), "2")
    ]);
    assert_eq!(answers(parallel), ["1", "2", "3"]);
    let twins = json!([
        calls(json!([call(json!("a"), "f"), call(json!("a"), "g")])),
        tool(json!("a"), "1"),
        tool(json!("a"), "2")
    ]);
    assert_eq!(answers(twins), ["1", "2"]);
}

/// The same call asked in two turns is one request repeated, not a new one: nothing runs twice.
#[test]
fn fault_16_a_retry_after_a_tool_is_a_repeat() {
    let request = request(AFTER_TRANSFER);
    assert_eq!(relation(&request, &request), Relation::Repeat);
    assert_eq!(key("conv", &request), key("conv", &request));
}

/// A history may come from a peer that leaves indexes out; calls are told apart by their place.
#[test]
fn fault_21_calls_without_an_index_are_read() {
    let calls = json!([{"id": "c1", "function": {"name": "f", "arguments": "{}"}}, {"index": 1, "id": "c2", "name": "g"}]);
    let history = mended(json!([self::calls(calls), tool(json!("c2"), "2"), tool(json!("c1"), "1")]));
    assert_eq!(history[0]["tool_calls"][1]["function"], json!({"name": "g", "arguments": "{}"}));
    assert_eq!((&history[1]["content"], &history[2]["content"]), (&json!("1"), &json!("2")));
}

#[test]
fn fault_22_calls_and_results_without_ids_are_paired() {
    for nothing in [json!(null), json!(""), json!(7)] {
        let asked = calls(json!([call(nothing.clone(), "f"), call(nothing.clone(), "g")]));
        let history = json!([
            asked,
            tool(nothing.clone(), "1"),
            tool(nothing.clone(), "2"),
            user("b"),
            asked,
            tool(nothing, "3")
        ]);
        assert_eq!(answers(history), ["1", "2", "3", CANCELLED]);
    }
    let named = calls(json!([call(json!("c1"), "f")]));
    assert_eq!(answers(json!([named, tool(json!(null), "sin nombre")])), ["sin nombre"]);
    let unnamed = calls(json!([call(json!(null), "f")]));
    assert_eq!(answers(json!([unnamed, tool(json!("x"), "con otro")])), ["con otro"]);
    let older = json!([{"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{\"a\":1}"}},
        {"role": "function", "name": "f", "content": "viejo"}]);
    assert_eq!(answers(older), ["viejo"]);
}

#[test]
fn what_providers_would_not_take_is_made_fit() {
    let odd = json!([{"id": "x".repeat(60), "function": {"name": "buscar turno/ñ", "arguments": "{\"a\":"}},
        {"id": "c2", "function": {"name": "f", "arguments": {"b": 1, "a": [true, null, "ñ"]}}},
        {"id": "c3", "function": {"name": "f", "arguments": ""}}, {"id": "c4", "function": {"arguments": "{}"}}]);
    let history = mended(
        json!([{"role": "assistant", "content": ""}, user(""), calls(odd), tool(json!("c4"), "de nadie")]),
    );
    assert_eq!(history.len(), 4, "empty messages are left out");
    let made = history[0]["tool_calls"].as_array().unwrap();
    let arguments: Vec<&str> =
        made.iter().map(|call| call["function"]["arguments"].as_str().unwrap()).collect();
    assert_eq!(arguments, ["{}", r#"{"a":[true,null,"ñ"],"b":1}"#, "{}"]);
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn id(&mut self) -> Value {
        match self.below(9) {
            0 => Value::Null,
            1 => json!(""),
            2 => json!("x".repeat(50)),
            3 => json!("call_1_0_0"),
            n => json!(format!("c{}", n % 4)),
        }
    }

    fn message(&mut self, at: usize) -> Value {
        match self.below(8) {
            0 => json!({"role": "system", "content": format!("instrucción {at}")}),
            1 | 2 => user(&format!("paciente {at}")),
            3 => json!({"role": "assistant", "content": [{"type": "text", "text": format!("aura {at}")}]}),
            4 | 5 => {
                let made: Vec<Value> = (0..=self.below(3))
                    .map(|n| json!({"id": self.id(), "function": {"name": format!("f{n}"), "arguments": (["{}", "", "{\"a\"", "[1]"][self.below(4)])}}))
                    .collect();
                let content = if self.below(2) == 0 { Value::Null } else { json!(format!("aura {at}")) };
                json!({"role": "assistant", "content": content, "tool_calls": made})
            }
            _ => tool(self.id(), &format!("resultado {at}")),
        }
    }
}

fn spoken(messages: &[Value]) -> Vec<String> {
    let of = |message: &Value| {
        let said = matches!(message["role"].as_str(), Some("user" | "assistant"));
        let text = message["content"].as_str().or_else(|| message["content"][0]["text"].as_str());
        text.filter(|text| said && !text.is_empty()).map(str::to_owned)
    };
    messages.iter().filter_map(of).collect()
}

/// Whatever order, ids and gaps: providers take the mended history, and nothing that was spoken is lost.
#[test]
fn any_seeded_history_is_mended_and_keeps_what_was_said() {
    let (mut made_up, mut paired) = (0, 0);
    for seed in 1..=4_000_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let history: Vec<Value> = (0..1 + dice.below(14)).map(|at| dice.message(at)).collect();
        let once = mend(&of(Value::from(history.clone())).messages);
        let sent = wire(&once);
        assert_eq!(objection(&sent), None, "seed {seed}: {history:#?}");
        assert_eq!(spoken(&sent), spoken(&history), "seed {seed}");
        assert_eq!(mend(&once), once, "seed {seed}: mended twice is mended once");
        let given: Vec<&str> =
            history.iter().filter(|m| m["role"] == "tool").filter_map(|m| m["content"].as_str()).collect();
        let answers: Vec<&str> =
            sent.iter().filter(|m| m["role"] == "tool").filter_map(|m| m["content"].as_str()).collect();
        let real: BTreeSet<&str> = answers.iter().copied().filter(|answer| *answer != CANCELLED).collect();
        let count = answers.iter().filter(|answer| **answer != CANCELLED).count();
        assert_eq!(real.len(), count, "seed {seed}: no answer is given twice");
        assert!(real.iter().all(|answer| given.contains(answer)), "seed {seed}");
        made_up += answers.len() - count;
        paired += count;
        unique_pairs(&history, &sent, seed);
    }
    assert!(made_up > 1_000 && paired > 1_000, "{made_up} made up, {paired} paired: the seeds test nothing");
}

/// An id that one call and one result have, and nobody else, pairs these two.
fn unique_pairs(history: &[Value], sent: &[Value], seed: u64) {
    let ids = |list: &[Value]| -> Vec<String> {
        list.iter()
            .flat_map(|m| m["tool_calls"].as_array().cloned().unwrap_or_default())
            .filter_map(|c| c["id"].as_str().map(str::to_owned))
            .collect()
    };
    for id in ids(history).into_iter().filter(|id| (1..=40).contains(&id.len())) {
        let results: Vec<&Value> = history.iter().filter(|m| m["tool_call_id"] == id.as_str()).collect();
        if results.len() == 1
            && ids(history).iter().filter(|other| **other == id).count() == 1
            && ids(sent).contains(&id)
        {
            let answer = sent.iter().find(|m| m["tool_call_id"] == id.as_str()).unwrap();
            assert_eq!(answer["content"], results[0]["content"], "seed {seed}: {id}");
        }
    }
}

fn key(conversation: &str, request: &Request) -> Key {
    Key::of(&CallId::parse(conversation).unwrap(), request)
}

/// The same JSON with its keys the other way round and spaces everywhere.
fn turned(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[ {} ]", items.iter().map(turned).collect::<Vec<_>>().join(" ,\n ")),
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .rev()
                .map(|(name, field)| format!("{} : {}", json!(name), turned(field)))
                .collect();
            format!("{{ {} }}", fields.join(" ,\t"))
        }
        plain => plain.to_string(),
    }
}

#[test]
fn fault_19_the_same_question_has_the_same_key_however_it_is_written() {
    let history = |id: &str, arguments: &str| {
        json!([user("hola"), {"role": "assistant", "content": "Un momento.", "tool_calls": [{"id": id, "function": {"name": "f", "arguments": arguments}}]},
            tool(json!(id), "{\"a\": 1}"), user("sí")])
    };
    let one = of(history("c1", r#"{"a":1,"b":[2]}"#));
    let other = request(&turned(
        &json!({"messages": history("c9", r#"{ "b" : [2], "a" : 1 }"#), "stream": true, "temperature": 1}),
    ));
    assert_eq!((key("x", &one), relation(&one, &other)), (key("x", &other), Relation::Repeat));
    assert_eq!(key("x", &one).to_string().len(), 64);
    let parts = of(json!([{"role": "user", "content": [{"type": "text", "text": "hola"}]}]));
    assert_eq!(key("x", &parts), key("x", &of(json!([user("hola")]))));
    let prompted = of(json!([{"role": "system", "content": "Son las 10:32"}, user("hola")]));
    assert_eq!(key("x", &prompted), key("x", &parts), "instructions change nothing that we answer");
}

#[test]
fn another_content_or_conversation_is_another_key() {
    let bodies = [
        json!([user("hola")]),
        json!([user("hola ")]),
        json!([user("hola"), user(""), user("a")]),
        json!([user("ho"), user("la")]),
        json!([{"role": "assistant", "content": "hola"}]),
        json!([user("hola"), calls(json!([call(json!("c"), "f")]))]),
        json!([user("hola"), calls(json!([call(json!("c"), "g")]))]),
        json!([user("hola"), calls(json!([call(json!("c"), "f")])), tool(json!("c"), "1")]),
        json!([user("hola"), calls(json!([call(json!("c"), "f")])), tool(json!("c"), "2")]),
        json!([{"role": "user", "content": [{"type": "text", "text": "hola"}, {"type": "image_url", "image_url": {"url": "a"}}]}]),
        json!([{"role": "user", "content": [{"type": "text", "text": "hola"}, {"type": "image_url", "image_url": {"url": "b"}}]}]),
    ];
    let keys: BTreeSet<Key> = bodies.iter().map(|body| key("x", &of(body.clone()))).collect();
    assert_eq!(keys.len(), bodies.len());
    let hello = of(json!([user("hola")]));
    assert_ne!(key("x", &hello), key("y", &hello), "two patients who say the same are not one");
}

#[test]
fn how_a_request_stands_to_an_earlier_one() {
    let (hi, said) = (json!({"role": "assistant", "content": "Hola, habla Aura."}), user("tengo un M50"));
    let answer = |text: &str| json!({"role": "assistant", "content": text});
    let asked = calls(json!([call(json!("c"), "end_call")]));
    let base = json!([hi, said]);
    for (before, now, expected) in [
        (&base, json!([hi, said]), Relation::Repeat),
        (&base, json!([hi, user("tengo un M50 que marca H08")]), Relation::Revised),
        (&base, json!([hi, user("tengo un")]), Relation::Revised),
        (&base, json!([answer("Hola,"), user("tengo un M50 que")]), Relation::Revised),
        (&base, json!([answer("Hola..."), said]), Relation::Revised),
        (&base, json!([hi, said, answer("Apague"), user("¿y después?")]), Relation::Next),
        (&base, json!([hi, said, user("hola?")]), Relation::Next),
        (&base, json!([hi, said, asked, tool(json!("c"), "x")]), Relation::Next),
        (&base, json!([hi, said, answer("¿Sigue ahí?")]), Relation::Next),
        (&json!([hi, said, asked]), json!([hi, said, asked, tool(json!("c"), "x")]), Relation::Next),
        (&base, json!([hi]), Relation::Other),
        (&base, json!([answer("Otra."), said]), Relation::Other),
        (&base, json!([hi, user("tengo otro"), answer("Bien."), user("sí")]), Relation::Other),
        (&base, json!([hi, answer("tengo un M50")]), Relation::Other),
        (&json!([{"role": "system", "content": "a"}]), base.clone(), Relation::Next),
    ] {
        assert_eq!(relation(&of(before.clone()), &of(now.clone())), expected, "{before} → {now}");
    }
    let other_prompt = VOICE.replace("10:31", "10:32");
    assert_eq!(relation(&request(VOICE), &request(&other_prompt)), Relation::Repeat);
    assert_ne!(request(VOICE), request(&other_prompt));
}
