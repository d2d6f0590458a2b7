//! Who may do what: roles of people, scopes of machines, and the one table that both are read from.
mod name;
mod password;
mod throttle;

pub use name::{AccountName, BadName};
pub use password::{LONGEST_PASSWORD, Password, SHORTEST_PASSWORD, WeakPassword};
pub use throttle::{Throttle, Wait};

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a person does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Talks to patients.
    Operator,
    /// Talks to patients, takes calls over, judges answers.
    Supervisor,
    /// Runs the service; sees no patient.
    Administrator,
}

/// Something that not everybody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// See live calls and what is said in them.
    SeeCalls,
    /// Claim a call, ask for suggestions, end it.
    ActOnCalls,
    /// See a patient's equipment; each look leaves a trace.
    SeeEquipment,
    /// Type a document, or vouch for one.
    Identify,
    /// Take a call over from somebody, judge marks.
    Supervise,
    /// Change settings.
    Settings,
    /// Activate prompts.
    Prompts,
    /// Add and disable accounts and tokens.
    Accounts,
    /// Read the metrics.
    Metrics,
}

/// What a machine's token may be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// `calls:read`
    CallsRead,
    /// `calls:act`
    CallsAct,
    /// `patient:read`
    PatientRead,
    /// `patient:write`: a document keyed in at a telephone menu, say.
    PatientWrite,
    /// `supervise`
    Supervise,
    /// `settings`
    Settings,
    /// `prompts`
    Prompts,
    /// `metrics`
    Metrics,
}

/// Who may do what. Whoever runs the service has no business with patients, so an administrator is no
/// stronger operator. No scope is good for accounts: those are changed by people.
const TABLE: [(Permission, &[Role], Option<Scope>); 9] = {
    use Role::{Administrator, Operator, Supervisor};
    [
        (Permission::SeeCalls, &[Operator, Supervisor], Some(Scope::CallsRead)),
        (Permission::ActOnCalls, &[Operator, Supervisor], Some(Scope::CallsAct)),
        (Permission::SeeEquipment, &[Operator, Supervisor], Some(Scope::PatientRead)),
        (Permission::Identify, &[Operator, Supervisor], Some(Scope::PatientWrite)),
        (Permission::Supervise, &[Supervisor], Some(Scope::Supervise)),
        (Permission::Settings, &[Administrator], Some(Scope::Settings)),
        (Permission::Prompts, &[Administrator], Some(Scope::Prompts)),
        (Permission::Accounts, &[Administrator], None),
        (Permission::Metrics, &[Supervisor, Administrator], Some(Scope::Metrics)),
    ]
};

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Operator, Self::Supervisor, Self::Administrator];

    /// The name on the command line, in the base and over HTTP.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Supervisor => "supervisor",
            Self::Administrator => "administrator",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == name).ok_or_else(|| UnknownRole(name.to_owned()))
    }

    /// Whether the role brings this.
    pub fn allows(self, permission: Permission) -> bool {
        TABLE.iter().any(|(of, roles, _)| *of == permission && roles.contains(&self))
    }
}

impl Permission {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::SeeCalls,
        Self::ActOnCalls,
        Self::SeeEquipment,
        Self::Identify,
        Self::Supervise,
        Self::Settings,
        Self::Prompts,
        Self::Accounts,
        Self::Metrics,
    ];

    /// What it lets somebody do, for a refusal's text.
    pub const fn about(self) -> &'static str {
        match self {
            Self::SeeCalls => "see calls",
            Self::ActOnCalls => "act on calls",
            Self::SeeEquipment => "see a patient's equipment",
            Self::Identify => "type or confirm a document",
            Self::Supervise => "supervise",
            Self::Settings => "change settings",
            Self::Prompts => "activate prompts",
            Self::Accounts => "change accounts",
            Self::Metrics => "read metrics",
        }
    }
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::CallsRead,
        Self::CallsAct,
        Self::PatientRead,
        Self::PatientWrite,
        Self::Supervise,
        Self::Settings,
        Self::Prompts,
        Self::Metrics,
    ];

    /// The name on the command line and in the base.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallsRead => "calls:read",
            Self::CallsAct => "calls:act",
            Self::PatientRead => "patient:read",
            Self::PatientWrite => "patient:write",
            Self::Supervise => "supervise",
            Self::Settings => "settings",
            Self::Prompts => "prompts",
            Self::Metrics => "metrics",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.as_str() == name);
        found.ok_or_else(|| UnknownScope(name.to_owned()))
    }

    /// Whether the scope brings this.
    pub fn allows(self, permission: Permission) -> bool {
        TABLE.iter().any(|(of, _, scope)| *of == permission && *scope == Some(self))
    }
}

/// All that somebody may do: their role's, and where a token is shown no more than its scopes'.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rights {
    /// A person who signed in.
    Of(Role),
    /// A person's token: what both the role and the scopes bring.
    Within(Role, Vec<Scope>),
    /// A machine's token.
    Machine(Vec<Scope>),
}

impl Rights {
    /// Whether they bring this.
    pub fn allow(&self, permission: Permission) -> bool {
        let scoped = |scopes: &[Scope]| scopes.iter().any(|scope| scope.allows(permission));
        match self {
            Self::Of(role) => role.allows(permission),
            Self::Within(role, scopes) => role.allows(permission) && scoped(scopes),
            Self::Machine(scopes) => scoped(scopes),
        }
    }

    /// The role of the person behind them.
    pub const fn role(&self) -> Option<Role> {
        match self {
            Self::Of(role) | Self::Within(role, _) => Some(*role),
            Self::Machine(_) => None,
        }
    }
}

/// How somebody proved who they are when they signed in. Another way (OpenID Connect, say) is one more of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// By the account's password.
    Password,
}

impl Proof {
    /// The name in the base.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
        }
    }
}

/// A text that names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown role '{0}': expected operator, supervisor or administrator")]
pub struct UnknownRole(pub String);

/// A text that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown scope '{0}': expected calls:read, calls:act, patient:read, patient:write, supervise, settings, prompts or metrics"
)]
pub struct UnknownScope(pub String);

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
