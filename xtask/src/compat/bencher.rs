//! frame-omni-bencher, which runs the benchmarks of a runtime without a node.

use super::runtime;
use crate::{cargo, result::Result, tools};
use std::{fs, path::Path, process::Command};

/// The pallets, and their benchmarks.
const BENCHMARKS: [(&str, &[&str]); 2] = [
    (
        "pallet_duet",
        &[
            "register_keys",
            "deregister_keys",
            "report_equivocation",
            "report_false_statement",
            "prove_handoff",
            "rotate",
            "reset",
            "activate",
            "deactivate",
            "announce_payload",
        ],
    ),
    (
        "pallet_duet_recovery",
        &[
            "register_key",
            "withdraw_key",
            "drill",
            "report",
            "report_again",
            "look",
            "make_set",
            "skip_set",
            "forget_set",
            "learn_reset",
        ],
    ),
];

/// Runs each benchmark of the pallets a few times: this tests that they run, and does not measure costs.
pub(super) fn run() -> Result {
    tools::for_benchmarking()?;
    let program = tools::FRAME_OMNI_BENCHER.installed()?;
    let runtime = runtime::build("runtime-benchmarks")?;
    let weights = runtime.with_extension("weights.rs");
    for (pallet, benchmarks) in BENCHMARKS {
        if weights.exists() {
            fs::remove_file(&weights)?;
        }
        cargo::run(&mut benchmark(&program, pallet, &runtime, &weights))?;
        let written = fs::read_to_string(&weights)?;
        for name in benchmarks {
            if !written.contains(&format!("fn {name}(")) {
                return Err(format!("frame-omni-bencher wrote no weight for {name}").into());
            }
        }
        println!("frame-omni-bencher: weights for {}", benchmarks.join(", "));
    }
    Ok(())
}

fn benchmark(program: &Path, pallet: &str, runtime: &Path, weights: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args(["v1", "benchmark", "pallet"])
        .args(["--pallet", pallet, "--extrinsic", "*"])
        .args(["--genesis-builder", "runtime"])
        .args(["--genesis-builder-preset", "development"])
        .args(["--steps", "2", "--repeat", "1", "--min-duration", "0"])
        .arg("--runtime")
        .arg(runtime)
        .arg("--output")
        .arg(weights);
    command
}
