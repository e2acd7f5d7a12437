//! Real cryptography, done once per distinct object and shared by all nodes and runs of a test
//! binary.

use super::NodeId;
use codec::Encode;
use duet_primitives::{
    testing::{self, TestSet},
    Commitment, Justification, JustificationError, Pk1Bytes, RoundMessage, SetId, SignerIndex,
    UncheckedJustification, UncheckedVote, Vote, VoteError, H256,
};
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, LazyLock, Mutex},
};

pub(crate) const GENESIS: H256 = H256::repeat_byte(9);

/// So many objects of a kind are remembered; then it begins anew.
const MAX_KNOWN: usize = 1 << 18;

type Memo<K, V> = LazyLock<Mutex<HashMap<K, V>>>;

static KEYS: Memo<NodeId, Pk1Bytes> = LazyLock::new(Default::default);
static SETS: Memo<(SetId, Vec<u64>), Arc<TestSet>> = LazyLock::new(Default::default);
static MESSAGES: Memo<Vec<u8>, RoundMessage> = LazyLock::new(Default::default);
static SIGNED: Memo<(H256, SignerIndex, Vec<u8>), UncheckedVote> = LazyLock::new(Default::default);
static JUSTIFIED: Memo<(H256, Vec<SignerIndex>, Vec<u8>), UncheckedJustification> =
    LazyLock::new(Default::default);
static VOTES: Memo<(H256, Vec<u8>), Result<Vote, VoteError>> = LazyLock::new(Default::default);
static PROOFS: Memo<(H256, Vec<u8>), Result<Justification, JustificationError>> =
    LazyLock::new(Default::default);

fn memo<K: Hash + Eq, V: Clone>(memo: &Memo<K, V>, key: K, make: impl FnOnce() -> V) -> V {
    if let Some(known) = memo.lock().expect("no holder panics").get(&key) {
        return known.clone();
    }
    let made = make();
    let mut memo = memo.lock().expect("no holder panics");
    if memo.len() >= MAX_KNOWN {
        memo.clear();
    }
    memo.insert(key, made.clone());
    made
}

/// The key of a node.
pub(crate) fn key(node: NodeId) -> Pk1Bytes {
    memo(&KEYS, node, || testing::secret(node as u64).public().pk1())
}

pub(crate) fn set(id: SetId, members: &[u64]) -> Arc<TestSet> {
    memo(&SETS, (id, members.to_vec()), || {
        Arc::new(TestSet::new(id.get(), members.iter().copied()))
    })
}

pub(crate) fn message(commitment: &Commitment) -> RoundMessage {
    let make = || RoundMessage::new(GENESIS, commitment.clone());
    memo(&MESSAGES, commitment.encode(), make)
}

pub(crate) fn sign(set: &TestSet, signer: SignerIndex, commitment: &Commitment) -> UncheckedVote {
    let key = (set.set.commitment().root, signer, commitment.encode());
    let secret = &set.secrets[signer.get() as usize];
    memo(&SIGNED, key, || {
        UncheckedVote::sign(secret, signer, &message(commitment))
    })
}

pub(crate) fn justify(
    set: &TestSet,
    commitment: &Commitment,
    signers: &[SignerIndex],
) -> UncheckedJustification {
    let key = (
        set.set.commitment().root,
        signers.to_vec(),
        commitment.encode(),
    );
    memo(&JUSTIFIED, key, || {
        let signers = signers.iter().map(|signer| signer.get());
        set.justify(&message(commitment), signers).into_unchecked()
    })
}

pub(crate) fn check_vote(set: &TestSet, vote: UncheckedVote) -> Result<Vote, VoteError> {
    let key = (set.set.commitment().root, vote.encode());
    let message = message(&vote.commitment);
    memo(&VOTES, key, || vote.check(set.set.keyset(), &message))
}

pub(crate) fn check_proof(
    set: &TestSet,
    proof: UncheckedJustification,
) -> Result<Justification, JustificationError> {
    let key = (set.set.commitment().root, proof.encode());
    memo(&PROOFS, key, || proof.check(set.set.keyset(), GENESIS))
}
