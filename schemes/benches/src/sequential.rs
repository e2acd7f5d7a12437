//! Signatures of a path of hops, by four schemes: the sequential aggregate, and the three that its paper compares it
//! with.
//!
//! All sign digests, a different one for each hop, so that no scheme's cost is in hashing messages.

use blst::{
    blst_p1_affine, blst_p2_affine,
    min_sig::{
        AggregateSignature, PublicKey as BlsKey, SecretKey as BlsSecret, Signature as BlsSignature,
    },
    Pairing, BLST_ERROR,
};
use duet_sequential::{testing, ChainSignature, Statement, Suite};
use openssl::{
    hash::MessageDigest,
    pkey::{PKey, Private, Public},
    sha::sha256,
    sign::{Signer, Verifier},
};
use p256::ecdsa::{
    signature::{Signer as _, Verifier as _},
    Signature as EcdsaSignature, SigningKey, VerifyingKey,
};

/// The longest path whose signatures are counted and measured.
pub const LONGEST: usize = 32;

const BLS_SUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// A signed path of hops.
pub trait Path {
    /// Whether all hops signed their messages.
    fn is_valid(&self) -> bool;
    /// The next hop's signing; returns whether it succeeded.
    fn sign_next(&self) -> bool;
    /// The transmitted bytes, without keys and messages.
    fn to_bytes(&self) -> Vec<u8>;
    /// Puts the message of another hop in place of the first, to spoil the path.
    fn spoil(&mut self);
}

/// A way to sign paths, and the names of its measurements.
pub struct Scheme {
    /// The name in benches.
    pub name: &'static str,
    /// The bits of its modulus or field.
    pub bits: u32,
    /// A path of so many hops.
    pub path: fn(usize) -> Box<dyn Path>,
}

/// The schemes of the comparison, with both moduli where there is one.
pub const SCHEMES: [Scheme; 6] = [
    Scheme {
        name: "duet",
        bits: 2048,
        path: |hops| Box::new(Aggregate::new(Suite::Rsa2048, hops)),
    },
    Scheme {
        name: "duet",
        bits: 3072,
        path: |hops| Box::new(Aggregate::new(Suite::Rsa3072, hops)),
    },
    Scheme {
        name: "rsa",
        bits: 2048,
        path: |hops| Box::new(PlainRsa::new(Suite::Rsa2048, hops)),
    },
    Scheme {
        name: "rsa",
        bits: 3072,
        path: |hops| Box::new(PlainRsa::new(Suite::Rsa3072, hops)),
    },
    Scheme {
        name: "ecdsa",
        bits: 256,
        path: |hops| Box::new(Ecdsa::new(hops)),
    },
    Scheme {
        name: "bgls",
        bits: 381,
        path: |hops| Box::new(Bgls::new(hops)),
    },
];

/// The message of a hop.
pub fn message(hop: usize) -> Vec<u8> {
    sha256(&hop.to_be_bytes()).to_vec()
}

fn messages(hops: usize) -> Vec<Vec<u8>> {
    (0..hops).map(message).collect()
}

/// Sequential aggregation, by `duet-sequential`.
struct Aggregate {
    suite: Suite,
    signature: ChainSignature,
    messages: Vec<Vec<u8>>,
}

impl Aggregate {
    fn new(suite: Suite, hops: usize) -> Self {
        let messages = messages(hops);
        let borrowed: Vec<_> = messages.iter().map(Vec::as_slice).collect();
        let (signature, _) = testing::chain(suite, &borrowed);
        Self {
            suite,
            signature,
            messages,
        }
    }
}

impl Path for Aggregate {
    fn is_valid(&self) -> bool {
        let statement = |(hop, message)| Statement {
            key: testing::secret_key(self.suite, hop).public(),
            message,
        };
        let messages = self.messages.iter().map(Vec::as_slice);
        let statements: Vec<_> = messages.enumerate().map(statement).collect();
        self.signature.verify(&statements).is_ok()
    }

    fn sign_next(&self) -> bool {
        let hops = self.messages.len();
        let key = testing::secret_key(self.suite, hops);
        self.signature.append(key, &message(hops)).is_ok()
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.signature.to_core()
    }

    fn spoil(&mut self) {
        self.messages[0] = message(usize::MAX);
    }
}

/// A signature of each hop, by OpenSSL: PKCS #1, version 1.5.
struct PlainRsa {
    next: PKey<Private>,
    signed: Vec<(PKey<Public>, Vec<u8>, Vec<u8>)>,
}

impl PlainRsa {
    fn new(suite: Suite, hops: usize) -> Self {
        let secret = |hop| {
            let bytes = testing::secret_key(suite, hop).to_bytes().expect("bytes");
            // Skips version, suite and seed.
            PKey::private_key_from_pkcs8(&bytes[34..]).expect("a key")
        };
        let sign = |hop| {
            let (key, message) = (secret(hop), message(hop));
            let signature = sign_rsa(&key, &message);
            let der = key.public_key_to_der().expect("DER");
            let key = PKey::public_key_from_der(&der).expect("a key");
            (key, message, signature)
        };
        Self {
            next: secret(hops),
            signed: (0..hops).map(sign).collect(),
        }
    }
}

