#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// A signer's answers reach the node through this crate: non-test code must neither panic nor overflow.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod address;
mod bounded;
mod channel;
mod client;
mod connect;
mod connection;
mod error;
mod fault;
mod frame;
mod hello;
mod message;
mod pool;
mod refusal;
mod resolve;
pub mod tls;

pub use address::{Address, AddressError};
pub use bounded::{KeyList, Owner, Text, MAX_KEYS, MAX_OWNER_LEN, MAX_TEXT_LEN};
pub use channel::{Channel, Timed};
pub use client::{RemoteSigner, DEADLINE, MAX_CONNECTIONS};
pub use error::{ConfigError, RemoteError};
pub use fault::WireFault;
pub use frame::{read_frame, write_frame, FrameError, MAX_ANSWER_LEN, MAX_REQUEST_LEN};
pub use hello::{Hello, HelloError, MAGIC, VERSION};
pub use message::{Answer, BadRequest, Call, Reply, Request};
pub use refusal::Refusal;
