//! Targets of `curve`: the same bytes give the same verdict, the same error and the same result in all back ends, and
//! what the definition of the curve gives.

use crate::target::Target;

mod arithmetic;
mod dleq;
mod pairings;
mod points;
mod scalars;

/// The targets of `curve`.
pub(crate) const TARGETS: [Target; 7] = [
    points::G1,
    points::G2,
    scalars::SCALAR,
    points::HASH_TO_G1,
    arithmetic::ARITHMETIC,
    pairings::PAIRING,
    dleq::DLEQ,
];
