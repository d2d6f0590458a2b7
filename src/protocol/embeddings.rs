//! The embeddings wire format, seen from the client: what to ask, and what of an answer to believe.
use crate::protocol::provider_error::ProviderError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most texts that one request carries; servers take 2048, but a small batch fails small.
pub const MAX_INPUTS: usize = 128;

/// A request. Its fields are written in this order, and those that are `None` not at all.
#[derive(Debug, Serialize)]
pub struct Body<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The texts; none may be empty.
    pub input: &'a [String],
    /// `base64` where the server is known to take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_format: Option<&'static str>,
    /// Asks for shorter vectors; only where configured, since many servers refuse it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
}

/// Why an answer can't be believed. Safe to log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Not the JSON of an embeddings answer.
    #[error("the answer is not an embeddings list; check that the address is an OpenAI-compatible one")]
    Malformed,
    /// An error under a status that says success.
    #[error("the server answered with an error ({0}) under a success status")]
    Provider(ProviderError),
    /// Too few or too many vectors.
    #[error("{expected} vectors were expected, {got} came")]
    Count {
        /// As many as texts were sent.
        expected: usize,
        /// As many as came.
        got: usize,
    },
    /// An index twice, or beyond the texts that were sent.
    #[error("the answer's indices don't match the texts: index {0} is repeated or out of range")]
    Index(usize),
    /// A vector of another length.
    #[error(
        "vector {index} has {got} components, {expected} were expected; check the model and its dimensions"
    )]
    Dims {
        /// Which.
        index: usize,
        /// What the model was said to give.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// A vector without a direction: not a number, infinite or all zeros.
    #[error("vector {0} holds no direction (NaN, infinite or all zeros); the model's server is broken")]
    NoDirection(usize),
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vector,
}

/// Reads an answer to `expected` texts: vectors in the order of the texts, each with `dims` components and
/// length 1.
pub fn parse(body: &[u8], expected: usize, dims: usize) -> Result<Vec<Vec<f32>>, AnswerError> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| why_not(body))?;
    let got = answer.data.len();
    if got != expected {
        return Err(AnswerError::Count { expected, got });
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; expected];
    for (position, item) in answer.data.into_iter().enumerate() {
        let index = item.index.unwrap_or(position);
        match vectors.get_mut(index) {
            Some(slot @ None) => *slot = Some(unit(item.embedding.0, index, dims)?),
            _ => return Err(AnswerError::Index(index)),
        }
    }
    // As many slots as items, and none filled twice: every slot is full.
    Ok(vectors.into_iter().flatten().collect())
}

fn why_not(body: &[u8]) -> AnswerError {
    let frame = serde_json::from_slice(body).ok();
    frame.and_then(|frame| ProviderError::of(&frame)).map_or(AnswerError::Malformed, AnswerError::Provider)
}

/// Scales a vector to length 1, measured in f64 so that large components don't overflow.
fn unit(vector: Vec<f32>, index: usize, dims: usize) -> Result<Vec<f32>, AnswerError> {
    if vector.len() != dims {
        return Err(AnswerError::Dims { index, expected: dims, got: vector.len() });
    }
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return Err(AnswerError::NoDirection(index));
    }
    Ok(vector.into_iter().map(|x| (f64::from(x) / length) as f32).collect())
}

/// A vector as floats or as base64 of little-endian f32: servers choose, whatever was asked.
struct Vector(Vec<f32>);

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VectorVisitor).map(Self)
    }
}

struct VectorVisitor;

impl<'de> Visitor<'de> for VectorVisitor {
    type Value = Vec<f32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers or base64 of little-endian f32")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let bytes = STANDARD.decode(text).map_err(|_| E::custom("not base64"))?;
        let (floats, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("not whole floats"));
        }
        Ok(floats.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut floats = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(4096));
        // A component that JSON can't say (null for NaN) fails here, as it must.
        while let Some(x) = seq.next_element::<f64>().map_err(A::Error::custom)? {
            floats.push(x as f32);
        }
        Ok(floats)
    }
}
