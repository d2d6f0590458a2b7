//! The list of calls: how each stands, who has it, and which have waited too long for an operator.
use crate::channel::Channel;
use crate::event::{DeskEvent, News};
use crate::ids::CallId;
use crate::protocol::desk::{Headline, Row, State};
use crate::suggestion::Mode;
use std::collections::{BTreeMap, BTreeSet};

/// How long a call is shown after its end, in milliseconds: for its summary.
pub const CLOSED_MS: u64 = 10 * 60 * 1000;
/// Calls that are shown after their end.
const MOST_CLOSED: usize = 200;
/// Characters of the last words.
const HEADLINE: usize = 160;

/// What whoever looks at the list has to be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Rows that are new or have changed.
    pub rows: Vec<Row>,
    /// Calls that are shown no more.
    pub gone: Vec<CallId>,
}

/// All calls that are shown.
#[derive(Debug, Default)]
pub struct Board {
    rows: BTreeMap<CallId, Row>,
    changed: BTreeSet<CallId>,
    /// Calls that are over, by when they ended.
    closed: BTreeMap<(u64, CallId), ()>,
    /// Calls in which a line is what the row shows: which line.
    lines: BTreeMap<CallId, usize>,
}

impl Board {
    /// Something happened in a call.
    pub fn told(&mut self, event: &DeskEvent, now: u64) {
        let call = event.call.clone();
        let over = self.rows.get(&call).map(|row| row.state == State::Closed);
        match (over, &event.news) {
            // An id that is used again names another call.
            (Some(true), News::Opened) => {
                self.rows.remove(&call);
                self.closed.retain(|(_, closed), ()| *closed != call);
            }
            (Some(true), _) | (None, News::Closed) => return,
            _ => {}
        }
        let row = self.rows.entry(call.clone()).or_insert_with(|| row(&call, event.source, now));
        let mut line = self.lines.get(&call).copied();
        if !apply(row, &event.news, &mut line, now) && over.is_some() {
            return;
        }
        if matches!(event.news, News::Closed) {
            self.closed.insert((now, call.clone()), ());
            self.lines.remove(&call);
        } else if let Some(line) = line {
            self.lines.insert(call.clone(), line);
        }
        self.changed.insert(call);
    }

    /// A call that began before this life of the server: its times are what it brings along.
    pub fn began(&mut self, call: &CallId, since: u64) {
        if let Some(row) = self.rows.get_mut(call) {
            row.since = row.since.min(since);
            row.waiting_since = row.waiting_since.map(|waiting| waiting.min(since));
            self.changed.insert(call.clone());
        }
    }

    /// Time passed: calls may have waited for longer than `patience` (ms; 0: no alert), and closed ones go.
    pub fn tick(&mut self, patience: u64, now: u64) {
        for row in self.rows.values_mut() {
            let waited = row.waiting_since.map(|since| now.saturating_sub(since));
            let overdue = patience > 0 && waited.is_some_and(|waited| waited >= patience);
            if row.overdue != overdue {
                row.overdue = overdue;
                self.changed.insert(row.call.clone());
            }
        }
    }

    /// What has changed since this was last asked for.
    pub fn changes(&mut self, now: u64) -> Watch {
        let mut watch = Watch::default();
        while let Some(((at, _), ())) = self.closed.first_key_value()
            && (now.saturating_sub(*at) >= CLOSED_MS || self.closed.len() > MOST_CLOSED)
            && let Some(((_, call), ())) = self.closed.pop_first()
        {
            self.rows.remove(&call);
            self.changed.remove(&call);
            watch.gone.push(call);
        }
        let changed = std::mem::take(&mut self.changed);
        watch.rows = changed.iter().filter_map(|call| self.rows.get(call)).cloned().collect();
        watch
    }

    /// All rows, as a client begins with them.
    pub fn rows(&self) -> Vec<Row> {
        self.rows.values().cloned().collect()
    }

    /// One row.
    pub fn row(&self, call: &CallId) -> Option<&Row> {
        self.rows.get(call)
    }

    /// Calls that nobody has and that ring at this extension.
    pub fn ringing_at<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a CallId> {
        let at = move |row: &&Row| row.waiting_since.is_some() && row.extension.as_deref() == Some(extension);
        self.rows.values().filter(at).map(|row| &row.call)
    }
}

fn row(call: &CallId, source: Channel, now: u64) -> Row {
    Row {
        call: call.clone(),
        source,
        state: State::Live,
        since: now,
        // Bots carry their calls by themselves: nobody waits for an operator there.
        waiting_since: (!source.profile().bot).then_some(now),
        overdue: false,
        claimed_by: None,
        mode: Mode::default(),
        extension: None,
        last: None,
        danger: None,
        step: None,
        identity: None,
        look_up: crate::patient::Progress::default(),
        outage: None,
    }
}

/// Whether the row has changed. `line` is the one that it shows.
fn apply(row: &mut Row, news: &News, line: &mut Option<usize>, now: u64) -> bool {
    match news {
        News::Opened => row.state = State::Live,
        News::Lost => row.state = State::Lost,
        News::Hold { on } => row.state = if *on { State::Hold } else { State::Live },
        News::Closed => {
            row.state = State::Closed;
            (row.waiting_since, row.overdue) = (None, false);
        }
        News::Heard { index, speaker, text, place } => {
            let back = row.state == State::Lost;
            if back {
                row.state = State::Live;
            }
            let partial = place.is_some_and(|place| place.partial);
            if partial || line.is_some_and(|line| *index < line) || (text.is_empty() && *line != Some(*index))
            {
                return back;
            }
            *line = Some(*index);
            // A line that was taken back isn't shown any more, nor is what was before it.
            row.last = (!text.is_empty()).then(|| Headline { speaker: *speaker, text: short(text), at: now });
        }
        News::RedFlag { flag, .. } => row.danger = Some(row.danger.map_or(*flag, |held| held.min(*flag))),
        News::Extension { extension } => row.extension = Some(extension.clone()),
        News::Claimed { by, mode } => {
            let bot = row.source.profile().bot;
            row.waiting_since = match by {
                Some(_) => None,
                None => row.waiting_since.or((!bot).then_some(now)),
            };
            row.overdue &= by.is_none();
            row.claimed_by = by.as_ref().map(|by| by.0.clone());
            row.mode = *mode;
        }
        News::Script(view) => row.step = Some(view.open),
        News::Identity { held, .. } => row.identity = held.map(|held| held.state()),
        News::LookUp { progress, outage, .. } => (row.look_up, row.outage) = (*progress, *outage),
        _ => return false,
    }
    true
}

fn short(text: &str) -> String {
    if text.chars().count() <= HEADLINE {
        return text.to_owned();
    }
    text.chars().take(HEADLINE).chain(['…']).collect()
}
