//! Cuts a text into the model's pieces: SentencePiece's unigram model, the likeliest cut by Viterbi.

use std::ops::Range;

use super::file::{Cursor, Flaw, shape};
use super::normaliser::Normaliser;

/// Subtracted from the lowest score for a character no piece covers.
const UNKNOWN_PENALTY: f64 = 10.0;
/// FNV-1a's start and multiplier.
const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0100_0000_01b3);

/// The pieces, their scores, and how text is prepared for them.
pub struct Tokenizer {
    normaliser: Normaliser,
    scores: Box<[f32]>,
    offsets: Box<[u32]>,
    /// Where the pieces' text is in the file.
    text: Range<usize>,
    /// Open addressing by FNV-1a: piece + 1, 0 is empty.
    table: Box<[u32]>,
    unknown_score: f64,
    /// Bytes of the longest piece.
    longest: usize,
    special: Special,
}

/// The control pieces a sequence needs.
struct Special {
    begin: u32,
    end: u32,
    unknown: u32,
}

/// The best way to reach a place in the text.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    piece: u32,
    from: usize,
}

/// Room to cut one text in, kept between texts.
#[derive(Default)]
pub struct Lattice {
    text: String,
    starts: Vec<usize>,
    steps: Vec<Step>,
    /// The answer: piece ids from `<s>` to `</s>`.
    pub ids: Vec<u32>,
}

impl Tokenizer {
    /// Reads the pieces and the normaliser, which the cursor has reached; `vocabulary` bounds the ids.
    pub fn read(file: &[u8], cursor: &mut Cursor<'_>, vocabulary: usize) -> Result<Self, Flaw> {
        let count = cursor.count("the number of pieces")?;
        if count == 0 || count > vocabulary {
            return Err(Flaw::damaged(format!("{count} pieces"), format!("1 to {vocabulary}")));
        }
        let names = ["<s>", "</s>", "<pad>", "<unk>"];
        let mut ids = [0; 4];
        for (id, name) in ids.iter_mut().zip(names) {
            *id = cursor.u32(name)?;
        }
        let length = usize::try_from(cursor.u64("the pieces' length")?)
            .map_err(|_| Flaw::damaged("the pieces' length", "one memory could hold"))?;
        let offsets =
            words(cursor.take((count + 1).saturating_mul(4), "the pieces' offsets")?, u32::from_le_bytes);
        let scores = words(cursor.take(count.saturating_mul(4), "the pieces' scores")?, f32::from_le_bytes);
        let text = cursor.skip(length, "the pieces' text")?;
        let longest = check(&offsets, &scores, length)?;
        let lowest = scores.iter().fold(0.0, |low: f32, score| low.min(*score));
        let mut tokenizer = Self {
            normaliser: Normaliser::read(cursor)?,
            scores,
            offsets,
            text,
            table: Box::default(),
            unknown_score: f64::from(lowest) - UNKNOWN_PENALTY,
            longest,
            special: Special { begin: ids[0], end: ids[1], unknown: ids[3] },
        };
        for (id, name) in ids.into_iter().zip(names) {
            if tokenizer.piece(file, id) != Some(name.as_bytes()) {
                return Err(Flaw::damaged(format!("piece {id}"), format!("{name} there")));
            }
        }
        tokenizer.index(file)?;
        Ok(tokenizer)
    }

    /// Files every piece under its hash. Control pieces (score 0) stay out: no text can spell them.
    fn index(&mut self, file: &[u8]) -> Result<(), Flaw> {
        let mut table = vec![0; (self.scores.len() * 2).next_power_of_two()];
        for id in 0..self.scores.len() {
            let (Ok(id), false) = (u32::try_from(id), self.scores[id] >= 0.0) else { continue };
            let Some(piece) = self.piece(file, id) else { continue };
            let mut slot = slot(hash(FNV.0, piece), table.len());
            while table[slot] != 0 {
                if self.piece(file, table[slot] - 1) == Some(piece) {
                    return Err(Flaw::damaged(format!("piece {id} is listed twice"), "once"));
                }
                slot = (slot + 1) % table.len();
            }
            table[slot] = id + 1;
        }
        self.table = table.into();
        Ok(())
    }

