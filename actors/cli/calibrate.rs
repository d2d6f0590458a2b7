//! `aura calibrate`: a labelled set against the base, without and with the equipment filter (R31).
use super::{Outcome, Tools, with_base};
use crate::base;
use crate::config::Config;
use crate::embed::Embedder;
use crate::rag;
use aura::ask::{Asked, Engine};
use aura::calibrate::{Labelled, LabelledSet, Row, Table, Trial, Verdict, fit};
use aura::retrieval::plan::Step;
use aura::retrieval::report::describe;
use aura::retrieval::score::Scale;
use aura::settings::{GLOBAL, KNOWLEDGE_THRESHOLD};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Thresholds of the sweep, in hundredths.
const SWEEP: std::ops::RangeInclusive<usize> = 40..=70;
const STEP: usize = 5;

/// Arguments of `aura calibrate`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The labelled set.
    #[arg(default_value = "tests/data/queries_public.json")]
    file: PathBuf,
    /// Fit the embedder's scale on this set and print its constants.
    #[arg(long)]
    fit: bool,
}

pub(super) async fn run(config: &Config, args: Args) -> Outcome {
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| format!("labelled set {} can't be read: {error}", args.file.display()))?;
    let set: LabelledSet = serde_json::from_str(&text)
        .map_err(|error| format!(
                "{} is no labelled set ({error}): expected an object with 'queries'; tests/data/queries_public.json shows the format",
                args.file.display()
            ))?;
    with_base(config, async |tools| {
        let bench = Bench::open(&tools).await?;
        let with = bench.trials(&set.queries, true).await?;
        if args.fit {
            return bench.fit(&with, &args.file);
        }
        let without = bench.trials(&set.queries, false).await?;
        bench.report(&set, &without, &with);
        Ok(ExitCode::SUCCESS)
    })
    .await
}

struct Bench {
    tools: Arc<Tools>,
    embedder: Arc<dyn Embedder>,
    terms: rag::Terms,
    engine: Engine,
}

impl Bench {
    async fn open(tools: &Arc<Tools>) -> Result<Self, Box<dyn std::error::Error>> {
        let embedder = tools.embedder().await?;
        let engine = Engine {
            catalogue: tools.config.open_catalogue()?,
            settings: Arc::new(base::snapshot(&tools.store.settings().await?)),
            scale: embedder.scale(),
            prompts: crate::calls::Prompts::new(), // nothing is said here
        };
        Ok(Self { tools: Arc::clone(tools), embedder, terms: rag::Terms::patient(), engine })
    }

    async fn trials<'a>(
        &self,
        queries: &'a [Labelled],
        filtered: bool,
    ) -> Result<Vec<Trial<'a>>, Box<dyn std::error::Error>> {
        let mut trials = Vec::with_capacity(queries.len());
        for query in queries {
            let asked = Asked {
                text: &query.text,
                channel: query.channel,
                on_file: &query.crm_models,
                sticky: &query.sticky,
            };
            let planned = self.engine.plan(&asked);
            let mut search = planned.plan.search.clone();
            search.filter = search.filter.filter(|_| filtered);
            let found = match planned.plan.step {
                Step::ShortTurn => None,
                Step::Search | Step::AnsweredAsk => {
                    let found =
                        rag::search_both(&*self.embedder, &*self.tools.store, search, &self.terms).await;
                    Some(found.map_err(|failure| failure.detail)?)
                }
            };
            let codes = planned.reading.codes.clone();
            trials.push(Trial { query, plan: planned.plan, codes, found, guarded: filtered });
        }
        Ok(trials)
    }

    fn verdicts(&self, trials: &[Trial<'_>], threshold: f32) -> Vec<Verdict> {
        trials.iter().map(|t| t.verdict(threshold, self.engine.scale, self.engine.catalogue)).collect()
    }

    fn table(&self, trials: &[Trial<'_>]) -> Table {
        let sweep = SWEEP.step_by(STEP).map(|hundredths| hundredths as f32 / 100.0);
        Table(sweep.map(|threshold| (threshold, Row::count(&self.verdicts(trials, threshold)))).collect())
    }

    fn report(&self, set: &LabelledSet, without: &[Trial<'_>], with: &[Trial<'_>]) {
        println!(
            "{} queries, embedder {}, scale {}",
            set.queries.len(),
            self.embedder.model(),
            describe(self.engine.scale)
        );
        println!("\nWITHOUT the filter\n{}", self.table(without));
        println!("WITH the filter\n{}", self.table(with));
        let channel = aura::channel::Channel::AudioFork;
        let threshold = self.engine.settings.number(&KNOWLEDGE_THRESHOLD, channel) as f32;
        println!("With the filter, at {threshold} ({} of {GLOBAL}):", KNOWLEDGE_THRESHOLD.name);
        for (trial, verdict) in with.iter().zip(self.verdicts(with, threshold)) {
            let why = match &verdict {
                Verdict::WrongEquipment(place) => format!("WRONG, another equipment's: {place}"),
                Verdict::WrongSection(place) => format!("WRONG row: {place}"),
                Verdict::WrongAsk => "asked which equipment, although it needn't".to_owned(),
                Verdict::LostAtGate => "not searched: too short for its channel".to_owned(),
                Verdict::Missed => format!("missed ({})", self.nearest(trial)),
                Verdict::Right | Verdict::RightMiss | Verdict::RightAsk | Verdict::Gate => continue,
            };
            println!("  {} «{}»: {why}", trial.query.id, trial.query.text);
        }
    }

    fn nearest(&self, trial: &Trial<'_>) -> String {
        match trial.found.as_ref().and_then(|found| found.manuals.first()) {
            Some(nearest) => format!(
                "nearest {:.3}: {}",
                self.engine.scale.score(nearest.cosine),
                aura::calibrate::Place::of(&nearest.chunk)
            ),
            None => "no candidate".to_owned(),
        }
    }

    fn fit(&self, trials: &[Trial<'_>], file: &std::path::Path) -> Outcome {
        let observations = fit::observe(trials, self.engine.catalogue);
        let rights = observations.iter().filter(|o| o.right).count();
        let Some(Scale::Logistic { slope, intercept }) = fit::logistic(&observations) else {
            return Err(format!(
                "{rights} right of {}: a fit needs both right and wrong answers",
                observations.len()
            )
            .into());
        };
        println!("# for src/retrieval/scales.toml, fitted on {} ({rights} right)", file.display());
        println!("model = \"{}\"\nslope = {slope:.4}\nintercept = {intercept:.4}", self.embedder.model());
        println!("date = \"{}\"\nn = {}", jiff::Zoned::now().date(), observations.len());
        Ok(ExitCode::SUCCESS)
    }
}
