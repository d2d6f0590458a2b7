//! The scripted PBX, against a door on a real socket: it must send what mod_audio_fork sends, and judge what comes back.
use crate::door::{Came, Dialled, Door, Manner};
use aura::ears::Leg;
use aura_actors::caller::{
    CallerError, ForkReport, ForkScript, Live, Playing, Scripted, Trouble, Voice, play_fork,
};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

pub type Played = Result<ForkReport, CallerError<ForkReport>>;

pub fn script(steps: &str) -> ForkScript {
    ForkScript::parse(&format!("name: prueba\nchannel: audio_fork\ncall_id: c-1\n{steps}")).unwrap()
}

pub fn quick() -> Playing {
    Playing { speed: 1_000.0, voice: Voice::Text, ..Playing::default() }
}

async fn played(manner: Manner, steps: &str) -> (Door, Played) {
    let door = Door::open(manner).await;
    let outcome = play_fork(&script(steps), &door.url, &quick(), &mut Live::off()).await;
    (door, outcome)
}

pub const SPEAKS: &str = "steps: [{patient: tengo un M50, expect: {hears: {patient: [M50]}, within: 20}}]";

#[tokio::test]
async fn a_fork_is_what_a_pbx_sends() {
    let steps = "
call: {extension: '204', direction: outbound, from: '+541155550101', to: '+541155550100', variables: {cola: soporte}}
steps:
  - operator: Soporte de oxígeno buenos días
  - patient: hola tengo un M50 que marca H08
  - both: {patient: sí, operator: a ver}
  - pause: 1.5
  - dtmf: '5#'
  - hold: 1
  - pause: 0.1
    expect: {hears: {}, not_hears: {operator: [nada]}, within: 0.1}
  - hang_up:
";
    let (door, outcome) = played(Manner::Good, steps).await;
    let report = outcome.unwrap();
    assert!(report.passed(), "{report}");
    let [socket] = &door.dialled().await[..] else { panic!("one socket") };
    assert_eq!(socket.path, "/audio-fork/secreto?x=1&rate=8000&ch=2&call=c-1");
    assert_eq!(socket.offered, "audio.drachtio.org");
    assert_eq!(
        socket.came[0],
        Came::Text(json!({"leg": "patient", "direction": "outbound", "extension": "204", "sampleRate": 8000,
            "mixType": "stereo", "transcripts": true, "from": "+541155550101", "to": "+541155550100",
            "customerData": {"cola": "soporte"}}))
    );
    assert_eq!(socket.came.last(), Some(&Came::Closed(1000)));
    assert!(socket.audio().iter().all(|frame| frame.len() == 640));
    assert_eq!(socket.audio().len() as u64, report.frames);
    at_their_time(socket);
    let said: Vec<_> =
        socket.texts().iter().filter(|text| text["leg"] == "operator").map(|t| t["text"].clone()).collect();
    assert_eq!(said, ["Soporte", "Soporte de oxígeno", "Soporte de oxígeno buenos días", "a", "a ver"]);
    assert_eq!(report.heard(Leg::Operator), ["Soporte de oxígeno buenos días", "a ver"]);
    assert_eq!(report.heard(Leg::Patient), ["hola tengo un M50 que marca H08", "sí"]);
    assert_eq!((report.partials, report.sockets, report.voice), (5, 1, "texto"));
}

