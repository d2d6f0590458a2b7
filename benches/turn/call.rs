//! A whole turn through `Call::handle`, from the question to the closing frame.
use crate::deltas;
use crate::fixture::{Line, found, h08, said};
use aura::call::{Input, Output};
use aura::generation::Usage;
use aura::ids::{ReplyId, TurnId};
use aura::transcript::Speaker;
use divan::{Bencher, black_box};

/// Lets one thing happen and takes out all that the call wants done, as its actor does; counts what is said.
fn step(line: &mut Line, input: Input) -> usize {
    line.call.handle(input, line.now);
    let outputs = std::iter::from_fn(|| line.call.poll()).map(black_box);
    outputs.filter(|output| matches!(output, Output::Say { .. })).count()
}

/// A call in which the peer has just connected, and the inputs of its first turn.
fn turn(deltas: &[String]) -> (Line, Vec<Input>) {
    let mut line = Line::retell();
    step(&mut line, Input::PeerConnected);
    let question = said(Speaker::Patient, "El M50 me marca error H08 y suena un pitido cada un rato");
    let (reply, turn) = (ReplyId(1), TurnId(1));
    let mut inputs = vec![
        Input::Asked { reply, turns: Some(vec![question]), reminder: false },
        Input::Retrieved { turn, found: Ok(found([h08(0.9), h08(0.8), h08(0.7)])) },
    ];
    inputs.extend(deltas.iter().map(|text| Input::Delta { turn, text: text.clone() }));
    inputs.push(Input::Finished { turn, usage: Usage::default() });
    (line, inputs)
}

/// Question, search, forty deltas, end.
#[divan::bench]
fn whole_turn(bencher: Bencher) {
    let deltas = deltas();
    let play = |(mut line, inputs): (Line, Vec<Input>)| {
        let said: usize = inputs.into_iter().map(|input| step(&mut line, input)).sum();
        assert_eq!(said, 4, "the turn went another way than the one that is measured");
        line
    };
    play(turn(&deltas)); // a process compiles its patterns once
    bencher.with_inputs(|| turn(&deltas)).bench_values(play);
}
