//! Each way to lie, by name.

use codec::{Compact, Encode};
use duet_light_client::{
    testing::{self, TestChain},
    HandoffProof, StartProof,
};
use duet_primitives::{
    suite::ENGINE_ID, testing::TestSet, Bitfield, ConsensusLog, Keysets, Pk1Bytes, RoundMessage,
    SetId, SignerIndex, StatelessProof, UncheckedJustification, H256,
};

/// Members of each set of the chains that are served.
const LEN: u32 = 5;

/// What a server does wrong. Each lie changes one thing of an honest answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// Nothing.
    None,
    /// The sum of other signers' keys.
    WrongApk2,
    /// Fewer signers than the threshold.
    BelowThreshold,
    /// A bit beyond the set.
    PaddingBits,
    /// Signed by the same validators for another genesis hash.
    OtherChain,
    /// Signed by another set, under this set's id.
    OtherSet,
    /// Signed by a former set under its own id, where the newest set should have signed.
    FormerSet,
    /// The head's proof under the id of a set that is far ahead.
    ClaimsLaterSet,
    /// One bit of what was signed.
    FlippedMmrRoot,
    /// One bit of the signature.
    FlippedSignature,
    /// Honest, and its chain took Duet up with set 2: nothing proves its genesis.
    LaterStart,
    /// The same, and it is too old to say where the chain took Duet up.
    OldLaterStart,
    /// The same, and the block that it names does not have these sets.
    FalseStart,
    /// Its blocks are not those of the chain, and its block 0 is another chain's.
    Fork,
    /// The genesis header of another chain.
    GenesisHeader,
    /// A trie node with a flipped bit.
    GenesisStorage,
    /// A key of the first set with a flipped bit.
    GenesisKeys,
    /// The keys of another set.
    SetKeys,
    /// Handoff proofs that begin one set later.
    SkippedSet,
    /// A proof of another block than the one that was asked for.
    OtherBlock,
    /// A byte behind the proof.
    TrailingByte,
    /// No hexadecimal digits.
    Garbage,
    /// A number where bytes belong.
    WrongType,
    /// A block number that would write a line of its own on a terminal, and is very long.
    ForgedLine,
    /// Another hash for its head than its own proof of that block has.
    OtherHeadHash,
    /// A head that it has no proof of.
    InventedHead,
    /// The same, except for the first head on a connection, which it can prove.
    ClaimsAhead,
    /// Honest, and began in the middle of the chain: it has nothing of what came before yet.
    Joining,
    /// No handoff proofs, as if they were pruned.
    Pruned,
    /// Honest, and its chain was reset: the head's proof is of a set that no handoff leads to.
    Reset,
    /// It calls a block a reset that is none.
    FalseReset,
    /// Honest, and for another chain.
    ServesAnotherChain,
    /// Its chain grows, and its proofs stall.
    Stalls,
    /// Not a lie: pushes bitfields with many non-signers, as of a proof that late votes have not made fuller yet.
    PushesEarly,
    /// Pushes a second proof for the newest block, by the validators themselves.
    Equivocates,
    /// No methods of Duet at all.
    NoDuet,
    /// A bit of one byte in the answer to one method.
    FlippedByte {
        /// The method.
        method: &'static str,
        /// The byte.
        offset: usize,
    },
}

/// The set that signs behind the reset, and the proof of the block that starts it.
pub(crate) fn reset(chain: &TestChain, lie: Lie) -> (TestSet, StartProof) {
    let set = TestSet::new(9, 30..30 + u64::from(LEN));
    let next = set.set.commitment().clone();
    let keysets = Keysets::without_successor(next.clone());
    let log = match lie {
        Lie::FalseReset => ConsensusLog::Planned(next),
        _ => ConsensusLog::Reset {
            ended: SetId::new(8),
            set: next,
        },
    };
    let number = chain.head().block_number.get() - 1;
    let state = testing::StartState {
        keysets: Some(&keysets.encode()),
        ..Default::default()
    };
    let (state_root, nodes) = state.prove(number);
    let root = H256::repeat_byte(5);
    let item = (4_u8, ENGINE_ID, log.encode());
    let header = (root, Compact(number), state_root, root, vec![item]).encode();
    let keys = set.set.keyset().key_bytes();
    let proof = StartProof {
        header,
        nodes,
        keys,
    };
    (set, proof)
}

