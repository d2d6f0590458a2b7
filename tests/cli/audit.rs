//! The audit trail, export, erasure and retention by the real program on a real base.
use crate::home::{Home, Said};
use rustix::process::getuid;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use tokio_postgres::Client;

const DNI: &str = "12345678";

/// What stands between a quiet home and a test of it: a server that keeps its cluster up, and a superuser.
async fn superuser(home: &Home) -> Client {
    let mut postgres = tokio_postgres::Config::new();
    postgres.host_path(home.path().join("run")).user("aura").dbname("aura");
    let (client, connection) = postgres.connect(tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs a command that reads this.
fn run_reading(home: &Home, args: &[&str], input: &str) -> Said {
    let mut command = home.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().unwrap().write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends").into()
}

fn lines(said: &str) -> Vec<Value> {
    said.lines().map(|line| serde_json::from_str(line).expect("one JSON object per line")).collect()
}

/// The trail's head as `verify` prints it.
fn head(home: &Home) -> String {
    let said = home.run(&["audit", "verify"]).good();
    said.trim_end().rsplit(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn settings_and_prompts_go_on_record_and_one_changed_byte_is_found() {
    let home = Home::small("trail");
    let _server = home.serve();
    home.run(&["settings", "set", "suggestion.maxTokens", "200"]).good();
    home.run(&["settings", "set", "suggestion.maxTokens", "300"]).good();
    home.run(&["settings", "unset", "suggestion.maxTokens"]).good();
    home.run(&["settings", "set", "suggestion.maxTokens", "muchos"]).refused(&["suggestion.maxTokens"]);
    let list = home.run(&["prompts", "list"]).good();
    let active = list.lines().find_map(|line| line.strip_prefix("* agent_identity ")).unwrap();
    let active = active.split(' ').next().unwrap();
    home.run(&["prompts", "activate", "agent_identity", "1.0.0"]).good();
    let mut entries = lines(&home.run(&["audit", "list", "--json"]).good());
    entries.retain(|entry| entry["by"].as_str().unwrap().starts_with("command:"));
    let told: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} {}", entry["action"].as_str().unwrap(), entry["detail"]))
        .collect();
    let setting = |old: &str, new: &str| {
        let key = r#""key":"suggestion.maxTokens""#;
        format!(r#"setting_changed {{{key},"new":{new},"old":{old},"scope":"global"}}"#)
    };
    let prompt = format!(r#"prompt_activated {{"key":"agent_identity","new":"1.0.0","old":"{active}"}}"#);
    assert_eq!(told, [setting("null", "200"), setting("200", "300"), setting("300", "null"), prompt]);
    assert!(!getuid().is_root() || entries[0]["by"] == "command:root", "{}", entries[0]);
    let (changed, last) = (&entries[1]["seq"], &entries[3]["seq"]);

    let before = head(&home);
    assert!(before.starts_with(&format!("{last}:")), "{before}");
    home.run(&["settings", "set", "suggestion.maxTokens", "100"]).good();
    home.run(&["audit", "verify", "--head", &before]).good();
    home.run(&["audit", "verify", "--head", before.split_once(':').unwrap().1]).good();
    home.run(&["audit", "verify", "--head", "4:beef"]).refused(&["--head", "SEQ:HASH"]);
    let never = format!("{last}:{}", "ab".repeat(32));
    home.run(&["audit", "verify", "--head", &never]).refused(&["written anew", &format!("up to {last}")]);

    let client = superuser(&home).await;
    assert!(client.batch_execute("UPDATE audit_log SET by = 'account:eva'").await.is_err());
    let sql = format!(
        "ALTER TABLE audit_log DISABLE TRIGGER audit_log_grows;
         UPDATE audit_log SET detail = replace(detail::text, '300', '301')::json WHERE seq = {changed}"
    );
    client.batch_execute(&sql).await.unwrap();
    home.run(&["audit", "verify"]).refused(&["damaged", &format!("entry {changed} "), "backup"]);
}

/// What a call of this patient leaves, as a server writes it.
async fn known(client: &Client, patient: &str) {
    let sql = format!(
        "INSERT INTO call_patients VALUES ('call-1', '{patient}', 'typed', 'confirmed', NULL, now() - interval '1 day');
         INSERT INTO call_journal VALUES
           (gen_random_uuid(), 'call-1', 'audio_fork', 1, NULL, 'heard', now() - interval '1 day',
            '{{\"index\":0,\"speaker\":\"patient\",\"text\":\"el M50 me marca H08\"}}'),
           (gen_random_uuid(), 'call-2', 'audio_fork', 1, NULL, 'heard', now() - interval '1 day',
            '{{\"index\":0,\"speaker\":\"patient\",\"text\":\"de otra persona\"}}')"
    );
    client.batch_execute(&sql).await.unwrap();
}

#[tokio::test]
async fn a_patient_is_exported_and_erased_by_document() {
    let home = Home::small("rights");
    home.run(&["patient", "export", "--dni", DNI]).refused(&["no key", "AURA_HOME"]);
    let vault = aura_actors::vault::Vault::open(None, home.path()).unwrap();
    let patient = vault.patient(aura::ids::Dni::parse(DNI).unwrap());
    let _server = home.serve();
    let client = superuser(&home).await;
    known(&client, &patient).await;

    home.run(&["patient", "export", "--dni", "123"]).refused(&["7 or 8 digits"]);
    let shown = run_reading(&home, &["patient", "export", "--dni", "-"], "12.345.678\n");
    assert!(!shown.err.contains("note:"), "{}", shown.err);
    let whole = shown.json();
    assert_eq!(whole["calls"][0]["transcript"][0]["text"], "el M50 me marca H08");
    assert!(!whole.to_string().contains("otra persona"));
    assert!(!whole.to_string().contains(DNI), "the document itself is nowhere in it");
    let file = home.path().join("export.json");
    let to_file = ["patient", "export", "--dni", DNI, "--out", file.to_str().unwrap()];
    let said = home.run(&to_file);
    assert!(said.err.contains("standard input"), "on the command line a document is seen: {}", said.err);
    assert_eq!(said.good(), "");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let written: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(written["calls"][0]["transcript"], whole["calls"][0]["transcript"]);
    home.run(&to_file).refused(&["export.json", "isn't there yet"]);

    home.run(&["patient", "erase", "--dni", DNI]).refused(&["--yes"]);
    let erased = run_reading(&home, &["patient", "erase", "--dni", "-", "--yes"], DNI).good();
    assert!(erased.contains("1 calls, 1 lines"), "{erased}");
    let again = run_reading(&home, &["patient", "erase", "--dni", "-", "--yes"], DNI).good();
    assert!(again.contains("no call") && again.contains(&patient), "{again}");
    let whole = run_reading(&home, &["patient", "export", "--dni", "-"], DNI).json();
    assert_eq!(whole["calls"], serde_json::json!([]));
    let left: i64 = client.query_one("SELECT count(*) FROM call_journal", &[]).await.unwrap().get(0);
    assert_eq!(left, 1, "the other's is there");
    let trail = run_reading(&home, &["audit", "list", "--json", "--patient-dni", "-"], DNI).good();
    let actions: Vec<Value> = lines(&trail).iter().map(|entry| entry["action"].clone()).collect();
    let expected =
        ["patient_exported", "patient_exported", "patient_erased", "patient_erased", "patient_exported"];
    assert_eq!(actions, expected);
    assert!(!trail.contains(DNI));
    head(&home);
}

#[tokio::test]
async fn the_trail_is_asked_by_time_action_and_person() {
    let home = Home::small("asked");
    let _server = home.serve();
    home.run(&["settings", "set", "suggestion.maxTokens", "200"]).good();
    home.run(&["retention", "run"]).good();
    let count = |args: &[&str]| {
        let all = home.run(&[&["audit", "list"][..], args].concat()).good();
        all.lines().count()
    };
    assert_eq!(count(&["--action", "setting_changed"]), 1);
    let first = &lines(&home.run(&["audit", "list", "--json", "--action", "setting_changed"]).good())[0];
    assert_eq!(count(&["--by", first["by"].as_str().unwrap()]), 2);
    assert_eq!(count(&["--by", "account:nadie"]), 0);
    assert_eq!(count(&["--action", "retention_applied", "--since", "2026-01-01"]), 1);
    assert_eq!(count(&["--since", "2999-01-01"]), 0);
    assert_eq!(count(&["--since", "2999-01-01T00:00:00-03:00"]), 0);
    home.run(&["audit", "list", "--since", "ayer"]).refused(&["--since", "ayer", "2026-11-30"]);
}

#[tokio::test]
async fn retention_by_hand_counts_first_and_then_deletes() {
    let home = Home::small("retention");
    let _server = home.serve();
    let client = superuser(&home).await;
    let sql = "INSERT INTO call_journal SELECT gen_random_uuid(), 'c', 'retell', n, NULL, 'said',
                 now() - n * interval '1 day', '{}' FROM generate_series(1, 20) n";
    client.batch_execute(sql).await.unwrap();
    home.run(&["settings", "set", "retention.transcriptsDays", "0"]).refused(&["from 1 to 3650"]);
    home.run(&["settings", "set", "retention.transcriptsDays", "10"]).good();
    let dry = home.run(&["retention", "run", "--dry-run"]).good();
    assert!(dry.contains("transcripts: 11 older than 10 days"), "{dry}");
    let done = home.run(&["retention", "run"]).good();
    assert!(done.contains("transcripts: 11 older than 10 days"), "{done}");
    let left: i64 = client.query_one("SELECT count(*) FROM call_journal", &[]).await.unwrap().get(0);
    assert_eq!(left, 9);
    let told = home.run(&["audit", "list", "--action", "retention_applied"]).good();
    assert!(told.contains(r#""transcripts":{"days":10,"rows":11}"#), "{told}");
}
