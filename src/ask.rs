//! One turn outside any call: planned, decided and laid out as a call would. For `aura ask` and
//! `aura calibrate`.
use crate::channel::Channel;
use crate::equipment::{Catalogue, Model};
use crate::generation::Message;
use crate::phrases::BLOCK_ASK_EQUIPMENT;
use crate::prompt::{self, Parts, Prompt};
use crate::retrieval::decide::{self, Decision, Outcome, Thresholds};
use crate::retrieval::filter::FilterReason;
use crate::retrieval::plan::{self, Known, Plan, Step};
use crate::retrieval::reading::{self, Reading};
use crate::retrieval::score::{Scale, written};
use crate::retrieval::{Candidate, Chunk, Found, block, report};
use crate::settings::Snapshot;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// What every question is answered with.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Models, codes and manuals.
    pub catalogue: &'static Catalogue,
    /// The settings in force.
    pub settings: Arc<Snapshot>,
    /// Maps the embedder's cosines.
    pub scale: Scale,
    /// The active prompts by key.
    pub prompts: BTreeMap<String, Arc<Prompt>>,
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What the patient says.
    pub text: &'a str,
    /// Through which channel.
    pub channel: Channel,
    /// Equipment on file, by any of its names.
    pub on_file: &'a [String],
    /// Equipment named earlier, by any of its names.
    pub sticky: &'a [String],
}

/// A question, read and planned.
#[derive(Clone, Debug)]
pub struct Planned {
    /// How it reads.
    pub reading: Reading,
    /// How it is looked up.
    pub plan: Plan,
    /// Its channel.
    pub channel: Channel,
    text: String,
    earlier: BTreeSet<Model>,
}

/// What came of a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The question.
    pub planned: Planned,
    /// The rows that were fetched.
    pub candidates: Vec<Candidate>,
    /// What was decided; `None` where the gate closed.
    pub decision: Option<Decision>,
    /// The thresholds that ran.
    pub thresholds: Thresholds,
    scale: Scale,
    found: Option<Found>,
    block: Option<String>,
    messages: Vec<Message>,
}

impl Engine {
    /// Reads and plans.
    pub fn plan(&self, asked: &Asked<'_>) -> Planned {
        let reading = reading::read(asked.text, self.catalogue);
        let named = reading.named();
        let on_file = self.models(asked.on_file);
        let earlier = self.models(asked.sticky);
        let profile = asked.channel.profile();
        // A copilot's named model filters its own turn only, yet stays known (R7, DECISIONS 4).
        let sticky = if profile.sticky { earlier.clone() } else { BTreeSet::new() };
        let known = Known {
            profile,
            settings: &self.settings,
            catalogue: self.catalogue,
            on_file: &on_file,
            sticky: &sticky,
            named: &named,
            earlier: &earlier,
            pending: None,
        };
        let plan = plan::plan(&reading, &known);
        let earlier = earlier.into_iter().chain(named).collect();
        Planned { reading, plan, channel: asked.channel, text: asked.text.to_owned(), earlier }
    }

    /// Decides and lays out; `found` is `None` where the gate closed. Messages only where `whole`.
    pub fn answer(&self, planned: Planned, found: Option<Found>, whole: bool) -> Answer {
        let profile = planned.channel.profile();
        let thresholds = Thresholds::resolve(&self.settings, profile);
        let decision = found.as_ref().map(|found| {
            let codes = &planned.reading.codes;
            decide::decide(found, &planned.plan, codes, &thresholds, self.scale, self.catalogue)
        });
        let rows = injected(decision.as_ref());
        let titled = block::titled(self.catalogue, &planned.earlier);
        let rows: Vec<Chunk> = rows.iter().map(|row| row.chunk.clone()).collect();
        let lessons = decision.as_ref().map(|decision| decision.lessons.as_slice()).unwrap_or_default();
        let asks = matches!(decision.as_ref().map(|decision| &decision.outcome), Some(Outcome::Ask));
        let block = block::manual(&rows, &titled);
        let context = block::context(&rows, lessons, asks.then_some(BLOCK_ASK_EQUIPMENT.es), &titled);
        let messages = match self.prompts.get(profile.prompt_key) {
            Some(prompt) if whole => prompt::messages(&Parts {
                prompt,
                system_extras: &[],
                history: &[],
                history_limit: None,
                context: &context,
                last: &planned.text,
            }),
            _ => Vec::new(),
        };
        let candidates = found.as_ref().map(|found| found.manuals.clone()).unwrap_or_default();
        Answer { planned, candidates, decision, thresholds, scale: self.scale, found, block, messages }
    }

    /// Canonical where the catalogue knows the name; else kept, so that the filter fails open (R8).
    fn models(&self, names: &[String]) -> BTreeSet<Model> {
        let known = |name: &String| self.catalogue.canonical(name).unwrap_or_else(|| Model::new(name.trim()));
        names.iter().filter(|name| !name.trim().is_empty()).map(known).collect()
    }
}

fn injected(decision: Option<&Decision>) -> &[Candidate] {
    match decision.map(|decision| &decision.outcome) {
        Some(Outcome::Hit(rows)) => rows,
        _ => &[],
    }
}

