//! `aura settings` and `aura prompts`: what is in force, what is refused, and what the next turn makes of it.
use crate::home::Home;

const THRESHOLD: &str = "rag.knowledgeThreshold";

/// R3, R4: the registry is listed with kinds and defaults; one global row is seeded.
#[test]
fn r04_get_lists_the_registry() {
    let home = Home::whole();
    let all = home.run(&["settings", "get"]).good();
    for setting in aura::settings::REGISTRY {
        assert!(all.lines().any(|line| line.starts_with(setting.name)), "{} is missing: {all}", setting.name);
    }
    assert!(all.contains("rag.knowledgeThreshold [global] = 0.55"), "{all}");
    assert!(all.contains("0.78") && all.contains("a number from 0 to 1"), "{all}");
    for rust in ["Number(", "Integer(", "Flag(", "Text("] {
        assert!(!all.contains(rust), "a default as a person writes it, not {rust}…): {all}");
    }
    let one = home.run(&["settings", "get", THRESHOLD]).good();
    assert_eq!(one, "rag.knowledgeThreshold [global] = 0.55\n");
}

/// R4: the channel's row, else the global one, else the default; the scope and threshold that ran are shown.
#[test]
fn r04_a_change_is_in_force_at_once_and_unset_gives_way() {
    let home = Home::small("settings");
    let _server = home.serve();
    let threshold = |channel| {
        let answer = home.run(&["ask", "me marca H08 el equipo", "--channel", channel, "--json"]).json();
        (answer["threshold"].as_f64().unwrap() * 100.0).round() as u32
    };
    assert_eq!((threshold("retell"), threshold("whatsapp")), (55, 55), "the seeded row");
    let said = home.run(&["settings", "set", THRESHOLD, "0.9", "--scope", "retell"]).good();
    assert!(said.contains("rag.knowledgeThreshold [retell] = 0.9"), "{said}");
    assert_eq!((threshold("retell"), threshold("whatsapp")), (90, 55), "the channel's row alone");
    home.run(&["settings", "set", THRESHOLD, "0.4"]).good();
    assert_eq!((threshold("retell"), threshold("whatsapp")), (90, 40), "the global row");
    let rows = home.run(&["settings", "get", THRESHOLD]).good();
    assert_eq!(rows, "rag.knowledgeThreshold [global] = 0.4\nrag.knowledgeThreshold [retell] = 0.9\n");
    assert_eq!(home.run(&["settings", "get", THRESHOLD, "--scope", "retell"]).good().lines().count(), 1);
    home.run(&["settings", "unset", THRESHOLD, "--scope", "retell"]).good();
    assert_eq!((threshold("retell"), threshold("whatsapp")), (40, 40));
    home.run(&["settings", "unset", THRESHOLD, "--scope", "retell"]).good();
    // R3: the next boot seeds the row anew where none is; what somebody chose stays.
    assert_eq!(threshold("retell"), 40);
    home.run(&["settings", "unset", THRESHOLD]).good();
    assert_eq!(threshold("retell"), 55);
}

/// DECISIONS 4's setting: without the question it is a miss.
#[test]
fn d4_asking_can_be_turned_off_for_a_channel() {
    let home = Home::small("asking");
    let _server = home.serve();
    home.run(&["settings", "set", THRESHOLD, "0"]).good();
    let outcome = || {
        let question = ["ask", "aparece H08 en la pantalla", "--channel", "elevenlabs", "--json"];
        let answer = home.run(&question).json();
        (answer["outcome"].clone(), answer["reason"].clone())
    };
    assert_eq!(outcome(), ("ask".into(), "ask".into()));
    home.run(&["settings", "set", "rag.askWhenEquipmentUnknown", "false", "--scope", "elevenlabs"]).good();
    assert_eq!(outcome(), ("miss".into(), "other_equipment".into()));
}

