//! The layout of a turn's messages, its blocks, and the prompts that speak of them (E3, E5, R18, R19, R21, D9).
use super::fixture::*;
use aura::channel::Channel;
use aura::equipment::Catalogue;
use aura::generation::{Message, Role};
use aura::mask::contains_long_number;
use aura::phrases::*;
use aura::prompt::{Parts, Prompt, messages};
use aura::retrieval::{LessonCandidate, LessonKind, block};
use aura::transcript::{Speaker, Turn};
use std::path::{Path, PathBuf};

fn prompt() -> Prompt {
    Prompt { key: "agent_identity".into(), version: "1.0.0".into(), body: format!("\n{BASE}\n") }
}

fn lay(
    extras: &[&str],
    history: &[Turn],
    limit: Option<usize>,
    context: &[&str],
    last: &str,
) -> Vec<Message> {
    let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    messages(&Parts {
        prompt: &prompt(),
        system_extras: &owned(extras),
        history,
        history_limit: limit,
        context: &owned(context),
        last,
    })
}

#[test]
fn e5_system_history_then_context_and_the_turn_last() {
    let history = [said(Speaker::Agent, "Hola."), said(Speaker::Patient, "No anda.")];
    let laid = lay(&["[X]\na: b"], &history, None, &["[RAG]", "[TURNO]"], " ¿Qué hago? ");
    let expected = [
        (Role::System, format!("{BASE}\n\n[X]\na: b")),
        (Role::Assistant, "Hola.".to_owned()),
        (Role::User, "No anda.".to_owned()),
        (Role::User, "[RAG]\n\n[TURNO]\n\n¿Qué hago?".to_owned()),
    ];
    let laid: Vec<(Role, String)> = laid.into_iter().map(|message| (message.role, message.content)).collect();
    assert_eq!(laid, expected);
}

#[test]
fn e6_the_history_is_cut_from_its_beginning() {
    let history: Vec<Turn> = (0..5).map(|n| said(Speaker::Patient, &format!("turno {n}"))).collect();
    let kept = |limit| {
        let laid = lay(&[], &history, limit, &[], "fin");
        laid[1..laid.len() - 1].iter().map(|m| m.content.clone()).collect::<Vec<_>>()
    };
    assert_eq!(kept(Some(2)), ["turno 3", "turno 4"]);
    assert_eq!(kept(Some(0)), [] as [&str; 0]);
    assert_eq!(kept(Some(9)).len(), 5);
    assert_eq!(kept(None).len(), 5);
}

#[test]
fn s4_extras_history_and_turn_are_masked_and_no_message_is_empty() {
    let history = [said(Speaker::Patient, "mi DNI es 30.123.456"), said(Speaker::Agent, "")];
    let laid = lay(&["documento: 30123456"], &history, None, &[], "tres cero uno dos tres cuatro cinco seis");
    for message in &laid {
        assert!(!contains_long_number(&message.content), "{message:?}");
        assert!(!message.content.is_empty());
    }
    assert!(laid[1].content.contains("DNI ···456"));
}

#[test]
fn s4_a_lesson_is_masked_too() {
    let lesson = LessonCandidate {
        id: "ab".into(),
        kind: LessonKind::Correction,
        complaint: "Soy Elsa, 30.123.456, y se tapa".into(),
        answer: "Límpielo.".into(),
        cosine: 0.9,
    };
    let block = block::lessons(&[lesson]).unwrap();
    let laid = lay(&[], &[], None, &[&block], "¿Qué hago?");
    assert!(!contains_long_number(&laid[1].content), "{}", laid[1].content);
}

#[test]
fn r18_one_row_is_the_exact_entry_and_several_are_listed() {
    let (one, two) = (row(M50, "H08", "Apague."), row(M50, "H02", "Despeje."));
    let single = block::manual(std::slice::from_ref(&one), |_| true).unwrap();
    assert!(single.starts_with(&format!("{MANUAL_HEADER}\n{}", EXACT_ENTRY.es)), "{single}");
    assert!(single.contains("Concentrador SysMed M50 — Alarmas — H08\nApague."));
    let several = block::manual(&[one, two], |_| false).unwrap();
    assert!(several.starts_with(&format!("{MANUAL_HEADER}\n{}", SEVERAL_ENTRIES.es)), "{several}");
    assert!(several.contains("1. Alarmas — H08\nApague.") && several.contains("2. Alarmas — H02\nDespeje."));
    assert!(!several.contains("M50"), "{several}");
    assert_eq!(block::manual(&[], |_| true), None);
    assert_eq!(block::lessons(&[]), None);
}

#[test]
fn r18_both_introductions_say_what_the_point_asks_for() {
    assert!(
        EXACT_ENTRY.es.contains("entrada exacta") && EXACT_ENTRY.es.to_lowercase().contains("únicamente")
    );
    assert!(SEVERAL_ENTRIES.es.contains("código que nombró") && SEVERAL_ENTRIES.es.contains("ninguna otra"));
}

