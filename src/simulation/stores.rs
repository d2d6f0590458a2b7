//! The stores: rows that the filter admits, scored by chance; slow, failing, lost or late at times.
use super::dice::Dice;
use super::mail::{Letter, Mail, Ms, Sender};
use crate::call::Input;
use crate::equipment::Catalogue;
use crate::generation::{Failure, FailureKind};
use crate::ids::TurnId;
use crate::retrieval::{CANDIDATE_LIMIT, Candidate, Chunk, Found, LessonCandidate, LessonKind, Search};

const M50: &str = "concentradores electricos/m50_sysmedm50.md";
const YUWELL: &str = "concentradores electricos/yuwell_7f5.md";
const EVERFLO: &str = "concentradores electricos/everflo.md";
const INOGEN: &str = "concentradores portatiles/inogen_one.md";

/// (source, title, section, row, content)
const ROWS: [(&str, &str, &str, &str, &str); 12] = [
    (
        M50,
        "Concentrador SysMed M50",
        "Alarmas",
        "Código en Pantalla: H08 / H01",
        "Qué indica: H08 o H01 señala una falla.\nQué hacer: Apague el equipo y vuelva a encenderlo una sola vez.\nCuándo llamar: Si el código vuelve, pida service.",
    ),
    (
        M50,
        "Concentrador SysMed M50",
        "Alarmas",
        "Código en Pantalla: Low O2 / H02",
        "Qué indica: Low O2 avisa que sale poco oxígeno.\nQué hacer: Separe el M50 de la pared. Enderece la cánula.",
    ),
    (
        M50,
        "Concentrador SysMed M50",
        "Cuidados",
        "Filtro de aire",
        "Qué hacer: Lave el filtro una vez por semana con agua tibia.",
    ),
    (
        YUWELL,
        "Concentrador Yuwell 7F-5",
        "Alarmas",
        "E43",
        "Qué indica: E43 avisa presión alta.\nQué hacer: Revise que la manguera no esté doblada.\nCuándo llamar: Si sigue, pida service.",
    ),
    (
        YUWELL,
        "Concentrador Yuwell 7F-5",
        "Cuidados",
        "Vaso humidificador",
        "Qué hacer: Llene el vaso hasta la marca y cambie el agua todos los días.",
    ),
    (
        EVERFLO,
        "Concentrador EverFlo",
        "Luces",
        "Luz roja con pitido",
        "Qué indica: La luz roja con pitido avisa una falla.\nQué hacer: Pase al oxígeno de respaldo.\nCuándo llamar: Pida service enseguida.",
    ),
    (
        INOGEN,
        "Concentrador portátil Inogen One",
        "Batería",
        "La batería no carga",
        "Qué hacer: Saque la batería, espere 10 minutos y vuelva a colocarla.",
    ),
    (
        INOGEN,
        "Concentrador portátil Inogen One",
        "Alarmas",
        "No se detecta respiración",
        "Qué indica: El Inogen One no detecta la respiración.\nQué hacer: Respire por la nariz.",
    ),
    (
        "cap/recarga.md",
        "Recargas",
        "Pedidos",
        "Pedir una recarga",
        "Qué hacer: Pida la recarga con 48 horas de anticipación.",
    ),
    (
        "cap/domicilio_retiro_service.md",
        "Domicilio",
        "Cambios",
        "Cambiar el domicilio",
        "Qué hacer: Avise el domicilio nuevo antes de mudarse.",
    ),
    (
        "tubos/tubo_regulador.md",
        "Tubo con regulador",
        "Uso",
        "Abrir el tubo",
        "Qué hacer: Gire la llave despacio hacia la izquierda.",
    ),
    (
        "tubos/mochila_ahorrador.md",
        "Mochila",
        "Uso",
        "Duración",
        "Qué indica: La mochila dura cerca de 4 horas a 2 litros por minuto.",
    ),
];

const LESSONS: [(&str, &str); 3] = [
    ("no me carga", "Pregúntele primero si el cargador está enchufado."),
    ("hace ruido", "Que apoye el equipo en el piso, lejos de la pared."),
    ("quiere hablar con alguien", "Dígale que lo llaman al 11 5555 0100."),
];

