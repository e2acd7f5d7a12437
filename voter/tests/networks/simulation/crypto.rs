//! Real cryptography, done once per distinct object and shared by all nodes and runs of a test
//! binary.

use super::NodeId;
use codec::Encode;
use duet_primitives::{
    testing::{self, TestSet},
    Commitment, Equivocation, EquivocationError, EquivocationProof, Justification,
    JustificationError, Pk1Bytes, Pk2Bytes, RoundMessage, SetId, SignerIndex,
    UncheckedJustification, UncheckedVote, Vote, VoteError, VoteSignature, H256,
};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

pub(crate) const GENESIS: H256 = H256::repeat_byte(9);

/// So many objects of a kind are remembered; then it begins anew.
const MAX_KNOWN: usize = 1 << 19;

/// What came of objects, by their hashes: whole objects would take several times the memory.
type Memo<V> = LazyLock<Mutex<HashMap<[u8; 32], V>>>;

static KEYS: Memo<(Pk1Bytes, Pk2Bytes)> = LazyLock::new(Default::default);
static SETS: Memo<Arc<TestSet>> = LazyLock::new(Default::default);
static MESSAGES: Memo<RoundMessage> = LazyLock::new(Default::default);
static SIGNED: Memo<VoteSignature> = LazyLock::new(Default::default);
static JUSTIFIED: Memo<UncheckedJustification> = LazyLock::new(Default::default);
static VOTES: Memo<Result<Vote, VoteError>> = LazyLock::new(Default::default);
static PROOFS: Memo<Result<Justification, JustificationError>> = LazyLock::new(Default::default);
static EVIDENCE: Memo<Result<Equivocation, EquivocationError>> = LazyLock::new(Default::default);

fn memo<V: Clone>(memo: &Memo<V>, object: &impl Encode, make: impl FnOnce() -> V) -> V {
    // With room for what is asked about most: to grow on the way takes longer than the rest.
    let mut bytes = Vec::with_capacity(512);
    object.encode_to(&mut bytes);
    let key = Sha256::digest(&bytes).into();
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

/// Both halves of the key of a node.
pub(crate) fn keys(node: NodeId) -> (Pk1Bytes, Pk2Bytes) {
    let number = node as u64;
    memo(&KEYS, &number, || {
        let secret = testing::secret(number);
        (secret.public().pk1(), secret.public().pk2())
    })
}

/// The key of a node.
pub(crate) fn key(node: NodeId) -> Pk1Bytes {
    keys(node).0
}

pub(crate) fn set(id: SetId, members: &[u64]) -> Arc<TestSet> {
    memo(&SETS, &(id, members), || {
        Arc::new(TestSet::new(id.get(), members.iter().copied()))
    })
}

pub(crate) fn message(commitment: &Commitment) -> RoundMessage {
    let make = || RoundMessage::new(GENESIS, commitment.clone());
    memo(&MESSAGES, commitment, make)
}

pub(crate) fn sign(set: &TestSet, signer: SignerIndex, commitment: &Commitment) -> UncheckedVote {
    let key = (set.set.commitment().root, signer, commitment);
    let secret = &set.secrets[signer.get() as usize];
    let signature = memo(&SIGNED, &key, || {
        UncheckedVote::sign(secret, signer, &message(commitment)).signature
    });
    UncheckedVote {
        commitment: commitment.clone(),
        signer,
        signature,
    }
}

pub(crate) fn justify(
    set: &TestSet,
    commitment: &Commitment,
    signers: &[SignerIndex],
) -> UncheckedJustification {
    let key = (set.set.commitment().root, signers, commitment);
    memo(&JUSTIFIED, &key, || {
        let signers = signers.iter().map(|signer| signer.get());
        set.justify(&message(commitment), signers).into_unchecked()
    })
}

pub(crate) fn check_vote(set: &TestSet, vote: &UncheckedVote) -> Result<Vote, VoteError> {
    let key = (set.set.commitment().root, vote);
    memo(&VOTES, &key, || {
        let message = message(&vote.commitment);
        vote.clone().check(set.set.keyset(), &message)
    })
}

pub(crate) fn check_proof(
    set: &TestSet,
    proof: &UncheckedJustification,
) -> Result<Justification, JustificationError> {
    let key = (set.set.commitment().root, proof);
    memo(&PROOFS, &key, || {
        proof.clone().check(set.set.keyset(), GENESIS)
    })
}

pub(crate) fn check_evidence(
    set: &TestSet,
    proof: &EquivocationProof,
) -> Result<Equivocation, EquivocationError> {
    let set = set.set.commitment();
    memo(&EVIDENCE, &(set.root, proof), || proof.check(set, GENESIS))
}
