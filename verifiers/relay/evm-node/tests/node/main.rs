//! The node as its clients see it.

mod blocks;
mod calls;
mod chain;
mod estimates;
mod logs;
mod pool;
mod requests;
mod transactions;
