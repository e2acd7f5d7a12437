//! The votes that one key signed on one chain, and the votes that it may therefore still sign. (ROUND-4)
//!
//! Two records of a key, from two machines that had the key one after the other, are merged so that a vote refused by
//! either is refused. The order and number of merges make no difference.

use duet_primitives::{suite::G1_LEN, BlockNumber, RoundMessage};
use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};
use std::{
    collections::{btree_map::Entry, BTreeMap, BTreeSet},
    fmt,
};

/// The most remembered votes; no block below them is signed any more.
pub(crate) const MAX_VOTES: usize = 64;

/// Why a key does not sign a commitment for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The key signed another commitment.
    Voted,
    /// The block is below all remembered votes.
    Forgotten,
}

/// The lowest block that may be signed, apart from the remembered ones. It may lie beyond all block numbers; then no
/// block may be signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Floor(u64);

impl Floor {
    /// This block is the lowest one.
    #[cfg(test)]
    pub(crate) fn at(block: BlockNumber) -> Self {
        Self(u64::from(block.get()))
    }

    /// The block after this one is the lowest.
    pub(crate) fn above(block: BlockNumber) -> Self {
        Self(u64::from(block.get()).saturating_add(1))
    }

    /// The lowest block; `None` when there is none.
    pub(crate) fn block(self) -> Option<BlockNumber> {
        u32::try_from(self.0).ok().map(BlockNumber::new)
    }

    /// For a checksum.
    pub(crate) fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    fn covers(self, block: BlockNumber) -> bool {
        self > Self(u64::from(block.get()))
    }
}

/// The signed hash of a block: the encoding of `H(m)`, 48 bytes. Serde: `0x`-hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VoteHash([u8; G1_LEN]);

impl VoteHash {
    /// The hash of a message.
    pub(crate) fn of(message: &RoundMessage) -> Self {
        Self(message.hash())
    }

    /// Parses `0x`-hex; `None` if it is not hex of this length.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; G1_LEN];
        hex::decode_to_slice(text.strip_prefix("0x")?, &mut bytes).ok()?;
        Some(Self(bytes))
    }
}

impl AsRef<[u8]> for VoteHash {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for VoteHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", hex::encode(self.0))
    }
}

impl Serialize for VoteHash {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VoteHash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::from_hex(&text)
            .ok_or_else(|| D::Error::custom(format_args!("not 0x-hex of {G1_LEN} bytes")))
    }
}

/// The votes of one key on one chain: at most [`MAX_VOTES`], none below the floor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Votes {
    lowest: Floor,
    votes: BTreeMap<BlockNumber, VoteHash>,
}

/// Merged votes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) votes: Votes,
    /// The blocks with two hashes: the key signed twice.
    pub(crate) signed_twice: BTreeSet<BlockNumber>,
}

impl Merged {
    /// The union of both, with the blocks for which either of them, or both together, have two hashes.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let mut both = self.votes.merged(&other.votes);
        both.signed_twice.extend(&self.signed_twice);
        both.signed_twice.extend(&other.signed_twice);
        both
    }

    /// A single record.
    pub(crate) fn one(votes: Votes) -> Self {
        let signed_twice = BTreeSet::new();
        Self {
            votes,
            signed_twice,
        }
    }
}

impl Votes {
    /// Merges votes. A block with two hashes may no longer be signed, nor any below it; the same holds for votes
    /// beyond [`MAX_VOTES`], counted from the highest block.
    pub(crate) fn collect(
        mut lowest: Floor,
        all: impl IntoIterator<Item = (BlockNumber, VoteHash)>,
    ) -> Merged {
        let (mut votes, mut signed_twice) = (BTreeMap::new(), BTreeSet::new());
        for (block, hash) in all {
            match votes.entry(block) {
                Entry::Occupied(known) if *known.get() != hash => {
                    signed_twice.insert(block);
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(unknown) => {
                    unknown.insert(hash);
                }
            }
        }
        lowest = lowest.max(signed_twice.last().copied().map_or(lowest, Floor::above));
        votes.retain(|block, _| !lowest.covers(*block));
        while votes.len() > MAX_VOTES {
            if let Some((dropped, _)) = votes.pop_first() {
                lowest = Floor::above(dropped);
            }
        }
        Merged {
            votes: Self { lowest, votes },
            signed_twice,
        }
    }

    /// The votes that both records allow: never a vote that one of them refuses.
    pub(crate) fn merged(&self, other: &Self) -> Merged {
        Self::collect(
            self.lowest.max(other.lowest),
            self.iter().chain(other.iter()),
        )
    }

    /// The record with this vote added; `None` if it already has the vote.
    pub(crate) fn with(&self, message: &RoundMessage) -> Result<Option<Self>, Refusal> {
        let block = message.commitment().block_number;
        let hash = VoteHash::of(message);
        match self.check(block, hash)? {
            Known::Signed => Ok(None),
            Known::Not => Ok(Some(
                Self::collect(self.lowest, self.iter().chain([(block, hash)])).votes,
            )),
        }
    }

    /// Whether a vote was signed before, or why it may not be signed.
    pub(crate) fn check(&self, block: BlockNumber, hash: VoteHash) -> Result<Known, Refusal> {
        match self.votes.get(&block) {
            Some(known) if *known == hash => Ok(Known::Signed),
            Some(_) => Err(Refusal::Voted),
            None if self.lowest.covers(block) => Err(Refusal::Forgotten),
            None => Ok(Known::Not),
        }
    }

    /// The lowest block that may be signed, apart from the remembered ones.
    pub(crate) fn lowest(&self) -> Floor {
        self.lowest
    }

    /// The number of remembered votes.
    pub(crate) fn len(&self) -> usize {
        self.votes.len()
    }

    /// The votes, in ascending order of blocks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (BlockNumber, VoteHash)> + '_ {
        self.votes.iter().map(|(block, hash)| (*block, *hash))
    }
}

