//! `aura ask`: one turn, shown as an object and for a person, beside a running server and without one.
use crate::home::Home;
use serde_json::{Value, json};

const QUESTION: [&str; 6] = ["ask", "El M50 me marca error H08", "--crm", "7F-5", "--channel", "audio_fork"];
const M50: &str = "concentradores electricos/m50_sysmedm50.md";

fn ask(home: &Home, extra: &[&str]) -> crate::home::Said {
    home.run(&[&QUESTION, extra].concat())
}

#[track_caller]
fn is_row(row: &Value) {
    for text in ["source", "section", "row"] {
        assert!(row[text].as_str().is_some_and(|text| !text.is_empty()), "{text} of {row}");
    }
    assert!(row["cosine"].as_f64().is_some_and(|cosine| (-1.0..=1.0).contains(&cosine)), "{row}");
    assert!(row["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)), "{row}");
}

#[test]
fn json_holds_every_field_with_its_type() {
    let answer = ask(Home::whole(), &["--json"]).json();
    assert_eq!(answer["outcome"], "hit");
    assert_eq!(answer["normalized"], "El M50 me marca error H08");
    assert_eq!(answer["models"], json!(["M50"]));
    assert_eq!(answer["codes"], json!(["H08"]));
    assert_eq!(answer["sources"], json!([M50, "concentradores electricos/yuwell_7f5.md"]));
    assert!((answer["threshold"].as_f64().unwrap() - 0.55).abs() < 1e-6, "{}", answer["threshold"]);
    assert_eq!(answer["scope"], "audio_fork");
    let rows = |key: &str| answer[key].as_array().unwrap().clone();
    assert_eq!(rows("candidates").len(), 3);
    assert!(!rows("injected").is_empty());
    rows("candidates").iter().chain(&rows("injected")).for_each(is_row);
    assert!(rows("injected").iter().all(|row| rows("candidates").contains(row)), "only what was fetched");
    assert_eq!(rows("injected")[0]["row"], "Código en Pantalla: H08 / H01");
    assert!(answer.get("id").is_none(), "no id was given");
}

/// DECISIONS 1: raw cosine and score are both there, and the order is the cosine's.
#[test]
fn d1_scores_are_the_mapped_cosines_nearest_first() {
    let answer = ask(Home::whole(), &["--json"]).json();
    let scale = aura::retrieval::score::Scale::of_model(answer["embeddingModel"].as_str().unwrap());
    assert!(matches!(scale, aura::retrieval::score::Scale::Logistic { .. }), "the local model has a fit");
    let mut last = f64::INFINITY;
    for row in answer["candidates"].as_array().unwrap() {
        let (cosine, score) = (row["cosine"].as_f64().unwrap(), row["score"].as_f64().unwrap());
        assert!((f64::from(scale.score(cosine as f32)) - score).abs() < 1e-4, "{row}");
        assert!(cosine <= last, "nearest first: {answer}");
        last = cosine;
    }
}

/// R20, R21, E5: the block stands in the last message before the turn, the system message is the prompt as stored,
/// and the CRM's equipment is in neither.
#[test]
fn r21_the_messages_are_laid_out_as_in_a_call() {
    let answer = ask(Home::whole(), &["--json"]).json();
    let messages = answer["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "{messages:?}");
    let [system, user] = [&messages[0], &messages[1]].map(|message| message["content"].as_str().unwrap());
    assert_eq!((&messages[0]["role"], &messages[1]["role"]), (&json!("system"), &json!("user")));
    let prompt = std::fs::read_to_string(crate::repository("prompts/copilot_identity/1.4.0.txt")).unwrap();
    assert_eq!(system.trim(), prompt.trim());
    assert!(user.starts_with("[INFORMACIÓN TÉCNICA DEL MANUAL]"), "{user}");
    assert!(user.ends_with("El M50 me marca error H08"), "{user}");
    assert!(user.contains(answer["block"].as_str().unwrap()));
    assert!(!user.contains("7F-5") && !user.to_lowercase().contains("yuwell"), "{user}");
    assert_eq!(
        answer["query"], "El M50 me marca error H08",
        "no CRM, and no prefix in the copilot (DECISIONS 6)"
    );
}

#[test]
fn a_person_reads_all_of_it() {
    let shown = ask(Home::whole(), &[]).good();
    let line = |name: &str| {
        shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {shown}"))
    };
    assert!(line("outcome").ends_with("hit"));
    assert!(line("normalised").ends_with("El M50 me marca error H08"));
    assert!(line("models").ends_with("M50"));
    assert!(line("codes").ends_with("H08"));
    for part in [M50, "yuwell_7f5.md", "cap/", "tubos/", "equipment: 7F-5, M50"] {
        assert!(line("filter").contains(part), "{part}: {}", line("filter"));
    }
    assert!(line("threshold").contains("0.55 (scope audio_fork)"), "{}", line("threshold"));
    assert!(line("* ").contains("Código en Pantalla: H08 / H01"), "the injected row is marked: {shown}");
    assert_eq!(shown.lines().filter(|line| line.contains("(cosine 0.")).count(), 3, "{shown}");
    assert!(shown.contains("[INFORMACIÓN TÉCNICA DEL MANUAL]") && shown.contains("copiloto"), "{shown}");
}

/// The filter's other reasons are said in words (R8).
#[test]
fn r08_an_open_filter_says_why() {
    let home = Home::whole();
    for (crm, why) in [
        ("", "no equipment is known"),
        ("CPAP", "CPAP has no manual"),
        ("Zafiro 9", "Zafiro 9 isn't in the map"),
    ] {
        let args = ["ask", "no enciende y suena una alarma", "--crm", crm];
        let shown = home.run(&args).good();
        assert!(shown.lines().any(|line| line.starts_with("filter") && line.contains(why)), "{why}: {shown}");
        assert_eq!(home.run(&[&args[..], &["--json"]].concat()).json()["sources"], Value::Null);
    }
}

/// R30: a short turn is told apart from a miss, and nothing was searched for it.
#[test]
fn r30_a_short_turn_is_a_gate() {
    let answer = Home::whole().run(&["ask", "no anda", "--json"]).json();
    assert_eq!((&answer["outcome"], &answer["reason"]), (&json!("gate"), &json!("short_turn")));
    assert_eq!((&answer["candidates"], &answer["injected"]), (&json!([]), &json!([])));
}

/// S4: nothing that is printed carries the number.
#[test]
fn s4_a_document_number_is_in_no_part_of_the_answer() {
    let text = "mi documento es 30123456 y el M50 me marca H08";
    for extra in [&["--json"][..], &[]] {
        let shown = Home::whole().run(&[&["ask", text, "--crm", "M50"], extra].concat()).good();
        assert!(!shown.contains("30123456"), "{shown}");
        assert!(shown.contains("H08"), "the rest is kept");
    }
}

/// DECISIONS 6, 7: a bot's sticky equipment filters and goes before the query; the copilot's doesn't.
#[test]
fn d6_sticky_equipment_counts_for_bots_alone() {
    let home = Home::whole();
    let asked = |channel| {
        home.run(&["ask", "suena una alarma muy seguida", "--sticky", "M50", "--channel", channel, "--json"])
    };
    let bot = asked("retell").json();
    assert_eq!((&bot["sources"], &bot["query"]), (&json!([M50]), &json!("M50 suena una alarma muy seguida")));
    let copilot = asked("audio_fork").json();
    assert_eq!(
        (&copilot["sources"], &copilot["query"]),
        (&Value::Null, &json!("suena una alarma muy seguida"))
    );
}

/// One home, first without a server, then beside one, then without again: the answer is the same.
#[test]
fn it_works_without_a_server_and_beside_one() {
    let home = Home::small("beside");
    let alone = ask(&home, &["--json"]).json();
    assert_eq!(alone["outcome"], "hit");
    assert!(home.is_down(), "the command ended the cluster that it started");
    let server = home.serve();
    let postmaster = home.postmaster();
    assert_eq!(ask(&home, &["--json"]).json(), alone);
    assert_eq!(home.postmaster(), postmaster, "the server's cluster runs on");
    drop(server);
    assert!(home.is_down(), "SIGTERM ends the server and its cluster");
    assert_eq!(ask(&home, &["--json"]).json(), alone);
}
