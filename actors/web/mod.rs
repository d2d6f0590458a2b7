//! The doors: HTTP and websockets. Nothing points at this room (HOUSE.md).
pub mod health;
pub mod retell;
pub mod socket;
