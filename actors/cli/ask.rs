//! `aura ask`: what the engine makes of one turn, shown. The same rooms decide here as in a call.
use super::{Outcome, Tools, with_base};
use crate::base;
use crate::config::Config;
use crate::embed::Embedder;
use crate::rag;
use aura::ask::{Answer, Asked, Engine};
use aura::channel::Channel;
use aura::retrieval::plan::Step;
use serde::Deserialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of `aura ask`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// What the patient says.
    text: Option<String>,
    /// The patient's equipment on file; several by comma.
    #[arg(long, value_delimiter = ',')]
    crm: Vec<String>,
    /// Equipment named earlier in the conversation; several by comma.
    #[arg(long, value_delimiter = ',')]
    sticky: Vec<String>,
    /// retell, audio_fork, elevenlabs or whatsapp.
    #[arg(long, default_value = "audio_fork")]
    channel: String,
    /// One JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// One JSON object per line in (id, text, channel, crm, sticky), one per line out.
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    batch: Option<PathBuf>,
}

/// One line of a batch.
#[derive(Deserialize)]
struct Line {
    id: Option<serde_json::Value>,
    text: String,
    channel: Option<String>,
    #[serde(default)]
    crm: Option<Vec<String>>,
    #[serde(default)]
    sticky: Option<Vec<String>>,
}

pub(super) async fn run(config: &Config, args: Args) -> Outcome {
    let lines = lines(&args)?;
    let channels: Vec<Channel> =
        lines.iter().map(|line| channel(line.channel.as_deref(), &args.channel)).collect::<Result<_, _>>()?;
    let batch = args.batch.is_some();
    with_base(config, async |tools| {
        let session = Session::open(&tools).await?;
        for (line, channel) in lines.iter().zip(channels) {
            let answer = session.ask(line, channel, batch).await?;
            match (batch, args.json) {
                (false, false) => println!("{answer}"),
                (batch, _) => println!("{}", answer.to_json(line.id.as_ref(), !batch)),
            }
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}

fn lines(args: &Args) -> Result<Vec<Line>, Box<dyn std::error::Error>> {
    let Some(file) = &args.batch else {
        let text = args.text.clone().ok_or("nothing to ask: give a text, or --batch FILE")?;
        let channel = Some(args.channel.clone());
        return Ok(vec![Line {
            id: None,
            text,
            channel,
            crm: Some(args.crm.clone()),
            sticky: Some(args.sticky.clone()),
        }]);
    };
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("batch {} can't be read: {error}", file.display()))?;
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .map(|(n, line)| {
            serde_json::from_str(line).map_err(|error| {
                format!("line {} of {}: expected an object with 'text' ({error})", n + 1, file.display())
                    .into()
            })
        })
        .collect()
}

fn channel(name: Option<&str>, default: &str) -> Result<Channel, String> {
    let name = name.unwrap_or(default);
    Channel::parse(name).ok_or_else(|| {
        format!("unknown channel '{name}': expected retell, audio_fork, elevenlabs or whatsapp")
    })
}

/// Everything that questions share.
struct Session {
    tools: Arc<Tools>,
    embedder: Arc<dyn Embedder>,
    engine: Engine,
}

impl Session {
    async fn open(tools: &Arc<Tools>) -> Result<Self, Box<dyn std::error::Error>> {
        let embedder = tools.embedder().await?;
        if tools.store.files().await?.is_empty() {
            return Err("the base holds no manuals: run `aura ingest manuals` (or `aura serve` once)".into());
        }
        let engine = Engine {
            catalogue: tools.config.open_catalogue()?,
            settings: Arc::new(base::snapshot(&tools.store.settings().await?)),
            scale: embedder.scale(),
            prompts: base::active(&tools.store.prompts().await?),
        };
        Ok(Self { tools: Arc::clone(tools), embedder, engine })
    }

    async fn ask(
        &self,
        line: &Line,
        channel: Channel,
        batch: bool,
    ) -> Result<Answer, Box<dyn std::error::Error>> {
        let none = Vec::new();
        let asked = Asked {
            text: &line.text,
            channel,
            on_file: line.crm.as_ref().unwrap_or(&none),
            sticky: line.sticky.as_ref().unwrap_or(&none),
        };
        let planned = self.engine.plan(&asked);
        let found = match planned.plan.step {
            Step::ShortTurn => None,
            Step::Search | Step::AnsweredAsk => {
                let search = planned.plan.search.clone();
                let found = rag::search_both(&*self.embedder, &*self.tools.store, search).await;
                Some(found.map_err(|failure| failure.detail)?)
            }
        };
        Ok(self.engine.answer(planned, found, !batch))
    }
}
