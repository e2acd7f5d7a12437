//! The hash functions of headers, tries and ranges. Those of `sp-core` are not there in a runtime.

use hash256_std_hasher::Hash256StdHasher;
use sp_core::{Hasher, H256};

/// BLAKE2b with 32 bytes.
#[derive(Debug)]
pub(crate) struct Blake2Hasher;

impl Hasher for Blake2Hasher {
    type Out = H256;
    type StdHasher = Hash256StdHasher;
    const LENGTH: usize = 32;

    fn hash(bytes: &[u8]) -> H256 {
        H256(sp_crypto_hashing::blake2_256(bytes))
    }
}

/// Keccak-256.
#[derive(Debug)]
pub(crate) struct KeccakHasher;

impl Hasher for KeccakHasher {
    type Out = H256;
    type StdHasher = Hash256StdHasher;
    const LENGTH: usize = 32;

    fn hash(bytes: &[u8]) -> H256 {
        H256(sp_crypto_hashing::keccak_256(bytes))
    }
}
