//! A chain of many sets for tests and benches, made without a node: its genesis and its proofs, in every form in
//! which servers send them. Never for a real chain: its secrets are public.
//!
//! Ids, positions and block numbers are plain integers here, because tests write them as literals.

mod blocks;
mod range;
mod state;

pub use blocks::TestBlocks;
pub use range::TestRange;
pub use state::{read_proof, trie};

use crate::{
    start::{start_keys, StartProof},
    update::HandoffProof,
    Checkpoint,
};
use alloc::{collections::BTreeMap, vec, vec::Vec};
use codec::{Compact, Encode};
use duet_primitives::{
    suite::{ENDED_STORAGE_KEY, KEYSETS_STORAGE_KEY},
    testing::TestSet,
    BlockNumber, Commitment, Justification, Keysets, Pk1Bytes, RoundMessage, StatelessProof,
    UncheckedJustification, H256,
};
use sp_core::{Blake2Hasher, Hasher};

/// Blocks per set: of its blocks, the second, the fifth and the eighth have proofs.
pub const SPAN: u32 = 10;
const ORDINARY: u32 = 2;
const MANDATORY: u32 = 5;
const LATE: u32 = 8;

/// A chain whose keys change every [`SPAN`] blocks.
#[derive(Clone, Debug)]
pub struct TestChain {
    /// The sets in order, and one more that is planned and does not sign.
    pub sets: Vec<TestSet>,
    /// Hash of the genesis header.
    pub genesis_hash: H256,
    genesis: Option<StartProof>,
    justifications: BTreeMap<u32, Justification>,
}

impl TestChain {
    /// A chain on which `sets` sets of `members` have signed; `salt` tells chains apart.
    pub fn new(sets: u64, members: u64, salt: u8) -> Self {
        let sets: Vec<_> = (0..=sets)
            .map(|id| TestSet::new(id, id..id + members))
            .collect();
        let genesis = start_proof(&sets[0], 0, H256::zero(), salt);
        let genesis_hash = Blake2Hasher::hash(&genesis.header);
        Self::signed(sets, genesis_hash, Some(genesis))
    }

    /// The same on a chain with this genesis, whose state has no set: it took Duet up later.
    pub fn without_genesis_set(genesis_hash: H256, sets: u64, members: u64) -> Self {
        let sets = (0..=sets).map(|id| TestSet::new(id, id..id + members));
        Self::signed(sets.collect(), genesis_hash, None)
    }

    fn signed(sets: Vec<TestSet>, genesis_hash: H256, genesis: Option<StartProof>) -> Self {
        let mut chain = Self {
            sets,
            genesis_hash,
            genesis,
            justifications: BTreeMap::new(),
        };
        for id in 0..chain.sets.len() - 1 {
            chain.sign_era(id);
        }
        chain
    }

    fn sign_era(&mut self, id: usize) {
        let (set, next) = (&self.sets[id], &self.sets[id + 1]);
        let start = u32::try_from(id).expect("few sets") * SPAN;
        let len = set.set.commitment().len;
        for (offset, next) in [(ORDINARY, set), (MANDATORY, next), (LATE, next)] {
            let number = start + offset;
            let message = RoundMessage::new(self.genesis_hash, set.commitment(number, &next.set));
            // Another member does not sign each time, where the threshold allows it.
            let absent = (len > set.set.commitment().threshold()).then_some(number % len);
            let signers = (0..len).filter(|index| Some(*index) != absent);
            self.justifications
                .insert(number, set.justify(&message, signers));
        }
    }

    /// The start proof for a client that knows the genesis hash.
    ///
    /// # Panics
    /// When the genesis has no set.
    pub fn genesis_proof(&self) -> StartProof {
        let proof = self.genesis.clone();
        proof.expect("the chain began with a set")
    }

    /// The start proof for a client that knows the hash of a set's first block. That block has no finality proof.
    ///
    /// # Panics
    /// When there is no such set.
    pub fn start_proof(&self, id: u64) -> StartProof {
        let index = usize::try_from(id).expect("few sets");
        let number = u32::try_from(id).expect("few sets") * SPAN;
        start_proof(&self.sets[index], number, self.genesis_hash, 0)
    }

    /// The newest block with a proof.
    pub fn head(&self) -> &Commitment {
        self.justifications
            .values()
            .next_back()
            .expect("a chain has proofs")
            .commitment()
    }

    /// All proofs in the order of their blocks.
    pub fn justifications(&self) -> impl Iterator<Item = &UncheckedJustification> {
        self.justifications
            .values()
            .map(Justification::as_unchecked)
    }

    /// The proof of a block, if it has one.
    pub fn justification(&self, number: u32) -> Option<UncheckedJustification> {
        self.justifications
            .get(&number)
            .map(|found| found.as_unchecked().clone())
    }

    /// The same for a client without keys.
    pub fn stateless_proof(&self, number: u32) -> Option<StatelessProof> {
        let found = self.justifications.get(&number)?;
        let id = usize::try_from(found.commitment().validator_set_id.get()).ok()?;
        StatelessProof::new(found, self.sets.get(id)?.set.keyset()).ok()
    }

