//! Laying out the messages of a turn (E5, R18, R21).
use crate::file;
use crate::fixture::{h08, said};
use aura::prompt::{Parts, Prompt, messages};
use aura::retrieval::block;
use aura::transcript::{Speaker, Turn};
use divan::{Bencher, black_box};

/// A conversation of so many turns, all of them history.
fn history(turns: usize) -> Vec<Turn> {
    let line = |n: usize| match n % 2 {
        0 => said(Speaker::Patient, "Cada tanto, como un pitido cortito, y después se queda callado."),
        _ => said(Speaker::Agent, "Comprendo. ¿Me dice qué muestra la pantalla del equipo?"),
    };
    (0..turns).map(line).collect()
}

/// The real prompt, a block of three rows, and a history that is masked anew each time.
#[divan::bench(args = [2, 20, 100])]
fn lay_messages(bencher: Bencher, turns: usize) {
    let body = file("prompts/agent_identity/1.0.0.txt");
    let prompt = Prompt { key: "agent_identity".to_owned(), version: "1.0.0".to_owned(), body };
    let (history, rows) = (history(turns), vec![h08(0.9).chunk; 3]);
    let extras = ["[DATOS DEL PACIENTE]\nnombre: Carmen".to_owned()];
    bencher.bench(|| {
        let context = block::context(black_box(&rows), &[], None, |_| true);
        messages(&Parts {
            prompt: &prompt,
            system_extras: &extras,
            history: black_box(&history),
            history_limit: None,
            context: &context,
            last: "El M50 me marca error H08 y suena un pitido cada un rato",
        })
    });
}
