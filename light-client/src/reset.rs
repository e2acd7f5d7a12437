//! Resets: blocks from which on a set signs without a handoff from its predecessor. (LIGHT-8)
//!
//! No proof leads across a reset, so no client crosses one by itself. It can report where the proofs end, and what
//! its user has to find out from somebody else.

use crate::{
    checkpoint::Checkpoint,
    digest::{digest_items, DigestItem},
    error::Error,
    hashers::Blake2Hasher,
    header::HeaderParts,
    trusted::Trusted,
};
use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
};
use codec::DecodeAll;
use duet_primitives::{
    suite, BlockNumber, ConsensusLog, KeysetCommitment, Keysets, RecoveryStatement, SetId, H256,
};
use sp_core::Hasher;

/// A server's claim about a reset. It is unproven: the block may not be the chain's, and not final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetClaim {
    genesis_hash: H256,
    block_number: BlockNumber,
    block_hash: H256,
    ended: SetId,
    set: KeysetCommitment,
}

/// The last reset in the digest of a header in SCALE: the ended set, and the started one. (RESET-2)
///
/// # Errors
/// [`Error::Malformed`] when the digest cannot be read.
///
/// # Security
/// Anybody can write a header: it proves nothing, and the started set may be none.
pub fn last_reset(header: &[u8]) -> Result<Option<(SetId, KeysetCommitment)>, Error> {
    let items = digest_items(header)?;
    let logs = items.iter().filter_map(|item| match item {
        DigestItem::Consensus(suite::ENGINE_ID, log) => {
            ConsensusLog::decode_all(&mut log.as_slice()).ok()
        }
        _ => None,
    });
    let mut resets = logs.filter_map(|log| match log {
        ConsensusLog::Reset { ended, set } => Some((ended, set)),
        _ => None,
    });
    Ok(resets.next_back())
}

impl Trusted {
    /// Reads a server's header of the reset after which its chain continues.
    ///
    /// Rules: ENC-6; LIGHT-8 the block is newer than the trusted one, and its digest has a reset that starts a set beyond
    /// the trusted ones; SET-1 and KEY-1 for that set.
    /// Cost: one hash, and one check of a point.
    ///
    /// # Errors
    /// The first broken rule in that order; the sender is to blame.
    ///
    /// # Security
    /// A header that passes proves nothing. Show it to the user, and begin from its [`ResetClaim::checkpoint`] only when the
    /// user says so.
    pub fn reset_claim(&self, header: &[u8]) -> Result<ResetClaim, Error> {
        let reset = last_reset(header)?;
        let parts = HeaderParts::read(header).map_err(|error| Error::Malformed {
            object: "header",
            reason: error.to_string(),
        })?;
        let no_reset = Error::NoReset {
            block: parts.number,
        };
        let Some((ended, set)) = reset else {
            return Err(no_reset);
        };
        if set.id <= self.latest_set().id || parts.number <= self.best_number() {
            return Err(no_reset);
        }
        let claim = ResetClaim {
            genesis_hash: self.genesis_hash(),
            block_number: parts.number,
            block_hash: Blake2Hasher::hash(header),
            ended,
            set,
        };
        claim.checkpoint().check().map_err(|_| no_reset)?;
        Ok(claim)
    }
}

impl ResetClaim {
    /// What speaks against a recovery statement in a server's claim, if something does: that it knows of no reset, or of
    /// another one. (RECOVER-8)
    pub fn dispute(claim: Option<&Self>, statement: &RecoveryStatement) -> Option<String> {
        let Some(claim) = claim else {
            return Some("knows of no reset".to_owned());
        };
        let is_it = claim.block_number == statement.reset_number
            && claim.block_hash == statement.reset_hash
            && claim.ended == statement.ended
            && claim.set == statement.set;
        let Self {
            block_number,
            block_hash,
            ended,
            set,
            ..
        } = claim;
        (!is_it).then(|| {
            format!(
                "says that block {block_number} ({block_hash:?}) ended set {ended}, and set {} signs",
                set.id
            )
        })
    }

    /// Number of the block.
    pub fn block_number(&self) -> BlockNumber {
        self.block_number
    }

    /// Hash of the block.
    pub fn block_hash(&self) -> H256 {
        self.block_hash
    }

    /// The set that, so the server says, signed before.
    pub fn ended(&self) -> SetId {
        self.ended
    }

    /// The set that, so the server says, signs from the block on.
    pub fn set(&self) -> &KeysetCommitment {
        &self.set
    }

