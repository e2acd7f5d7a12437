//! Reads the chain: only blocks that this node executed or GRANDPA finalized.

use crate::{
    client::{AccountId, Headers},
    statement::FalseStatement,
    store::Store,
};
use blocks::Blocks;
use codec::Encode;
use duet_gossip::LOG_TARGET;
use duet_light_client::{start::start_keys, StartProof};
use duet_primitives::{
    suite, Accusation, Bitfield, BlockNumber, Commitment, ConsensusLog, DualKeyBytes, DualKeyset,
    EquivocationProof, EvidenceStatus, Justification, Keyset, KeysetCommitment, Keysets,
    Participation, PreparedJustification, RoundMessage, SetId, StatelessProof,
    UncheckedJustification, VotingRules, H256,
};
use error::{ChainError, CheckError};
use logs::{check_payload, decode_logs};
use parking_lot::Mutex;
use runtime::Runtime;
use schnellru::{ByLength, LruMap};
use std::sync::Arc;

pub(crate) mod blocks;
pub(crate) mod error;
pub(crate) mod logs;
pub(crate) mod runtime;

/// The number of sets whose keys are kept parsed.
const PARSED_SETS: u32 = 8;

/// The finalized chain, its runtime, and the sets read from it.
pub(crate) struct Chain {
    blocks: Arc<dyn Blocks>,
    runtime: Arc<dyn Runtime>,
    store: Store,
    parsed: Mutex<LruMap<(SetId, H256), Arc<DualKeyset>, ByLength>>,
    /// The halves in G1 of other sets: all that this node has of those before its first one.
    halves: Mutex<LruMap<(SetId, H256), Arc<Keyset>, ByLength>>,
}

impl Chain {
    /// Over blocks, their runtime, and the stored data about both.
    pub(crate) fn new(blocks: Arc<dyn Blocks>, runtime: Arc<dyn Runtime>, store: Store) -> Self {
        Self {
            blocks,
            runtime,
            store,
            parsed: Mutex::new(LruMap::new(ByLength::new(PARSED_SETS))),
            halves: Mutex::new(LruMap::new(ByLength::new(PARSED_SETS))),
        }
    }

    /// Hash of the genesis block.
    pub(crate) fn genesis_hash(&self) -> H256 {
        self.blocks.genesis_hash()
    }

    /// Number and hash of the highest block that GRANDPA finalized.
    pub(crate) fn finalized(&self) -> (BlockNumber, H256) {
        self.blocks.finalized()
    }

    /// Hash of the block with this number on the best chain; below the finalized block, the finalized one.
    pub(crate) fn hash(&self, number: BlockNumber) -> Result<H256, ChainError> {
        let hash = self.blocks.hash(number)?;
        hash.ok_or(ChainError::NoBlock(number))
    }

    /// Hash of the block that GRANDPA finalized at this height; `None` while none is final there, or if it is missing.
    pub(crate) fn finalized_at(&self, number: BlockNumber) -> Option<H256> {
        match self.blocks.finalized_at(number) {
            Ok(hash) => hash,
            Err(error) => {
                log::warn!(target: LOG_TARGET, "the hash of block {number} cannot be read: {error}");
                None
            }
        }
    }

    /// Whether the finalized chain contradicts a statement about its block: GRANDPA finalized another one, or its
    /// header names another payload. `None` while no block is final there, or if it is missing. (ROUND-10)
    pub(crate) fn contradicts(&self, said: &Commitment) -> Option<bool> {
        self.refutes(said).unwrap_or_else(|error| {
            let number = said.block_number;
            log::warn!(target: LOG_TARGET, "block {number} cannot be compared with a proof: {error}");
            None
        })
    }

    /// Duet's logs in the finalized block with this number.
    pub(crate) fn logs(&self, number: BlockNumber) -> Result<Vec<ConsensusLog>, ChainError> {
        Ok(decode_logs(&self.blocks.header(self.hash(number)?)?.digest))
    }

    /// The sets at a block; `None` where the runtime does not know Duet yet or no validator has keys.
    pub(crate) fn keysets(&self, at: H256) -> Result<Option<Keysets>, ChainError> {
        Ok(self.runtime.keysets(at)?)
    }

