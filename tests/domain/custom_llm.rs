//! The chat-completions endpoint that we serve: what is read from a request, whose it is, and how it is refused.
use aura::channel::Channel;
use aura::protocol::custom_llm::{
    BadRequest, Fate, MAX_BODY, MAX_MESSAGES, Message, Occasion, Outcome, Refusal, Request, Tool,
    conversation, models, occasion, outcomes, read, turns,
};
use aura::transcript::{Speaker, Turn};
use serde_json::{Value, json};

pub const VOICE: &str = include_str!("../data/custom_llm/voice.json");
pub const WHATSAPP: &str = include_str!("../data/custom_llm/whatsapp.json");
pub const AFTER_TRANSFER: &str = include_str!("../data/custom_llm/after_transfer.json");

pub fn request(body: &str) -> Request {
    read(body.as_bytes()).unwrap()
}

/// A request of these messages and nothing else.
pub fn of(messages: Value) -> Request {
    request(&json!({ "model": "aura", "messages": messages }).to_string())
}

fn turn(speaker: Speaker, text: &str, unclear: bool) -> Turn {
    Turn { speaker, text: text.into(), unclear, place: None }
}

fn id(header: Option<&str>, request: &Request) -> Option<String> {
    conversation(header, request).map(|id| id.as_str().to_owned())
}

#[test]
fn a_documented_request_is_read() {
    let request = request(VOICE);
    assert_eq!((request.model.as_str(), request.stream, request.include_usage), ("aura-voice", true, false));
    assert_eq!(request.user.as_deref(), Some("usuario-7"));
    assert_eq!(request.messages.len(), 3);
    assert_eq!(request.extra.len(), 2, "scalars only");
    let offered: Vec<Tool> = request.tools.iter().map(|offer| offer.tool).collect();
    assert_eq!(offered, [Tool::EndCall, Tool::TransferToNumber, Tool::SkipTurn]);
    let transfer = request.tools.get(Tool::TransferToNumber).unwrap();
    assert_eq!(transfer.numbers, ["+5491155550123", "+5491155550199"]);
    assert_eq!(transfer.requires, ["transfer_number", "client_message", "agent_message"]);
    assert_eq!(request.tools.get(Tool::PlayKeypadTouchTone), None);
    assert_eq!(models::channel(&request.model), Some(Channel::ElevenLabs));
    let heard = [
        turn(Speaker::Agent, "Hola, habla Aura. ¿En qué lo puedo ayudar?", false),
        turn(Speaker::Patient, "Tengo un M50 y me marca H08, señorita", false),
    ];
    assert_eq!((turns(&request), occasion(&request)), (heard.to_vec(), Occasion::User));
}

#[test]
fn parts_are_words_and_pictures_are_turns_that_nobody_understood() {
    let request = request(WHATSAPP);
    assert!(request.include_usage);
    let heard = [
        turn(Speaker::Patient, "hola", false),
        turn(Speaker::Patient, "", true),
        turn(Speaker::Patient, "me aparece eso en la pantalla 🙏", false),
    ];
    assert_eq!(turns(&request), heard);
    assert_eq!(id(None, &request).as_deref(), Some("conv_01k5chat"), "not the template of the prompt");
    assert_eq!(models::channel(&request.model), Some(Channel::WhatsApp));
    let parts = of(
        json!([{"role": "user", "content": ["el", {"type": "input_text", "text": "M50"}, {"text": " no\n"},
        {"text": "anda"}, {"type": "text"}, null, 7, {"type": "refusal", "refusal": "no"}]}]),
    );
    assert_eq!(turns(&parts), [turn(Speaker::Patient, "el M50 no\nanda", false)]);
    let Message::User { attached, .. } = &parts.messages[0] else { panic!("{parts:?}") };
    assert!(attached.is_empty());
}

