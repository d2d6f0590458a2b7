//! The peer and its patient: connects, redials, tells late or never, corrects itself, interrupts, hangs up.
use super::dice::Dice;
use super::mail::{Letter, Mail, Ms, Sender};
use super::script::{DETAILS, GROWTHS, LINES, WHICH};
use crate::call::{Closing, Input};
use crate::ids::ReplyId;
use crate::transcript::{Speaker, Turn};

/// Things a peer does in a call at most: in most, and in long ones.
const ACTS: (u64, u64) = (10, 30);

/// One peer.
#[derive(Debug)]
pub(super) struct Peer {
    socket: u32,
    up: bool,
    acts: u64,
    reply: u64,
    lines: Vec<Turn>,
    /// The words that the patient is still to say of the line at hand.
    rest: Vec<String>,
    asked: Option<Input>,
}

impl Peer {
    /// A peer that will do so much, and dials at once.
    pub(super) fn new(dice: &mut Dice, mail: &mut Mail) -> Self {
        mail.post(Sender::World, 0, 0, Letter::PeerActs);
        let acts = if dice.in_hundred(90) { dice.between(3, ACTS.0) } else { dice.between(3, ACTS.1) };
        Self { socket: 0, up: false, acts, reply: 0, lines: Vec::new(), rest: Vec::new(), asked: None }
    }

    /// Does the next thing; `answers` says whether anybody is there to dial.
    pub(super) fn act(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms, answers: bool) {
        let Some(left) = self.acts.checked_sub(1) else { return };
        self.acts = left;
        match (self.up, answers) {
            (false, true) => self.dial(dice, mail, now),
            (false, false) => self.acts += 1,
            (true, _) => self.live(dice, mail, now),
        }
        let pause = match dice.below(100) {
            _ if !self.up => dice.between(200, 30_000),
            _ if !self.rest.is_empty() => dice.between(80, 900),
            0..55 => dice.between(300, 3_000),
            55..92 => dice.between(3_000, 9_000),
            92..98 => dice.between(9_000, 40_000),
            _ => dice.between(60_000, 400_000),
        };
        mail.post(Sender::World, now, pause, Letter::PeerActs);
    }

    fn send(&self, dice: &mut Dice, mail: &mut Mail, now: Ms, input: Input) {
        let delay = if dice.in_hundred(4) { dice.between(200, 2_500) } else { dice.between(1, 60) };
        mail.post(Sender::Socket(self.socket), now, delay, Letter::For(input));
    }

    fn dial(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        self.socket += 1;
        self.up = true;
        self.send(dice, mail, now, Input::PeerConnected);
        if dice.in_hundred(75) {
            self.tell_details(dice, mail, now);
        }
    }

    fn tell_details(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        let pairs = dice.pick(&DETAILS).copied().unwrap_or_default();
        let variables = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let phone = dice.in_hundred(60).then(|| "+541155550100".to_owned());
        self.send(dice, mail, now, Input::Details { variables, phone });
    }

    fn live(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        if !self.rest.is_empty() {
            return self.go_on(dice, mail, now);
        }
        match dice.below(100) {
            0..62 => self.speak(dice, mail, now),
            62..70 => self.ask(dice, mail, now, true),
            70..74 => self.ask(dice, mail, now, false),
            74..79 => self.repeat(dice, mail, now),
            79..84 => self.correct(dice, mail, now),
            84..87 => self.tell_details(dice, mail, now),
            87..89 => {
                let lines = self.lines.clone();
                self.send(dice, mail, now, Input::Heard(lines));
            }
            89..92 => self.send(dice, mail, now, Input::PeerConnected),
            92..98 => {
                let clean = dice.in_hundred(30);
                self.send(dice, mail, now, Input::PeerLost { clean });
                self.up = false;
            }
            _ => self.hang_up(dice, mail, now),
        }
    }

    fn hang_up(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        self.send(dice, mail, now, Input::HungUp);
        self.acts = self.acts.min(1); // a peer may have one more thing to say
    }

