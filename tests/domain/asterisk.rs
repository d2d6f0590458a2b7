//! Asterisk's websocket and its AudioSocket, also with what a real Asterisk 22 sent.
use crate::intake_kit::{Socket, bytes, heard, opened, pieces};
use aura::ears::intake::{IntakeOut, Refusal};
use aura::ears::{Door, Encoding, Layout, Leg, Metadata, Piece, Told, Track};
use aura::protocol::asterisk::audiosocket::AudioSocket;
use aura::protocol::asterisk::websocket::{binary, format, text};
use aura::protocol::pbx::FrameError;

/// Of an Asterisk 22.10: as words, and as JSON.
const WORDS: &str = "MEDIA_START connection_id:aura channel:WebSocket/aura/0x7f70c000b430 channel_id:1796069421.12 format:slin optimal_frame_size:320 ptime:20";
const JSON: &str = r#"{"event":"MEDIA_START","connection_id":"aura","channel":"WebSocket/aura/0x7f709400f790","channel_id":"1796069444.18","format":"ulaw","optimal_frame_size":160,"ptime":20,"channel_variables":{"MEDIA_WEBSOCKET_CONNECTION_ID":"aura","MEDIA_WEBSOCKET_OPTIMAL_FRAME_SIZE":"160"}}"#;

fn told(frame: &str) -> Vec<Told> {
    let decoded = text(frame);
    assert_eq!(decoded.fault, None, "{frame}");
    decoded.told
}

fn started(frame: &str) -> Metadata {
    match &told(frame)[..] {
        [Told::Metadata(metadata)] => *metadata.clone(),
        other => panic!("no metadata but {other:?}"),
    }
}

#[test]
fn a_real_start_is_read_as_words_and_as_json() {
    let words = started(WORDS);
    assert_eq!((words.encoding, words.rate), (Some(Encoding::L16), Some(8_000)));
    assert_eq!(words.call.as_deref(), Some("1796069421.12"));
    let json = started(JSON);
    assert_eq!((json.encoding, json.rate), (Some(Encoding::Mulaw), Some(8_000)));
    assert_eq!(json.call.as_deref(), Some("1796069444.18"));
    assert!(words.variables.is_empty() && json.variables.is_empty());
}

#[test]
fn two_real_sockets_of_one_call_meet() {
    let open = |leg: &str| {
        let mut socket =
            Socket::new(Door::Asterisk, &format!("call=5f0c1a52-93a4-4d18-b7a4-0c1d2e3f4a50&leg={leg}"));
        let out = socket.tell_all(told(WORDS));
        (opened(&out).call.to_string(), opened(&out).layout)
    };
    let call = "5f0c1a52-93a4-4d18-b7a4-0c1d2e3f4a50".to_owned();
    assert_eq!(open("patient"), (call.clone(), Layout::Mono(Track::Inbound)));
    assert_eq!(open("operator"), (call, Layout::Mono(Track::Outbound)));
}

#[test]
fn channel_variables_name_the_call_and_the_leg() {
    let frame = JSON.replace(
        r#""channel_variables":{"#,
        r#""channel_variables":{"AURA_CALL":"c-7","AURA_LEG":"operator","#,
    );
    let told = started(&frame);
    assert_eq!((told.call.as_deref(), told.leg), (Some("c-7"), Some(Leg::Operator)));
}

#[test]
fn fault_60_media_before_media_start_are_read_in_the_format_that_it_tells() {
    let mut socket = Socket::new(Door::Asterisk, "call=C1");
    assert!(socket.tell(binary(vec![0x80; 160])).is_empty());
    let out = socket.tell_all(told(JSON));
    assert_eq!(opened(&out).call.as_str(), "C1");
    assert_eq!(heard(&out).0, vec![32_124; 160]);
    let mut socket = Socket::new(Door::Asterisk, "call=C1");
    assert!(socket.tell(binary(bytes(&[700; 80]))).is_empty());
    let out = socket.tell_all(told(&WORDS.replace("format:slin", "format:slin16")));
    assert_eq!(pieces(&out)[0], Piece::Samples { rate: 16_000, inbound: vec![700; 80], outbound: vec![] });
}

