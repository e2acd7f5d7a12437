//! Decides what a node does for Duet finality: which block to vote on, which proofs to conclude, and which node
//! publishes.
//!
//! Events go in, effects come out. The crate has no clock, network, disk or randomness, so that a
//! run can be replayed from its events, and the host that carries out the effects holds no rule.
//!
//! # The contract with the host
//! - It sends one event at a time and carries out the effects in the order in which they come.
//!   [`Effect::Conclude`] and [`Effect::Persist`] are durable before the next effect runs. A crash
//!   between any two effects is safe.
//! - It delivers the blocks that GRANDPA finalizes from [`Voter::scanned`] on: logs first, then [`Event::Finalized`].
//!   It repeats this until `scanned` has advanced, as logs may find no room.
//! - It checks the votes and justifications that [`Filter`] selects, and passes on only checked ones.
//! - It compares each checked justification with the block that GRANDPA finalized at its height before it passes it on.
//!   It keeps justifications of blocks that are not final yet. It sets the final block of added votes with
//!   [`Aggregated::with_finalized`]. After a contradiction, and after a restart with one, it sends [`Event::Halted`].
//!   (ROUND-10)
//! - It may run [`Aggregation::run`] anywhere: it takes milliseconds in a large set, and nothing else here does.
//! - After each event it gives [`Voter::window`] to [`Filter::update`].
//! - [`Effect`], [`Event`], [`Verdict`] and [`Recorded`] are exhaustive on purpose: a host handles every variant.
//!
//! # What it does not do
//! - It does not read block hashes: it signs only commitments from [`Event::Prepared`]. It never concludes a proof that
//!   contradicts one of them, or the host's final block ([`Effect::Diverged`]).
//! - Nodes that are not in the signing set conclude from votes but do not publish proofs in turn;
//!   they serve requests, and like all nodes repeat their latest proof once in a while.
//! - One key of a node votes in each set, the first of its keys that is a member.
//!
//! ```
//! use duet_primitives::{testing::TestSet, BlockNumber, RoundMessage, H256};
//! use duet_voter::{Config, Effect, Event, State, Voter};
//! use std::sync::Arc;
//!
//! // A set of one: its only vote is a quorum.
//! let one = TestSet::new(0, [7]);
//! let key = one.set.keyset().key_bytes()[0];
//! let state = State::new(one.set.commitment().clone(), BlockNumber::new(1));
//! let mut voter = Voter::new(Config::default(), state, vec![key]);
//!
//! // The host answers each effect that asks for something; a real one has a database, a chain and a
//! // signer for it.
//! let number = BlockNumber::new(1);
//! let mut events = vec![Event::Tick, Event::Finalized { number }];
//! let mut proven = None;
//! while !events.is_empty() {
//!     for effect in voter.handle(events.remove(0), 0) {
//!         match effect {
//!             Effect::LoadSet(_) => events.push(Event::Set(Arc::new(one.set.clone()))),
//!             Effect::Prepare { number } => {
//!                 let commitment = one.commitment(number.get(), &one.set);
//!                 let message = RoundMessage::new(H256::zero(), commitment);
//!                 events.push(Event::Prepared(message));
//!             }
//!             Effect::Sign { message, signer, .. } => {
//!                 events.push(Event::Signed(one.vote(signer.get(), &message).expect("a member")));
//!             }
//!             Effect::Aggregate(votes) => {
//!                 events.push(Event::Aggregated(Box::new(votes.run())));
//!             }
//!             Effect::Conclude { justification, .. } => proven = Some(justification),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(proven.expect("a proof").commitment().block_number, number);
//! ```

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

mod aggregation;
mod attendance;
pub mod checks;
mod config;
mod effect;
mod event;
mod filter;
mod quota;
mod round;
mod schedule;
mod state;
mod target;
#[cfg(feature = "testing")]
pub mod testing;
mod verdict;
mod view;
mod voter;

pub use aggregation::{Aggregated, Aggregation};
pub use config::Config;
pub use effect::Effect;
pub use event::Event;
pub use filter::{Accepted, Filter, Recorded, RecordedProof, VoteCheck, Window};
pub use state::{Era, State, StateError};
pub use verdict::{Blame, Ignored, Verdict};
pub use view::{MissingMember, RoundView, VotesView};
pub use voter::{Counters, Voter};

/// Milliseconds since a start that the host chooses; only differences count.
pub type Millis = u64;
