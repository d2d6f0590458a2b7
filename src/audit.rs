//! Who did what that must leave a trace: sign-ins, changed settings and prompts, exports, and whose
//! equipment was shown to whom. How the trail is chained is [`chain`]'s.
pub mod chain;

use crate::ids::CallId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The first administrator was made by the set-up link.
    SetUp,
    /// Somebody signed in.
    SignedIn,
    /// Somebody was refused at sign-in.
    SignInRefused,
    /// Somebody signed out.
    SignedOut,
    /// An account was added.
    AccountAdded,
    /// An account was changed: its password, its role.
    AccountChanged,
    /// An account was disabled; its sessions and tokens ended.
    AccountDisabled,
    /// A bearer token was issued.
    TokenIssued,
    /// A bearer token was revoked.
    TokenRevoked,
    /// A setting was changed.
    SettingChanged,
    /// A prompt version was activated.
    PromptActivated,
    /// A patient's document was typed by an operator.
    IdentityTyped,
    /// An operator vouched for a document.
    IdentityConfirmed,
    /// A patient's equipment was shown to somebody.
    EquipmentShown,
    /// The telephone of a call back was shown to somebody.
    TelephoneShown,
    /// A patient's data were exported.
    PatientExported,
    /// A patient's data were erased.
    PatientErased,
    /// What was older than its retention was deleted.
    RetentionApplied,
}

impl Action {
    /// The name in the trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SetUp => "set_up",
            Self::SignedIn => "signed_in",
            Self::SignInRefused => "sign_in_refused",
            Self::SignedOut => "signed_out",
            Self::AccountAdded => "account_added",
            Self::AccountChanged => "account_changed",
            Self::AccountDisabled => "account_disabled",
            Self::TokenIssued => "token_issued",
            Self::TokenRevoked => "token_revoked",
            Self::SettingChanged => "setting_changed",
            Self::PromptActivated => "prompt_activated",
            Self::IdentityTyped => "identity_typed",
            Self::IdentityConfirmed => "identity_confirmed",
            Self::EquipmentShown => "equipment_shown",
            Self::TelephoneShown => "telephone_shown",
            Self::PatientExported => "patient_exported",
            Self::PatientErased => "patient_erased",
            Self::RetentionApplied => "retention_applied",
        }
    }
}

/// One act of somebody, for the trail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// Who: `account:ana`, `token:<name>`, `command:<user of the machine>`, `system`.
    pub by: String,
    /// What.
    pub action: Action,
    /// Whose data: a keyed hash of the document, never the document, so that an erasure leaves the chain
    /// valid.
    pub patient: Option<String>,
    /// In which call.
    pub call: Option<CallId>,
    /// The rest, in camelCase; no personal data.
    pub detail: Value,
}

/// That somebody's looking at a patient's equipment is on record: the key to [`crate::patient::Devices`].
///
/// Whoever makes one has kept the act that it is made of.
#[derive(Debug)]
pub struct Disclosure(());

impl Disclosure {
    /// Of an act that was kept; `None` where the act is another one.
    pub fn of(kept: &Act) -> Option<Self> {
        let told = kept.patient.is_some() && kept.call.is_some();
        (kept.action == Action::EquipmentShown && told).then_some(Self(()))
    }
}
