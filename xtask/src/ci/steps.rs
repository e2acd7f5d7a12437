//! The steps, in order: cheap ones first, so that a slip shows soon.

/// A step: a chore with its inputs.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// The arguments of `cargo xtask`.
    pub(super) chore: &'static [&'static str],
    /// Folders and files, from the repository's root. Those of [`ALWAYS`] and all manifests are inputs of every step.
    inputs: &'static [&'static [&'static str]],
    /// Commands that print the version of a tool.
    pub(super) tools: &'static [&'static [&'static str]],
}

/// The inputs of every step.
pub(super) const ALWAYS: Step = Step {
    name: "every step",
    chore: &[],
    inputs: &[&[
        ".cargo",
        ".ci",
        "Cargo.lock",
        "rust-toolchain.toml",
        "xtask",
    ]],
    tools: &[&["rustc", "-vV"], &["cargo", "--version"]],
};
/// Cargo reads these for the whole workspace, for every build.
const MANIFEST: &str = "Cargo.toml";

/// The node, the light client, and their networks.
const PROGRAMS: &[&str] = &[
    "verifiers/bridge/board",
    "verifiers/bridge/pallet",
    "chain-spec",
    "curve",
    "finality",
    "gossip",
    "keystore",
    "light-client",
    "node",
    "operations/process",
    "pallet",
    "primitives",
    "runtime",
    "schemes/statistics",
    "schemes/telemetry",
    "testing/local-network",
    "testing/monitoring",
    "voter",
];
const SCHEMES: &[&str] = &["operations/process", "schemes"];
const TEMPLATES: &[&str] = &["testing/templates"];
const CONTRACTS: &[&str] = &["verifiers/contracts"];
/// The verifiers.
const VERIFIER: &[&str] = &["curve", "light-client", "primitives", "voter"];
const NODE_JS: &[&str] = &["node", "--version"];
const PYTHON: &[&str] = &["python3", "--version"];
const EVERYTHING: &[&str] = &["."];

/// The checks that a change must pass.
pub(super) const STEPS: &[Step] = &[
    Step {
        name: "formatting",
        chore: &["fmt"],
        inputs: &[EVERYTHING],
        tools: &[&["rustfmt", "--version"]],
    },
    Step {
        name: "tests of programs",
        chore: &["test", "--part", "programs"],
        // Tests of the source tree read all of it.
        inputs: &[EVERYTHING],
        tools: &[],
    },
    Step {
        name: "tests of libraries",
        chore: &["test", "--part", "libraries"],
        inputs: &[
            VERIFIER,
            SCHEMES,
            &[
                "benches",
                "docs/light-clients/command.md",
                "docs/light-clients/methods.md",
                "docs/schemes.md",
                "docs/spec",
                "gossip",
                "keystore",
                "pallet",
                "runtime",
                "testing/fuzz",
                "testing/model",
                "testing/simulation",
                "verifiers/bridge",
                "verifiers/conformance",
                "verifiers/web/provider/src/table.js",
            ],
        ],
        tools: &[],
    },
    Step {
        name: "networks",
        chore: &["test", "--part", "networks"],
        inputs: &[PROGRAMS, TEMPLATES],
        tools: &[],
    },
    Step {
        name: "conformance",
        chore: &["conformance"],
        inputs: &[VERIFIER, &["verifiers/conformance"]],
        tools: &[NODE_JS, &["go", "version"]],
    },
    Step {
        name: "contracts",
        chore: &["contracts"],
        inputs: &[
            VERIFIER,
            CONTRACTS,
            &[
                "testing/fuzz/src/mutate.rs",
                "verifiers/conformance/vectors",
            ],
        ],
        tools: &[NODE_JS, PYTHON],
    },
    Step {
        name: "bounds of limbs",
        chore: &["prove"],
        inputs: &[&["curve"]],
        tools: &[PYTHON],
    },
];

/// The other steps of a full run. They repeat much of what the steps above show, on other builds and with other tools.
pub(super) const REST: &[Step] = &[
    Step {
        name: "optional features",
        chore: &["test", "--part", "optional"],
        inputs: &[PROGRAMS, SCHEMES],
        tools: &[],
    },
    Step {
        name: "browsers",
        chore: &["web"],
        inputs: &[
            PROGRAMS,
            &[
                "docs/light-clients",
                "docs/spec",
                "verifiers/conformance",
                "verifiers/web",
            ],
        ],
        tools: &[NODE_JS, &["chromium", "--version"]],
    },
    Step {
        name: "relayer",
        chore: &["relay"],
        inputs: &[PROGRAMS, CONTRACTS, &["verifiers/relay"]],
        tools: &[NODE_JS],
    },
    Step {
        name: "tools of the ecosystem",
        chore: &["compat"],
        inputs: &[PROGRAMS, &["testing/compat"]],
        tools: &[NODE_JS],
    },
    Step {
        name: "monitoring",
        chore: &["monitoring"],
        inputs: &[PROGRAMS, &["operations/monitoring"]],
        tools: &[NODE_JS],
    },
    // Skipped with a message on systems without namespaces.
    Step {
        name: "laboratory",
        chore: &["laboratory", "--short"],
        inputs: &[PROGRAMS, &["testing/laboratory"]],
        tools: &[],
    },
    // The tests have replayed the kept inputs.
    Step {
        name: "fuzzing",
        chore: &["fuzz", "--unguided", "--minutes", "1"],
        inputs: &[VERIFIER, &["gossip", "keystore", "testing/fuzz"]],
        tools: &[],
    },
    Step {
        name: "bare metal",
        chore: &["bare-metal"],
        inputs: &[
            VERIFIER,
            &["benches/wasm", "pallet", "runtime", "verifiers/bridge"],
        ],
        tools: &[],
    },
    Step {
        name: "packages",
        chore: &["package"],
        inputs: &[EVERYTHING],
        tools: &[],
    },
    // `cargo xtask dist --test` installs and runs them, which needs a machine that may start systems.
    Step {
        name: "packages to install",
        chore: &["dist", "--profile", "dev"],
        inputs: &[EVERYTHING],
        tools: &[NODE_JS],
    },
];

/// The chores outside of CI, by their name on the page about the checks, and the arguments of `cargo xtask`.
#[cfg(test)]
pub(super) const BY_HAND: [(&str, &str); 14] = [
    ("dependencies", "deps"),
    ("lints of optional features", "lint"),
    ("book", "book"),
    ("packages, installed", "dist --test"),
    ("benchmarks of the runtime", "compat frame-omni-bencher"),
    ("contracts beside Rust", "contracts --inputs 100000"),
    ("gas in real clients", "gas"),
    ("mutants", "mutants"),
    ("large models", "model --large"),
    ("guided fuzzing", "fuzz --minutes 600"),
    ("laboratory, all scenarios", "laboratory"),
    ("public template", "template DIR"),
    ("BABE and nominators", "babe"),
    ("packages in new projects", "web --projects"),
];

/// The steps of a full run, in order.
pub(super) fn all() -> impl Iterator<Item = &'static Step> {
    STEPS.iter().chain(REST)
}

