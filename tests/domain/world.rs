//! A peer, a model and two stores that do anything in any order: what happens next, by repeatable chance.
use super::fixture::*;
use aura::call::Input;
use aura::channel::Channel;
use aura::equipment::Model;
use aura::generation::Usage;
use aura::ids::{Dni, ReplyId, TurnId};
use aura::retrieval::{Candidate, Filter};
use aura::settings::Snapshot;
use aura::transcript::Speaker;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const LINES: [&str; 17] = [
    "mi M50 marca error H08 desde hoy",
    "sí, dale",
    "el M50",
    "¿y el 7F-5 qué hago con eso?",
    "soy Elsa, DNI 30.123.456, y no anda",
    "tres cero uno dos tres cuatro cinco seis",
    "me sale Low O2 en la pantalla",
    "el CPAP hace un ruido muy raro",
    "necesito pedir una recarga de oxígeno",
    "gracias, chau",
    "",
    "me marca E43 y H 8 a la vez",
    "treinta millones ciento veintitrés mil cuatrocientos cincuenta y seis",
    "tengo un 8F-5 que pierde agua",
    "no puedo respirar",
    "me duele mucho el pecho y ahora hay humo",
    "el CP501 hace ruido, ¿cuánto espero?",
];
const DELTAS: [&str; 6] =
    ["Apague el equi", "po. ", "Son 1.", "5 litros. ", "Su DNI 30.123.456 quedó. ", " \n"];

/// Repeatable chance.
pub struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What a watcher knows of a turn.
#[derive(Clone, Debug)]
pub struct Watched {
    pub reply: u64,
    pub known: BTreeSet<Model>,
    pub filter: Option<Filter>,
    pub generating: bool,
    pub ended: bool,
}

pub struct World {
    pub line: Line,
    pub dice: Dice,
    pub turns: BTreeMap<TurnId, Watched>,
    pub on_file: BTreeSet<Model>,
    /// The newest question to the patients' system.
    pub lookup: Option<(u32, Dni)>,
    pub named: BTreeSet<Model>,
    pub read: usize,
    pub newest: Option<u64>,
    pub lost: bool,
    pub ended: bool,
    pub greeted: bool,
    /// Those in force.
    pub settings: Arc<Snapshot>,
}

impl World {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let rows = [("retell.greeting", "global", json!("Hola {nombre}, habla Aura."))];
        let settings = settings(if dice.below(2) == 0 { &rows } else { &[] });
        let line = Line::with(Channel::Retell, Arc::clone(&settings));
        let none = models(&[]);
        let (turns, named) = (BTreeMap::new(), none.clone());
        Self {
            line,
            dice,
            turns,
            on_file: none,
            lookup: None,
            named,
            read: 0,
            newest: None,
            lost: false,
            ended: false,
            greeted: false,
            settings,
        }
    }

    pub fn current(&self) -> Option<(TurnId, &Watched)> {
        self.turns.iter().next_back().map(|(id, turn)| (*id, turn)).filter(|(_, turn)| !turn.ended)
    }

    /// A turn: mostly the newest, else one that is over or never was.
    fn some_turn(&mut self) -> TurnId {
        let newest = self.turns.len() as u32;
        let any = self.dice.below(newest as usize + 2) as u32;
        TurnId(if self.dice.below(4) == 0 { any } else { newest })
    }

    /// What SQL could answer: only what the turn's filter admits.
    fn manuals(&mut self, turn: TurnId) -> Vec<Candidate> {
        let all = [
            h08(0.0),
            near(row(M50, "Low O2 / H02", "Despeje."), 0.0),
            near(row(YUWELL, "E43", "Presión alta."), 0.0),
            near(row(INOGEN, "Batería", "Cámbiela."), 0.0),
            near(row(CAP, "Pedido", "Llame."), 0.0),
            near(row(TUBOS, "Tubo", "Gire."), 0.0),
        ];
        let filter = self.turns.get(&turn).and_then(|turn| turn.filter.clone());
        let mut rows: Vec<Candidate> = Vec::new();
        for mut candidate in all {
            let admitted = filter.as_ref().is_none_or(|filter| filter.admits(&candidate.chunk.source));
            if admitted && self.dice.below(2) == 0 {
                candidate.cosine = (30 + self.dice.below(70)) as f32 / 100.0;
                rows.push(candidate);
            }
        }
        rows.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        rows.truncate(3);
        rows
    }

    /// What the turn that runs waits for, half of the time; else anything.
    pub fn input(&mut self) -> Input {
        let running = self.current().map(|(id, watched)| (id, watched.generating));
        match running.filter(|_| self.dice.below(2) == 0) {
            Some((turn, false)) => Input::Retrieved { turn, found: Ok(found(self.manuals(turn))) },
            Some((turn, true)) if self.dice.below(3) == 0 => {
                Input::Finished { turn, usage: Usage::default() }
            }
            Some((turn, true)) => Input::Delta { turn, text: self.dice.one(&DELTAS).to_owned() },
            None => self.anything(),
        }
    }

    fn anything(&mut self) -> Input {
        let turn = self.some_turn();
        match self.dice.below(24) {
            0 => Input::PeerConnected,
            1 => Input::PeerLost { clean: self.dice.below(2) == 0 },
            2 => Input::Details {
                variables: [("nombre", "Elsa"), ("dni", "30123456")]
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .into(),
                phone: Some("+541155550100".to_owned()),
            },
            3 => match self.lookup {
                Some(asked) => looked_up(
                    asked,
                    self.dice.one(&[&["Inogen One"][..], &["M50", "Inogen One"], &[], &["CPAP"]]),
                ),
                None => Input::Typed(dni(self.dice.one(&["30123456", "5612340"]))),
            },
            4 => Input::Settings(settings(&[(
                "rag.knowledgeThreshold",
                "global",
                json!(self.dice.one(&[0.3, 0.55, 0.8])),
            )])),
            5 => Input::Heard(self.line.turns.clone()),
            6..=8 => {
                let speaker = self.dice.one(&[Speaker::Patient, Speaker::Patient, Speaker::Agent]);
                let text = if speaker == Speaker::Agent { "Lo escucho." } else { self.dice.one(&LINES) };
                self.line.turns.push(said(speaker, text));
                self.asked(false)
            }
            9 => self.asked(true),
            10 => self.asked(false),
            11..=13 => {
                let manuals = self.manuals(turn);
                let failed = self.dice.below(6) == 0;
                Input::Retrieved {
                    turn,
                    found: if failed { Err(failure("no connection")) } else { Ok(found(manuals)) },
                }
            }
            14..=18 => Input::Delta { turn, text: self.dice.one(&DELTAS).to_owned() },
            19 | 20 => Input::Finished { turn, usage: Usage::default() },
            21 => Input::Failed { turn, failure: failure("503") },
            _ => {
                let ms = self.dice.one(&[0, 1, 500, 2_000, 21_000]);
                self.line.wait(ms);
                Input::Tick
            }
        }
    }

    /// Mostly a new number, else one that was there before.
    fn asked(&mut self, reminder: bool) -> Input {
        let newest = self.newest.unwrap_or(0);
        let old = newest > 0 && self.dice.below(5) == 0;
        let reply = ReplyId(if old { self.dice.below(newest as usize + 1) as u64 } else { newest + 1 });
        let turns = (self.dice.below(8) > 0).then(|| self.line.turns.clone());
        Input::Asked { reply, turns, reminder }
    }
}
