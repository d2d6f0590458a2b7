//! The model's arithmetic in plain Rust, written so that the compiler can make it wide; `kernel` picks how wide.

use super::file::shape::{BLOCK, BLOCK_BYTES, EPSILON, FEED};

/// Weight rows worked on together, so that each load of an activation serves several.
pub const GROUP: usize = 4;
/// Blocks in the widest row.
const BLOCKS: usize = FEED / BLOCK;
/// Values added up side by side.
const LANES: usize = 8;
/// Columns of a product worked on together.
const TILE: usize = 32;
/// 1.5 × 2²³: added to a small number it leaves the nearest integer in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Rows of activations in 8 bits, a scale per block of 32.
#[derive(Default)]
pub struct Quantised {
    width: usize,
    codes: Vec<i8>,
    /// A row's scales, padded with zeros to a multiple of 8.
    scales: Vec<f32>,
    /// 8 × scale × sum of the codes: what the weights' missing minus 8 takes off.
    offsets: Vec<f32>,
}

/// One row of `Quantised`.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The values, in units of their block's scale.
    pub codes: &'a [i8],
    /// A scale per block.
    pub scales: &'a [f32],
    /// What to take off per block.
    pub offsets: &'a [f32],
}

/// A few rows of a weight matrix, unpacked.
pub struct Group {
    /// By block, then row: the nibbles, 0–15.
    pub codes: Vec<[[u8; BLOCK]; GROUP]>,
    /// By row, then block, zeros after the last.
    pub scales: [[f32; BLOCKS]; GROUP],
}

/// A matrix inside a slice: where a row starts is a multiple of `stride`.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// From the first value on.
    pub values: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
}

impl Quantised {
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let blocks = padded(self.width / BLOCK);
        let scales = self.scales.chunks_exact(blocks).zip(self.offsets.chunks_exact(blocks));
        let codes = self.codes.chunks_exact(self.width);
        codes.zip(scales).map(|(codes, (scales, offsets))| Row { codes, scales, offsets })
    }
}

fn padded(blocks: usize) -> usize {
    blocks.next_multiple_of(LANES)
}

/// Rounds each block of 32 to multiples of its largest value's 127th.
#[inline(always)]
pub fn quantise(rows: &[f32], width: usize, into: &mut Quantised) {
    let (blocks, count) = (padded(width / BLOCK), rows.len() / width);
    into.width = width;
    into.codes.resize(rows.len(), 0);
    for side in [&mut into.scales, &mut into.offsets] {
        side.clear();
        side.resize(count * blocks, 0.0);
    }
    let sides = into.scales.chunks_exact_mut(blocks).zip(into.offsets.chunks_exact_mut(blocks));
    let codes = into.codes.chunks_exact_mut(width);
    for ((row, codes), (scales, offsets)) in rows.chunks_exact(width).zip(codes).zip(sides) {
        let codes = codes.as_chunks_mut::<BLOCK>().0;
        for (at, (values, codes)) in row.as_chunks::<BLOCK>().0.iter().zip(codes).enumerate() {
            let largest = values.iter().fold(0.0, |high: f32, value| high.max(value.abs()));
            let scale = largest / 127.0;
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            // Wrapping, here and in `exp`: damaged weights may bring what is no number, and that is found at the end.
            let mut sum = 0_i32;
            for (code, value) in codes.iter_mut().zip(values) {
                let whole = nearest(value * inverse);
                *code = whole as i8;
                sum = sum.wrapping_add(whole);
            }
            scales[at] = scale;
            offsets[at] = 8.0 * scale * sum as f32;
        }
    }
}

/// The nearest integer of a number far below 2²².
#[inline(always)]
fn nearest(value: f32) -> i32 {
    (value + ROUND).to_bits().wrapping_sub(ROUND.to_bits()).cast_signed()
}

