mod contradictions;
mod fees;
mod following;
mod messages;
mod owner;
mod weights;
