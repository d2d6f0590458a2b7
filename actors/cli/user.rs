//! `aura user`: accounts, their passwords and tokens. Each change goes on record before it is made.
mod ask;

use super::{Outcome, Tools, with_base};
use crate::accounts::password::Passwords;
use crate::accounts::{keys, password_link, setup_link};
use crate::config::Config;
use crate::store::{AccountRow, ActRow, Facts, NewToken, Store};
use aura::account::{AccountName, Password, Role, Scope};
use aura::audit::{Act, Action};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::error::Error;
use std::process::ExitCode;
use uuid::Uuid;

/// Days that a token lasts unless it is said.
const DAYS: u16 = 90;

/// `aura user …`
#[derive(clap::Subcommand)]
pub(super) enum UserCommand {
    /// Add an account. Its password is asked for at the terminal.
    Add {
        /// 2 to 40 of a-z 0-9 . _ -
        name: String,
        /// operator, supervisor or administrator.
        #[arg(long)]
        role: String,
        #[command(flatten)]
        password: PasswordFrom,
    },
    /// List accounts and tokens.
    List,
    /// Close an account; its sessions and tokens end.
    Disable {
        /// The account.
        name: String,
    },
    /// Open a closed account again; what ended with it stays ended.
    Enable {
        /// The account.
        name: String,
    },
    /// Set an account's password; its sessions and tokens end.
    Password {
        /// The account.
        name: String,
        #[command(flatten)]
        password: PasswordFrom,
    },
    /// Issue a bearer token, which is printed once, or revoke one.
    Token(TokenArgs),
    /// Print a new set-up link, while there is no account yet.
    Setup,
}

/// Where a password comes from.
#[derive(clap::Args)]
pub(super) struct PasswordFrom {
    /// Read the password from standard input: its first line.
    #[arg(long, conflicts_with = "link")]
    password_stdin: bool,
    /// Print a link with which the account's owner chooses it, once, within 24 h.
    #[arg(long)]
    link: bool,
}

/// Arguments of `aura user token`.
#[derive(clap::Args)]
pub(super) struct TokenArgs {
    /// Whose token: it may do what both the account's role and the scopes allow.
    #[arg(required_unless_present_any = ["machine", "revoke"])]
    account: Option<String>,
    /// A machine's own token: it may do what the scopes allow.
    #[arg(long, conflicts_with = "account", requires = "name")]
    machine: bool,
    /// What it is good for; may be given more than once.
    #[arg(long, required_unless_present = "revoke")]
    scope: Vec<String>,
    /// Days that it lasts.
    #[arg(long, default_value_t = DAYS, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// What it is called.
    #[arg(long)]
    name: Option<String>,
    /// Revoke the token of this name instead.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["account", "machine", "scope", "name"])]
    revoke: Option<String>,
}

type Done = Result<(), Box<dyn Error>>;

