//! The trusted state, as the host keeps it.

use crate::{clock::Clock, error::Error, proof::decode_bounded};
use alloc::vec::Vec;
use codec::{Decode, Encode, Input};
use duet_light_client::{Checkpoint, Dated, Mode, Trusted};
use duet_primitives::{KeysetCommitment, Keysets, RecoveryStatement, SetId};

/// The most bytes of a trusted state, which has up to about 900.
pub const MAX_STATE_LEN: usize = 1024;

/// How many sets are kept after others have replaced them.
const SETS_TO_KEEP: usize = 4;

/// A checkpoint, and behind it the rest where there is any.
pub(crate) struct State {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) rest: Rest,
}

/// What the host keeps beside the checkpoint.
#[derive(Default, Encode, Decode)]
pub(crate) struct Rest {
    pub(crate) recovering: Option<Recovering>,
    /// The sets before the signing one, the latest last: their contradictions are evidence.
    replaced: Vec<ReplacedSet>,
}

#[derive(Encode, Decode)]
struct ReplacedSet {
    keyset: KeysetCommitment,
    /// Until when, in milliseconds of the host's time: an unbonding period after it was replaced.
    until: u64,
}

/// What is known of a recovery, until the next proof of a block.
#[derive(Encode, Decode)]
pub(crate) struct Recovering {
    /// The time of the last block that was proven, which counts behind the reset too.
    pub(crate) dated: Dated,
    /// `None` behind the reset.
    pub(crate) wait: Option<Wait>,
}

/// A recovery that was proven. (RECOVER-7)
#[derive(Encode, Decode)]
pub(crate) struct Wait {
    pub(crate) statement: RecoveryStatement,
    /// When it was announced, in milliseconds of the host's time.
    pub(crate) since: u64,
    /// How many seconds the wait takes.
    pub(crate) delay: u64,
    /// The set has signed another statement about the same block. With two, nobody crosses.
    pub(crate) contradicted: bool,
}

impl State {
    /// Decodes it. (ENC-6)
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Error> {
        decode_bounded(bytes, MAX_STATE_LEN, "trusted state")
    }

    /// Where evidence signed by this set is checked: where the set signs, if it is a replaced one that is still kept.
    pub(crate) fn for_evidence_of(self, signer: SetId, now: u64) -> Checkpoint {
        let mut replaced = self.rest.replaced.into_iter();
        match replaced.find(|set| set.keyset.id == signer && now <= set.until) {
            Some(set) => Checkpoint {
                keysets: Keysets::without_successor(set.keyset),
                ..self.checkpoint
            },
            None => self.checkpoint,
        }
    }
}

impl Rest {
    /// Keeps a set that was replaced.
    pub(crate) fn keep(&mut self, keyset: KeysetCommitment, clock: Clock) {
        if self.replaced.len() >= SETS_TO_KEEP {
            self.replaced.remove(0);
        }
        let until = clock.until();
        self.replaced.push(ReplacedSet { keyset, until });
    }

    fn is_empty(&self) -> bool {
        self.recovering.is_none() && self.replaced.is_empty()
    }
}

impl Encode for State {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = self.checkpoint.encode();
        if !self.rest.is_empty() {
            self.rest.encode_to(&mut bytes);
        }
        bytes
    }
}

impl Decode for State {
    fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
        Ok(Self {
            checkpoint: Decode::decode(input)?,
            rest: match input.remaining_len()? {
                Some(0) => Rest::default(),
                _ => Decode::decode(input)?,
            },
        })
    }
}

/// A client of the chain. Cost: two subgroup checks.
pub(crate) fn trusted(checkpoint: Checkpoint) -> Result<Trusted, Error> {
    Ok(Trusted::from_checkpoint(checkpoint, Mode::Stateless)?)
}
