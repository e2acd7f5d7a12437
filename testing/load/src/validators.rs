//! The validators that are played: their secrets, the set that they make, and their votes.

use crate::{cpu::thread_time, Error, Result};
use codec::Encode;
use duet_keystore::secret_of_suri;
use duet_local_network::State;
use duet_primitives::{
    testing, Commitment, DualKeyBytes, DualKeyset, Keysets, PossessedKey, RoundMessage, SecretKey,
    SetId, SignerIndex, UncheckedVote, Vote, H256,
};
use duet_runtime::Runtime;
use pallet_duet::{CurrentKeys, Keys, NextKeys, SetRecord, Sets};
use sp_keyring::Sr25519Keyring;
use std::{num::NonZeroUsize, thread, time::Duration};

/// The account of the node's validator: it authors, finalizes and holds one key of the set.
const NODE: Sr25519Keyring = Sr25519Keyring::Alice;
/// How many votes a node checks together at most.
const BATCH: usize = 256;

/// All validators of a set. One of them is the node's.
#[derive(Debug)]
pub struct Validators {
    secrets: Vec<SecretKey>,
    set: DualKeyset,
    node: SignerIndex,
}

/// What the check of votes costs without anything around it.
#[derive(Clone, Copy, Debug)]
pub struct BareCheck {
    /// Processor time.
    pub time: Duration,
    /// How many votes were checked in it.
    pub votes: u32,
}

impl Validators {
    /// A set of this many: the node's validator, and others whose secrets everybody knows.
    ///
    /// Cost: two multiplications per validator, one in each group.
    ///
    /// # Errors
    /// [`Error::Set`] when they do not make a set.
    pub fn new(count: u32) -> Result<Self> {
        let node = secret_of_suri(&format!("//{NODE}")).map_err(|_| Error::Set("no secret"))?;
        let node_key = node.public();
        let others = 0..u64::from(count.saturating_sub(1));
        let others: Vec<_> = others.collect();
        let mut secrets = in_parallel(&others, &|index: &u64| testing::secret(*index));
        secrets.push(node);
        secrets.sort_by_key(|secret| secret.public().pk1());
        // The secrets are at hand, so that the keys need no proof.
        let keys = in_parallel(&secrets, &|secret: &SecretKey| {
            PossessedKey::from_chain_state_unchecked(&secret.public())
        });
        let keys = keys.into_iter().collect::<std::result::Result<_, _>>();
        let keys = keys.map_err(|_| Error::Set("a key is not a point"))?;
        let set = DualKeyset::new(SetId::FIRST, keys).map_err(|_| Error::Set("no set"))?;
        let node = set.keyset().position(&node_key.pk1());
        let node = node.ok_or(Error::Set("the node is not in the set"))?;
        Ok(Self { secrets, set, node })
    }

    /// How many there are, the node's one included.
    pub fn count(&self) -> u32 {
        self.set.keyset().len()
    }

    /// How many votes make a proof.
    pub fn threshold(&self) -> u32 {
        self.set.keyset().threshold()
    }

    /// The position of the node's validator.
    pub fn node(&self) -> SignerIndex {
        self.node
    }

    /// The set.
    pub fn set(&self) -> &DualKeyset {
        &self.set
    }

