//! Sequential aggregate signatures with lazy verification, from RSA, after Brogle, Goldberg and Reyzin (2012).
//!
//! A message travels along a path: a light client's update over relays, a packet over bridges. Each hop signs on top of
//! what it received, **without verifying anything and without knowing any other key**. The receiver gets one number of
//! the size of an RSA modulus, one hash, and sixteen bytes and one bit per hop. It verifies all hops at once,
//! immediately or later: seven hops take 401 bytes, compared with 1792 bytes for seven RSA signatures.
//!
//! ```
//! use duet_sequential::{Attestation, Epoch, HopNumber, Keyring, Party, Record, SecretKey, Suite, Time};
//!
//! // Two relays, each with its own key. The receiver knows both keys; the relays know no other key.
//! let (a, b) = (SecretKey::generate(Suite::Rsa2048)?, SecretKey::generate(Suite::Rsa2048)?);
//! let mut registry = Keyring::default();
//! registry.insert(a.public().clone(), Epoch(1));
//! registry.insert(b.public().clone(), Epoch(1));
//!
//! // The sender passes a payload to relay a, which signs its attestation.
//! let first = Attestation {
//!     payload: [0xab; 32],
//!     hop: HopNumber::FIRST,
//!     from: Party::named("sender"),
//!     own: a.public().fingerprint(),
//!     to: b.public().fingerprint().into(),
//!     epoch: Epoch(7),
//!     expires: Time(1_000),
//!     fee: 2,
//! };
//! let record = Record::first(&a, &first.to_bytes(), Epoch(7))?;
//!
//! // Relay b decodes the record and appends to it, without verifying it.
//! let received = Record::from_bytes(&record.to_bytes())?;
//! let second = Attestation {
//!     hop: HopNumber::new(2)?,
//!     from: first.own.into(),
//!     own: b.public().fingerprint(),
//!     to: Party::named("validator"),
//!     ..first
//! };
//! let record = received.append(&b, &second.to_bytes())?;
//!
//! // The receiver verifies the signatures, and then that the messages form a path that ends here.
//! let verified = record.check(&registry)?;
//! let path = verified.path(Party::named("validator"), Time(900))?;
//! assert_eq!(path.fee(), Some(4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Properties
//!
//! - A verified chain proves that each key's holder signed its own message, in this order. Forging is as hard as
//!   inverting RSA, in the random oracle model, with a tight reduction; other signers' keys may be malicious.
//! - Signing costs one RSA signature, regardless of the length of the chain. Verifying costs one RSA verification per
//!   hop.
//! - Each signature has exactly one encoding.
//! - [`queue::QueueStore`] stores the records that are still to be verified, with limits, and survives crashes.
//!
//! # What it does not promise
//!
//! - **A hop authenticates only its own message**, and nothing before it, because it did not verify it.
//! - **Anyone can shorten a chain** ([`ChainSignature::peel`]), and anyone with a key can extend it or begin a new one.
//!   The messages must state their place: [`Attestation`] and [`VerifiedRecord::path`] do that, bare messages do not.
//! - **An invalid chain does not identify a culprit.** One wrong element randomises everything before it. An error may
//!   name a hop ([`VerifyError::NonCanonical`], [`VerifyError::OutOfRange`]), but that hop is at fault only if all
//!   later hops are honest.
//! - **Unverified records prove nothing.** A record may be forwarded and appended to without verification. Only a
//!   [`VerifiedRecord`] may be acted upon; the types separate the two.
//! - It is not secure against quantum computers. It is shorter than one ECDSA signature per hop only from about six
//!   hops on. Aggregate BLS signatures are shorter, but slower to verify, and need pairings.
//!
//! # How it works
//!
//! Hop `i` derives its randomness `r` from its seed, its message and what it received. It hashes the message, `r` and
//! the received `x` into `h`, masks `x` with a hash of `h`, and applies the RSA private operation to the result. The
//! output has one bit more than fits the next hop's input; that bit is stored separately. The verifier works backwards:
//! it applies the RSA public operation, removes the mask, and recomputes the hash, until the first hop. `r` must be
//! unpredictable and depend on everything that is signed: otherwise one or two queries to a signer suffice to forge its
//! signature (`tests/attacks.rs`). The paper's other variant, a fresh random `r`, is not implemented: it is not
//! shorter, and a bad source of randomness at signing time would compromise it.
//!
//! # The RSA library
//!
//! OpenSSL, through the crate [`openssl`] (both Apache-2.0), which is also what the paper measured. Its private
//! operation is constant-time, blinded and checked for faults; this crate checks the result again before it is
//! released. Its public operation uses wide multiplication instructions, which pure-Rust integers do not. The pure-Rust
//! crate `rsa` has the open advisory RUSTSEC-2023-0071 about timing. OpenSSL is built from source, once, with a C
//! compiler, perl and make; set `OPENSSL_NO_VENDOR=1` to use the system's library. A key in a device that offers only
//! RSA implements [`RawPrivate`].

mod attestation;
mod chain;
mod directory;
mod encoding;
mod hash;
mod keys;
mod malformed;
mod modulus_checks;
pub mod queue;
mod raw;
mod reader;
mod record;
mod secret;
mod sha256x8;
mod suite;
#[cfg(feature = "testing")]
pub mod testing;

pub use attestation::{Attestation, NotAnAttestation, Party, Path, PathError, Time};
pub use chain::{sign, ChainSignature, Hop, Link, SignError, Statement, VerifyError};
pub use directory::{Epoch, KeyDirectory, KeyError, Keyring, UnknownKey};
pub use keys::{BadPublicKey, Fingerprint, PublicKey};
pub use malformed::MalformedAggregate;
pub use raw::{BackEndError, OpenSslPrivate, RawPrivate};
pub use record::{
    CheckError, Claim, MalformedRecord, PeelError, Record, RecordError, RecordId, VerifiedRecord,
};
pub use secret::{BadSecretKey, SecretKey};
pub use suite::{
    HopCountOutOfRange, HopNumber, Suite, EXPONENT, HASH_LEN, MAX_HOPS, RANDOMNESS_LEN, SEED_LEN,
};