#[test]
fn fault_54_keys_come_as_words_and_as_json() {
    assert_eq!(told("DTMF_END digit:5 channel_id:1796069576.41"), [Told::Dtmf('5')]);
    assert_eq!(told("DTMF_END channel_id:1796069576.41 digit:#"), [Told::Dtmf('#')]);
    assert_eq!(told(r#"{"event":"DTMF_END","channel_id":"1","digit":"*"}"#), [Told::Dtmf('*')]);
    assert_eq!(told("DTMF_END"), []);
}

#[test]
fn control_of_playback_tells_nothing() {
    for frame in [
        "MEDIA_XOFF",
        "STATUS queue_length:0 xon_level:800",
        "QUEUE_DRAINED",
        r#"{"event":"MEDIA_XON"}"#,
        "",
        "media_start format:ulaw",
    ] {
        assert_eq!(told(frame), [], "{frame}");
    }
    assert!(matches!(text("{\"event\":").fault, Some(FrameError::Corrupt { .. })));
}

#[test]
fn formats_by_asterisks_names() {
    assert_eq!(format("alaw"), Some((Encoding::Alaw, 8_000)));
    let rates =
        ["slin", "slin12", "slin16", "slin24", "slin32", "slin44", "slin48", "slin96", "slin192"].map(format);
    let expected = [8_000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];
    assert_eq!(rates, expected.map(|rate| Some((Encoding::L16, rate))));
    let mut socket = Socket::new(Door::Asterisk, "");
    let out = socket.tell_all(told(&WORDS.replace("format:slin", "format:opus")));
    assert_eq!(out, [IntakeOut::Refuse { reason: Refusal::Unreadable { name: "opus".to_owned() } }]);
}

/// Its start and end, and what surrounds its frames of odd lengths and its key.
const CAPTURE: &[u8] = include_bytes!("../data/asterisk/audiosocket.bin");

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![kind];
    frame.extend((payload.len() as u16).to_be_bytes());
    frame.extend(payload);
    frame
}

fn uuid(last: u8) -> Vec<u8> {
    let mut uuid =
        vec![0x5f, 0x0c, 0x1a, 0x52, 0x93, 0xa4, 0x4d, 0x18, 0xb7, 0xa4, 0x0c, 0x1d, 0x2e, 0x3f, 0x4a];
    uuid.push(last);
    frame(0x01, &uuid)
}

#[test]
fn a_real_audiosocket_is_heard_whatever_tcp_makes_of_it() {
    let listen = |size: usize| {
        let mut tcp = AudioSocket::new(true);
        let mut socket = Socket::new(Door::AudioSocket, "");
        let mut out = Vec::new();
        for bytes in CAPTURE.chunks(size) {
            let decoded = tcp.push(bytes);
            assert_eq!(decoded.fault, None);
            out.extend(socket.tell_all(decoded.told));
        }
        out
    };
    let out = listen(CAPTURE.len());
    assert_eq!(opened(&out).call.as_str(), "5f0c1a52-93a4-4d18-b7a4-0c1d2e3f4a50");
    assert_eq!(heard(&out).0.len(), 5_622 / 2);
    assert!(pieces(&out).contains(&Piece::Dtmf('5')));
    for size in [1, 2, 3, 7, 323, 1_000] {
        assert_eq!(listen(size), out, "{size} bytes at a time");
    }
}

#[test]
fn the_last_digit_of_the_uuid_pairs_two_legs() {
    let open = |pairing: bool, last: u8| {
        let out =
            Socket::new(Door::AudioSocket, "").tell_all(AudioSocket::new(pairing).push(&uuid(last)).told);
        (opened(&out).call.to_string(), opened(&out).layout)
    };
    let call = "5f0c1a52-93a4-4d18-b7a4-0c1d2e3f4a50".to_owned();
    assert_eq!(open(true, 0x50), (call.clone(), Layout::Mono(Track::Inbound)));
    assert_eq!(open(true, 0x51), (call.clone(), Layout::Mono(Track::Outbound)));
    assert_eq!(open(true, 0x52).0, call.replace("4a50", "4a52"));
    assert_eq!(open(false, 0x51), (call.replace("4a50", "4a51"), Layout::Mono(Track::Inbound)));
}

#[test]
fn a_nil_uuid_is_a_probe() {
    for (pairing, last) in [(true, 0), (false, 0), (true, 1)] {
        let mut nil = vec![0; 15];
        nil.push(last);
        let decoded = AudioSocket::new(pairing).push(&frame(0x01, &nil));
        assert_eq!(Socket::new(Door::AudioSocket, "").tell_all(decoded.told), [IntakeOut::Probe]);
    }
}

#[test]
fn the_kind_of_a_frame_is_its_rate() {
    let rates = [8_000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];
    for (kind, expected) in (0x10..).zip(rates) {
        let mut tcp = AudioSocket::new(false);
        let mut socket = Socket::new(Door::AudioSocket, "");
        socket.tell_all(tcp.push(&uuid(0x50)).told);
        let out = socket.tell_all(tcp.push(&frame(kind, &[1, 0, 2, 0])).told);
        let samples = Piece::Samples { rate: expected, inbound: vec![1, 2], outbound: vec![] };
        assert_eq!(pieces(&out).last(), Some(&samples));
    }
    // fault 57: another kind in mid-stream.
    let mut tcp = AudioSocket::new(false);
    let stream = [uuid(0x50), frame(0x10, &[1, 0]), frame(0x12, &[2, 0]), frame(0x00, &[])].concat();
    let out = Socket::new(Door::AudioSocket, "").tell_all(tcp.push(&stream).told);
    let rates: Vec<u32> = pieces(&out)
        .iter()
        .filter_map(|p| if let Piece::Samples { rate, .. } = p { Some(*rate) } else { None })
        .collect();
    assert_eq!((rates, pieces(&out).last()), (vec![8_000, 16_000], Some(&Piece::HungUp)));
}

#[test]
fn what_is_no_audiosocket_is_named_and_ends_the_reading() {
    let mut tcp = AudioSocket::new(false);
    let decoded = tcp.push(&[uuid(0x50), b"GET / HTTP/1.1".to_vec()].concat());
    assert_eq!(decoded.fault, Some(FrameError::UnknownKind { kind: b'G' }));
    assert_eq!(decoded.told.len(), 1, "what came before it counts");
    assert_eq!(tcp.push(&uuid(0x50)).told, []);
    for (bytes, kind, len) in [
        (vec![0x01, 0, 15], 0x01, 15),
        (vec![0x03, 0, 2], 0x03, 2),
        (vec![0x00, 0, 1], 0x00, 1),
        // More than a second at 8 kHz: refused by its header, before it is all there.
        (vec![0x10, 0xff, 0xff], 0x10, 65_535),
    ] {
        let fault = AudioSocket::new(false).push(&bytes).fault;
        assert!(
            matches!(fault, Some(FrameError::Length { kind: k, len: l, .. }) if (k, l) == (kind, len)),
            "{bytes:?}"
        );
    }
    let error = AudioSocket::new(false).push(&frame(0xff, &[4])).fault;
    assert_eq!(error, Some(FrameError::Peer { code: Some(4) }));
}
