//! Which server takes what: compatible servers answer 400 to a key that they don't know.
use aura::protocol::chat_completions::Capabilities;

/// What a server is known to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Chat completions.
    pub chat: Capabilities,
    /// Embeddings as base64, a quarter of the bytes.
    pub base64: bool,
}

const FULL: Abilities = Abilities {
    chat: Capabilities {
        stream_options: true,
        max_completion_tokens: true,
        prompt_cache_key: true,
        store: true,
    },
    base64: true,
};

/// Hosts, with all that is below them.
const TABLE: &[(&str, Abilities)] = &[("api.openai.com", FULL)];

/// What a host takes; a host that isn't in the table is asked in the plainest way.
pub fn abilities(host: &str) -> Abilities {
    let host = host.to_ascii_lowercase();
    let is = |known: &str| {
        host.strip_suffix(known).is_some_and(|region| region.is_empty() || region.ends_with('.'))
    };
    TABLE.iter().find(|(known, _)| is(known)).map_or_else(Abilities::default, |(_, abilities)| *abilities)
}
