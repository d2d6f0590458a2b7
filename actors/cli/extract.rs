//! `aura extract`: which document number is in what somebody says, shown as a call would take it. Needs no
//! database.
use super::Outcome;
use aura::dni::{Action, Extraction, extract};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `aura extract`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// What was said.
    text: Option<String>,
    /// One JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// One JSON object per line in (id, text), or a JSON file with a list of them; one per line out.
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    batch: Option<PathBuf>,
}

/// One utterance of a batch.
#[derive(Deserialize)]
struct Said {
    id: Option<Value>,
    #[serde(alias = "spoken")]
    text: String,
}

pub(super) fn run(args: &Args) -> Outcome {
    let Some(file) = &args.batch else {
        let text = args.text.as_deref().ok_or("nothing to read: give a text, or --batch FILE")?;
        let found = extract(text);
        println!("{}", if args.json { found.json_line(None) } else { shown(&found) });
        return Ok(ExitCode::SUCCESS);
    };
    for said in batch(file)? {
        println!("{}", line(said.id.as_ref(), &extract(&said.text))?);
    }
    Ok(ExitCode::SUCCESS)
}

/// An id comes back as it was given, whatever it is.
fn line(id: Option<&Value>, found: &Extraction) -> Result<String, serde_json::Error> {
    if let None | Some(Value::String(_)) = id {
        return Ok(found.json_line(id.and_then(Value::as_str)));
    }
    let mut line: Value = serde_json::from_str(&found.json_line(None))?;
    line["id"] = id.cloned().unwrap_or_default();
    Ok(line.to_string())
}

fn shown(found: &Extraction) -> String {
    let digits: Vec<String> = found.candidates.iter().map(|dni| dni.digits()).collect();
    let dni = found.dni.map_or_else(|| "none".to_owned(), |dni| dni.digits());
    let meaning = match found.action {
        Action::Use => "take it, and read it back",
        Action::AskAgain => "ask for it again",
        Action::Ignore => "no document was said",
    };
    let mut text = format!("document    {dni}\naction      {} ({meaning})", found.action.as_str());
    if !digits.is_empty() {
        text.push_str(&format!("\ncandidates  {}", digits.join(", ")));
    }
    if found.corrects {
        text.push_str("\ncorrects    what was said before");
    }
    text
}

fn batch(file: &Path) -> Result<Vec<Said>, Box<dyn std::error::Error>> {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("batch {name} can't be read: {error}"))?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    if let Some(list) = serde_json::from_slice(bytes).ok().and_then(list) {
        let read = |(n, value)| said(value).map_err(|why| format!("entry {} of {name}: {why}", n + 1).into());
        return list.into_iter().enumerate().map(read).collect();
    }
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines
        .map(|(n, line)| of_line(line).map_err(|why| format!("line {} of {name}: {why}", n + 1).into()))
        .collect()
}

/// The entries of a whole file: a list, or an object that holds one. An object with a text of its own is a line.
fn list(file: Value) -> Option<Vec<Value>> {
    match file {
        Value::Array(list) => Some(list),
        Value::Object(fields) if !["text", "spoken"].iter().any(|key| fields.contains_key(*key)) => {
            fields.into_iter().find_map(|(_, value)| match value {
                Value::Array(list) => Some(list),
                _ => None,
            })
        }
        _ => None,
    }
}

fn of_line(line: &[u8]) -> Result<Said, String> {
    let text = std::str::from_utf8(line).map_err(|_| "not UTF-8; save the file as UTF-8".to_owned())?;
    said(serde_json::from_str(text).map_err(|error| expected(&error))?)
}

fn said(value: Value) -> Result<Said, String> {
    serde_json::from_value(value).map_err(|error| expected(&error))
}

/// What was expected, without what stood there: it may be a document.
fn expected(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Data => "a field is missing or of another kind",
        _ => "not JSON",
    };
    format!("expected an object with 'text' ({kind})")
}
