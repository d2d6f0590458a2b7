//! The network: token ids in, one vector out (BERT with the layer norm after each part, mean pooling).

use std::ops::Range;

use super::directory::Directory;
use super::file::Flaw;
use super::file::shape::{BLOCK, BLOCK_BYTES, FEED, HEADS, HIDDEN, LAYERS, POSITIONS, TYPES};
use super::kernel::Kernel;
use super::math::{self, Quantised, View};

/// Width of an attention head.
const HEAD: usize = HIDDEN / HEADS;
/// Attention rows are padded to a multiple of this.
const TILE: usize = 32;

/// The weights: biases and norms copied, matrices where they are in the file.
pub struct Bert {
    words: Range<usize>,
    positions: Box<[f32]>,
    kind: Box<[f32]>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Norm {
    weight: Box<[f32]>,
    bias: Box<[f32]>,
}

struct Linear {
    weight: Range<usize>,
    bias: Box<[f32]>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
}

/// Room for one text's activations, kept between texts.
#[derive(Default)]
pub struct Scratch {
    states: Vec<f32>,
    quantised: Quantised,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    context: Vec<f32>,
    part: Vec<f32>,
    wide: Vec<f32>,
    turned: Vec<f32>,
    weights: Vec<f32>,
}

impl Norm {
    fn read(directory: &Directory<'_>, name: &str) -> Result<Self, Flaw> {
        let weight = directory.floats(&format!("{name}.w"), HIDDEN)?;
        Ok(Self { weight, bias: directory.floats(&format!("{name}.b"), HIDDEN)? })
    }
}

impl Linear {
    fn read(directory: &Directory<'_>, name: &str, rows: usize, columns: usize) -> Result<Self, Flaw> {
        let weight = directory.matrix(&format!("{name}.w"), rows, columns)?;
        Ok(Self { weight, bias: directory.floats(&format!("{name}.b"), rows)? })
    }
}

impl Layer {
    fn read(directory: &Directory<'_>, layer: usize) -> Result<Self, Flaw> {
        let linear =
            |part, rows, columns| Linear::read(directory, &format!("l{layer}.{part}"), rows, columns);
        Ok(Self {
            query: linear("q", HIDDEN, HIDDEN)?,
            key: linear("k", HIDDEN, HIDDEN)?,
            value: linear("v", HIDDEN, HIDDEN)?,
            attended: linear("ao", HIDDEN, HIDDEN)?,
            attended_norm: Norm::read(directory, &format!("l{layer}.aln"))?,
            widen: linear("fi", FEED, HIDDEN)?,
            narrow: linear("fo", HIDDEN, FEED)?,
            norm: Norm::read(directory, &format!("l{layer}.oln"))?,
        })
    }
}

/// Where the arithmetic happens and on which bytes.
#[derive(Clone, Copy)]
struct Bench<'a> {
    file: &'a [u8],
    kernel: Kernel,
}

impl Bench<'_> {
    fn linear(self, linear: &Linear, x: &Quantised, out: &mut [f32]) {
        self.kernel.linear(&self.file[linear.weight.clone()], &linear.bias, x, out);
    }

    fn add_norm(self, norm: &Norm, rows: &mut [f32], more: &[f32]) {
        self.kernel.add_norm(rows, more, &norm.weight, &norm.bias);
    }
}

impl Bert {
    /// Finds every tensor the network needs.
    pub fn read(directory: &Directory<'_>, vocabulary: usize) -> Result<Self, Flaw> {
        let mut kind = directory.floats("emb.type", TYPES * HIDDEN)?.into_vec();
        kind.truncate(HIDDEN);
        Ok(Self {
            words: directory.matrix("emb.word", vocabulary, HIDDEN)?,
            positions: directory.floats("emb.pos", POSITIONS * HIDDEN)?,
            kind: kind.into(),
            norm: Norm::read(directory, "emb.ln")?,
            layers: (0..LAYERS).map(|layer| Layer::read(directory, layer)).collect::<Result<_, _>>()?,
        })
    }

    /// The vector of 1 to 512 token ids, of length 1.
    pub fn forward(&self, file: &[u8], kernel: Kernel, ids: &[u32], scratch: &mut Scratch) -> Vec<f32> {
        let bench = Bench { file, kernel };
        scratch.resize(ids.len());
        self.embed(bench, ids, scratch);
        for layer in &self.layers {
            layer.attend(bench, scratch, ids.len());
            layer.feed(bench, scratch);
        }
        pool(&scratch.states)
    }

