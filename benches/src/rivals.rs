//! What others offer for the same job, each with its keys read in advance where its interface lets us, as ours are.
//!
//! blst's own `verify` spreads one signature over two threads; we call the pairing below it, which runs on one
//! thread as everything else here does.

use blst::{min_pk, min_sig, Pairing, BLST_ERROR};
use duet_primitives::{suite, DualKeyBytes, SecretKey};
use w3f_bls::{
    Message, NuggetDoublePublicKey, NuggetDoublePublicKeyPrecomp, NuggetPublicKey, NuggetSignature,
    SerializableToBytes, TinyBLS381,
};

fn holds(mut pairing: Pairing, added: BLST_ERROR) -> bool {
    pairing.commit();
    added == BLST_ERROR::BLST_SUCCESS && pairing.finalverify(None)
}

/// A BLS signature in G1, checked with two pairings: what a vote is without its Chaum-Pedersen proof.
#[derive(Debug)]
pub struct BlstMinSig {
    key: min_sig::PublicKey,
}

impl BlstMinSig {
    /// Reads the half in G2 of a key.
    pub fn new(key: &DualKeyBytes) -> Self {
        Self {
            key: min_sig::PublicKey::key_validate(key.pk2().as_ref()).expect("a key"),
        }
    }

    /// Checks the 48 bytes of σ over `message`, which starts with the ciphersuite.
    pub fn check(&self, message: &[u8], sigma: &[u8]) -> bool {
        let Ok(signature) = min_sig::Signature::from_bytes(sigma) else {
            return false;
        };
        let mut pairing = Pairing::new(true, suite::HASH_TO_CURVE_DST);
        let key: blst::blst_p2_affine = self.key.into();
        let signature: blst::blst_p1_affine = signature.into();
        let added = pairing.aggregate(&key, false, &signature, true, message, &[]);
        holds(pairing, added)
    }
}

/// An aggregate with keys in G1 and signatures in G2, as Ethereum has it: `fast_aggregate_verify`.
#[derive(Debug)]
pub struct BlstMinPk {
    keys: Vec<min_pk::PublicKey>,
    signature: [u8; 96],
}

/// Ethereum's ciphersuite.
const MIN_PK_DST: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

impl BlstMinPk {
    /// The keys of `secrets`, read, and their aggregate signature over `message`, in bytes.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a SecretKey>, message: &[u8]) -> Self {
        let secrets: Vec<_> = secrets
            .into_iter()
            .map(|secret| min_pk::SecretKey::key_gen(&*secret.expose(), &[]).expect("32 bytes"))
            .collect();
        let signatures: Vec<_> = secrets
            .iter()
            .map(|secret| secret.sign(message, MIN_PK_DST, &[]))
            .collect();
        let signatures: Vec<_> = signatures.iter().collect();
        let sum = min_pk::AggregateSignature::aggregate(&signatures, false).expect("not empty");
        let keys = secrets.iter().map(min_pk::SecretKey::sk_to_pk).collect();
        Self {
            keys,
            signature: sum.to_signature().to_bytes(),
        }
    }

    /// Adds the signers' keys and checks the aggregate from its bytes.
    pub fn check(&self, message: &[u8]) -> bool {
        let Ok(signature) = min_pk::Signature::from_bytes(&self.signature) else {
            return false;
        };
        let keys: Vec<_> = self.keys.iter().collect();
        let Ok(sum) = min_pk::AggregatePublicKey::aggregate(&keys, false) else {
            return false;
        };
        let key: blst::blst_p1_affine = sum.to_public_key().into();
        let signature: blst::blst_p2_affine = signature.into();
        let mut pairing = Pairing::new(true, MIN_PK_DST);
        let added = pairing.aggregate(&key, false, &signature, true, message, &[]);
        holds(pairing, added)
    }
}

/// w3f-bls 0.3.3 with its plain key and with the one that carries a table.
pub struct W3fBls {
    key: NuggetDoublePublicKey<TinyBLS381>,
    with_table: NuggetDoublePublicKeyPrecomp<TinyBLS381>,
}

impl W3fBls {
    /// Reads a key.
    pub fn new(key: &DualKeyBytes) -> Self {
        let key = NuggetDoublePublicKey::<TinyBLS381>::from_bytes(key.as_ref()).expect("a key");
        Self {
            with_table: NuggetDoublePublicKeyPrecomp::new(key.0, key.1),
            key,
        }
    }

    /// Checks the 112 bytes of a signature over `message`, without the ciphersuite.
    pub fn check(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = NuggetSignature::from_bytes(signature) else {
            return false;
        };
        self.key.verify(&Message::new(b"", message), &signature)
    }

    /// The same with the table of the key.
    pub fn check_with_table(&self, message: &[u8], signature: &[u8]) -> bool {
        let Ok(signature) = NuggetSignature::from_bytes(signature) else {
            return false;
        };
        self.with_table
            .verify(&Message::new(b"", message), &signature)
    }
}