/// Sloppy peers are read as far as they go.
#[test]
fn what_is_odd_or_unknown_is_passed_over() {
    let body = json!({"messages": [null, 5, "x", ["user"], {}, {"role": 7, "content": "a"}, {"content": "b"},
            {"role": "ghost", "content": "c"}, {"role": " User ", "content": "sí", "name": "x", "refusal": null},
            {"role": "user"}, {"role": "user", "content": {"text": "parte"}}, {"role": "assistant"},
            {"role": "assistant", "content": null, "tool_calls": null, "audio": {"id": "a"}},
            {"role": "assistant", "content": null, "tool_calls": [null, {}, {"id": 5}, {"function": {"name": ""}}]}],
        "model": null, "stream": null, "n": 1.0, "tools": {"a": 1}, "stream_options": 5, "user": {"id": 1},
        "elevenlabs_extra_body": ["a"], "temperature": "hot", "max_tokens": -5, "reasoning": {"summary": "auto"}});
    let request = request(&body.to_string());
    assert_eq!(
        (request.model.as_str(), request.stream, request.user.clone()),
        (models::DEFAULT, false, None)
    );
    assert_eq!(request.messages.len(), 6);
    assert_eq!(
        turns(&request),
        [turn(Speaker::Patient, "sí", false), turn(Speaker::Patient, "parte", false)]
    );
    let tools = json!({"messages": [{"role": "user", "content": "a"}], "tools": [null, 5, {"name": "end_call"},
        {"function": {"name": "end_call", "parameters": {"required": ["x"]}}}, {"function": {"name": "skip_turn", "parameters": 7}}]});
    let tools = self::request(&tools.to_string()).tools;
    assert_eq!(tools.iter().count(), 2, "flat ones too, each once");
    assert!(tools.get(Tool::EndCall).unwrap().requires.is_empty());
}

#[test]
fn what_cannot_be_answered_is_refused_by_field_found_and_expected() {
    let user = json!([{"role": "user", "content": "mi DNI es 23456789"}]);
    let many = Value::from(vec![json!({"role": "user", "content": "a"}); MAX_MESSAGES + 1]);
    let called = vec![json!({"name": "f"}); MAX_MESSAGES + 1];
    for (body, field, found) in [
        (json!([1]), "body", "a list"),
        (json!({}), "messages", "nothing"),
        (json!({"messages": null}), "messages", "null"),
        (json!({"messages": "hola"}), "messages", "a text"),
        (json!({"messages": []}), "messages", "an empty list"),
        (json!({"messages": [{"role": "ghost"}]}), "messages", "no message with a known role"),
        (json!({"messages": many}), "messages", "4097 messages"),
        (
            json!({"messages": [{"role": "assistant", "tool_calls": called}]}),
            "messages",
            "4097 calls of tools",
        ),
        (json!({"messages": user, "n": 2}), "n", "2"),
        (json!({"messages": user, "n": 0}), "n", "0"),
        (json!({"messages": user, "n": "1"}), "n", "a text"),
        (json!({"messages": user, "stream": "true"}), "stream", "a text"),
        (json!({"messages": user, "model": {}}), "model", "an object"),
        (json!({"messages": user, "model": "x".repeat(129)}), "model", "129 bytes"),
        (json!({"messages": user, "model": "a\nb"}), "model", "control characters"),
    ] {
        let error = read(body.to_string().as_bytes()).unwrap_err();
        let BadRequest::Field { field: f, found: got, .. } = &error else { panic!("{error:?}") };
        assert_eq!((*f, got.as_str()), (field, found));
        let refusal = Refusal::from(error);
        let told: Value = serde_json::from_slice(&refusal.body()).unwrap();
        assert_eq!((refusal.status(), &told["error"]["type"]), (400, &json!("invalid_request_error")));
        assert_eq!(told["error"]["param"], field);
        let message = told["error"]["message"].as_str().unwrap();
        assert!(
            message.contains(field) && message.contains("expected") && message.contains(found),
            "{message}"
        );
        assert!(!message.contains("23456789"), "a refusal never repeats what was said");
    }
    let most = json!({"messages": vec![json!({"role": "user", "content": "a"}); MAX_MESSAGES]});
    assert!(read(most.to_string().as_bytes()).is_ok());
}

