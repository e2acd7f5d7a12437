//! The trusted state, and the few ways to make one.

use crate::{
    age::Dated,
    announced::Announced,
    checkpoint::Checkpoint,
    error::{Error, StateError},
    rules,
    start::StartProof,
};
use alloc::{boxed::Box, sync::Arc};
use codec::{Decode, Encode};
use duet_primitives::{
    BlockNumber, Keyset, KeysetCommitment, Keysets, Pk1Bytes, SetId, UncheckedJustification, H256,
};

/// Whether a client keeps the keys of its sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Mode {
    /// Keep the keys: 48 bytes per validator, and the shortest proofs.
    Full,
    /// Keep only commitments: about 100 bytes per set, and proofs that contain the non-signers' keys.
    Stateless,
}

/// A set that is trusted, with its keys where they are known.
#[derive(Clone, Debug)]
pub(crate) struct TrustedSet {
    pub(crate) commitment: KeysetCommitment,
    /// Of `commitment`, always.
    pub(crate) keys: Option<Arc<Keyset>>,
}

impl TrustedSet {
    pub(crate) fn without_keys(commitment: KeysetCommitment) -> Self {
        Self {
            commitment,
            keys: None,
        }
    }

    pub(crate) fn new(keys: Keyset, mode: Mode) -> Self {
        let commitment = keys.commitment().clone();
        Self {
            commitment,
            keys: (mode == Mode::Full).then(|| Arc::new(keys)),
        }
    }
}

/// The newest block that is trusted.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub(crate) number: BlockNumber,
    pub(crate) hash: H256,
    /// The block's proof, kept as evidence; none for a checkpoint or a start block.
    pub(crate) proof: Option<Box<UncheckedJustification>>,
}

/// A client's trusted state: the newest finalized block, the signing set, and its successor.
///
/// Made from the hash of the genesis or of another block, from a checkpoint, by [`Trusted::verify`], or from the
/// bytes of [`Trusted::encode`]. A clone does not copy the keys.
#[derive(Clone, Debug)]
pub struct Trusted {
    pub(crate) genesis_hash: H256,
    pub(crate) mode: Mode,
    pub(crate) best: Best,
    pub(crate) signing: TrustedSet,
    /// The set after the signing one, once it is known; never the signing one itself.
    pub(crate) next: Option<TrustedSet>,
    pub(crate) dated: Option<Dated>,
    /// About the newest block, or led to it.
    pub(crate) recovery: Option<Box<Announced>>,
    /// The state before a reset was crossed, until the new set proves a block: its sets may show that the recovery was
    /// false. (RECOVER-8)
    pub(crate) before: Option<Box<Trusted>>,
}

impl Trusted {
    /// Begins at genesis, with a proof from anybody: [`Trusted::from_start`] with the genesis as the start block.
    ///
    /// # Errors
    /// As [`Trusted::from_start`].
    pub fn from_genesis(genesis_hash: H256, proof: &StartProof, mode: Mode) -> Result<Self, Error> {
        Self::from_start(genesis_hash, genesis_hash, proof, mode)
    }

    /// Begins at the block with this hash, which the user vouches for, with a proof from anybody. On a chain that started with
    /// Duet the block may be the genesis.
    ///
    /// Rules: LIGHT-1 the header's hash, and that the block can be one of this chain; LIGHT-2 the storage proof; LIGHT-3 the
    /// keys; LIGHT-2 the successor follows.
    /// Cost: as [`StartProof::check`].
    ///
    /// # Errors
    /// The first broken rule in that order.
    ///
    /// # Security
    /// Both hashes must come from the user, who trusts that the block is final on the chain with this genesis. Nothing proves
    /// that, and nothing says how old the block is.
    pub fn from_start(
        genesis_hash: H256,
        block_hash: H256,
        proof: &StartProof,
        mode: Mode,
    ) -> Result<Self, Error> {
        let start = proof.check_on(genesis_hash, block_hash)?;
        let Keysets { current, next } = start.keysets;
        // Proven state that breaks the order of sets is not a chain that we can follow.
        rules::successor_follows(&current, &next).map_err(|_| Error::NoKeysets {
            block: start.number,
        })?;
        Ok(Self {
            genesis_hash,
            mode,
            best: Best {
                number: start.number,
                hash: start.hash,
                proof: None,
            },
            next: (next != current).then(|| TrustedSet::without_keys(next)),
            signing: TrustedSet::new(start.keys, mode),
            dated: None,
            recovery: None,
            before: None,
        })
    }

    /// Begins at a checkpoint, which the user vouches for. In [`Mode::Full`] the keys come with
    /// [`Trusted::with_keys`].
    ///
    /// # Errors
    /// [`StateError`] when no client could have printed this checkpoint.
    pub fn from_checkpoint(checkpoint: Checkpoint, mode: Mode) -> Result<Self, StateError> {
        checkpoint.check()?;
        Ok(Self::from_own_checkpoint_unchecked(checkpoint).in_mode(mode))
    }

