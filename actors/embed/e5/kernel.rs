//! The one room with `unsafe`: the file's memory map, and the same arithmetic compiled for AVX2 or for any machine.
#![allow(unsafe_code)]

use std::fs::File;
use std::path::Path;

use super::math::{self, GROUP, Group, Quantised, Row, View};

/// A file seen as memory, read only; the system loads the pages that are touched.
pub struct Map(memmap2::Mmap);

impl Map {
    /// Maps a whole file.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the mapping is private and read only. Nobody may write to or cut the file while it is mapped: set-up
        // puts a new one in place by renaming, which leaves this one whole until it is unmapped.
        unsafe { memmap2::Mmap::map(&file) }.map(Self)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Which instructions the arithmetic uses; only `best` can choose AVX2, after asking the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Plain,
}

impl Kernel {
    /// The fastest this processor has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self(Instructions::Avx2);
        }
        Self::plain()
    }

    /// What every processor has.
    pub fn plain() -> Self {
        Self(Instructions::Plain)
    }
}

/// One operation, once as the compiler makes it for any machine and once with AVX2.
macro_rules! operation {
    ($(#[$doc:meta])* $name:ident / $avx2:ident ( $($argument:ident : $type:ty),* )) => {
        impl Kernel {
            $(#[$doc])*
            pub fn $name(self, $($argument: $type),*) {
                match self.0 {
                    // SAFETY: this value exists only where `best` found both features.
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => unsafe { $avx2($($argument),*) },
                    Instructions::Plain => math::$name($($argument),*),
                }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $avx2($($argument: $type),*) {
            math::$name($($argument),*);
        }
    };
}

operation!(
    /// Rounds rows of activations to 8 bits.
    quantise / quantise_avx2(rows: &[f32], width: usize, into: &mut Quantised)
);
operation!(
    /// `out` = `a` · `b`, for `out`'s width a multiple of 32.
    product / product_avx2(a: View<'_>, b: View<'_>, inner: usize, width: usize, out: &mut [f32], stride: usize)
);
operation!(
    /// Softmax of `scale` × a row, in place.
    softmax / softmax_avx2(row: &mut [f32], scale: f32)
);
operation!(
    /// GELU by the error function, in place.
    gelu / gelu_avx2(values: &mut [f32])
);
operation!(
    /// Adds `more` to `rows` and normalises each row.
    add_norm / add_norm_avx2(rows: &mut [f32], more: &[f32], weight: &[f32], bias: &[f32])
);

impl Kernel {
    /// `out` = `x` · `weights`ᵀ + `bias`: Q4_0 rows of `x`'s width, as many as `bias` has values.
    pub fn linear(self, weights: &[u8], bias: &[f32], x: &Quantised, out: &mut [f32]) {
        match self.0 {
            // SAFETY: this value exists only where `best` found both features.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::linear(weights, bias, x, out) },
            Instructions::Plain => math::linear(weights, bias, x, out, math::dots),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_movehl_ps, _mm_shuffle_ps,
        _mm256_castps256_ps128, _mm256_cvtepi32_ps, _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_fnmadd_ps,
        _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mul_ps,
        _mm256_set1_epi16, _mm256_set1_ps, _mm256_setzero_ps,
    };

    use super::{GROUP, Group, Quantised, Row, math};

    #[target_feature(enable = "avx2,fma")]
    pub fn linear(weights: &[u8], bias: &[f32], x: &Quantised, out: &mut [f32]) {
        math::linear(weights, bias, x, out, |group, row| dots(group, row));
    }

    /// A group's rows times one row of activations. 15 × 127 × 2 fits the 16 bits between the two integer steps.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn dots(group: &Group, x: Row<'_>) -> [f32; GROUP] {
        let ones = _mm256_set1_epi16(1);
        let mut sums = [_mm256_setzero_ps(); GROUP];
        for (sum, scales) in sums.iter_mut().zip(&group.scales) {
            for (scale, offset) in scales.as_chunks().0.iter().zip(x.offsets.as_chunks().0) {
                *sum = _mm256_fnmadd_ps(floats(scale), floats(offset), *sum);
            }
        }
        let blocks = group.codes.iter().zip(x.codes.as_chunks().0).zip(x.scales).enumerate();
        for (at, ((codes, block), scale)) in blocks {
            let block = signed(block);
            let scale = _mm256_set1_ps(*scale);
            for row in 0..GROUP {
                let pairs = _mm256_maddubs_epi16(unsigned(&codes[row]), block);
                let dot = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
                let both = _mm256_set1_ps(group.scales[row][at]);
                sums[row] = _mm256_fmadd_ps(dot, _mm256_mul_ps(both, scale), sums[row]);
            }
        }
        sums.map(|sum| total(sum))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn total(sum: __m256) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn floats(from: &[f32; 8]) -> __m256 {
        // SAFETY: the array is the 32 bytes read; the load needs no alignment.
        unsafe { _mm256_loadu_ps(from.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn unsigned(from: &[u8; 32]) -> __m256i {
        // SAFETY: the array is the 32 bytes read; the load needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn signed(from: &[i8; 32]) -> __m256i {
        // SAFETY: the array is the 32 bytes read; the load needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }
}
