//! Tones arrive through what a telephone line does to them, and not through what it must not do.
use crate::telephony::g711::{from_alaw, from_mulaw, to_alaw, to_mulaw};
use crate::telephony::tones::{Damaged, Heard, LONGEST, Listener, lasts, silence, speak};
use std::f64::consts::PI;

const SENTENCE: &str = "El M50 me marca error H08 y no sé qué hacer, ¿me ayuda por favor?";

/// With half a second of silence around each.
fn line(texts: &[&str], rate: u32) -> Vec<i16> {
    let mut samples = silence(0.5, rate);
    for text in texts {
        samples.extend(speak(text, rate));
        samples.extend(silence(0.5, rate));
    }
    samples
}

fn hear(samples: &[i16], rate: u32) -> Vec<Heard> {
    let mut listener = Listener::new(rate);
    let mut heard = listener.push(samples);
    heard.extend(listener.finish());
    heard
}

fn texts(heard: &[Heard]) -> Vec<Result<&str, Damaged>> {
    heard.iter().map(|heard| heard.text.as_deref().map_err(|damaged| *damaged)).collect()
}

fn damaged_only(heard: &[Heard]) -> bool {
    !heard.is_empty() && heard.iter().all(|heard| heard.text.is_err())
}

fn mulaw(samples: &[i16]) -> Vec<i16> {
    samples.iter().map(|sample| from_mulaw(to_mulaw(*sample))).collect()
}

/// Twice the rate, straight lines between.
fn doubled(samples: &[i16]) -> Vec<i16> {
    let next = samples.iter().skip(1).chain([&0]);
    samples.iter().zip(next).flat_map(|(a, b)| [*a, ((i32::from(*a) + i32::from(*b)) / 2) as i16]).collect()
}

/// A windowed sinc below `cut` (share of the sample rate), delayed by as much as a real filter is.
fn low_pass(samples: &[i16], cut: f64, gain: f64) -> Vec<i16> {
    const HALF: i32 = 24;
    let tap = |n: i32| {
        let t = f64::from(n);
        let sinc = if n == 0 { 2.0 * cut } else { (2.0 * PI * cut * t).sin() / (PI * t) };
        gain * sinc * (0.54 + 0.46 * (PI * t / f64::from(HALF)).cos())
    };
    let taps: Vec<f64> = (-HALF..=HALF).map(tap).collect();
    let padded: Vec<f64> =
        std::iter::repeat_n(0.0, taps.len()).chain(samples.iter().map(|s| f64::from(*s))).collect();
    let sum = |window: &[f64]| window.iter().zip(&taps).map(|(s, t)| s * t).sum::<f64>();
    padded.windows(taps.len()).map(|window| sum(window).round() as i16).collect()
}

#[test]
fn a_text_is_heard_where_it_was_said() {
    for rate in [8_000, 16_000, 24_000, 44_100, 48_000] {
        let heard = hear(&line(&[SENTENCE, "", "Sí"], rate), rate);
        assert_eq!(texts(&heard), [Ok(SENTENCE), Ok(""), Ok("Sí")], "at {rate}");
        let start = u64::from(rate / 2);
        assert!(heard[0].start.abs_diff(start) <= 2, "{} is not {start}", heard[0].start);
        let end = start + speak(SENTENCE, rate).len() as u64;
        assert!(heard[0].end.abs_diff(end) <= 2, "{} is not {end}", heard[0].end);
    }
}

#[test]
fn sixty_bytes_take_less_than_a_second() {
    assert!(lasts(60) < 1.0);
    assert_eq!(speak(&"a".repeat(60), 8_000).len(), (lasts(60) * 8_000.0) as usize);
    assert_eq!(
        texts(&hear(&line(&[&"ñ".repeat(LONGEST / 2)], 8_000), 8_000)),
        [Ok(&*"ñ".repeat(LONGEST / 2))]
    );
}

