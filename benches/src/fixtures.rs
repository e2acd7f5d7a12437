//! Inputs from fixed seeds: every run measures the same bytes.

use ark_bls12_381::Fr;
use ark_ff::{BigInteger, PrimeField};
use codec::{DecodeAll, Encode};
use duet_primitives::{
    ownership_statement, suite,
    testing::{secret, TestSet},
    Bitfield, Commitment, DualKeyBytes, Justification, Keyset, PossessionProof,
    PreparedJustification, RoundMessage, SecretKey, SignerIndex, StatelessProof,
    UncheckedJustification, UncheckedVote, Vote, H256,
};
use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    sync::{Mutex, OnceLock, PoisonError},
};

/// The chain that everything here is on.
pub const GENESIS: H256 = H256::repeat_byte(0x6e);

/// The block of all fixtures, where there is only one.
const BLOCK: u32 = 1_000_000;

/// A set, a message that it signs, and what travels about it.
#[derive(Debug)]
pub struct Round {
    /// The set with its secrets.
    pub set: TestSet,
    /// The signed commitment.
    pub commitment: Commitment,
    votes: OnceLock<Vec<Vec<u8>>>,
}

impl Round {
    /// The round of a set of `n`.
    pub fn new(n: u32) -> Self {
        let set = TestSet::new(7, 0..u64::from(n));
        let commitment = set.commitment(BLOCK, &set.set);
        Self {
            set,
            commitment,
            votes: OnceLock::new(),
        }
    }

    /// [`Round::new`], made once per process and size.
    pub fn of(n: u32) -> &'static Self {
        static MADE: Mutex<BTreeMap<u32, &'static Round>> = Mutex::new(BTreeMap::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(n)
            .or_insert_with(|| Box::leak(Box::new(Self::new(n))))
    }

    /// The set as verifiers have it.
    pub fn keyset(&self) -> &Keyset {
        self.set.set.keyset()
    }

    /// The message as a node prepares it for the votes of its set: hashed to the curve, with no tables made yet.
    pub fn message(&self) -> RoundMessage {
        self.unexpected_message().expecting(self.keyset().len())
    }

    /// The same message as a node has it when only votes of others name it.
    pub fn unexpected_message(&self) -> RoundMessage {
        RoundMessage::new(GENESIS, self.commitment.clone())
    }

    /// The bytes that signers sign, without the ciphersuite.
    pub fn message_bytes(&self) -> Vec<u8> {
        self.commitment.signed_bytes(GENESIS)
    }

    /// The bytes that every signer's signature is over, ciphersuite included.
    pub fn signed_bytes(&self) -> Vec<u8> {
        [suite::SIGNATURE_SUITE, &self.message_bytes()].concat()
    }

    /// Every member's vote as it travels.
    pub fn votes(&self) -> &[Vec<u8>] {
        self.votes.get_or_init(|| {
            let message = self.message();
            (0..)
                .zip(&self.set.secrets)
                .map(|(signer, secret)| {
                    UncheckedVote::sign(secret, SignerIndex::new(signer), &message).encode()
                })
                .collect()
        })
    }

    /// The votes of `signers`, checked.
    pub fn checked_votes(&self, signers: &[SignerIndex]) -> Vec<Vote> {
        let all = self.votes();
        let votes = signers
            .iter()
            .filter_map(|signer| all.get(usize::try_from(signer.get()).ok()?))
            .map(|bytes| decode_vote(bytes))
            .collect();
        UncheckedVote::check_all(votes, self.keyset(), &self.message(), NonZeroUsize::MIN)
            .into_iter()
            .collect::<Result<_, _>>()
            .expect("members' votes hold")
    }

    /// The justification of this round's commitment by some members.
    pub fn justification(&self, signers: &[SignerIndex]) -> UncheckedJustification {
        self.justify(self.commitment.clone(), signers)
    }

    /// A justification of any commitment by some members, signed with the sum of their secrets: the same bytes
    /// as adding up their votes gives, without signing one by one.
    pub fn justify(
        &self,
        commitment: Commitment,
        signers: &[SignerIndex],
    ) -> UncheckedJustification {
        let sum = self.sum_of_secrets(signers);
        let signature = sum.sign(&commitment.signed_bytes(GENESIS)).sigma();
        UncheckedJustification {
            commitment,
            signers: Bitfield::from_indices(self.keyset().len(), signers.iter().copied()),
            signature,
            apk2: sum.public().pk2(),
        }
    }

    /// The key whose secret is the sum of these members' secrets.
    pub fn sum_of_secrets(&self, signers: &[SignerIndex]) -> SecretKey {
        let sum: Fr = self
            .secrets(signers)
            .map(|secret| Fr::from_le_bytes_mod_order(&*secret.expose()))
            .sum();
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&sum.into_bigint().to_bytes_le());
        SecretKey::from_bytes(&bytes).expect("reduced, and not zero")
    }

    /// The secrets of some members.
    pub fn secrets<'a>(
        &'a self,
        signers: &'a [SignerIndex],
    ) -> impl Iterator<Item = &'a SecretKey> {
        signers
            .iter()
            .filter_map(|signer| self.set.secrets.get(usize::try_from(signer.get()).ok()?))
    }

    /// A stateless proof.
    pub fn stateless(&self, signers: &[SignerIndex]) -> StatelessProof {
        let checked: Justification = self
            .justification(signers)
            .check(self.keyset(), GENESIS)
            .expect("made by members");
        StatelessProof::new(&checked, self.keyset()).expect("of this set")
    }

    /// Justifications of this set for this many blocks, one after another, each by other members.
    pub fn history(&self, proofs: u32, percent: u32) -> Vec<UncheckedJustification> {
        let n = self.keyset().len();
        let signers = spread(n, share(n, percent));
        (0..proofs)
            .map(|at| {
                let turned: Vec<_> = signers
                    .iter()
                    .map(|signer| SignerIndex::new((signer.get() + at) % n))
                    .collect();
                self.justify(self.set.commitment(BLOCK + at, &self.set.set), &turned)
            })
            .collect()
    }
}

