//! The targets: how many times faster than a rival we want to be, and are.

use crate::results::{Results, Row};

/// One target: the same work by us and by a rival, in the same run.
pub(crate) struct Target {
    /// The measured work.
    pub(crate) work: &'static str,
    /// Who else does it.
    pub(crate) rival: &'static str,
    /// How many times faster we want to be.
    pub(crate) least: f64,
    /// The names of the compared measurements; `per` of ours make one of theirs.
    ours: &'static str,
    per: f64,
    theirs: &'static str,
}

/// How far ahead we are.
pub(crate) struct Ratio {
    /// The ratio of the medians.
    pub(crate) median: f64,
    /// The ratio of their lower quartile and our upper one.
    pub(crate) low: f64,
    /// The ratio of their upper quartile and our lower one.
    pub(crate) high: f64,
    /// The ratio of the fastest samples.
    pub(crate) fastest: f64,
}

impl Ratio {
    fn new(ours: &Row, per: f64, theirs: &Row) -> Self {
        Self {
            median: theirs.median * per / ours.median,
            low: theirs.lower_quartile * per / ours.upper_quartile,
            high: theirs.upper_quartile * per / ours.lower_quartile,
            fastest: theirs.fastest * per / ours.fastest,
        }
    }
}

impl Target {
    const fn measured(
        work: &'static str,
        rival: &'static str,
        least: f64,
        (ours, per): (&'static str, f64),
        theirs: &'static str,
    ) -> Self {
        Self {
            work,
            rival,
            least,
            ours,
            per,
            theirs,
        }
    }

    /// `Err` has the reason if there is none.
    pub(crate) fn ratio(&self, results: &Results) -> Result<Ratio, String> {
        let row = |name| {
            results
                .row(name)
                .ok_or_else(|| format!("`{name}` was not measured in this run"))
        };
        Ok(Ratio::new(row(self.ours)?, self.per, row(self.theirs)?))
    }
}

const MIN_SIG: &str = "vote::check/scheme=blst_min_sig,hash=each";
const ALONE: (&str, f64) = ("vote::check/n=1000,scheme=duet,hash=once", 1.0);
/// One registration inside of WASM.
const IN_WASM: (&str, f64) = ("possession::verify/where=wasm,scheme=duet", 1.0);

/// All targets.
pub(crate) const TARGETS: [Target; 24] = [
    Target::measured(
        "one vote, alone",
        "blst `min_sig` verify",
        5.0,
        ALONE,
        MIN_SIG,
    ),
    Target::measured(
        "one vote, alone",
        "w3f-bls 0.3.3 with its table",
        3.5,
        ALONE,
        "vote::check/scheme=w3f_bls_381_table,hash=each",
    ),
    Target::measured(
        "1 000 votes of one round, per vote, portable path",
        "blst `min_sig` verify",
        8.0,
        (
            "vote::check_all/n=1000,threads=1,scheme=duet,arithmetic=portable",
            1000.0,
        ),
        MIN_SIG,
    ),
    Target::measured(
        "the same with AVX-512 IFMA",
        "blst `min_sig` verify",
        16.0,
        (
            "vote::check_all/n=1000,threads=1,scheme=duet,arithmetic=avx512ifma",
            1000.0,
        ),
        MIN_SIG,
    ),
    Target::measured(
        "justification, 1 000 validators, all signed",
        "blst `min_pk` fast_aggregate_verify",
        1.6,
        ("justification::check/n=1000,signed=100%,scheme=duet", 1.0),
        "justification::check/n=1000,signed=100%,scheme=blst_min_pk",
    ),
    Target::measured(
        "justification, 10 000 validators, 95 % signed",
        "blst `min_pk` fast_aggregate_verify",
        5.0,
        ("justification::check/n=10000,signed=95%,scheme=duet", 1.0),
        "justification::check/n=10000,signed=95%,scheme=blst_min_pk",
    ),
    Target::measured(
        "justification, 10 000 validators, 67 % signed",
        "blst `min_pk` fast_aggregate_verify",
        3.0,
        ("justification::check/n=10000,signed=67%,scheme=duet", 1.0),
        "justification::check/n=10000,signed=67%,scheme=blst_min_pk",
    ),
    Target::measured(
        "the same, with cached subset sums",
        "blst `min_pk` fast_aggregate_verify",
        3.0,
        (
            "justification::check/n=10000,signed=67%,scheme=duet,sums=cached",
            1.0,
        ),
        "justification::check/n=10000,signed=67%,scheme=blst_min_pk",
    ),
    Target::measured(
        "justification, 1 000 validators, all signed",
        "w3f-bls 0.3.3 with apk1 and apk2",
        2.7,
        ("justification::check/n=1000,signed=100%,scheme=duet", 1.0),
        "justification::check/n=1000,signed=100%,scheme=w3f_bls_381_apk2",
    ),
    Target::measured(
        "justification, 10 000 validators, 95 % signed",
        "w3f-bls 0.3.3 with apk1 and apk2",
        7.0,
        ("justification::check/n=10000,signed=95%,scheme=duet", 1.0),
        "justification::check/n=10000,signed=95%,scheme=w3f_bls_381_apk2",
    ),
    Target::measured(
        "proof of possession, native",
        "`sp_core::bls381`",
        4.0,
        ("possession::check/scheme=duet", 1.0),
        "possession::check/scheme=sp_core_bls381",
    ),
    Target::measured(
        "proof of possession, pure WASM",
        "`sp_core::bls381` there",
        3.5,
        IN_WASM,
        "possession::verify/where=wasm,scheme=sp_core_bls381",
    ),
    Target::measured(
        "proof of possession, WASM with host functions",
        "`sp_core::bls381` there",
        15.0,
        (
            "possession::verify/where=wasm,scheme=duet,pairings=host",
            1.0,
        ),
        "possession::verify/where=wasm,scheme=sp_core_bls381",
    ),
    Target::measured(
        "syncing 1 000 sessions' proofs together",
        "one by one",
        2.0,
        (
            "justification::sync/sessions=1000,n=100,signed=67%,scheme=duet,way=together",
            1.0,
        ),
        "justification::sync/sessions=1000,n=100,signed=67%,scheme=duet,way=one_by_one",
    ),
    Target::measured(
        "a round of 1 000 votes on two threads",
        "on one",
        1.9,
        ("vote::check_all/n=1000,threads=2,scheme=duet", 1.0),
        "vote::check_all/n=1000,threads=1,scheme=duet",
    ),
    // Not asked for, and said all the same.
    Target::measured(
        "justification, 10 000 validators, 95 % signed, nine in ten non-signers as before",
        "blst `min_pk` fast_aggregate_verify",
        5.0,
        (
            "justification::check/n=10000,signed=95%,scheme=duet,non_signers=steady",
            1.0,
        ),
        "justification::check/n=10000,signed=95%,scheme=blst_min_pk",
    ),
    Target::measured(
        "justification, 10 000 validators, 67 % signed, nine in ten non-signers as before",
        "blst `min_pk` fast_aggregate_verify",
        3.0,
        (
            "justification::check/n=10000,signed=67%,scheme=duet,non_signers=steady",
            1.0,
        ),
        "justification::check/n=10000,signed=67%,scheme=blst_min_pk",
    ),
    Target::measured(
        "1 000 votes of one round, per vote, AVX-512 without IFMA",
        "blst `min_sig` verify",
        1.0,
        (
            "vote::check_all/n=1000,threads=1,scheme=duet,arithmetic=avx512",
            1000.0,
        ),
        MIN_SIG,
    ),
    Target::measured(
        "proof of possession, pure WASM",
        "w3f-bls 0.3.3 there",
        1.0,
        IN_WASM,
        "possession::verify/where=wasm,scheme=w3f_bls_381",
    ),
    Target::measured(
        "one vote, alone, its message hashed for it alone",
        "blst `min_sig` verify",
        1.0,
        ("vote::check/n=1000,scheme=duet,hash=each", 1.0),
        MIN_SIG,
    ),
    Target::measured(
        "100 proofs of possession together, per proof",
        "`sp_core::bls381`",
        1.0,
        ("possession::check_all/n=100,scheme=duet", 100.0),
        "possession::check/scheme=sp_core_bls381",
    ),
    Target::measured(
        "one vote, alone",
        "blst `min_sig` with the message hashed in advance",
        1.0,
        ALONE,
        "vote::check/scheme=blst_min_sig,hash=once",
    ),
    Target::measured(
        "1 000 votes of one round, per vote",
        "blst's batch verification of them, one thread",
        1.0,
        ("vote::check_all/n=1000,threads=1,scheme=duet", 1.0),
        "vote::check_all/n=1000,threads=1,scheme=blst_min_sig_batch",
    ),
    Target::measured(
        "1 000 votes of one round, per vote",
        "`sp_core::ecdsa`",
        1.0,
        ("vote::check_all/n=1000,threads=1,scheme=duet", 1000.0),
        "vote::check/scheme=sp_core_ecdsa,hash=each",
    ),
];