#[test]
fn what_is_no_setting_is_refused_by_name() {
    let home = Home::whole();
    let cases: [(&[&str], &[&str]); 11] = [
        (&["get", "rag.nada"], &["unknown setting 'rag.nada'", "aura settings get"]),
        (&["set", "rag.nada", "1"], &["unknown setting 'rag.nada'", "aura settings get"]),
        (&["unset", "rag.nada"], &["unknown setting 'rag.nada'", "aura settings get"]),
        (&["set", THRESHOLD, "7"], &[THRESHOLD, "a number from 0 to 1", "got 7"]),
        (&["set", THRESHOLD, "-0.1"], &[THRESHOLD, "a number from 0 to 1", "got -0.1"]),
        (&["set", THRESHOLD, "mucho"], &[THRESHOLD, "a number from 0 to 1", "mucho"]),
        (
            &["set", "rag.askWhenEquipmentUnknown", "1"],
            &["rag.askWhenEquipmentUnknown", "true or false", "got 1"],
        ),
        (
            &["set", "equipment.stickyTurns", "2.5"],
            &["equipment.stickyTurns", "a whole number from 1 to 100", "2.5"],
        ),
        (
            &["set", THRESHOLD, "0.5", "--scope", "fax"],
            &[THRESHOLD, "no scope 'fax'", "global or a channel's name"],
        ),
        (
            &["set", "suggestion.minWords", "3", "--scope", "retell"],
            &["no scope 'retell'", "expected global"],
        ),
        (&["set", "retell.greeting", &"a".repeat(301)], &["retell.greeting", "at most 300 characters"]),
    ];
    for (args, parts) in cases {
        home.run(&[&["settings"], args].concat()).refused(parts);
    }
    assert_eq!(home.run(&["settings", "get", THRESHOLD]).good(), "rag.knowledgeThreshold [global] = 0.55\n");
}

/// A mistyped scope must not look like a row that is gone.
#[test]
fn an_unknown_scope_is_refused_by_get_and_unset_too() {
    for args in [["get", THRESHOLD, "--scope", "fax"], ["unset", THRESHOLD, "--scope", "fax"]] {
        Home::whole()
            .run(&[&["settings"][..], &args].concat())
            .refused(&["no scope 'fax'", "global or a channel's name"]);
    }
}

/// E14: versions are listed, the active ones marked; activating is recorded; what isn't there is refused.
#[test]
fn e14_prompts_are_listed_and_activated() {
    let home = Home::new("prompts");
    let copy = |from: &str, to: &str, add: &str| {
        let text = std::fs::read_to_string(crate::repository(&format!("prompts/{from}"))).unwrap();
        home.write(&format!("prompts/{to}"), text + add);
    };
    copy("agent_identity/1.0.0.txt", "agent_identity/1.0.0.txt", "");
    copy("agent_identity/1.0.0.txt", "agent_identity/1.10.0.txt", "Una frase más.\n");
    copy("agent_identity/1.0.0.txt", "agent_identity/1.9.0.txt", "Otra frase más.\n");
    let folder = home.path().join("prompts");
    let env = [("AURA_PROMPTS", folder.to_str().unwrap())];
    let list = || {
        let said = home.run_with(&env, &["prompts", "list"]).good();
        let line = |line: &str| line.rsplit_once(' ').unwrap().0.to_owned();
        said.lines().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        list(),
        ["  agent_identity 1.0.0", "  agent_identity 1.9.0", "* agent_identity 1.10.0"],
        "the newest is active"
    );
    let said = home.run_with(&env, &["prompts", "activate", "agent_identity", "1.9.0"]).good();
    assert!(said.contains("agent_identity 1.9.0"), "{said}");
    assert_eq!(list(), ["  agent_identity 1.0.0", "* agent_identity 1.9.0", "  agent_identity 1.10.0"]);
    let refused = |key, version| home.run_with(&env, &["prompts", "activate", key, version]);
    refused("agent_identity", "9.9.9").refused(&["'agent_identity'", "'9.9.9'", "1.0.0", "1.9.0", "1.10.0"]);
    refused("nadie", "1.0.0").refused(&["'nadie'", "none"]);
    assert_eq!(list()[1], "* agent_identity 1.9.0", "a refusal changes nothing");
}

/// E14: the version that is active is the one that `aura ask` lays out.
#[test]
fn e14_an_activated_version_is_the_next_prompt() {
    let home = Home::small("activated");
    let _server = home.serve();
    let text = std::fs::read_to_string(crate::repository("prompts/copilot_identity/1.4.0.txt")).unwrap();
    home.write("prompts/copilot_identity/1.4.0.txt", &text);
    home.write("prompts/copilot_identity/1.5.0.txt", format!("{text}\nUna línea que antes no estaba.\n"));
    let folder = home.path().join("prompts");
    let env = [("AURA_PROMPTS", folder.to_str().unwrap())];
    let system = || {
        let answer = home.run_with(&env, &["ask", "El M50 me marca H08", "--json"]).json();
        answer["messages"][0]["content"].as_str().unwrap().to_owned()
    };
    assert!(!system().contains("antes no estaba"), "a new file is recorded, not made active");
    home.run_with(&env, &["prompts", "activate", "copilot_identity", "1.5.0"]).good();
    assert!(system().contains("antes no estaba"));
}
