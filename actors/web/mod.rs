//! The doors: HTTP and websockets. Nothing points at this room (HOUSE.md).
pub mod calls;
pub mod desk;
pub mod fork;
pub mod guard;
pub mod health;
pub mod origin;
pub mod peers;
pub mod retell;
pub mod retell_webhook;
pub mod session;
pub mod setup;
pub mod socket;
