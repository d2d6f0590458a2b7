//! A process that ends in the middle of a call, and the call that is rebuilt from its journal.
use super::fixture::*;
use aura::call::{Call, Input, Memory, Output};
use serde_json::Value;

/// A memory as the disk gives it back, and the vault its document.
pub fn reread(memory: &Memory) -> Memory {
    let text = serde_json::to_string(memory).expect("a memory has a written form");
    let again: Memory = serde_json::from_str(&text).expect("what was written can be read");
    let again = again.with_dni(memory.dni());
    assert_eq!(&again, memory, "{text}");
    again
}

/// Every text in a JSON value, but those under these keys.
pub fn strings(value: &Value, but: &[&str]) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(|item| strings(item, but)).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| !but.contains(&key.as_str()))
            .flat_map(|(_, v)| strings(v, but))
            .collect(),
        _ => Vec::new(),
    }
}

impl Line {
    /// kill -9, and `ms` later the call is rebuilt from what its journal holds. Gives back what it then says of itself.
    pub fn crash(&mut self, ms: u64) -> Vec<Output> {
        let (memory, at) = self.kept.clone().expect("something was remembered");
        self.wait(ms);
        let age = self.now.saturating_duration_since(at);
        self.call = Call::restore(self.spec.clone(), reread(&memory), self.heard.clone(), age, self.now);
        self.drain()
    }

    /// The same, and the peer redials at once.
    pub fn crash_and_redial(&mut self, ms: u64) -> Vec<Output> {
        let mut outputs = self.crash(ms);
        outputs.extend(self.step(Input::PeerConnected));
        outputs
    }
}