    /// The sets at the best block.
    pub(crate) fn best_keysets(&self) -> Result<Option<Keysets>, ChainError> {
        self.keysets(self.blocks.best_hash())
    }

    /// Whether the chain has a set at a block and has not deactivated Duet: then the set is to sign. An expired set
    /// counts, because only a reset replaces it. (ACTIVE-1, ACTIVE-3, HANDOFF-5)
    pub(crate) fn is_active(&self, at: H256) -> Result<bool, ChainError> {
        let sets = self.runtime.stored(at, &suite::KEYSETS_STORAGE_KEY)?;
        let ended = self.runtime.stored(at, &suite::ENDED_STORAGE_KEY)?;
        Ok(sets.is_some() && ended != Some(true.encode()))
    }

    /// The value under a storage key at a block.
    pub(crate) fn stored(&self, at: H256, key: &[u8]) -> Result<Option<Vec<u8>>, ChainError> {
        Ok(self.runtime.stored(at, key)?)
    }

    /// The voting rules of the signing set at a block. (ROUND-11)
    pub(crate) fn voting_rules(&self, at: H256) -> Result<VotingRules, ChainError> {
        Ok(self.runtime.voting_rules(at)?.unwrap_or_default())
    }

    /// The share that a set would stand for if it were made at a block; `None` if the runtime is too old. (CHAIN-6)
    pub(crate) fn participation(
        &self,
        at: H256,
    ) -> Result<Option<Participation<AccountId>>, ChainError> {
        Ok(self.runtime.participation(at)?)
    }

    /// The set with this commitment, from the parsed sets, the store, or the state at `at`.
    pub(crate) fn set(
        &self,
        commitment: &KeysetCommitment,
        at: H256,
    ) -> Result<Arc<DualKeyset>, ChainError> {
        let id = commitment.id;
        if let Some(set) = self.parsed.lock().get(&(id, commitment.root)) {
            return Ok(set.clone());
        }
        let parse = |keys: Vec<DualKeyBytes>| {
            DualKeyset::from_chain_state_unchecked(commitment, &keys)
                .map_err(|error| ChainError::Keys { id, error })
        };
        let set = match self.store.keys(commitment)?.map(parse) {
            Some(Ok(set)) => set,
            // Others than the commitment's are replaced, too.
            Some(Err(_)) | None => parse(self.keep_keys_from_state(commitment, at)?)?,
        };
        let set = Arc::new(set);
        self.parsed
            .lock()
            .insert((id, commitment.root), set.clone());
        Ok(set)
    }

    /// Stores the keys of a set unless they are stored already, while the state at `at` has them. Does not parse
    /// them, unlike [`Chain::set`], which takes a thousand times as long.
    pub(crate) fn keep_keys(
        &self,
        commitment: &KeysetCommitment,
        at: H256,
    ) -> Result<(), ChainError> {
        if self.store.keys(commitment)?.is_none() {
            self.keep_keys_from_state(commitment, at)?;
        }
        Ok(())
    }

    fn keep_keys_from_state(
        &self,
        commitment: &KeysetCommitment,
        at: H256,
    ) -> Result<Vec<DualKeyBytes>, ChainError> {
        let keys = self.keys_from_state(commitment, at)?;
        self.store.put_keys(commitment, &keys)?;
        Ok(keys)
    }

    fn keys_from_state(
        &self,
        commitment: &KeysetCommitment,
        at: H256,
    ) -> Result<Vec<DualKeyBytes>, ChainError> {
        let sets = self.keysets(at)?.ok_or(ChainError::NoSets(at))?;
        if sets.current == *commitment {
            Ok(self.runtime.current_keys(at)?)
        } else if sets.next == *commitment {
            Ok(self.runtime.next_keys(at)?)
        } else {
            Err(ChainError::UnknownSet { id: commitment.id })
        }
    }

    /// Checks a justification against the set that it names on the finalized chain.
    pub(crate) fn check(
        &self,
        justification: UncheckedJustification,
    ) -> Result<Justification, CheckError> {
        Ok(self.prepare(justification, None)?.verify()?)
    }

