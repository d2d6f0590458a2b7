//! The models that are told to exist: one for each channel that comes in here. Which language model answers is
//! nobody's business.
use crate::channel::Channel;
use serde::Serialize;

/// The model of a request that names none.
pub const DEFAULT: &str = "aura";

/// The models, and the channel whose row of the table a request for each is answered by.
const MODELS: [(&str, Channel); 3] = [
    (DEFAULT, Channel::ElevenLabs),
    ("aura-voice", Channel::ElevenLabs),
    ("aura-whatsapp", Channel::WhatsApp),
];

/// The channel that a model stands for; `None`: there is no such model.
pub fn channel(model: &str) -> Option<Channel> {
    MODELS.iter().find(|(name, _)| *name == model).map(|(_, channel)| *channel)
}

#[derive(Serialize)]
struct Model {
    id: &'static str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

impl Model {
    fn new(id: &'static str, created: u64) -> Self {
        Self { id, object: "model", created, owned_by: "aura" }
    }
}

#[derive(Serialize)]
struct List {
    object: &'static str,
    data: Vec<Model>,
}

/// The body of `/v1/models`; `created` is when the service began, in seconds since 1970.
pub fn list(created: u64) -> Vec<u8> {
    let data = MODELS.iter().map(|(id, _)| Model::new(id, created)).collect();
    serde_json::to_vec(&List { object: "list", data }).unwrap_or_default()
}

/// The body of `/v1/models/{model}`; `None`: there is no such model.
pub fn one(model: &str, created: u64) -> Option<Vec<u8>> {
    let (id, _) = MODELS.iter().find(|(name, _)| *name == model)?;
    Some(serde_json::to_vec(&Model::new(id, created)).unwrap_or_default())
}
