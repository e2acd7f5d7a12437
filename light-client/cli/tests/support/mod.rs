//! An RPC server in this process that serves a recorded chain honestly or lies in one named way, and the real
//! program run against it.

// Each test program uses a part of this.
#![allow(dead_code, unused_imports)]

mod folder;
mod host;
mod lie;
mod node;
mod program;
mod proxy;
mod served;
mod server;
mod world;

pub(crate) use folder::Folder;
pub(crate) use host::Host;
pub(crate) use lie::Lie;
pub(crate) use node::{Node, Tamper, BEGAN, FORGED};
pub(crate) use program::{follow, from, sync, urls, Finished, Program, MODES};
pub(crate) use proxy::{Proxy, Tampering};
pub(crate) use served::{data, params, Served};
pub(crate) use server::{Server, Warp};
pub(crate) use world::{
    account_info, account_key, checkpoint_file, code, events_key, hex, other_value, World, ACCOUNT,
    CHILD, FIRST_WORD, FOREIGN, FROZEN,
};
