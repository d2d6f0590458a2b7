//! A document that is dictated in pieces: no line of it is shown, kept, searched for or told a model in the
//! clear (S4).
use super::Call;
use crate::event::News;
use crate::mask::{AROUND, mask, mask_piece, pieces};
use crate::transcript::Turn;

impl Call {
    /// A line that is about to be taken in, as it is shown and kept. Where it tells that earlier ones were pieces
    /// of a document, those are shown anew. What may still change is masked by itself.
    pub(super) fn written(&mut self, index: usize, line: &Turn) -> String {
        self.pieces.remove(&index);
        let partial = line.place.is_some_and(|place| place.partial);
        if partial || !crate::dni::has_number(&line.text) {
            return mask(&line.text).into_owned();
        }
        let from = index.saturating_sub(AROUND);
        let before = self.transcript.iter().take(index).skip(from);
        let lines: Vec<Turn> = before.chain([line]).cloned().collect();
        let found = pieces(&lines).into_iter().enumerate().filter(|(_, piece)| *piece);
        let new: Vec<usize> = found.map(|(at, _)| from + at).filter(|at| self.pieces.insert(*at)).collect();
        for earlier in new.into_iter().filter(|at| *at != index) {
            self.tell_again(earlier);
        }
        self.private(index, &line.text)
    }

    /// The call's lines so far, for a desk that has begun anew.
    pub fn retold(&self) -> Vec<News> {
        let lines = self.transcript.iter().enumerate().map(|(index, line)| {
            let (speaker, place, text) = (line.speaker, line.place, self.private(index, &line.text));
            News::Heard { index, speaker, text, place }
        });
        std::iter::once(News::Opened).chain(lines).collect()
    }

    fn tell_again(&mut self, index: usize) {
        let Some(line) = self.transcript.get(index) else { return };
        let (speaker, place, text) = (line.speaker, line.place, self.private(index, &line.text));
        self.tell(News::Heard { index, speaker, text, place });
    }

    /// The words of the line at `index`, without any document.
    pub(super) fn private(&self, index: usize, text: &str) -> String {
        match self.pieces.contains(&index) {
            true => mask_piece(text),
            false => mask(text).into_owned(),
        }
    }

    /// The line at `index` for a search or a model: its pieces of a document hidden. What else is to be masked
    /// is masked there.
    pub(super) fn without_pieces(&self, index: usize, line: &Turn) -> Turn {
        let text = if self.pieces.contains(&index) { mask_piece(&line.text) } else { line.text.clone() };
        Turn { text, ..line.clone() }
    }
}