    /// Checks everything in a justification except its equation, against the set that it names on the finalized chain.
    /// It is verified together with the one `before` it.
    pub(crate) fn prepare(
        &self,
        justification: UncheckedJustification,
        before: Option<&PreparedJustification>,
    ) -> Result<PreparedJustification, CheckError> {
        let genesis = self.genesis_hash();
        let set = justification.commitment.validator_set_id;
        let prepare = |keyset: &Keyset| justification.prepare(keyset, genesis, before);
        Ok(self.with_keyset(set, prepare)??)
    }

    /// Works with the keys of the set with this id on the finalized chain, as far as signatures are checked with them.
    fn with_keyset<T>(&self, id: SetId, work: impl FnOnce(&Keyset) -> T) -> Result<T, ChainError> {
        let commitment = self.store.set(id)?;
        let commitment = commitment.ok_or(ChainError::UnknownSet { id })?;
        let of = (id, commitment.root);
        let parsed = self.parsed.lock().get(&of).cloned();
        if let Some(set) = parsed {
            return Ok(work(set.keyset()));
        }
        let halves = self.halves.lock().get(&of).cloned();
        if let Some(keyset) = halves {
            return Ok(work(&keyset));
        }
        let stored = self.store.key_halves(&commitment)?;
        let Some(Ok(keyset)) = stored.map(|keys| Keyset::check(&commitment, &keys)) else {
            let (_, finalized) = self.finalized();
            return Ok(work(self.set(&commitment, finalized)?.keyset()));
        };
        let keyset = Arc::new(keyset);
        self.halves.lock().insert(of, keyset.clone());
        Ok(work(&keyset))
    }

    /// The payload of the finalized block with this number. (ROUND-1)
    ///
    /// # Errors
    /// Among others when the block's header names another payload: a signature of this one could be punished. (FALSE-1)
    pub(crate) fn commitment(&self, number: BlockNumber) -> Result<Commitment, ChainError> {
        if number > self.finalized().0 {
            return Err(ChainError::NoBlock(number));
        }
        let hash = self.hash(number)?;
        let payload = match self.store.payload(hash)? {
            Some(payload) => payload,
            None => self
                .runtime
                .commitment_payload(hash)?
                .ok_or(ChainError::NoSets(hash))?,
        };
        check_payload(&self.blocks.header(hash)?.digest, hash, &payload)?;
        Ok(payload.commit(number, hash))
    }

    /// Stores the payload of a block, before its state is pruned.
    ///
    /// # Errors
    /// Among others when the block's header names another payload.
    pub(crate) fn keep_payload(&self, hash: H256) -> Result<(), ChainError> {
        if self.store.payload(hash)?.is_some() {
            return Ok(());
        }
        if let Some(payload) = self.runtime.commitment_payload(hash)? {
            check_payload(&self.blocks.header(hash)?.digest, hash, &payload)?;
            self.store.put_payload(hash, &payload)?;
        }
        Ok(())
    }

    /// Stores a justification with its block, so that peers get both together. The first one stays.
    pub(crate) fn append(&self, hash: H256, justification: Vec<u8>) -> Result<(), ChainError> {
        if self.blocks.justification(hash)?.is_some() {
            return Ok(());
        }
        Ok(self.blocks.append_justification(hash, justification)?)
    }

    /// Reports evidence to the runtime at the best block; `None` when the runtime refused it, because the evidence is
    /// known or too old. (EQV-6, EQV-7)
    pub(crate) fn report(&self, evidence: EquivocationProof) -> Result<Option<()>, ChainError> {
        Ok(self.runtime.report(self.blocks.best_hash(), evidence)?)
    }

    /// Whether the finalized chain contradicts a statement about its block; `None` when no block of this number is
    /// final here. (FALSE-1)
    pub(crate) fn refutes(&self, said: &Commitment) -> Result<Option<bool>, ChainError> {
        Ok(self.blocks.refutes(said)?)
    }

