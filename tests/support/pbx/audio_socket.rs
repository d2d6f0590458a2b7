//! Asterisk's AudioSocket as a client: frames over plain TCP, lengths big-endian, samples little-endian.
use super::pace::{Pace, Pacer};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The kinds of frames.
pub mod kind {
    /// Hang-up.
    pub const HANG_UP: u8 = 0x00;
    /// The call's UUID, 16 bytes.
    pub const UUID: u8 = 0x01;
    /// A key, one byte.
    pub const DTMF: u8 = 0x03;
    /// 8 kHz; 12, 16, 24, 32, 44.1, 48, 96, 192 kHz follow.
    pub const SLIN: u8 = 0x10;
    /// An error.
    pub const ERROR: u8 = 0xFF;
}

const RATES: [u32; 9] = [8_000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];

/// One connection.
pub struct AudioSocket {
    socket: TcpStream,
    rate: u32,
    pacer: Pacer,
}

impl AudioSocket {
    /// Connects; says nothing yet.
    pub async fn connect(address: SocketAddr, rate: u32, pace: Pace) -> std::io::Result<Self> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        Ok(Self { socket, rate, pacer: Pacer::new(pace) })
    }

    /// The first frame.
    pub async fn uuid(&mut self, uuid: [u8; 16]) -> bool {
        self.frame(kind::UUID, &uuid).await
    }

    /// One leg's samples in frames of 20 ms.
    pub async fn send_audio(&mut self, samples: &[i16]) -> bool {
        let n = RATES.iter().position(|rate| *rate == self.rate).expect("one of AudioSocket's rates");
        for block in samples.chunks(self.rate as usize / 50) {
            self.pacer.wait(block.len() as f64 / f64::from(self.rate)).await;
            let bytes: Vec<u8> = block.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            if !self.frame(kind::SLIN + n as u8, &bytes).await {
                return false;
            }
        }
        true
    }

    /// A key.
    pub async fn dtmf(&mut self, digit: char) -> bool {
        self.frame(kind::DTMF, &[digit as u8]).await
    }

    /// The hang-up frame; the other side closes then.
    pub async fn hang_up(&mut self) -> bool {
        self.frame(kind::HANG_UP, &[]).await
    }

    /// Any frame; false if the connection is gone.
    pub async fn frame(&mut self, kind: u8, payload: &[u8]) -> bool {
        let length = u16::try_from(payload.len()).expect("a length of 16 bits");
        let head = [&[kind][..], &length.to_be_bytes()].concat();
        self.socket.write_all(&[&head, payload].concat()).await.is_ok()
    }

    /// Bytes as they are, e.g. a frame that stops in the middle.
    pub async fn bytes(&mut self, bytes: &[u8]) -> bool {
        self.socket.write_all(bytes).await.is_ok()
    }

    /// The next frame from the other side; nothing once it has closed.
    pub async fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        let frame = async {
            let kind = self.socket.read_u8().await.ok()?;
            let mut payload = vec![0; usize::from(self.socket.read_u16().await.ok()?)];
            self.socket.read_exact(&mut payload).await.ok()?;
            Some((kind, payload))
        };
        timeout(Duration::from_secs(30), frame).await.expect("a frame, or the end")
    }

    /// Ends its direction of the connection, and waits until the other side has closed.
    pub async fn finish(&mut self) {
        let _ = self.socket.shutdown().await;
        self.closed().await;
    }

    /// Waits until the other side has closed.
    pub async fn closed(&mut self) {
        while self.next().await.is_some() {}
    }
}
