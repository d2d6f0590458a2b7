//! `aura desk`: the operators' terminal client.
//!
//! [`link`] carries frames between the server and [`state::UiState`], which is pure: keys and frames go in, requests
//! come out, [`screen`] draws what it holds. Nothing of it is written anywhere.
mod cards;
mod keys;
mod list;
mod overlay;
mod prompt;
mod reading;
mod screen;
mod side;
mod state;
mod talk;
mod text;
mod toast;
mod told;
mod view;

#[cfg(test)]
mod tests;