/// All rows there are.
pub(super) fn rows() -> impl Iterator<Item = Chunk> {
    ROWS.iter().map(|(source, title, section, row, content)| Chunk {
        source: (*source).to_owned(),
        title: (*title).to_owned(),
        section: (*section).to_owned(),
        row: (*row).to_owned(),
        content: (*content).to_owned(),
    })
}

/// What supervisors taught.
pub(super) fn lessons() -> impl Iterator<Item = &'static str> {
    LESSONS.iter().map(|(_, answer)| *answer)
}

/// Whether a row's manual is one that is always open.
pub(super) fn always_open(source: &str) -> bool {
    Catalogue::builtin().always_allowed().iter().any(|prefix| source.starts_with(prefix.as_str()))
}

/// Answers a search in time, late, twice, with a failure, or never.
pub(super) fn search(dice: &mut Dice, mail: &mut Mail, now: Ms, turn: TurnId, search: &Search) {
    let from = Sender::Stores(turn.0);
    let slow = dice.in_hundred(12);
    let delay = if slow { dice.between(800, 5_000) } else { dice.between(3, 700) };
    match dice.below(100) {
        0..8 => return,
        8..16 => {
            return mail.post(
                from,
                now,
                delay,
                Letter::For(Input::Retrieved { turn, found: Err(failure(dice)) }),
            );
        }
        _ => {}
    }
    for _ in 0..=usize::from(dice.in_hundred(6)) {
        let found = Ok(found(dice, search));
        mail.post(from, now, delay, Letter::For(Input::Retrieved { turn, found }));
    }
}

/// Answers a search by hand, with a failure, or never.
pub(super) fn by_hand(dice: &mut Dice, mail: &mut Mail, now: Ms, number: u32, query: &Search) {
    let found = match dice.below(100) {
        0..15 => return,
        15..30 => Err(failure(dice)),
        _ => Ok(found(dice, query)),
    };
    let delay = dice.between(3, 2_500);
    let input = Input::Searched { search: number, found };
    mail.post(Sender::ByHand, now, delay, Letter::For(input));
}

pub(super) fn failure(dice: &mut Dice) -> Failure {
    let kinds = [FailureKind::Busy, FailureKind::Timeout, FailureKind::Upstream, FailureKind::Unavailable];
    let kind = dice.pick(&kinds).copied().unwrap_or(FailureKind::Upstream);
    Failure { kind, detail: "the other side is down; try again".to_owned() }
}

/// What the SQL could answer: only what the filter admits, nearest first.
fn found(dice: &mut Dice, search: &Search) -> Found {
    let admitted = |row: &Chunk| search.filter.as_ref().is_none_or(|filter| filter.admits(&row.source));
    let mut manuals: Vec<Candidate> = rows()
        .filter(admitted)
        .map(|chunk| {
            let near = chunk.row.split(' ').any(|word| word.len() > 2 && search.text.contains(word));
            let cosine = dice.between(if near { 50 } else { 20 }, if near { 95 } else { 75 });
            Candidate { chunk, cosine: cosine as f32 / 100.0 }
        })
        .collect();
    manuals.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
    manuals.truncate(if dice.in_hundred(4) { 0 } else { CANDIDATE_LIMIT });
    let lessons = if dice.in_hundred(15) { lesson(dice).into_iter().collect() } else { Vec::new() };
    Found { manuals, lessons, embed_ms: 7, query_ms: 3, model: "simulated".to_owned() }
}

fn lesson(dice: &mut Dice) -> Option<LessonCandidate> {
    let at = dice.below(LESSONS.len());
    let (complaint, answer) = LESSONS.get(at)?;
    let kind = if dice.in_hundred(50) { LessonKind::Correction } else { LessonKind::Approved };
    let cosine = dice.between(60, 99) as f32 / 100.0;
    let (complaint, answer) = ((*complaint).to_owned(), (*answer).to_owned());
    Some(LessonCandidate {
        id: format!("lesson-{}", char::from(b'a' + at as u8)),
        kind,
        complaint,
        answer,
        cosine,
    })
}
