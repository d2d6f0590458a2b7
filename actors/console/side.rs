//! The pane at the right: who the patient is, their devices, what was taken down, the script.
use super::prompt::FIELDS;
use super::screen::framed;
use super::state::{Open, UiState};
use super::text::{cut, look, rows};
use super::view::{fields, steps};
use aura::desk::CallView;
use aura::patient::{Outage, Progress};
use aura::phrases::console::{self as phrases, identity, look_up, outage, pane, source, word};
use aura::protocol::desk::{Device, FieldShown, Happening, Key, Patient, StepShown};
use aura::script;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Draws it.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &UiState) {
    let inner = framed(frame, area, pane::PATIENT.es, None);
    let Some((open, view)) = state.view() else { return };
    let (most, fit) = (usize::from(inner.width), usize::from(inner.height));
    let mut lines = patient(open, view, most);
    let devices = devices(open, view, most);
    let data = data(fields(view), most);
    let mut script = script(steps(view), most);
    if lines.len() + devices.len() + data.len() + script.len() + 3 > fit {
        script = in_short(steps(view), most);
    }
    for (title, part) in [(pane::DEVICES, devices), (pane::DATA, data), (pane::SCRIPT, script)] {
        if !part.is_empty() {
            lines.push(Line::styled(cut(&format!("─ {} ", title.es), most), look::FAINT));
            lines.extend(part);
        }
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

fn patient(open: &Open, view: &CallView, most: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let held = match view.of(&Key::One("identity")) {
        Some(Happening::Identity { held: Some(held), .. }) => Some(held),
        _ => None,
    };
    if let Some(held) = held {
        // In full once it was looked at, which is on record.
        let seen = open.patient.as_ref().and_then(|patient| patient.dni.as_ref());
        let dni = seen.map_or_else(|| held.dni.clone(), |dni| format!("DNI {}", grouped(dni)));
        lines.push(Line::styled(cut(&dni, most), look::STRONG));
        let confirmed = held.state == aura::identity::State::Confirmed;
        let style = if confirmed { look::GOOD } else { look::WANTING };
        let stands = format!("{} · {}", identity(held.state).es, source(held.source).es);
        lines.push(Line::styled(cut(&stands, most), style));
    } else if let Some(dni) = open.patient.as_ref().and_then(|patient| patient.dni.as_ref()) {
        lines.push(Line::styled(cut(&format!("DNI {}", grouped(dni)), most), look::STRONG));
    }
    let (progress, down) = match view.of(&Key::One("look_up")) {
        Some(Happening::LookUp { progress, outage, .. }) => (*progress, *outage),
        _ => (Progress::Waiting, None),
    };
    let style = match progress {
        Progress::Dni => look::GOOD,
        Progress::NotFound => look::WANTING,
        Progress::Waiting | Progress::Pending => look::FAINT,
    };
    lines.extend(rows(look_up(progress).es, "", most, style));
    if let Some(down) = down {
        lines.extend(rows(&gone(down), "", most, look::ALARM));
    }
    lines
}

fn gone(down: Outage) -> String {
    let retrying = if down.retrying { format!(" · {}", word::RETRYING.es) } else { String::new() };
    format!("{}: {}{retrying}", word::OUTAGE.es, outage(down.cause).es)
}

/// `12.345.678`
fn grouped(dni: &str) -> String {
    let digits = dni.chars().count();
    let dot = |at: usize| at > 0 && (digits - at).is_multiple_of(3);
    dni.chars()
        .enumerate()
        .flat_map(|(at, digit)| dot(at).then_some('.').into_iter().chain([digit]))
        .collect()
}

fn devices(open: &Open, view: &CallView, most: usize) -> Vec<Line<'static>> {
    let told = match view.of(&Key::One("look_up")) {
        Some(Happening::LookUp { source, models, cached, progress, .. }) => {
            Some((source, *models, *cached, *progress))
        }
        _ => None,
    };
    let mut lines = Vec::new();
    let mut line = |text: &str, style| lines.push(Line::styled(cut(text, most), style));
    match &open.patient {
        Some(Patient { devices: Some(devices), .. }) if devices.is_empty() => {
            line(word::NO_DEVICES.es, look::WANTING);
        }
        Some(Patient { devices: Some(devices), .. }) => {
            devices
                .iter()
                .flat_map(|device| self::device(device, most))
                .for_each(|(text, style)| line(&text, style));
        }
        Some(Patient { devices: None, models, .. }) if !models.is_empty() => {
            models.iter().for_each(|model| line(&format!("· {model}"), look::PLAIN));
        }
        _ => {
            if let Some((_, models, _, _)) = told.filter(|(_, models, ..)| *models > 0) {
                line(&format!("{models} {}", word::MODELS.es), look::PLAIN);
            }
            if told.is_some_and(|(.., progress)| progress == Progress::Dni) {
                line(word::LOOK.es, look::FAINT);
            }
        }
    }
    if told.is_some_and(|(_, _, cached, _)| cached) {
        line(word::CACHED.es, look::WANTING);
    }
    match told.and_then(|(source, ..)| source.as_deref()) {
        Some("mock") => line(word::MOCK.es, look::WANTING),
        Some(source) => line(&format!("{}: {source}", word::FROM.es), look::FAINT),
        None => {}
    }
    lines
}

type Row = (String, ratatui::style::Style);

fn device(device: &Device, most: usize) -> Vec<Row> {
    let brand = device.brand.as_ref().map_or(String::new(), |brand| format!(" ({brand})"));
    let name = super::text::wrap(&format!("{}{brand}", device.name), most.saturating_sub(2));
    let head = name.into_iter().enumerate();
    head.map(|(at, row)| (format!("{} {row}", if at == 0 { '·' } else { ' ' }), look::STRONG)).collect()
}

/// Each datum, whether there is one or not.
fn data(held: &[FieldShown], most: usize) -> Vec<Line<'static>> {
    let line = |field| {
        let label = phrases::field(field).es;
        let found = held.iter().find(|shown| shown.field == field && !shown.values.is_empty());
        let (text, style) = match found {
            None => (format!("□ {label}: {}", word::MISSING.es), look::WANTING),
            Some(shown) => {
                let value = shown.values.join(", ");
                match (shown.in_doubt, shown.confirmed) {
                    (true, _) => (format!("? {label}: {value} ({})", word::DOUBTFUL.es), look::ALARM),
                    (false, true) => (format!("✓ {label}: {value}"), look::GOOD),
                    (false, false) => (format!("· {label}: {value}"), look::PLAIN),
                }
            }
        };
        Line::styled(cut(&text, most), style)
    };
    FIELDS.into_iter().map(line).collect()
}

const fn mark(progress: script::Progress) -> char {
    match progress {
        script::Progress::Todo => '·',
        script::Progress::Open => '▸',
        script::Progress::Done => '✓',
    }
}

fn script(steps: &[StepShown], most: usize) -> Vec<Line<'static>> {
    let line = |(at, step): (usize, &StepShown)| {
        let style = match step.progress {
            script::Progress::Todo => look::PLAIN,
            script::Progress::Open => look::STRONG,
            script::Progress::Done => look::GOOD,
        };
        Line::styled(cut(&format!("{} {} {}", mark(step.progress), at + 1, step.label), most), style)
    };
    steps.iter().enumerate().map(line).collect()
}

/// All steps' marks in one row, the open one's name below.
fn in_short(steps: &[StepShown], most: usize) -> Vec<Line<'static>> {
    let marks: Vec<String> =
        steps.iter().enumerate().map(|(at, step)| format!("{}{}", mark(step.progress), at + 1)).collect();
    let open = steps.iter().find(|step| step.progress == script::Progress::Open);
    let mut lines = vec![Line::raw(cut(&marks.join(" "), most))];
    lines.extend(open.map(|open| Line::styled(cut(&format!("▸ {}", open.label), most), look::STRONG)));
    lines
}
