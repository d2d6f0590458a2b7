//! What is written down of a call: once, before the desk is told that it is over; and as it changes hands.
use super::{Judged, Watch, ensure};
use crate::call::{Call, Closing, Input, Output};
use crate::event::{Kind, News};
use crate::summary::{Of, Open};
use crate::transcript::Speaker;
use serde_json::json;

impl Watch {
    /// After a step.
    pub(super) fn check_summaries(&self, input: Option<&Input>, outputs: &[Output], call: &Call) -> Judged {
        let notes = outputs.iter().enumerate().filter_map(|(at, output)| match output {
            Output::Tell(News::Summary(note)) => Some((at, note)),
            _ => None,
        });
        let notes: Vec<_> = notes.collect();
        let closed = outputs.iter().position(|output| *output == Output::Tell(News::Closed));
        for (at, note) in &notes {
            let kept = outputs.iter().any(|output| match output {
                Output::Record(event) => event.kind == Kind::CallSummarised && event.payload == json!(note),
                _ => false,
            });
            ensure(kept, "a summary is kept", || format!("{note:?}"))?;
            let due = match note.of {
                Of::After => closed.is_some_and(|closed| *at < closed),
                Of::HandOver => changes_hands(input, outputs),
            };
            ensure(due, "a summary in its time", || format!("{note:?} at {input:?}"))?;
            let open = &note.summary.open;
            let emergency = self.alerts.is_empty() || open.contains(&Open::Emergency);
            ensure(emergency, "an emergency stays open", || format!("{open:?}"))?;
            let called_back = open.iter().any(|open| matches!(open, Open::Callback(_)));
            ensure(called_back || self.callbacks == 0, "a call back stays open", || format!("{open:?}"))?;
        }
        let spoke =
            || call.transcript().iter().any(|line| line.speaker == Speaker::Patient && !line.text.is_empty());
        let written = notes.iter().filter(|(_, note)| note.of == Of::After).count();
        ensure(
            closed.is_none() || written == usize::from(spoke()) || written == 1,
            "a summary at the end",
            || format!("{written} of them"),
        )
    }
}

fn changes_hands(input: Option<&Input>, outputs: &[Output]) -> bool {
    let transfers =
        outputs.iter().any(|output| matches!(output, Output::Close { then: Closing::Transfer(_), .. }));
    transfers || matches!(input, Some(Input::Claimed(_) | Input::TakenOver(_)))
}
