//! A summary in Spanish: short lines that an operator reads and may edit.
use super::{Answered, Open, Record, Summary};
use crate::phrases::desk;
use crate::transcript::Speaker;

/// The last words that a hand-over note tells, in lines.
const LAST: usize = 2;

/// After the call.
pub(super) fn after(summary: &Summary, record: &Record) -> String {
    let mut lines = opening(summary, record);
    lines.extend(asked(summary));
    // What the copilot suggests is an operator's to say.
    let title = if record.bot { "Se respondió" } else { "Aura sugirió" };
    lines.extend(list(title, summary.answered.iter().map(answer)));
    lines.extend(pending(summary));
    lines.join("\n")
}

/// After the call, in a model's words: what must not be lost stays the rule's.
pub(super) fn told(words: &str, summary: &Summary, record: &Record) -> String {
    let mut lines = vec![words.to_owned()];
    lines.extend(opening(summary, record));
    lines.extend(asked(summary));
    let mut rows: Vec<String> = summary.answered.iter().filter_map(row).collect();
    let mut seen = std::collections::BTreeSet::new();
    rows.retain(|row| seen.insert(row.clone()));
    lines.extend(list("Filas del manual", rows.into_iter()));
    lines.extend(pending(summary));
    lines.join("\n")
}

/// While the call goes on.
pub(super) fn during(summary: &Summary, record: &Record) -> String {
    let who = if record.bot { "Venía atendiendo Aura." } else { "Venía atendiendo otra persona." };
    let mut lines = vec![who.to_owned(), format!("Paso abierto: {}.", record.step.label())];
    lines.extend(opening(summary, record));
    let title = if record.bot { "Ya se le dijo" } else { "Aura sugirió" };
    lines.extend(list(title, summary.answered.iter().map(answer)));
    lines.extend(pending(summary));
    let gate = super::Gate::of(record);
    let patient = record.lines.iter().filter(|line| line.speaker == Speaker::Patient);
    let mut last: Vec<String> = patient.rev().take(LAST).map(|line| gate.quote(&line.text)).collect();
    last.reverse();
    let last = last.into_iter().filter(|line| !line.is_empty()).map(|line| format!("«{line}»"));
    lines.extend(list("Lo último que dijo", last));
    lines.join("\n")
}

fn opening(summary: &Summary, record: &Record) -> Vec<String> {
    let mut lines = vec![identity(summary)];
    lines.extend(outage(record));
    lines.extend(named(summary));
    lines
        .extend(record.captured.telephone().map(|telephone| format!("Teléfono para llamarlo: {telephone}.")));
    lines
}

fn asked(summary: &Summary) -> Vec<String> {
    list("Se consultó", summary.asked.iter().map(|asked| format!("«{asked}»")))
}

fn identity(summary: &Summary) -> String {
    format!("Identidad: {}.", desk::identity(summary.identity).es)
}

fn outage(record: &Record) -> Option<String> {
    record.outage.map(|_| "El sistema de pacientes no respondió durante la llamada.".to_owned())
}

/// What the patient told of the matter: nothing that is on file (R20).
fn named(summary: &Summary) -> Vec<String> {
    let reason = summary.reason.iter().map(|reason| format!("Motivo: «{reason}»"));
    let named = [("Equipo que nombró", &summary.equipment), ("Código o aviso que nombró", &summary.codes)];
    let told = named.into_iter().filter(|(_, values)| !values.is_empty());
    reason.chain(told.map(|(label, values)| format!("{label}: {}.", values.join(", ")))).collect()
}

/// What a model may know beside the talk: no telephone and no manual's name, which may be of what is on file.
pub(super) fn facts(summary: &Summary) -> String {
    std::iter::once(identity(summary)).chain(named(summary)).collect::<Vec<_>>().join("\n")
}

fn answer(answered: &Answered) -> String {
    let row = row(answered).unwrap_or_else(|| "sin fila del manual".to_owned());
    format!("{} [{row}]", answered.text)
}

fn row(answered: &Answered) -> Option<String> {
    match (&answered.source, &answered.section) {
        (Some(source), Some(section)) => Some(format!("{source} · {section}")),
        (Some(source), None) => Some(source.clone()),
        (None, _) => None,
    }
}

fn pending(summary: &Summary) -> Vec<String> {
    let told = |open: &Open| match open {
        Open::Emergency => "Se oyó una emergencia: verificar que la persona esté atendida.".to_owned(),
        Open::Callback(reason) => format!("Hay que llamar a la persona ({}).", desk::callback(reason).es),
        Open::Question(question) if question.is_empty() => "Quedó una consulta sin responder.".to_owned(),
        Open::Question(question) => format!("Sin responder: «{question}»"),
        Open::Identity => "Falta confirmar el documento.".to_owned(),
        Open::Datum(field) => format!("{}: no quedó claro.", desk::field(*field).es),
        Open::Unfinished(step) => format!("La llamada terminó en el paso «{}».", step.label()),
    };
    let lines = list("Queda pendiente", summary.open.iter().map(told));
    if lines.is_empty() { vec!["No queda nada pendiente.".to_owned()] } else { lines }
}

fn list(title: &str, items: impl Iterator<Item = String>) -> Vec<String> {
    let items: Vec<String> = items.map(|item| format!("- {item}")).collect();
    if items.is_empty() { items } else { std::iter::once(format!("{title}:")).chain(items).collect() }
}
