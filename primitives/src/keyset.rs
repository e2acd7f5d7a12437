//! The validators that sign together: their keys in order, and the 92 bytes that commit to them.

use crate::{
    bitfield::Bitfield,
    bytes::{DualKeyBytes, Pk1Bytes},
    error::{KeysetError, MerkleError},
    keys::{Pk1, PossessedKey},
    merkle::{MerkleProof, Tree},
    numbers::{SetId, SignerIndex},
    suite::MAX_VALIDATORS,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_curve::{Base, Encodings, Groups, Native, PointList, Purpose, Sums};
use primitive_types::H256;
use scale_info::TypeInfo;

/// How many of `n` validators make a finality proof: `n − ⌊(n−1)/3⌋`. (SET-4)
///
/// An empty set breaks SET-1; its threshold is one, which nobody can reach.
pub fn threshold(n: u32) -> u32 {
    let faulty = n.saturating_sub(1) / 3;
    n.saturating_sub(faulty).max(1)
}

/// The commitment to a set. A verifier of stateless proofs keeps nothing else. (SET-3)
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct KeysetCommitment {
    /// Number of the set.
    pub id: SetId,
    /// How many validators it has.
    pub len: u32,
    /// Merkle root over their `pk1`s in set order.
    pub root: H256,
    /// The sum of all keys.
    pub apk1: Pk1Bytes,
}

/// The signing set and its successor, as the chain publishes them.
#[derive(
    Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct Keysets {
    /// The set that signs.
    pub current: KeysetCommitment,
    /// The set that takes over; the same as `current` when the keys stay.
    pub next: KeysetCommitment,
}

impl Keysets {
    /// A set whose successor is not known yet: both are the same.
    pub fn without_successor(set: KeysetCommitment) -> Self {
        Self {
            current: set.clone(),
            next: set,
        }
    }
}

impl KeysetCommitment {
    /// Commits to `keys`, each of which was checked before it was stored. (SET-1, SET-2, SET-3)
    ///
    /// Cost: `n` decompressions and additions in G1, `2n` hashes.
    ///
    /// # Errors
    /// [`KeysetError`] when the set is empty or too large, keys are out of order or repeated, a key is an invalid
    /// point, or the keys add up to zero.
    pub fn of_stored_unchecked(id: SetId, keys: &[Pk1Bytes]) -> Result<Self, KeysetError> {
        let len = check_order(keys)?;
        let sum = PartialSum::default().add_stored_unchecked(keys)?;
        Self::new(id, len, keys, &sum)
    }

    /// The same for keys that were added up before, in any order and any number of parts.
    ///
    /// `sum` has to be the sum of just these keys: it becomes `apk1` as it is. Cost: `2n` hashes.
    ///
    /// # Errors
    /// As [`of_stored_unchecked`](Self::of_stored_unchecked), but no key is decompressed.
    pub fn of_summed_unchecked(
        id: SetId,
        keys: &[Pk1Bytes],
        sum: &PartialSum,
    ) -> Result<Self, KeysetError> {
        Self::new(id, check_order(keys)?, keys, sum)
    }

    fn new(id: SetId, len: u32, keys: &[Pk1Bytes], sum: &PartialSum) -> Result<Self, KeysetError> {
        Ok(Self {
            id,
            len,
            root: Tree::new(keys).root(),
            apk1: sum.0.ok_or(KeysetError::ZeroTotal)?,
        })
    }

    /// How many signers make a proof. (SET-4)
    pub fn threshold(&self) -> u32 {
        threshold(self.len)
    }
}

/// The sum of `pk1`s so far, in a form that a chain stores between the blocks in which it reads them.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct PartialSum(
    /// `None` is zero, which keys may add up to on the way.
    Option<Pk1Bytes>,
);

