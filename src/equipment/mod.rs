//! Equipment as callers speak of it: models, display codes, and which manual belongs to which model.
//!
//! [`Catalogue`] is data (`catalogue.toml`, or a deployment's own text). [`Catalogue::normalise`]
//! turns what speech-to-text heard into technical names (R22); [`codes_in`] finds codes in any text,
//! questions and manual rows alike (R17).

mod alarm;
mod build;
mod catalogue;
mod codes;
mod context;
mod error;
mod normalise;
mod pattern;
mod sentence;
mod source;
mod spoken;
mod spoken_code;

pub use alarm::mentions_alarm;
pub use catalogue::{Catalogue, ManualOf};
pub use codes::{Code, CodeError, Letter, codes_in};
pub use error::CatalogueError;
pub use normalise::Normalised;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The canonical name of an equipment model, such as `7F-5`. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Model(Arc<str>);

impl Model {
    /// A model of this name; whether any catalogue knows it is [`Catalogue::manual_of`]'s to say.
    pub fn new(name: &str) -> Self {
        Model(Arc::from(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Model {
    fn from(name: String) -> Self {
        Model(name.into())
    }
}

impl From<&str> for Model {
    fn from(name: &str) -> Self {
        Model::new(name)
    }
}

impl From<Model> for String {
    fn from(model: Model) -> Self {
        model.0.as_ref().to_owned()
    }
}
