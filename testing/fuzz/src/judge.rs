//! The rules once more, from `docs/spec` and by arkworks' arithmetic alone: slow, plain, and without code of ours except
//! for types, errors and constants.

mod curve;
mod sets;
mod signatures;

pub(crate) use curve::{g1, g2, hash_to_g1, scalar, signed_point};
pub(crate) use sets::{hashes_of, keyset, merkle, root};
pub(crate) use signatures::{
    justification, key, possession, possession_point, sign, signature, Set,
};