#[test]
fn broken_json_is_located_and_never_quoted() {
    for (body, fault) in [
        (r#"{"messages":[{"role":"user","content":"DNI 2345678"#, "an early end"),
        (r#"{"messages":[{"role":"user","content":"DNI 2345678" 5}]}"#, "a syntax error"),
        ("", "an early end"),
        ("data: hola", "a syntax error"),
    ] {
        let error = read(body.as_bytes()).unwrap_err();
        assert!(matches!(error, BadRequest::Corrupt { fault: f, .. } if f == fault), "{error:?}");
        assert!(!error.to_string().contains("2345678"));
    }
    assert!(matches!(read(b"{\"a\":\"\xC3\x28\"}"), Err(BadRequest::Corrupt { .. })));
    let deep = format!("{{\"messages\":{}", "[".repeat(200_000));
    assert!(matches!(read(deep.as_bytes()), Err(BadRequest::Corrupt { .. })), "no deep stack");
    let long = vec![b' '; MAX_BODY + 1];
    assert_eq!(read(&long), Err(BadRequest::TooLarge { len: MAX_BODY + 1 }));
    assert_eq!(Refusal::from(BadRequest::TooLarge { len: MAX_BODY + 1 }).status(), 413);
}

/// Damaged documented bodies: an answer or a refusal, never a panic.
#[test]
fn damaged_bodies_break_nothing() {
    let bytes = [VOICE, WHATSAPP, AFTER_TRANSFER].map(|body| body.as_bytes().to_vec());
    let mut state = 0x5EED_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut good = 0;
    for round in 0..3_000 {
        let mut body = bytes[round % bytes.len()].clone();
        for _ in 0..=below(4) {
            let at = below(body.len());
            match below(3) {
                0 => body[at] = b"{}[]\",:0nt\\\xC3"[below(12)],
                1 => drop(body.remove(at)),
                _ => body.insert(at, b"{}[]\",:0nt\\\xC3"[below(12)]),
            }
        }
        if let Ok(request) = read(&body) {
            good += 1;
            let _ = (turns(&request), occasion(&request), outcomes(&request), id(None, &request));
        }
    }
    assert!(good > 300, "{good}: the damage leaves nothing to read");
}

#[test]
fn the_conversation_is_named_by_header_then_extra_body_then_prompt() {
    let request = request(VOICE);
    assert_eq!(id(Some("conv_cabecera"), &request).as_deref(), Some("conv_cabecera"));
    assert_eq!(id(Some(" \"conv_cabecera\" "), &request).as_deref(), Some("conv_cabecera"));
    for nothing in [
        "",
        " ",
        "{{system__conversation_id}}",
        "null",
        "None",
        "undefined",
        "system__conversation_id",
        "con espacio",
        "ñandú",
        &"x".repeat(129),
    ] {
        let found = id(Some(nothing), &request);
        assert_eq!(found.as_deref(), Some("conv_01k5voz"), "{nothing:?}");
    }
    let mut without = request.clone();
    without.extra.insert("conversation_id".into(), "conv_extra".into());
    assert_eq!(id(None, &without).as_deref(), Some("conv_extra"));
    without.extra.remove("conversation_id");
    without.messages.remove(0);
    assert_eq!(id(None, &without).as_deref(), Some("123e4567-e89b-12d3-a456-426614174000"), "UUID, last");
    without.extra.clear();
    assert_eq!(id(None, &without), None, "user_id names no conversation");
}

#[test]
fn names_of_a_conversation_in_the_extra_body() {
    for (extra, expected) in [
        (json!({"conversation_id": "a1"}), Some("a1")),
        (json!({"conversationId": "a1"}), Some("a1")),
        (json!({"system__conversation_id": "a1"}), Some("a1")),
        (json!({"elevenlabs_conversation_id": "a1"}), Some("a1")),
        (json!({"call_id": 77}), Some("77")),
        (json!({"UUID": "u-1", "conversation_id": "a1"}), Some("a1")),
        (json!({"UUID": "u-1", "conversation_id": "{{system__conversation_id}}"}), Some("u-1")),
        (json!({"conversation_id": {"id": "a1"}}), None),
        (json!({"user_id": "a1", "session": "a1"}), None),
    ] {
        let body = json!({"messages": [{"role": "user", "content": "hola"}], "elevenlabs_extra_body": extra});
        assert_eq!(id(None, &request(&body.to_string())).as_deref(), expected, "{extra}");
    }
}

#[test]
fn lines_of_the_prompt_that_name_a_conversation() {
    for (line, expected) in [
        ("Conversation-Id: conv_1", Some("conv_1")),
        ("  - **Conversation ID:** `conv_1`", Some("conv_1")),
        ("X-Conversation-Id: \"conv_1\"", Some("conv_1")),
        ("conversation_id=conv_1", Some("conv_1")),
        ("system__conversation_id = conv_1.", Some("conv_1")),
        ("CALL_ID=conv_1", Some("conv_1")),
        ("ID de la conversación: conv_1", Some("conv_1")),
        ("Conversation-Id: {{system__conversation_id}}", None),
        ("Conversation-Id: system__conversation_id", None),
        ("Conversation-Id:", None),
        ("The conversation id is conv_1", None),
        ("Conversation-Id: conv_1 and more", None),
        ("Agent-Id: agent_1", None),
    ] {
        let system = of(json!([{"role": "system", "content": format!("Hola.\n{line}\nChau.")}]));
        assert_eq!(id(None, &system).as_deref(), expected, "{line}");
        let user = of(json!([{"role": "user", "content": line}, {"role": "assistant", "content": line}]));
        assert_eq!(id(None, &user), None, "a patient doesn't choose a conversation: {line}");
    }
}

#[test]
fn why_an_answer_is_due() {
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "skip_turn", "arguments": "{}"}}]});
    let (sys, hi) =
        (json!({"role": "system", "content": "a"}), json!({"role": "assistant", "content": "Hola"}));
    let user = json!({"role": "user", "content": "hola"});
    let tool = json!({"role": "tool", "tool_call_id": "c", "content": "{}"});
    let dots = |text: &str| json!({"role": "user", "content": text});
    for (messages, expected) in [
        (json!([sys]), Occasion::Opening),
        (json!([sys, hi]), Occasion::Silence),
        (json!([sys, hi, user]), Occasion::User),
        (json!([hi, user, sys]), Occasion::User),
        (json!([user, hi]), Occasion::Silence),
        (json!([user, call, tool]), Occasion::ToolResult),
        (json!([user, call]), Occasion::ToolResult),
        (json!([user, tool, call]), Occasion::ToolResult),
        (json!([user, call, tool, hi]), Occasion::Silence),
        (json!([user, call, tool, user]), Occasion::User),
        (json!([hi, dots("...")]), Occasion::Silence),
        (json!([hi, dots(" … ")]), Occasion::Silence),
        (json!([hi, dots("")]), Occasion::Silence),
        (json!([hi, dots("?")]), Occasion::User),
        (json!([hi, dots("(unintelligible audio)")]), Occasion::User),
        (json!([hi, {"role": "user", "content": [{"type": "image_url"}]}]), Occasion::User),
    ] {
        assert_eq!(occasion(&of(messages.clone())), expected, "{messages}");
    }
    let silent = of(json!([hi, dots("..."), dots("sí")]));
    assert_eq!(turns(&silent), [turn(Speaker::Agent, "Hola", false), turn(Speaker::Patient, "sí", false)]);
}

