//! Two thousand calls in which anything happens in any order: what must hold all the same, that the same seed
//! is the same call, and that the dice reach everything.
use aura::simulation::{Outcome, simulate};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Each of these seeds on whichever core is free.
fn run<T: Send>(seeds: Range<u64>, one: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from) as u64;
    let share = |core: u64| (seeds.start + core..seeds.end).step_by(cores as usize);
    std::thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> =
            (0..cores).map(|core| scope.spawn(move || share(core).map(one).collect::<Vec<T>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn shown(outcome: &Outcome) -> String {
    let Some(violation) = &outcome.violation else { return String::new() };
    let (tail, seed, step) = (violation.tail.join("\n"), outcome.seed, violation.step);
    format!("seed {seed}, step {step}: {}: {}\n{tail}", violation.invariant, violation.detail)
}

/// What a call can come to, each with how it is counted.
const REACHED: [&str; 78] = [
    "summary: after",
    "summary: hand_over",
    "summary: asked for",
    "turn: complete",
    "turn: failed",
    "turn: aborted",
    "closed: stay",
    "closed: hang up",
    "closed: transfer",
    "ended: hung_up",
    "ended: not_redialled",
    "broken",
    "fortune: crash",
    "fortune: panic",
    "rebuilt: in a turn",
    "rebuilt: between turns",
    "red flag: fire",
    "red flag: breathing",
    "red flag: other",
    "blocked: unsupported",
    "blocked: prompt",
    "blocked: long number",
    "said: filler",
    "said: holding",
    "said: holding again",
    "said: holding copilot",
    "said: other",
    "failed: given up",
    "failed: busy",
    "failed: timeout",
    "failed: upstream",
    "failed: unavailable",
    "call back: holding",
    "call back: broken",
    "call back: fire",
    "call back: breathing",
    "call back: other",
    "generate: rows",
    "generate: ask",
    "generate: farewell",
    "generate: reminder",
    "generate: nothing",
    "searched: hit",
    "searched: locked",
    "searched: ask",
    "searched: answered_ask",
    "searched: short_turn",
    "searched: below_threshold",
    "searched: no_candidates",
    "searched: code_not_found",
    "searched: other_equipment",
    "searched: search_failed",
    "searched: on_hold",
    "searched: red_flag",
    "searched: reminder",
    "searched: farewell",
    "searched: fixed_context",
    "vain: retrieved",
    "vain: delta",
    "vain: finished",
    "vain: failed",
    "vain: asked",
    "vain: tick",
    "vain: after the end",
    "greeting",
    "claimed",
    "card: partial",
    "card: whole",
    "card: failed",
    "card: repeated",
    "card gone: newer",
    "card gone: danger",
    "card gone: ended",
    "withheld: unclaimed",
    "withheld: on_demand",
    "withheld: short_turn",
    "by hand: found",
    "by hand: failed",
];

#[test]
fn i3_i4_i11_i12_s1_s2_s3_s4_s6_e5_whatever_happens_in_whatever_order() {
    let start = Instant::now();
    let outcomes = run(0..2_000, |seed| {
        let mut outcome = simulate(seed, start);
        outcome.trace.clear();
        outcome
    });
    let violated: Vec<String> =
        outcomes.iter().filter(|outcome| outcome.violation.is_some()).map(shown).collect();
    assert!(violated.is_empty(), "{} violations; the first: {}", violated.len(), violated[0]);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (name, count) in outcomes.into_iter().flat_map(|outcome| outcome.counts) {
        *counts.entry(name).or_default() += count;
    }
    let rare: Vec<_> = REACHED.iter().filter(|name| counts.get(**name).is_none_or(|n| *n < 5)).collect();
    assert!(rare.is_empty(), "the dice don't reach {rare:?}: {counts:#?}");
}

#[test]
fn the_same_seed_is_the_same_call_byte_for_byte() {
    let start = Instant::now();
    let first = run(0..50, |seed| simulate(seed, start));
    let again = run(0..50, |seed| simulate(seed, start + Duration::from_nanos(123_456_789)));
    assert_eq!(first, again);
    let digests: BTreeSet<String> = first.iter().map(Outcome::digest).collect();
    assert_eq!(digests.len(), 50, "other seeds are other calls");
}
