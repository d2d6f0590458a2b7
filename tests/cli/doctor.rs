//! `aura doctor` beside a running server and alone: what is well, what is wrong, and what it says to do.
use crate::home::{Home, Said, kill};
use crate::support::openai::{Answer, StandIn};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;

/// So few calls that any shell's limit of open files is enough.
const FEW: (&str, &str) = ("AURA_MAX_CALLS", "50");
/// Where other machines can call, the patients' system is a choice.
const NOBODY: (&str, &str) = ("PATIENT_LOOKUP_PROVIDER", "disabled");
/// A catalogue of one model, with its manual.
const M50: &str = "concentradores electricos/m50_sysmedm50.md";

/// The report, whatever the exit code, which must fit it.
#[track_caller]
fn report(said: Said) -> Value {
    assert!(!said.err.contains("panicked"), "{}", said.err);
    let report: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{} {}", said.out, said.err));
    let fails = report["verdict"] == "failure";
    assert_eq!(said.code, Some(i32::from(fails)), "{report:#}");
    for check in report["checks"].as_array().expect("checks") {
        let well = check["verdict"] == "ok";
        assert_eq!(check["advice"].is_null(), well, "advice where it isn't well, and only there: {check}");
        assert!(check["found"].as_str().is_some_and(|found| !found.is_empty()), "{check}");
    }
    report
}

fn doctor(home: &Home, env: &[(&str, &str)]) -> Value {
    let env: Vec<_> = [FEW].iter().chain(env).copied().collect();
    report(home.run_with(&env, &["doctor", "--json"]))
}

/// One check by name.
#[track_caller]
fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

/// That a check came out so, with these words in what was found or what to do.
#[track_caller]
fn expect(report: &Value, name: &str, verdict: &str, words: &[&str]) {
    let check = check(report, name);
    assert_eq!(check["verdict"], verdict, "{check}");
    let said = format!("{} {}", check["found"], check["advice"]);
    for word in words {
        assert!(said.contains(word), "{word:?} is missing in {said}");
    }
}

/// A small home whose catalogue asks for no more than it holds.
fn well(name: &str) -> (Home, String) {
    let home = Home::small(name);
    let catalogue = home.write("catalogue.toml", catalogue(M50));
    (home, catalogue)
}

fn catalogue(manual: &str) -> String {
    let model = format!("name = \"M50\"\nsource = \"{manual}\"\nvariants = [\"eme cincuenta\"]");
    format!("always_allowed = [\"cap/\"]\n\n[codes]\nE = [\"e\"]\nH = [\"hache\"]\n\n[[model]]\n{model}\n")
}

#[test]
fn all_is_well_with_and_without_a_server() {
    let (home, catalogue) = well("doctor");
    let env = [("AURA_CATALOGUE", catalogue.as_str())];
    let alone = doctor(&home, &env);
    assert!(home.is_down(), "it leaves no Postgres behind");
    let server = home.serve();
    let pid = home.postmaster();
    let beside = doctor(&home, &env);
    assert_eq!(home.postmaster(), pid, "the server's own, all along");
    for report in [&alone, &beside] {
        for name in [
            "configuration",
            "home",
            "descriptors",
            "secret",
            "port",
            "leftovers",
            "embedder",
            "model",
            "recogniser",
        ] {
            expect(report, name, "ok", &[]);
        }
        for name in ["database", "clock", "migrations", "settings", "prompts", "manuals", "vectors", "search"]
        {
            expect(report, name, "ok", &[]);
        }
        expect(report, "vectors", "ok", &["2 rows", "multilingual-e5-small-q4"]);
        assert_ne!(check(report, "disk")["verdict"], "failure");
    }
    expect(&beside, "leftovers", "ok", &[&format!("process {}", server.pid())]);
    let said = home.run_with(&[FEW, env[0]], &["doctor"]).good();
    assert!(said.contains("migrations") && said.contains("0 failures"), "{said}");
}

#[test]
fn it_changes_nothing_where_nothing_was_made() {
    let home = Home::new("untouched");
    let report = doctor(&home, &[]);
    expect(&report, "database", "failure", &["never made", "aura serve"]);
    let left: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    let missing = home.path().join("no-hay");
    let report = doctor(&home, &[("AURA_HOME", missing.to_str().unwrap())]);
    expect(&report, "home", "failure", &["no-hay", "deploy/up"]);
    assert!(!missing.exists());
}

#[test]
fn variables_that_are_not_understood_are_a_check_too() {
    let home = Home::new("unconfigured");
    let report = doctor(&home, &[("AURA_LLM", "foo")]);
    expect(&report, "configuration", "failure", &["AURA_LLM='foo'", "local or openai"]);
    let report = doctor(&home, &[("AURA_CATALOGUE", "/no/hay.toml")]);
    expect(&report, "configuration", "failure", &["/no/hay.toml"]);
}

