//! The two steps of signing, for separate measurement.
//!
//! Their results are not returned: the short representative of a coset leaks the basis unless it is randomised.

use super::{identifier::Tag, key::SigningKey, sampler::to_float, stream::Stream};
use num_bigint::BigInt;
use std::hint::black_box;

/// The exact step: computes the coset of a request and its short representative.
pub fn reduce(key: &SigningKey, tag: &Tag, index: u32, message: &BigInt) {
    black_box(key.basis.reduce(&key.coset(tag, index, message)));
}

/// The sampler alone, over the lattice itself, with randomness derived from `nonce`.
pub fn sample(key: &SigningKey, nonce: u64) {
    let dimension = key.public().dimension();
    let width = to_float(i64::try_from(dimension.width()).unwrap_or(i64::MAX));
    let mut stream = Stream::new(&[b"BF-V01-PART", &nonce.to_be_bytes()]);
    black_box(
        key.basis
            .sample(&vec![0; dimension.get()], width, &mut stream),
    );
}
