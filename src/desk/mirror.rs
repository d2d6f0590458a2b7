//! What a client makes of what it is told: the list of calls, and all that stands of each call that it watches.
use crate::ids::CallId;
use crate::protocol::desk::{Callback, Cursor, Event, Happening, Key, Message, Row, Welcome};
use std::collections::{BTreeMap, HashMap};

/// One watched call, as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallView {
    /// How far the client is; for the next `watch`.
    pub cursor: Option<Cursor>,
    /// Whether the beginning is kept no more.
    pub cut: bool,
    /// Whether all that happened before has been told.
    pub caught_up: bool,
    /// The newest event of each key, in the order of their numbers.
    events: BTreeMap<u64, Event>,
    newest: HashMap<Key, u64>,
}

impl CallView {
    /// What stands, in the order in which it was told.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.values()
    }

    /// What stands of a key.
    pub fn of(&self, key: &Key) -> Option<&Happening> {
        self.event(key).map(|event| &event.happening)
    }

    /// The event that told it.
    pub fn event(&self, key: &Key) -> Option<&Event> {
        self.newest.get(key).and_then(|seq| self.events.get(seq))
    }

    fn is_over(&self) -> bool {
        let state = Happening::Closed.key();
        state.is_some_and(|key| self.of(&key) == Some(&Happening::Closed))
    }

    /// Whether the event is news; an older one than is known changes nothing.
    fn take(&mut self, epoch: u64, event: Event) -> bool {
        if self.cursor.is_some_and(|cursor| cursor.epoch == epoch && cursor.seq >= event.seq) {
            return false;
        }
        self.cursor = Some(Cursor { epoch, seq: event.seq });
        if matches!(event.happening, Happening::Opened { .. }) && self.is_over() {
            // An id that is used again names another call.
            (self.cut, self.events, self.newest) = (false, BTreeMap::new(), HashMap::new());
        }
        if let Some(key) = event.happening.key()
            && let Some(before) = self.newest.insert(key, event.seq)
        {
            self.events.remove(&before);
        }
        self.events.insert(event.seq, event);
        true
    }
}

/// What a client knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mirror {
    /// Who it is, and what it may.
    pub welcome: Option<Welcome>,
    /// The calls.
    pub rows: BTreeMap<CallId, Row>,
    /// Those that are watched.
    pub watched: BTreeMap<CallId, CallView>,
    /// Call backs.
    pub callbacks: Vec<Callback>,
    /// What doesn't work.
    pub down: Vec<String>,
}

impl Mirror {
    /// Takes a frame in; whether something that is shown has changed. Answers to requests change nothing here.
    pub fn take(&mut self, message: Message) -> bool {
        match message {
            Message::Welcome(welcome) => {
                self.rows = welcome.rows.iter().map(|row| (row.call.clone(), row.clone())).collect();
                self.down.clone_from(&welcome.down);
                self.welcome = Some(*welcome);
            }
            Message::Rows { rows, gone } => {
                self.rows.extend(rows.into_iter().map(|row| (row.call.clone(), row)));
                for call in gone {
                    self.rows.remove(&call);
                }
            }
            Message::Watching { call, epoch, anew, cut, .. } => {
                let view = self.watched.entry(call).or_default();
                if anew {
                    *view = CallView { cursor: Some(Cursor { epoch, seq: 0 }), ..CallView::default() };
                }
                (view.cut, view.caught_up) = (view.cut || cut, false);
            }
            Message::Event(event) => {
                let Some(view) = self.watched.get_mut(&event.call) else { return false };
                let epoch = view.cursor.map_or(0, |cursor| cursor.epoch);
                return view.take(epoch, event);
            }
            Message::CaughtUp { call, seq } => {
                let Some(view) = self.watched.get_mut(&call) else { return false };
                view.caught_up = true;
                if let Some(cursor) = &mut view.cursor {
                    cursor.seq = cursor.seq.max(seq);
                }
            }
            Message::Callbacks { rows } => self.callbacks = rows,
            Message::Health { down } => self.down = down,
            _ => return false,
        }
        true
    }
}
