//! The calls on a chain, recorded for another EVM.

use crate::called::Called;
use revm::primitives::{hardfork::SpecId, Address};
use serde_json::{json, Value};
use std::{fs::OpenOptions, io::Write};

/// The file to which each chain adds a line at its end.
const FILE: &str = "DUET_EVM_STORIES";

/// A contract, its deployment, and each call with its result.
#[derive(Clone, Debug)]
pub(crate) struct Story {
    contract: String,
    fork: SpecId,
    arguments: Vec<u8>,
    pub(crate) is_deployed: bool,
    calls: Vec<Value>,
    /// It is not told: contracts that know each other's addresses have others in another EVM.
    is_over: bool,
}

impl Story {
    pub(crate) fn new(contract: &str, fork: SpecId, arguments: &[u8]) -> Self {
        Self {
            contract: contract.to_string(),
            fork,
            arguments: arguments.to_vec(),
            is_deployed: false,
            calls: Vec::new(),
            is_over: false,
        }
    }

    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }

    pub(crate) fn tell(&mut self, caller: &Address, time: u64, data: &[u8], called: &Called) {
        let events: Vec<_> = called.events.iter().map(hex::encode).collect();
        self.calls.push(json!({
            "caller": hex::encode(caller),
            "time": time,
            "data": hex::encode(data),
            "ok": called.ok,
            "output": hex::encode(&called.output),
            "events": events,
        }));
    }
}

impl Drop for Story {
    fn drop(&mut self) {
        // A chain that others were made from, and on which nothing happened.
        if self.is_over || self.is_deployed && self.calls.is_empty() {
            return;
        }
        let Ok(path) = std::env::var(FILE) else {
            return;
        };
        let line = json!({
            "contract": self.contract,
            "fork": self.fork.to_string(),
            "arguments": hex::encode(&self.arguments),
            "deployed": self.is_deployed,
            "calls": self.calls,
        });
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .expect("a file");
        // In one piece, because tests run side by side.
        file.write_all(format!("{line}\n").as_bytes())
            .expect("a line");
    }
}
