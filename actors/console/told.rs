//! What follows from what the server tells, and from how the connection stands.
use super::prompt::Overlay;
use super::state::{Connection, Open, Sight, UiState};
use super::text::fill;
use super::view;
use aura::desk::CallView;
use aura::ids::Dni;
use aura::patient::Progress;
use aura::phrases::console::{self, note};
use aura::protocol::desk::{Ask, Event, Happening, HeldShown, Key, Message, Patient, Refusal, Row};

impl UiState {
    /// The connection stands otherwise than before.
    pub fn connected(&mut self, connection: Connection) {
        if let Connection::Broken { unanswered, .. } = &connection
            && *unanswered > 0
        {
            self.warn(fill(note::UNANSWERED.es, &[("n", &unanswered.to_string())]));
        }
        if let (Connection::Broken { .. }, Some(open)) = (&connection, &mut self.open) {
            if open.looking {
                open.seen = None;
            }
            (open.looking, open.searching) = (false, false);
        }
        self.connection = connection;
    }

    /// A request couldn't be sent.
    pub fn unsent(&mut self, ask: &Ask) {
        // What is watched is asked for again once there is a connection.
        if !matches!(ask, Ask::Watch { .. } | Ask::Unwatch { .. } | Ask::SeePatient { .. }) {
            self.warn(note::UNSENT.es.to_owned());
        }
        if let (Ask::SeePatient { .. }, Some(open)) = (ask, &mut self.open) {
            (open.looking, open.seen) = (false, None);
        }
    }