    /// The others, in set order.
    pub fn played(&self) -> impl Iterator<Item = SignerIndex> + '_ {
        let all = (0..self.count()).map(SignerIndex::new);
        all.filter(|signer| *signer != self.node)
    }

    /// Makes these the set that signs from the first block on.
    ///
    /// The node's validator loses its entry in the registry, so that no validator of a session has a key: the chain
    /// then keeps the set that it has (CHAIN-5).
    pub fn found(&self, state: &mut State) {
        let keys: Vec<_> = self.secrets.iter().map(SecretKey::public).collect();
        let commitment = self.set.commitment().clone();
        let record = SetRecord {
            commitment: commitment.clone(),
            last_session: None,
        };
        let keysets = Keysets {
            current: commitment.clone(),
            next: commitment,
        };
        let keys = Vec::<DualKeyBytes>::encode(&keys);
        let keysets_key = pallet_duet::Keysets::<Runtime>::hashed_key();
        state.insert(keysets_key.to_vec(), keysets.encode());
        state.insert(CurrentKeys::<Runtime>::hashed_key().to_vec(), keys.clone());
        state.insert(NextKeys::<Runtime>::hashed_key().to_vec(), keys);
        let first = Sets::<Runtime>::hashed_key_for(SetId::FIRST);
        state.insert(first, record.encode());
        state.remove(&Keys::<Runtime>::hashed_key_for(NODE.to_account_id()));
    }

    /// What is signed about a commitment, with tables for the votes of all.
    pub fn message(&self, genesis: H256, commitment: Commitment) -> RoundMessage {
        RoundMessage::new(genesis, commitment).expecting(self.count())
    }

    /// The votes of these validators, on all cores.
    pub fn sign(&self, message: &RoundMessage, signers: &[SignerIndex]) -> Vec<UncheckedVote> {
        in_parallel(signers, &|signer: &SignerIndex| {
            self.sign_one(message, *signer)
        })
    }

    /// The vote of one validator.
    ///
    /// # Panics
    /// When the set has none at this position.
    pub fn sign_one(&self, message: &RoundMessage, signer: SignerIndex) -> UncheckedVote {
        let place = usize::try_from(signer.get()).unwrap_or(usize::MAX);
        UncheckedVote::sign(&self.secrets[place], signer, message)
    }

    /// Checks votes in batches as large as a node's, in this thread.
    ///
    /// # Errors
    /// [`Error::Set`] when one does not hold.
    pub fn check(&self, message: &RoundMessage, votes: &[UncheckedVote]) -> Result<BareCheck> {
        let began = thread_time();
        let mut checked = 0;
        for batch in votes.chunks(BATCH) {
            let verdicts = UncheckedVote::check_all(
                batch.to_vec(),
                self.set.keyset(),
                message,
                NonZeroUsize::MIN,
            );
            let verdicts: std::result::Result<Vec<Vote>, _> = verdicts.into_iter().collect();
            checked += verdicts.map_err(|_| Error::Set("a vote is bad"))?.len();
        }
        let time = thread_time().saturating_sub(began);
        let votes = u32::try_from(checked).map_err(|_| Error::Set("too many votes"))?;
        Ok(BareCheck { time, votes })
    }
}

/// Maps in all cores; the results are in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], map: &(dyn Fn(&T) -> R + Sync)) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let share = items.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts = items.chunks(share);
        let parts = parts.map(|part| scope.spawn(move || part.iter().map(map).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        let results = parts.into_iter().map(|part| part.join());
        results
            .flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_primitives::threshold;

    #[test]
    fn the_set_has_the_nodes_key_at_its_place() {
        let validators = Validators::new(7).expect("seven make a set");
        assert_eq!(validators.count(), 7);
        let node = secret_of_suri("//Alice")
            .expect("a well-known secret")
            .public();
        let found = validators.set().keyset().key(validators.node());
        assert_eq!(found.expect("a member").to_bytes(), node.pk1());
        assert_eq!(validators.played().count(), 6);
        assert!(!validators
            .played()
            .any(|signer| signer == validators.node()));
    }

    #[test]
    fn votes_of_validators_hold_and_a_vote_in_anothers_name_does_not() {
        let validators = Validators::new(4).expect("four make a set");
        let next = validators.set().commitment().clone();
        let commitment = Commitment {
            block_number: duet_primitives::BlockNumber::new(7),
            block_hash: H256::repeat_byte(1),
            mmr_root: H256::repeat_byte(2),
            validator_set_id: SetId::FIRST,
            next,
        };
        let message = validators.message(H256::zero(), commitment);
        let signers: Vec<_> = validators.played().collect();
        let mut votes = validators.sign(&message, &signers);
        let bare = validators.check(&message, &votes).expect("all hold");
        assert_eq!(bare.votes, 3);
        votes[0].signer = validators.node();
        assert!(matches!(
            validators.check(&message, &votes),
            Err(Error::Set("a vote is bad"))
        ));
    }

    #[test]
    fn the_state_names_the_set_and_gives_no_validator_a_key() {
        let validators = Validators::new(5).expect("five make a set");
        let registered = Keys::<Runtime>::hashed_key_for(NODE.to_account_id());
        let mut state = State::from([(registered.clone(), vec![1])]);
        validators.found(&mut state);
        assert!(!state.contains_key(&registered));
        let keys = &state[&CurrentKeys::<Runtime>::hashed_key().to_vec()];
        let keys: Vec<DualKeyBytes> = codec::DecodeAll::decode_all(&mut &keys[..]).expect("keys");
        let keysets = &state[&pallet_duet::Keysets::<Runtime>::hashed_key().to_vec()];
        let keysets: Keysets = codec::DecodeAll::decode_all(&mut &keysets[..]).expect("a pair");
        assert_eq!(keysets.current, keysets.next);
        let set = DualKeyset::from_chain_state_unchecked(&keysets.current, &keys);
        let set = set.expect("keys and commitment agree");
        assert_eq!(set.keyset().threshold(), threshold(5));
    }
}
