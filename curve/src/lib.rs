//! Curve arithmetic: the only crate of consensus that names a curve library, and the only one with `unsafe` code.
//!
//! | Module | What it holds |
//! | --- | --- |
//! | `traits` | The requirements of the protocol, one trait for each purpose; [`Curve`] joins them |
//! | `encoding` | Lengths, [`PointError`], and which encodings are canonical (ENC-1, ENC-2) |
//! | `selection` | Subsets of lists, as bits |
//! | `blst` | [`Blst`]: with `std`; constant-time on secrets, fast on checks |
//! | `fast` | The fast checks of [`Blst`]: tables, batched additions, pairings; `fast/vector` is AVX-512 |
//! | `wasm` | [`Wasm`]: own arithmetic for a runtime in WASM, where products have 64 bits |
//! | `ark` | [`Ark`]: arkworks, for every other target without `std` |
//! | `arithmetic` | [`Arithmetic`]: which processor instructions batched checks use |
//! | `witness` | Witnesses of pairing equations, by which a verifier does without the final exponentiation |
//! | `digits`, `parameters` | Scalars in base `\|z\|`; the constants of the curve |
//! | `testing` | With the feature of that name: encodings at the edges of what is valid, with their verdicts |
//!
//! [`Native`] is the back end that the rest of the project uses. One test suite runs against all three, and they agree on
//! every vector and on every malformed input, the error included.
//!
//! Only the modules that call blst's C functions or use vector instructions may contain unsafe code.

#![no_std]
#![deny(
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    clippy::undocumented_unsafe_blocks
)]
// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "std")]
mod arithmetic;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "operators of arkworks, whose fields and groups have no overflow"
)]
mod ark;
#[cfg(feature = "std")]
mod blst;
#[cfg(any(feature = "std", target_arch = "wasm32"))]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "numbers of fixed width: digits are below the base, windows below a byte"
)]
mod digits;
mod encoding;
#[cfg(feature = "std")]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "arithmetic on arrays of fixed length and on lists of its own; `proofs/` proves the bounds of the limbs"
)]
mod fast;
mod parameters;
mod selection;
#[cfg(all(test, feature = "std"))]
mod small_order;
#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "for tests: no stranger's bytes reach it, and a panic is a failed test"
)]
pub mod testing;
mod traits;
#[cfg(any(feature = "std", target_arch = "wasm32"))]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "arithmetic on arrays of fixed length; bounds are in the types of elements, and `proofs/` proves those of the limbs"
)]
mod wasm;
mod witness;

#[cfg(any(feature = "std", target_arch = "wasm32"))]
pub use self::wasm::Wasm;
#[cfg(feature = "std")]
pub use self::{
    arithmetic::{Arithmetic, Unsupported},
    blst::Blst,
};
pub use self::{
    ark::Ark,
    encoding::{PointError, G1_LEN, G2_LEN, SCALAR_LEN},
    selection::is_set,
    traits::{
        Base, Bases, Commitments, Curve, Dleq, Encodings, Groups, Hashing, Multiplications,
        Pairings, PointList, Purpose, Query, Scalars, Sums, Weight,
    },
    witness::WITNESS_LEN,
};

/// The back end in use: [`Blst`] with `std`; without, [`Wasm`] in WASM and [`Ark`] elsewhere.
#[cfg(feature = "std")]
pub type Native = Blst;
/// The back end in use: `Blst` with `std`; without, [`Wasm`] in WASM and [`Ark`] elsewhere.
#[cfg(all(not(feature = "std"), target_arch = "wasm32"))]
pub type Native = Wasm;
/// The back end in use: `Blst` with `std`; without, `Wasm` in WASM and [`Ark`] elsewhere.
#[cfg(all(not(feature = "std"), not(target_arch = "wasm32")))]
pub type Native = Ark;
