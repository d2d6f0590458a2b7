//! Whether the watcher of simulated calls bites: what a call does is spoilt in one way at a time, and the
//! invariant that is broken must be the first that is named.
use aura::call::{Input, Output};
use aura::event::{Kind, News};
use aura::generation::{Grounding, Message, Role};
use aura::ids::{ReplyId, TurnId};
use aura::phrases::{FILLER, GREETING, MANUAL_HEADER};
use aura::retrieval::Chunk;
use aura::simulation::simulate_tampered;
use aura::summary::{Of, Open};
use serde_json::json;
use std::time::Instant;

/// Spoils what calls do until the watcher names the invariant; it must be the first that it names.
fn bites(invariant: &str, spoil: impl Fn() -> Spoiler + Sync) {
    let start = Instant::now();
    let named = (0..600).find_map(|seed| {
        let mut spoiler = spoil();
        let outcome = simulate_tampered(seed, start, |input, outputs| spoiler(input, outputs));
        outcome.violation.map(|violation| (violation.invariant, violation.detail, seed))
    });
    let (found, detail, seed) = named.expect("the watcher saw nothing");
    assert_eq!(found, invariant, "seed {seed}: {detail}");
}

type Spoiler = Box<dyn FnMut(&Input, &mut Vec<Output>)>;

fn of(output: &Output, kind: Kind) -> bool {
    matches!(output, Output::Record(event) if event.kind == kind)
}

#[test]
fn i3_a_late_answer_that_is_heeded_is_seen() {
    bites("I3", || {
        let mut newest = TurnId(0);
        Box::new(move |input, outputs| {
            if let Input::Delta { turn, .. } | Input::Finished { turn, .. } = input
                && *turn < newest
            {
                outputs.push(Output::Say { reply: ReplyId(1), text: "Listo.".to_owned() });
            }
            for output in outputs {
                if let Output::Generate { turn, .. } = output {
                    newest = *turn;
                }
            }
        })
    });
}

#[test]
fn i4_a_superseded_answer_that_goes_on_is_seen() {
    bites("I4", || Box::new(|_, outputs| outputs.retain(|output| !matches!(output, Output::Cancel { .. }))));
}

#[test]
fn i11_a_turn_that_never_ends_or_ends_twice_is_seen() {
    let aborted = |output: &Output| matches!(output, Output::Tell(News::Aborted { .. }));
    bites("I11", || Box::new(move |_, outputs| outputs.retain(|output| !aborted(output))));
    bites("I11", || {
        Box::new(move |_, outputs| {
            let again: Vec<Output> = outputs.iter().filter(|output| aborted(output)).cloned().collect();
            outputs.extend(again);
        })
    });
}

#[test]
fn an_answer_that_is_never_closed_or_twice_is_seen() {
    let close = |output: &Output| matches!(output, Output::Close { reply, .. } if reply.0 > 0);
    bites("one closing", || Box::new(move |_, outputs| outputs.retain(|output| !close(output))));
    bites("one closing", || {
        Box::new(move |_, outputs| {
            let again: Vec<Output> = outputs.iter().filter(|output| close(output)).cloned().collect();
            outputs.extend(again);
        })
    });
}

#[test]
fn a_superseded_number_that_is_spoken_under_is_seen() {
    bites("no superseded number", || {
        let mut before: Option<Output> = None;
        Box::new(move |input, outputs| {
            if matches!(input, Input::Asked { .. }) && !outputs.is_empty() {
                outputs.extend(before.take());
            }
            let said = |output: &&Output| matches!(output, Output::Say { reply, .. } if reply.0 > 0);
            before = outputs.iter().rev().find(said).cloned().or(before.take());
        })
    });
}

#[test]
fn i12_a_row_of_other_equipment_in_a_prompt_is_seen() {
    bites("I12", || {
        Box::new(|_, outputs| {
            for output in outputs {
                if let Output::Generate { request, .. } = output
                    && let Grounding::Rows(rows) = &mut request.grounding
                {
                    let text = |text: &str| text.to_owned();
                    let source = text("concentradores electricos/nuvo_lite.md");
                    let (title, section) = (text("Nuvo Lite"), text("Alarmas"));
                    rows.push(Chunk {
                        source,
                        title,
                        section,
                        row: text("E1"),
                        content: text("Qué hacer: Nada."),
                    });
                }
            }
        })
    });
}