/// Whether a key has already signed a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It has, and may sign it again.
    Signed,
    /// It has not, and may.
    Not,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash(number: u8) -> VoteHash {
        VoteHash([number; G1_LEN])
    }

    /// Few blocks, so that records often contradict each other, at the lowest or highest numbers.
    fn block(from: u32) -> impl Strategy<Value = BlockNumber> {
        (from..=from.saturating_add(100)).prop_map(BlockNumber::new)
    }

    /// Sometimes more votes than the record remembers.
    fn votes() -> impl Strategy<Value = Votes> {
        let lowest = prop_oneof![
            Just(Floor::default()),
            (0..100_u64).prop_map(Floor),
            (0..2_u64).prop_map(|more| Floor(u64::from(u32::MAX) + more)),
        ];
        let all = prop_oneof![0..1_u32, u32::MAX - 3..u32::MAX].prop_flat_map(|from| {
            prop::collection::vec((block(from), (0..3_u8).prop_map(hash)), 0..90)
        });
        let all = all.prop_map(|all| all.into_iter().collect::<BTreeMap<_, _>>());
        (lowest, all).prop_map(|(lowest, all)| Votes::collect(lowest, all).votes)
    }

    fn merge(one: &Votes, other: &Votes) -> Votes {
        one.merged(other).votes
    }

    proptest! {
        #[test]
        fn the_order_of_merging_makes_no_difference(
            one in votes(), two in votes(), three in votes()
        ) {
            prop_assert_eq!(one.merged(&two), two.merged(&one));
            prop_assert_eq!(
                merge(&merge(&one, &two), &three),
                merge(&one, &merge(&two, &three))
            );
        }

        #[test]
        fn merging_again_changes_nothing(one in votes(), two in votes()) {
            prop_assert_eq!(merge(&one, &one), one.clone());
            let both = merge(&one, &two);
            prop_assert_eq!(merge(&both, &two), both.clone());
            prop_assert_eq!(merge(&both, &one), both);
        }

        #[test]
        fn what_one_of_them_refuses_is_refused(one in votes(), two in votes()) {
            let both = merge(&one, &two);
            prop_assert!(both.votes.len() <= MAX_VOTES);
            for block in (0..=101).chain(u32::MAX - 6..=u32::MAX).map(BlockNumber::new) {
                for hash in (0..4).map(hash) {
                    if both.check(block, hash).is_ok() {
                        prop_assert!(one.check(block, hash).is_ok(), "{block} {hash}");
                        prop_assert!(two.check(block, hash).is_ok(), "{block} {hash}");
                    }
                }
            }
        }

        #[test]
        fn what_both_allow_above_all_they_say_is_allowed(one in votes(), two in votes()) {
            let both = merge(&one, &two);
            let highest = one.votes.keys().chain(two.votes.keys()).max().copied();
            let above = highest.map_or(Some(BlockNumber::ZERO), BlockNumber::checked_next);
            let allow = |votes: &Votes, block| votes.check(block, hash(0)).is_ok();
            if let Some(above) = above.filter(|block| allow(&one, *block) && allow(&two, *block)) {
                prop_assert_eq!(both.check(above, hash(0)), Ok(Known::Not));
            }
        }
    }

    #[test]
    fn at_and_below_a_block_that_was_signed_twice_nothing_is_signed() {
        for block in [BlockNumber::new(8), BlockNumber::MAX] {
            let below = block.saturating_previous();
            let one = Votes::collect(Floor::default(), [(below, hash(1)), (block, hash(1))]).votes;
            let two = Votes::collect(Floor::default(), [(block, hash(2))]).votes;
            let Merged {
                votes,
                signed_twice,
            } = one.merged(&two);
            assert_eq!(signed_twice, BTreeSet::from([block]));
            for (block, hash) in [(below, hash(1)), (block, hash(1)), (block, hash(2))] {
                assert_eq!(votes.check(block, hash), Err(Refusal::Forgotten));
            }
            assert_eq!(votes.lowest().block(), block.checked_next());
        }
    }

    #[test]
    fn beyond_what_is_remembered_the_floor_rises_above_what_is_dropped() {
        let blocks = |from: u32| (from..from + 40).map(|block| (BlockNumber::new(block), hash(1)));
        let (one, two) = (
            Votes::collect(Floor::at(BlockNumber::new(3)), blocks(10)).votes,
            Votes::collect(Floor::default(), blocks(60)).votes,
        );
        let both = merge(&one, &two);
        assert_eq!(both.votes.len(), MAX_VOTES);
        // Of eighty votes the lowest sixteen are dropped: blocks 10 to 25.
        assert_eq!(both.lowest(), Floor::above(BlockNumber::new(25)));
        assert_eq!(
            both.check(BlockNumber::new(25), hash(1)),
            Err(Refusal::Forgotten)
        );
        assert_eq!(both.check(BlockNumber::new(26), hash(1)), Ok(Known::Signed));
    }
}
