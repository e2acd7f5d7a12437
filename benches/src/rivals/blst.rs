//! blst, in both orientations.
//!
//! blst's own `verify` spreads one signature over two threads; we call the pairing below it, which runs on one
//! thread as everything else here does.

use crate::fixtures::Round;
use blst::{
    blst_fp12, blst_p1_affine, blst_p2_affine, blst_scalar, min_pk, min_sig, Pairing, BLST_ERROR,
};
use duet_curve::{Blst, Groups, Hashing};
use duet_primitives::{suite, DualKeyBytes, SecretKey, SignerIndex};

/// Ethereum's ciphersuite.
const MIN_PK_DST: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

fn holds(mut pairing: Pairing, added: BLST_ERROR) -> bool {
    pairing.commit();
    added == BLST_ERROR::BLST_SUCCESS && pairing.finalverify(None)
}

/// Checks a signature in G1 over `message`, which starts with the ciphersuite, with two pairings.
fn check_min_sig(key: &min_sig::PublicKey, message: &[u8], sigma: &[u8]) -> bool {
    let Ok(signature) = min_sig::Signature::from_bytes(sigma) else {
        return false;
    };
    let mut pairing = Pairing::new(true, suite::HASH_TO_CURVE_DST);
    let key: &blst_p2_affine = key.into();
    let signature: &blst_p1_affine = (&signature).into();
    let added = pairing.aggregate(key, false, signature, true, message, &[]);
    holds(pairing, added)
}

fn check_min_pk(key: &min_pk::PublicKey, message: &[u8], signature: &[u8]) -> bool {
    let Ok(signature) = min_pk::Signature::from_bytes(signature) else {
        return false;
    };
    let mut pairing = Pairing::new(true, MIN_PK_DST);
    let key: &blst_p1_affine = key.into();
    let signature: &blst_p2_affine = (&signature).into();
    let added = pairing.aggregate(key, false, signature, true, message, &[]);
    holds(pairing, added)
}

fn min_sig_key(key: &DualKeyBytes) -> min_sig::PublicKey {
    min_sig::PublicKey::from_bytes(key.pk2().as_ref()).expect("a key")
}

fn min_pk_key(key: &DualKeyBytes) -> min_pk::PublicKey {
    min_pk::PublicKey::from_bytes(key.pk1().as_ref()).expect("a key")
}

/// Our scalars are little-endian, blst's keys are big-endian.
fn min_pk_signature(secret: &SecretKey, message: &[u8]) -> min_pk::Signature {
    let mut scalar = *secret.expose();
    scalar.reverse();
    let secret = min_pk::SecretKey::from_bytes(&scalar).expect("a secret");
    secret.sign(message, MIN_PK_DST, &[])
}

/// A BLS signature in G1, checked with two pairings: a vote without its Chaum-Pedersen proof.
#[derive(Debug)]
pub struct BlstMinSig {
    key: min_sig::PublicKey,
    /// `−pk2` and `H(m)`, for [`BlstMinSig::check_hashed`].
    minus_key: blst_p2_affine,
    hashed: blst_p1_affine,
}

/// The bit of a compressed point that says which of the two `y` is meant.
const SIGN: u8 = 0x20;

impl BlstMinSig {
    /// Reads the half in G2 of a key, and hashes a message that starts with the ciphersuite.
    pub fn new(key: &DualKeyBytes, message: &[u8]) -> Self {
        let mut negated = key.pk2().0;
        negated[0] ^= SIGN;
        Self {
            key: min_sig_key(key),
            minus_key: min_sig::PublicKey::from_bytes(&negated)
                .expect("a key")
                .into(),
            hashed: Blst::hash_to_g1(suite::HASH_TO_CURVE_DST, message),
        }
    }

    /// Checks the 48 bytes of σ over `message`, which starts with the ciphersuite.
    pub fn check(&self, message: &[u8], sigma: &[u8]) -> bool {
        check_min_sig(&self.key, message, sigma)
    }

    /// The same over the message that was hashed in advance: more than blst's interface lets its users do.
    pub fn check_hashed(&self, sigma: &[u8]) -> bool {
        let Ok(signature) = min_sig::Signature::sig_validate(sigma, true) else {
            return false;
        };
        let mut pairing = Pairing::new(true, suite::HASH_TO_CURVE_DST);
        pairing.raw_aggregate(&Blst::g2_generator(), &signature.into());
        pairing.raw_aggregate(&self.minus_key, &self.hashed);
        pairing.commit();
        pairing.as_fp12().final_exp() == blst_fp12::default()
    }
}

/// A BLS signature in G2 under a key in G1, as Ethereum has it.
#[derive(Debug)]
pub struct BlstMinPk {
    key: min_pk::PublicKey,
    signature: [u8; 96],
}

impl BlstMinPk {
    /// The key, and its signature over `message`.
    pub fn new(secret: &SecretKey, message: &[u8]) -> Self {
        Self {
            key: min_pk_key(&secret.public()),
            signature: min_pk_signature(secret, message).to_bytes(),
        }
    }

    /// Checks the signature from its bytes.
    pub fn check(&self, message: &[u8]) -> bool {
        check_min_pk(&self.key, message, &self.signature)
    }
}

/// How a batch is divided.
#[derive(Clone, Copy, Debug)]
pub enum Threads {
    /// One thread: what blst's batch verification does on each of its threads, and nothing around it.
    One,
    /// As blst does it by itself: on every core.
    All,
}

/// blst's `verify_multiple_aggregate_signatures`: 64-bit weights and one product of pairings.
#[derive(Debug)]
pub struct BlstBatch {
    keys: Vec<min_sig::PublicKey>,
    signatures: Vec<[u8; 48]>,
    weights: Vec<blst_scalar>,
}