/// `out` = `x` · `weights`ᵀ + `bias`; `dots` multiplies a group by a row.
#[inline(always)]
pub fn linear(
    weights: &[u8],
    bias: &[f32],
    x: &Quantised,
    out: &mut [f32],
    dots: impl Fn(&Group, Row<'_>) -> [f32; GROUP],
) {
    let mut group = Group { codes: Vec::new(), scales: [[0.0; BLOCKS]; GROUP] };
    group.codes.resize(x.width / BLOCK, [[0; BLOCK]; GROUP]);
    let height = bias.len();
    let groups = weights.chunks_exact(GROUP * x.width / BLOCK * BLOCK_BYTES);
    for (at, (rows, bias)) in groups.zip(bias.as_chunks::<GROUP>().0).enumerate() {
        unpack(rows, &mut group);
        for (row, out) in x.rows().zip(out.chunks_exact_mut(height)) {
            let sums = dots(&group, row);
            let out = out[at * GROUP..].iter_mut();
            out.zip(sums.iter().zip(bias)).for_each(|(out, (sum, bias))| *out = sum + bias);
        }
    }
}

/// Nibbles to bytes (low ones first), half floats to floats.
#[inline(always)]
fn unpack(rows: &[u8], group: &mut Group) {
    let blocks = group.codes.len();
    for (row, bytes) in rows.chunks_exact(blocks * BLOCK_BYTES).enumerate() {
        for (at, block) in bytes.as_chunks::<BLOCK_BYTES>().0.iter().enumerate() {
            group.scales[row][at] = half(block);
            let (low, high) = group.codes[at][row].split_at_mut(BLOCK / 2);
            for (byte, (low, high)) in block[2..].iter().zip(low.iter_mut().zip(high)) {
                *low = byte & 15;
                *high = byte >> 4;
            }
        }
    }
}

/// A block's scale: fp16, whose exponent is moved by a multiplication that also handles the smallest.
#[inline(always)]
fn half(block: &[u8; BLOCK_BYTES]) -> f32 {
    let bits = u32::from(u16::from_le_bytes([block[0], block[1]]));
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(size.to_bits() | (bits & 0x8000) << 16)
}

/// A 4-bit row as floats.
pub fn dequantise(bytes: &[u8], out: &mut [f32]) {
    let blocks = out.as_chunks_mut::<BLOCK>().0;
    for (block, out) in bytes.as_chunks::<BLOCK_BYTES>().0.iter().zip(blocks) {
        let scale = half(block);
        let (low, high) = out.split_at_mut(BLOCK / 2);
        for (byte, (low, high)) in block[2..].iter().zip(low.iter_mut().zip(high)) {
            *low = (f32::from(byte & 15) - 8.0) * scale;
            *high = (f32::from(byte >> 4) - 8.0) * scale;
        }
    }
}

/// A group's rows times one row of activations.
pub fn dots(group: &Group, x: Row<'_>) -> [f32; GROUP] {
    let mut sums = [0.0; GROUP];
    for (at, (codes, values)) in group.codes.iter().zip(x.codes.as_chunks::<BLOCK>().0).enumerate() {
        for (row, sum) in sums.iter_mut().enumerate() {
            let products =
                codes[row].iter().zip(values).map(|(code, value)| i32::from(*code) * i32::from(*value));
            *sum += group.scales[row][at] * (products.sum::<i32>() as f32 * x.scales[at] - x.offsets[at]);
        }
    }
    sums
}

/// `out` (rows `stride` apart, `width` wide) = `a` (rows of `inner`) · `b`.
#[inline(always)]
pub fn product(a: View<'_>, b: View<'_>, inner: usize, width: usize, out: &mut [f32], stride: usize) {
    for (a, out) in a.values.chunks(a.stride).zip(out.chunks_mut(stride)) {
        for (at, out) in out[..width].as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
            let mut sums = [0.0; TILE];
            for (factor, b) in a[..inner].iter().zip(b.values.chunks(b.stride)) {
                let tile = b[at * TILE..].iter();
                sums.iter_mut().zip(tile).for_each(|(sum, value)| *sum += factor * value);
            }
            *out = sums;
        }
    }
}

/// Softmax of `scale` × a row, in place.
#[inline(always)]
pub fn softmax(row: &mut [f32], scale: f32) {
    let highest = row.iter().fold(f32::NEG_INFINITY, |high, value| high.max(*value));
    row.iter_mut().for_each(|value| *value = exp((*value - highest) * scale));
    let inverse = 1.0 / sum(row, |value| value);
    row.iter_mut().for_each(|value| *value *= inverse);
}

/// e^x for x ≤ 0, within 2 units of the last place (Cephes' polynomial).
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.max(-87.0);
    let whole = nearest(x * std::f32::consts::LOG2_E);
    let rest = x - whole as f32 * 0.693_359_4 + whole as f32 * 2.121_944_4e-4;
    let terms = [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let series = terms.iter().fold(1.987_569_1e-4, |series, term| series * rest + term);
    let power = f32::from_bits(whole.wrapping_add(127).cast_unsigned() << 23);
    (series * rest * rest + rest + 1.0) * power
}

/// x Φ(x), with erf by Abramowitz and Stegun 7.1.26 (error below 2 · 10⁻⁷).
#[inline(always)]
pub fn gelu(values: &mut [f32]) {
    for value in values {
        let z = *value * std::f32::consts::FRAC_1_SQRT_2;
        let t = 1.0 / (1.0 + 0.327_591_1 * z.abs());
        let terms = [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
        let series = terms.iter().fold(1.061_405_4, |series, term| series * t + term);
        let erf = (1.0 - series * t * exp(-z * z)).copysign(z);
        *value *= 0.5 * (1.0 + erf);
    }
}

/// Adds `more` to `rows`; then each row has mean 0 and variance 1, times `weight`, plus `bias`.
#[inline(always)]
pub fn add_norm(rows: &mut [f32], more: &[f32], weight: &[f32], bias: &[f32]) {
    let width = weight.len() as f32;
    for (row, more) in rows.chunks_exact_mut(weight.len()).zip(more.chunks_exact(weight.len())) {
        row.iter_mut().zip(more).for_each(|(value, more)| *value += more);
        let mean = sum(row, |value| value) / width;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / width;
        let inverse = 1.0 / (variance + EPSILON).sqrt();
        for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
            *value = (*value - mean) * inverse * weight + bias;
        }
    }
}

/// The sum of `of` over a row, eight side by side.
#[inline(always)]
fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (wide, rest) = row.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in wide {
        lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += of(*value));
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|value| of(*value)).sum::<f32>()
}