    /// Whether a statement is about a block that is too far beyond the best one for an honest validator.
    pub(crate) fn is_beyond(&self, said: &Commitment) -> bool {
        self.blocks.is_beyond(said)
    }

    /// The signers of a false statement, in the form of the chain's calls.
    ///
    /// # Errors
    /// When the statement's signatures do not hold, or its set is unknown here.
    fn accusations(&self, statement: &FalseStatement) -> Result<Vec<Accusation>, ChainError> {
        let genesis = self.genesis_hash();
        let accuse = |keyset: &Keyset| match statement {
            FalseStatement::Vote(vote) => {
                let message = RoundMessage::new(genesis, vote.commitment.clone());
                let vote = vote.clone().check(keyset, &message).ok()?;
                Some(Accusation::of_vote(&vote, keyset).into_iter().collect())
            }
            FalseStatement::Proof(proof) => {
                let proof = proof.clone().check(keyset, genesis).ok()?;
                Some(Accusation::of_proof(&proof, keyset))
            }
        };
        let set = statement.commitment().validator_set_id;
        self.with_keyset(set, accuse)?
            .ok_or(ChainError::NoSignature)
    }

    /// Reports the signers of a false statement to the runtime at the best block: those that it does not know yet.
    /// `None` when the runtime refused the report.
    pub(crate) fn accuse(&self, statement: &FalseStatement) -> Result<Option<()>, ChainError> {
        let at = self.blocks.best_hash();
        let headers = self.headers(statement.commitment().block_number, at)?;
        let mut taken = None;
        for accusation in self.accusations(statement)? {
            let status = self.runtime.accusation_status(at, &accusation)?;
            if status.is_none_or(|status| status == EvidenceStatus::New) {
                taken = self.runtime.accuse(at, accusation, &headers)?.or(taken);
            }
        }
        Ok(taken)
    }

    /// The headers that prove the truth about the block with this number, at the block `at`.
    fn headers(&self, number: BlockNumber, at: H256) -> Result<Headers, ChainError> {
        let hash = self.blocks.hash(number)?;
        let header = hash.map(|hash| self.blocks.header(hash)).transpose()?;
        Ok(Headers {
            header: header.map(|header| header.encoded),
            latest: self.blocks.header(at)?.encoded,
        })
    }

    /// A handoff's signers known to the best block; `None` when the chain accepts no proof of it. (HANDOFF-2)
    pub(crate) fn handoff_signers(&self, set: SetId) -> Result<Option<Bitfield>, ChainError> {
        let at = self.blocks.best_hash();
        Ok(self.runtime.handoff_signers(at, set)?)
    }

    /// Submits the proof of a handoff to the runtime at the best block; `None` when the runtime refused it. (HANDOFF-1)
    ///
    /// # Errors
    /// When the proof does not hold, or its set is unknown here.
    pub(crate) fn hand_off(&self, proof: UncheckedJustification) -> Result<Option<()>, ChainError> {
        let number = proof.commitment.block_number;
        let genesis = self.genesis_hash();
        let stateless = |keyset: &Keyset| {
            let proof = proof.clone().check(keyset, genesis).ok()?;
            StatelessProof::new(&proof, keyset).ok()
        };
        let proof = self.with_keyset(proof.commitment.validator_set_id, stateless)?;
        let proof = proof.ok_or(ChainError::NoSignature)?;
        let at = self.blocks.best_hash();
        Ok(self
            .runtime
            .hand_off(at, proof, &self.headers(number, at)?)?)
    }

    /// The finalized chain's status of a statement's signers: new if at least one of them is.
    ///
    /// # Errors
    /// [`ChainError::NotInThisRuntime`] when the runtime is too old for the question.
    pub(crate) fn accusation_status(
        &self,
        statement: &FalseStatement,
    ) -> Result<EvidenceStatus, ChainError> {
        let (_, at) = self.blocks.finalized();
        let mut all = Vec::new();
        for accusation in self.accusations(statement)? {
            let status = self.runtime.accusation_status(at, &accusation)?;
            all.push(status.ok_or(ChainError::NotInThisRuntime)?);
        }
        let first_of = [
            EvidenceStatus::New,
            EvidenceStatus::NotActive,
            EvidenceStatus::Reported,
            EvidenceStatus::NotSlashable,
        ];
        let found = first_of.into_iter().find(|status| all.contains(status));
        Ok(found.unwrap_or(EvidenceStatus::Invalid))
    }