impl Lie {
    /// Whether the chain has no proof of its genesis.
    pub(crate) fn is_later_start(self) -> bool {
        matches!(
            self,
            Self::LaterStart | Self::OldLaterStart | Self::FalseStart
        )
    }

    /// The change to any justification.
    pub(crate) fn of_justification(
        self,
        chain: &TestChain,
        honest: UncheckedJustification,
    ) -> UncheckedJustification {
        let mut lie = honest;
        let len = LEN;
        match self {
            Self::WrongApk2 => {
                let other = chain.justifications().find(|other| other.apk2 != lie.apk2);
                lie.apk2 = other.expect("not all have the same signers").apk2;
            }
            Self::BelowThreshold => {
                lie.signers = Bitfield::from_indices(len, [0, 2].map(SignerIndex::new))
            }
            Self::PaddingBits => {
                let mut bytes = lie.signers.as_bytes().to_vec();
                bytes[0] |= 0x80;
                lie.signers = Bitfield::from_bytes(bytes);
            }
            Self::OtherChain => {
                let message = RoundMessage::new(H256::repeat_byte(9), lie.commitment.clone());
                let id = usize::try_from(lie.commitment.validator_set_id.get()).expect("few sets");
                lie = chain.sets[id].justify(&message, 0..len).into_unchecked();
            }
            Self::OtherSet => {
                let mut commitment = lie.commitment.clone();
                let other = u64::from(commitment.validator_set_id == SetId::new(0));
                commitment.validator_set_id = SetId::new(other);
                lie = chain.sign(other, commitment, 0..len);
                lie.commitment.validator_set_id = SetId::new(u64::from(other == 0));
            }
            Self::FormerSet if lie.commitment.block_number == chain.head().block_number => {
                lie.commitment.validator_set_id = SetId::new(0);
                lie = chain.sign(0, lie.commitment, 0..len);
            }
            Self::Reset | Self::FalseReset if lie.commitment == *chain.head() => {
                let (set, _) = reset(chain, self);
                lie.commitment.validator_set_id = set.set.commitment().id;
                lie.commitment.next = set.set.commitment().clone();
                let message = RoundMessage::new(chain.genesis_hash, lie.commitment.clone());
                lie = set.justify(&message, 0..len).into_unchecked();
            }
            Self::ClaimsLaterSet if lie.commitment.block_number == chain.head().block_number => {
                lie.commitment.validator_set_id = SetId::new(99);
            }
            Self::FlippedMmrRoot => lie.commitment.mmr_root.0[31] ^= 1,
            Self::FlippedSignature => lie.signature.0[47] ^= 1,
            _ => {}
        }
        lie
    }

    pub(crate) fn of_stateless(
        self,
        chain: &TestChain,
        mut honest: StatelessProof,
    ) -> StatelessProof {
        honest.justification = self.of_justification(chain, honest.justification);
        if honest.justification.signers.count() == LEN {
            // There are no non-signers whose keys belong to the proof.
            (honest.non_signers, honest.proof) = Default::default();
        }
        if self == Self::SetKeys {
            for key in &mut honest.non_signers {
                key.0[47] ^= 1;
            }
        }
        honest
    }

    pub(crate) fn of_handoff_proof(
        self,
        chain: &TestChain,
        mut honest: HandoffProof,
    ) -> HandoffProof {
        honest.justification = self.of_justification(chain, honest.justification);
        if self == Self::SetKeys {
            honest.next_keys = chain.keys(0).expect("the first set");
        }
        honest
    }

    pub(crate) fn of_start(self, mut honest: StartProof) -> StartProof {
        match self {
            Self::GenesisHeader => honest.header[40] ^= 1,
            Self::GenesisStorage | Self::FalseStart => honest.nodes[1][5] ^= 1,
            Self::GenesisKeys => honest.keys[2].0[10] ^= 1,
            _ => {}
        }
        honest
    }

    pub(crate) fn of_keys(self, mut honest: Vec<Pk1Bytes>) -> Vec<Pk1Bytes> {
        if self == Self::SetKeys {
            honest.reverse();
        }
        honest
    }
}
