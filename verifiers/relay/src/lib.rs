//! Relays finality proofs of a Duet chain to verifiers on other chains, and pays the fees.
//!
//! A [`Relayer`] compares a [`Source`], untrusted nodes of the chain, with a [`Target`], a verifier on another chain:
//!
//! - every **handoff** is relayed, because a verifier cannot continue without it;
//! - a **block** is relayed on [demand](Demands::want), or when the target is [`Policy::every`] blocks behind;
//! - an incomplete proof waits for missing votes, up to [`Policy::patience`], because each absent validator adds to the
//!   cost;
//! - `duet-light-client` verifies each proof before any fee is paid, and its cost is estimated first;
//! - several relayers take [`Turns`], and withdraw transactions that another relayer has overtaken;
//! - a **reset** of the source's chain is crossed by the operator's recovery proof, and what others announce is compared
//!   with the source;
//! - where both chains have the SDK's `pallet-bridge-messages`, [`messages`] of a lane are relayed too, with a header
//!   for them if the target needs one.
//!
//! A relayer stores nothing: it learns its state from the target. So it may be killed at any moment, and restarted
//! elsewhere.
//!
//! # Trust
//! Nobody trusts relayers. A relayer trusts its own endpoint of the target not to waste its money.
//!
//! # Targets
//! [`evm::Evm`]: the contract of this project on an EVM chain. [`substrate::Substrate`]: `pallet-bridge-duet`.

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
// One thread drives a relayer.
#![allow(async_fn_in_trait)]

mod event;
pub mod evm;
mod look;
pub mod messages;
mod metrics;
mod news;
mod plan;
mod recovery;
mod relayer;
mod secret;
mod source;
pub mod substrate;
mod target;
mod turns;

pub use event::{Brought, Event};
pub use look::Look;
pub use metrics::Metrics;
pub use news::News;
pub use plan::{wanted, Offer, Policy, Waiting, Wanted};
pub use recovery::{Announced, Announcement, RecoveryStatus};
pub use relayer::{Demands, Relayer};
pub use source::Source;
pub use target::{
    Cargo, Delivered, Delivery, Estimate, LaneStatus, Receipt, SetRef, Status, Stuck, Target,
    TargetError, Then, Trust,
};
pub use turns::{NoSuchPosition, Turns};
