//! One track's samples from one rate to another, as they come.
use super::{BadRate, check_rate};
use rubato::audioadapter_buffers::direct::SequentialSlice;
use rubato::{Fft, FixedSync, Resampler as _};

/// Blocks a second: each holds 20 ms, or a little more where the two rates have little in common.
const BLOCKS: u32 = 50;

/// Resamples one track. The ratio is exact: after an hour not a sample is missing or too many.
///
/// What comes out doesn't depend on how the samples were cut on their way in. It lags behind by
/// [`Resampler::delay`], which is filled with silence at the start, and by what doesn't fill a block yet
/// (20 ms at most at usual rates).
#[derive(Debug)]
pub struct Resampler {
    /// `None` where both rates are the same.
    inner: Option<Blocks>,
}

#[derive(Debug)]
struct Blocks {
    fft: Fft<f32>,
    waiting: Vec<f32>,
    out: Vec<f32>,
}

impl Resampler {
    /// A resampler at the start of a stream, samples a second.
    ///
    /// # Errors
    /// [`BadRate`] if one of them can't be used, see [`check_rate`].
    pub fn new(from: u32, to: u32) -> Result<Self, BadRate> {
        check_rate(from)?;
        check_rate(to)?;
        if from == to {
            return Ok(Self { inner: None });
        }
        let (input, output) = (from as usize, to as usize);
        let block = (from / BLOCKS) as usize;
        let fft = Fft::new(input, output, block, 1, FixedSync::Both).map_err(|_| BadRate { rate: from })?;
        let out = vec![0.0; fft.output_frames_max()];
        Ok(Self { inner: Some(Blocks { fft, waiting: Vec::new(), out }) })
    }

    /// How far what comes out lags behind, in samples of what comes out.
    pub fn delay(&self) -> usize {
        self.inner.as_ref().map_or(0, |blocks| blocks.fft.output_delay())
    }

    /// What is complete after these samples.
    pub fn push(&mut self, samples: &[i16]) -> Vec<i16> {
        match &mut self.inner {
            None => samples.to_vec(),
            Some(blocks) => blocks.push(samples),
        }
    }

    /// What is still inside, at the end of a stream: completed with silence.
    pub fn finish(mut self) -> Vec<i16> {
        let Some(blocks) = &mut self.inner else { return Vec::new() };
        let block = blocks.fft.input_frames_next();
        let left = blocks.left();
        let mut out = blocks.push(&vec![0; block * (left / blocks.out.len() + 2)]);
        out.truncate(left);
        out
    }
}

impl Blocks {
    fn push(&mut self, samples: &[i16]) -> Vec<i16> {
        self.waiting.extend(samples.iter().map(|sample| f32::from(*sample)));
        let block = self.fft.input_frames_next();
        let whole = self.waiting.len() - self.waiting.len() % block;
        let mut done = Vec::with_capacity(whole / block * self.out.len());
        for input in self.waiting[..whole].chunks_exact(block) {
            let made = process(&mut self.fft, input, &mut self.out);
            done.extend(self.out[..made].iter().map(|sample| to_i16(*sample)));
        }
        self.waiting.drain(..whole);
        done
    }

    /// Samples of what comes out that the samples so far have still to give.
    fn left(&self) -> usize {
        let block = self.fft.input_frames_next();
        self.fft.output_delay() + (self.waiting.len() * self.out.len()).div_ceil(block)
    }
}

/// One block; the number of samples made, 0 if the resampler refuses it (the buffers have its own sizes).
fn process(fft: &mut Fft<f32>, input: &[f32], out: &mut [f32]) -> usize {
    let room = out.len();
    let source = SequentialSlice::new(input, 1, input.len());
    let target = SequentialSlice::new_mut(out, 1, room);
    let (Ok(source), Ok(mut target)) = (source, target) else { return 0 };
    fft.process_into_buffer(&source, &mut target, None).map_or(0, |(_, made)| made)
}

fn to_i16(sample: f32) -> i16 {
    // A cast of a float to an integer saturates.
    sample.round() as i16
}
