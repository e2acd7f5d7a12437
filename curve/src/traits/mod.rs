//! The protocol's requirements on BLS12-381, one trait for each purpose.

mod bases;
mod curve;
mod dleq;
mod encodings;
mod groups;
mod hashing;
mod multiplications;
mod pairings;
mod scalars;
mod sums;

pub use self::{
    bases::{Base, Bases, Purpose},
    curve::Curve,
    dleq::{Commitments, Dleq, Query},
    encodings::Encodings,
    groups::Groups,
    hashing::Hashing,
    multiplications::Multiplications,
    pairings::Pairings,
    scalars::{Scalars, Weight},
    sums::{PointList, Sums},
};
#[cfg(any(feature = "std", target_arch = "wasm32"))]
pub(crate) use pairings::equation_holds_by_pairs;