#[test]
fn companding_does_no_harm() {
    let samples = line(&[SENTENCE, "Hola"], 8_000);
    assert_eq!(texts(&hear(&mulaw(&samples), 8_000)), [Ok(SENTENCE), Ok("Hola")]);
    let alaw: Vec<i16> = samples.iter().map(|sample| from_alaw(to_alaw(*sample))).collect();
    assert_eq!(texts(&hear(&alaw, 8_000)), [Ok(SENTENCE), Ok("Hola")]);
    let quiet: Vec<i16> = samples.iter().map(|sample| sample / 4).collect();
    assert_eq!(texts(&hear(&mulaw(&quiet), 8_000)), [Ok(SENTENCE), Ok("Hola")]);
}

#[test]
fn companding_is_g711() {
    for (sample, coded) in [(0, 0xFF), (-1, 0x7F), (32_767, 0x80), (-32_768, 0x00), (1_000, 0xCE)] {
        assert_eq!(to_mulaw(sample), coded, "{sample} in µ-law");
    }
    for (sample, coded) in [(0, 0xD5), (-1, 0x55), (32_767, 0xAA), (-32_768, 0x2A), (1_000, 0xFA)] {
        assert_eq!(to_alaw(sample), coded, "{sample} in A-law");
    }
    for byte in 0..=255 {
        let (mulaw, alaw) = (from_mulaw(byte), from_alaw(byte));
        assert_eq!(from_mulaw(to_mulaw(mulaw)), mulaw, "{byte:#x} in µ-law");
        assert_eq!(to_alaw(alaw), byte, "{byte:#x} in A-law");
    }
}

#[test]
fn resampling_does_no_harm() {
    let samples = line(&[SENTENCE, "Hola"], 8_000);
    let straight = doubled(&mulaw(&samples));
    assert_eq!(texts(&hear(&straight, 16_000)), [Ok(SENTENCE), Ok("Hola")], "straight lines at 16 kHz");
    let zeros: Vec<i16> = samples.iter().flat_map(|sample| [*sample, 0]).collect();
    let smooth = low_pass(&zeros, 0.24, 2.0);
    assert_eq!(texts(&hear(&smooth, 16_000)), [Ok(SENTENCE), Ok("Hola")], "a sinc at 16 kHz");
    for (name, wide) in [("straight lines", straight), ("a sinc", smooth)] {
        let narrow: Vec<i16> = low_pass(&wide, 0.24, 1.0).into_iter().step_by(2).collect();
        assert_eq!(texts(&hear(&mulaw(&narrow), 8_000)), [Ok(SENTENCE), Ok("Hola")], "{name}, and back");
    }
}

#[test]
fn a_missing_block_shows_wherever_it_is() {
    let samples = line(&[SENTENCE, "Hola"], 8_000);
    let (start, end) = (4_000, 4_000 + speak(SENTENCE, 8_000).len());
    for cut in (start..end - 160).step_by(73) {
        let holed = [&samples[..cut], &samples[cut + 160..]].concat();
        let heard = hear(&holed, 8_000);
        assert!(damaged_only(&heard[..heard.len() - 1]), "a hole at {cut}: {heard:?}");
        assert_eq!(heard.last().unwrap().text.as_deref(), Ok("Hola"), "after a hole at {cut}");
        let mut silent = samples.clone();
        silent[cut..cut + 160].fill(0);
        let heard = hear(&silent, 8_000);
        assert!(damaged_only(&heard[..heard.len() - 1]), "silence at {cut}: {heard:?}");
        assert_eq!(heard.last().unwrap().text.as_deref(), Ok("Hola"), "after silence at {cut}");
    }
}

#[test]
fn a_few_missing_samples_show() {
    let samples = line(&[SENTENCE], 8_000);
    for cut in (4_400..9_500).step_by(61) {
        for missing in [4, 8, 40] {
            let holed = [&samples[..cut], &samples[cut + missing..]].concat();
            assert!(damaged_only(&hear(&mulaw(&holed), 8_000)), "{missing} at {cut}");
        }
        let doubled = [&samples[..cut], &samples[cut - 5..]].concat();
        assert!(damaged_only(&hear(&mulaw(&doubled), 8_000)), "5 too many at {cut}");
    }
}

#[test]
fn a_repeated_block_shows() {
    let samples = line(&[SENTENCE], 8_000);
    for cut in (4_500..9_000).step_by(111) {
        let repeated = [&samples[..cut], &samples[cut - 160..]].concat();
        assert!(damaged_only(&hear(&repeated, 8_000)), "at {cut}");
    }
}

