//! How Markdown is walked: headings open rows, text fills them, comments stay outside.
mod tables;

use super::{MAX_WORDS, Manual, ManualError, passage};
use crate::retrieval::Chunk;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use tables::Table;

/// Reads a whole file.
pub(super) fn read(source: &str, text: &str) -> Result<Manual, ManualError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::new(source, text);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.step(event, range.start)?;
    }
    reader.finish()
}

/// A row that is being filled.
struct Row {
    label: String,
    line: usize,
    lines: Vec<String>,
    /// Opened by an H3: must say something. A section's own row may stay empty if other rows follow.
    headed: bool,
}

struct Reader<'a> {
    source: &'a str,
    text: &'a str,
    title: Option<(String, usize)>,
    category: Option<String>,
    section: Option<(String, usize)>,
    /// Rows of the current section, by label: where each began.
    seen: BTreeMap<String, usize>,
    row: Option<Row>,
    chunks: Vec<Chunk>,
    notes: Vec<String>,
    /// The inline text of the block that is open.
    buffer: String,
    table: Option<Table>,
    /// The marks of the list items that are open: `Some(n)` counts.
    lists: Vec<Option<u64>>,
    /// Inside a metadata block: nothing is read.
    muted: bool,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str, text: &'a str) -> Self {
        Self {
            source,
            text,
            title: None,
            category: None,
            section: None,
            seen: BTreeMap::new(),
            row: None,
            chunks: Vec::new(),
            notes: Vec::new(),
            buffer: String::new(),
            table: None,
            lists: Vec::new(),
            muted: false,
        }
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text.as_bytes()[..offset.min(self.text.len())].iter().filter(|byte| **byte == b'\n').count()
    }

    fn step(&mut self, event: Event<'_>, at: usize) -> Result<(), ManualError> {
        match event {
            Event::Start(tag) => return self.open(&tag, at),
            Event::End(tag) => return self.close(&tag, at),
            Event::Html(html) | Event::InlineHtml(html) => return self.comment(&html, at),
            Event::Text(text) | Event::Code(text) if !self.muted => self.buffer.push_str(&text),
            Event::SoftBreak | Event::HardBreak if !self.muted => self.buffer.push('\n'),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, tag: &Tag<'_>, at: usize) -> Result<(), ManualError> {
        match tag {
            Tag::MetadataBlock(_) => self.muted = true,
            Tag::Paragraph if self.text[at..].starts_with('|') => {
                return Err(ManualError::TableWithoutHeader { line: self.line(at) });
            }
            // A tight item's text is closed by what opens below it, not by a paragraph's end.
            Tag::List(first) => {
                self.flush(at);
                self.lists.push(*first);
            }
            Tag::Item => self.mark(),
            Tag::Heading { .. } | Tag::CodeBlock(_) => self.flush(at),
            Tag::Table(_) => {
                self.flush(at);
                self.table = Some(Table::default());
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, tag: &TagEnd, at: usize) -> Result<(), ManualError> {
        match tag {
            TagEnd::MetadataBlock(_) => self.muted = false,
            TagEnd::Heading(level) => return self.heading(*level, at),
            TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock => self.flush(at),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::TableCell => self.cell(),
            TagEnd::TableHead => return self.table_head(at),
            TagEnd::TableRow => return self.table_row(at),
            TagEnd::Table => self.table = None,
            _ => {}
        }
        Ok(())
    }

    fn mark(&mut self) {
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        };
        self.buffer.push_str(&mark);
    }

    /// Ends a block: its text goes to the row that is open.
    fn flush(&mut self, at: usize) {
        let text = tidy(&std::mem::take(&mut self.buffer));
        if text.is_empty() || text == "-" {
            return;
        }
        match &mut self.row {
            Some(row) => row.lines.push(text),
            None => {
                let line = self.line(at);
                self.notes.push(format!("line {line}: this text is in no section and was left out"));
            }
        }
    }

    fn heading(&mut self, level: HeadingLevel, at: usize) -> Result<(), ManualError> {
        let text = tidy(&std::mem::take(&mut self.buffer)).replace('\n', " ");
        let line = self.line(at);
        if level > HeadingLevel::H3 {
            if let Some(row) = &mut self.row {
                row.lines.push(text);
            }
            return Ok(());
        }
        self.end_row()?;
        if text.is_empty() {
            return Err(ManualError::EmptyRow { line, row: text });
        }
        match level {
            HeadingLevel::H1 if self.title.is_some() => return Err(ManualError::SecondTitle { line }),
            HeadingLevel::H1 => self.title = Some((text, line)),
            HeadingLevel::H2 => self.open_section(text, line)?,
            _ if self.section.is_none() => {
                return Err(ManualError::RowOutsideSection { line, row: text });
            }
            _ => self.row = Some(Row { label: text, line, lines: Vec::new(), headed: true }),
        }
        Ok(())
    }

    fn open_section(&mut self, name: String, line: usize) -> Result<(), ManualError> {
        if self.title.is_none() {
            return Err(ManualError::NoTitle);
        }
        self.end_section()?;
        self.row = Some(Row { label: name.clone(), line, lines: Vec::new(), headed: false });
        self.section = Some((name, line));
        Ok(())
    }

    fn end_section(&mut self) -> Result<(), ManualError> {
        self.end_row()?;
        if let Some((name, line)) = self.section.take()
            && self.seen.is_empty()
        {
            return Err(ManualError::EmptyRow { line, row: name });
        }
        self.seen.clear();
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), ManualError> {
        match self.row.take() {
            Some(row) if !row.lines.is_empty() => self.keep(row.label, row.lines.join("\n"), row.line),
            Some(row) if row.headed => Err(ManualError::EmptyRow { line: row.line, row: row.label }),
            _ => Ok(()),
        }
    }

    fn keep(&mut self, row: String, content: String, line: usize) -> Result<(), ManualError> {
        let (Some((title, _)), Some((section, _))) = (&self.title, &self.section) else {
            return Err(ManualError::RowOutsideSection { line, row });
        };
        if let Some(first) = self.seen.insert(row.clone(), line) {
            return Err(ManualError::DuplicateRow { line, section: section.clone(), row, first });
        }
        let chunk = Chunk {
            source: self.source.to_owned(),
            title: title.clone(),
            section: section.clone(),
            row,
            content,
        };
        let words = passage(&chunk).split_whitespace().count();
        if words > MAX_WORDS {
            return Err(ManualError::TooLong { line, row: chunk.row, words });
        }
        self.chunks.push(chunk);
        Ok(())
    }

    /// Only a comment that names the category is of use; no other HTML is read.
    fn comment(&mut self, html: &str, at: usize) -> Result<(), ManualError> {
        let Some(inner) = html.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) else {
            return Ok(());
        };
        let Some(value) = inner.trim().strip_prefix("category:") else { return Ok(()) };
        let value = value.trim().to_owned();
        match &self.category {
            Some(known) if *known != value => Err(ManualError::SecondCategory { line: self.line(at) }),
            _ => {
                self.category = Some(value);
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<Manual, ManualError> {
        self.flush(self.text.len());
        self.end_section()?;
        let Some((title, line)) = self.title else { return Err(ManualError::NoTitle) };
        if self.chunks.is_empty() {
            return Err(ManualError::NoSection { line });
        }
        Ok(Manual {
            source: self.source.to_owned(),
            title,
            category: self.category,
            chunks: self.chunks,
            notes: self.notes,
        })
    }
}

/// Without the spaces that Markdown does not mean, line by line.
fn tidy(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
