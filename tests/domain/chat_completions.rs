//! What the events of a chat-completions stream mean, from well-behaved servers and others.
use aura::generation::{Grounding, Message, Request, Role, Usage};
use aura::protocol::chat_completions::{Body, Capabilities, Progress, Reader, StreamFault};
use aura::protocol::provider_error::{ProviderError, worth_retrying};
use aura::protocol::sse::Event;
use serde_json::{Value, json};

fn event(data: impl ToString) -> Event {
    Event { name: None, data: data.to_string() }
}

/// Reads frames to the end of the stream: the text, and how it ended.
fn read(frames: &[Value]) -> (String, Result<Usage, StreamFault>) {
    let (mut reader, mut text) = (Reader::default(), String::new());
    for frame in frames {
        let data = frame.as_str().map_or_else(|| frame.to_string(), str::to_owned);
        match reader.read(&event(data)) {
            Ok(Progress::Text(more)) => text.push_str(&more),
            Ok(Progress::Nothing) => {}
            Ok(Progress::Done) => break,
            Err(fault) => return (text, Err(fault)),
        }
    }
    (text, reader.end())
}

fn delta(content: &str) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn request() -> Request {
    let message = |role, content: &str| Message { role, content: content.into() };
    Request {
        messages: vec![message(Role::System, "Sos Aura."), message(Role::User, "El M50 marca H08")],
        max_tokens: 300,
        grounding: Grounding::Nothing,
        holding: "Un momento, por favor.",
        cache_key: "retell-v3".into(),
    }
}

#[test]
fn e5_equal_requests_are_equal_bytes() {
    let can = Capabilities {
        stream_options: true,
        max_completion_tokens: true,
        prompt_cache_key: true,
        store: true,
    };
    let request = request();
    let body = |can| serde_json::to_string(&Body::new(&request, "gpt", None, can)).unwrap();
    assert_eq!(body(can), body(can));
    assert_eq!(
        body(can),
        r#"{"model":"gpt","messages":[{"role":"system","content":"Sos Aura."},{"role":"user","content":"El M50 marca H08"}],"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false},"max_completion_tokens":300,"prompt_cache_key":"retell-v3","store":false}"#
    );
    assert_eq!(
        body(Capabilities::default()),
        r#"{"model":"gpt","messages":[{"role":"system","content":"Sos Aura."},{"role":"user","content":"El M50 marca H08"}],"stream":true,"max_tokens":300}"#
    );
}

#[test]
fn a_plain_answer_with_its_usage() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1200, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 1024}}});
    let (text, end) =
        read(&[delta(""), delta("Hola, "), delta("señora."), finish("stop"), usage, "[DONE]".into()]);
    assert_eq!(text, "Hola, señora.");
    let expected = Usage { prompt_tokens: Some(1200), cached_tokens: Some(1024), completion_tokens: Some(7) };
    assert_eq!(end, Ok(expected));
}

#[test]
fn fault_1_a_delta_without_tool_calls_is_text() {
    assert_eq!(read(&[json!({"choices": [{"delta": {"content": "hola"}}]}), finish("stop")]).0, "hola");
}

#[test]
fn fault_32_empty_choices_first_and_last() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": null}});
    let filter = json!({"choices": [], "prompt_filter_results": [{}]});
    let (text, end) = read(&[filter, usage.clone(), delta("hola"), finish("stop"), usage]);
    assert_eq!(text, "hola");
    assert_eq!(end, Ok(Usage { prompt_tokens: Some(3), ..Usage::default() }));
}

#[test]
fn usage_in_every_chunk_is_a_running_total() {
    let with_usage = |n: u32| json!({"choices": [{"index": 0, "delta": {"content": "a"}}], "usage": {"completion_tokens": n}});
    let (_, end) = read(&[with_usage(1), with_usage(2), with_usage(3), finish("stop"), "[DONE]".into()]);
    assert_eq!(end.unwrap().completion_tokens, Some(3));
}

#[test]
fn sloppy_deltas_say_nothing_and_break_nothing() {
    for sloppy in [
        json!({}),
        json!({"choices": null}),
        json!({"choices": {}}),
        json!({"choices": [null, 1, "x", {}]}),
        json!({"choices": [{"index": 0}]}),
        json!({"choices": [{"index": 0, "delta": null}]}),
        json!({"choices": [{"index": null, "delta": {"role": null, "content": null}}]}),
        json!({"choices": [{"delta": {"role": "assistant", "content": ""}}], "usage": null, "error": null}),
        json!({"choices": [{"delta": {"content": 7, "reasoning_content": "pienso"}}], "usage": "x"}),
        json!({"choices": [{"index": 1, "delta": {"content": "otra respuesta"}}]}),
    ] {
        let (text, end) = read(&[sloppy.clone(), delta("hola"), finish("stop")]);
        assert_eq!((text.as_str(), end.is_ok()), ("hola", true), "{sloppy}");
    }
    let parts = json!({"choices": [{"delta": {"content": [{"type": "text", "text": "ho"}, {"type": "text", "text": "la"}]}}]});
    assert_eq!(read(&[parts, finish("stop")]).0, "hola");
}