impl PartialSum {
    /// Adds keys, each of which was checked before it was stored.
    ///
    /// Cost: a decompression and an addition in G1 per key, and for the sum so far.
    ///
    /// # Errors
    /// [`KeysetError::Key`] with the first key that is not a point.
    pub fn add_stored_unchecked(&self, keys: &[Pk1Bytes]) -> Result<Self, KeysetError> {
        let keys = read_keys(keys)?;
        let so_far = self.0.map(|sum| read_key(0, &sum)).transpose()?;
        let points: Vec<_> = so_far
            .iter()
            .chain(&keys)
            .map(|key| key.0.point())
            .collect();
        let sum = Native::g1_sum(&points);
        let is_zero = Native::g1_is_zero(&sum);
        Ok(Self(
            (!is_zero).then(|| Pk1Bytes(Native::g1_to_bytes(&sum))),
        ))
    }
}

/// SET-1: at least one key, not too many, strictly ascending by their bytes (so none twice). Returns how many.
fn check_order(keys: &[Pk1Bytes]) -> Result<u32, KeysetError> {
    let len = u32::try_from(keys.len()).unwrap_or(u32::MAX);
    if len == 0 {
        return Err(KeysetError::Empty);
    }
    if len > MAX_VALIDATORS {
        return Err(KeysetError::TooLarge {
            limit: MAX_VALIDATORS,
            got: len,
        });
    }
    let neighbours = keys.iter().zip(keys.iter().skip(1));
    if let Some((_, index)) = neighbours.zip(1..).find(|((key, next), _)| key >= next) {
        return Err(KeysetError::Order { index });
    }
    Ok(len)
}

/// SET-1: each key is a point.
fn read_keys(keys: &[Pk1Bytes]) -> Result<Vec<Pk1>, KeysetError> {
    let read = |(index, bytes)| read_key(index, bytes);
    keys.iter().enumerate().map(read).collect()
}

fn read_key(index: usize, bytes: &Pk1Bytes) -> Result<Pk1, KeysetError> {
    Pk1::from_chain_state_unchecked(bytes).map_err(|error| KeysetError::Key { index, error })
}

/// A set as verifiers of votes and justifications need it: the `pk1`s, decompressed once, and their Merkle tree.
#[derive(Clone, Debug)]
pub struct Keyset {
    commitment: KeysetCommitment,
    keys: PointList<Native, Pk1>,
    /// Kept for proofs of membership.
    tree: Tree,
    /// Most proofs are signed by all, and each multiplies the total.
    total: Base<Native>,
}

impl Keyset {
    /// Checks keys from an untrusted sender against a trusted commitment. (SET-1, SET-3)
    ///
    /// The root pins the bytes to those that the chain checked, so no subgroup check is repeated. (SET-5)
    /// Cost: `2n` hashes, `n` decompressions and additions in G1.
    ///
    /// # Errors
    /// [`KeysetError`] with the first difference: length, root, an invalid key, the sum.
    ///
    /// # Security
    /// `commitment` must come from chain state or from a checked justification, never from the sender.
    pub fn check(commitment: &KeysetCommitment, keys: &[Pk1Bytes]) -> Result<Self, KeysetError> {
        let (expected, got) = (commitment.len as usize, keys.len());
        if expected != got {
            return Err(KeysetError::Length { expected, got });
        }
        let tree = Tree::new(keys);
        let (expected, got) = (commitment.root, tree.root());
        if expected != got {
            return Err(KeysetError::Root { expected, got });
        }
        let len = check_order(keys)?;
        let keys = read_keys(keys)?;
        let keys = keys.iter().map(|key| key.of_member(len)).collect();
        let keys = PointList::new(keys, |key: &Pk1| key.0.point());
        let total = Base::new(keys.sum(), Purpose::SetTotal);
        let got = Pk1Bytes(*total.bytes());
        if got != commitment.apk1 {
            return Err(KeysetError::Total {
                expected: commitment.apk1,
                got,
            });
        }
        got.check().map_err(KeysetError::InvalidTotal)?;
        Ok(Self {
            commitment: commitment.clone(),
            keys,
            tree,
            total,
        })
    }

    /// The commitment to this set.
    pub fn commitment(&self) -> &KeysetCommitment {
        &self.commitment
    }

    /// Number of the set.
    pub fn id(&self) -> SetId {
        self.commitment.id
    }

