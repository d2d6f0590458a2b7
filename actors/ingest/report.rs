//! What an ingest did, for a person at a terminal.
use std::fmt;

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Wasn't in the base.
    New,
    /// Its rows differ from the base's.
    Changed,
    /// Nothing to do.
    Unchanged,
    /// No longer in the folder: removed from the base.
    Gone,
    /// Would have lost rows, but too many would have gone: the base keeps what it had.
    Kept,
    /// Can't be read, and why, with the line; the base keeps what it had.
    Broken(String),
}

/// One file of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// Its path below the folder.
    pub source: String,
    /// What became of it.
    pub change: Change,
    /// Its rows in the base before.
    pub before: usize,
    /// Its rows in the base after (in a dry run: that it would have).
    pub after: usize,
    /// What the file says outside every row, with the line.
    pub notes: Vec<String>,
}

/// Too much would have gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Rows that would have gone.
    pub going: usize,
    /// Rows of the base.
    pub base: usize,
}

/// The whole difference, file by file in order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestReport {
    /// Nothing was written.
    pub dry_run: bool,
    /// Every file of folder and base.
    pub files: Vec<FileReport>,
    /// Set where the tenth rule held rows back.
    pub refusal: Option<Refusal>,
}

impl IngestReport {
    /// Whether the command's exit code must not be 0: a broken file, or rows held back.
    pub fn failed(&self) -> bool {
        self.refusal.is_some() || self.files.iter().any(|file| matches!(file.change, Change::Broken(_)))
    }

    /// Rows of the base before and after.
    pub fn rows(&self) -> (usize, usize) {
        let before = self.files.iter().map(|file| file.before).sum();
        (before, self.files.iter().map(|file| file.after).sum())
    }

    fn count(&self, wanted: fn(&Change) -> bool) -> usize {
        self.files.iter().filter(|file| wanted(&file.change)).count()
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, before, after) = (&self.source, self.before, self.after);
        match &self.change {
            Change::New => write!(f, "new        {source} ({after} rows)")?,
            Change::Changed => write!(f, "changed    {source} ({before} rows before, {after} now)")?,
            Change::Unchanged => write!(f, "unchanged  {source} ({after} rows)")?,
            Change::Gone => write!(f, "gone       {source} ({before} rows)")?,
            Change::Kept => write!(f, "kept       {source} ({before} rows)")?,
            Change::Broken(why) => write!(f, "broken     {source}: {why}")?,
        }
        self.notes.iter().try_for_each(|note| write!(f, "\n           note: {note}"))
    }
}

impl fmt::Display for IngestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "{file}")?;
        }
        let (before, after) = self.rows();
        writeln!(
            f,
            "{} new, {} changed, {} unchanged, {} gone, {} broken; {before} rows before, {after} {}",
            self.count(|change| *change == Change::New),
            self.count(|change| *change == Change::Changed),
            self.count(|change| *change == Change::Unchanged),
            self.count(|change| *change == Change::Gone),
            self.count(|change| matches!(change, Change::Broken(_))),
            if self.dry_run { "after a run without --dry-run" } else { "now" },
        )?;
        if let Some(Refusal { going, base }) = self.refusal {
            writeln!(
                f,
                "Nothing was removed: {going} of {base} rows would go, more than a tenth. Check the folder; if it is \
                 right, run it again with --prune."
            )?;
        }
        Ok(())
    }
}
