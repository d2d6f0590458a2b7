//! Faults that users of other desks reported, over real sockets (FAULTS.md F), and a client that stops reading.
use crate::console::{Answer as Answered, Console, id};
use crate::desk::staffed;
use crate::forked::{fork, hangs_up, says};
use crate::plain::send;
use crate::service::Options;
use crate::support::openai::{Answer, StandIn};
use aura::desk::CallView;
use aura::protocol::desk::{Ask, Cursor, Event, Happening, Message as Told, Private};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// What stands of a call, with its numbers.
fn standing(view: &CallView) -> Vec<&Event> {
    view.events().collect()
}

#[actix_rt::test]
async fn fault_63_who_was_away_during_lines_and_suggestions_gets_exactly_what_came_later() {
    let (running, [ana, bruno, _]) = staffed(Options::default()).await;
    let address = running.address();
    let mut there = Console::open(address, &ana).await;
    let call = fork(&running, "f63").await;
    there.watch("f63", None).await;
    there.ask(Ask::Claim { call: id("f63") }).await;
    let mut away = Console::open(address, &bruno).await;
    away.watch("f63", None).await;
    says(&call, "operator", "Soporte, buenas tardes").await;
    away.happens("the greeting", |it| matches!(it, Happening::Line(_))).await;
    let cursor = away.view("f63").cursor;
    let before = away.view("f63").clone();
    drop(away);
    for (leg, text) in [
        ("patient", "hola, tengo un problema con el concentrador M50 en mi casa"),
        ("operator", "¿qué le muestra la pantalla?"),
        ("patient", "muestra H08 y no para de sonar el pitido"),
    ] {
        says(&call, leg, text).await;
        let whole = |it: &Happening| matches!(it, Happening::Suggestion(card) if card.done);
        if leg == "patient" {
            there.happens("a suggestion", whole).await;
        }
    }
    let mut back = Console::open(address, &bruno).await;
    back.mirror.watched.insert(id("f63"), before);
    back.watch("f63", cursor).await;
    settle(&mut there, &mut back).await;
    assert_eq!(standing(back.view("f63")), standing(there.view("f63")));
    // Only what came later was sent, and nothing twice.
    let seqs: Vec<u64> = back
        .log
        .iter()
        .filter_map(|told| match told {
            Told::Event(event) => Some(event.seq),
            _ => None,
        })
        .collect();
    assert!(
        seqs.is_sorted_by(|a, b| a < b) && seqs[0] > cursor.expect("a cursor").seq,
        "{seqs:?} {cursor:?}"
    );
    hangs_up(call).await;
}

#[actix_rt::test]
async fn fault_65_who_opens_the_panel_late_gets_the_whole_call() {
    let (running, [ana, bruno, _]) = staffed(Options::default()).await;
    let mut first = Console::open(running.address(), &ana).await;
    let call = fork(&running, "f65").await;
    first.watch("f65", None).await;
    first.ask(Ask::Claim { call: id("f65") }).await;
    says(&call, "operator", "Soporte, buenas tardes").await;
    says(&call, "patient", "el concentrador M50 muestra H08 y no para de sonar").await;
    first.happens("a suggestion", |it| matches!(it, Happening::Suggestion(card) if card.done)).await;
    let mut late = Console::open(running.address(), &bruno).await;
    late.watch("f65", None).await;
    settle(&mut first, &mut late).await;
    assert_eq!(standing(late.view("f65")), standing(first.view("f65")));
    let whole = late
        .view("f65")
        .events()
        .any(|event| matches!(&event.happening, Happening::Suggestion(card) if card.done));
    assert!(whole, "the suggestion is there");
    hangs_up(call).await;
}

/// Both have read all there is: one says something through the server, and waits for it.
async fn settle(one: &mut Console, other: &mut Console) {
    for console in [one, other] {
        sleep(Duration::from_millis(300)).await;
        console.ask(Ask::Ping).await;
    }
}

