//! The consensus client, as a host calls it.

mod blocks;
mod recovery;
mod support;