#[test]
fn r06_a_missing_manual_is_named() {
    let home = Home::small("lacking");
    let catalogue = home.write("catalogue.toml", catalogue("concentradores electricos/no_esta.md"));
    let report = doctor(&home, &[("AURA_CATALOGUE", &catalogue)]);
    expect(&report, "manuals", "warning", &["M50", "no_esta.md", "aura ingest"]);
    assert_eq!(report["verdict"], "warning", "a warning is no failure: {report:#}");
}

/// What somebody's SQL or another version left in the base.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_in_the_base_is_named() {
    let (home, catalogue) = well("spoiled");
    let env = [("AURA_CATALOGUE", catalogue.as_str())];
    let _server = home.serve();
    let mut postgres = tokio_postgres::Config::new();
    postgres.host_path(home.path().join("run")).user("aura").dbname("aura");
    let (client, connection) = postgres.connect(tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let spoil =
        "INSERT INTO app_settings (key, scope, value) VALUES ('rag.knowledgeThreshold', 'retell', '7'),
                                                                    ('nadie.lo.usa', 'global', '1');
                 UPDATE prompt_versions SET active = false WHERE key = 'agent_identity_whatsapp';
                 UPDATE knowledge_files SET chunks = chunks + 1 WHERE source LIKE 'cap/%';
                 UPDATE knowledge_base SET embedding = (embedding * embedding) WHERE source LIKE 'cap/%';
                 INSERT INTO refinery_schema_history SELECT 99, 'later', applied_on, '1'
                 FROM refinery_schema_history LIMIT 1";
    client.batch_execute(spoil).await.unwrap();
    let report = doctor(&home, &env);
    expect(&report, "migrations", "failure", &["newer aura", "V99"]);
    assert!(!report.to_string().contains("\"settings\""), "the tables of a newer aura aren't judged");
    client.batch_execute("DELETE FROM refinery_schema_history WHERE version = 99").await.unwrap();
    let report = doctor(&home, &env);
    expect(&report, "migrations", "ok", &["up to date"]);
    expect(&report, "settings", "warning", &["rag.knowledgeThreshold", "from 0 to 1", "nadie.lo.usa"]);
    expect(&report, "prompts", "failure", &["agent_identity_whatsapp", "aura prompts activate"]);
    expect(&report, "manuals", "failure", &["cap/recarga.md", "aura ingest"]);
    expect(&report, "vectors", "failure", &["1 that are no unit vectors"]);
    // Every row's vector is now another text's: none finds itself.
    let shift = "UPDATE knowledge_base SET embedding = (SELECT ('[1' || repeat(',0', 383) || ']')::vector)";
    client.batch_execute(shift).await.unwrap();
    let report = doctor(&home, &env);
    expect(&report, "vectors", "ok", &[]);
    expect(&report, "search", "failure", &["not this embedder's"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn d2_another_embedder_than_the_bases_is_a_failure() {
    let (home, catalogue) = well("otherembedder");
    let embedder = StandIn::embedding(8).await;
    let report = doctor(
        &home,
        &[
            ("AURA_CATALOGUE", &catalogue),
            ("OPENAI_BASE_URL", &embedder.base_url()),
            ("AURA_LLM", "local"),
            ("OPENAI_EMBEDDING_MODEL", "otro-modelo"),
            ("OPENAI_EMBEDDING_DIMS", "8"),
        ],
    );
    expect(&report, "embedder", "ok", &["openai/otro-modelo", "8 dimensions"]);
    expect(&report, "vectors", "failure", &["otro-modelo", "multilingual-e5-small-q4", "aura reembed"]);
    expect(&report, "search", "failure", &["otro-modelo"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_is_asked_for_one_token() {
    let (home, catalogue) = well("asksmodel");
    let model =
        StandIn::start(vec![Answer::spoken(&["Hola"]), Answer::refused(401, "invalid_api_key", "x")]).await;
    let url = model.base_url();
    let env = [
        ("AURA_CATALOGUE", catalogue.as_str()),
        ("OPENAI_BASE_URL", &url),
        ("OPENAI_API_KEY", "sk-muy-secreta-123"),
        ("AURA_EMBEDDER", "local"),
    ];
    expect(&doctor(&home, &env), "model", "ok", &["openai/gpt-4.1-mini"]);
    let asked = &model.received()[0].body;
    let limit = asked["max_tokens"].as_u64().or_else(|| asked["max_completion_tokens"].as_u64());
    assert_eq!(limit, Some(1), "{asked}");
    let report = doctor(&home, &env);
    expect(&report, "model", "failure", &["answered 401", "key"]);
    assert!(!report.to_string().contains("secreta"), "{report:#}");
}

#[test]
fn a_port_that_somebody_else_has_is_a_failure() {
    let home = Home::new("stranger");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    // Once something that speaks HTTP, once something that says nothing, then nobody.
    let stranger = std::thread::spawn(move || {
        let (mut socket, _) = taken.accept().unwrap();
        let mut request = [0; 1024];
        drop(socket.read(&mut request));
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").unwrap();
        drop(socket);
        let (silent, _) = taken.accept().unwrap();
        (silent, taken)
    });
    for _ in 0..2 {
        let report = doctor(&home, &[("AURA_LISTEN", &address)]);
        expect(&report, "port", "failure", &[&address, "isn't aura", "AURA_LISTEN"]);
    }
    drop(stranger.join().unwrap());
    expect(&doctor(&home, &[("AURA_LISTEN", &address)]), "port", "ok", &["is free"]);
    let abroad = [("AURA_LISTEN", "192.0.2.1:8080"), ("RETELL_SECRET", "x"), NOBODY];
    let report = doctor(&home, &abroad);
    expect(&report, "port", "failure", &["192.0.2.1:8080"]);
}

#[test]
fn a_port_that_the_server_has_is_well() {
    let (home, catalogue) = well("ownport");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let log = std::fs::File::create(home.path().join("own.log")).unwrap();
    let mut serve = home.command(&["serve"]);
    let mut server = serve.env("AURA_LISTEN", &port).stderr(log).spawn().unwrap();
    let env = [("AURA_CATALOGUE", catalogue.as_str()), ("AURA_LISTEN", port.as_str())];
    let listens = || {
        let report = doctor(&home, &env);
        check(&report, "port")["found"].as_str().unwrap().contains("listens").then_some(report)
    };
    let report = (0..60).find_map(|_| listens()).expect("the server never listened");
    expect(&report, "port", "ok", &[env!("CARGO_PKG_VERSION"), &port]);
    kill("TERM", server.id());
    server.wait().unwrap();
}

#[test]
fn a_database_that_is_away_is_a_failure_without_its_password() {
    let home = Home::new("nobase");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("postgres://aura:clave-oculta@{closed}/aura");
    let env = [("DATABASE_URL", url.as_str()), ("RETELL_SECRET", "palabra-oculta")];
    let report = doctor(&home, &env);
    expect(&report, "database", "failure", &["127.0.0.1/aura", "could not be looked at"]);
    let text = home.run_with(&[FEW, env[0], env[1]], &["doctor"]);
    assert_eq!(text.code, Some(1));
    let all = format!("{report} {} {}", text.out, text.err);
    assert!(!all.contains("oculta"), "{all}");
}

#[test]
fn a_secret_that_can_be_guessed_is_a_failure_only_where_strangers_can_try() {
    let home = Home::new("guessable");
    let open = ("AURA_LISTEN", "0.0.0.0:0");
    for weak in ["corta-secreta", "secretasecretasecreta"] {
        let report = doctor(&home, &[open, NOBODY, ("RETELL_SECRET", weak)]);
        expect(&report, "secret", "failure", &["1 of 1", "openssl"]);
        assert!(!report.to_string().contains("secreta"), "{report:#}");
        expect(&doctor(&home, &[("RETELL_SECRET", weak)]), "secret", "ok", &[]);
    }
    expect(&doctor(&home, &[open, NOBODY, ("RETELL_SECRET", "0f3a9c7be1d248651a2b")]), "secret", "ok", &[]);
}

#[test]
fn too_few_files_for_the_calls_are_a_warning() {
    let home = Home::new("descriptors");
    let report = doctor(&home, &[("AURA_MAX_CALLS", "100000")]);
    let limit = check(&report, "descriptors");
    // Where the system allows so many, there is nothing to warn of.
    let allowed = limit["found"].as_str().unwrap().split(' ').next().unwrap().parse::<u64>();
    let enough = allowed.map_or(true, |allowed| allowed >= 400_000);
    assert_eq!(limit["verdict"], if enough { "ok" } else { "warning" }, "{limit}");
}

#[test]
fn what_a_kill_left_is_seen_and_not_touched() {
    let (home, catalogue) = well("left");
    let mut server = home.serve();
    let postmaster = home.postmaster();
    kill("STOP", server.pid()); // so that it can't stop Postgres in between
    kill("KILL", postmaster);
    kill("KILL", server.pid());
    server.reap();
    let report = doctor(&home, &[("AURA_CATALOGUE", &catalogue)]);
    expect(&report, "leftovers", "warning", &["postmaster.pid", "killed"]);
    expect(&report, "database", "ok", &[]);
    expect(&doctor(&home, &[("AURA_CATALOGUE", &catalogue)]), "leftovers", "ok", &[]);
}
