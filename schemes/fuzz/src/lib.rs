//! Fuzz targets for every decoder of the companion schemes.
//!
//! A target is a plain function of bytes that panics when it finds something: bytes are accepted or refused, and what is
//! accepted has no other encoding. The test of this crate runs each with seeded inputs, random ones and changes of valid
//! ones. The example `guided-schemes` lets libFuzzer change them by coverage; `cargo xtask fuzz --schemes` starts it.

mod armour;
mod encoding;
mod journal;
mod mklhs;
mod polynomial;
mod searchable;
mod sequential;
mod vouch;

pub use journal::DECODERS as JOURNAL_DECODERS;

/// The decoders of one crate.
pub struct Target {
    /// The crate, without `duet-`.
    pub name: &'static str,
    /// Decodes one input, and returns whether it was accepted. A panic is a finding.
    pub run: fn(&[u8]) -> bool,
    /// Inputs that are accepted: at least one for each decoder.
    pub valid: fn() -> Vec<Vec<u8>>,
    /// How many random and how many changed inputs the test tries, by what they cost.
    pub rounds: usize,
}

/// Every target.
pub const TARGETS: [Target; 7] = [
    Target {
        name: "armour",
        run: armour::decode,
        valid: armour::valid,
        rounds: 3_000,
    },
    Target {
        name: "journal",
        run: journal::decode,
        valid: journal::valid,
        rounds: 4_000,
    },
    Target {
        name: "mklhs",
        run: mklhs::decode,
        valid: mklhs::valid,
        rounds: 4_000,
    },
    Target {
        name: "polynomial",
        run: polynomial::decode,
        valid: polynomial::valid,
        rounds: 35_000,
    },
    Target {
        name: "searchable",
        run: searchable::decode,
        valid: searchable::valid,
        rounds: 480,
    },
    Target {
        name: "sequential",
        run: sequential::decode,
        valid: sequential::valid,
        rounds: 6_000,
    },
    Target {
        name: "vouch",
        run: vouch::decode,
        valid: vouch::valid,
        rounds: 600,
    },
];
