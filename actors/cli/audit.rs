//! `aura audit`: whether the trail holds, and what is in it.
use super::{Outcome, patient, with_base};
use crate::config::Config;
use crate::retention::BUENOS_AIRES;
use crate::store::TrailQuery;
use aura::audit::chain::{Entry, Known};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};
use std::process::ExitCode;

/// `aura audit …`
#[derive(clap::Subcommand)]
pub(super) enum AuditCommand {
    /// Go along the whole trail; exit code 1 and the first entry that doesn't hold where it is damaged.
    Verify {
        /// A head that was written down after an earlier run (SEQ:HASH, or the hash alone): it must still be
        /// in the trail. Only this finds a trail that somebody wrote anew from the start.
        #[arg(long, value_name = "SEQ:HASH")]
        head: Option<String>,
    },
    /// List entries, oldest first.
    List(ListArgs),
}

/// Arguments of `aura audit list`.
#[derive(clap::Args)]
pub(super) struct ListArgs {
    /// From a day (2026-11-30, of Buenos Aires) or a moment (2026-11-30T10:00:00-03:00) on.
    #[arg(long)]
    since: Option<String>,
    /// E.g. equipment_shown.
    #[arg(long)]
    action: Option<String>,
    /// E.g. account:ana.
    #[arg(long)]
    by: Option<String>,
    /// About the patient of this document; - reads it from standard input.
    #[arg(long, value_name = "DNI", allow_hyphen_values = true)]
    patient_dni: Option<String>,
    /// One JSON object per line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, command: AuditCommand) -> Outcome {
    match command {
        AuditCommand::Verify { head } => verify(config, head.as_deref()).await,
        AuditCommand::List(args) => list(config, args).await,
    }
}

async fn verify(config: &Config, head: Option<&str>) -> Outcome {
    let wrong =
        "--head expects SEQ:HASH as `aura audit verify` prints it, or the 64 digits of the hash alone";
    let known = head.map(|text| Known::parse(text).ok_or(wrong)).transpose()?;
    with_base(config, async |tools| match tools.store.verify_trail(known).await? {
        Ok(trail) => {
            println!("the audit trail holds: {} entries, head {}:{}", trail.count, trail.count, trail.head);
            Ok(ExitCode::SUCCESS)
        }
        Err(damage) => Err(format!(
            "the audit trail is damaged: {damage}; keep this database as it is and compare with a backup"
        )
        .into()),
    })
    .await
}

async fn list(config: &Config, args: ListArgs) -> Outcome {
    let patient = args.patient_dni.as_deref().map(|given| patient::hash(config, given)).transpose()?;
    let since = args.since.as_deref().map(moment).transpose()?;
    let query = TrailQuery { since, action: args.action, by: args.by, patient };
    with_base(config, async |tools| {
        let mut last = 0;
        loop {
            let page = tools.store.trail(last, &query).await?;
            let Some(end) = page.last() else { return Ok(ExitCode::SUCCESS) };
            last = end.seq;
            for entry in &page {
                println!("{}", if args.json { told(entry).to_string() } else { line(entry) });
            }
        }
    })
    .await
}

fn moment(text: &str) -> Result<Timestamp, String> {
    let day = |date: Date| date.to_zoned(BUENOS_AIRES).map(|at| at.timestamp());
    let moment = text.parse().or_else(|_| text.parse().and_then(day));
    moment.map_err(|_| {
        format!("--since '{text}' is no moment: expected 2026-11-30 or 2026-11-30T10:00:00-03:00")
    })
}

fn at(entry: &Entry) -> String {
    Timestamp::from_microsecond(entry.at_us).map_or_else(|_| "?".to_owned(), |at| at.to_string())
}

fn line(entry: &Entry) -> String {
    let Entry { seq, by, action, patient, call, detail, .. } = entry;
    let (patient, call) = (patient.as_deref().unwrap_or("-"), call.as_deref().unwrap_or("-"));
    format!("{seq} {} {by} {action} {patient} {call} {detail}", at(entry))
}

fn told(entry: &Entry) -> Value {
    let detail: Value = serde_json::from_str(&entry.detail).unwrap_or_default();
    let Entry { seq, id, by, action, patient, call, .. } = entry;
    json!({ "seq": seq, "id": id, "at": at(entry), "by": by, "action": action, "patient": patient,
            "call": call, "detail": detail })
}