#[test]
fn swapped_bytes_are_no_text() {
    let samples = line(&[SENTENCE], 8_000);
    let swapped: Vec<i16> = samples.iter().map(|sample| sample.swap_bytes()).collect();
    assert!(damaged_only(&hear(&swapped, 8_000)));
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let shifted: Vec<i16> =
        bytes[1..].chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect();
    assert!(damaged_only(&hear(&shifted, 8_000)));
}

#[test]
fn the_wrong_rate_is_no_text() {
    let samples = line(&[SENTENCE], 8_000);
    assert!(damaged_only(&hear(&samples, 16_000)), "8 kHz taken for 16");
    assert!(damaged_only(&hear(&line(&[SENTENCE], 16_000), 8_000)), "16 kHz taken for 8");
    let interleaved: Vec<i16> = samples.iter().flat_map(|sample| [*sample, 0]).collect();
    assert!(damaged_only(&hear(&interleaved, 8_000)), "stereo taken for mono");
}

#[test]
fn two_voices_at_once_are_no_text() {
    let mix = |a: &[i16], b: &[i16]| -> Vec<i16> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let (one, other) =
        (line(&[SENTENCE], 8_000), line(&["Dígame el número de serie, por favor, señora Ana."], 8_000));
    assert!(damaged_only(&hear(&mix(&one, &other), 8_000)));
    for later in [37, 900, 4_000] {
        let other: Vec<i16> = std::iter::repeat_n(0, later).chain(other.iter().copied()).collect();
        assert!(damaged_only(&hear(&mix(&one, &other), 8_000)), "{later} samples later");
    }
    let softer: Vec<i16> = other.iter().map(|sample| (f32::from(*sample) * 0.85) as i16).collect();
    assert!(damaged_only(&hear(&mix(&one, &softer), 8_000)), "a little softer");
}

#[test]
fn an_utterance_after_a_broken_one_is_heard() {
    let broken = &speak(SENTENCE, 8_000)[..3_000];
    let samples =
        [silence(0.2, 8_000).as_slice(), broken, &speak("Hola", 8_000), &silence(0.2, 8_000)].concat();
    let heard = hear(&samples, 8_000);
    assert!(damaged_only(&heard[..1]));
    assert_eq!(heard.last().unwrap().text.as_deref(), Ok("Hola"));
    let tail = &speak(SENTENCE, 8_000)[3_000..];
    assert_eq!(texts(&hear(tail, 8_000)), [Err(Damaged::Noise)], "without its beginning");
}

#[test]
fn any_chunks_are_heard_the_same() {
    let samples = line(&[SENTENCE, "Hola", SENTENCE], 8_000);
    let whole = hear(&samples, 8_000);
    let mut seed = 7u64;
    for round in 0..40 {
        let (mut listener, mut heard, mut rest) = (Listener::new(8_000), Vec::new(), samples.as_slice());
        while !rest.is_empty() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let most = [1, 7, 160, 333, 16_000][round % 5];
            let size = (1 + (seed >> 33) as usize % most).min(rest.len());
            heard.extend(listener.push(&rest[..size]));
            rest = &rest[size..];
        }
        heard.extend(listener.finish());
        assert_eq!(heard, whole, "round {round}");
    }
}

#[test]
fn what_is_being_said_is_heard_as_it_comes() {
    let samples = line(&[SENTENCE], 8_000);
    let (mut listener, mut partials) = (Listener::new(8_000), Vec::new());
    for block in samples.chunks(160) {
        if !listener.push(block).is_empty() {
            break;
        }
        partials.extend(listener.partial().map(|partial| partial.text));
    }
    assert!(partials.windows(2).all(|two| two[1].starts_with(&two[0])), "{partials:?}");
    assert!(partials.iter().all(|partial| SENTENCE.starts_with(partial)), "{partials:?}");
    assert!(partials.iter().any(|partial| partial.len() > 10 && partial.len() < 30), "{partials:?}");
    assert_eq!(listener.partial(), None);
    let (start, end) = listener.sound().unwrap();
    assert!(start.abs_diff(4_000) < 4 && end > start);
}
