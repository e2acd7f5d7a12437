//! Scenarios on networks of real nodes. One program, which plays two scenarios at a time and has the machine for
//! itself. They begin in the order of their names: the one that takes as long as all others together comes first.

mod adoption;
mod adversaries;
mod arrival;
mod bridge;
mod client;
mod crashes;
mod demo;
mod discovery;
mod divergence;
mod equivocation;
mod false_statements;
mod floor;
mod forgery;
mod recovery;
mod solochain;
mod stall;
mod support;
mod upgrade;