/// A set as a verifier has it that has not checked many of its proofs yet, so that no subset sums of its keys are
/// cached.
#[derive(Debug)]
pub struct Newcomer {
    round: &'static Round,
    keysets: Vec<Keyset>,
    /// Proofs that a newcomer checks before the next one comes: fewer than it takes for sums to be cached.
    most: u32,
    uses: u32,
}

impl Newcomer {
    /// Newcomers in advance for as many proofs by this share of the set as a measurement takes.
    pub fn new(round: &'static Round, percent: u32) -> Self {
        let mut newcomers = Self {
            round,
            keysets: Vec::new(),
            // The more keys a proof adds, the sooner sums pay, and the fewer proofs there is time for.
            most: match (round.keyset().len(), percent) {
                (20_000.., ..80) => 15,
                _ => 100,
            },
            uses: 0,
        };
        newcomers.keysets = (0..8).map(|_| newcomers.make()).collect();
        newcomers
    }

    fn make(&self) -> Keyset {
        let keyset = self.round.keyset();
        Keyset::check(keyset.commitment(), &keyset.key_bytes()).expect("its own keys")
    }

    /// The set for one more proof.
    pub fn keyset(&mut self) -> &Keyset {
        if self.uses == self.most {
            self.uses = 0;
            self.keysets.pop();
        }
        self.uses += 1;
        if self.keysets.is_empty() {
            self.keysets.push(self.make());
        }
        self.keysets.last().expect("it was just put there")
    }
}