    /// Goes on from what [`Trusted::checkpoint`] of this client gave, in [`Mode::Stateless`]. Nothing is checked again, which
    /// would take two subgroup checks.
    ///
    /// The proof of the best block is lost: of that block a contradiction is noticed only in its hash and in the sets.
    ///
    /// # Security
    /// `checkpoint` must be the client's own. One that is not may name sets that are none.
    pub fn from_own_checkpoint_unchecked(checkpoint: Checkpoint) -> Self {
        let Checkpoint {
            genesis_hash,
            block_number,
            block_hash,
            keysets,
        } = checkpoint;
        let Keysets { current, next } = keysets;
        Self {
            genesis_hash,
            mode: Mode::Stateless,
            best: Best {
                number: block_number,
                hash: block_hash,
                proof: None,
            },
            next: (next != current).then(|| TrustedSet::without_keys(next)),
            signing: TrustedSet::without_keys(current),
            dated: None,
            recovery: None,
            before: None,
        }
    }

    /// Adds the keys of a trusted set, from anybody. (LIGHT-3)
    ///
    /// Cost: [`Keyset::check`].
    ///
    /// # Errors
    /// [`Error::KeysNotNeeded`] when the set is not trusted or [`Mode::Stateless`] keeps no keys; [`Error::Keys`]
    /// when they are not its keys.
    pub fn with_keys(&self, set: SetId, keys: &[Pk1Bytes]) -> Result<Self, Error> {
        let needed = self.set(set).filter(|_| self.mode == Mode::Full);
        let commitment = &needed.ok_or(Error::KeysNotNeeded { set })?.commitment;
        let keys = TrustedSet::new(rules::keys_match(commitment, keys)?, self.mode);
        let mut with_keys = self.clone();
        if set == self.signing.commitment.id {
            with_keys.signing = keys;
        } else {
            with_keys.next = Some(keys);
        }
        Ok(with_keys)
    }

    /// This state in another mode: keys are dropped, or missing until [`Trusted::with_keys`] adds them.
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self.before = self.before.map(|before| Box::new(before.in_mode(mode)));
        if mode == Mode::Stateless {
            self.signing.keys = None;
            if let Some(next) = &mut self.next {
                next.keys = None;
            }
        }
        self
    }

    /// The checkpoint from which another client reaches this state.
    pub fn checkpoint(&self) -> Checkpoint {
        let current = self.signing.commitment.clone();
        let next = self.next().unwrap_or(&current).clone();
        Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: self.best.number,
            block_hash: self.best.hash,
            keysets: Keysets { current, next },
        }
    }

    /// The set whose keys [`Mode::Full`] still misses, the signing one first.
    pub fn missing_keys(&self) -> Option<SetId> {
        if self.mode == Mode::Stateless {
            return None;
        }
        self.sets()
            .find(|set| set.keys.is_none())
            .map(|set| set.commitment.id)
    }

    /// Which chain.
    pub fn genesis_hash(&self) -> H256 {
        self.genesis_hash
    }

    /// Whether keys are kept.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Number of the newest block that is trusted.
    pub fn best_number(&self) -> BlockNumber {
        self.best.number
    }

    /// Hash of the newest block that is trusted.
    pub fn best_hash(&self) -> H256 {
        self.best.hash
    }

    /// The proof of the newest block; none at genesis, at a start block or at a checkpoint.
    pub fn best_proof(&self) -> Option<&UncheckedJustification> {
        self.best.proof.as_deref()
    }

    /// The set that signs.
    pub fn signing(&self) -> &KeysetCommitment {
        &self.signing.commitment
    }

    /// The set that follows it, once a proof has named it.
    pub fn next(&self) -> Option<&KeysetCommitment> {
        self.next.as_ref().map(|set| &set.commitment)
    }

    /// The newest set that is trusted: the one to ask handoff proofs from.
    pub fn latest_set(&self) -> &KeysetCommitment {
        self.next().unwrap_or(&self.signing.commitment)
    }

    /// The ids of the trusted sets, the newest first.
    pub fn set_ids(&self) -> impl Iterator<Item = SetId> {
        let signing = self.signing().id;
        let next = self.next().map(|next| next.id);
        next.into_iter().chain([signing])
    }

    /// The ids of the sets before a crossed reset, the newest first, until the new set proves a block. A proof by one of
    /// them for the block of the reset, or a later one, contradicts the recovery. (RECOVER-8)
    pub fn ended_sets(&self) -> impl Iterator<Item = SetId> + '_ {
        self.before.iter().flat_map(|before| before.set_ids())
    }

    /// Time and trusting period of the newest block of which they are known. It is the newest trusted block or an older
    /// one, so that this age is at least that of the newest trusted block.
    pub fn dated(&self) -> Option<Dated> {
        self.dated
    }

    /// The same state with another date.
    ///
    /// # Security
    /// `dated` must be of a block that this state proves, or that the user vouches for.
    pub fn with_date(mut self, dated: Dated) -> Self {
        self.dated = Some(dated);
        self
    }

    pub(crate) fn set(&self, id: SetId) -> Option<&TrustedSet> {
        self.sets().find(|set| set.commitment.id == id)
    }

    /// The trusted sets, the signing one first.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &TrustedSet> {
        [Some(&self.signing), self.next.as_ref()]
            .into_iter()
            .flatten()
    }
}
