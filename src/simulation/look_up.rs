//! The patients' system.
use super::dice::Dice;
use super::mail::{Letter, Mail, Ms, Sender};
use crate::call::Input;
use crate::equipment::Model;
use crate::ids::Dni;
use crate::patient::{Cause, Context, Found, Outage};

/// What the patients' system answers: late, twice where it had to be asked again, or not at all.
pub(super) fn answer(dice: &mut Dice, mail: &mut Mail, now: Ms, ask: u32, dni: Dni) {
    const ON_FILE: [&[&str]; 5] = [&["M50"], &["Inogen One"], &["M50", "Inogen One"], &["CPAP"], &[]];
    let models = dice.pick(&ON_FILE).copied().unwrap_or_default();
    let context = Context { models: models.iter().map(|model| Model::new(model)).collect() };
    let mut tell = |dice: &mut Dice, found: Found| {
        let input = Input::LookedUp { ask, dni, found, source: "simulated" };
        let delay = dice.between(20, 3_000);
        mail.post(Sender::LookUp, now, delay, Letter::For(input));
    };
    if dice.in_hundred(30) {
        let cached = dice.in_hundred(50).then(|| context.clone());
        let outage = Outage { cause: Cause::Timeout, retrying: true };
        tell(dice, Found::Unavailable { outage, cached });
    }
    match dice.between(0, 10) {
        0 => {}
        1 => tell(dice, Found::NotFound),
        _ => tell(dice, Found::Found(context)),
    }
}