pub(super) async fn run(config: &Config, command: UserCommand) -> Outcome {
    with_base(config, async |tools| {
        match command {
            UserCommand::Add { name, role, password } => add(&tools, &name, &role, &password).await?,
            UserCommand::List => list(&tools.store).await?,
            UserCommand::Disable { name } => disable(&tools.store, &name).await?,
            UserCommand::Enable { name } => enable(&tools.store, &name).await?,
            UserCommand::Password { name, password } => change_password(&tools, &name, &password).await?,
            UserCommand::Token(args) => token(&tools.store, args).await?,
            UserCommand::Setup => setup(&tools).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}

async fn add(tools: &Tools, name: &str, role: &str, from: &PasswordFrom) -> Done {
    let (name, role) = (AccountName::parse(name)?, Role::parse(role)?);
    let taken = || format!("there is an account '{name}' already; `aura user list` shows all");
    if tools.store.account(name.as_str()).await?.is_some() {
        return Err(taken().into());
    }
    let hash = hashed(&name, from).await?;
    let detail = json!({ "account": name.as_str(), "role": role.as_str() });
    note(&tools.store, Action::AccountAdded, detail).await?;
    let id = tools.store.add_account(name.as_str(), role.as_str(), hash.as_deref()).await?;
    let id = id.ok_or_else(taken)?;
    println!("{name} added as {role}");
    if hash.is_none() {
        print_link(tools, id).await?;
    }
    Ok(())
}

/// The hash of the password that was typed; `None` where the owner chooses it by link.
async fn hashed(name: &AccountName, from: &PasswordFrom) -> Result<Option<String>, Box<dyn Error>> {
    if from.link {
        return Ok(None);
    }
    let typed = if from.password_stdin { ask::first_line()? } else { ask::twice(name)? };
    let password = Password::choose(name, &typed)?;
    Ok(Some(Passwords::default().hash(password).await?))
}

async fn print_link(tools: &Tools, account: Uuid) -> Done {
    let path = password_link(&tools.store, account).await?;
    println!("password link, good once within 24 h: {}{path}", tools.config.console(tools.config.dial()));
    Ok(())
}

async fn list(store: &Store) -> Done {
    for account in store.accounts().await? {
        let state = match (&account.disabled_at, &account.password_hash) {
            (Some(_), _) => "disabled",
            (None, None) => "no password yet",
            (None, Some(_)) => "active",
        };
        println!("{:<40} {:<14} {state}", account.name, account.role);
    }
    for token in store.tokens().await? {
        let whose = token.account.map_or_else(|| "machine".to_owned(), |name| format!("of {name}"));
        let used =
            token.last_used_at.map_or_else(|| "never used".to_owned(), |at| format!("used {}", day(at)));
        println!(
            "token {} ({whose}): {}; until {}, {used}",
            token.name,
            token.scopes.join(" "),
            day(token.expires_at)
        );
    }
    Ok(())
}

fn day(at: Timestamp) -> jiff::civil::Date {
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}

async fn disable(store: &Store, name: &str) -> Done {
    let account = find(store, name).await?;
    note(store, Action::AccountDisabled, json!({ "account": account.name })).await?;
    store.disable_account(account.id).await?;
    println!("{name} is disabled; its sessions and tokens have ended");
    Ok(())
}

async fn enable(store: &Store, name: &str) -> Done {
    let account = find(store, name).await?;
    note(store, Action::AccountChanged, json!({ "account": account.name, "changed": "enabled" })).await?;
    store.enable_account(account.id).await?;
    println!("{name} is enabled");
    Ok(())
}

async fn change_password(tools: &Tools, name: &str, from: &PasswordFrom) -> Done {
    let account = find(&tools.store, name).await?;
    let name = AccountName::parse(name)?;
    let Some(hash) = hashed(&name, from).await? else { return print_link(tools, account.id).await };
    let detail = json!({ "account": account.name, "changed": "password" });
    note(&tools.store, Action::AccountChanged, detail).await?;
    tools.store.set_password(account.id, &hash).await?;
    println!("{name} has a new password; its sessions and tokens have ended");
    Ok(())
}

async fn token(store: &Store, args: TokenArgs) -> Done {
    if let Some(name) = args.revoke {
        return revoke(store, &name).await;
    }
    let scopes = args.scope.iter().map(|name| Scope::parse(name)).collect::<Result<Vec<_>, _>>()?;
    let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    let account = match &args.account {
        Some(name) => Some(find(store, name).await?),
        None => None,
    };
    if account.as_ref().is_some_and(|account| account.disabled_at.is_some()) {
        return Err("the account is disabled: `aura user enable` it first".into());
    }
    let key = keys::token()?;
    let name = match (&args.name, &account) {
        (Some(name), _) => AccountName::parse(name)?.to_string(),
        (None, Some(account)) => format!("{}-{:02x}{:02x}", account.name, key.hash[0], key.hash[1]),
        (None, None) => return Err("a machine's token needs --name".into()),
    };
    let taken = || format!("there is a token '{name}' already; revoke it, or give another --name");
    if store.tokens().await?.iter().any(|token| token.name == name) {
        return Err(taken().into());
    }
    let whose = account.as_ref().map(|account| account.name.as_str());
    let detail = json!({ "token": name, "account": whose, "scopes": scopes, "days": args.days });
    note(store, Action::TokenIssued, detail).await?;
    let id = account.as_ref().map(|account| account.id);
    let token = NewToken { hash: key.hash, name: name.clone(), account: id, scopes, days: args.days };
    if !store.issue_token(&token).await? {
        return Err(taken().into());
    }
    eprintln!("token {name}, good for {} days; it isn't shown again:", args.days);
    println!("{}", key.text);
    Ok(())
}

async fn revoke(store: &Store, name: &str) -> Done {
    if !store.tokens().await?.iter().any(|token| token.name == name) {
        return Err(format!("no valid token is called '{name}'; `aura user list` shows all").into());
    }
    note(store, Action::TokenRevoked, json!({ "token": name })).await?;
    store.revoke_token(name).await?;
    println!("token {name} is revoked");
    Ok(())
}

async fn setup(tools: &Tools) -> Done {
    let path = setup_link(&tools.store, false).await?;
    let path = path.ok_or("there are accounts already; `aura user add` adds one")?;
    println!("set-up link, good once within 24 h: {}{path}", tools.config.console(tools.config.dial()));
    Ok(())
}

async fn find(store: &Store, name: &str) -> Result<AccountRow, Box<dyn Error>> {
    let account = store.account(name).await?;
    Ok(account.ok_or_else(|| format!("there is no account '{name}'; `aura user list` shows all"))?)
}

/// Puts an act of this command on record.
async fn note(store: &Store, action: Action, detail: Value) -> Done {
    let by = format!("command:{}", ask::user());
    let act = Act { by, action, patient: None, call: None, detail };
    let row = ActRow { id: Uuid::now_v7(), at: Timestamp::now(), act };
    store.insert_facts(&Facts { acts: vec![row], ..Facts::default() }).await?;
    Ok(())
}
