//! A peer without websocket manners: frames by hand, fragments, audio after a close; reads only when asked.
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const CONTINUATION: u8 = 0x0;
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const FIN: u8 = 0x80;

/// A TCP connection whose handshake is done.
pub struct Raw {
    socket: TcpStream,
}

impl Raw {
    /// On this connection.
    pub fn new(socket: TcpStream) -> Self {
        Self { socket }
    }

    /// A binary message; false if the connection is gone.
    pub async fn binary(&mut self, bytes: &[u8]) -> bool {
        self.frame(FIN | BINARY, bytes).await
    }

    /// A text message.
    pub async fn text(&mut self, text: &str) -> bool {
        self.frame(FIN | TEXT, text.as_bytes()).await
    }

    /// One binary message in so many frames.
    pub async fn fragmented(&mut self, parts: &[&[u8]]) -> bool {
        for (n, part) in parts.iter().enumerate() {
            let kind = if n == 0 { BINARY } else { CONTINUATION };
            let last = if n + 1 == parts.len() { FIN } else { 0 };
            if !self.frame(kind | last, part).await {
                return false;
            }
        }
        true
    }

    /// A close frame; nothing keeps one from sending after it.
    pub async fn close(&mut self, code: u16) -> bool {
        self.frame(FIN | CLOSE, &code.to_be_bytes()).await
    }

    /// Waits for the other side's close frame, over all that comes before; its code.
    pub async fn closed(&mut self) -> Option<u16> {
        loop {
            let (kind, payload) = timeout(Duration::from_secs(30), self.read()).await.expect("a frame")?;
            if kind == FIN | CLOSE {
                return payload.get(..2).map(|code| u16::from_be_bytes([code[0], code[1]]));
            }
        }
    }

    /// Drops the connection with a reset.
    pub fn reset(self) {
        let _ = self.socket.set_zero_linger();
    }

    async fn read(&mut self) -> Option<(u8, Vec<u8>)> {
        let kind = self.socket.read_u8().await.ok()?;
        let length = match self.socket.read_u8().await.ok()? {
            126 => usize::from(self.socket.read_u16().await.ok()?),
            127 => self.socket.read_u64().await.ok()? as usize,
            short => usize::from(short),
        };
        let mut payload = vec![0; length];
        self.socket.read_exact(&mut payload).await.ok()?;
        Some((kind, payload))
    }

    /// A frame with the mask 0, which changes nothing.
    async fn frame(&mut self, kind: u8, payload: &[u8]) -> bool {
        let mut bytes = vec![kind];
        match payload.len() {
            short @ 0..126 => bytes.push(0x80 | short as u8),
            medium @ 126..65_536 => {
                bytes.push(0x80 | 126);
                bytes.extend((medium as u16).to_be_bytes());
            }
            long => {
                bytes.push(0x80 | 127);
                bytes.extend((long as u64).to_be_bytes());
            }
        }
        bytes.extend([0; 4]);
        bytes.extend_from_slice(payload);
        self.socket.write_all(&bytes).await.is_ok()
    }
}
