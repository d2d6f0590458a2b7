//! A summary in Spanish: short lines that an operator reads and may edit.
use super::{Answered, Open, Record, Summary};
use crate::phrases::desk;
use crate::transcript::Speaker;

/// The last words that a hand-over note tells, in lines.
const LAST: usize = 2;

/// After the call.
pub(super) fn after(summary: &Summary, record: &Record<'_>) -> String {
    let mut lines = opening(summary, record);
    lines.extend(list("Se consultó", summary.asked.iter().map(|asked| format!("«{asked}»"))));
    lines.extend(list("Se respondió", summary.answered.iter().map(answer)));
    lines.extend(pending(summary));
    lines.join("\n")
}

/// While the call goes on.
pub(super) fn during(summary: &Summary, record: &Record<'_>) -> String {
    let who = if record.bot { "Venía atendiendo Aura." } else { "Venía atendiendo otra persona." };
    let mut lines = vec![who.to_owned(), format!("Paso abierto: {}.", record.step.label())];
    lines.extend(opening(summary, record));
    lines.extend(list("Ya se le dijo", summary.answered.iter().map(answer)));
    lines.extend(pending(summary));
    let gate = super::Gate::of(record);
    let patient = record.lines.iter().filter(|line| line.speaker == Speaker::Patient);
    let mut last: Vec<String> = patient.rev().take(LAST).map(|line| gate.quote(&line.text)).collect();
    last.reverse();
    let last = last.into_iter().filter(|line| !line.is_empty()).map(|line| format!("«{line}»"));
    lines.extend(list("Lo último que dijo", last));
    lines.join("\n")
}

fn opening(summary: &Summary, record: &Record<'_>) -> Vec<String> {
    let mut lines = vec![format!("Identidad: {}.", desk::identity(summary.identity).es)];
    if record.outage.is_some() {
        lines.push("El sistema de pacientes no respondió durante la llamada.".to_owned());
    }
    lines.extend(summary.reason.iter().map(|reason| format!("Motivo: «{reason}»")));
    let named = [("Equipo que nombró", &summary.equipment), ("Código o aviso que nombró", &summary.codes)];
    let told = named.into_iter().filter(|(_, values)| !values.is_empty());
    lines.extend(told.map(|(label, values)| format!("{label}: {}.", values.join(", "))));
    lines
        .extend(record.captured.telephone().map(|telephone| format!("Teléfono para llamarlo: {telephone}.")));
    lines
}

fn answer(answered: &Answered) -> String {
    match (&answered.source, &answered.section) {
        (Some(source), Some(section)) => format!("{} [{source} · {section}]", answered.text),
        (Some(source), None) => format!("{} [{source}]", answered.text),
        (None, _) => format!("{} [sin fila del manual]", answered.text),
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
