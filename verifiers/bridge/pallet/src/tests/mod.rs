mod contradictions;
mod extension;
mod fees;
mod following;
mod messages;
mod owner;
mod weights;