/// The patient hears what the assistant says, not what it calls; a recogniser's placeholder is no word.
#[test]
fn decision_11_turns_are_what_was_heard() {
    let request = of(json!([{"role": "system", "content": "Prompt"},
        {"role": "assistant", "content": "Hola."}, {"role": "assistant", "content": "¿Sigue en línea?"},
        {"role": "user", "content": "(unintelligible audio)"}, {"role": "user", "content": " el M50 (unintelligible audio)"},
        {"role": "assistant", "content": "Lo comunico.", "tool_calls": [{"id": "c", "function": {"name": "transfer_to_number", "arguments": "{\"client_message\":\"no\"}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "ocupado"}, {"role": "function", "name": "f", "content": "x"}]));
    let heard = [
        turn(Speaker::Agent, "Hola.", false),
        turn(Speaker::Agent, "¿Sigue en línea?", false),
        turn(Speaker::Patient, "", true),
        turn(Speaker::Patient, "el M50", true),
        turn(Speaker::Agent, "Lo comunico.", false),
    ];
    assert_eq!(turns(&request), heard);
}

#[test]
fn what_became_of_our_calls_is_told() {
    let one = |fate| vec![Outcome { tool: "transfer_to_number".into(), fate }];
    assert_eq!(outcomes(&request(AFTER_TRANSFER)), one(Fate::Failed));
    for (answer, fate) in [
        (r#"{"result_type":"transfer_to_number_sip_success","status":"success"}"#, Fate::Done),
        (r#"{"status":"error"}"#, Fate::Failed),
        (r#"{"status":"cancelled"}"#, Fate::Failed),
        (r#"{"error":"x","status":"success"}"#, Fate::Failed),
        (r#"{"error":null,"success":true}"#, Fate::Done),
        (r#"{"is_error":true}"#, Fate::Failed),
        (r#"{"success":false}"#, Fate::Failed),
        (r#"{"is_error":false}"#, Fate::Done),
        ("Tool not found", Fate::Untold),
        ("{}", Fate::Untold),
    ] {
        let call = json!({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "transfer_to_number"}}]});
        let tool = json!({"role": "tool", "tool_call_id": "c", "content": answer});
        let user = json!({"role": "user", "content": "hola"});
        assert_eq!(outcomes(&of(json!([user, call, tool]))), one(fate), "{answer}");
        assert_eq!(outcomes(&of(json!([user, call, tool, {"role": "system", "content": "x"}]))), one(fate));
        assert_eq!(outcomes(&of(json!([user, call, tool, user]))), [], "somebody has spoken since");
        assert_eq!(outcomes(&of(json!([user, call]))), one(Fate::Untold), "no answer");
    }
}

#[test]
fn refusals_have_openais_shape() {
    for (refusal, status, kind, code, retry) in [
        (Refusal::Key, 401, "authentication_error", json!("invalid_api_key"), None),
        (Refusal::NoModel, 404, "not_found_error", json!("model_not_found"), None),
        (Refusal::NoAddress, 404, "not_found_error", json!(null), None),
        (Refusal::TooMany { retry_after: 3 }, 429, "rate_limit_error", json!("rate_limit_exceeded"), Some(3)),
        (
            Refusal::Overloaded { retry_after: 2 },
            503,
            "overloaded_error",
            json!("service_unavailable"),
            Some(2),
        ),
    ] {
        let body: Value = serde_json::from_slice(&refusal.body()).unwrap();
        assert_eq!((refusal.status(), refusal.retry_after()), (status, retry));
        assert_eq!((&body["error"]["type"], &body["error"]["code"]), (&json!(kind), &code));
        let names: Vec<&String> = body["error"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["code", "message", "param", "type"]);
        assert!(body["error"]["message"].as_str().unwrap().len() > 20);
    }
}

#[test]
fn the_models_are_the_channels() {
    let list: Value = serde_json::from_slice(&models::list(1_700_000_000)).unwrap();
    assert_eq!(list["object"], "list");
    for model in list["data"].as_array().unwrap() {
        let name = model["id"].as_str().unwrap();
        assert!(models::channel(name).is_some());
        assert_eq!(
            serde_json::from_slice::<Value>(&models::one(name, 1_700_000_000).unwrap()).unwrap(),
            *model
        );
        assert_eq!((&model["object"], &model["created"]), (&json!("model"), &json!(1_700_000_000)));
    }
    assert_eq!((models::channel("gpt-4o"), models::one("gpt-4o", 0)), (None, None));
}
