//! All traits in one bound.

use super::{
    dleq::Dleq, encodings::Encodings, hashing::Hashing, multiplications::Multiplications,
    pairings::Pairings, scalars::Scalars, sums::Sums,
};

/// A back end that can do everything that the protocol needs.
pub trait Curve: Scalars + Encodings + Sums + Multiplications + Hashing + Pairings + Dleq {}

impl<C> Curve for C where C: Scalars + Encodings + Sums + Multiplications + Hashing + Pairings + Dleq
{}
