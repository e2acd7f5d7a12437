mod contradictions;
mod extension;
mod fees;
mod following;
mod invariants;
mod messages;
mod owner;
mod weights;
