//! The verifier on chains that are honest, forged or cut. One program, which is compiled soonest.

mod attacks;
mod body;
mod bounds;
mod prefix;
mod recorded_chain;
mod recovery;
mod spec_examples;
mod start;
mod state;
