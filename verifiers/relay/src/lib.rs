//! Brings finality proofs of a Duet chain to verifiers on other chains, and pays for it.
//!
//! A [`Relayer`] compares a [`Source`], which are nodes of the chain that nobody has to trust, with a [`Target`], which is a verifier
//! on another chain:
//!
//! - every **handoff** is brought, because a verifier cannot go on without it;
//! - a **block** is brought when somebody [wants](Demands::want) one, or when the target is [`Policy::every`] blocks behind;
//! - a proof that not all have signed waits for the votes that are missing, up to [`Policy::patience`], because each absent validator
//!   costs;
//! - each proof is verified by `duet-light-client` before anybody pays for it, and what it would cost is asked first;
//! - several relayers take [`Turns`], and withdraw what somebody else has brought meanwhile;
//! - where both chains have the SDK's `pallet-bridge-messages`, [`messages`] of a lane are brought too, and a header for them where the
//!   target has none that proves them.
//!
//! Nothing is stored: what a relayer has to know, the target tells. So it may be killed at any moment, and started anywhere else.
//!
//! # Trust
//! Relayers are trusted by nobody. The relayer itself trusts its own endpoint of the target not to waste its money.
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
mod plan;
mod relayer;
mod secret;
mod source;
pub mod substrate;
mod target;
mod turns;

pub use event::{Brought, Event};
pub use look::Look;
pub use metrics::Metrics;
pub use plan::{wanted, Offer, Policy, Waiting, Wanted};
pub use relayer::{Demands, Relayer};
pub use source::Source;
pub use target::{
    Cargo, Delivered, Delivery, Estimate, LaneStatus, Receipt, SetRef, Status, Target, TargetError,
};
pub use turns::{NoSuchPosition, Turns};
