//! `aura ask --batch`: a line in, a line out; a line that can't be read is named.
use crate::home::Home;
use serde_json::{Value, json};

fn batch(home: &Home, name: &str, text: impl AsRef<[u8]>) -> crate::home::Said {
    // The shared home serves many tests: each file has its own name.
    let file = home.write(name, text);
    home.run(&["ask", "--batch", &file])
}

fn lines(out: &str) -> Vec<Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn each_line_is_answered_in_order_with_its_id() {
    let asked = [
        json!({"id": "uno", "text": "El M50 me marca error H08", "channel": "audio_fork", "crm": ["7F-5"]}),
        json!({"id": 2, "text": "no anda"}),
        json!({"text": "M50 error H08", "channel": "whatsapp", "crm": null, "sticky": null}),
        json!({"id": "uno", "text": "suena una alarma seguida", "channel": "retell", "sticky": ["M50"]}),
    ];
    let text: String = asked.iter().map(|line| format!("{line}\n\n")).collect();
    let said = lines(&batch(Home::whole(), "batch.jsonl", text).good());
    assert_eq!(said.len(), asked.len(), "one object a line; empty lines are none");
    assert_eq!(said[0]["id"], "uno");
    assert_eq!(said[1]["id"], 2);
    assert!(said[2].get("id").is_none(), "an id is repeated where it was given");
    assert_eq!(said[3]["id"], "uno");
    assert_eq!((&said[0]["outcome"], &said[0]["scope"]), (&json!("hit"), &json!("audio_fork")));
    assert_eq!(
        (&said[1]["outcome"], &said[1]["scope"]),
        (&json!("gate"), &json!("audio_fork")),
        "the default channel"
    );
    assert_eq!((&said[2]["outcome"], &said[2]["scope"]), (&json!("hit"), &json!("whatsapp")));
    assert_eq!(said[3]["query"], "M50 suena una alarma seguida");
}

/// A line is the same question as the command's arguments.
#[test]
fn a_line_is_answered_as_arguments_are() {
    let home = Home::whole();
    let line = json!({"text": "El M50 me marca error H08", "channel": "audio_fork", "crm": ["7F-5"]});
    let said = lines(&batch(home, "same.jsonl", line.to_string()).good());
    let single = home.run(&["ask", "El M50 me marca error H08", "--crm", "7F-5", "--json"]).json();
    for (key, value) in said[0].as_object().unwrap() {
        assert_eq!(value, &single[key], "{key}");
    }
}

#[test]
fn a_bad_line_is_named_with_its_number() {
    let home = Home::whole();
    let good = r#"{"id": 1, "text": "suena una alarma seguida"}"#;
    for (n, bad) in
        ["{", "[]", r#"{"id": 2}"#, r#"{"text": 7}"#, r#"{"text": "a", "crm": "M50"}"#].iter().enumerate()
    {
        let said = batch(home, &format!("bad{n}.jsonl"), format!("{good}\n\n{bad}\n{good}\n"));
        assert_eq!(said.out, "", "nothing is answered of a file that can't be read");
        said.refused(&["line 3", "bad", "'text'"]);
    }
}

#[test]
fn an_unknown_channel_is_named_with_its_line() {
    let bad = "{\"text\": \"suena una alarma\"}\n{\"text\": \"suena una alarma\", \"channel\": \"fax\"}\n";
    batch(Home::whole(), "fax.jsonl", bad).refused(&[
        "line 2",
        "'fax'",
        "retell, audio_fork, elevenlabs or whatsapp",
    ]);
}

#[test]
fn invalid_utf8_is_named_with_its_line() {
    let bad = b"{\"text\": \"suena una alarma\"}\n{\"text\": \"suena una \xff\"}\n";
    batch(Home::whole(), "bytes.jsonl", bad).refused(&["line 2", "UTF-8"]);
}

#[test]
fn a_missing_file_is_named() {
    Home::whole().run(&["ask", "--batch", "no/hay.jsonl"]).refused(&["no/hay.jsonl"]);
}

#[test]
fn an_empty_file_has_no_answers() {
    assert_eq!(batch(Home::whole(), "empty.jsonl", "\n").good(), "");
}
