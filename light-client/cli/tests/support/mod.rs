//! An RPC server in this process that serves a recorded chain honestly or lies in one named way, and the real
//! program run against it.

// Each test program uses a part of this.
#![allow(dead_code, unused_imports)]

mod host;
mod lie;
mod node;
mod program;
mod proxy;
mod served;
mod server;
mod world;

pub(crate) use host::Host;
pub(crate) use lie::Lie;
pub(crate) use node::{Node, Tamper, BEGAN, FORGED};
pub(crate) use program::{Finished, Program};
pub(crate) use proxy::{Proxy, Tampering};
pub(crate) use served::{data, Served};
pub(crate) use server::{Server, Warp};
pub(crate) use world::{account_info, account_key, events_key, hex, World, ACCOUNT};
