//! Retell's signature: which header over which bytes at which time is taken for Retell's (A5, A7).
use super::noise::Noise;
use super::signature::sign;
use aura::protocol::retell::webhook::{Signature, SignatureError, WINDOW_MS, Webhook, decode, verify};
use serde_json::Value;

/// A signature made once by hand: key, time, body and digest.
const KEY: &str = "key_test_0123456789";
const AT: i64 = 1_767_225_600_000;
const BODY: &str =
    r#"{"event":"call_started","call":{"call_id":"call_abc","metadata":{"nombre":"José Núñez"}}}"#;
const DIGEST: &str = "2f584e38388859656fc4d4edb2c0bca94233b02efb2c82d770ad369f4dca0be3";

fn header() -> String {
    format!("v={AT},d={DIGEST}")
}

fn check(header: &str) -> Result<(), SignatureError> {
    verify(&[KEY], BODY.as_bytes(), Some(header), AT)
}

#[test]
fn fault_5_the_signature_is_checked_over_the_bytes_as_they_came() {
    assert_eq!(BODY.len(), 92);
    assert_eq!(check(&header()), Ok(()));
    assert_eq!(sign(KEY, BODY.as_bytes(), AT), header());
    for body in [
        r#"{"event":"call_started","call":{"call_id":"c1","amount":1.0}}"#,
        r#"{"event": "call_started" , "call":{"call_id":"c1"}}"#,
        "{\"event\":\"call_started\",\"call\":{\"call_id\":\"c1\",\"nombre\":\"Nu\\u00f1ez\"}}",
        "{\"event\":\"call_started\",\"call\":{\"call_id\":\"c1\",\"url\":\"https:\\/\\/a\"}}\n",
        r#"{"call":{"call_id":"c1"},"x":1e2,"x":1e2,"event":"call_started"}"#,
    ] {
        let signed = sign(KEY, body.as_bytes(), AT);
        assert_eq!(verify(&[KEY], body.as_bytes(), Some(&signed), AT), Ok(()), "{body}");
        assert!(matches!(decode(body.as_bytes()), Ok(Webhook::Reported(_))), "{body}");
        // What a JSON library would make of it is another body.
        let value: Value = serde_json::from_str(body).unwrap();
        let again = value.to_string();
        assert_ne!(again, body);
        assert_eq!(verify(&[KEY], again.as_bytes(), Some(&signed), AT), Err(SignatureError::Forged));
    }
}

#[test]
fn fault_7_a_header_of_any_other_form_is_refused() {
    let long = "0".repeat(400);
    for bad in [
        String::new(),
        DIGEST.to_owned(),
        format!("d={DIGEST},v={AT}"),
        format!("v={AT}"),
        format!("v={AT},d="),
        format!("v=,d={DIGEST}"),
        format!("v={AT},d={}", &DIGEST[1..]),
        format!("v={AT},d={DIGEST}0"),
        format!("v={AT},d={}", DIGEST.to_uppercase()),
        format!("v={AT},d={}g", &DIGEST[1..]),
        format!("v={AT}, d={DIGEST}"),
        format!(" v={AT},d={DIGEST}"),
        format!("v={AT},d={DIGEST} "),
        format!("v={AT},d={DIGEST}\n"),
        format!("v={AT},d={DIGEST},d={DIGEST}"),
        format!("v={AT},d={DIGEST};"),
        format!("V={AT},D={DIGEST}"),
        format!("v=+{AT},d={DIGEST}"),
        format!("v=-{AT},d={DIGEST}"),
        format!("v={AT}.0,d={DIGEST}"),
        format!("v=0x19b7,d={DIGEST}"),
        format!("v=٣{AT},d={DIGEST}"),
        format!("v=9007199254740992,d={DIGEST}"),
        format!("v=99999999999999999999999,d={DIGEST}"),
        format!("v={long}9{long},d={DIGEST}"),
        format!("v={AT},d={}é", &DIGEST[2..]),
    ] {
        assert_eq!(check(&bad), Err(SignatureError::Malformed), "{bad:?}");
    }
    let missing = verify(&[KEY], BODY.as_bytes(), None, AT);
    assert_eq!(missing, Err(SignatureError::Missing));
    // The time is signed as a number: zeros before it are no part of it.
    assert_eq!(check(&format!("v=00{AT},d={DIGEST}")), Ok(()));
    assert!(Signature::parse(&format!("v=9007199254740991,d={DIGEST}")).is_ok());
}

