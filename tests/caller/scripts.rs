//! Scripts as files: those shipped are sound, and a wrong one is refused by name.
use aura_actors::caller::{Action, Script, ScriptError, Scripted};
use std::path::Path;

#[test]
fn every_shipped_script_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .inspect(|path| {
            let steps = match Scripted::load(path).unwrap() {
                Scripted::Retell(script) => script.steps.len(),
                Scripted::AudioFork(script) => script.steps.len(),
            };
            assert_ne!(steps, 0, "{}", path.display());
        })
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    let shipped =
        ["barge_in", "copilot_m50", "copilot_perdida", "m50_h08", "redial", "silence", "unknown_equipment"];
    for name in shipped {
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

#[test]
fn a_wrong_script_of_a_forked_call_is_refused_by_name() {
    let cases = [
        ("steps: [{patient: a, operator: b}]", "exactly one of"),
        ("steps: [{both: {patient: a}}]", "operator"),
        ("steps: [{say: a}]", "say"),
        ("steps: [{patient: a, expect: {hears: {caller: [x]}}}]", "caller"),
        ("steps: [{patient: ' '}]", "step 1 says nothing"),
        ("steps: [{pause: 1}, {hold: 0}]", "step 2 lasts"),
        ("steps: [{lose: {for: .nan}}]", ""),
        ("steps: [{lose: }, {patient: a}]", ""),
        ("steps: [{dtmf: 5x}]", "step 1 presses"),
        ("steps: [{pause: 1, expect: {within: 0}}]", "step 1 waits"),
        ("steps: [{hang_up: , expect: {hears: {patient: [x]}}}]", "step 1 has expectations"),
        ("steps: [{hang_up: }, {pause: 1}]", "step 1 hangs up"),
        ("call: {leg: caller}\nsteps: []", "leg"),
        ("call_id: 'a b'\nsteps: []", "call id refused"),
    ];
    for (text, told) in cases {
        let error =
            Scripted::parse(&format!("name: x\nchannel: audio_fork\n{text}")).expect_err(text).to_string();
        assert!(error.starts_with("call script refused") && error.contains(told), "{text}: {error}");
    }
    let other = Scripted::parse("name: x\nchannel: whatsapp\nsteps: []").unwrap_err().to_string();
    assert!(other.contains("channel whatsapp"), "{other}");
}
