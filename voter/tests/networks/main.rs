//! Networks of voters in virtual time, and the judge that watches them. One program, so that the simulation is compiled
//! once.

mod campaign;
mod divergence;
mod judge;
mod liveness;
mod recovery;
mod safety;
mod sessions;
mod simulation;
mod statements;
