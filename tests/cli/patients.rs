//! The patients' system at the command line: what stops the boot, and what the doctor says of it.
use crate::home::Home;
use crate::support::oxitesa::{Mood, Oxitesa, SECRET};
use serde_json::{Value, json};

/// R11: a typing error must not turn the look-up off unseen.
#[test]
fn r11_an_unknown_provider_stops_the_boot_by_name() {
    let home = Home::new("provider");
    for args in [&["serve"][..], &["settings", "get"]] {
        home.run_with(&[("PATIENT_LOOKUP_PROVIDER", "oxitessa")], args)
            .refused(&["PATIENT_LOOKUP_PROVIDER='oxitessa'", "oxitesa, mock, disabled"]);
    }
    let open = [("AURA_LISTEN", "0.0.0.0:0"), ("RETELL_SECRET", "0f3a9c7be1d248651a2b")];
    home.run_with(&open, &["serve"]).refused(&[
        "PATIENT_LOOKUP_PROVIDER",
        "AURA_LISTEN=0.0.0.0:0",
        "disabled",
    ]);
    let error =
        home.run_with(&[("OXITESA_SECRET", SECRET), ("PATIENT_LOOKUP_PROVIDER", "oxitesa")], &["serve"]);
    assert!(!error.refused(&["OXITESA_URL"]).contains(SECRET));
    home.run_with(&[("OXITESA_URL", "https://x")], &["serve"]).refused(&["OXITESA_SECRET"]);
    assert!(!home.path().join("db").exists(), "no cluster was made for nothing");
}

fn patients(home: &Home, env: &[(&str, &str)]) -> Value {
    let said = home.run_with(env, &["doctor", "--json"]);
    assert!(!said.out.contains(SECRET) && !said.err.contains(SECRET), "the secret isn't shown");
    let report: Value = serde_json::from_str(&said.out).expect("a report");
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["check"] == "patients").expect("the check").clone()
}

#[track_caller]
fn expect(check: &Value, verdict: &str, words: &[&str]) {
    assert_eq!(check["verdict"], verdict, "{check}");
    let said = format!("{} {}", check["found"], check["advice"]);
    words.iter().for_each(|word| assert!(said.contains(word), "{word:?} is missing in {said}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_who_is_asked_and_whether_the_secret_is_accepted() {
    let home = Home::new("doctorpatients");
    expect(&patients(&home, &[]), "ok", &["mock", "made up"]);
    expect(&patients(&home, &[("PATIENT_LOOKUP_PROVIDER", "disabled")]), "ok", &["disabled", "by choice"]);
    let roster = home.write("roster.toml", "[[patient]]\n");
    expect(&patients(&home, &[("AURA_ROSTER", &roster)]), "failure", &["AURA_ROSTER", "roster.toml"]);
    let server = Oxitesa::start(&[("23456789", json!([]))]).await;
    let url = server.url();
    let env = [("OXITESA_URL", url.as_str()), ("OXITESA_SECRET", SECRET)];
    expect(&patients(&home, &env), "ok", &["oxitesa", "accepts the secret"]);
    for (mood, words) in [
        (Mood::OtherSecret, ["unauthorised", "OXITESA_SECRET"]),
        (Mood::Says(404, "text/html", "<h1>404</h1>".into()), ["malformed", "OXITESA_URL"]),
        (Mood::Fails, ["failing", "operators"]),
        (Mood::Mute, ["timeout", "too long"]),
    ] {
        server.turns(mood);
        expect(&patients(&home, &env), "failure", &words);
    }
    drop(server);
    expect(&patients(&home, &env), "failure", &["unreachable", "OXITESA_URL"]);
}
