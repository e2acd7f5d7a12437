//! The runtime run natively: both presets, through sessions, elections and punishment.

mod chain;
mod elections;
mod finality;
mod genesis;
mod offences;
