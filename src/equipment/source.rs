//! The catalogue as it is written: TOML's shapes, before anything is checked.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Text with its place in the file.
pub(super) type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub(super) always_allowed: Vec<Text>,
    #[serde(default)]
    pub(super) words: BTreeMap<String, Vec<String>>,
    pub(super) codes: Codes,
    #[serde(default)]
    pub(super) guards: Guards,
    #[serde(default)]
    pub(super) model: Vec<Entry>,
    #[serde(default)]
    pub(super) other: Vec<Entry>,
    #[serde(default)]
    pub(super) ambiguous: Vec<Entry>,
    #[serde(default)]
    pub(super) text_code: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Codes {
    #[serde(rename = "E")]
    pub(super) e: Vec<String>,
    #[serde(rename = "H")]
    pub(super) h: Vec<String>,
    #[serde(default)]
    pub(super) known: Vec<Text>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Guards {
    pub(super) address: Vec<String>,
    pub(super) weak_address: Vec<String>,
    pub(super) residence: Vec<String>,
    pub(super) after_address: Vec<String>,
    pub(super) document: Vec<String>,
    pub(super) quantity: Vec<String>,
    pub(super) money: Vec<String>,
    pub(super) cues: Vec<String>,
    pub(super) hesitant: Vec<String>,
    pub(super) screens: Vec<String>,
}

/// A model, another device, an ambiguous form or a text code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: Text,
    pub(super) source: Option<String>,
    #[serde(default)]
    pub(super) no_manual: bool,
    #[serde(default)]
    pub(super) crm: Vec<Text>,
    #[serde(default)]
    pub(super) variants: Vec<Text>,
    #[serde(default)]
    pub(super) exact: Vec<Text>,
    #[serde(default)]
    pub(super) candidates: Vec<Text>,
    #[serde(default)]
    pub(super) alone: bool,
}
