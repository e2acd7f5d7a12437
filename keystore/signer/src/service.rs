//! The signer's answers, and its refusals before it asks the key store.

use duet_keystore::Signer;
use duet_primitives::{ownership_statement, Commitment, RoundMessage, H256};
use duet_remote_signer::{Call, KeyList, Refusal, Reply, MAX_KEYS};
use std::{collections::BTreeSet, sync::Arc};

/// The policy for clients.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The chains whose votes are signed; `None` for all.
    pub chains: Option<BTreeSet<H256>>,
    /// Whether clients may make keys.
    pub generate: Generate,
}

/// Whether clients may make keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generate {
    /// They may not.
    #[default]
    Refused,
    /// They may.
    Allowed,
}

/// A signer behind a policy.
pub(crate) struct Service {
    signer: Arc<dyn Signer>,
    policy: Policy,
}

impl Service {
    pub(crate) fn new(signer: Arc<dyn Signer>, policy: Policy) -> Self {
        Self { signer, policy }
    }

    /// Executes a request. Blocks while the key store writes.
    ///
    /// # Errors
    /// Refusals of the policy, and errors of the key store.
    pub(crate) fn answer(&self, call: Call) -> Result<Reply, Refusal> {
        match call {
            Call::Keys => {
                let keys = self.signer.keys()?;
                let got = u32::try_from(keys.len()).unwrap_or(u32::MAX);
                if got > MAX_KEYS {
                    return Err(Refusal::TooManyKeys(got));
                }
                KeyList::new(keys)
                    .map(Reply::Keys)
                    .ok_or(Refusal::Malformed)
            }
            Call::SignVote {
                key,
                signer,
                genesis,
                commitment,
            } => {
                self.signs_for(genesis)?;
                well_formed(&commitment)?;
                let block = commitment.block_number;
                let message = RoundMessage::new(genesis, commitment);
                let vote = self.signer.sign_vote(&key, signer, &message)?;
                log::debug!("signed block {block} with key {key}");
                Ok(Reply::Vote(vote.signature))
            }
            Call::ProvePossession { key, owner } => {
                self.proves_to(owner.as_bytes())?;
                let proof = self.signer.prove_possession(&key, owner.as_bytes())?;
                log::info!("proved possession of key {key}");
                Ok(Reply::Possession(proof))
            }
            Call::Generate if self.policy.generate == Generate::Refused => {
                Err(Refusal::CannotGenerate)
            }
            Call::Generate => {
                let public = self.signer.generate()?;
                log::info!("made key {}", public.pk1());
                Ok(Reply::Generated(public))
            }
        }
    }

    fn signs_for(&self, genesis: H256) -> Result<(), Refusal> {
        match &self.policy.chains {
            Some(chains) if !chains.contains(&genesis) => Err(Refusal::OtherChain(genesis)),
            _ => Ok(()),
        }
    }

    /// A proof that registers a key names its chain (POP-1). Other statements begin differently.
    fn proves_to(&self, owner: &[u8]) -> Result<(), Refusal> {
        let nobody = ownership_statement(H256::zero(), &());
        let tag_len = nobody.len().saturating_sub(H256::len_bytes());
        let tag = nobody.get(..tag_len).unwrap_or_default();
        let Some(rest) = owner.strip_prefix(tag) else {
            return Ok(());
        };
        match rest.get(..H256::len_bytes()) {
            Some(genesis) => self.signs_for(H256::from_slice(genesis)),
            None => Err(Refusal::Malformed),
        }
    }
}

