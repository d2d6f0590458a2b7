//! What was found, check by check, for a person and for a machine.
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// How a check came out; the worst one is the report's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Calls are answered, but less well or not for long.
    Warning,
    /// Calls aren't answered, or not as they should be.
    Failure,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failure => "failure",
        })
    }
}

/// One check. Its texts hold no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at, e.g. `disk`.
    #[serde(rename = "check")]
    pub name: &'static str,
    /// How it came out.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
    /// What to do; none where all is well.
    pub advice: Option<String>,
}

impl Check {
    /// All is well.
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Ok, found: found.into(), advice: None }
    }

    /// It works, but.
    pub fn warning(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    /// It doesn't work.
    pub fn failure(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Failure, found: found.into(), advice: Some(advice.into()) }
    }
}

/// All checks, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report(Vec<Check>);

impl Report {
    /// Adds a check.
    pub fn add(&mut self, check: Check) {
        self.0.push(check);
    }

    /// The worst of all verdicts.
    pub fn verdict(&self) -> Verdict {
        self.0.iter().map(|check| check.verdict).max().unwrap_or(Verdict::Ok)
    }

    /// `{"verdict": …, "version": …, "checks": [{"check", "verdict", "found", "advice"}, …]}`.
    pub fn to_json(&self) -> Value {
        json!({ "verdict": self.verdict(), "version": env!("CARGO_PKG_VERSION"), "checks": self.0 })
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.0.iter().filter(|check| check.verdict == verdict).count()
    }
}

impl Extend<Check> for Report {
    fn extend<T: IntoIterator<Item = Check>>(&mut self, checks: T) {
        self.0.extend(checks);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Check { name, verdict, found, advice } in &self.0 {
            writeln!(f, "{verdict:<8} {name:<14} {found}")?;
            if let Some(advice) = advice {
                writeln!(f, "{:<23} to do: {advice}", "")?;
            }
        }
        let [failures, warnings] = [Verdict::Failure, Verdict::Warning].map(|verdict| self.count(verdict));
        write!(f, "{} checks, {failures} failures, {warnings} warnings", self.0.len())
    }
}
