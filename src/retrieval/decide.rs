//! After the search: which rows are injected, or why none is (R16, R17, DECISIONS 3, 4).
use super::plan::Plan;
use super::score::Scale;
use super::{Candidate, Found, LessonCandidate, LessonKind};
use crate::channel::Profile;
use crate::equipment::{Catalogue, Code, codes_in};
use crate::settings::{self, Snapshot};
use serde::Serialize;

/// Why nothing was injected. Part of the `reason` of `knowledge_queried`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Miss {
    /// The nearest row lies under the threshold.
    BelowThreshold,
    /// The corpus, or what the filter leaves of it, holds nothing.
    NoCandidates,
    /// The question names a code that no row holds.
    CodeNotFound,
    /// The nearest row belongs to a device that isn't in play.
    OtherEquipment,
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// These rows are injected, the one to follow first.
    Hit(Vec<Candidate>),
    /// A device's row is nearest and its model is unknown: ask (S6).
    Ask,
    /// Nothing is injected.
    Miss(Miss),
}

/// The thresholds of one turn, resolved (R4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Manuals.
    pub knowledge: f32,
    /// Corrections.
    pub similarity: f32,
    /// Approved answers.
    pub approved: f32,
    /// Whether an unknown device is asked for.
    pub ask: bool,
}

impl Thresholds {
    /// Resolves them for a channel.
    pub fn resolve(settings: &Snapshot, profile: &Profile) -> Self {
        let number = |setting| settings.number(setting, profile.channel) as f32;
        Self {
            knowledge: number(&settings::KNOWLEDGE_THRESHOLD),
            similarity: number(&settings::SIMILARITY_THRESHOLD),
            approved: number(&settings::APPROVED_THRESHOLD),
            ask: settings.flag(&settings::ASK_WHEN_EQUIPMENT_UNKNOWN, profile.channel),
        }
    }
}

/// What a search came to, with what nearly was (R24).
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Rows, a question, or nothing.
    pub outcome: Outcome,
    /// The nearest row of the permitted material, whatever its score.
    pub best: Option<Candidate>,
    /// Its score on the thresholds' scale.
    pub best_score: Option<f32>,
    /// Lessons over their threshold, nearest first.
    pub lessons: Vec<LessonCandidate>,
    /// The nearest lesson's score, whatever it is.
    pub memory_best_score: Option<f32>,
}

/// Decides a search. `codes` are the question's.
pub fn decide(
    found: &Found,
    plan: &Plan,
    codes: &[Code],
    thresholds: &Thresholds,
    scale: Scale,
    catalogue: &Catalogue,
) -> Decision {
    let best = found.manuals.first().cloned();
    let best_score = best.as_ref().map(|c| scale.score(c.cosine));
    let outcome = match best_score {
        None => Outcome::Miss(Miss::NoCandidates),
        Some(score) if score < thresholds.knowledge => Outcome::Miss(Miss::BelowThreshold),
        Some(_) => choose(&found.manuals, plan, codes, thresholds, scale, catalogue),
    };
    let scored = |lesson: &LessonCandidate| scale.score(lesson.cosine);
    Decision {
        outcome,
        best,
        best_score,
        lessons: found.lessons.iter().filter(|l| scored(l) >= bound(l.kind, thresholds)).cloned().collect(),
        memory_best_score: found.lessons.iter().map(scored).max_by(f32::total_cmp),
    }
}

fn bound(kind: LessonKind, thresholds: &Thresholds) -> f32 {
    match kind {
        LessonKind::Correction => thresholds.similarity,
        LessonKind::Approved => thresholds.approved,
    }
}

/// The nearest row passed: what of the fetched rows may be injected, in which order.
fn choose(
    fetched: &[Candidate],
    plan: &Plan,
    codes: &[Code],
    thresholds: &Thresholds,
    scale: Scale,
    catalogue: &Catalogue,
) -> Outcome {
    let permitted = |candidate: &&Candidate| plan.permits(&candidate.chunk.source, catalogue);
    let foreign =
        || if thresholds.ask && plan.may_ask { Outcome::Ask } else { Outcome::Miss(Miss::OtherEquipment) };
    if fetched.first().is_some_and(|nearest| !permitted(&nearest)) && plan.named_sources.is_empty() {
        return foreign();
    }
    let rows: Vec<&Candidate> = fetched.iter().filter(permitted).collect();
    if rows.first().is_none_or(|nearest| scale.score(nearest.cosine) < thresholds.knowledge) {
        return Outcome::Miss(Miss::OtherEquipment);
    }
    if codes.is_empty() {
        let passing = |c: &&&Candidate| scale.score(c.cosine) >= thresholds.knowledge;
        return Outcome::Hit(rows.iter().filter(passing).map(|c| (*c).clone()).collect());
    }
    let chosen = by_code(&rows, codes, |c| scale.score(c.cosine) >= thresholds.knowledge);
    if !chosen.is_empty() {
        return Outcome::Hit(chosen);
    }
    let elsewhere = fetched.iter().any(|c| !permitted(&c) && codes.iter().any(|code| holds(c, *code)));
    if elsewhere { foreign() } else { Outcome::Miss(Miss::CodeNotFound) }
}

/// Rows that hold a named code first, whatever their score, then the others that pass. Empty when
/// none holds one: never 'the exact entry' of something else (DECISIONS 3).
fn by_code(rows: &[&Candidate], codes: &[Code], passes: impl Fn(&Candidate) -> bool) -> Vec<Candidate> {
    let holds_any = |row: &Candidate| codes.iter().any(|code| holds(row, *code));
    let labelled = |row: &Candidate| codes.iter().any(|code| codes_in(&row.chunk.row).contains(code));
    let (mut first, rest): (Vec<&Candidate>, Vec<&Candidate>) =
        rows.iter().copied().partition(|row| holds_any(row));
    if first.is_empty() {
        return Vec::new();
    }
    // A label names the row's own code; a text may mention another's.
    first.sort_by_key(|row| !labelled(row));
    first.into_iter().chain(rest.into_iter().filter(|row| passes(row))).cloned().collect()
}

fn holds(candidate: &Candidate, code: Code) -> bool {
    codes_in(&candidate.chunk.row).contains(&code) || codes_in(&candidate.chunk.content).contains(&code)
}
