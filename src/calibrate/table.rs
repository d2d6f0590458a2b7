//! Calibration's table: counts over a sweep, with intervals that say how little a small set proves.
use super::Verdict;
use std::fmt;

/// Counts at one threshold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Right rows.
    pub right: usize,
    /// Wrong, from another device's manual.
    pub wrong_equipment: usize,
    /// Wrong, from permitted material.
    pub wrong_section: usize,
    /// Asked, rightly.
    pub right_ask: usize,
    /// Asked, wrongly.
    pub wrong_ask: usize,
    /// Silent, rightly.
    pub right_miss: usize,
    /// Silent although a row answers.
    pub missed: usize,
    /// Not searched, rightly.
    pub gate: usize,
    /// Not searched, wrongly.
    pub gate_lost: usize,
}

impl Row {
    /// Counts verdicts.
    pub fn count<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Self {
        let mut row = Self::default();
        for verdict in verdicts {
            let counter = match verdict {
                Verdict::Right => &mut row.right,
                Verdict::WrongEquipment(_) => &mut row.wrong_equipment,
                Verdict::WrongSection(_) => &mut row.wrong_section,
                Verdict::RightAsk => &mut row.right_ask,
                Verdict::WrongAsk => &mut row.wrong_ask,
                Verdict::RightMiss => &mut row.right_miss,
                Verdict::Missed => &mut row.missed,
                Verdict::Gate => &mut row.gate,
                Verdict::LostAtGate => &mut row.gate_lost,
            };
            *counter += 1;
        }
        row
    }

    /// Injected wrongly.
    pub fn wrong(&self) -> usize {
        self.wrong_equipment + self.wrong_section
    }

    /// All queries.
    pub fn total(&self) -> usize {
        let asked = self.right_ask + self.wrong_ask;
        let silent = self.right_miss + self.missed + self.gate + self.gate_lost;
        self.right + self.wrong() + asked + silent
    }
}

/// Wilson's 95 % interval of a share of `hits` in `n`; (0, 1) where nothing was tried.
pub fn wilson(hits: usize, n: usize) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    const Z: f64 = 1.959_964;
    let (n, share) = (n as f64, hits as f64 / n as f64);
    let centre = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let divisor = 1.0 + Z * Z / n;
    (((centre - spread) / divisor).max(0.0), ((centre + spread) / divisor).min(1.0))
}

/// A sweep: (threshold, counts) from low to high.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(pub Vec<(f32, Row)>);

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>5} {:>5} {:>13} {:>17} {:>13} {:>11} {:>11} {:>11}",
            "thr", "RIGHT", "95 %", "WRONG (equ/sec)", "95 %", "ASK (wrong)", "MISS (lost)", "GATE (lost)"
        )?;
        for (threshold, row) in &self.0 {
            let interval = |hits| {
                let (low, high) = wilson(hits, row.total());
                format!("{low:.2}–{high:.2}")
            };
            writeln!(
                f,
                "{threshold:>5.2} {:>5} {:>13} {:>17} {:>13} {:>11} {:>11} {:>11}",
                row.right,
                interval(row.right),
                format!("{} ({}/{})", row.wrong(), row.wrong_equipment, row.wrong_section),
                interval(row.wrong()),
                format!("{} ({})", row.right_ask + row.wrong_ask, row.wrong_ask),
                format!("{} ({})", row.right_miss + row.missed, row.missed),
                format!("{} ({})", row.gate + row.gate_lost, row.gate_lost),
            )?;
        }
        Ok(())
    }
}
