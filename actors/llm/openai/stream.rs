//! One answer being read: bytes to pieces, and which deadline holds at the moment.
use super::Limits;
use crate::llm::Piece;
use crate::openai::{Trouble, read_bounded};
use aura::protocol::chat_completions::{Progress, Reader, StreamFault};
use aura::protocol::provider_error::ProviderError;
use aura::protocol::sse::{Event, SseDecoder, SseError};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How much of a body that is no stream is read for its error code.
const ODD_BODY_BYTES: usize = 256 * 1024;

/// Refuses a success that is no stream, such as a proxy's HTML or JSON despite `stream: true`.
pub async fn only_streams(host: &str, mut response: Response) -> Result<Response, Trouble> {
    let header = response.headers().get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let kind = match header.map(|value| value.split(';').next().unwrap_or_default().trim()) {
        None => return Ok(response),
        Some(kind) if kind.eq_ignore_ascii_case("text/event-stream") => return Ok(response),
        Some(kind) => ["application/json", "text/html", "text/plain"]
            .into_iter()
            .find(|known| kind.eq_ignore_ascii_case(known))
            .unwrap_or("another content type"),
    };
    let body = match kind {
        "application/json" => read_bounded(&mut response, ODD_BODY_BYTES).await.unwrap_or_default(),
        _ => Vec::new(),
    };
    let error = ProviderError::of_body(&body);
    let what = format!(
        "text/event-stream was expected, {kind} came ({error}); check the base URL and that the server streams"
    );
    Err(Trouble::failed(host, what, false))
}

/// A stream of which the headers are in.
pub struct Reading {
    response: Response,
    decoder: SseDecoder,
    events: VecDeque<Result<Event, SseError>>,
    reader: Reader,
    ended: bool,
    /// Until the first text came: when it must, and how long that was.
    first_token: Option<(Instant, Duration)>,
    last_bytes: Instant,
    last_text: Instant,
    /// When the model said that the text is whole.
    finished: Option<Instant>,
}

impl Reading {
    /// Reads a stream whose first text must come by `first_token`, which is `allowed` after the try's start.
    pub fn new(response: Response, first_token: Instant, allowed: Duration) -> Self {
        let now = Instant::now();
        Self {
            response,
            decoder: SseDecoder::default(),
            events: VecDeque::new(),
            reader: Reader::default(),
            ended: false,
            first_token: Some((first_token, allowed)),
            last_bytes: now,
            last_text: now,
            finished: None,
        }
    }

    /// The next piece, or why there is none.
    pub async fn next(&mut self, host: &str, limits: &Limits) -> Result<Piece, Trouble> {
        loop {
            while let Some(event) = self.events.pop_front() {
                let event = event.map_err(|error| Trouble::failed(host, error, false))?;
                match self.reader.read(&event).map_err(|fault| of_fault(host, &fault))? {
                    Progress::Text(text) => {
                        self.first_token = None;
                        self.last_text = Instant::now();
                        return Ok(Piece::Delta(text));
                    }
                    Progress::Nothing => {}
                    Progress::Done => self.ended = true,
                }
                if self.finished.is_none() && self.reader.has_finished() {
                    self.finished = Some(Instant::now());
                }
            }
            if self.ended {
                return self.reader.end().map(Piece::Finished).map_err(|fault| of_fault(host, &fault));
            }
            self.fill(host, limits).await?;
        }
    }

    /// Waits for the next bytes. Once the text is whole, neither silence nor a broken connection harms it.
    async fn fill(&mut self, host: &str, limits: &Limits) -> Result<(), Trouble> {
        let (deadline, trouble) = self.deadline(limits);
        match timeout_at(deadline, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.last_bytes = Instant::now();
                self.events.extend(self.decoder.push(&bytes));
            }
            Ok(Ok(None)) => {
                self.events.extend(self.decoder.finish());
                self.ended = true;
            }
            Ok(Err(_)) | Err(_) if self.finished.is_some() => self.ended = true,
            Ok(Err(_)) => return Err(of_fault(host, &StreamFault::Truncated)),
            Err(_) => return Err(trouble),
        }
        Ok(())
    }

    fn deadline(&self, limits: &Limits) -> (Instant, Trouble) {
        if let Some(finished) = self.finished {
            return (finished + limits.tail, Trouble::timeout("the usage", limits.tail));
        }
        if let Some((deadline, allowed)) = self.first_token {
            return (deadline, Trouble::timeout("the first token", allowed));
        }
        let (piece, token) = (self.last_bytes + limits.next_piece, self.last_text + limits.next_token);
        match piece <= token {
            true => (piece, Trouble::timeout("the next token", limits.next_piece)),
            false => (token, Trouble::timeout("the next token", limits.next_token)),
        }
    }
}

fn of_fault(host: &str, fault: &StreamFault) -> Trouble {
    match fault.blames_request() {
        true => Trouble::refused(host, fault),
        false => Trouble::failed(host, fault, fault.is_passing()),
    }
}
