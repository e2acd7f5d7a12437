//! From the voters of the genesis to the newest block that their successors made final. (WARP-1 to WARP-4)

use crate::{
    error::WarpError,
    header::{Header, Voters},
    justification::Set,
    proof::{Fragment, GenesisProof, WarpProof},
};
use codec::DecodeAll;
use duet_light_client::FinalBlock;
use duet_primitives::{BlockNumber, H256};
use sp_crypto_hashing::twox_128;

/// The storage key of GRANDPA's voters: `twox_128("Grandpa") ‖ twox_128("Authorities")`. (WARP-1)
pub fn voters_key() -> [u8; 32] {
    let mut key = [0; 32];
    let (pallet, item) = key.split_at_mut(16);
    pallet.copy_from_slice(&twox_128(b"Grandpa"));
    item.copy_from_slice(&twox_128(b"Authorities"));
    key
}

/// Follows GRANDPA from the genesis: the newest proven block, and the voters after it.
#[derive(Clone, Debug)]
pub struct Follower {
    number: BlockNumber,
    hash: H256,
    set: Set,
}

impl Follower {
    /// Begins with the voters that the state of the genesis names.
    ///
    /// Rules: WARP-1. Cost: a hash per trie node.
    ///
    /// # Errors
    /// [`WarpError::Genesis`], [`WarpError::NoVoters`]
    ///
    /// # Security
    /// `genesis_hash` must come from the user.
    pub fn begin(genesis_hash: H256, proof: &GenesisProof) -> Result<Self, WarpError> {
        let genesis = FinalBlock::genesis(genesis_hash);
        let key = voters_key();
        let entries = genesis
            .header(&proof.header)?
            .read(&[key.as_slice()], &proof.nodes)?;
        let value = entries.first().and_then(|entry| entry.value());
        let voters = value.and_then(|value| Voters::decode_all(&mut &*value).ok());
        let set = voters.and_then(|voters| Set::new(0, voters));
        Ok(Self {
            number: genesis.number(),
            hash: genesis_hash,
            set: set.ok_or(WarpError::NoVoters)?,
        })
    }

    /// Advances to the last block of a proof. An invalid proof changes nothing.
    ///
    /// Rules, for each block in it: WARP-2, WARP-3, WARP-4.
    /// Cost: an Ed25519 check for each vote, at most two per voter; then, for each vote, at most once the way along the
    /// supplied headers.
    ///
    /// # Errors
    /// The first broken rule.
    pub fn follow(&self, proof: &WarpProof) -> Result<Self, WarpError> {
        let mut at = self.clone();
        let last = proof.fragments.len().saturating_sub(1);
        for (index, fragment) in proof.fragments.iter().enumerate() {
            let may_end_here = index == last && proof.is_finished;
            at = at.step(fragment, may_end_here)?;
        }
        Ok(at)
    }

    fn step(&self, fragment: &Fragment, may_end_here: bool) -> Result<Self, WarpError> {
        let Fragment {
            header,
            justification,
        } = fragment;
        let number = BlockNumber::new(header.number);
        if number <= self.number {
            let (best, got) = (self.number, number);
            return Err(WarpError::NotNewer { best, got });
        }
        if justification.target() != (header.number, header.hash) {
            return Err(WarpError::OtherBlock {
                number,
                header: header.hash,
                target: justification.target().1,
            });
        }
        justification
            .check(&self.set)
            .map_err(|error| WarpError::Justification {
                number,
                set: self.set.id,
                error,
            })?;
        Ok(Self {
            number,
            hash: header.hash,
            set: self.set_after(header, may_end_here)?,
        })
    }

    /// Who votes after this block. (WARP-4)
    fn set_after(&self, header: &Header, may_end_here: bool) -> Result<Set, WarpError> {
        let number = BlockNumber::new(header.number);
        let Some(change) = &header.change else {
            return match may_end_here {
                true => Ok(self.set.clone()),
                false => Err(WarpError::NoChange { number }),
            };
        };
        let unknown = |reason| WarpError::Change { number, reason };
        if change.delay > 0 {
            return Err(unknown("the change takes effect in a later block"));
        }
        let id = self.set.id.checked_add(1);
        let id = id.ok_or(unknown("the set has the highest possible number"))?;
        Set::new(id, change.voters.clone()).ok_or(unknown("the next voters are not a valid set"))
    }

    /// The number of the newest block that is proven: of the genesis in the beginning.
    pub fn number(&self) -> BlockNumber {
        self.number
    }

    /// Its hash.
    pub fn hash(&self) -> H256 {
        self.hash
    }

    /// The number of the set of voters after it, from 0 on.
    pub fn set_id(&self) -> u64 {
        self.set.id
    }
}