    /// The finalized chain's status of evidence.
    ///
    /// # Errors
    /// [`ChainError::NotInThisRuntime`] when the runtime is too old for the question.
    pub(crate) fn evidence_status(
        &self,
        evidence: &EquivocationProof,
    ) -> Result<EvidenceStatus, ChainError> {
        let (_, at) = self.blocks.finalized();
        let status = self.runtime.evidence_status(at, evidence)?;
        status.ok_or(ChainError::NotInThisRuntime)
    }

    /// The starting proof for light clients at the genesis; `None` when the chain did not start with Duet.
    pub(crate) fn prove_genesis(&self) -> Result<Option<StartProof>, ChainError> {
        self.prove_start(self.hash(BlockNumber::ZERO)?)
    }

    /// The starting proof for light clients at the block in which the chain's first set begins to sign; `None` for
    /// any other block.
    pub(crate) fn prove_founding(
        &self,
        number: BlockNumber,
    ) -> Result<Option<StartProof>, ChainError> {
        match self.founds_first_set(number)? {
            true => self.prove_start(self.hash(number)?),
            false => Ok(None),
        }
    }

    /// Whether the chain's first set begins to sign in the finalized block with this number, above the genesis. (CHAIN-3)
    pub(crate) fn founds_first_set(&self, number: BlockNumber) -> Result<bool, ChainError> {
        let founded = ConsensusLog::Activated(SetId::FIRST);
        Ok(number <= self.finalized().0 && self.logs(number)?.contains(&founded))
    }

    fn prove_start(&self, block: H256) -> Result<Option<StartProof>, ChainError> {
        if self.keysets(block)?.is_none() {
            return Ok(None);
        }
        let header = self.blocks.header(block)?;
        let nodes = self.runtime.prove(block, start_keys(header.number))?;
        let keys = self.runtime.current_keys(block)?;
        Ok(Some(StartProof {
            header: header.encoded,
            nodes,
            keys: keys.iter().map(DualKeyBytes::pk1).collect(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dual_keys, TestBlock, TestChain};
    use duet_primitives::testing::TestSet;
    use sc_client_api::AuxStore;

    #[test]
    fn keys_are_read_from_state_once_and_then_from_the_store() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let commitment = set.set.commitment();
        assert!(test.chain().set(commitment, hash).is_ok());
        test.prune(hash);
        let fresh = test.chain();
        let found = fresh.set(commitment, hash).unwrap();
        assert_eq!(found.commitment(), commitment);
        assert!(
            Arc::ptr_eq(&found, &fresh.set(commitment, hash).unwrap()),
            "parsed once"
        );
    }

    #[test]
    fn stored_keys_that_are_not_those_of_their_root_are_replaced_by_those_of_the_state() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let (commitment, store) = (set.set.commitment(), test.store());
        let others = dual_keys(&TestSet::new(0, 1..5));
        store.put_keys(commitment, &others).unwrap();
        let found = test.chain().set(commitment, hash).unwrap();
        assert_eq!(found.commitment(), commitment);
        assert_eq!(store.keys(commitment).unwrap(), Some(dual_keys(&set)));
    }

    /// REQ-6, FALSE-3: of a set from before this node began, the history has no other keys.
    #[test]
    fn the_halves_in_g1_of_an_old_set_are_enough_to_check_its_proofs_and_to_accuse_it() {
        let (old, set) = (TestSet::new(0, 0..4), TestSet::new(1, 1..5));
        let test = TestChain::default();
        test.push(&set, &set, &[]);
        let first = StartProof {
            header: Vec::new(),
            nodes: Vec::new(),
            keys: old.set.keyset().key_bytes(),
        };
        let known = old.set.commitment();
        test.store().put_fetched_first_set(&first, known).unwrap();
        let chain = test.chain();
        let message = RoundMessage::new(chain.genesis_hash(), old.commitment(9, &set.set));
        let proof = old.justify(&message, 0..3).into_unchecked();
        for _ in ["parsed", "remembered"] {
            assert!(chain.check(proof.clone()).is_ok());
        }
        let statement = FalseStatement::Proof(proof);
        assert_eq!(chain.accuse(&statement).unwrap(), Some(()));
        let status = chain.accusation_status(&statement).unwrap();
        assert_eq!(status, EvidenceStatus::New);
    }

    #[test]
    fn a_set_that_the_state_does_not_name_is_unknown() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let other = TestSet::new(1, 1..5);
        let error = test.chain().set(other.set.commitment(), hash).unwrap_err();
        assert!(matches!(error, ChainError::UnknownSet { id } if id == SetId::new(1)));
    }

    /// ROUND-1.
    #[test]
    fn nothing_is_signed_about_a_block_that_is_not_final() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        test.push(&set, &set, &[]);
        let chain = test.chain();
        assert_eq!(
            chain
                .commitment(BlockNumber::ZERO)
                .unwrap()
                .block_number
                .get(),
            0
        );
        assert!(
            matches!(chain.commitment(BlockNumber::new(1)), Err(ChainError::NoBlock(number)) if number.get() == 1)
        );
    }

