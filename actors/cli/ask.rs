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
    let questions = questions(&args)?;
    let batch = args.batch.is_some();
    with_base(config, async |tools| {
        let session = Session::open(&tools).await?;
        for (line, channel) in &questions {
            let answer = session.ask(line, *channel, batch).await?;
            match (batch, args.json) {
                (false, false) => println!("{answer}"),
                (batch, _) => println!("{}", answer.to_json(line.id.as_ref(), !batch)),
            }
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}

fn questions(args: &Args) -> Result<Vec<(Line, Channel)>, Box<dyn std::error::Error>> {
    let default = channel(&args.channel)?;
    let Some(file) = &args.batch else {
        let text = args.text.clone().ok_or("nothing to ask: give a text, or --batch FILE")?;
        let (crm, sticky) = (Some(args.crm.clone()), Some(args.sticky.clone()));
        return Ok(vec![(Line { id: None, text, channel: None, crm, sticky }, default)]);
    };
    let bytes =
        std::fs::read(file).map_err(|error| format!("batch {} can't be read: {error}", file.display()))?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let read = |(n, line): (usize, &[u8])| {
        question(line, default).map_err(|why| format!("line {} of {}: {why}", n + 1, file.display()).into())
    };
    lines.filter(|(_, line)| !line.trim_ascii().is_empty()).map(read).collect()
}

fn question(line: &[u8], default: Channel) -> Result<(Line, Channel), String> {
    let text = std::str::from_utf8(line).map_err(|_| "not UTF-8; save the file as UTF-8".to_owned())?;
    let line: Line = serde_json::from_str(text).map_err(|error| {
        let whole = error.to_string();
        let why = whole.split(" at line ").next().unwrap_or_default();
        format!("expected an object with 'text' ({why})")
    })?;
    let channel = line.channel.as_deref().map_or(Ok(default), channel)?;
    Ok((line, channel))
}

fn channel(name: &str) -> Result<Channel, String> {
    Channel::parse(name).ok_or_else(|| {
        format!("unknown channel '{name}': expected retell, audio_fork, elevenlabs or whatsapp")
    })
}

/// Everything that questions share.
struct Session {
    tools: Arc<Tools>,
    embedder: Arc<dyn Embedder>,
    terms: rag::Terms,
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
            prompts: base::prompts(&tools.store.prompts().await?),
        };
        Ok(Self { tools: Arc::clone(tools), embedder, terms: rag::Terms::patient(), engine })
    }

    async fn ask(
        &self,
        line: &Line,
        channel: Channel,
        batch: bool,
    ) -> Result<Answer, Box<dyn std::error::Error>> {
        base::require_prompt(&self.engine.prompts, channel)?;
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
                let found = rag::search_both(&*self.embedder, &*self.tools.store, search, &self.terms).await;
                Some(found.map_err(|failure| failure.detail)?)
            }
        };
        Ok(self.engine.answer(planned, found, !batch))
    }
}
