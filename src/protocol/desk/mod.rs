//! The operators' desk on the wire: JSON over a websocket, the same for the terminal client and for the web console.
//!
//! A client says [`Ask::Hello`] first, is welcomed with the live calls, and from then on is told which rows change.
//! What is said in a call it is told once it watches it: each [`Event`] replaces the one before with its key, has a
//! number within its call, and `afterSeq` brings exactly what came later. `deploy/desk.md` explains it to people,
//! `deploy/desk.schema.json` to machines.
mod happening;
mod message;
mod request;
mod telling;

pub use happening::{CardView, FieldShown, Happening, HeldShown, Key, LineView, StepShown};
pub use message::{
    Callback, Cursor, Device, Event, Farewell, Headline, Message, Patient, Refusal, Row, State, Welcome,
};
pub use request::{Ask, BadRequest, Private, Request, Verdict, read_request};

use serde_json::{Value, json};

/// The protocol's version: a client that asks for another one is refused.
pub const VERSION: u32 = 1;
/// The websocket's subprotocol.
pub const SUBPROTOCOL: &str = "aura.desk.v1";
/// Bytes of a client's frame at most.
pub const LONGEST_REQUEST: usize = 16 * 1024;
/// Calls that one client may watch at a time.
pub const MOST_WATCHED: usize = 16;

/// Reads a frame of the server's; for clients. What a newer server adds is passed over.
pub fn read_message(text: &str) -> Result<Message, serde_json::Error> {
    serde_json::from_str(text)
}

/// Both directions as one JSON Schema, made of the types (draft 2020-12).
pub fn schema() -> Value {
    let mut maker = schemars::SchemaGenerator::default();
    let (request, message) = (maker.subschema_for::<Request>(), maker.subschema_for::<Message>());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Aura desk protocol",
        "version": VERSION,
        "$defs": maker.take_definitions(true),
        "properties": { "client": request, "server": message },
    })
}