    /// Word, position and type, added up and normalised.
    fn embed(&self, bench: Bench<'_>, ids: &[u32], scratch: &mut Scratch) {
        let words = bench.file[self.words.clone()].chunks_exact(HIDDEN / BLOCK * BLOCK_BYTES);
        for (row, id) in scratch.states.chunks_exact_mut(HIDDEN).zip(ids) {
            // The tokenizer's ids are below the vocabulary's size, checked when the file was opened.
            let word = usize::try_from(*id).ok().and_then(|id| words.clone().nth(id)).unwrap_or_default();
            math::dequantise(word, row);
            row.iter_mut().zip(&self.kind).for_each(|(value, kind)| *value += kind);
        }
        bench.add_norm(&self.norm, &mut scratch.states, &self.positions[..ids.len() * HIDDEN]);
    }
}

impl Layer {
    /// Every token looks at every token, head by head.
    fn attend(&self, bench: Bench<'_>, scratch: &mut Scratch, tokens: usize) {
        let Scratch { states, quantised, query, key, value, context, part, turned, weights, .. } = scratch;
        bench.kernel.quantise(states, HIDDEN, quantised);
        bench.linear(&self.query, quantised, query);
        bench.linear(&self.key, quantised, key);
        bench.linear(&self.value, quantised, value);
        let padded = tokens.next_multiple_of(TILE);
        let scale = 1.0 / (HEAD as f32).sqrt();
        for at in (0..HIDDEN).step_by(HEAD) {
            turn(&key[at..], turned, padded);
            let (q, v) = (
                View { values: &query[at..], stride: HIDDEN },
                View { values: &value[at..], stride: HIDDEN },
            );
            let keys = View { values: turned, stride: padded };
            bench.kernel.product(q, keys, HEAD, padded, weights, padded);
            for row in weights.chunks_exact_mut(padded) {
                bench.kernel.softmax(&mut row[..tokens], scale);
            }
            let weights = View { values: weights, stride: padded };
            bench.kernel.product(weights, v, tokens, HEAD, &mut context[at..], HIDDEN);
        }
        bench.kernel.quantise(context, HIDDEN, quantised);
        bench.linear(&self.attended, quantised, part);
        bench.add_norm(&self.attended_norm, states, part);
    }

    /// Each token by itself: wide, bent, narrow again.
    fn feed(&self, bench: Bench<'_>, scratch: &mut Scratch) {
        let Scratch { states, quantised, part, wide, .. } = scratch;
        bench.kernel.quantise(states, HIDDEN, quantised);
        bench.linear(&self.widen, quantised, wide);
        bench.kernel.gelu(wide);
        bench.kernel.quantise(wide, FEED, quantised);
        bench.linear(&self.narrow, quantised, part);
        bench.add_norm(&self.norm, states, part);
    }
}

impl Scratch {
    fn resize(&mut self, tokens: usize) {
        let padded = tokens.next_multiple_of(TILE);
        let rows = [
            &mut self.states,
            &mut self.query,
            &mut self.key,
            &mut self.value,
            &mut self.context,
            &mut self.part,
        ];
        rows.into_iter().for_each(|rows| rows.resize(tokens * HIDDEN, 0.0));
        self.wide.resize(tokens * FEED, 0.0);
        self.weights.resize(tokens * padded, 0.0);
        self.turned.clear();
        self.turned.resize(HEAD * padded, 0.0);
    }
}

/// A head's keys, a column per token; columns past the last token stay zero.
fn turn(keys: &[f32], turned: &mut [f32], padded: usize) {
    for (token, key) in keys.chunks(HIDDEN).enumerate() {
        for (row, value) in turned.chunks_exact_mut(padded).zip(&key[..HEAD]) {
            row[token] = *value;
        }
    }
}

/// The mean over all tokens, made length 1.
fn pool(states: &[f32]) -> Vec<f32> {
    let mut mean = vec![0.0; HIDDEN];
    for row in states.chunks_exact(HIDDEN) {
        mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value);
    }
    let length = mean.iter().map(|value: &f32| value * value).sum::<f32>().sqrt();
    mean.iter_mut().for_each(|value| *value /= length);
    mean
}