    /// The checkpoint from which a client continues if its user vouches for this block.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: self.block_number,
            block_hash: self.block_hash,
            keysets: Keysets::without_successor(self.set.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{testing::TestChain, Culprit, Mode, Outcome, Update};
    use alloc::{vec, vec::Vec};
    use codec::{Compact, Encode};
    use duet_primitives::{testing::TestSet, RoundMessage};

    const BLOCK: u32 = 500;

    fn item(log: &ConsensusLog) -> Vec<u8> {
        (4_u8, suite::ENGINE_ID, log.encode()).encode()
    }

    /// A header with these items in its digest.
    fn header(number: u32, items: &[Vec<u8>]) -> Vec<u8> {
        let root = H256::repeat_byte(3);
        let count = Compact(u32::try_from(items.len()).unwrap());
        let start = (root, Compact(number), root, root, count).encode();
        [start, items.concat()].concat()
    }

    fn reset(set: &TestSet) -> ConsensusLog {
        ConsensusLog::Reset {
            ended: SetId::new(0),
            set: set.set.commitment().clone(),
        }
    }

    fn trusted() -> Trusted {
        let chain = TestChain::new(4, 4, 0);
        Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), Mode::Full).unwrap()
    }

    #[test]
    fn what_a_header_says_of_a_reset_is_read_among_other_items() {
        let (set, trusted) = (TestSet::new(7, 20..24), trusted());
        let others = [
            (6_u8, *b"aura", vec![1_u8]).encode(),
            item(&ConsensusLog::Activated(SetId::new(3))),
            (5_u8, *b"aura", vec![2_u8; 64]).encode(),
            vec![8],
        ];
        let bytes = header(
            BLOCK,
            &[&others[..2], &[item(&reset(&set))], &others[2..]].concat(),
        );
        let claim = trusted.reset_claim(&bytes).unwrap();
        assert_eq!(claim.block_number().get(), BLOCK);
        assert_eq!(claim.block_hash(), Blake2Hasher::hash(&bytes));
        assert_eq!(
            (claim.ended().get(), claim.set()),
            (0, set.set.commitment())
        );
    }

    #[test]
    fn a_client_goes_on_behind_a_reset_from_the_checkpoint_and_not_without() {
        let (set, before) = (TestSet::new(7, 20..24), trusted());
        let claim = before
            .reset_claim(&header(BLOCK, &[item(&reset(&set))]))
            .unwrap();
        let message = RoundMessage::new(before.genesis_hash(), set.commitment(BLOCK + 2, &set.set));
        let proof = set.justify(&message, [0, 1, 2]).into_unchecked();
        let refused = before
            .verify(Update::Justification(proof.clone()))
            .unwrap_err();
        assert_eq!(refused.rule(), "LIGHT-6");
        let after = Trusted::from_checkpoint(claim.checkpoint(), Mode::Full).unwrap();
        let after = after
            .with_keys(SetId::new(7), &set.set.keyset().key_bytes())
            .unwrap();
        assert!(matches!(
            after.verify(Update::Justification(proof)),
            Ok(Outcome::New(_))
        ));
    }

    #[test]
    fn of_two_resets_in_one_block_the_last_one_counts() {
        let (first, second) = (TestSet::new(7, 20..24), TestSet::new(8, 20..24));
        let bytes = header(BLOCK, &[item(&reset(&first)), item(&reset(&second))]);
        let claim = trusted().reset_claim(&bytes).unwrap();
        assert_eq!(claim.set(), second.set.commitment());
    }

    #[test]
    fn a_header_that_names_no_reset_of_use_is_refused_and_its_sender_blamed() {
        let set = TestSet::new(7, 20..24);
        let mut empty = set.set.commitment().clone();
        empty.len = 0;
        let mut infinite = set.set.commitment().clone();
        infinite.apk1.0 = [0; 48];
        infinite.apk1.0[0] = 0xc0;
        let with = |set: KeysetCommitment| {
            let ended = SetId::new(0);
            item(&ConsensusLog::Reset { ended, set })
        };
        let foreign = (4_u8, *b"BEEF", reset(&set).encode()).encode();
        let planned = ConsensusLog::Planned(set.set.commitment().clone());
        for (number, log) in [
            (BLOCK, item(&planned)),
            (BLOCK, foreign),
            (BLOCK, item(&reset(&TestSet::new(0, 20..24)))),
            (0, item(&reset(&set))),
            (BLOCK, with(empty)),
            (BLOCK, with(infinite)),
        ] {
            let error = trusted().reset_claim(&header(number, &[log])).unwrap_err();
            assert_eq!(error.rule(), "LIGHT-8", "{error}");
            assert_eq!(error.culprit(), Culprit::Sender);
        }
    }

    #[test]
    fn bytes_that_are_no_header_are_refused() {
        let good = header(BLOCK, &[item(&reset(&TestSet::new(7, 20..24)))]);
        let mut longer = good.clone();
        longer.push(0);
        let mut huge = good[..header(BLOCK, &[]).len() - 1].to_vec();
        huge.extend(Compact(u32::MAX).encode());
        for bytes in [&good[..good.len() - 1], &good[..90], &longer, &huge, &[]] {
            let error = trusted().reset_claim(bytes).unwrap_err();
            assert_eq!(error.rule(), "ENC-6", "{error}");
        }
    }
}