/// The step with this name.
pub(super) fn named(name: &str) -> Option<&'static Step> {
    all().find(|step| step.name == name)
}

impl Step {
    /// The command line.
    pub(super) fn shown(&self) -> String {
        format!("cargo xtask {}", self.chore.join(" "))
    }

    /// Whether a file is an input of this step.
    pub(super) fn names(&self, path: &str) -> bool {
        let inputs = ALWAYS.inputs.iter().chain(self.inputs).copied().flatten();
        let is_below = |input: &str| {
            let rest = path.strip_prefix(input);
            input == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.ends_with(MANIFEST) || inputs.copied().any(is_below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn inputs_are_whole_folders_and_files() {
        let step = named("bounds of limbs").expect("a step");
        assert!(step.names("curve/proofs/limbs.py"));
        assert!(
            step.names("node/Cargo.toml") && step.names("Cargo.lock"),
            "of every step"
        );
        assert!(!step.names("pallet/src/lib.rs") && !step.names("curve2"));
    }

    #[test]
    fn every_library_is_an_input_of_its_tests() {
        let step = named("tests of libraries").expect("a step");
        for folder in crate::test::OF_LIBRARIES {
            assert!(step.names(folder), "{folder}");
        }
    }

    #[test]
    fn every_input_is_in_the_repository() {
        let missing = all().flat_map(|step| step.inputs.iter().copied().flatten());
        let missing: Vec<_> = missing
            .filter(|input| !crate::cargo::root().join(input).exists())
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn no_two_steps_have_one_name() {
        let names: BTreeSet<_> = all().map(|step| step.name).collect();
        assert_eq!(names.len(), all().count(), "{names:?}");
    }
}