impl Answer {
    /// `hit`, `ask`, `miss` or `gate`.
    pub fn outcome(&self) -> &'static str {
        match self.decision.as_ref().map(|decision| &decision.outcome) {
            None => "gate",
            Some(Outcome::Hit(_)) => "hit",
            Some(Outcome::Ask) => "ask",
            Some(Outcome::Miss(_)) => "miss",
        }
    }

    /// Why, where it isn't a plain hit.
    pub fn reason(&self) -> Option<&'static str> {
        match &self.decision {
            None => Some("short_turn"),
            Some(decision) => report::reason(self.planned.plan.step, &decision.outcome),
        }
    }

    /// The rows that would be injected.
    pub fn injected(&self) -> &[Candidate] {
        injected(self.decision.as_ref())
    }

    fn sources(&self) -> Option<Vec<&str>> {
        let filter = self.planned.plan.search.filter.as_ref()?;
        Some(filter.sources.iter().map(String::as_str).collect())
    }

    fn row(&self, candidate: &Candidate) -> Value {
        let Chunk { source, section, row, .. } = &candidate.chunk;
        let score = self.scale.score(candidate.cosine);
        json!({ "source": source, "section": section, "row": row, "cosine": written(candidate.cosine), "score": written(score) })
    }

    /// One object; `id` is repeated where it was given.
    pub fn to_json(&self, id: Option<&Value>, whole: bool) -> Value {
        let reading = &self.planned.reading;
        let rows = |rows: &[Candidate]| rows.iter().map(|row| self.row(row)).collect::<Vec<_>>();
        let mut object = json!({
            "outcome": self.outcome(),
            "reason": self.reason(),
            "normalized": reading.text,
            "query": self.planned.plan.search.text,
            "models": reading.models,
            "codes": reading.codes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "textCodes": reading.text_codes,
            "sources": self.sources(),
            "prefixes": self.planned.plan.search.filter.as_ref().map(|filter| &filter.prefixes),
            "filter": self.planned.plan.filter_reason,
            "threshold": written(self.thresholds.knowledge),
            "scope": self.planned.channel,
            "candidates": rows(&self.candidates),
            "injected": rows(self.injected()),
            "memoryBestScore": self.decision.as_ref().and_then(|decision| decision.memory_best_score).map(written),
            "embeddingModel": self.found.as_ref().map(|found| found.model.as_str()),
        });
        if whole {
            object["block"] = json!(self.block);
            object["messages"] = json!(self.messages);
        }
        if let Some(id) = id {
            object["id"] = id.clone();
        }
        object
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reading, plan) = (&self.planned.reading, &self.planned.plan);
        let codes: Vec<String> = reading.codes.iter().map(ToString::to_string).collect();
        let models: Vec<&str> = reading.models.iter().map(Model::as_str).collect();
        writeln!(
            f,
            "outcome     {}{}",
            self.outcome(),
            self.reason().map(|r| format!(" ({r})")).unwrap_or_default()
        )?;
        writeln!(f, "normalised  {}", reading.text)?;
        writeln!(f, "query       {}", plan.search.text)?;
        writeln!(f, "models      {}", or_dash(&models.join(", ")))?;
        writeln!(f, "codes       {}", or_dash(&[codes.join(", "), reading.text_codes.join(", ")].join(" ")))?;
        writeln!(f, "filter      {}", filter_line(plan))?;
        writeln!(
            f,
            "threshold   {} (scope {}), on {}",
            self.thresholds.knowledge,
            self.planned.channel,
            report::describe(self.scale)
        )?;
        for candidate in &self.candidates {
            let score = self.scale.score(candidate.cosine);
            let Chunk { source, section, row, .. } = &candidate.chunk;
            let mark = if self.injected().contains(candidate) { "*" } else { " " };
            writeln!(f, "{mark} {score:.3} (cosine {:.4})  {source} § {section} § {row}", candidate.cosine)?;
        }
        for message in &self.messages {
            writeln!(f, "\n── {:?} ──\n{}", message.role, message.content)?;
        }
        Ok(())
    }
}

fn or_dash(text: &str) -> &str {
    if text.trim().is_empty() { "-" } else { text.trim() }
}

fn filter_line(plan: &Plan) -> String {
    let names = |models: &[Model]| models.iter().map(Model::as_str).collect::<Vec<_>>().join(", ");
    match (&plan.filter_reason, &plan.search.filter) {
        _ if plan.step == Step::ShortTurn => "not searched".to_owned(),
        (FilterReason::Equipment { models }, Some(filter)) => {
            let sources: Vec<&str> = filter.sources.iter().map(String::as_str).collect();
            format!(
                "{} + {} (equipment: {})",
                sources.join(" + "),
                filter.prefixes.join(" + "),
                names(models)
            )
        }
        (FilterReason::NoManual { model }, _) => format!("none: {} has no manual", model.as_str()),
        (FilterReason::NotInMap { model }, _) => format!("none: {} isn't in the map", model.as_str()),
        (FilterReason::NothingKnown | FilterReason::Equipment { .. }, _) => {
            "none: no equipment is known".to_owned()
        }
    }
}
