//! What can't work says what is wrong, what was expected and what to do; nothing panics.
use crate::home::{Home, weights};
use std::fs;

const QUESTION: [&str; 2] = ["ask", "El M50 me marca error H08"];

/// One bad variable is refused by every command, the server included.
#[test]
fn a_variable_that_is_not_understood_is_named() {
    let home = Home::new("variables");
    let cases = [
        ("AURA_LLM", "foo", "local or openai"),
        ("AURA_EMBEDDER", "foo", "local or openai"),
        ("AURA_LISTEN", "nonsense", "an address such as 127.0.0.1:8080"),
        ("AURA_LOG", "foo", "pretty or json"),
        ("AURA_MAX_CALLS", "0", "from 1 to"),
        ("RETELL_ALLOW_IPS", "300.1.1.1", "addresses or networks"),
    ];
    for (name, value, expected) in cases {
        for args in [&QUESTION[..], &["serve"], &["settings", "get"]] {
            home.run_with(&[(name, value)], args).refused(&[name, &format!("'{value}'"), expected]);
        }
    }
    assert!(!home.path().join("db").exists(), "no cluster was made for nothing");
}

#[test]
fn an_address_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let home = Home::small("taken");
    home.run_with(&[("AURA_LISTEN", &address)], &["serve"]).refused(&[&address, "AURA_LISTEN"]);
    assert!(home.is_down(), "a server that refuses to start leaves no Postgres behind");
}

#[test]
fn e14_a_missing_or_empty_prompts_folder_is_named() {
    let home = Home::small("noprompts");
    let missing = home.path().join("no-hay");
    let missing = missing.to_str().unwrap();
    let empty = home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    for args in [&QUESTION[..], &["serve"]] {
        home.run_with(&[("AURA_PROMPTS", missing)], args).refused(&[missing, "AURA_PROMPTS"]);
        home.run_with(&[("AURA_PROMPTS", empty)], args).refused(&[empty, "copilot_identity/1.4.0.txt"]);
    }
}

/// E3: each channel needs its prompt; the server doesn't start without one, and `aura ask` doesn't show half a turn.
#[test]
fn e3_a_channel_without_a_prompt_is_named() {
    let home = Home::new("oneprompt");
    home.manual("cap/recarga.md", &[("Cómo pedir la recarga", "Se pide por esta misma línea.")]);
    for key in ["agent_identity", "copilot_identity"] {
        home.write(&format!("prompts/{key}/1.0.0.txt"), "Conteste con el manual.\n");
    }
    let folder = home.path().join("prompts");
    let env = [("AURA_PROMPTS", folder.to_str().unwrap())];
    home.run_with(&env, &["serve"]).refused(&["agent_identity_whatsapp", "aura prompts activate"]);
    assert!(home.is_down(), "a server that refuses to start leaves no Postgres behind");
    let asked = |channel| home.run_with(&env, &["ask", "cómo pido la recarga", "--channel", channel]);
    asked("whatsapp").refused(&["agent_identity_whatsapp"]);
    asked("retell").good();
}

#[test]
fn prompts_that_are_no_text_are_named() {
    let home = Home::new("badprompts");
    let cases: [(&str, &[u8], &str); 3] = [
        ("agent_identity/1.0.0.txt", b"\xff\xfe", "UTF-8"),
        ("agent_identity/1.0.0.txt", b"  \n", "empty"),
        ("agent_identity/nueva.txt", b"Hola.", "1.4.0.txt"),
    ];
    for (n, (name, text, part)) in cases.into_iter().enumerate() {
        home.write(&format!("p{n}/{name}"), text);
        let folder = home.path().join(format!("p{n}"));
        home.run_with(&[("AURA_PROMPTS", folder.to_str().unwrap())], &["prompts", "list"])
            .refused(&[name, part]);
    }
}

#[test]
fn missing_and_damaged_weights_are_named() {
    let home = Home::small("weights");
    let bytes = fs::read(weights()).unwrap();
    let cut = home.write("cut.bin", &bytes[..bytes.len() / 2]);
    let foreign = home.write("foreign.bin", "# Un manual\n");
    let missing = home.path().join("no-hay.bin").to_str().unwrap().to_owned();
    for (file, part) in
        [(&missing, "can't be opened"), (&cut, "is damaged"), (&foreign, "isn't the embedding model")]
    {
        for args in [&QUESTION[..], &["serve"]] {
            home.run_with(&[("AURA_E5_WEIGHTS", file)], args).refused(&[file, part, "deploy/up"]);
        }
    }
}

#[test]
fn a_database_that_is_not_there_is_named_without_its_password() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("postgres://aura:secreto@{closed}/aura");
    let home = Home::new("closed");
    for args in [&QUESTION[..], &["serve"], &["settings", "get"]] {
        let said =
            home.run_with(&[("DATABASE_URL", &url)], args).refused(&["127.0.0.1/aura", "DATABASE_URL"]);
        assert!(!said.contains("secreto"), "{said}");
    }
    for url in ["nada", "", "postgres://"] {
        let said = home.run_with(&[("DATABASE_URL", url)], &["ask", "hola"]);
        assert_eq!(said.code, Some(1), "{url:?}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{}", said.err);
    }
}

#[test]
fn wrong_postgres_binaries_are_named() {
    let home = Home::new("nopg");
    let dir = home.path().join("no-hay");
    let dir = dir.to_str().unwrap();
    home.run_with(&[("AURA_PG_BIN", dir)], &QUESTION).refused(&[
        dir,
        "deploy/up",
        "AURA_PG_BIN",
        "DATABASE_URL",
    ]);
}

#[test]
fn another_major_version_of_the_data_is_refused() {
    let home = Home::small("version");
    fs::write(home.path().join("db/data/PG_VERSION"), "13\n").unwrap();
    for args in [&QUESTION[..], &["serve"]] {
        home.run(args).refused(&["Postgres 13", "AURA_PG_BIN", "db/data"]);
    }
}

#[test]
fn a_second_server_on_the_same_home_is_refused() {
    let said = Home::whole().run(&["serve"]).refused(&["another aura server", "AURA_HOME"]);
    assert!(said.contains(Home::whole().path().to_str().unwrap()), "{said}");
    Home::whole().run(&["ask", "El M50 me marca error H08", "--json"]).json();
}

#[test]
fn arguments_that_make_no_sense_are_named() {
    let home = Home::whole();
    home.run(&["ask", "hola", "--channel", "fax"])
        .refused(&["'fax'", "retell, audio_fork, elevenlabs or whatsapp"]);
    home.run(&["ask"]).refused(&["--batch"]);
    home.run(&["call", "no/hay.yaml"]).refused(&["no/hay.yaml", "check the path"]);
    home.run(&["calibrate", "no/hay.json"]).refused(&["no/hay.json"]);
    home.run(&["calibrate", "Cargo.toml"]).refused(&["Cargo.toml", "queries_public.json"]);
    let file = home.write("half.json", r#"{"queries": [{"id": "a"}]}"#);
    home.run(&["calibrate", &file]).refused(&["half.json", "text", "line 1"]);
    let usage = home.run(&["bailar"]);
    assert_eq!(usage.code, Some(2));
    assert!(usage.err.contains("bailar") && usage.err.contains("--help"), "{}", usage.err);
}

/// Bytes that are no text, on the command line.
#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let mut command = Home::whole().command(&["ask"]);
    let said: crate::home::Said =
        command.arg(std::ffi::OsStr::from_bytes(b"suena \xff una alarma")).output().unwrap().into();
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("UTF-8") && !said.err.contains("panicked"), "{}", said.err);
}