fn sign_rsa(key: &PKey<Private>, message: &[u8]) -> Vec<u8> {
    let mut signer = Signer::new(MessageDigest::sha256(), key).expect("a signer");
    signer.sign_oneshot_to_vec(message).expect("a signature")
}

impl Path for PlainRsa {
    fn is_valid(&self) -> bool {
        let mut all = self.signed.iter();
        all.all(|(key, message, signature)| {
            let mut verifier = Verifier::new(MessageDigest::sha256(), key).expect("a verifier");
            verifier.verify_oneshot(signature, message).unwrap_or(false)
        })
    }

    fn sign_next(&self) -> bool {
        !sign_rsa(&self.next, &message(self.signed.len())).is_empty()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let signatures = self.signed.iter();
        signatures
            .flat_map(|(_, _, signature)| signature.clone())
            .collect()
    }

    fn spoil(&mut self) {
        self.signed[0].1 = message(usize::MAX);
    }
}

/// A signature of each hop, over P-256.
struct Ecdsa {
    next: SigningKey,
    signed: Vec<(VerifyingKey, Vec<u8>, EcdsaSignature)>,
}

impl Ecdsa {
    fn new(hops: usize) -> Self {
        let secret = |hop: usize| {
            let mut bytes = [1; 32];
            bytes[24..].copy_from_slice(&(hop as u64).to_be_bytes());
            SigningKey::from_slice(&bytes).expect("a key")
        };
        let sign = |hop| {
            let (key, message) = (secret(hop), message(hop));
            let signature = key.sign(&message);
            (VerifyingKey::from(&key), message, signature)
        };
        Self {
            next: secret(hops),
            signed: (0..hops).map(sign).collect(),
        }
    }
}

impl Path for Ecdsa {
    fn is_valid(&self) -> bool {
        let mut all = self.signed.iter();
        all.all(|(key, message, signature)| key.verify(message, signature).is_ok())
    }

    fn sign_next(&self) -> bool {
        let signature: EcdsaSignature = self.next.sign(&message(self.signed.len()));
        signature.to_bytes().len() == 64
    }

    fn to_bytes(&self) -> Vec<u8> {
        let signatures = self.signed.iter();
        signatures
            .flat_map(|(_, _, signature)| signature.to_bytes())
            .collect()
    }

    fn spoil(&mut self) {
        self.signed[0].1 = message(usize::MAX);
    }
}

/// Aggregate BLS over different messages, of Boneh, Gentry, Lynn and Shacham: one more pairing than hops.
struct Bgls {
    next: BlsSecret,
    keys: Vec<BlsKey>,
    messages: Vec<Vec<u8>>,
    signature: BlsSignature,
}

impl Bgls {
    fn new(hops: usize) -> Self {
        let secret = |hop: usize| {
            let mut seed = [7; 32];
            seed[..8].copy_from_slice(&(hop as u64).to_be_bytes());
            BlsSecret::key_gen(&seed, &[]).expect("a key")
        };
        let messages = messages(hops);
        let signed = (0..).zip(&messages);
        let signatures: Vec<_> = signed
            .map(|(hop, message)| secret(hop).sign(message, BLS_SUITE, &[]))
            .collect();
        let borrowed: Vec<_> = signatures.iter().collect();
        let aggregate = AggregateSignature::aggregate(&borrowed, false).expect("signatures");
        Self {
            next: secret(hops),
            keys: (0..hops).map(|hop| secret(hop).sk_to_pk()).collect(),
            messages,
            signature: aggregate.to_signature(),
        }
    }
}

impl Path for Bgls {
    fn is_valid(&self) -> bool {
        let mut pairing = Pairing::new(true, BLS_SUITE);
        let mut signature = Some(<&blst_p1_affine>::from(&self.signature));
        let all_added = self.keys.iter().zip(&self.messages).all(|(key, message)| {
            let key = <&blst_p2_affine>::from(key);
            let none = None::<&'static blst_p1_affine>;
            let added = match signature.take() {
                Some(signature) => pairing.aggregate(key, false, signature, true, message, &[]),
                None => pairing.aggregate(key, false, &none, false, message, &[]),
            };
            added == BLST_ERROR::BLST_SUCCESS
        });
        pairing.commit();
        all_added && pairing.finalverify(None)
    }

    fn sign_next(&self) -> bool {
        let own = self
            .next
            .sign(&message(self.messages.len()), BLS_SUITE, &[]);
        let mut aggregate = AggregateSignature::from_signature(&self.signature);
        aggregate.add_signature(&own, false).is_ok()
            && aggregate.to_signature().to_bytes().len() == 48
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.signature.to_bytes().to_vec()
    }

    fn spoil(&mut self) {
        self.messages[0] = message(usize::MAX);
    }
}
