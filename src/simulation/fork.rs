//! The two ends of a forked call: a patient and an operator who speak by and by, and what operators do on the desk.
use super::begin::DOCUMENTS;
use super::dice::Dice;
use super::mail::{Letter, Mail, Ms, Sender};
use super::script::LINES;
use crate::call::Input;
use crate::capture::Field;
use crate::ears::{Spoken, Track};
use crate::ids::{AgentId, Dni};
use crate::script::Step;
use crate::suggestion::Mode;

/// What operators say.
const OPERATOR: [&str; 8] = [
    "Soporte, buenas tardes, le habla Elsa",
    "¿Me dice su número de documento?",
    "¿Qué equipo tiene?",
    "Ya lo anoto",
    "¿Qué dice la pantalla?",
    "repito: 30.123.456, ¿es correcto?",
    "Bien, un momento",
    "Gracias por llamar, hasta luego",
];
/// Who may have the call.
const AGENTS: [&str; 3] = ["elsa", "raul", "ana"];
/// What they type.
const TYPED: [(Field, &str); 4] = [
    (Field::Name, "Elsa"),
    (Field::Telephone, "11 4567 8900"),
    (Field::Reason, "no anda, DNI 30.123.456"),
    (Field::Telephone, "12"),
];

/// A line that is being spoken.
#[derive(Debug)]
struct Speaking {
    track: Track,
    utterance: u32,
    at_ms: u64,
    said: String,
    rest: Vec<String>,
}

/// Both ends.
#[derive(Debug)]
pub(super) struct Fork {
    socket: u32,
    up: bool,
    acts: u64,
    utterance: u32,
    speaking: Vec<Speaking>,
}

impl Fork {
    /// A call in which so much will happen; most are claimed early.
    pub(super) fn new(dice: &mut Dice, mail: &mut Mail) -> Self {
        if dice.in_hundred(70) {
            let delay = dice.between(50, 8_000);
            mail.post(Sender::OnCall, 0, delay, Letter::For(Input::Claimed(agent(dice))));
        }
        Self { socket: 0, up: false, acts: dice.between(10, 60), utterance: 0, speaking: Vec::new() }
    }

    /// Does the next thing; `answers` says whether anybody is there to dial.
    pub(super) fn act(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms, answers: bool) {
        let Some(left) = self.acts.checked_sub(1) else { return };
        self.acts = left;
        match (self.up, answers) {
            (false, true) => self.dial(mail, now),
            (false, false) => self.acts += 1,
            (true, _) if !self.speaking.is_empty() && dice.in_hundred(75) => self.go_on(dice, mail, now),
            (true, _) => self.live(dice, mail, now),
        }
        let pause = match dice.below(100) {
            _ if !self.up => dice.between(200, 20_000),
            0..60 => dice.between(60, 600),
            60..95 => dice.between(600, 4_000),
            _ => dice.between(4_000, 40_000),
        };
        mail.post(Sender::World, now, pause, Letter::PeerActs);
    }

    fn dial(&mut self, mail: &mut Mail, now: Ms) {
        self.socket += 1;
        self.up = true;
        self.tell(mail, now, Input::PeerConnected);
    }

    fn tell(&self, mail: &mut Mail, now: Ms, input: Input) {
        mail.post(Sender::Socket(self.socket), now, 5, Letter::For(input));
    }

    fn live(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        match dice.below(100) {
            0..50 => {
                let kinds = dice.weighted(&LINES, &[]);
                let line = dice.pick(kinds).copied().unwrap_or_default();
                self.begin(Track::Inbound, line, now);
                self.go_on(dice, mail, now);
            }
            50..66 => {
                let line = dice.pick(&OPERATOR).copied().unwrap_or_default();
                self.begin(Track::Outbound, line, now);
                self.go_on(dice, mail, now);
            }
            66..95 => {
                let input = by_hand(dice);
                mail.post(Sender::OnCall, now, 5, Letter::For(input));
            }
            95..98 => {
                let clean = dice.in_hundred(30);
                self.tell(mail, now, Input::PeerLost { clean });
                self.cut();
            }
            _ => {
                self.tell(mail, now, Input::HungUp);
                self.acts = self.acts.min(2);
            }
        }
    }

    fn begin(&mut self, track: Track, line: &str, now: Ms) {
        self.utterance += 1;
        let rest = line.split(' ').map(str::to_owned).collect();
        let (utterance, at_ms, said) = (self.utterance, now, String::new());
        self.speaking.push(Speaking { track, utterance, at_ms, said, rest });
    }

    /// A partial or the final of a line at hand; now and then a final takes its words back.
    fn go_on(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        let at = dice.below(self.speaking.len());
        let Some(line) = self.speaking.get_mut(at) else { return };
        let words = dice.between(1, 6) as usize;
        let more: Vec<String> = line.rest.drain(..words.min(line.rest.len())).collect();
        line.said = format!("{} {}", line.said, more.join(" ")).trim().to_owned();
        let done = line.rest.is_empty();
        let text = if done && dice.in_hundred(5) { String::new() } else { line.said.clone() };
        let Speaking { track, utterance, at_ms, .. } = *line;
        self.tell(mail, now, Input::Spoken(Spoken { track, utterance, text, done, at_ms }));
        if done {
            self.speaking.remove(at);
        }
    }

    /// The machine on the other end is gone, or the socket is: what was being said isn't heard to its end.
    pub(super) fn cut(&mut self) {
        self.up = false;
        self.speaking.clear();
    }

    /// Whether it has a socket.
    pub(super) fn is_up(&self) -> bool {
        self.up
    }
}

fn agent(dice: &mut Dice) -> AgentId {
    AgentId(dice.pick(&AGENTS).copied().unwrap_or("elsa").to_owned())
}

/// Something an operator does.
fn by_hand(dice: &mut Dice) -> Input {
    match dice.below(100) {
        0..26 => Input::Claimed(agent(dice)),
        26..32 => Input::TakenOver(agent(dice)),
        32..40 => Input::Released(agent(dice)),
        40..48 => {
            let modes = [Mode::Push, Mode::Quiet, Mode::OnDemand];
            Input::Mode(dice.pick(&modes).copied().unwrap_or_default())
        }
        48..70 => Input::Suggest,
        70..76 => Input::Step(dice.pick(&Step::ALL).copied().unwrap_or(Step::Reason)),
        76..82 => {
            let (field, value) = dice.pick(&TYPED).copied().unwrap_or((Field::Name, "Elsa"));
            Input::Captured { field, value: value.to_owned() }
        }
        82..85 => Input::CapturedVouched(Field::Name),
        85..88 => {
            let dni = dice.pick(&DOCUMENTS).and_then(|number| Dni::parse(number).ok());
            dni.map_or(Input::Suggest, Input::Vouched)
        }
        88..92 => Input::Patient(if dice.in_hundred(50) { Track::Inbound } else { Track::Outbound }),
        _ => Input::Search { text: "el M50 marca H08, DNI 30.123.456".to_owned() },
    }
}
