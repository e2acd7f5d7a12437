//! The runtime run natively: both presets, through sessions, elections and punishment.

mod bridge;
mod chain;
mod elections;
mod false_statements;
mod finality;
mod genesis;
mod handoffs;
mod lanes;
mod messages;
mod offences;
mod recovery;