/// A word takes 0.35 s, a key 0.3 s: text frames stand between the samples that they belong between.
fn at_their_time(socket: &Dialled) {
    let line = |part: &'static str, done: bool| {
        move |text: &serde_json::Value| text["text"] == part && text["final"] == done
    };
    let event = |name: &'static str| move |text: &serde_json::Value| text["event"] == name;
    let key = |key: &'static str| move |text: &serde_json::Value| text["dtmf"] == key;
    let at = [
        socket.frames_before(line("Soporte", false)),
        socket.frames_before(line("Soporte de oxígeno buenos días", true)),
        socket.frames_before(line("hola tengo un M50 que marca H08", true)),
        socket.frames_before(line("sí", true)),
        socket.frames_before(line("a ver", true)),
        socket.frames_before(key("5")),
        socket.frames_before(key("#")),
        socket.frames_before(event("hold")),
        socket.frames_before(event("unhold")),
    ];
    // In frames of 20 ms: 5 words, 7 words, at once 1 and 2 words, 1.5 s, 0.6 s of keys, 1 s.
    let (five, seven, two) = (88, 123, 35);
    let (second, third) = (five + seven, five + seven + two);
    let keys = third + 75;
    assert_eq!(at, [18, five, second, second + 18, third, keys, keys + 15, keys + 30, keys + 80]);
}

#[tokio::test]
async fn a_lost_socket_is_dialled_again_as_the_same_call() {
    let steps = "
steps:
  - patient: antes del corte
    expect: {hears: {patient: [antes]}, within: 20}
  - lose: {for: 2}
  - patient: después del corte
    expect: {hears: {patient: [DESPUES]}, within: 20}
  - hang_up:
";
    let (door, outcome) = played(Manner::Good, steps).await;
    let report = outcome.unwrap();
    assert!(report.passed(), "{report}");
    let [lost, again] = &door.dialled().await[..] else { panic!("two sockets") };
    assert_eq!((&lost.path, &lost.came[0]), (&again.path, &again.came[0]));
    assert_eq!(lost.came.last(), Some(&Came::Gone));
    assert_eq!(again.came.last(), Some(&Came::Closed(1000)));
    assert_eq!(report.frames, (lost.audio().len() + again.audio().len()) as u64);
    assert!(again.frames_before(|text| text["final"] == true) == 53, "three words after the loss");
    assert_eq!(report.sockets, 2);
}

/// Frames leave no earlier than their samples allow; how much later depends on the machine.
#[tokio::test]
async fn audio_is_paced_by_its_samples() {
    let door = Door::open(Manner::Good).await;
    let playing = Playing { speed: 4.0, ..quick() };
    let report =
        play_fork(&script("steps: [{pause: 2}]"), &door.url, &playing, &mut Live::off()).await.unwrap();
    assert_eq!(report.frames, 100);
    assert!(report.steps[0].to_ms >= 499, "{}", report.steps[0].to_ms);
}

