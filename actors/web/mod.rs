//! The doors: HTTP and websockets. Nothing points at this room (HOUSE.md).
pub mod fork;
pub mod health;
pub mod peers;
pub mod retell;
pub mod retell_webhook;
pub mod socket;
