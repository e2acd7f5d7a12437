//! Gas of whole transactions in real clients, beside revm.

use crate::{
    cargo::{self, target_directory},
    contracts,
    result::Result,
    tools,
};
use std::{fs, path, process::Command};

/// The program in `evm-tests` that makes the transactions, and the one that sends them.
const TRANSACTIONS: &str = "gas";
const SENDER: &str = "gas.js";

/// Installs geth, compiles, and measures.
///
/// # Errors
/// Where a client asks for other gas than revm.
pub(crate) fn run() -> Result {
    let geth = tools::geth()?;
    contracts::compile()?;
    cargo::run(cargo::workspace("build").args(["--example", TRANSACTIONS]))?;
    let make = cargo::output_directory()
        .join("examples")
        .join(TRANSACTIONS);
    let folder = path::absolute(target_directory().join("gas"))?;
    fs::create_dir_all(&folder)?;
    let transactions = folder.join("transactions.jsonl");
    fs::write(&transactions, cargo::output(&mut Command::new(make))?)?;
    let mut send = contracts::in_contracts("node");
    send.arg(SENDER).args([&transactions, &geth]);
    cargo::run(send.arg(folder.join("table.md")))
}
