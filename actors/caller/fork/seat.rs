//! An operator's seat beside a played call: has the call, and tells what the desk shows of it.
use crate::console::door::Door;
use crate::console::link::{self, Told};
use crate::secret::Secret;
use aura::ids::CallId;
use aura::patient::Progress;
use aura::protocol::desk::{Ask, Happening, Message, Patient};
use aura::summary::Of;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender};

/// Where to sit.
#[derive(Clone, Debug)]
pub struct Sitting {
    /// The desk (`ws://host:port/desk`).
    pub url: String,
    /// A bearer token of somebody who may have calls.
    pub token: Secret,
}

/// Something that the desk shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Shown {
    /// A whole suggestion.
    Suggestion {
        /// What to say.
        text: String,
        /// The row that it rests on.
        row: Option<String>,
    },
    /// A suggestion is gone, and why.
    Withdrawn(String),
    /// Somebody is in danger: what to say.
    Alert(String),
    /// What the patient has.
    Patient(String),
    /// The call in short.
    Summary(String),
}

/// A seat that is taken.
pub(super) struct Seat {
    call: CallId,
    asks: Sender<Ask>,
    told: Receiver<Told>,
    asked: bool,
    /// Whether the patient was looked at: each look is on record.
    looked: bool,
}

impl Seat {
    /// Sits down before the call is dialled.
    pub async fn take(sitting: &Sitting, call: CallId) -> Result<Self, String> {
        let mut door = Door::new(&sitting.url).map_err(|shut| shut.to_string())?;
        door.with_token(sitting.token.clone());
        let first = door.open().await.map_err(|shut| shut.to_string())?;
        let (asks, told) = link::start(door, first, None);
        Ok(Self { call, asks, told, asked: false, looked: false })
    }

    /// The next thing that the desk shows; never, once the desk has gone.
    pub async fn next(&mut self) -> Shown {
        loop {
            match self.told.recv().await {
                Some(Told::Frame(message, _)) => {
                    if let Some(shown) = self.take_in(*message) {
                        return shown;
                    }
                }
                Some(_) => {}
                None => std::future::pending::<()>().await,
            }
        }
    }

    fn take_in(&mut self, message: Message) -> Option<Shown> {
        match message {
            Message::Welcome(welcome) => self.look(welcome.rows.iter().map(|row| &row.call)),
            Message::Rows { rows, .. } => self.look(rows.iter().map(|row| &row.call)),
            Message::Event(event) if event.call == self.call => return self.happened(event.happening),
            Message::Patient(patient) => return Some(Shown::Patient(equipment(&patient))),
            _ => {}
        }
        None
    }

    /// Once the call is in the list it is claimed and watched.
    fn look<'a>(&mut self, mut calls: impl Iterator<Item = &'a CallId>) {
        if !self.asked && calls.any(|call| *call == self.call) {
            self.asked = true;
            self.ask(Ask::Claim { call: self.call.clone() });
            self.ask(Ask::Watch { call: self.call.clone(), after: None });
        }
    }

    fn happened(&mut self, happening: Happening) -> Option<Shown> {
        match happening {
            Happening::Suggestion(card) if card.done => {
                let row = card.source.filter(|_| card.rag_hit);
                let row = row.map(|source| format!("{source} · {}", card.section.unwrap_or_default()));
                Some(Shown::Suggestion { text: card.text, row })
            }
            Happening::SuggestionWithdrawn { cause, .. } => Some(Shown::Withdrawn(cause)),
            Happening::SuggestionFailed { cause, .. } => Some(Shown::Withdrawn(cause)),
            Happening::RedFlag { text, .. } => Some(Shown::Alert(text)),
            Happening::Summary { of: Of::After, text, .. } => Some(Shown::Summary(text)),
            Happening::Identity { .. } => {
                self.looked = false; // it may be somebody else
                None
            }
            Happening::LookUp { progress: Progress::Dni, .. } if !self.looked => {
                self.looked = true;
                self.ask(Ask::SeePatient { call: self.call.clone() });
                None
            }
            _ => None,
        }
    }

    fn ask(&self, ask: Ask) {
        // Full: the desk doesn't take requests, and its link says so by itself.
        drop(self.asks.try_send(ask));
    }
}

fn equipment(patient: &Patient) -> String {
    let devices = patient.devices.iter().flatten().map(|device| device.name.clone());
    let mut names: Vec<String> = devices.collect();
    if names.is_empty() {
        names.clone_from(&patient.models);
    }
    let source = patient.provider.as_deref().unwrap_or("-");
    if names.is_empty() {
        format!("sin equipos ({source})")
    } else {
        format!("{} ({source})", names.join(", "))
    }
}

impl Shown {
    /// For the person who reads.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Suggestion { text, row: Some(row) } => format!("decir: «{text}» [{row}]"),
            Self::Suggestion { text, row: None } => format!("decir: «{text}»"),
            Self::Withdrawn(cause) => format!("sugerencia retirada: {cause}"),
            Self::Alert(text) => format!("EMERGENCIA, decir: «{text}»"),
            Self::Patient(equipment) => format!("equipo del paciente: {equipment}"),
            Self::Summary(text) => format!("resumen:\n{text}"),
        }
    }

    /// The words that an expectation looks for.
    pub(super) fn words(&self) -> &str {
        match self {
            Self::Suggestion { text, .. } | Self::Alert(text) => text,
            Self::Patient(equipment) => equipment,
            Self::Withdrawn(_) | Self::Summary(_) => "",
        }
    }
}
