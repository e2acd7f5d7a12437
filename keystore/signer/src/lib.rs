#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod connection;
mod listener;
mod peer;
mod server;
mod service;
mod slots;
mod unix;

pub use listener::{ListenError, Listener};
pub use server::{start, Limits, Running};
pub use service::{Generate, Policy};
pub use unix::SocketError;
