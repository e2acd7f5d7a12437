//! CMLHS: the context hiding scheme of Schabhüser, Butin and Buchmann, which Aranha and Pagnin compare theirs with.
//!
//! A rival for the benches, complete, on the same curve and with the same library as [`PlainBlst`](crate::mklhs). It
//! hides more than `duet-mklhs` and needs no random oracle beyond the ordinary signature; it is not for use: nothing
//! here keeps a signer from signing twice under one label.
//!
//! The equations, in the names of the papers and written additively, for one data set `Δ`. `g1`, `g2` are the
//! generators, `gt = e(g1, g2)`, and `f` are the coefficients of a linear function:
//!
//! - **Setup.** `H` is a point of G1 with an unknown logarithm.
//! - **Key generation.** A key `K` of a pseudorandom function `F`; `y = d·g2`; for each label `l` a secret `x_l` and
//!   `h_l = x_l·gt`; a key of the ordinary signature, which is BLS.
//! - **Signing** `m` under `l`. `z = F_K(Δ)`, `Z = z·g2`, `σ` is the ordinary signature of `Z ‖ Δ`; for random `r`, `s`:
//!   `A = z⁻¹·((x_l + r)·g1 + d·m·H)`, `C = s·g1 + m·H`, `R = (r − d·s)·g1`, `S = −s·g2`.
//! - **Evaluation.** Each signer's `A` and `C`, and over all signers `R` and `S`, are the sums weighted by `f`.
//! - **Verification** of `m`. All `σ` are valid; `Σ e(A, Z) = Σ e(C, y) + e(R, g2) + Σ f·h_l`; and
//!   `e(g1, S) + e(Σ C, g2) = e(m·H, g2)`.
//!
//! `h_l` are a signer's, one for each label, so that a verifier needs no hash per label, but keys of that length.

mod evaluate;
mod sign;
mod verify;
mod wire;
mod workload;

pub use evaluate::{evaluate, Combined, EvaluateError, Part};
pub use sign::{DataSet, SecretKey, Signature};
pub use verify::{Refusal, Statement};
pub use workload::Workload;

use crate::group::{hash_to_g1, Group, Table, Target};
use blst::{blst_p1, blst_p2, blst_p2_affine};

/// The domain of the hash in the ordinary signature.
const DOMAIN_SIGNATURE: &[u8] = b"CMLHS-BENCH-BLS12381G1_XMD:SHA-256_SSWU_RO_SIG_";
/// The domain of the hash that gives `H`.
const DOMAIN_BASE: &[u8] = b"CMLHS-BENCH-BLS12381G1_XMD:SHA-256_SSWU_RO_BASE_";

/// The parameters of all signers, with the tables of the fixed points.
pub struct Parameters {
    of_g1: Table<blst_p1>,
    of_g2: Table<blst_p2>,
    of_gt: Table<Target>,
    of_base: Table<blst_p1>,
}

impl Parameters {
    /// Setup. The point is the same each time.
    pub fn setup() -> Self {
        let base = hash_to_g1(b"H", DOMAIN_BASE);
        Self {
            of_g1: Table::new(blst_p1::generator()),
            of_g2: Table::new(blst_p2::generator()),
            of_gt: Table::new(Target::generator()),
            of_base: Table::new(base),
        }
    }
}

/// A signer's public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// `y`.
    pub y: blst_p2_affine,
    /// `h_l` of every label.
    pub labels: Vec<Target>,
    /// The key of the ordinary signature.
    pub signature: blst_p2_affine,
}
