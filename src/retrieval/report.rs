//! The payload of `knowledge_queried` (R28): from it alone a threshold miss is told from a filter miss.
use super::decide::{Decision, Miss, Outcome, Thresholds};
use super::plan::{Plan, Step};
use super::score::{Scale, written};
use super::{Candidate, Found};
use crate::channel::Channel;
use serde::{Deserialize, Serialize};

/// How the manuals answered, as an answer's own event and the desk repeat it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rag {
    /// Whether rows were injected.
    pub hit: bool,
    /// The nearest row's score; survives a miss (R24).
    pub score: Option<f64>,
    /// The nearest row's raw cosine.
    pub cosine: Option<f64>,
    /// The nearest row's manual.
    pub source: Option<String>,
    /// The nearest row's section.
    pub section: Option<String>,
}

impl Rag {
    /// What a decision found.
    pub fn of(decision: &Decision) -> Self {
        let injected = match &decision.outcome {
            Outcome::Hit(rows) => rows.first(),
            Outcome::Ask | Outcome::Miss(_) => None,
        };
        let best: Option<&Candidate> = decision.best.as_ref();
        Self {
            hit: injected.is_some(),
            score: decision.best_score.map(written),
            cosine: best.map(|c| written(c.cosine)),
            source: best.map(|c| c.chunk.source.clone()),
            section: best.map(|c| c.chunk.section.clone()),
        }
    }
}

/// The payload, field by field. Names stay as the documents write them (DECISIONS 15).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeQueried {
    /// What was embedded, or would have been: masked and normalised.
    pub query: String,
    /// Whether the prompt carries rows.
    pub hit: bool,
    /// Why there are none, or why there are although nothing was searched; null on a plain hit.
    pub reason: Option<&'static str>,
    /// The turn's channel: the scope that settings were resolved for (R4).
    pub scope: Channel,
    /// The thresholds that ran.
    pub knowledge_threshold: f64,
    /// Of corrections.
    pub similarity_threshold: f64,
    /// Of approved answers.
    pub approved_threshold: f64,
    /// The manuals that the search was restricted to; null is the whole corpus (or no search).
    pub knowledge_sources: Option<Vec<String>>,
    /// Milliseconds to embed; null where nothing was embedded.
    pub embed_ms: Option<u32>,
    /// Milliseconds to search.
    pub query_ms: Option<u32>,
    /// The nearest row, whatever its score.
    pub best_score: Option<f64>,
    /// On the model's own scale (DECISIONS 1).
    pub best_cosine: Option<f64>,
    /// Its manual.
    pub best_source: Option<String>,
    /// Its section.
    pub best_section: Option<String>,
    /// The nearest lesson's score.
    pub memory_best_score: Option<f64>,
    /// The embedding model.
    pub embedding_model: Option<String>,
    /// What failed, where the search failed.
    pub error: Option<String>,
}

impl KnowledgeQueried {
    /// A turn that wasn't searched: `short_turn`, `locked`, `reminder`, `search_failed`.
    pub fn unsearched(
        query: &str,
        reason: &'static str,
        scope: Channel,
        thresholds: &Thresholds,
        rag: &Rag,
    ) -> Self {
        Self {
            query: query.to_owned(),
            hit: rag.hit,
            reason: Some(reason),
            scope,
            knowledge_threshold: written(thresholds.knowledge),
            similarity_threshold: written(thresholds.similarity),
            approved_threshold: written(thresholds.approved),
            knowledge_sources: None,
            embed_ms: None,
            query_ms: None,
            best_score: rag.score,
            best_cosine: rag.cosine,
            best_source: rag.source.clone(),
            best_section: rag.section.clone(),
            memory_best_score: None,
            embedding_model: None,
            error: None,
        }
    }

    /// A search that answered.
    pub fn searched(
        plan: &Plan,
        found: &Found,
        decision: &Decision,
        scope: Channel,
        thresholds: &Thresholds,
    ) -> Self {
        Self {
            reason: reason(plan.step, &decision.outcome),
            knowledge_sources: sources(plan),
            embed_ms: Some(found.embed_ms),
            query_ms: Some(found.query_ms),
            memory_best_score: decision.memory_best_score.map(written),
            embedding_model: Some(found.model.clone()),
            ..Self::unsearched(&plan.search.text, "", scope, thresholds, &Rag::of(decision))
        }
    }

    /// A search that failed, with why.
    pub fn failed(plan: &Plan, detail: &str, scope: Channel, thresholds: &Thresholds) -> Self {
        Self {
            knowledge_sources: sources(plan),
            error: Some(detail.to_owned()),
            ..Self::unsearched(&plan.search.text, "search_failed", scope, thresholds, &Rag::default())
        }
    }
}

fn sources(plan: &Plan) -> Option<Vec<String>> {
    plan.search.filter.as_ref().map(|filter| filter.sources.iter().cloned().collect())
}

/// The reason of a search that answered.
pub fn reason(step: Step, outcome: &Outcome) -> Option<&'static str> {
    match (outcome, step) {
        (Outcome::Hit(_), Step::AnsweredAsk) => Some("answered_ask"),
        (Outcome::Hit(_), _) => None,
        (Outcome::Ask, _) => Some("ask"),
        (Outcome::Miss(Miss::BelowThreshold), _) => Some("below_threshold"),
        (Outcome::Miss(Miss::NoCandidates), _) => Some("no_candidates"),
        (Outcome::Miss(Miss::CodeNotFound), _) => Some("code_not_found"),
        (Outcome::Miss(Miss::OtherEquipment), _) => Some("other_equipment"),
    }
}

/// A fitted scale's name in reports.
pub fn describe(scale: Scale) -> String {
    match scale {
        Scale::Identity => "identity".to_owned(),
        Scale::Logistic { slope, intercept } => format!("logistic({slope:.3} * cosine {intercept:+.3})"),
    }
}