/// A set as a verifier has it that has checked many such proofs, so that subset sums of its keys are cached.
pub fn regular(round: &Round, proofs: &[Vec<u8>]) -> Keyset {
    let keyset = round.keyset();
    let keyset = Keyset::check(keyset.commitment(), &keyset.key_bytes()).expect("its own keys");
    for bytes in proofs.iter().cycle().take(200) {
        let proof = decode_justification(bytes).prepare(&keyset, GENESIS, None);
        assert!(proof.is_ok(), "made by members");
    }
    keyset
}

/// How the non-signers of one proof and of the next overlap.
#[derive(Clone, Copy, Debug)]
pub enum NonSigners {
    /// Hardly any is the same.
    Others,
    /// One in ten is another.
    Steady,
}

/// Two proofs by a share of the set, to be checked in turn: of the same proof twice, the sum of the keys is known.
pub fn two_proofs(round: &Round, percent: u32, non_signers_of_second: NonSigners) -> [Vec<u8>; 2] {
    let n = round.keyset().len();
    let first = spread(n, share(n, percent));
    let signs = |index: &u32| first.binary_search(&SignerIndex::new(*index)).is_ok();
    // In the order of the set: which of them makes room for the next member.
    let moves = |at: usize| match non_signers_of_second {
        NonSigners::Others => true,
        NonSigners::Steady => at.is_multiple_of(10),
    };
    let mut non_signers: Vec<_> = (0..n)
        .filter(|index| !signs(index))
        .enumerate()
        .map(|(at, index)| (index + u32::from(moves(at))) % n)
        .collect();
    non_signers.sort_unstable();
    let second: Vec<_> = (0..n)
        .filter(|index| non_signers.binary_search(index).is_err())
        .map(SignerIndex::new)
        .collect();
    [first.as_slice(), &second].map(|signers| round.justification(signers).encode())
}

/// A vote from its bytes.
pub fn decode_vote(bytes: &[u8]) -> UncheckedVote {
    UncheckedVote::decode_all(&mut &bytes[..]).expect("a vote")
}

/// A finality proof from its bytes.
pub fn decode_justification(bytes: &[u8]) -> UncheckedJustification {
    UncheckedJustification::decode_all(&mut &bytes[..]).expect("a finality proof")
}

/// Whether all of these finality proofs of one set hold, checked together.
pub fn hold_together(proofs: &[Vec<u8>], keyset: &Keyset) -> bool {
    let mut opened = Vec::new();
    for bytes in proofs {
        let Ok(one) = decode_justification(bytes).prepare(keyset, GENESIS, opened.last()) else {
            return false;
        };
        opened.push(one);
    }
    PreparedJustification::verify_all(opened).len() == proofs.len()
}

/// `signers` of `n`, spread evenly, so that non-signers have no neighbours to share hashes with.
pub fn spread(n: u32, signers: u32) -> Vec<SignerIndex> {
    let before = |index: u32| u64::from(index) * u64::from(signers) / u64::from(n);
    (0..n)
        .filter(|index| before(index + 1) > before(*index))
        .map(SignerIndex::new)
        .collect()
}

/// The number of signers among `n` at `percent`, rounded up and never below the threshold of a proof.
pub fn share(n: u32, percent: u32) -> u32 {
    (n * percent)
        .div_ceil(100)
        .max(duet_primitives::threshold(n))
}

/// A key with its proof of possession.
#[derive(Debug)]
pub struct Registration {
    /// The key.
    pub key: DualKeyBytes,
    /// Whom the proof names.
    pub owner: Vec<u8>,
    /// The proof.
    pub proof: PossessionProof,
}

/// The registration of the keyring's first key.
pub fn registration() -> Registration {
    registration_of(0)
}

/// The registration of one of the keyring's keys.
pub fn registration_of(number: u64) -> Registration {
    let owner = ownership_statement(GENESIS, &[1_u8; 32]);
    let secret = secret(number);
    Registration {
        key: secret.public(),
        proof: secret.prove_possession(&owner),
        owner,
    }
}