#[test]
fn r20_a_manual_is_titled_where_its_model_was_named_or_it_is_no_devices() {
    let named = models(&["M50"]);
    let titled = block::titled(Catalogue::builtin(), &named);
    assert!(titled(&row(M50, "x", "y")) && titled(&row(CAP, "x", "y")) && titled(&row(TUBOS, "x", "y")));
    assert!(!titled(&row(CP501, "x", "y")));
}

/// Every prompt file: (folder, path, text).
/// The newest version of each prompt: older ones are the record of what was said once.
fn files() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
    let mut all = Vec::new();
    for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        let number = |file: &PathBuf| -> Vec<u32> {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            name.split('.').map(|part| part.parse().unwrap()).collect()
        };
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.max_by_key(number).expect("a version");
        let key = folder.file_name().unwrap().to_string_lossy().into_owned();
        all.push((key, file.clone(), std::fs::read_to_string(&file).unwrap()));
    }
    assert!(all.len() >= 3);
    all
}

#[test]
fn d9_every_prompt_that_speaks_of_the_block_heads_it_alike() {
    for (_, file, text) in files() {
        let bracketed: Vec<&str> =
            text.split('[').skip(1).filter_map(|rest| rest.split(']').next()).collect();
        let of_manual = bracketed.iter().filter(|header| header.to_uppercase().contains("MANUAL"));
        let of_manual: Vec<String> = of_manual.map(|header| format!("[{header}]")).collect();
        assert!(!of_manual.is_empty(), "{file:?} doesn't say what a turn may rest on");
        assert!(of_manual.iter().all(|header| header == MANUAL_HEADER), "{file:?}: {of_manual:?}");
    }
}

#[test]
fn d9_every_block_that_is_rendered_is_explained_to_the_bots() {
    let head = |block: &'static str| block.lines().next().unwrap();
    for (key, file, text) in files() {
        let mut blocks = vec![MANUAL_HEADER, head(BLOCK_ASK_EQUIPMENT.es)];
        if key != "copilot_identity" {
            blocks.push(head(BLOCK_REMINDER.es));
        }
        for block in blocks {
            assert!(text.contains(block), "{file:?} lacks {block}");
        }
    }
}

#[test]
fn d9_lessons_that_reach_a_prompt_are_explained_by_it() {
    for (_, file, text) in files() {
        assert!(
            text.contains(LESSONS_HEADER),
            "{file:?} forbids all facts but the manual's, and lessons ride along"
        );
    }
}

#[test]
fn r19_without_a_manual_each_prompt_says_its_channels_sentence_and_nothing_technical() {
    assert_eq!(
        HOLDING_COPILOT.es,
        "Déjeme confirmar ese dato con el manual del equipo y le contesto en un momento."
    );
    for (key, file, text) in files() {
        let channel = Channel::ALL.into_iter().find(|channel| channel.profile().prompt_key == key);
        let holding = channel.unwrap_or_else(|| panic!("{key}: no channel speaks by it")).profile().holding;
        assert!(text.contains(holding), "{file:?} lacks: {holding}");
        let lower = text.to_lowercase();
        for forbidden in [
            "cada cuánto",
            "código",
            "luz",
            "flujo",
            "presi",
            "cuánto dura",
            "pasos",
            "vida útil",
            "compatib",
        ] {
            assert!(lower.contains(forbidden), "{file:?} doesn't forbid: {forbidden}");
        }
    }
}

#[test]
fn e3_each_channel_has_its_prompt_and_each_prompt_its_file() {
    let keys = Channel::ALL.map(|channel| channel.profile().prompt_key);
    assert_eq!(keys, ["agent_identity", "copilot_identity", "agent_identity", "agent_identity_whatsapp"]);
    for key in keys {
        assert!(files().iter().any(|(folder, ..)| folder == key), "{key}");
    }
}

#[test]
fn i7_history_and_turns_are_bounded_whatever_a_peer_sends() {
    let long = Turn::heard(Speaker::Patient, &"ñandú ".repeat(50_000)).unwrap();
    assert!(long.text.len() <= 16 * 1024 && long.text.ends_with("ñandú"), "the end of it is the question");
    let history: Vec<Turn> = (0..20).map(|_| long.clone()).collect();
    let prompt = Prompt { key: "k".into(), version: "1".into(), body: "b".into() };
    let parts = Parts {
        prompt: &prompt,
        system_extras: &[],
        history: &history,
        history_limit: None,
        context: &[],
        last: "¿y?",
    };
    let bytes: usize = messages(&parts).iter().map(|message| message.content.len()).sum();
    assert!(bytes < 128 * 1024 && bytes > 64 * 1024, "{bytes}");
}