#[test]
fn fault_7_the_window_has_two_sides() {
    let window = i64::try_from(WINDOW_MS).unwrap();
    let at = |now| verify(&[KEY], BODY.as_bytes(), Some(&header()), now);
    for now in [AT - window, AT - 1, AT, AT + 1, AT + window] {
        assert_eq!(at(now), Ok(()), "{}", now - AT);
    }
    for off in [window + 1, 600_000] {
        let refused = Err(SignatureError::OutsideWindow { off_ms: off.unsigned_abs() });
        assert_eq!((at(AT - off), at(AT + off)), (refused, refused));
    }
    assert!(matches!(at(0), Err(SignatureError::OutsideWindow { .. })));
    assert!(matches!(at(i64::MAX), Err(SignatureError::OutsideWindow { .. })));
    assert!(matches!(at(i64::MIN), Err(SignatureError::OutsideWindow { .. })));
    // Another time under the same digest is a forgery, in the window too.
    assert_eq!(check(&format!("v={},d={DIGEST}", AT + 1)), Err(SignatureError::Forged));
}

#[test]
fn fault_7_one_bit_more_or_less_is_a_forgery() {
    for at in 0..64 {
        let other = if DIGEST.as_bytes()[at] == b'0' { "1" } else { "0" };
        let forged = format!("v={AT},d={}{other}{}", &DIGEST[..at], &DIGEST[at + 1..]);
        assert_eq!(check(&forged), Err(SignatureError::Forged), "digit {at}");
    }
    for at in 0..BODY.len() {
        let mut body = BODY.as_bytes().to_vec();
        body[at] ^= 1;
        assert_eq!(verify(&[KEY], &body, Some(&header()), AT), Err(SignatureError::Forged), "byte {at}");
    }
    // Body and time are one run of bytes, but a digit that moves from one to the other moves out of the window.
    let moved = format!("v={},d={DIGEST}", &AT.to_string()[1..]);
    let longer = format!("{BODY}1");
    assert!(verify(&[KEY], longer.as_bytes(), Some(&moved), AT).is_err());
}

#[test]
fn fault_7_either_of_two_keys_signs_and_an_empty_one_never() {
    let body = BODY.as_bytes();
    for keys in [&["otra", KEY][..], &[KEY, "otra"], &["", KEY]] {
        assert_eq!(verify(keys, body, Some(&header()), AT), Ok(()));
    }
    for keys in [&[][..], &["otra"], &["", "key_test_012345678"]] {
        assert_eq!(verify(keys, body, Some(&header()), AT), Err(SignatureError::Forged));
    }
    let empty = sign("", body, AT);
    assert_eq!(verify(&["", KEY], body, Some(&empty), AT), Err(SignatureError::Forged));
}

#[test]
fn fault_7_noise_in_a_header_never_passes_and_never_panics() {
    let mut noise = Noise::default();
    let mut changed = 0;
    for _ in 0..5_000 {
        let odd = |noise: &mut Noise| ['é', '0', 'f', ',', '=', '\u{0}', 'ñ', '9'][noise.below(8)];
        let noisy: String =
            header().chars().map(|c| if noise.below(60) == 0 { odd(&mut noise) } else { c }).collect();
        changed += usize::from(noisy != header());
        assert_eq!(check(&noisy).is_ok(), noisy == header(), "{noisy}");
    }
    assert!(changed > 1_000, "{changed}");
}