#[test]
fn s1_a_danger_that_is_talked_past_or_not_shown_is_seen() {
    bites("S1", || {
        Box::new(|_, outputs| {
            for output in outputs {
                if let Output::Say { text, .. } = output
                    && text.contains("emergencia")
                {
                    *text = "¿Me cuenta un poco más?".to_owned();
                }
            }
        })
    });
    bites("S1", || Box::new(|_, outputs| outputs.retain(|output| !of(output, Kind::RedFlag))));
}

#[test]
fn s2_a_value_that_nothing_holds_is_seen() {
    bites("S2", || {
        Box::new(|input, outputs| {
            for output in outputs {
                if let Output::Say { text, .. } = output
                    && matches!(input, Input::Delta { .. })
                {
                    *text = "Suba el flujo a 9 litros por minuto.".to_owned();
                }
            }
        })
    });
}

#[test]
fn s3_a_caller_who_hears_nothing_is_seen() {
    let filler = |output: &Output| matches!(output, Output::Say { text, .. } if text == FILLER.es);
    bites("S3", || Box::new(move |_, outputs| outputs.retain(|output| !filler(output))));
}

#[test]
fn a_call_back_that_is_promised_and_forgotten_or_asked_for_twice_is_seen() {
    let back = |output: &Output| of(output, Kind::CallbackRequested);
    bites("a promised call back", || Box::new(move |_, outputs| outputs.retain(|output| !back(output))));
    bites("one call back a call", || {
        Box::new(move |_, outputs| {
            let again: Vec<Output> = outputs.iter().filter(|output| back(output)).cloned().collect();
            outputs.extend(again);
        })
    });
}

#[test]
fn s4_a_document_in_an_event_is_seen() {
    bites("S4", || {
        Box::new(|_, outputs| {
            for output in outputs {
                if let Output::Record(event) = output {
                    event.payload["about"] = json!("DNI 30.123.456");
                }
            }
        })
    });
}

#[test]
fn e5_a_system_message_that_changes_and_a_filler_in_the_history_are_seen() {
    bites("E5", || {
        let mut requests = 0;
        Box::new(move |_, outputs| {
            for output in outputs {
                if let Output::Generate { request, .. } = output {
                    requests += 1;
                    request.messages[0].content.push_str(if requests > 1 { " Hoy es lunes." } else { "" });
                }
            }
        })
    });
    bites("no filler in the history", || {
        Box::new(|_, outputs| {
            for output in outputs {
                if let Output::Generate { request, .. } = output {
                    let filler = Message { role: Role::Assistant, content: FILLER.es.to_owned() };
                    request.messages.insert(1, filler);
                }
            }
        })
    });
}

#[test]
fn s6_a_manual_while_the_equipment_is_asked_for_is_seen() {
    bites("S6", || {
        Box::new(|_, outputs| {
            for output in outputs {
                if let Output::Generate { request, .. } = output
                    && request.grounding == Grounding::AskEquipment
                    && let Some(last) = request.messages.last_mut()
                {
                    last.content.insert_str(0, MANUAL_HEADER);
                }
            }
        })
    });
}

#[test]
fn a_second_greeting_and_words_after_the_end_are_seen() {
    bites("one greeting", || {
        Box::new(|input, outputs| {
            if matches!(input, Input::PeerConnected) {
                outputs.push(Output::Say { reply: ReplyId(0), text: GREETING.es.to_owned() });
            }
        })
    });
    bites("nothing after the end", || {
        Box::new(|_, outputs| {
            if outputs.last() == Some(&Output::End) {
                outputs.push(Output::Remember);
            }
        })
    });
}

#[test]
fn a_summary_that_is_missing_or_forgets_what_is_open_is_seen() {
    bites("a summary at the end", || {
        Box::new(|_, outputs| {
            outputs.retain(
                |output| !matches!(output, Output::Tell(News::Summary(note)) if note.of == Of::After),
            );
        })
    });
    bites("a summary is kept", || {
        Box::new(|_, outputs| {
            outputs.retain(|output| !of(output, Kind::CallSummarised));
        })
    });
    bites("a call back stays open", || {
        Box::new(|_, outputs| {
            for output in outputs {
                match output {
                    Output::Tell(News::Summary(note)) => {
                        note.summary.open.retain(|open| !matches!(open, Open::Callback(_)));
                    }
                    Output::Record(event) if event.kind == Kind::CallSummarised => {
                        let open = event.payload["open"].as_array_mut().expect("what is open");
                        open.retain(|open| open["what"] != "callback");
                    }
                    _ => {}
                }
            }
        })
    });
}
