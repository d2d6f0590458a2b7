//! Calls in which anything happens in any order, and the process may end between any two things (I11, S1, S3).
use super::fixture::*;
use super::restart::{reread, strings};
use super::world::World;
use aura::call::{Call, Input, Output};
use aura::event::{Kind, News};
use aura::ids::ReplyId;
use aura::mask::contains_long_number;
use aura::transcript::{Speaker, Turn};
use std::collections::BTreeSet;
use std::time::Duration;

/// A call to which `steps` random things happened.
fn lived(seed: u64, steps: usize) -> World {
    let mut world = World::new(seed);
    for _ in 0..steps {
        let input = world.input();
        world.step(input);
    }
    world
}

/// What the next question brings, but for the lines that the desk is told (again, where they were masked).
fn next_question(world: &mut World, text: &str) -> Vec<Output> {
    world.line.step(Input::PeerConnected);
    world.line.turns.push(said(Speaker::Patient, text));
    let (reply, turns) = (ReplyId(world.newest.unwrap_or(0) + 1), Some(world.line.turns.clone()));
    let mut outputs = world.line.step(Input::Asked { reply, turns, reminder: false });
    outputs.retain(|output| !matches!(output, Output::Tell(News::Heard { .. })));
    outputs
}

#[test]
fn i2_memory_holds_all_that_the_next_question_depends_on() {
    let questions =
        ["¿y ahora qué tengo que hacer?", "el M50", "sí, dale", "hay fuego", "me marca H08 otra vez"];
    let (mut rows, mut filters) = (0, 0);
    for seed in 1..=300_u64 {
        let steps = (seed as usize * 7) % 60;
        let (mut one, mut other) = (lived(seed, steps), lived(seed, steps));
        if one.ended {
            continue;
        }
        one.line.step(Input::PeerLost { clean: false });
        let memory = reread(&other.line.call.memory(other.line.now));
        for text in strings(&serde_json::to_value(&memory).unwrap(), &["phone"]) {
            assert!(!contains_long_number(&text), "S4, seed {seed}: {text}");
        }
        let (spec, now) = (other.line.spec.clone(), other.line.now);
        let heard: Vec<Turn> = other.line.call.transcript().to_vec();
        let settings = other.settings.clone();
        other.line.call = Call::restore(spec, memory, heard, Duration::ZERO, now);
        other.line.drain();
        other.line.step(Input::Settings(settings));
        let text = questions[seed as usize % questions.len()];
        let (expected, got) = (next_question(&mut one, text), next_question(&mut other, text));
        assert_eq!(got, expected, "seed {seed}, {steps} steps, {text}");
        filters += usize::from(search(&got).is_some_and(|search| search.filter.is_some()));
        rows +=
            events(&got, Kind::KnowledgeQueried).iter().filter(|event| event["reason"] == "locked").count();
    }
    assert!(rows > 10 && filters > 10, "the dice reach locks and filters: {rows}, {filters}");
}

/// How often the journal says this of each turn.
fn twice(world: &World, kind: Kind) -> bool {
    let mut seen = BTreeSet::new();
    world.line.log.iter().any(|output| match output {
        Output::Record(event) if event.kind == kind => !seen.insert(event.turn),
        _ => false,
    })
}

#[test]
fn fault_10_whatever_was_under_way_when_the_process_ended() {
    let mut cut = 0;
    for seed in 1..=150_u64 {
        let mut world = World::new(seed);
        world.step(Input::PeerConnected);
        for n in 0..80_usize {
            if (n + seed as usize).is_multiple_of(13) && !world.ended && world.line.kept.is_some() {
                cut += usize::from(world.line.call.is_busy());
                let outputs = world.line.crash(1_500);
                world.restarted(&outputs);
            }
            let input = world.input();
            world.step(input);
        }
        world.settle();
        let kinds = [Kind::TurnAborted, Kind::TurnFailed, Kind::SuggestionGenerated, Kind::KnowledgeQueried];
        for kind in kinds {
            assert!(!twice(&world, kind), "seed {seed}: {kind:?} twice of one turn");
        }
        for (turn, watched) in &world.turns {
            assert!(watched.ended, "I11, seed {seed}: turn {turn} never ended");
        }
        for (kind, most) in [(Kind::CallbackRequested, 1), (Kind::CallStarted, 1), (Kind::CallEnded, 1)] {
            assert!(events(&world.line.log, kind).len() <= most, "seed {seed}: {kind:?}");
        }
        let cards = events(&world.line.log, Kind::RedFlag);
        let lines: BTreeSet<String> = cards.iter().map(|card| card.to_string()).collect();
        assert_eq!(lines.len(), cards.len(), "S1, seed {seed}: one card per line and kind");
        let greetings = spoken(&world.line.log).iter().filter(|(reply, _)| *reply == 0).count();
        assert!(greetings <= 1, "seed {seed}: greeted {greetings} times");
    }
    assert!(cut > 50, "the dice end processes in mid-turn: {cut}");
}
