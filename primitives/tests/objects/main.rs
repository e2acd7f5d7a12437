//! Every object of the protocol: its bytes, its equations, and what is refused. One program, which is compiled soonest.

mod aggregation;
mod attacks;
mod batch;
mod bls381;
mod boundaries;
mod criteria;
mod known_answers;
mod many_votes;
mod properties;
mod registrations;
mod round;
mod spec_examples;
mod wire;