/// A commitment's next set must be possible: it has members, and its keys add up to a valid key. (SET-3)
///
/// The rest is arbitrary bytes, which only the chain can verify.
fn well_formed(commitment: &Commitment) -> Result<(), Refusal> {
    let next = &commitment.next;
    if next.len == 0 || next.apk1.check().is_err() {
        return Err(Refusal::Malformed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_keystore::{KeyStore, SignerError};
    use duet_primitives::{
        testing::{secret, TestSet},
        DualKeyBytes, Pk1Bytes, PossessionProof, SignerIndex, UncheckedVote,
    };
    use duet_remote_signer::Owner;

    const GENESIS: H256 = H256::repeat_byte(7);

    fn service(policy: Policy) -> Service {
        let store = KeyStore::in_memory();
        store.insert_ephemeral(secret(0));
        Service::new(Arc::new(store), policy)
    }

    fn only_here() -> Policy {
        let chains = Some([GENESIS].into());
        Policy {
            chains,
            ..Policy::default()
        }
    }

    fn vote_on(genesis: H256, change: impl FnOnce(&mut Commitment)) -> Call {
        let set = TestSet::new(0, 0..3);
        let mut commitment = set.commitment(7, &set.set);
        change(&mut commitment);
        Call::SignVote {
            key: secret(0).public().pk1(),
            signer: SignerIndex::new(0),
            genesis,
            commitment,
        }
    }

    fn proof_to(owner: &[u8]) -> Call {
        Call::ProvePossession {
            key: secret(0).public().pk1(),
            owner: Owner::new(owner).unwrap(),
        }
    }

    #[test]
    fn votes_of_other_chains_are_refused_where_chains_are_named() {
        let other = H256::repeat_byte(8);
        let named = service(only_here());
        assert!(named.answer(vote_on(GENESIS, |_| ())).is_ok());
        let refused = named.answer(vote_on(other, |_| ()));
        assert_eq!(refused, Err(Refusal::OtherChain(other)));
        assert!(service(Policy::default())
            .answer(vote_on(other, |_| ()))
            .is_ok());
    }

    #[test]
    fn a_commitment_to_an_impossible_set_is_refused_and_not_recorded() {
        let service = service(Policy::default());
        let empty = vote_on(GENESIS, |commitment| commitment.next.len = 0);
        assert_eq!(service.answer(empty), Err(Refusal::Malformed));
        let no_key = vote_on(GENESIS, |commitment| {
            commitment.next.apk1 = Pk1Bytes([0xff; 48]);
        });
        assert_eq!(service.answer(no_key), Err(Refusal::Malformed));
        assert!(service.answer(vote_on(GENESIS, |_| ())).is_ok());
    }

    #[test]
    fn proofs_that_register_a_key_on_other_chains_are_refused_where_chains_are_named() {
        let named = service(only_here());
        let here = ownership_statement(GENESIS, &"account");
        assert!(named.answer(proof_to(&here)).is_ok());
        let other = H256::zero();
        let there = ownership_statement(other, &"account");
        assert_eq!(
            named.answer(proof_to(&there)),
            Err(Refusal::OtherChain(other))
        );
        let cut = here.get(..20).unwrap();
        assert_eq!(named.answer(proof_to(cut)), Err(Refusal::Malformed));
        assert!(named.answer(proof_to(b"statistics/duet/v1")).is_ok());
        assert!(service(Policy::default()).answer(proof_to(&there)).is_ok());
    }

    #[test]
    fn keys_are_made_only_where_it_is_allowed() {
        let refused = service(Policy::default()).answer(Call::Generate);
        assert_eq!(refused, Err(Refusal::CannotGenerate));
        let generate = Generate::Allowed;
        let allowed = service(Policy {
            generate,
            ..Policy::default()
        });
        let Ok(Reply::Generated(public)) = allowed.answer(Call::Generate) else {
            panic!("no key");
        };
        let Ok(Reply::Keys(keys)) = allowed.answer(Call::Keys) else {
            panic!("no keys");
        };
        assert!(keys.into_keys().contains(&public));
    }

    struct Many(u32);

    impl Signer for Many {
        fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
            let key = |i: u32| DualKeyBytes(std::array::from_fn(|at| i.to_be_bytes()[at % 4]));
            Ok((0..self.0).map(key).collect())
        }

        fn sign_vote(
            &self,
            key: &Pk1Bytes,
            _: SignerIndex,
            _: &RoundMessage,
        ) -> Result<UncheckedVote, SignerError> {
            Err(SignerError::NoKey(*key))
        }

        fn prove_possession(
            &self,
            key: &Pk1Bytes,
            _: &[u8],
        ) -> Result<PossessionProof, SignerError> {
            Err(SignerError::NoKey(*key))
        }
    }

    #[test]
    fn more_keys_than_can_be_listed_are_an_error_that_says_so() {
        let list = |n| Service::new(Arc::new(Many(n)), Policy::default()).answer(Call::Keys);
        assert!(list(MAX_KEYS).is_ok());
        assert_eq!(list(MAX_KEYS + 1), Err(Refusal::TooManyKeys(MAX_KEYS + 1)));
    }
}
