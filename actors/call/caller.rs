//! Who is calling: the call's questions to the patients' system and to the second reader, and their answers.
use super::CallActor;
use crate::capture::{Reread, SecondOpinion};
use crate::lookup::{LookUp, LookedUp};
use actix::prelude::*;
use aura::call::Input;
use aura::ids::Dni;
use aura::transcript::Speaker;

/// Lines of the patient's that a second reader is shown at most.
const REREAD: usize = 4;

impl CallActor {
    /// The answer's halves part here: models come home, devices go to the desk (R13).
    pub(super) fn look_up(&self, ask: u32, dni: Dni, ctx: &Context<Self>) {
        let (call, desk) = (self.spec.id.clone(), self.wires.equipment.clone());
        let reply = ctx.address().recipient();
        self.wires.lookup.do_send(LookUp { call, ask, dni, reply, desk });
    }

    /// Shows the patient's last lines to the second reader.
    pub(super) fn read_again(&self, line: usize, ctx: &Context<Self>) {
        let Some(reader) = &self.wires.reader else { return };
        let lines = self.call.transcript().iter().take(line + 1);
        let patient = lines.filter(|line| line.speaker == Speaker::Patient);
        let mut lines: Vec<String> = patient.rev().take(REREAD).map(|line| line.text.clone()).collect();
        lines.reverse();
        let reply = ctx.address().recipient();
        reader.do_send(Reread { line, lines, reply });
    }
}

impl Handler<LookedUp> for CallActor {
    type Result = ();

    fn handle(&mut self, told: LookedUp, ctx: &mut Self::Context) {
        let LookedUp { ask, dni, found, source } = told;
        self.step(Input::LookedUp { ask, dni, found, source }, ctx);
    }
}

impl Handler<SecondOpinion> for CallActor {
    type Result = ();

    fn handle(&mut self, told: SecondOpinion, ctx: &mut Self::Context) {
        let SecondOpinion { line, reading } = told;
        self.step(Input::SecondOpinion { line, reading }, ctx);
    }
}