/// An operator's socket that says hello, watches, and never reads again.
async fn frozen(address: SocketAddr, token: &str, calls: &[&str]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!(
        "GET /desk HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 101");
    let hello = r#"{"id":1,"ask":"hello","version":1}"#.to_owned();
    let watch = |call: &&str| format!(r#"{{"id":2,"ask":"watch","call":"{call}"}}"#);
    for text in std::iter::once(hello).chain(calls.iter().map(watch)) {
        // Masked with nought, as a client must mask.
        let mut bytes = vec![0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0];
        bytes.extend(text.as_bytes());
        stream.write_all(&bytes).await.unwrap();
    }
    stream
}

fn gauge(metrics: &str, name: &str) -> f64 {
    let line = metrics.lines().find(|line| line.starts_with(name) && !line.starts_with('#'));
    line.and_then(|line| line.rsplit(' ').next()).and_then(|value| value.parse().ok()).unwrap_or_default()
}

#[actix_rt::test]
async fn a_reader_that_freezes_is_closed_and_catches_up_and_others_get_it_all() {
    const CALLS: [&str; 3] = ["f200a", "f200b", "f200c"];
    let (running, [ana, bruno, carla]) = staffed(Options::default().few_manuals()).await;
    let address = running.address();
    let mut reads = Console::open(address, &ana).await;
    let mut forks = Vec::new();
    for call in CALLS {
        forks.push(fork(&running, call).await);
    }
    reads.watch(CALLS[0], None).await;
    // There, so that whoever is frozen can watch them.
    while !CALLS.iter().all(|call| reads.mirror.rows.contains_key(&id(call))) {
        reads.next().await.expect("the list");
    }
    let mut still = frozen(address, &bruno, &CALLS).await;
    let metrics = || async { send("GET", address, "/metrics", &[], "").await.body };
    // Long lines, of one word: together more than the system's own buffers hold.
    let long = "a".repeat(1_990);
    for said in 0..1_000 {
        let text = format!("{said} {long}");
        for call in &forks {
            says(call, if said % 2 == 0 { "patient" } else { "operator" }, &text).await;
        }
        if said % 20 == 0 {
            let is_it = |it: &Happening| matches!(it, Happening::Line(line) if line.text.starts_with(&format!("{said} ")));
            reads.happens("the line", is_it).await;
        }
    }
    let (begun, mut closed) = (Instant::now(), false);
    while begun.elapsed() < Duration::from_secs(20) && !closed {
        closed = gauge(&metrics().await, "aura_desk_closed_total{why=\"behind\"}") >= 1.0;
        sleep(Duration::from_millis(100)).await;
    }
    assert!(closed, "the frozen client was never closed");
    // Its connection has really ended: what was in its buffers, then the end.
    let mut rest = Vec::new();
    let ended = timeout(Duration::from_secs(10), still.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the connection is still open");
    // Who was frozen connects again and catches up.
    let mut back = Console::open(address, &bruno).await;
    back.watch(CALLS[0], Some(Cursor { epoch: 0, seq: 3 })).await;
    let mut other = Console::open(address, &carla).await;
    other.watch(CALLS[0], None).await;
    settle(&mut back, &mut other).await;
    settle(&mut reads, &mut other).await;
    let lines =
        standing(back.view(CALLS[0])).iter().filter(|it| matches!(it.happening, Happening::Line(_))).count();
    assert_eq!(lines, 1_000);
    assert_eq!(standing(back.view(CALLS[0])), standing(reads.view(CALLS[0])));
    assert_eq!(standing(other.view(CALLS[0])), standing(reads.view(CALLS[0])));
    for call in forks {
        hangs_up(call).await;
    }
}

#[actix_rt::test]
async fn fault_67_two_calls_of_one_patient_on_one_worker_never_meet_in_a_prompt() {
    const SAYS: [&str; 4] =
        ["Entiendo.", "Cuénteme un poco más.", "¿Desde cuándo lo nota?", "Gracias por avisarnos."];
    let model = StandIn::responding(|n, _| Answer::spoken(&SAYS[n % 4..=n % 4])).await;
    let options = Options::default().llm(model.base_url()).set("AURA_WORKERS", 1);
    let (running, [ana, bruno, _]) = staffed(options).await;
    let address = running.address();
    let mut stories = [
        (
            "f67a",
            Console::open(address, &ana).await,
            "el concentrador M50 muestra H08 desde ayer a la mañana",
            "ayer",
        ),
        (
            "f67b",
            Console::open(address, &bruno).await,
            "la mochila hace un zumbido cuando la llevo al jardín",
            "jardín",
        ),
    ];
    let mut forks = Vec::new();
    for (name, desk, ..) in &mut stories {
        forks.push(fork(&running, name).await);
        desk.watch(name, None).await;
        assert_eq!(desk.ask(Ask::Claim { call: id(name) }).await, Answered::Done);
        let dni = Private("20111222".to_owned());
        assert_eq!(desk.ask(Ask::TypeDni { call: id(name), dni }).await, Answered::Done);
    }
    for _ in 0..2 {
        for ((_, desk, line, _), fork) in stories.iter_mut().zip(&forks) {
            says(fork, "patient", line).await;
            desk.happens("a whole card", |it| matches!(it, Happening::Suggestion(card) if card.done)).await;
        }
    }
    let prompts: Vec<String> = model.received().iter().map(|request| request.body.to_string()).collect();
    assert!(prompts.len() >= 2, "{prompts:?}");
    for prompt in &prompts {
        let of = stories.iter().filter(|(.., word)| prompt.contains(word)).count();
        assert_eq!(of, 1, "{prompt}");
        assert!(!prompt.contains("7F-5") && !prompt.contains("20111222"), "{prompt}");
    }
    for call in forks {
        hangs_up(call).await;
    }
}
