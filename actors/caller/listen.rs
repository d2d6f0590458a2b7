//! The listening half of a player: takes the agent's frames in, judges them and writes them down.
use super::agent_frame::{self, AgentFrame, Piece};
use super::line::{Trouble, Wait, millis};
use super::player::Player;
use super::report::{HeardPiece, SeenFrame};
use super::rules::Verdict;
use super::script::Expect;
use serde_json::Value;
use tokio::time::Instant;

impl Player<'_> {
    /// Listens to the answer to the newest exchange, to its end or until so many pieces were heard.
    pub(super) async fn answer(
        &mut self,
        asked_at: Instant,
        cut: Option<usize>,
        expect: &Expect,
    ) -> Result<(), Trouble> {
        let awaited = format!("the content_complete of id {}", self.rules.latest());
        let mut heard = 0;
        while cut != Some(heard) {
            let piece = self.piece(self.wait(&awaited, asked_at)).await?;
            heard += 1;
            self.note(&piece, asked_at);
            if piece.complete {
                break;
            }
        }
        let Some(exchange) = self.report.exchanges.last_mut() else { return Ok(()) };
        exchange.judge(expect);
        let (text, over) = (exchange.text(), exchange.complete && cut.is_none());
        self.heard.agent(&text);
        if !over {
            return Ok(());
        }
        self.report.ended_by_agent = exchange.end_call;
        // What is spoken to its end is told, and what was still on its way must have been nothing.
        let told = async {
            self.update(&[]).await?;
            self.settle().await
        };
        match told.await {
            Err(Trouble::Closed { .. } | Trouble::Broken(_)) if self.report.ended_by_agent => Ok(()),
            told => told,
        }
    }

    fn note(&mut self, piece: &Piece, asked_at: Instant) {
        if let Some(exchange) = self.report.exchanges.last_mut() {
            let after_ms = millis(asked_at.elapsed());
            exchange.pieces.push(HeardPiece { after_ms, text: piece.content.clone() });
            exchange.complete |= piece.complete;
            exchange.end_call |= piece.end_call;
        }
    }

    /// The next piece of the answer that is waited for.
    async fn piece(&mut self, wait: Wait<'_>) -> Result<Piece, Trouble> {
        loop {
            if let AgentFrame::Response(piece) = self.frame(wait).await?
                && self.rules.judge(&piece) == Verdict::Current
            {
                return Ok(piece);
            }
        }
    }

    /// One round trip: afterwards all is read that the agent sent before.
    pub(super) async fn settle(&mut self) -> Result<(), Trouble> {
        if !self.line.is_pinging() {
            return Ok(());
        }
        let (from, fence) = (Instant::now(), self.line.ping().await?);
        loop {
            match self.frame(self.wait("a ping's echo", from)).await? {
                AgentFrame::PingPong { timestamp } if timestamp == fence => return Ok(()),
                AgentFrame::Response(piece) if self.rules.judge(&piece) == Verdict::Current => {
                    self.rules.breach(format!("a piece of id {} that nobody waits for any more", piece.id));
                }
                _ => {}
            }
        }
    }

    pub(super) fn wait<'w>(&self, awaited: &'w str, from: Instant) -> Wait<'w> {
        Wait { awaited, from, during: self.script.patience().deadline }
    }

    /// The next frame of the agent's that Retell could read.
    pub(super) async fn frame(&mut self, wait: Wait<'_>) -> Result<AgentFrame, Trouble> {
        loop {
            let text = self.line.text(wait).await?;
            let Ok(value) = serde_json::from_str::<Value>(&text) else {
                return Err(self.line.refuse(format!("{} bytes that are no JSON", text.len())).await);
            };
            match agent_frame::read(&value) {
                Ok(frame) => {
                    self.noticed(&frame, text);
                    return Ok(frame);
                }
                Err(what) => {
                    self.seen(text);
                    self.rules.breach(what);
                }
            }
        }
    }

    fn noticed(&mut self, frame: &AgentFrame, text: String) {
        match frame {
            AgentFrame::PingPong { timestamp } => {
                if !self.line.echoed(*timestamp) {
                    self.rules
                        .breach("an echo of a ping that nobody sent, or that was echoed before".to_owned());
                }
                if let Some(id) = self.fences.remove(timestamp) {
                    self.rules.has_read(id);
                }
                return;
            }
            AgentFrame::Config { auto_reconnect, tool_calls, .. } => {
                self.line.pings(*auto_reconnect);
                self.tool_calls = *tool_calls;
            }
            AgentFrame::Response(_) | AgentFrame::Other => {}
        }
        self.seen(text);
    }

    fn seen(&mut self, text: String) {
        let at_ms = millis(self.began.elapsed());
        self.report.frames.push(SeenFrame { socket: self.report.sockets, at_ms, text });
    }
}
