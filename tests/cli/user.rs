//! `aura user`: accounts, passwords, tokens and links at the command line.
use crate::home::{Home, Said};
use std::io::Write;
use std::process::Stdio;

const PASSWORD: &str = "cuatro palabras sin relación";

/// Runs a command with this on its standard input.
fn typed(home: &Home, input: &str, args: &[&str]) -> Said {
    let mut command = home.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

fn add<'a>(name: &'a str, role: &'a str) -> [&'a str; 6] {
    ["user", "add", name, "--role", role, "--password-stdin"]
}

#[test]
fn accounts_are_added_listed_closed_and_opened() {
    let home = Home::small("users");
    let _server = home.serve();
    let said = typed(&home, &format!("{PASSWORD}\n"), &add("ana", "operator"));
    assert!(!said.out.contains(PASSWORD) && !said.err.contains(PASSWORD), "{} {}", said.out, said.err);
    assert_eq!(said.good(), "ana added as operator\n");
    typed(&home, PASSWORD, &add("ana", "operator")).refused(&["'ana'", "already", "aura user list"]);
    typed(&home, PASSWORD, &add("eva", "root")).refused(&["'root'", "operator, supervisor or administrator"]);
    typed(&home, PASSWORD, &add("Eva", "operator")).refused(&["a-z"]);
    typed(&home, "corta\n", &add("eva", "operator")).refused(&["12 or more"]);
    typed(&home, "", &add("eva", "operator")).refused(&["12 or more"]);
    home.run(&["user", "add", "eva", "--role", "operator"]).refused(&["--password-stdin", "--link"]);
    let link = home.run(&["user", "add", "eva", "--role", "supervisor", "--link"]).good();
    assert!(link.contains("eva added as supervisor") && link.contains("/setup?token="), "{link}");
    let list = || home.run(&["user", "list"]).good();
    let state = |name: &str| {
        let list = list();
        let line =
            list.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {list}"));
        line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(state("ana"), "operator active");
    assert_eq!(state("eva"), "supervisor no password yet");
    let said = home.run(&["user", "disable", "ana"]).good();
    assert!(said.contains("sessions and tokens have ended"), "{said}");
    assert_eq!(state("ana"), "operator disabled");
    home.run(&["user", "token", "ana", "--scope", "calls:read"]).refused(&["disabled", "aura user enable"]);
    home.run(&["user", "enable", "ana"]).good();
    assert_eq!(state("ana"), "operator active");
    typed(&home, "otras cuatro palabras\n", &["user", "password", "eva", "--password-stdin"]).good();
    assert_eq!(state("eva"), "supervisor active");
    for args in [["disable", "nadie"], ["enable", "nadie"], ["password", "nadie"]] {
        home.run(&[&["user"][..], &args].concat()).refused(&["'nadie'", "aura user list"]);
    }
    home.run(&["user", "setup"]).refused(&["accounts already"]);
}

#[test]
fn tokens_are_printed_once_listed_and_revoked() {
    let home = Home::small("tokens");
    let _server = home.serve();
    typed(&home, PASSWORD, &add("ana", "operator")).good();
    let token = |args: &[&str]| home.run(&[&["user", "token"], args].concat());
    let issued =
        token(&["--machine", "--name", "crm", "--scope", "calls:read", "--scope", "metrics", "--days", "7"]);
    let secret = issued.good().trim().to_owned();
    assert!(
        secret.starts_with("aura_") && secret.len() == 48,
        "the token alone is on standard output: {secret}"
    );
    let own = token(&["ana", "--scope", "patient:write"]).good();
    assert_ne!(own.trim(), secret);
    let list = home.run(&["user", "list"]).good();
    assert!(
        list.contains("token crm (machine): calls:read metrics; until ") && list.contains("never used"),
        "{list}"
    );
    assert!(list.contains("(of ana): patient:write"), "{list}");
    assert!(!list.contains(&secret) && !list.contains(own.trim()), "not again");
    token(&["--machine", "--name", "crm", "--scope", "metrics"]).refused(&["'crm'", "already"]);
    token(&["--machine", "--name", "otro", "--scope", "todo"]).refused(&["'todo'", "calls:read"]);
    token(&["nadie", "--scope", "metrics"]).refused(&["'nadie'"]);
    for usage in [
        &["--machine", "--scope", "metrics"][..],
        &["ana"],
        &["--machine", "--name", "x1", "--scope", "metrics", "--days", "367"],
    ] {
        assert_eq!(token(usage).code, Some(2), "{usage:?}");
    }
    assert_eq!(token(&["--revoke", "crm"]).good(), "token crm is revoked\n");
    token(&["--revoke", "crm"]).refused(&["'crm'", "aura user list"]);
    token(&["--machine", "--name", "crm", "--scope", "metrics"]).good();
}

/// The first start of a service without accounts shows the link, and no later one does.
#[test]
fn the_first_start_shows_the_set_up_link_once() {
    let home = Home::small("setup");
    let log = || std::fs::read_to_string(home.path().join("serve.log")).unwrap();
    let shown = || {
        for _ in 0..100 {
            if log().contains("/setup?token=") {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        false
    };
    let first = home.serve();
    assert!(shown(), "{}", log());
    let line = log();
    let line = line.lines().find(|line| line.contains("/setup?token=")).unwrap().trim().to_owned();
    assert!(
        line.starts_with("http://127.0.0.1:") && !line.contains(' '),
        "no log line, the link alone: {line}"
    );
    drop(first);
    let _second = home.serve();
    let link = home.run(&["user", "setup"]).good();
    assert!(link.contains("/setup?token="), "{link}");
    assert!(!shown(), "shown once: {}", log());
}
