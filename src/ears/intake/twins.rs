//! Whether the two channels of a stereo fork are one and the same (fault 62).
//!
//! Some PBXs send the same sound twice: then everything would be said twice, by both legs. Only blocks in
//! which something is heard count, without their direct current. A side tone (the same, but quieter) or an
//! echo (later, or quieter) are no twins, and a steady tone proves nothing: both legs may be hearing it.

/// Blocks a second.
const BLOCKS: u32 = 50;
/// Blocks with sound that decide: 2 s.
const WINDOW: usize = 100;
/// The variance from which a block has sound in it: an amplitude of 200, -44 dB.
const AUDIBLE: f64 = 200.0 * 200.0;
/// The correlation above which channels are twins.
const ALIKE: f64 = 0.98;
/// How much louder one may be than the other, as power: 1 dB.
const LOUDER: f64 = 1.26;
/// How much the loudness of speech varies at least: deviation by mean. A tone's is near 0.
const LIVELY: f64 = 0.3;

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    fn add(&mut self, x: i16, y: i16) {
        let (x, y) = (f64::from(x), f64::from(y));
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// Variance of the first, of the second, and what they have in common.
    fn powers(&self) -> (f64, f64, f64) {
        let (x, y) = (self.x / self.n, self.y / self.n);
        (self.xx / self.n - x * x, self.yy / self.n - y * y, self.xy / self.n - x * y)
    }
}

/// Listens until it can tell, then rests.
#[derive(Debug)]
pub(super) struct Twins {
    block: usize,
    sums: Sums,
    audible: Vec<(f64, f64, f64)>,
    told: bool,
}

impl Twins {
    pub(super) fn new(rate: u32) -> Self {
        Self { block: (rate / BLOCKS) as usize, sums: Sums::default(), audible: Vec::new(), told: false }
    }

    /// Takes in both channels of one moment; true once, when they turn out to be the same.
    pub(super) fn same(&mut self, x: &[i16], y: &[i16]) -> bool {
        if self.told {
            return false;
        }
        for (x, y) in x.iter().zip(y) {
            self.sums.add(*x, *y);
            if self.sums.n as usize == self.block {
                let powers = std::mem::take(&mut self.sums).powers();
                if powers.0.max(powers.1) > AUDIBLE {
                    self.audible.push(powers);
                }
            }
            if self.audible.len() == WINDOW && self.decide() {
                return true;
            }
        }
        false
    }

    fn decide(&mut self) -> bool {
        let window = std::mem::take(&mut self.audible);
        let sum = |part: fn(&(f64, f64, f64)) -> f64| window.iter().map(part).sum::<f64>();
        let (xx, yy, xy) = (sum(|p| p.0), sum(|p| p.1), sum(|p| p.2));
        let mean = xx.max(yy) / window.len() as f64;
        let spread = window.iter().map(|p| (p.0.max(p.1) - mean).powi(2)).sum::<f64>() / window.len() as f64;
        if spread.sqrt() < LIVELY * mean {
            return false; // a tone: wait for a voice
        }
        self.told = true;
        xy > ALIKE * (xx * yy).sqrt() && xx < LOUDER * yy && yy < LOUDER * xx
    }
}