/// Bits of the weights, as its users choose them.
const WEIGHT_BITS: usize = 64;

impl BlstBatch {
    /// The signatures of the first `n` members of a round.
    pub fn new(round: &Round) -> Self {
        let weight = |at: u64| {
            let mut scalar = blst_scalar::default();
            let odd = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            scalar.b[..8].copy_from_slice(&odd.to_le_bytes());
            scalar
        };
        let votes = round
            .votes()
            .iter()
            .map(|vote| crate::fixtures::decode_vote(vote));
        Self {
            keys: round
                .set
                .secrets
                .iter()
                .map(|secret| min_sig_key(&secret.public()))
                .collect(),
            signatures: votes.map(|vote| vote.signature.sigma().0).collect(),
            weights: (0..).map(weight).take(round.set.secrets.len()).collect(),
        }
    }

    /// Checks all of them from their bytes.
    pub fn check(&self, message: &[u8], threads: Threads) -> bool {
        let signatures: Result<Vec<_>, _> = self
            .signatures
            .iter()
            .map(|bytes| min_sig::Signature::from_bytes(bytes))
            .collect();
        let Ok(signatures) = signatures else {
            return false;
        };
        match threads {
            Threads::One => self.check_on_this_thread(message, &signatures),
            Threads::All => self.check_on_all(message, &signatures),
        }
    }

    fn check_on_all(&self, message: &[u8], signatures: &[min_sig::Signature]) -> bool {
        let verdict = min_sig::Signature::verify_multiple_aggregate_signatures(
            &vec![message; self.keys.len()],
            suite::HASH_TO_CURVE_DST,
            &self.keys.iter().collect::<Vec<_>>(),
            false,
            &signatures.iter().collect::<Vec<_>>(),
            true,
            &self.weights,
            WEIGHT_BITS,
        );
        verdict == BLST_ERROR::BLST_SUCCESS
    }

    fn check_on_this_thread(&self, message: &[u8], signatures: &[min_sig::Signature]) -> bool {
        let mut pairing = Pairing::new(true, suite::HASH_TO_CURVE_DST);
        for ((key, signature), weight) in self.keys.iter().zip(signatures).zip(&self.weights) {
            let key: &blst_p2_affine = key.into();
            let signature: &blst_p1_affine = signature.into();
            let added = pairing.mul_n_aggregate(
                key,
                false,
                signature,
                true,
                &weight.b,
                WEIGHT_BITS,
                message,
                &[],
            );
            if added != BLST_ERROR::BLST_SUCCESS {
                return false;
            }
        }
        holds(pairing, BLST_ERROR::BLST_SUCCESS)
    }
}

/// An aggregate with keys in G1 and signatures in G2, as Ethereum has it: `fast_aggregate_verify`.
#[derive(Debug)]
pub struct BlstMinPkAggregate {
    keys: Vec<min_pk::PublicKey>,
    signature: [u8; 96],
}

impl BlstMinPkAggregate {
    /// The keys of some members, read, and their aggregate signature over `message`, in bytes.
    pub fn new(round: &Round, signers: &[SignerIndex], message: &[u8]) -> Self {
        let keys = round
            .secrets(signers)
            .map(|secret| min_pk_key(&secret.public()));
        Self {
            keys: keys.collect(),
            signature: min_pk_signature(&round.sum_of_secrets(signers), message).to_bytes(),
        }
    }

    /// Adds the signers' keys and checks the aggregate from its bytes.
    pub fn check(&self, message: &[u8]) -> bool {
        let keys: Vec<_> = self.keys.iter().collect();
        min_pk::AggregatePublicKey::aggregate(&keys, false)
            .is_ok_and(|sum| check_min_pk(&sum.to_public_key(), message, &self.signature))
    }
}

/// An aggregate with keys in G2 and signatures in G1: `fast_aggregate_verify` of the other orientation.
#[derive(Debug)]
pub struct BlstMinSigAggregate {
    keys: Vec<min_sig::PublicKey>,
    signature: [u8; 48],
}

impl BlstMinSigAggregate {
    /// The keys of some members, read, and their aggregate signature over the round's message, in bytes.
    pub fn new(round: &Round, signers: &[SignerIndex]) -> Self {
        let keys = round
            .secrets(signers)
            .map(|secret| min_sig_key(&secret.public()));
        Self {
            keys: keys.collect(),
            signature: round.justification(signers).signature.0,
        }
    }

    /// Adds the signers' keys and checks the aggregate from its bytes.
    pub fn check(&self, message: &[u8]) -> bool {
        let keys: Vec<_> = self.keys.iter().collect();
        min_sig::AggregatePublicKey::aggregate(&keys, false)
            .is_ok_and(|sum| check_min_sig(&sum.to_public_key(), message, &self.signature))
    }
}

/// Signatures to be added up, as their checks left them.
#[derive(Debug)]
pub struct BlstSignatures {
    signatures: Vec<min_sig::Signature>,
}

impl BlstSignatures {
    /// The signatures of some members of a round.
    pub fn new(round: &Round, signers: &[SignerIndex]) -> Self {
        let read = |vote: duet_primitives::Vote| {
            let sigma = vote.into_unchecked().signature.sigma();
            min_sig::Signature::from_bytes(sigma.as_ref()).expect("a signature")
        };
        Self {
            signatures: round.checked_votes(signers).into_iter().map(read).collect(),
        }
    }

    /// Adds them up, without their keys.
    pub fn aggregate(&self) -> bool {
        let signatures: Vec<_> = self.signatures.iter().collect();
        min_sig::AggregateSignature::aggregate(&signatures, false)
            .is_ok_and(|sum| sum.to_signature().to_bytes() != [0; 48])
    }
}