    /// Number of the block that names the successor of a set.
    pub fn mandatory(&self, id: u64) -> u32 {
        u32::try_from(id).expect("few sets") * SPAN + MANDATORY
    }

    /// The keys of a set.
    pub fn keys(&self, id: u64) -> Option<Vec<Pk1Bytes>> {
        let set = self.sets.get(usize::try_from(id).ok()?)?;
        Some(set.set.keyset().key_bytes())
    }

    /// The handoff proofs, from a set on.
    pub fn handoff_proofs(&self, from: u64, limit: usize) -> Vec<HandoffProof> {
        let proof = |id| {
            let justification = self.justification(self.mandatory(id))?;
            Some(HandoffProof {
                justification,
                next_keys: self.keys(id + 1)?,
            })
        };
        (from..).map_while(proof).take(limit).collect()
    }

    /// The same for clients without keys.
    pub fn stateless_handoff_proofs(&self, from: u64, limit: usize) -> Vec<StatelessProof> {
        (from..)
            .map_while(|id| self.stateless_proof(self.mandatory(id)))
            .take(limit)
            .collect()
    }

    /// A checkpoint at the first block of a set.
    pub fn checkpoint(&self, id: u64) -> Checkpoint {
        let set = &self.sets[usize::try_from(id).expect("few sets")].set;
        let block_number = u32::try_from(id).expect("few sets") * SPAN;
        Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: BlockNumber::new(block_number),
            block_hash: H256::from_low_u64_be(u64::from(block_number) + 1),
            keysets: Keysets::without_successor(set.commitment().clone()),
        }
    }

    /// A proof of any commitment by members of a set.
    pub fn sign(
        &self,
        id: u64,
        commitment: Commitment,
        signers: impl IntoIterator<Item = u32>,
    ) -> UncheckedJustification {
        let message = RoundMessage::new(self.genesis_hash, commitment);
        let set = &self.sets[usize::try_from(id).expect("few sets")];
        set.justify(&message, signers).into_unchecked()
    }
}

/// The proof of a block whose state has this set as the signing one.
fn start_proof(set: &TestSet, number: u32, parent: H256, salt: u8) -> StartProof {
    let keysets = Keysets::without_successor(set.set.commitment().clone());
    let state = StartState {
        keysets: Some(&keysets.encode()),
        salt,
        ..StartState::default()
    };
    state.start_proof(parent, number, set.set.keyset().key_bytes())
}

/// The encoding of a header with this state root and number, no parent, and an empty digest.
pub fn genesis_header(state_root: H256, number: u32) -> Vec<u8> {
    header(H256::zero(), number, state_root)
}

fn header(parent: H256, number: u32, state_root: H256) -> Vec<u8> {
    let extrinsics_root = H256::repeat_byte(0xee);
    let digest = Vec::<u8>::new();
    (parent, Compact(number), state_root, extrinsics_root, digest).encode()
}

/// A state in which a client begins, with other entries around those that it reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct StartState<'a> {
    /// The stored value of the sets.
    pub keysets: Option<&'a [u8]>,
    /// The stored mark that Duet is deactivated; with a neighbour, so that a node of its own proves it.
    pub ended: Option<&'a [u8]>,
    /// Tells states apart that have the same of both.
    pub salt: u8,
}

impl StartState<'_> {
    /// The start proof of a block with this parent, number and state, and with these keys of its signing set.
    pub fn start_proof(&self, parent: H256, number: u32, keys: Vec<Pk1Bytes>) -> StartProof {
        let (state_root, nodes) = self.prove(number);
        StartProof {
            header: header(parent, number, state_root),
            nodes,
            keys,
        }
    }

    /// The state's root, and the proof of what a client reads that begins at the block with this number.
    pub fn prove(&self, block: u32) -> (H256, Vec<Vec<u8>>) {
        let mut entries = Vec::new();
        for index in 0..64u8 {
            let value = vec![self.salt; usize::from(index) + 1];
            entries.push((Blake2Hasher::hash(&[index]).0.to_vec(), value));
            // Neighbours under the pallet's own prefix.
            let neighbour = [&KEYSETS_STORAGE_KEY[..16], &[index; 16]].concat();
            entries.push((neighbour, vec![index; 40]));
        }
        if let Some(value) = self.keysets {
            entries.push((KEYSETS_STORAGE_KEY.to_vec(), value.to_vec()));
        }
        if let Some(value) = self.ended {
            entries.push((ENDED_STORAGE_KEY.to_vec(), value.to_vec()));
            let neighbour = [&ENDED_STORAGE_KEY[..24], &[0; 8]].concat();
            entries.push((neighbour, vec![1; 40]));
        }
        let (db, root) = trie(entries);
        let keys = start_keys(BlockNumber::new(block));
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
        let nodes = read_proof(&db, root, &keys);
        (root, nodes)
    }
}