    #[test]
    fn a_kept_payload_outlives_the_state() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let chain = test.chain();
        let commitment = chain.commitment(BlockNumber::ZERO).unwrap();
        chain.keep_payload(hash).unwrap();
        test.prune(hash);
        assert_eq!(chain.commitment(BlockNumber::ZERO).unwrap(), commitment);
        test.store().drop_payloads(&[hash]).unwrap();
        assert!(matches!(
            chain.commitment(BlockNumber::ZERO),
            Err(ChainError::Runtime(_))
        ));
    }

    #[test]
    fn a_stored_payload_that_does_not_decode_is_read_from_the_state_and_replaced() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let key = [b"duet/v1/payload/", hash.as_bytes()].concat();
        let damaged = (&key[..], &b"\x07"[..]);
        test.backend.insert_aux(&[damaged], &[]).unwrap();
        let chain = test.chain();
        let commitment = chain.commitment(BlockNumber::ZERO).unwrap();
        chain.keep_payload(hash).unwrap();
        let stored = test.store().payload(hash).unwrap();
        assert_eq!(stored, Some(commitment.payload()));
    }

    /// ROUND-1, FALSE-1.
    #[test]
    fn nothing_is_signed_or_kept_about_a_block_whose_header_names_another_payload() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.add(&TestBlock::new(&set, &set, &[]).after_an_upgrade());
        let chain = test.chain();
        let signed = chain.commitment(BlockNumber::ZERO);
        let kept = chain.keep_payload(hash);
        for refused in [signed.map(drop), kept] {
            let error = refused.unwrap_err();
            assert!(matches!(error, ChainError::PayloadMismatch(_)), "{error}");
            assert!(error.to_string().contains(&format!("{hash:?}")), "{error}");
        }
        assert_eq!(test.store().payload(hash).unwrap(), None);
    }

    /// ROUND-1: also one that an earlier version of this node stored.
    #[test]
    fn a_stored_payload_that_the_header_does_not_name_is_not_signed() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        let mut other = test
            .chain()
            .commitment(BlockNumber::ZERO)
            .unwrap()
            .payload();
        other.mmr_root = H256::repeat_byte(9);
        test.store().put_payload(hash, &other).unwrap();
        let error = test.chain().commitment(BlockNumber::ZERO).unwrap_err();
        assert!(matches!(error, ChainError::PayloadMismatch(_)), "{error}");
    }

    #[test]
    fn the_first_justification_stays_with_its_block() {
        let (test, set) = (TestChain::default(), TestSet::new(0, 0..4));
        let hash = test.push(&set, &set, &[]);
        for bytes in [vec![1], vec![2]] {
            test.chain().append(hash, bytes).unwrap();
        }
        let kept = test.blocks().justification(hash).unwrap();
        assert_eq!(kept, Some(vec![1]));
    }
}