/// Nobody offers tools, so a fragment of a call is nothing to say, whatever it lacks.
fn ignores(call: Value) {
    let frame = json!({"choices": [{"delta": {"content": "hola", "tool_calls": [call]}}]});
    let (text, end) = read(&[frame, finish("tool_calls")]);
    assert_eq!((text.as_str(), end.is_ok()), ("hola", true));
}

#[test]
fn fault_21_tool_calls_without_an_index_are_ignored() {
    ignores(json!({"id": "c1", "function": {"name": "f", "arguments": "{}"}}));
    ignores(json!(null));
}

#[test]
fn fault_22_tool_calls_without_an_id_are_ignored() {
    ignores(json!({"index": 1, "function": {"arguments": {"a": 1}}}));
    ignores(json!({"index": 0, "id": null, "function": null}));
    let silent = json!({"choices": [{"delta": {"tool_calls": [{"index": 0}]}}]});
    assert_eq!(read(&[silent, finish("tool_calls")]).1, Err(StreamFault::Empty("tool_calls")));
}

#[test]
fn fault_31_an_end_with_a_reason_or_a_mark_is_an_end() {
    assert!(read(&[delta("hola"), finish("stop")]).1.is_ok(), "no [DONE]");
    assert!(read(&[delta("hola"), "[DONE]".into()]).1.is_ok(), "no finish reason");
    assert!(read(&[delta("hola"), finish("eos")]).1.is_ok(), "a reason that nobody documented");
    assert_eq!(read(&[delta("hola")]).1, Err(StreamFault::Truncated));
    assert_eq!(read(&[]).1, Err(StreamFault::Truncated));
}

#[test]
fn how_an_answer_stops_decides_what_it_is() {
    assert!(read(&[delta("hola"), finish("length")]).1.is_ok(), "cut, but said");
    assert_eq!(read(&[finish("length")]).1, Err(StreamFault::Empty("length")));
    assert_eq!(read(&["[DONE]".into()]).1, Err(StreamFault::Empty("none")));
    assert_eq!(read(&[delta("hola"), finish("content_filter")]).1, Err(StreamFault::Filtered));
    let refusal = json!({"choices": [{"delta": {"refusal": "No puedo"}}]});
    let (text, end) = read(&[refusal, finish("stop")]);
    assert_eq!((text.as_str(), end), ("", Err(StreamFault::Declined)));
    assert!(StreamFault::Empty("stop").is_passing() && !StreamFault::Empty("length").is_passing());
}

#[test]
fn fault_34_an_error_frame_is_an_error_first_or_fifth() {
    let error = json!({"error": {"message": "overloaded"}});
    let fault = StreamFault::Provider(ProviderError::default());
    assert_eq!(read(std::slice::from_ref(&error)), (String::new(), Err(fault.clone())));
    let frames = [delta("a"), delta("b"), delta("c"), delta("d"), error, delta("e")];
    assert_eq!(read(&frames), ("abcd".into(), Err(fault.clone())));
    assert!(fault.is_passing());
    assert!(read(&[json!({"error": "plain text"})]).1.is_err());
    let named = Event { name: Some("error".into()), data: "no JSON at all".into() };
    assert!(matches!(Reader::default().read(&named), Err(StreamFault::Provider(_))));
    let bare = Event { name: Some("error".into()), data: r#"{"code":429,"message":"m"}"#.into() };
    let Err(StreamFault::Provider(error)) = Reader::default().read(&bare) else { panic!("not an error") };
    assert_eq!(error.code.as_deref(), Some("429"));
}

#[test]
fn events_that_are_no_objects_are_named() {
    for data in ["hola", "[1]", "7", "null", "{\"choices\":[", "<html>"] {
        assert_eq!(Reader::default().read(&event(data)), Err(StreamFault::Malformed), "{data}");
    }
}

#[test]
fn an_error_keeps_its_labels_and_none_of_its_prose() {
    let error = |body: Value| ProviderError::of(&json!({ "error": body })).unwrap();
    let quoted = error(
        json!({"message": "'me duele' is invalid", "code": "invalid value: me duele", "type": "invalid_request_error", "param": "messages"}),
    );
    assert_eq!(quoted.to_string(), "type invalid_request_error");
    assert_eq!(error(json!({"code": "30123456"})), ProviderError::default(), "a DNI is no code");
    assert_eq!(error(json!({"code": 503})).to_string(), "code 503");
    assert_eq!(error(json!({"code": "", "type": "x".repeat(65)})), ProviderError::default());
    assert_eq!(ProviderError::of_body(b"<html>"), ProviderError::default());
}

#[test]
fn what_is_worth_a_second_try() {
    let none = ProviderError::default();
    for status in [408, 409, 429, 500, 503, 529] {
        assert!(worth_retrying(status, None, &none), "{status}");
        assert!(!worth_retrying(status, Some("false"), &none), "{status}");
    }
    for status in [400, 401, 403, 404, 422] {
        assert!(!worth_retrying(status, None, &none), "{status}");
        assert!(worth_retrying(status, Some("true"), &none), "{status}");
    }
    let quota = ProviderError { code: Some("insufficient_quota".into()), kind: None };
    assert!(!worth_retrying(429, None, &quota) && !worth_retrying(429, Some("true"), &quota));
    assert!(quota.is_permanent());
    assert!(ProviderError { code: Some("401".into()), kind: None }.is_permanent());
    assert!(!ProviderError { code: Some("503".into()), kind: None }.is_permanent());
}