    /// A piece's bytes.
    fn piece<'f>(&self, file: &'f [u8], id: u32) -> Option<&'f [u8]> {
        let id = usize::try_from(id).ok()?;
        let (start, end) = (*self.offsets.get(id)?, *self.offsets.get(id + 1)?);
        file[self.text.clone()].get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// The piece that is spelt exactly so; `hash` is its FNV-1a.
    fn find(&self, file: &[u8], hash: u64, spelling: &[u8]) -> Option<u32> {
        let mut slot = slot(hash, self.table.len());
        while self.table[slot] != 0 {
            let id = self.table[slot] - 1;
            if self.piece(file, id) == Some(spelling) {
                return Some(id);
            }
            slot = (slot + 1) % self.table.len();
        }
        None
    }

    /// Fills `lattice.ids` with the pieces of `prefix` and `text`, `<s>` to `</s>`, cut at 512 in all.
    pub fn encode(&self, file: &[u8], prefix: &str, text: &str, lattice: &mut Lattice) {
        self.normaliser.normalise(prefix, text, &mut lattice.text);
        lattice.starts.clear();
        lattice.starts.extend(lattice.text.char_indices().map(|(at, _)| at));
        lattice.starts.push(lattice.text.len());
        self.walk(file, lattice);
        lattice.ids.clear();
        let mut at = lattice.steps.len() - 1;
        while at > 0 {
            let step = lattice.steps[at];
            // Neighbouring unknown characters are one unknown piece, as in training.
            if step.piece != self.special.unknown || lattice.ids.last() != Some(&step.piece) {
                lattice.ids.push(step.piece);
            }
            at = step.from;
        }
        lattice.ids.push(self.special.begin);
        lattice.ids.reverse();
        lattice.ids.truncate(shape::POSITIONS - 1);
        lattice.ids.push(self.special.end);
    }

    /// Viterbi, forwards: for each place between characters, the best last piece.
    fn walk(&self, file: &[u8], lattice: &mut Lattice) {
        let Lattice { text, starts, steps, .. } = lattice;
        let unreached = Step { score: f64::NEG_INFINITY, piece: self.special.unknown, from: 0 };
        steps.clear();
        steps.resize(starts.len(), unreached);
        steps[0].score = 0.0;
        for from in 0..starts.len() - 1 {
            let score = steps[from].score;
            let mut hashed = FNV.0;
            for to in from + 1..starts.len() {
                let spelling = &text.as_bytes()[starts[from]..starts[to]];
                if spelling.len() > self.longest {
                    break;
                }
                hashed = hash(hashed, &text.as_bytes()[starts[to - 1]..starts[to]]);
                if let Some(piece) = self.find(file, hashed, spelling) {
                    let score = score + self.score(piece);
                    improve(&mut steps[to], Step { score, piece, from });
                }
            }
            let piece = self.special.unknown;
            improve(&mut steps[from + 1], Step { score: score + self.unknown_score, piece, from });
        }
    }

    fn score(&self, piece: u32) -> f64 {
        usize::try_from(piece)
            .ok()
            .and_then(|id| self.scores.get(id))
            .map_or(f64::NEG_INFINITY, |s| f64::from(*s))
    }
}

fn improve(best: &mut Step, other: Step) {
    if other.score > best.score {
        *best = other;
    }
}

fn hash(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV.1))
}

/// The table has a power of two of slots, far below 2³².
fn slot(hash: u64, slots: usize) -> usize {
    usize::try_from(hash & 0xffff_ffff).unwrap_or(0) & (slots - 1)
}

fn words<T>(bytes: &[u8], word: fn([u8; 4]) -> T) -> Box<[T]> {
    bytes.as_chunks::<4>().0.iter().map(|quad| word(*quad)).collect()
}

/// Offsets that rise from 0 to the text's length and scores that are numbers; returns the longest piece's bytes.
fn check(offsets: &[u32], scores: &[f32], length: usize) -> Result<usize, Flaw> {
    let ends = (offsets.first(), offsets.last().map(|last| usize::try_from(*last)));
    let mut longest = 0;
    for pair in offsets.windows(2) {
        let Some(bytes) = pair[1].checked_sub(pair[0]).filter(|bytes| *bytes > 0) else {
            return Err(Flaw::damaged(format!("a piece from {} to {}", pair[0], pair[1]), "rising offsets"));
        };
        longest = longest.max(bytes);
    }
    if ends != (Some(&0), Some(Ok(length))) {
        return Err(Flaw::damaged("the pieces' offsets", format!("0 first and {length} last")));
    }
    if !scores.iter().all(|score| score.is_finite()) {
        return Err(Flaw::damaged("a piece's score is no number", "finite scores"));
    }
    usize::try_from(longest).map_err(|_| Flaw::damaged("the longest piece", "one memory could hold"))
}
