//! Server-sent events: bytes in, whole events out, however the network cut them.

/// How long one event may be, in bytes, unless [`SseDecoder::with_limit`] says otherwise.
pub const EVENT_LIMIT: usize = 256 * 1024;

/// One event. Comments and events without data never become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The `event:` field; most servers of language models leave it out.
    pub name: Option<String>,
    /// The `data:` lines, joined by a line feed; never empty.
    pub data: String,
}

/// Why a stream can't be decoded any further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// An event outgrew its bound.
    #[error("an event of the stream is longer than {0} bytes; the server doesn't speak server-sent events")]
    TooLong(usize),
    /// A line is not UTF-8, as server-sent events must be.
    #[error("a line of the stream is not UTF-8; the server doesn't speak server-sent events")]
    NotUtf8,
}

/// Decodes a stream piece by piece. It keeps bytes until a line is whole, so a character cut in two is
/// never decoded by halves. After an error it yields nothing more.
#[derive(Debug)]
pub struct SseDecoder {
    limit: usize,
    line: Vec<u8>,
    after_cr: bool,
    at_start: bool,
    name: Option<String>,
    data: Option<String>,
    failed: bool,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::with_limit(EVENT_LIMIT)
    }
}

impl SseDecoder {
    /// A decoder whose events hold at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_cr: false,
            at_start: true,
            name: None,
            data: None,
            failed: false,
        }
    }

    /// Takes the next bytes and returns the events that became whole. An error is the last item.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Result<Event, SseError>> {
        let mut events = Vec::new();
        for &byte in bytes {
            if self.failed {
                break;
            }
            if let Some(event) = self.step(byte).transpose() {
                self.failed = event.is_err();
                events.push(event);
            }
        }
        events
    }

    /// The stream has ended: the last event, if no blank line came after it.
    pub fn finish(&mut self) -> Option<Result<Event, SseError>> {
        if self.failed {
            return None;
        }
        self.failed = true;
        match self.end_line() {
            Ok(None) => self.dispatch().map(Ok),
            Ok(Some(event)) => Some(Ok(event)),
            Err(error) => Some(Err(error)),
        }
    }

    fn step(&mut self, byte: u8) -> Result<Option<Event>, SseError> {
        // The line feed of a CR LF pair ends the line that its CR has already ended.
        let second_of_pair = std::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n';
        match byte {
            b'\n' if second_of_pair => Ok(None),
            b'\n' | b'\r' => self.end_line(),
            _ => {
                let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
                if held >= self.limit {
                    return Err(SseError::TooLong(self.limit));
                }
                self.line.push(byte);
                Ok(None)
            }
        }
    }

    fn end_line(&mut self) -> Result<Option<Event>, SseError> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_start) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        if line.first() != Some(&b':') {
            self.field(std::str::from_utf8(&line).map_err(|_| SseError::NotUtf8)?);
        }
        line.clear();
        self.line = line;
        Ok(None)
    }

    fn field(&mut self, line: &str) {
        // Some gateways break the line between `data:` and its JSON; no field's name begins like this.
        if self.data.is_some() && line.starts_with([' ', '\t', '{', '[']) {
            return self.add_data(line);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => self.add_data(value),
            "event" => self.name = Some(value.to_owned()),
            _ => {}
        }
    }

    fn add_data(&mut self, value: &str) {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            none => *none = Some(value.to_owned()),
        }
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = self.name.take();
        let data = self.data.take().filter(|data| !data.is_empty())?;
        Some(Event { name, data })
    }
}
