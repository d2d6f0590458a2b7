//! What happened to a call and what it did, as lines of its journal: enough to tell the story again.
//!
//! Texts are masked (S4). The transcript is kept as differences (DECISIONS 24): a line of it when it is
//! new or has grown. A model's pieces are kept as the sentences that left, or were kept back (events).
use super::input::Input;
use super::output::{Closing, Output};
use crate::event::News;
use crate::generation::Grounding;
use crate::ids::TurnId;
use crate::mask::mask;
use crate::patient::Found;
use crate::transcript::Place;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One line: what it is, of which turn, and the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// E.g. `asked`, `said`.
    pub what: String,
    /// The turn; 0 outside any.
    pub turn: TurnId,
    /// The rest, in camelCase.
    pub detail: Value,
}

fn line(what: &str, turn: TurnId, detail: Value) -> Option<Line> {
    Some(Line { what: what.to_owned(), turn, detail })
}

const OUTSIDE: TurnId = TurnId(0);

/// What of an input is kept. Transcripts come back as [`News::Heard`], so only that they came is told here.
pub fn input(input: &Input) -> Option<Line> {
    match input {
        Input::PeerConnected => line("connected", OUTSIDE, Value::Null),
        Input::PeerLost { clean } => line("lost", OUTSIDE, json!({ "clean": clean })),
        Input::HungUp => line("hung_up", OUTSIDE, Value::Null),
        Input::Details { variables, .. } => {
            let names: Vec<_> = variables.keys().map(|name| mask(name)).collect();
            line("details", OUTSIDE, json!({ "names": names }))
        }
        Input::Typed(_) => line("typed", OUTSIDE, Value::Null),
        Input::Vouched(_) => line("vouched", OUTSIDE, Value::Null),
        Input::Keypad(_) => line("keypad", OUTSIDE, Value::Null),
        Input::SecondOpinion { line: of, .. } => line("second_opinion", OUTSIDE, json!({ "line": of })),
        Input::LookedUp { ask, found, source, .. } => {
            line("looked_up", OUTSIDE, json!({ "ask": ask, "outcome": outcome(found), "source": source }))
        }
        Input::Settings(settings) => line("settings", OUTSIDE, json!({ "rows": settings.rows() })),
        Input::Asked { reply, reminder, turns } => {
            let lines = turns.as_ref().map(Vec::len);
            line("asked", OUTSIDE, json!({ "reply": reply, "reminder": reminder, "lines": lines }))
        }
        Input::Retrieved { turn, found } => {
            let detail = match found {
                Ok(found) => json!({ "manuals": found.manuals.len(), "lessons": found.lessons.len() }),
                Err(failure) => json!({ "failure": failure }),
            };
            line("retrieved", *turn, detail)
        }
        Input::Finished { turn, usage } => line("finished", *turn, json!({ "usage": usage })),
        Input::Failed { turn, failure } => line("failed", *turn, json!({ "failure": failure })),
        Input::Broken { reply } => line("broken", OUTSIDE, json!({ "reply": reply })),
        Input::Patient(track) => line("patient", OUTSIDE, json!({ "track": track })),
        Input::Extension(_) => line("extension", OUTSIDE, Value::Null),
        Input::Gap(gap) => line("gap", OUTSIDE, json!(gap)),
        Input::Hold(on) => line("hold", OUTSIDE, json!({ "on": on })),
        Input::OneVoice => line("one_voice", OUTSIDE, Value::Null),
        Input::Claimed(by) => line("claimed", OUTSIDE, json!({ "by": by })),
        Input::TakenOver(by) => line("taken_over", OUTSIDE, json!({ "by": by })),
        Input::Released(by) => line("released", OUTSIDE, json!({ "by": by })),
        Input::Mode(mode) => line("mode", OUTSIDE, json!({ "mode": mode })),
        Input::Suggest => line("suggest", OUTSIDE, Value::Null),
        Input::Step(step) => line("step", OUTSIDE, json!({ "step": step })),
        Input::Captured { field, .. } => line("datum", OUTSIDE, json!({ "field": field })),
        Input::CapturedVouched(field) => line("datum_vouched", OUTSIDE, json!({ "field": field })),
        Input::Searched { search, found } => {
            let rows = found.as_ref().map(|found| found.manuals.len()).ok();
            line("searched", OUTSIDE, json!({ "search": search, "manuals": rows }))
        }
        // What it is for is told by the search that follows.
        Input::Search { .. } => None,
        Input::Spoken(_) | Input::Heard(_) | Input::Delta { .. } | Input::Tick => None,
    }
}

/// What of an output is kept. Events are facts of their own.
pub fn output(output: &Output) -> Option<Line> {
    match output {
        Output::Retrieve { turn, search, .. } => {
            line("retrieve", *turn, json!({ "text": search.text, "filter": search.filter }))
        }
        Output::Search { search, query, .. } => {
            let detail = json!({ "search": search, "text": query.text, "filter": query.filter });
            line("search", OUTSIDE, detail)
        }
        Output::Generate { turn, request } => {
            let rows: Vec<Value> = match &request.grounding {
                Grounding::Rows(rows) => {
                    rows.iter().map(|row| json!([row.source, row.section, row.row])).collect()
                }
                _ => Vec::new(),
            };
            let detail =
                json!({ "prompt": request.cache_key, "messages": request.messages.len(), "rows": rows });
            line("generate", *turn, detail)
        }
        Output::LookUp { ask, dni } => {
            line("look_up", OUTSIDE, json!({ "ask": ask, "dni": dni.to_string() }))
        }
        Output::Cancel { turn } => line("cancel", *turn, Value::Null),
        Output::Say { reply, text } => line("said", OUTSIDE, json!({ "reply": reply, "text": mask(text) })),
        Output::Close { reply, then } => {
            let then = match then {
                Closing::Stay => "stay",
                Closing::HangUp => "hang_up",
                Closing::Transfer(_) => "transfer",
            };
            line("closed", OUTSIDE, json!({ "reply": reply, "then": then }))
        }
        // What may still change is nobody's word yet: a line is kept when it is final.
        Output::Tell(News::Heard { place: Some(Place { partial: true, .. }), .. }) => None,
        Output::Tell(News::Heard { index, speaker, text, place }) => {
            let mut detail = json!({ "index": index, "speaker": speaker, "text": text });
            if let Some(place) = place {
                detail["place"] = json!(place);
            }
            line(HEARD, OUTSIDE, detail)
        }
        Output::End => line(ENDED, OUTSIDE, Value::Null),
        // Its own fact tells what became of it.
        Output::Summarise(_) => None,
        Output::Tell(_) | Output::Record(_) | Output::Remember | Output::ReadAgain { .. } => None,
    }
}

fn outcome(found: &Found) -> &'static str {
    match found {
        Found::Found(_) => "found",
        Found::NotFound => "not_found",
        Found::Unavailable { outage, .. } => outage.cause.as_str(),
    }
}

/// Names a line that is a difference of the transcript.
pub const HEARD: &str = "heard";
/// Names the line that holds a [`super::Memory`].
pub const MEMORY: &str = "memory";
/// The field of a written memory that holds its document, sealed (DECISIONS 24).
pub const SEALED: &str = "sealed";
/// Names a call's last line.
pub const ENDED: &str = "ended";
