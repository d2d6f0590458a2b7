//! The answer as it leaves: its chunks, the calls of tools in it, and that any client can read it.
use crate::custom_llm::{VOICE, request};
use aura::call::Closing;
use aura::generation::Usage;
use aura::phrases::{GOODBYE, HOLDING_BOT, TRANSFERRED, TRANSFERRING};
use aura::protocol::chat_completions::{Progress, Reader, StreamFault};
use aura::protocol::custom_llm::{
    DONE, Ending, Offered, Stream, Tool, ToolCall, Whole, Withheld, Words, call_for, models,
};
use aura::protocol::sse::SseDecoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const COST: Usage =
    Usage { prompt_tokens: Some(1200), cached_tokens: Some(1024), completion_tokens: Some(17) };

fn stream(include_usage: bool) -> Stream {
    Stream::new("chatcmpl-7".into(), 1_767_225_600, "aura-voice".into(), include_usage)
}

fn offered(tools: Value) -> Offered {
    let body = json!({"messages": [{"role": "user", "content": "a"}], "tools": tools});
    request(&body.to_string()).tools
}

fn offer(name: &str, properties: Value, required: Value) -> Value {
    json!([{"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties, "required": required}}}])
}

fn bye() -> ToolCall {
    call_for(&Closing::HangUp, &request(VOICE).tools, Words::default(), "chatcmpl-7", 0).unwrap().unwrap()
}

/// Words with accents, quotes, an emoji, a list and a call.
fn everything(mut stream: Stream) -> Vec<u8> {
    let mut bytes = stream.open();
    for sentence in
        ["Señora, «apague» el \"M50\".", "- Espere 5 minutos", "- Enciéndalo 🫁", "¿Algo más?\u{2028}\\"]
    {
        bytes.extend(stream.say(sentence));
    }
    bytes.extend(stream.call(&bye()));
    bytes.extend(stream.end(Ending::Stop, COST));
    bytes
}

const EVERYTHING: &str =
    "Señora, «apague» el \"M50\". \n- Espere 5 minutos \n- Enciéndalo 🫁 \n¿Algo más?\u{2028}\\ ";

/// What our own client makes of a stream that comes in these pieces.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (String, Result<Usage, StreamFault>) {
    let (mut decoder, mut reader, mut text) = (SseDecoder::default(), Reader::default(), String::new());
    let mut events: Vec<_> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    events.extend(decoder.finish());
    for event in events {
        match reader.read(&event.unwrap()) {
            Ok(Progress::Text(more)) => text.push_str(&more),
            Ok(Progress::Nothing | Progress::Done) => {}
            Err(fault) => return (text, Err(fault)),
        }
    }
    (text, reader.end())
}

/// The chunks of a stream, without `[DONE]`, which must be its end.
fn chunks(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    let body = text.strip_suffix("data: [DONE]\n\n").expect("[DONE] at the end");
    body.split_terminator("\n\n")
        .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
        .collect()
}

#[test]
fn e12_a_whole_stream() {
    let text = String::from_utf8(everything(stream(true))).unwrap();
    insta::assert_snapshot!("stream", text);
}

#[test]
fn e12_a_whole_stream_without_usage() {
    let mut stream = stream(false);
    let mut bytes = stream.say("Hola, señora.");
    bytes.extend(stream.end(Ending::Length, COST));
    let text = String::from_utf8(bytes).unwrap();
    let head = r#"data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1767225600,"model":"aura-voice","choices":[{"index":0,"delta":"#;
    let expected = [
        r#"{"role":"assistant","content":""},"finish_reason":null}]}"#,
        r#"{"content":"Hola, señora. "},"finish_reason":null}]}"#,
        r#"{},"finish_reason":"length"}]}"#,
    ];
    let expected: String = expected.iter().map(|rest| format!("{head}{rest}\n\n")).collect();
    assert_eq!(text, format!("{expected}data: [DONE]\n\n"));
}

#[test]
fn e12_each_chunk_has_what_clients_look_for() {
    for usage in [false, true] {
        let all = chunks(&everything(stream(usage)));
        for (at, chunk) in all.iter().enumerate() {
            assert_eq!(
                (&chunk["id"], &chunk["object"]),
                (&json!("chatcmpl-7"), &json!("chat.completion.chunk"))
            );
            assert_eq!((&chunk["created"], &chunk["model"]), (&json!(1_767_225_600), &json!("aura-voice")));
            assert_eq!(chunk.get("usage").is_some(), usage);
            for choice in chunk["choices"].as_array().unwrap() {
                assert!(choice["index"] == 0 && choice["delta"].is_object());
                assert!(choice.get("finish_reason").is_some(), "null where it goes on");
                assert_eq!(choice["delta"].get("role").is_some(), at == 0);
            }
        }
        let reasons: Vec<&Value> =
            all.iter().flat_map(|c| c["choices"].as_array().unwrap()).map(|c| &c["finish_reason"]).collect();
        assert_eq!(
            reasons.iter().filter(|reason| !reason.is_null()).collect::<Vec<_>>(),
            [&&json!("tool_calls")]
        );
        let call = &all[5]["choices"][0]["delta"]["tool_calls"];
        assert_eq!(
            (call.as_array().unwrap().len(), &call[0]["index"], &call[0]["type"]),
            (1, &json!(0), &json!("function"))
        );
        let arguments: Value =
            serde_json::from_str(call[0]["function"]["arguments"].as_str().unwrap()).unwrap();
        assert_eq!((&call[0]["function"]["name"], arguments.is_object()), (&json!("end_call"), true));
    }
}

#[test]
fn a_stream_ends_once_and_says_nothing_after_it() {
    let mut stream = stream(true);
    assert!(stream.is_empty());
    assert_eq!((stream.say("  "), stream.open().is_empty(), stream.open()), (vec![], false, vec![]));
    assert!(stream.is_empty(), "a role is no answer");
    assert!(!stream.say("Hola.").is_empty() && !stream.is_empty());
    assert!(stream.end(Ending::Stop, Usage::default()).ends_with(DONE));
    assert_eq!((stream.say("más"), stream.call(&bye()), stream.open()), (vec![], vec![], vec![]));
    assert_eq!(stream.end(Ending::Stop, COST), Vec::<u8>::new());
}

#[test]
fn sentences_are_parted_by_a_space_that_comes_at_once() {
    let mut stream = stream(false);
    let mut bytes = stream.say("Un momento... ");
    assert!(String::from_utf8_lossy(&bytes).contains(r#""content":"Un momento... ""#));
    bytes.extend(stream.say("Apague el equipo."));
    bytes.extend(stream.end(Ending::Stop, COST));
    assert_eq!(decode([&bytes[..]]).0, "Un momento... Apague el equipo. ");
}

/// Every cut, also between the bytes of a character.
#[test]
fn fault_25_our_stream_cut_anywhere_is_the_same_text() {
    let bytes = everything(stream(true));
    let expected = (EVERYTHING.to_owned(), Ok(COST));
    assert_eq!(decode([&bytes[..]]), expected);
    assert_eq!(decode(bytes.chunks(1)), expected);
    for cut in 0..=bytes.len() {
        assert_eq!(decode([&bytes[..cut], &bytes[cut..]]), expected, "cut at {cut}");
    }
    let mut stream = stream(true);
    for piece in [stream.open(), stream.say("señora 🫁"), stream.call(&bye()), stream.end(Ending::Stop, COST)]
    {
        assert!(
            std::str::from_utf8(&piece).is_ok_and(|text| text.ends_with("\n\n")),
            "no piece cuts an event"
        );
    }
}

#[test]
fn fault_29_each_event_is_one_data_line_with_a_space() {
    let mut stream = stream(true);
    let mut bytes = stream.say("uno\ndos\r\ntres\rcuatro\u{85}\u{2029}\n\ndata: [DONE]\n\n: nada");
    bytes.extend(stream.end(Ending::Stop, COST));
    let text = std::str::from_utf8(&bytes).unwrap();
    for event in text.split_terminator("\n\n") {
        assert!(event.starts_with("data: ") && !event.contains(['\n', '\r']), "{event:?}");
    }
    assert_eq!(decode([&bytes[..]]).0, "uno\ndos\r\ntres\rcuatro\u{85}\u{2029}\n\ndata: [DONE]\n\n: nada ");
}

/// The empty list comes where it was asked for, last, and nowhere else.
#[test]
fn fault_32_no_choices_only_in_the_usage_that_was_asked_for() {
    let empty = |bytes: &[u8]| -> Vec<usize> {
        let all = chunks(bytes);
        let at = all.iter().enumerate().filter(|(_, chunk)| chunk["choices"] == json!([]));
        at.map(|(at, _)| all.len() - at).collect()
    };
    assert_eq!(empty(&everything(stream(false))), [0; 0]);
    assert_eq!(empty(&everything(stream(true))), [1], "the last one");
    let last = chunks(&everything(stream(true))).pop().unwrap();
    let usage = json!({"prompt_tokens": 1200, "completion_tokens": 17, "total_tokens": 1217, "prompt_tokens_details": {"cached_tokens": 1024}});
    assert_eq!(last["usage"], usage);
    let mut quoted = stream(true);
    quoted.say("Hola.");
    let end = chunks(&quoted.end(Ending::Stop, Usage::default())).pop().unwrap();
    assert_eq!(end["usage"], json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}));
}

/// Trouble in the midst of a stream is a safe sentence and a normal end: no client sees an error.
#[test]
fn fault_34_a_stream_never_holds_an_error() {
    for said in ["", "El código H08 "] {
        let mut stream = stream(true);
        let mut bytes = stream.open();
        bytes.extend(stream.say(said));
        bytes.extend(stream.say(HOLDING_BOT.es));
        bytes.extend(stream.end(Ending::Stop, Usage::default()));
        assert!(chunks(&bytes).iter().all(|chunk| chunk.get("error").is_none()));
        let (text, end) = decode([&bytes[..]]);
        assert!(text.ends_with(&format!("{} ", HOLDING_BOT.es)) && end.is_ok(), "{end:?}");
    }
}

#[test]
fn a_whole_answer_is_one_object() {
    let mut whole = Whole::new("chatcmpl-7".into(), 1_767_225_600, "aura".into());
    assert!(whole.is_empty());
    for sentence in ["Apague el equipo:", "", "- Espere", "- Encienda", "Listo."] {
        whole.say(sentence);
    }
    let body = String::from_utf8(whole.end(Ending::Length, COST)).unwrap();
    let expected = r#"{"id":"chatcmpl-7","object":"chat.completion","created":1767225600,"model":"aura","choices":[{"index":0,"message":{"role":"assistant","content":"Apague el equipo:\n- Espere\n- Encienda\nListo."},"finish_reason":"length"}],"usage":{"prompt_tokens":1200,"completion_tokens":17,"total_tokens":1217,"prompt_tokens_details":{"cached_tokens":1024}}}"#;
    assert_eq!(body, expected);
    let mut calling = Whole::new("c".into(), 0, models::DEFAULT.into());
    calling.call(bye());
    let body: Value = serde_json::from_slice(&calling.end(Ending::Stop, Usage::default())).unwrap();
    let choice = &body["choices"][0];
    assert_eq!(
        (&choice["message"]["content"], &choice["finish_reason"]),
        (&json!(null), &json!("tool_calls"))
    );
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!((call.get("index"), &call["id"], &call["type"]), (None, &json!(bye().id), &json!("function")));
}

#[test]
fn what_happens_to_the_line_is_a_call_of_a_tool() {
    let tools = request(VOICE).tools;
    let arguments = |closing: &Closing, words| -> Value {
        let call = call_for(closing, &tools, words, "c", 0).unwrap().unwrap();
        serde_json::from_str(&call.arguments).unwrap()
    };
    assert_eq!(call_for(&Closing::Stay, &tools, Words::default(), "c", 0), Ok(None));
    let over = Words::default();
    assert_eq!(
        arguments(&Closing::HangUp, over),
        json!({"reason": over.reason}),
        "what was said isn't said twice"
    );
    let bye = Words { to_patient: Some("Hasta luego."), ..over };
    assert_eq!(arguments(&Closing::HangUp, bye), json!({"reason": over.reason, "message": "Hasta luego."}));
    let transfer = Closing::Transfer("5491155550123".into());
    let expected = json!({"transfer_number": "+5491155550123", "client_message": TRANSFERRING.es, "agent_message": TRANSFERRED.es, "reason": over.reason});
    assert_eq!(arguments(&transfer, over), expected, "the number as the peer writes it");
    let other = Closing::Transfer("+5491155550000".into());
    assert_eq!(call_for(&other, &tools, over, "c", 0), Err(Withheld::NumberNotListed { allowed: 2 }));
}

/// The schema decides which arguments there are: the documents' and the one that was seen instead.
#[test]
fn arguments_follow_the_schema_that_is_offered() {
    let transfer = Closing::Transfer("+5491155550123".into());
    let told = Words { to_patient: Some("Lo comunico."), ..Words::default() };
    let keys = |closing: &Closing, tools: Value, words| {
        call_for(closing, &offered(tools), words, "c", 0).map(|call| {
            let arguments: Value = serde_json::from_str(&call.unwrap().arguments).unwrap();
            arguments
                .as_object()
                .unwrap()
                .iter()
                .map(|(k, v)| format!("{k}={}", v.as_str().unwrap()))
                .collect::<Vec<_>>()
        })
    };
    let text = json!({"type": "string"});
    let seen = offer(
        "transfer_to_number",
        json!({"transfer_number": {"enum": ["+54 9 11 5555-0123"]}, "system__message_to_speak": text, "agent_message": text}),
        json!(["transfer_number", "agent_message"]),
    );
    assert_eq!(
        keys(&transfer, seen, told).unwrap(),
        [
            format!("agent_message={}", TRANSFERRED.es),
            "system__message_to_speak=Lo comunico.".into(),
            "transfer_number=+54 9 11 5555-0123".into()
        ]
    );
    let both = offer(
        "end_call",
        json!({"reason": text, "message": text, "system__message_to_speak": text}),
        json!([]),
    );
    assert_eq!(keys(&Closing::HangUp, both, told).unwrap()[0], "message=Lo comunico.", "said once");
    let insists =
        offer("end_call", json!({"system__message_to_speak": text}), json!(["system__message_to_speak"]));
    assert_eq!(
        keys(&Closing::HangUp, insists, Words::default()).unwrap(),
        [format!("system__message_to_speak={}", GOODBYE.es)]
    );
    let bare = json!([{"type": "function", "function": {"name": "end_call"}}]);
    assert_eq!(
        keys(&Closing::HangUp, bare, Words::default()).unwrap(),
        [format!("reason={}", Words::default().reason)]
    );
    let bare = json!([{"type": "function", "function": {"name": "transfer_to_number"}}]);
    assert_eq!(keys(&transfer, bare, Words::default()).unwrap().len(), 4, "the documented ones");
    let unknown = offer("end_call", json!({"reason": text}), json!(["reason", "survey"]));
    assert_eq!(
        keys(&Closing::HangUp, unknown, told),
        Err(Withheld::Unknown { tool: Tool::EndCall, argument: "survey".into() })
    );
}

/// Peers drop client tools' calls behind words on voice turns: we call none, whatever they are named, and where the
/// platform's own isn't offered the answer says so to whoever writes it, who then has words instead.
#[test]
fn fault_23_tools_of_clients_and_webhooks_are_never_called() {
    let tools = offered(
        json!([{"type": "function", "function": {"name": "open_ticket"}}, {"type": "function", "function": {"name": "End_Call"}},
        {"type": "function", "function": {"name": "transfer_to_human"}}, {"type": "function", "function": {"name": "skip_turn"}}]),
    );
    assert_eq!(tools.iter().map(|offer| offer.tool).collect::<Vec<_>>(), [Tool::SkipTurn]);
    for (closing, tool) in
        [(Closing::HangUp, Tool::EndCall), (Closing::Transfer("911".into()), Tool::TransferToNumber)]
    {
        let withheld = call_for(&closing, &tools, Words::default(), "c", 0);
        assert_eq!(withheld, Err(Withheld::NotOffered(tool)));
        assert!(withheld.unwrap_err().to_string().contains(tool.name()));
    }
}

#[test]
fn ids_of_calls_are_repeatable_and_unique() {
    let tools = request(VOICE).tools;
    let id = |completion: &str, index| {
        call_for(&Closing::HangUp, &tools, Words::default(), completion, index).unwrap().unwrap().id
    };
    assert_eq!(id("chatcmpl-1", 0), id("chatcmpl-1", 0));
    let all: BTreeSet<String> = (0..10)
        .flat_map(|n| (0..3).map(move |index| (n, index)))
        .map(|(n, index)| id(&format!("chatcmpl-{n}"), index))
        .collect();
    assert_eq!(all.len(), 30);
    assert!(all.iter().all(|id| id.starts_with("call_") && id.len() <= 40));
}
