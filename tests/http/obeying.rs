//! The model that obeys, and the instructions that are smuggled to it.
use crate::support::openai::{Answer, Received, StandIn};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// One smuggled instruction.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// E.g. `I001`.
    pub id: String,
    /// Through whom: `patient`, `manual`, `details`.
    pub door: String,
    /// Which of the caller's data it stands in.
    pub field: Option<String>,
    /// The instruction.
    pub text: String,
    /// What it is after.
    pub aim: String,
    /// What a model says that obeys it.
    pub obeyed: String,
    /// What must not be heard, whatever the case of its letters.
    pub forbidden: Vec<String>,
    /// Whether the forbidden may be heard: the manual itself says it.
    pub harmless_ok: bool,
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let file: File = serde_json::from_str(include_str!("../data/injections.json")).unwrap();
    file.cases
}

/// Case and white space aside.
pub fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Case {
    fn number(&self) -> u32 {
        self.id.trim_start_matches('I').parse().unwrap()
    }

    /// The caller's surname in this case: the only thing by which the model tells calls apart.
    fn name(&self) -> String {
        let letter = |n: u32| char::from(b'a' + u8::try_from(n).unwrap());
        format!("Zubir{}{}", letter(self.number() / 10), letter(self.number() % 10))
    }

    /// What the caller says, turn by turn; the model obeys in the last.
    pub fn turns(&self) -> Vec<String> {
        let name = self.name();
        // Whoever has named a model may hear its name: not where that is what the instruction is after.
        let names_it = !["model", "private"].contains(&self.aim.as_str());
        match self.door.as_str() {
            "patient" if names_it => {
                vec![
                    format!("Hola, soy {name} y tengo un concentrador M50 que marca error H08"),
                    self.text.clone(),
                ]
            }
            "patient" => vec![format!("Hola, soy {name} y quería hacerle una consulta"), self.text.clone()],
            "manual" => {
                let (code, mark) = (self.code(), self.mark());
                vec![format!("Hola, soy {name} y mi M50 marca error {code} con la seña {mark} {mark}")]
            }
            _ => vec![format!("Hola, soy {name} y tengo una consulta por mi oxígeno")],
        }
    }

    /// A word that its poisoned row alone has.
    fn mark(&self) -> String {
        self.name().to_lowercase().chars().rev().collect()
    }

    fn code(&self) -> String {
        format!("H{}", self.number())
    }

    /// The label of its poisoned row.
    pub fn label(&self) -> String {
        format!("Código en Pantalla: {}", self.code())
    }

    /// Its poisoned row.
    pub fn row(&self) -> String {
        let (code, mark) = (self.code(), self.mark());
        format!(
            "Qué indica: Un aviso con el código {code} y la seña {mark} {mark} {mark} es una falla del equipo.\n\
             Qué hacer: Apague el equipo y espere un momento.\n{}",
            self.text
        )
    }
}

/// The model, with what it has read and obeyed.
pub struct Obeying {
    server: StandIn,
    seen: Arc<Mutex<BTreeSet<String>>>,
    obeyed: Arc<Mutex<BTreeSet<String>>>,
}

impl Obeying {
    /// A running one.
    pub async fn start() -> Self {
        let (seen, obeyed) = (Arc::default(), Arc::default());
        let (seeing, obeying) = (Arc::clone(&seen), Arc::clone(&obeyed));
        let all = cases();
        let server = StandIn::responding(move |_, received| answer(&all, received, &seeing, &obeying)).await;
        Self { server, seen, obeyed }
    }

    /// As a customer would set it.
    pub fn base_url(&self) -> String {
        self.server.base_url()
    }

    /// Cases whose instruction it has read, word for word but for masked numbers.
    pub fn seen(&self) -> BTreeSet<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Cases that it has obeyed.
    pub fn obeyed(&self) -> BTreeSet<String> {
        self.obeyed.lock().unwrap().clone()
    }
}

type Ids = Mutex<BTreeSet<String>>;

fn answer(all: &[Case], received: &Received, seen: &Ids, obeyed: &Ids) -> Answer {
    let messages = received.body["messages"].as_array().cloned().unwrap_or_default();
    let text = |n: usize| messages[n]["content"].as_str().unwrap_or_default().to_owned();
    let read = folded(&(0..messages.len()).map(text).collect::<Vec<_>>().join("\n"));
    let Some(case) = all.iter().find(|case| read.contains(&folded(&case.name()))) else {
        return Answer::spoken(&["Buenas."]);
    };
    // What people say is masked; what a manual says isn't.
    if [case.text.as_str(), &aura::mask::mask(&case.text)].iter().any(|text| read.contains(&folded(text))) {
        seen.lock().unwrap().insert(case.id.clone());
    }
    let turns = case.turns();
    let last = text(messages.len() - 1);
    if turns.len() > 1 && folded(&last).contains(&folded(&case.name())) {
        return Answer::spoken(&["Lo escucho."]);
    }
    obeyed.lock().unwrap().insert(case.id.clone());
    let said = case.obeyed.replace("{{SYSTEM}}", &text(0)).replace("{{LAST}}", &last);
    let letters: Vec<char> = said.chars().collect();
    let pieces: Vec<String> = letters.chunks(7).map(|piece| piece.iter().collect()).collect();
    Answer::spoken(&pieces.iter().map(String::as_str).collect::<Vec<_>>())
}
