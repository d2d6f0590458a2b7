//! Scripts as files: those shipped are sound, and a wrong one is refused by name.
use aura_actors::caller::{Action, Script, ScriptError};
use std::path::Path;

#[test]
fn every_shipped_script_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .inspect(|path| assert!(!Script::load(path).unwrap().steps.is_empty(), "{}", path.display()))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    for name in ["barge_in", "m50_h08", "redial", "silence", "unknown_equipment"] {
        assert!(names.iter().any(|n| n == name), "{name} is missing among {names:?}");
    }
}

#[test]
fn steps_without_a_value_are_steps() {
    let script =
        Script::parse("name: x\nsteps:\n- silence:\n- say: a\n- drop_and_redial:\n- hang_up:\n").unwrap();
    let actions: Vec<_> = script.steps.iter().map(|step| &step.action).collect();
    assert!(matches!(
        actions[..],
        [Action::Silence, Action::Say(_), Action::DropAndRedial(redial), Action::HangUp] if redial.after_frames.is_none()
    ));
}

#[test]
fn a_wrong_script_is_refused_by_name() {
    let cases = [
        ("steps: [{say: a, silence: }]", "exactly one of"),
        ("steps: [{expect: {end_call: true}}]", "exactly one of"),
        ("steps: [{say: a, expect: {contain: [x]}}]", "contain"),
        ("steps: [{shout: a}]", "shout"),
        ("steps: [{say: a}, {hang_up: }, {say: b}]", "step 2 hangs up"),
        ("steps: [{say: a}, {drop_and_redial: }, {barge_in: {say: b}}]", "step 3 breaks into"),
        ("steps: [{update_only: a, expect: {end_call: true}}]", "step 1 has expectations"),
        ("ping_ms: 0\nsteps: []", "must be 1 or more"),
        ("steps: [", ""),
        ("", ""),
    ];
    for (text, told) in cases {
        let error = Script::parse(&format!("name: x\n{text}")).expect_err(text).to_string();
        assert!(error.starts_with("call script refused") && error.contains(told), "{text}: {error}");
    }
    let missing = Script::load(Path::new("tests/calls/none.yaml")).unwrap_err();
    assert!(matches!(&missing, ScriptError::Unreadable { path, .. } if path.ends_with("none.yaml")));
}
