//! Asterisk's AudioSocket: a TCP port, one connection a leg. A transport: it decides nothing.
use crate::calls::{Near, SocketGuard};
use crate::clock::now;
use crate::config::Ears;
use crate::ears::{Heard, Plug, ToSwitch, Unplug};
use crate::forks::{EarsHandle, Forks};
use aura::ears::intake::{Intake, IntakeOut};
use aura::ears::{Door, Metadata};
use aura::ids::CallId;
use aura::protocol::asterisk::audiosocket::AudioSocket;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tracing::{info, warn};
use uuid::Uuid;

/// Bytes read at once.
const READ: usize = 16 * 1024;
/// Asterisk's application hangs up after 2 s without a frame in either direction: silence is sent before.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);
/// 20 ms of silence, 8 kHz.
const SILENCE: [u8; 323] = {
    let mut frame = [0; 323];
    (frame[0], frame[1], frame[2]) = (0x10, 0x01, 0x40);
    frame
};

/// The listening port; it closes when this is dropped.
pub struct AudioSocketPort {
    /// Where it listens.
    pub address: SocketAddr,
    task: AbortHandle,
}

impl Drop for AudioSocketPort {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Listens, where the configuration names an address.
pub async fn listen(
    config: &Ears,
    forks: &Arc<Forks>,
    near: Near,
) -> std::io::Result<Option<AudioSocketPort>> {
    let Some(address) = config.audiosocket else { return Ok(None) };
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let (allow, pairing, forks) =
        (config.audiosocket_allow.clone(), config.audiosocket_pairing, Arc::clone(forks));
    let task = actix_rt::spawn(async move {
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    warn!(%error, "an AudioSocket connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let ip = peer.ip().to_canonical();
            if !allow.is_empty() && !allow.iter().any(|net| net.contains(&ip)) {
                warn!(%peer, "this address may not connect; see AURA_AUDIOSOCKET_ALLOW");
                continue;
            }
            actix_rt::spawn(Connection::new(&forks, near.clone(), pairing).run(stream));
        }
    });
    info!(%address, "AudioSocket is taken in");
    Ok(Some(AudioSocketPort { address, task: task.abort_handle() }))
}

struct Connection {
    forks: Arc<Forks>,
    near: Near,
    decoder: AudioSocket,
    socket: u64,
    _guard: SocketGuard,
    ears: Option<EarsHandle>,
    /// What the ears tell: only that it is to be closed, as there is nothing else that it could be told.
    inbox: mpsc::Receiver<ToSwitch>,
    outbox: mpsc::Sender<ToSwitch>,
}

impl Connection {
    fn new(forks: &Arc<Forks>, near: Near, pairing: bool) -> Self {
        let (socket, guard) = forks.socket();
        let decoder = AudioSocket::new(pairing);
        let (outbox, inbox) = mpsc::channel(4);
        Self { forks: Arc::clone(forks), near, decoder, socket, _guard: guard, ears: None, inbox, outbox }
    }

    async fn run(mut self, mut stream: TcpStream) {
        let Ok(spare) = CallId::parse(&format!("fork-{}", Uuid::now_v7())) else { return };
        let patient = self.forks.patient(Door::AudioSocket);
        let intake = Intake::new(Door::AudioSocket, Metadata::default(), patient, spare, now());
        info!(socket = self.socket, "an AudioSocket connected");
        let clean = self.read(&mut stream, intake).await;
        if let Some(ears) = &self.ears {
            ears.unplug.do_send(Unplug { socket: self.socket, clean });
        }
        info!(socket = self.socket, clean, "an AudioSocket is gone");
    }

    /// Reads until the connection ends; true when the peer ended it in order.
    async fn read(&mut self, stream: &mut TcpStream, mut intake: Intake) -> bool {
        let mut buffer = vec![0; READ];
        let mut alive = tokio::time::interval(SIGN_OF_LIFE);
        loop {
            let due =
                intake.deadline().map_or(Duration::from_secs(3600), |at| at.saturating_duration_since(now()));
            let went_on = tokio::select! {
                read = stream.read(&mut buffer) => match read {
                    Ok(0) => return true,
                    Ok(n) => self.take(&buffer[..n], &mut intake).await,
                    Err(error) => {
                        warn!(socket = self.socket, %error, "the AudioSocket broke");
                        return false;
                    }
                },
                () = tokio::time::sleep(due) => {
                    intake.tick(now());
                    self.hand_on(&mut intake).await
                }
                told = self.inbox.recv() => match told {
                    Some(ToSwitch::Frame(_)) => true,
                    Some(ToSwitch::Close(_)) | None => return true,
                },
                _ = alive.tick() => tokio::time::timeout(SIGN_OF_LIFE, stream.write_all(&SILENCE)).await.is_ok(),
            };
            if !went_on {
                return false;
            }
        }
    }

    async fn take(&mut self, bytes: &[u8], intake: &mut Intake) -> bool {
        let decoded = self.decoder.push(bytes);
        for told in decoded.told {
            intake.handle(told, now());
        }
        let heard = self.hand_on(intake).await;
        if let Some(fault) = &decoded.fault {
            metrics::counter!("aura_frames_refused_total", "source" => "audio_socket").increment(1);
            warn!(socket = self.socket, %fault, "the AudioSocket is closed");
        }
        heard && decoded.fault.is_none()
    }

    async fn hand_on(&mut self, intake: &mut Intake) -> bool {
        let mut pieces = Vec::new();
        while let Some(out) = intake.poll() {
            match out {
                IntakeOut::Open(fork) => match self.forks.open(&fork.call, &self.near) {
                    Ok(ears) => {
                        let (socket, fork, writer) = (self.socket, Box::new(fork), self.outbox.clone());
                        let plugged = ears.plug.send(Plug { socket, fork, writer }).await;
                        self.ears = plugged.is_ok().then_some(ears);
                    }
                    Err(refused) => {
                        warn!(socket = self.socket, %refused, "a forked call isn't taken");
                        return false;
                    }
                },
                IntakeOut::Piece(piece) => pieces.push(piece),
                IntakeOut::Refuse { reason } => {
                    warn!(socket = self.socket, %reason, "a fork is refused");
                    return false;
                }
                IntakeOut::Probe => {}
            }
        }
        match self.ears.as_ref().filter(|_| !pieces.is_empty()) {
            Some(ears) => ears.heard.send(Heard { socket: self.socket, pieces }).await.is_ok(),
            None => true,
        }
    }
}
