//! The validators: one ECDSA key for each number.

use sp_consensus_beefy::{
    ecdsa_crypto::{AuthorityId, Pair},
    ValidatorSet,
};
use sp_core::Pair as _;

/// The secret seed of a validator.
pub fn seed(voter: u32) -> [u8; 32] {
    let mut seed = [1; 32];
    let (number, _) = seed.split_at_mut(4);
    number.copy_from_slice(&voter.to_le_bytes());
    seed
}

/// The keys of a validator.
pub fn pair(voter: u32) -> Pair {
    // In the field for every number, because the bytes behind it keep it above zero and below the order.
    Pair::from_seed(&seed(voter))
}

/// The validators 0 to `voters` − 1, as set 0.
pub fn set(voters: u32) -> ValidatorSet<AuthorityId> {
    let keys: Vec<_> = (0..voters).map(|voter| pair(voter).public()).collect();
    // None only for an empty list.
    ValidatorSet::new(keys, 0).unwrap_or_else(|| panic!("a set has members"))
}
