//! Samples: whole ones, whatever lengths bytes come in, and as many as the other rate wants.
use aura::audio::{BadRate, Decoder, Resampler, Samples, check_rate};
use aura::ears::{Encoding, Format, Layout, Track};

fn format(encoding: Encoding, layout: Layout) -> Format {
    Format { encoding, rate: 8_000, layout }
}

fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}

fn ramp(len: usize) -> Vec<i16> {
    (0..len).map(|n| (n as i16).wrapping_mul(257)).collect()
}

#[test]
fn fault_51_321_then_319_bytes_are_320_samples() {
    let samples = ramp(320);
    let all = bytes(&samples);
    let mut decoder = Decoder::new(format(Encoding::L16, Layout::Mono(Track::Inbound)));
    let first = decoder.decode(&all[..321]);
    let second = decoder.decode(&all[321..]);
    assert_eq!((first.inbound.len(), second.inbound.len()), (160, 160));
    assert_eq!([first.inbound, second.inbound].concat(), samples);
    assert!(first.outbound.is_empty());
    assert_eq!(decoder.carried(), 1);
}

#[test]
fn fault_51_a_stereo_frame_of_642_bytes_keeps_the_channels_apart() {
    let both: Vec<i16> = (0..800).map(|n| if n % 2 == 0 { n } else { -n }).collect();
    let all = bytes(&both);
    let mut decoder = Decoder::new(format(Encoding::L16, Layout::Stereo));
    let mut heard = Samples::default();
    for frame in all.chunks(642) {
        let Samples { inbound, outbound } = decoder.decode(frame);
        assert_eq!(inbound.len(), outbound.len());
        heard.inbound.extend(inbound);
        heard.outbound.extend(outbound);
    }
    assert!(heard.inbound.iter().all(|sample| sample % 2 == 0 && *sample >= 0));
    assert!(heard.outbound.iter().all(|sample| sample % 2 != 0 && *sample < 0));
    assert_eq!((heard.inbound.len(), decoder.carried()), (400, 1));
}

#[test]
fn fault_51_any_cut_gives_the_same_samples() {
    let all = bytes(&ramp(1_000));
    for layout in [Layout::Mono(Track::Outbound), Layout::Mixed, Layout::Stereo] {
        let whole = Decoder::new(format(Encoding::L16, layout)).decode(&all);
        for size in [1, 2, 3, 5, 7, 321, 999] {
            let mut decoder = Decoder::new(format(Encoding::L16, layout));
            let mut cut = Samples::default();
            for piece in all.chunks(size) {
                let Samples { inbound, outbound } = decoder.decode(piece);
                cut.inbound.extend(inbound);
                cut.outbound.extend(outbound);
            }
            assert_eq!(cut, whole, "{layout:?} in frames of {size} bytes");
        }
    }
}

#[test]
fn g711_is_decoded_by_its_own_law() {
    let decode = |encoding, byte: u8| {
        Decoder::new(format(encoding, Layout::Mono(Track::Inbound))).decode(&[byte]).inbound[0]
    };
    // G.711: the smallest and the largest steps of both laws.
    assert_eq!([0xff, 0x7f, 0x80, 0x00].map(|b| decode(Encoding::Mulaw, b)), [0, 0, 32_124, -32_124]);
    assert_eq!([0xd5, 0x55, 0xaa, 0x2a].map(|b| decode(Encoding::Alaw, b)), [8, -8, 32_256, -32_256]);
}

#[test]
fn another_rate_keeps_half_a_sample_and_another_writing_does_not() {
    let mono = format(Encoding::L16, Layout::Mono(Track::Inbound));
    let mut decoder = Decoder::new(mono);
    assert!(decoder.decode(&[0x34]).inbound.is_empty());
    decoder.change(Format { rate: 16_000, ..mono });
    assert_eq!(decoder.decode(&[0x12]).inbound, [0x1234]);
    decoder.decode(&[0x34]);
    decoder.change(format(Encoding::L16, Layout::Stereo));
    assert_eq!(decoder.decode(&bytes(&[1, 2])), Samples { inbound: vec![1], outbound: vec![2] });
}

const FROM: [u32; 9] = [8_000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];

