//! The scripted PBX with a voice: speech must arrive whole, at the telephone's rate, on the channel of its leg.
use crate::door::{Door, Manner};
use crate::fork::{SPEAKS, quick, script};
use aura::ears::Leg;
use aura_actors::caller::{CallerError, Live, Playing, Voice, play_fork};
use std::path::Path;

#[tokio::test]
async fn speech_arrives_intact_on_the_channel_of_its_leg() {
    let folder = std::env::temp_dir().join(format!("aura-espeak-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A program that speaks in tones; asked for its version it hears nothing and says nothing.
    let program = folder.join("espeak-ng");
    let speaker = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tone_speaker");
    std::os::unix::fs::symlink(speaker, &program).unwrap();
    std::fs::write(folder.join("0.wav"), "").unwrap();
    let lines = ["el M50 marca H08", "digame", "que modelo es"];
    for (line, rate) in lines.into_iter().zip([22_050, 8_000, 22_050]) {
        std::fs::write(folder.join(format!("{}.wav", line.len())), wave(line, rate)).unwrap();
    }
    for (leg, first) in [("patient", lines[0]), ("operator", lines[2])] {
        let steps = format!(
            "call: {{leg: {leg}}}\nsteps:\n- operator: {}\n- pause: 0.2\n- both: {{patient: {}, operator: {}}}\n  \
             expect: {{hears: {{patient: [M50], operator: [modelo]}}, within: 20}}",
            lines[1], lines[0], lines[2]
        );
        let door = Door::open(Manner::Good).await;
        let playing = Playing { speed: 50.0, voice: Voice::Auto, espeak: program.clone(), desk: None };
        let report = play_fork(&script(&steps), &door.url, &playing, &mut Live::off()).await.unwrap();
        assert!(report.passed(), "{report}");
        assert_eq!(report.heard(Leg::Patient), [lines[0]], "{first}");
        assert_eq!(report.heard(Leg::Operator), [lines[1], lines[2]]);
        assert_eq!(report.voice, "espeak-ng");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A WAV as a pipe gets it: its lengths are bogus.
fn wave(text: &str, rate: u32) -> Vec<u8> {
    let mut bytes = b"RIFF\x24\xf0\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    bytes.extend([rate.to_le_bytes(), (rate * 2).to_le_bytes()].concat());
    bytes.extend(b"\x02\0\x10\0data\0\xf0\xff\x7f");
    bytes.extend(crate::tones::speak(text, rate).iter().flat_map(|sample| sample.to_le_bytes()));
    bytes
}

#[tokio::test]
async fn without_the_program_auto_speaks_as_text_and_says_so() {
    let door = Door::open(Manner::Good).await;
    let nowhere = Playing { voice: Voice::Auto, espeak: "/nonexistent/espeak-ng".into(), ..quick() };
    let report = play_fork(&script(SPEAKS), &door.url, &nowhere, &mut Live::off()).await.unwrap();
    assert!(report.passed() && report.to_string().contains("voz: texto"), "{report}");
    let wanted = Playing { voice: Voice::Espeak, ..nowhere };
    let error = play_fork(&script(SPEAKS), &door.url, &wanted, &mut Live::off()).await.unwrap_err();
    assert!(matches!(&error, CallerError::Voice(_)) && error.to_string().contains("--voice text"), "{error}");
}

#[tokio::test]
async fn espeak_ng_speaks_where_it_is_installed() {
    if std::process::Command::new("espeak-ng").arg("--version").output().is_err() {
        return eprintln!("skipped: espeak-ng isn't installed");
    }
    let door = Door::open(Manner::Good).await;
    let playing = Playing { voice: Voice::Espeak, ..quick() };
    let steps = "steps: [{patient: 'Hola, tengo un M50 que marca H08'}]";
    play_fork(&script(steps), &door.url, &playing, &mut Live::off()).await.unwrap();
    let audio = door.dialled().await[0].audio().concat();
    let (pairs, _) = audio.as_chunks::<4>();
    let loudest =
        |at: usize| pairs.iter().map(|p| i16::from_le_bytes([p[at], p[at + 1]]).unsigned_abs()).max();
    assert!(pairs.len() > 8_000, "a sentence takes more than a second");
    assert!(loudest(0) > Some(3_000) && loudest(2) == Some(0));
}
