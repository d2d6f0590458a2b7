//! What a command asks the person at the terminal, and who that is.
use aura::account::AccountName;
use std::error::Error;
use std::io::{self, BufRead, IsTerminal, Read};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 4096;

/// The password, typed twice and not shown.
pub(super) fn twice(name: &AccountName) -> Result<String, Box<dyn Error>> {
    if !io::stdin().is_terminal() {
        return Err("no terminal to ask for a password: use --password-stdin, or --link".into());
    }
    let first = rpassword::prompt_password(format!("password of {name}: "))?;
    let second = rpassword::prompt_password("once more: ")?;
    if first == second { Ok(first) } else { Err("the two passwords differ".into()) }
}

/// The first line of standard input, without its end.
pub(super) fn first_line() -> Result<String, Box<dyn Error>> {
    let mut line = String::new();
    io::stdin().lock().take(LONGEST).read_line(&mut line)?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

/// The machine's user who runs the command, by the system and not by a variable.
pub(super) fn user() -> String {
    let uid = rustix::process::getuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut entries = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = entries.find(|entry| entry.get(2).is_some_and(|it| it.parse() == Ok(uid)));
    own.and_then(|entry| entry.first().map(|name| (*name).to_owned())).unwrap_or_else(|| format!("uid-{uid}"))
}
