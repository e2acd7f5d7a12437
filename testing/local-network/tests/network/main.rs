//! Scenarios on networks of real nodes, five networks at a time. They begin in the order of their names: the longest one
//! comes first.

mod adoption;
mod adversaries;
mod arrival;
mod babe;
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
mod lost_keys;
mod owners;
mod public_template;
mod recovery;
mod solochain;
mod stall;
mod support;
mod upgrade;
