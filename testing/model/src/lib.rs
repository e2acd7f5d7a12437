//! Visits every state of a small network of validators, chain and light clients, by the real code.
//!
//! - [`keys`] and [`world`]: what the model's numbers stand for: keys, blocks, votes, proofs;
//! - [`chain`]: blocks, and the pallet's rules of sets and resets;
//! - [`node`]: an honest validator: the real voter and signer;
//! - [`client`]: a light client: the real verifier;
//! - [`state`], [`shared`] and [`model`]: all of them as a state machine, with its properties; [`bounds`] say how far
//!   it goes;
//! - [`clients`], [`evidence`], [`settle`]: the parts of the properties;
//! - [`recovery`]: a client before a reset, which waits and crosses;
//! - [`mutant`]: rules that are broken on purpose, in the wiring; [`campaign`]: what is checked.

pub mod bounds;
pub mod campaign;
pub mod chain;
pub mod client;
pub mod clients;
pub mod evidence;
pub mod keys;
pub mod model;
pub mod mutant;
pub mod node;
pub mod recovery;
pub mod settle;
pub mod shared;
pub mod state;
pub mod world;