    /// The patient begins a line, over Aura's words at times.
    fn speak(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        let agent = self.lines.last_mut().filter(|line| line.speaker == Speaker::Agent);
        let which = agent.as_ref().is_some_and(|line| line.text.contains("marca y el modelo"));
        if let Some(agent) = agent.filter(|_| dice.in_hundred(25)) {
            let kept = dice.between(1, 8) as usize;
            agent.text = agent.text.split(' ').take(kept).collect::<Vec<_>>().join(" ");
        }
        let kinds = if which && dice.in_hundred(70) { &WHICH[..] } else { dice.weighted(&LINES, &[]) };
        let line = dice.pick(kinds).copied().unwrap_or_default();
        if line.is_empty() {
            self.lines.push(Turn {
                speaker: Speaker::Patient,
                text: String::new(),
                unclear: true,
                place: None,
            });
            return self.ask(dice, mail, now, false);
        }
        self.rest = line.split(' ').map(str::to_owned).collect();
        self.lines.push(Turn { speaker: Speaker::Patient, text: String::new(), unclear: false, place: None });
        if dice.in_hundred(65) {
            self.more(usize::MAX);
            self.ask(dice, mail, now, false);
        } else {
            self.go_on(dice, mail, now);
        }
    }

    /// More words of the line, which the peer shows as they come; an answer is wanted at its end, or before.
    fn go_on(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        let words = dice.between(1, 5) as usize;
        self.more(words);
        if self.rest.is_empty() || dice.in_hundred(15) {
            return self.ask(dice, mail, now, false);
        }
        let lines = self.lines.clone();
        self.send(dice, mail, now, Input::Heard(lines));
    }

    fn more(&mut self, words: usize) {
        let said: Vec<String> = self.rest.drain(..words.min(self.rest.len())).collect();
        let last = self.lines.iter_mut().rev().find(|line| line.speaker == Speaker::Patient);
        if let Some(line) = last {
            let joined = [line.text.clone(), said.join(" ")].join(" ");
            line.text = joined.trim().to_owned();
            line.unclear &= line.text.is_empty();
        }
    }

    fn ask(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms, reminder: bool) {
        self.reply += dice.between(1, 2);
        let turns = dice.in_hundred(92).then(|| self.lines.clone());
        let asked = Input::Asked { reply: ReplyId(self.reply), turns, reminder };
        self.asked = Some(asked.clone());
        self.send(dice, mail, now, asked);
    }

    /// The same question again, or an old number with what is known now.
    fn repeat(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        let same = self.asked.clone().filter(|_| dice.in_hundred(60));
        let reply = ReplyId(dice.between(1, self.reply.max(1)));
        let old = Input::Asked { reply, turns: Some(self.lines.clone()), reminder: false };
        self.send(dice, mail, now, same.unwrap_or(old));
    }

    /// A line of the patient's that was told before reads otherwise now.
    fn correct(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms) {
        let growth = dice.pick(&GROWTHS).copied().unwrap_or_default();
        let at = dice.below(self.lines.len());
        let line = self.lines.get_mut(at).filter(|line| line.speaker == Speaker::Patient);
        if let Some(line) = line {
            line.text = format!("{} {growth}", line.text).trim().to_owned();
            line.unclear = false;
        }
        let lines = self.lines.clone();
        self.send(dice, mail, now, Input::Heard(lines));
    }

    /// What Aura says goes into the transcript as Aura's line.
    pub(super) fn hear(&mut self, text: &str) {
        if !self.up {
            return;
        }
        match self.lines.last_mut().filter(|line| line.speaker == Speaker::Agent) {
            Some(line) => line.text = format!("{} {text}", line.text),
            None => {
                self.lines.push(Turn {
                    speaker: Speaker::Agent,
                    text: text.to_owned(),
                    unclear: false,
                    place: None,
                });
            }
        }
    }

    /// An answer is complete: the line may be over.
    pub(super) fn closed(&mut self, dice: &mut Dice, mail: &mut Mail, now: Ms, then: &Closing) {
        if *then != Closing::Stay && dice.in_hundred(70) {
            let over = if dice.in_hundred(50) { Input::HungUp } else { Input::PeerLost { clean: true } };
            self.send(dice, mail, now, over);
            self.up = false;
            self.acts = self.acts.min(2);
        }
    }

    /// The machine on the other end is gone.
    pub(super) fn cut(&mut self) {
        self.up = false;
    }

    /// Whether it has a socket.
    pub(super) fn is_up(&self) -> bool {
        self.up
    }
}
