//! A search of the manuals by an operator's hand: the same filter as a turn's, for the operator's eyes only.
use super::ask::{LATE, RETRIEVAL};
use super::{Call, Output};
use crate::equipment::Code;
use crate::event::{Kind, News, SearchRow};
use crate::generation::Failure;
use crate::phrases::desk::SEARCH_FAILED;
use crate::retrieval::decide::{self, Outcome, Thresholds};
use crate::retrieval::plan::Plan;
use crate::retrieval::score::written;
use crate::retrieval::{Found, Search, reading};
use serde_json::json;
use std::time::Instant;

/// The call's searches by hand: the newest one counts.
#[derive(Debug, Default)]
pub(super) struct Searches {
    count: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    plan: Plan,
    codes: Vec<Code>,
    due: Instant,
}

impl Searches {
    /// When the open one is given up.
    pub(super) fn due(&self) -> Option<Instant> {
        self.open.as_ref().map(|open| open.due)
    }
}

impl Call {
    /// Searches with the equipment on file, in play or named in the text (R5–R8).
    pub(super) fn search_by_hand(&mut self, text: &str, now: Instant) {
        let reading = reading::read(text, self.spec.catalogue);
        if reading.words == 0 {
            return;
        }
        let mut plan = self.plan(&reading, &reading.named(), now);
        plan.search = Search { text: reading.text, filter: plan.search.filter };
        self.by_hand.count += 1;
        let (search, query) = (self.by_hand.count, plan.search.clone());
        self.by_hand.open = Some(Open { plan, codes: reading.codes, due: now + RETRIEVAL + LATE });
        self.outbox.push_back(Output::Search { search, query, within: RETRIEVAL });
    }

    /// The stores answered, or couldn't: one answer for each search that counts.
    pub(super) fn searched_by_hand(&mut self, search: u32, found: Result<Found, Failure>) {
        if search != self.by_hand.count {
            return;
        }
        let Some(Open { plan, codes, .. }) = self.by_hand.open.take() else { return };
        let thresholds = Thresholds::resolve(&self.settings, self.spec.profile);
        let (catalogue, scale) = (self.spec.catalogue, self.spec.scale);
        let (rows, error) = match found {
            Err(failure) => (Vec::new(), Some(failure.detail)),
            Ok(found) => {
                let decision = decide::decide(&found, &plan, &codes, &thresholds, scale, catalogue);
                let injected = match decision.outcome {
                    Outcome::Hit(rows) => rows,
                    Outcome::Ask | Outcome::Miss(_) => Vec::new(),
                };
                let row = |candidate: crate::retrieval::Candidate| SearchRow {
                    holds: injected.contains(&candidate),
                    score: written(scale.score(candidate.cosine)),
                    source: candidate.chunk.source,
                    title: candidate.chunk.title,
                    section: candidate.chunk.section,
                    row: candidate.chunk.row,
                    content: candidate.chunk.content,
                };
                (found.manuals.into_iter().map(row).collect(), None)
            }
        };
        let query = plan.search.text;
        let payload = json!({
            "query": query, "rows": rows.len(), "bestScore": rows.first().map(|row| row.score),
            "bestSource": rows.first().map(|row| &row.source), "hit": rows.iter().any(|row| row.holds),
            "knowledgeSources": plan.search.filter.map(|filter| filter.sources), "error": error,
        });
        let failed = error.map(|_| SEARCH_FAILED.es);
        self.tell(News::Searched { search, query, rows, failed });
        self.record(Kind::ManualSearched, payload);
    }

    /// Nobody answers: the operator is told.
    pub(super) fn by_hand_no_longer(&mut self, now: Instant) {
        if self.by_hand.due().is_some_and(|due| due <= now) {
            let kind = crate::generation::FailureKind::Timeout;
            let detail = "the search by hand took too long".to_owned();
            self.searched_by_hand(self.by_hand.count, Err(Failure { kind, detail }));
        }
    }
}