fn tone(rate: u32, hertz: f64, len: usize) -> Vec<i16> {
    let step = std::f64::consts::TAU * hertz / f64::from(rate);
    (0..len).map(|n| (10_000.0 * (step * n as f64).sin()).round() as i16).collect()
}

#[test]
fn as_many_samples_come_out_as_the_time_wants() {
    for from in FROM {
        for to in [8_000, 16_000] {
            let mut resampler = Resampler::new(from, to).unwrap();
            let second = vec![0; from as usize];
            let made: usize = (0..10).map(|_| resampler.push(&second).len()).sum();
            assert_eq!(made, 10 * to as usize, "{from} to {to}");
        }
    }
}

/// Every block of 20 ms gives as much as the one before, so what holds for six minutes holds for an hour.
#[test]
fn the_pace_never_changes() {
    let mut resampler = Resampler::new(8_000, 16_000).unwrap();
    let frame = [0; 160];
    assert!((0..18_000).all(|_| resampler.push(&frame).len() == 320));
}

#[test]
fn chunks_of_any_length_sound_alike() {
    for (from, to) in [(8_000, 16_000), (44_100, 16_000), (48_000, 8_000), (16_000, 44_100)] {
        let sound = tone(from, 440.0, from as usize);
        let mut whole = Resampler::new(from, to).unwrap();
        let mut expected = whole.push(&sound);
        expected.extend(whole.finish());
        for size in [1, 7, 160, 441, 5_000] {
            let mut resampler = Resampler::new(from, to).unwrap();
            let mut out: Vec<i16> = sound.chunks(size).flat_map(|chunk| resampler.push(chunk)).collect();
            out.extend(resampler.finish());
            assert_eq!(out, expected, "{from} to {to} in chunks of {size}");
        }
    }
}

#[test]
fn a_tone_stays_a_tone_after_a_short_delay() {
    for from in FROM {
        for to in [8_000, 16_000] {
            let mut resampler = Resampler::new(from, to).unwrap();
            let delay = resampler.delay();
            assert!(delay <= to as usize / 50, "{from} to {to}: {delay} samples of delay");
            let mut heard = resampler.push(&tone(from, 1_000.0, from as usize));
            heard.extend(resampler.finish());
            assert_eq!(heard.len(), to as usize + delay, "{from} to {to}");
            let expected = tone(to, 1_000.0, to as usize);
            // Without the ends, where the tone begins and breaks off.
            let inner = to as usize / 10..to as usize * 9 / 10;
            let worst = inner.map(|n| (heard[n + delay] - expected[n]).abs()).max().unwrap();
            assert!(worst <= 100, "{from} to {to}: off by {worst} of 10,000");
        }
    }
}

#[test]
fn what_the_lower_rate_cannot_hold_does_not_come_back_as_noise() {
    let mut resampler = Resampler::new(48_000, 8_000).unwrap();
    let heard = resampler.push(&tone(48_000, 5_500.0, 48_000));
    let loudest = heard[800..7_200].iter().map(|sample| sample.abs()).max().unwrap();
    assert!(loudest <= 30, "an alias of {loudest}");
}

#[test]
fn loud_sound_is_cut_off_and_not_turned_over() {
    let mut resampler = Resampler::new(8_000, 16_000).unwrap();
    let square: Vec<i16> = (0..8_000).map(|n| if n / 40 % 2 == 0 { i16::MAX } else { i16::MIN }).collect();
    let heard = resampler.push(&square);
    let delay = resampler.delay();
    // The middle of each half wave.
    for (n, wave) in heard[delay..].chunks_exact(80).enumerate().skip(5) {
        assert_eq!(wave[40] > 0, n % 2 == 0);
    }
}

#[test]
fn a_rate_that_no_telephone_has_is_refused() {
    for rate in [0, 4_000, 7_999, 8_001, 192_025, u32::MAX] {
        assert_eq!(check_rate(rate), Err(BadRate { rate }));
        assert_eq!(Resampler::new(rate, 8_000).unwrap_err(), BadRate { rate });
        assert_eq!(Resampler::new(8_000, rate).unwrap_err(), BadRate { rate });
    }
    assert!(check_rate(11_025).is_ok());
}
