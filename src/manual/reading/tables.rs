//! Tables of a manual: each row below the header stands for itself, or belongs to the H3 above it.
use super::super::ManualError;
use super::{Reader, tidy};

/// A table that is being read.
#[derive(Default)]
pub(super) struct Table {
    header: Vec<String>,
    cells: Vec<String>,
}

impl Reader<'_> {
    pub(super) fn cell(&mut self) {
        let text = tidy(&std::mem::take(&mut self.buffer)).replace('\n', " ");
        if let Some(table) = &mut self.table {
            table.cells.push(text);
        }
    }

    pub(super) fn table_head(&mut self, at: usize) -> Result<(), ManualError> {
        let line = self.line(at);
        if let Some(table) = &mut self.table {
            table.header = std::mem::take(&mut table.cells);
            if table.header.iter().all(String::is_empty) {
                return Err(ManualError::TableWithoutHeader { line });
            }
        }
        Ok(())
    }

    pub(super) fn table_row(&mut self, at: usize) -> Result<(), ManualError> {
        let line = self.line(at);
        let Some(table) = &mut self.table else { return Ok(()) };
        let cells = std::mem::take(&mut table.cells);
        let label = cells.first().cloned().unwrap_or_default();
        let named = table.header.iter().zip(&cells).skip(1).filter(|(_, cell)| !cell.is_empty());
        let lines: Vec<String> = named
            .map(|(header, cell)| if header.is_empty() { cell.clone() } else { format!("{header}: {cell}") })
            .collect();
        if label.is_empty() || (lines.is_empty() && cells.len() > 1) {
            return Err(ManualError::EmptyRow { line, row: label });
        }
        self.take_table_row(label, lines, line)
    }

    /// Below an H3 a table is part of that row; below an H2 each of its rows stands alone.
    fn take_table_row(&mut self, label: String, lines: Vec<String>, line: usize) -> Result<(), ManualError> {
        match &mut self.row {
            Some(row) if row.headed => {
                let mut parts = vec![label];
                parts.extend(lines);
                row.lines.push(parts.join(". "));
                Ok(())
            }
            _ if lines.is_empty() => Err(ManualError::EmptyRow { line, row: label }),
            _ => self.keep(label, lines.join("\n"), line),
        }
    }
}
