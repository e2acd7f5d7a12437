//! The fast checks of votes and proofs: work that several checks share is done once.
//!
//! | Module | What it does |
//! | --- | --- |
//! | `votes` | The commitments of votes, one by one and batched |
//! | `multiples` | Products of public points and scalars |
//! | `tables` | Which points get tables, of which size, and when |
//! | `comb` | Multiplication with tables |
//! | `variable` | Multiplication without tables, together with the subgroup check |
//! | `sums` | Sums of points; cached subset sums |
//! | `pairing` | The pairing equation of a proof, with prepared points of G2 |
//! | `batch`, `decompression` | Many additions with one inversion; many decompressions |
//! | `vector` | The same, 16-wide, where the processor has AVX-512; whole batches of votes with IFMA |
//! | `point`, `field`, `fp2`, `inverse` | Points and field elements on blst's assembly |
//!
//! Products and sums are right for any points of the curve, zero and those of small order included. Functions with the
//! endomorphism take `−φ` for `[z²]`, which holds on G1; elsewhere the product is the one with `−φ`.
//!
//! Everything here is public, so that it may branch and look up by value. It must never be given a secret.

mod batch;
mod comb;
mod decompression;
#[allow(unsafe_code)]
mod field;
#[allow(unsafe_code)]
mod fp2;
mod inverse;
pub(crate) mod multiples;
#[allow(unsafe_code)]
pub(crate) mod pairing;
pub(crate) mod point;
pub(crate) mod sums;
pub(crate) mod tables;
mod variable;
#[cfg(target_arch = "x86_64")]
mod vector;
pub(crate) mod votes;
#[cfg(test)]
mod votes_tests;

#[cfg(test)]
mod small_order_tests;
#[cfg(test)]
#[allow(unsafe_code)]
mod tests;
