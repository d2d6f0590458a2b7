//! Asterisk's two doors, by stand-ins; `pbx.rs` has the real one.
use crate::call::{begun, heard, hearing, intact, over, until};
use crate::service::{Options, Running};
use crate::telephony::deepgram::Deepgram;
use crate::telephony::pbx::asterisk::{self, Asterisk};
use crate::telephony::pbx::socket::Incoming;
use crate::telephony::pbx::{AudioSocket, Pace, Talk};
use aura::event::News;
use aura::transcript::Speaker::{Agent, Patient};
use std::time::Duration;
use tokio::time::sleep;

fn talk(rate: u32) -> Talk {
    Talk::new(rate).inbound("Hola, me pita el equipo").pause(1.0).outbound("¿Qué le marca?").pause(1.0)
}

const TALK: [(aura::transcript::Speaker, &str); 2] =
    [(Patient, "Hola, me pita el equipo"), (Agent, "¿Qué le marca?")];

async fn two_channels(running: &Running, urls: [&str; 2], options: [asterisk::Options; 2], call: &str) {
    let [patient, operator] = options;
    let mut patient = Asterisk::connect(&running.door(urls[0]), "1.1", patient).await.unwrap();
    let mut operator = Asterisk::connect(&running.door(urls[1]), "1.2", operator).await.unwrap();
    let talk = talk(patient.rate());
    patient.start().await;
    operator.start().await;
    operator.dtmf('5').await;
    tokio::join!(patient.send_audio(&talk.inbound), operator.send_audio(&talk.outbound));
    heard(running, call, &TALK).await;
    assert_eq!(begun(running, call).await, 1);
    assert_eq!(patient.hang_up().await, Some(1000));
    assert_eq!(operator.hang_up().await, Some(1000));
    over(running, call).await;
}

#[actix_rt::test]
async fn two_channels_of_its_websocket_are_one_call_in_plain_words() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let options = || asterisk::Options { pace: Pace::Times(2.0), ..asterisk::Options::default() };
    let urls = ["/asterisk?call=a1&leg=patient", "/asterisk?call=a1&leg=operator"];
    two_channels(&running, urls, [options(), options()], "a1").await;
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn two_channels_of_its_websocket_are_one_call_in_json() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let options = |leg: &str, format| asterisk::Options {
        format,
        json: true,
        variables: [("AURA_CALL", "a2"), ("AURA_LEG", leg)].map(|(k, v)| (k.into(), v.into())).to_vec(),
        pace: Pace::Times(2.0),
        ..asterisk::Options::default()
    };
    let options = [options("patient", "ulaw"), options("operator", "alaw")];
    two_channels(&running, ["/asterisk", "/asterisk"], options, "a2").await;
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn fault_60_media_may_come_before_it_is_announced() {
    let deepgram = Deepgram::start("clave").await;
    let running = Running::start(hearing(&deepgram)).await;
    let options = asterisk::Options { format: "slin16", pace: Pace::Times(4.0), ..Default::default() };
    let url = running.door("/asterisk?call=a3&leg=patient");
    let mut channel = Asterisk::connect(&url, "1.3", options).await.unwrap();
    let talk = Talk::new(16_000).inbound("Antes del anuncio").pause(0.5).inbound("y después").pause(1.0);
    channel.send_audio(&talk.inbound[..4_800]).await;
    channel.start().await;
    channel.send_audio(&talk.inbound[4_800..]).await;
    heard(&running, "a3", &[(Patient, "Antes del anuncio"), (Patient, "y después")]).await;
    channel.hang_up().await;
    over(&running, "a3").await;
    intact(&deepgram).await;
}

#[actix_rt::test]
async fn fault_60_an_old_build_is_never_pinged_unless_wanted() {
    let quiet = Running::start(Options::default().few_manuals()).await;
    let pinging = Running::start(Options::default().few_manuals().set("AURA_ASTERISK_PINGS", true)).await;
    let old = || asterisk::Options { hangs_up_on_ping: true, ..asterisk::Options::default() };
    let stays = Asterisk::connect(&quiet.door("/asterisk?call=a4"), "1.4", old()).await.unwrap();
    let goes = Asterisk::connect(&pinging.door("/asterisk?call=a5"), "1.5", old()).await.unwrap();
    stays.start().await;
    goes.start().await;
    goes.socket.closed().await; // by the ping that the other one would have got at the same time
    assert!(goes.socket.seen().contains(&Incoming::Ping));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stays.socket.seen(), []);
    stays.hang_up().await;
}

fn uuid(last: u8) -> [u8; 16] {
    let mut uuid = [0x5a; 16];
    uuid[15] = 0xc0 | last;
    uuid
}

const PAIR: &str = "5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5ac0";

async fn audio_socket(running: &Running, last: u8) -> AudioSocket {
    let mut socket = AudioSocket::connect(running.audiosocket(), 8000, Pace::Times(2.0)).await.unwrap();
    socket.uuid(uuid(last)).await;
    socket
}

#[actix_rt::test]
async fn two_audiosockets_pair_by_the_last_digit_and_end_as_tcp_does() {
    let deepgram = Deepgram::start("clave").await;
    let options = hearing(&deepgram).set("AURA_AUDIOSOCKET_LISTEN", "127.0.0.1:0");
    let running = Running::start(options).await;
    let talk = talk(8000);
    let (mut patient, mut operator) = (audio_socket(&running, 0).await, audio_socket(&running, 1).await);
    patient.dtmf('7').await;
    // The operator's leg comes in TCP's own pieces, none of which is a frame.
    let mut bytes = Vec::new();
    for block in talk.outbound.chunks(160) {
        bytes.extend([0x10, 0x01, 0x40]);
        bytes.extend(block.iter().flat_map(|sample| sample.to_le_bytes()));
        bytes.resize(bytes.len().next_multiple_of(323), 0);
    }
    let in_pieces = async {
        for piece in bytes.chunks(1009) {
            operator.bytes(piece).await;
            sleep(Duration::from_millis(30)).await; // twice as fast as it was spoken
        }
    };
    tokio::join!(patient.send_audio(&talk.inbound), in_pieces);
    heard(&running, PAIR, &TALK).await;
    assert!(patient.next().await.is_some(), "Asterisk is sent a sign of life");
    patient.finish().await;
    operator.finish().await;
    over(&running, PAIR).await;
    assert_eq!(intact(&deepgram).await.len(), 1);
}

#[actix_rt::test]
async fn an_audiosocket_that_hangs_up_or_is_out_of_step_is_closed() {
    let options = Options::default().few_manuals().set("AURA_AUDIOSOCKET_LISTEN", "127.0.0.1:0");
    let running = Running::start(options).await;
    let mut socket = audio_socket(&running, 0).await;
    until(&running, PAIR, "it begins", |news| !news.is_empty()).await;
    socket.hang_up().await;
    socket.closed().await;
    over(&running, PAIR).await;
    // A kind that isn't one: nothing after it can be read, and the call waits for the socket to come back.
    let mut socket = audio_socket(&running, 2).await;
    let call = PAIR.replace("c0", "c2");
    until(&running, &call, "it begins", |news| !news.is_empty()).await;
    socket.frame(0x77, b"?").await;
    socket.closed().await;
    until(&running, &call, "the peer is lost", |news| news.contains(&News::Lost)).await;
    assert!(!running.desk.of(&call).contains(&News::Closed));
}