    /// How many validators; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.commitment.len
    }

    /// How many signers make a proof. (SET-4)
    pub fn threshold(&self) -> u32 {
        self.commitment.threshold()
    }

    /// Proves that the keys at `indices` are those of this set. Cost: look-ups, no hash.
    ///
    /// # Errors
    /// [`MerkleError::Indices`] when they are not strictly ascending and inside the set.
    pub fn prove(&self, indices: &[SignerIndex]) -> Result<MerkleProof, MerkleError> {
        self.tree.prove(indices)
    }

    /// The key at a position.
    pub fn key(&self, index: SignerIndex) -> Option<&Pk1> {
        self.keys.get(index.to_usize())
    }

    /// The keys in set order, as bytes. Cost: a copy.
    pub fn key_bytes(&self) -> Vec<Pk1Bytes> {
        self.keys.iter().map(Pk1::to_bytes).collect()
    }

    /// The position of a key; `None` when it is not a member. Cost: a binary search.
    pub fn position(&self, key: &Pk1Bytes) -> Option<SignerIndex> {
        let found = self.keys.binary_search_by_key(key, Pk1::to_bytes).ok()?;
        u32::try_from(found).ok().map(SignerIndex::new)
    }

    /// `apk1` of the signers: their sum, or the total minus the non-signers, whichever is less work.
    pub(crate) fn sum_of(&self, signers: &Bitfield) -> Base<Native> {
        let len = self.len();
        if signers.count() == len {
            return self.total.clone();
        }
        let point = if signers.count() <= len / 2 {
            self.keys.sum_of(signers.as_bytes())
        } else {
            let others = signers.complement(len);
            Native::g1_sub(self.total.point(), &self.keys.sum_of(others.as_bytes()))
        };
        Base::new(point, Purpose::Once)
    }
}

/// A set as its members and aggregators need it: the keys in both groups.
#[derive(Clone, Debug)]
pub struct DualKeyset {
    keyset: Keyset,
    keys: Vec<PossessedKey>,
}

impl DualKeyset {
    /// The set of these keys, put into set order.
    ///
    /// # Errors
    /// [`KeysetError`] when there are no keys or too many, a key is repeated, or they add up to zero.
    pub fn new(id: SetId, mut keys: Vec<PossessedKey>) -> Result<Self, KeysetError> {
        keys.sort_by_key(|key| key.key().pk1().to_bytes());
        let bytes: Vec<_> = keys.iter().map(|key| key.key().pk1().to_bytes()).collect();
        let commitment = KeysetCommitment::of_stored_unchecked(id, &bytes)?;
        Ok(Self {
            keyset: Keyset::check(&commitment, &bytes)?,
            keys,
        })
    }

    /// Reads a set from the state of a block that this node executed, and checks it against its commitment.
    ///
    /// # Errors
    /// [`KeysetError`] when they disagree.
    ///
    /// # Security
    /// The commitment binds only the halves in G1. Those in G2 are trusted, because the chain checked that
    /// they belong together. Never use it on keys from an untrusted sender.
    pub fn from_chain_state_unchecked(
        commitment: &KeysetCommitment,
        keys: &[DualKeyBytes],
    ) -> Result<Self, KeysetError> {
        let bytes: Vec<_> = keys.iter().map(DualKeyBytes::pk1).collect();
        let keyset = Keyset::check(commitment, &bytes)?;
        let read = |(index, bytes)| {
            PossessedKey::from_chain_state_unchecked(bytes)
                .map_err(|error| KeysetError::Key { index, error })
        };
        let keys = keys
            .iter()
            .enumerate()
            .map(read)
            .collect::<Result<_, _>>()?;
        Ok(Self { keyset, keys })
    }

    /// The halves in G1, which is all that verifiers need.
    pub fn keyset(&self) -> &Keyset {
        &self.keyset
    }

    /// The commitment to this set.
    pub fn commitment(&self) -> &KeysetCommitment {
        self.keyset.commitment()
    }

    /// The keys in set order.
    pub fn keys(&self) -> &[PossessedKey] {
        &self.keys
    }
}