    /// A frame of the server's, and the request that it answers.
    pub fn told(&mut self, message: Message, of: Option<&Ask>) -> Vec<Ask> {
        let mut asks = match &message {
            Message::Welcome(welcome) => {
                self.ahead = i64::try_from(welcome.now).unwrap_or(0) - i64::try_from(self.now).unwrap_or(0);
                self.connection = Connection::Open;
                self.open.iter().map(|open| self.watch(open.call.clone())).collect()
            }
            Message::Rows { rows, .. } => self.rows(rows),
            Message::Event(event) => self.event(event),
            Message::Refused { why, text, .. } => {
                self.refused(*why, text.clone(), of);
                Vec::new()
            }
            Message::Done { .. } => {
                self.done(of);
                Vec::new()
            }
            Message::Patient(patient) => self.patient(patient),
            Message::Telephone { callback, telephone } => {
                if let Some(Overlay::Callbacks { shown, .. }) = &mut self.overlay {
                    *shown = Some((callback.clone(), telephone.clone()));
                }
                Vec::new()
            }
            Message::Bye { why, text } => {
                if !why.is_passing() {
                    self.farewell = Some(text.clone());
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        self.mirror.take(message);
        self.settle();
        asks.extend(self.look());
        asks
    }

    fn rows(&mut self, rows: &[Row]) -> Vec<Ask> {
        let mut asks = Vec::new();
        for row in rows {
            let known = self.mirror.rows.get(&row.call);
            let open = self.open.as_ref().filter(|open| open.call == row.call);
            if open.is_some_and(|open| !open.watched) {
                // A call that had gone, after a restart say, is back.
                asks.push(self.watch(row.call.clone()));
            }
            let is_open = open.is_some();
            let worse = row.danger.filter(|flag| known.and_then(|row| row.danger) != Some(*flag));
            let late = row.overdue && !known.is_some_and(|row| row.overdue);
            self.ring |= worse.is_some() || late;
            let which = row.extension.as_deref().unwrap_or(row.call.as_str());
            if let Some(flag) = worse.filter(|_| !is_open) {
                let what = console::danger(flag).es;
                self.warn(fill(note::DANGER.es, &[("que", what), ("cual", which)]));
            } else if late {
                self.warn(fill(note::OVERDUE.es, &[("cual", which)]));
            }
        }
        if let (false, Some(open)) = (asks.is_empty(), &mut self.open) {
            open.watched = true;
        }
        asks
    }

    fn event(&mut self, event: &Event) -> Vec<Ask> {
        let (caught_up, over) =
            self.view().map_or((false, false), |(_, view)| (view.caught_up, view::is_over(view)));
        let Some(open) = self.open.as_mut().filter(|open| open.call == event.call) else { return Vec::new() };
        match &event.happening {
            Happening::Searched { .. } if open.searching && caught_up => {
                open.searching = false;
                self.overlay = Some(Overlay::Results { at: 0 });
            }
            // An id that is used again names another call.
            Happening::Opened { .. } if over => *open = Open::new(event.call.clone()),
            Happening::Summary { .. } if caught_up => self.say(note::SUMMARY.es.to_owned()),
            // What was seen is another patient's by now.
            Happening::Identity { held, .. }
                if open.patient.as_ref().is_some_and(|seen| !is_of(seen, held.as_ref())) =>
            {
                (open.patient, open.seen, open.stale) = (None, None, event.seq);
            }
            _ => {}
        }
        Vec::new()
    }

    /// The patient of one's own call is looked at as soon as there is something to see, once: each look is on
    /// record.
    fn look(&mut self) -> Vec<Ask> {
        let told =
            self.view().filter(|(_, view)| view.caught_up).map(|(_, view)| (sight(view), told_at(view)));
        let mine = self.is_mine();
        let Some((open, (sight, at))) = self.open.as_mut().zip(told) else { return Vec::new() };
        if !mine {
            // What was seen of one's own call doesn't stay once it is somebody else's.
            if open.seen.take().is_some() {
                open.patient = None;
            }
            return Vec::new();
        }
        let (progress, detail) = sight;
        let worth = (progress == Progress::Dni || detail) && at > open.stale;
        if !worth || open.looking || open.seen == Some(sight) {
            return Vec::new();
        }
        (open.looking, open.seen) = (true, Some(sight));
        vec![Ask::SeePatient { call: open.call.clone() }]
    }

    fn patient(&mut self, patient: &Patient) -> Vec<Ask> {
        let told = self.view().map(|(_, view)| (sight(view), identity(view)));
        let Some(((progress, detail), identity)) = told else { return Vec::new() };
        let crossed = identity.filter(|(_, held)| !is_of(patient, held.as_ref())).map(|(seq, _)| seq);
        let Some(open) = self.open.as_mut().filter(|open| open.call == patient.call) else {
            return Vec::new();
        };
        open.looking = false;
        if let Some(seq) = crossed {
            // The answer and a change of the document crossed.
            (open.patient, open.seen, open.stale) = (None, None, seq);
            return Vec::new();
        }
        // What came while the look was under way needn't be looked at again if it was seen already.
        if open.seen.is_some() && patient.look_up == progress && (patient.devices.is_some() || !detail) {
            open.seen = Some((progress, detail));
        }
        open.patient = Some(patient.clone());
        Vec::new()
    }

    fn refused(&mut self, why: Refusal, text: String, of: Option<&Ask>) {
        let open = self.open.as_mut();
        match (of, open) {
            (Some(Ask::Watch { call, .. }), Some(open)) if open.call == *call && why == Refusal::Unknown => {
                open.watched = false;
            }
            (Some(Ask::SeePatient { call }), Some(open)) if open.call == *call => open.looking = false,
            (Some(Ask::Search { call, .. }), Some(open)) if open.call == *call => open.searching = false,
            _ => {}
        }
        self.warn(text);
    }

    fn done(&mut self, of: Option<&Ask>) {
        match of {
            Some(Ask::Mark { note: Some(_), .. }) => self.say(note::NOTED.es.to_owned()),
            Some(Ask::Mark { verdict, .. }) => {
                let what = console::verdict(*verdict).es;
                self.say(fill(note::MARKED.es, &[("que", what)]));
            }
            Some(Ask::CallbackDone { .. }) => self.say(note::CALLED_BACK.es.to_owned()),
            Some(
                Ask::Capture { .. }
                | Ask::ConfirmCapture { .. }
                | Ask::TypeDni { .. }
                | Ask::ConfirmDni { .. }
                | Ask::Step { .. }
                | Ask::Swap { .. },
            ) => self.say(note::KEPT.es.to_owned()),
            _ => {}
        }
    }

    /// What is chosen is still there.
    fn settle(&mut self) {
        let open = self.open.as_ref().map(|open| open.call.clone());
        if let Some(call) = open
            && !self.mirror.rows.contains_key(&call)
            && self.mirror.welcome.is_some()
            && self.mirror.watched.get(&call).is_some_and(view::is_over)
        {
            self.mirror.watched.remove(&call);
            self.open = None;
            self.say(note::GONE.es.to_owned());
        }
        if self.picked.as_ref().is_none_or(|call| !self.mirror.rows.contains_key(call)) {
            self.picked = view::order(&self.mirror.rows, self.me()).first().map(|row| row.call.clone());
        }
    }
}

fn sight(view: &CallView) -> Sight {
    let progress = match view.of(&Key::One("look_up")) {
        Some(Happening::LookUp { progress, .. }) => *progress,
        _ => Progress::Waiting,
    };
    let detail = matches!(view.of(&Key::One("equipment")), Some(Happening::Equipment { detail: true }));
    (progress, detail)
}

/// When what there is to see was told last.
fn told_at(view: &CallView) -> u64 {
    let keys = [Key::One("look_up"), Key::One("equipment")];
    keys.iter().filter_map(|key| view.event(key)).map(|event| event.seq).max().unwrap_or_default()
}

/// The document that the call goes by, and when it was told.
fn identity(view: &CallView) -> Option<(u64, Option<HeldShown>)> {
    let event = view.event(&Key::One("identity"))?;
    match &event.happening {
        Happening::Identity { held, .. } => Some((event.seq, held.clone())),
        _ => None,
    }
}

/// Whether the patient that was seen is the one that the call goes by.
fn is_of(seen: &Patient, held: Option<&HeldShown>) -> bool {
    let masked = seen.dni.as_deref().and_then(|dni| Dni::parse(dni).ok()).map(|dni| dni.to_string());
    masked.as_deref() == held.map(|held| held.dni.as_str())
}
