//! The two parts of signing, to be measured apart.
//!
//! What they compute stays inside: a coset's short representative before it is randomised tells of the basis.

use super::{identifier::Tag, key::SigningKey, sampler::to_float, stream::Stream};
use num_bigint::BigInt;
use std::hint::black_box;

/// The exact step: finds the coset of a request and its short representative.
pub fn reduce(key: &SigningKey, tag: &Tag, index: u32, message: &BigInt) {
    black_box(key.basis.reduce(&key.coset(tag, index, message)));
}

/// The sampler alone, on the lattice itself and with the randomness of `nonce`.
pub fn sample(key: &SigningKey, nonce: u64) {
    let dimension = key.public().dimension();
    let width = to_float(i64::try_from(dimension.width()).unwrap_or(i64::MAX));
    let mut stream = Stream::new(&[b"BF-V01-PART", &nonce.to_be_bytes()]);
    black_box(
        key.basis
            .sample(&vec![0; dimension.get()], width, &mut stream),
    );
}