#[tokio::test]
async fn what_a_pbx_would_drop_is_noticed() {
    let cases = [
        (Manner::Binary, "a binary frame of 3 bytes"),
        (Manner::Says("{hola"), "a text frame of 5 bytes that is no JSON"),
        (Manner::Says(r#"{"type":"saludo"}"#), "a message of the unknown type `saludo`"),
        (Manner::Says(r#"{"type":"error","data":"lleno"}"#), "the server complains: \"lleno\""),
        (
            Manner::Says(r#"{"type":"transcription","data":{"leg":"caller","text":"x","final":true}}"#),
            "a transcription whose `leg` is neither patient nor operator",
        ),
        (
            Manner::Says(r#"{"type":"transcription","data":{"leg":"patient","text":"x","final":"true"}}"#),
            "a transcription whose `final` is neither true nor false",
        ),
    ];
    for (manner, told) in cases {
        let report = played(manner, SPEAKS).await.1.unwrap();
        assert_eq!(report.problems(), [format!("dropped by the PBX: {told}")]);
        assert!(report.to_string().contains(told), "{report}");
    }
    for harmless in [r#"{"type":"killAudio"}"#, r#"{"hola":1}"#] {
        assert!(played(Manner::Says(harmless), SPEAKS).await.1.unwrap().passed());
    }
}

#[tokio::test]
async fn a_door_that_picks_no_subprotocol_or_hangs_up_is_told() {
    let (_door, refused) = played(Manner::PicksNone, SPEAKS).await;
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("could not dial http://127.0.0.1") && !told.contains("secreto"), "{told}");
    assert!(told.to_lowercase().contains("subprotocol"), "{told}");
    match played(Manner::Hangs, SPEAKS).await.1 {
        Err(CallerError::BrokenOff { trouble: Trouble::Closed { how, .. }, so_far }) => {
            assert_eq!((how.as_str(), so_far.sockets), ("1011 no puedo", 1));
        }
        Err(CallerError::BrokenOff { trouble: Trouble::Broken(_), .. }) => {}
        other => panic!("expected a call that breaks off, got {other:?}"),
    }
}

#[tokio::test]
async fn failed_expectations_are_told_and_marked() {
    let steps = "
steps:
  - patient: tengo un M50
    expect: {hears: {patient: [M50]}, not_hears: {operator: [m50]}, within: 2}
  - operator: ¿qué código?
    expect: {hears: {operator: [codigo]}, within: 1}
";
    let report = played(Manner::Swaps, steps).await.1.unwrap();
    let problems = report.problems();
    let swapped =
        ["step 1: expected «M50» of the patient within 2 s", "step 1: expected no «m50» of the operator"];
    assert_eq!(problems[..2], swapped);
    assert_eq!(problems[2], "step 2: expected «codigo» of the operator within 1 s");
    let shown = report.to_string();
    assert!(shown.contains("Paciente dice         tengo un M50"), "{shown}");
    assert!(shown.contains("ms  operador: tengo un M50"), "{shown}");
    assert!(shown.trim_end().ends_with("✗ problemas: 3"), "{shown}");
}

#[tokio::test]
async fn nothing_that_comes_back_is_told_with_what_to_do() {
    let steps = "steps: [{patient: hola, expect: {hears: {patient: [hola]}, within: 0.1}}]";
    let report = played(Manner::Deaf, steps).await.1.unwrap();
    assert_eq!(report.problems(), ["step 1: expected «hola» of the patient within 0.1 s"]);
    assert!(report.to_string().contains("no volvió ninguna línea"), "{report}");
}

/// A screen that can be looked at afterwards.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_transcript_grows_in_place_on_a_terminal_and_in_lines_elsewhere() {
    let steps = "steps: [{patient: tengo un M50 que marca, expect: {hears: {patient: [marca]}, within: 20}}, {dtmf: '5'}]";
    for terminal in [true, false] {
        let (door, screen) = (Door::open(Manner::Good).await, Screen::default());
        let mut live = Live::new(screen.clone(), terminal);
        play_fork(&script(steps), &door.url, &quick(), &mut live).await.unwrap();
        let shown = String::from_utf8(screen.0.lock().unwrap().clone()).unwrap();
        let plain: Vec<&str> = shown.lines().map(|line| line.rsplit("\x1b[J").next().unwrap()).collect();
        let last = &plain[plain.len() - 2..];
        assert!(last[0].ends_with("  Paciente  tengo un M50 que marca"), "{shown}");
        assert!(last[1].ends_with("  — teclas 5 —"), "{shown}");
        // Two partials, each one row that the next one replaces.
        let (rows, replaced) = (plain.len() - 2, shown.matches("\x1b[1A\r\x1b[J").count());
        assert_eq!((rows, replaced), if terminal { (2, 2) } else { (0, 0) }, "{shown}");
    }
}

#[tokio::test]
async fn the_shipped_calls_pass_at_a_door_that_hears() {
    for file in ["copilot_m50.yaml", "copilot_perdida.yaml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls").join(file);
        let Scripted::AudioFork(script) = Scripted::load(&path).unwrap() else {
            panic!("{file} is a fork's")
        };
        let door = Door::open(Manner::Good).await;
        let report = play_fork(&script, &door.url, &quick(), &mut Live::off()).await.unwrap();
        assert!(report.passed(), "{report}");
    }
}
