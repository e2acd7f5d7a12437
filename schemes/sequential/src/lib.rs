//! Sequential aggregate signatures with lazy verification, from RSA, after Brogle, Goldberg and Reyzin (2012).
//!
//! Something travels along a path: a light client's update over relays, a packet over bridges. Each hop signs that it
//! was there, on top of what it received, **without verifying anything and without knowing anybody else's key**. The
//! receiver gets one number of an RSA modulus' size, one hash, and sixteen bytes and a bit per hop, and verifies all of
//! it at once, now or later: seven hops take 401 bytes instead of seven RSA signatures' 1792.
//!
//! ```
//! use duet_sequential::{Attestation, Epoch, HopNumber, Keyring, Party, Record, SecretKey, Suite, Time};
//!
//! // Two relays, each with a key of its own. Who receives knows both; the relays know nobody.
//! let (a, b) = (SecretKey::generate(Suite::Rsa2048)?, SecretKey::generate(Suite::Rsa2048)?);
//! let mut registry = Keyring::default();
//! registry.insert(a.public().clone(), Epoch(1));
//! registry.insert(b.public().clone(), Epoch(1));
//!
//! // The sender hands a payload to relay a, which says where it goes, and signs.
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
//! // Relay b reads the bytes, verifies nothing, and goes on.
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
//! // The receiver checks the signatures, and then that the messages are a path that ends here.
//! let verified = record.check(&registry)?;
//! let path = verified.path(Party::named("validator"), Time(900))?;
//! assert_eq!(path.fee(), Some(4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it gives
//!
//! - A verified chain says that each key's owner signed its own message, in this order. Forging it is as hard as
//!   inverting RSA, in the random oracle model, with hardly any loss ("tight"); other signers' keys may be anything.
//! - Signing costs one RSA signature, whatever came before; verifying costs one RSA verification per hop.
//! - Each signature has exactly one encoding.
//! - [`queue::QueueStore`] keeps what is still to be verified, within bounds, across crashes.
//!
//! # What it does not promise
//!
//! - **A hop vouches for its own message only**, not for anything before it: it did not look.
//! - **A chain can be shortened, extended by whoever has a key, and begun again**, by anybody
//!   ([`ChainSignature::peel`]). The messages must say where they belong; [`Attestation`] and [`VerifiedRecord::path`]
//!   do that, bare messages do not.
//! - **A bad chain has no culprit.** One wrong element garbles everything before it, so that an error may name a hop
//!   ([`VerifyError::NonCanonical`], [`VerifyError::OutOfRange`]) and is right only if all later hops are honest.
//! - **Unverified is not verified.** A record may be forwarded and appended to unseen; only a [`VerifiedRecord`] may be
//!   acted upon, and the types keep the two apart.
//! - It does not resist quantum computers, and it is not short for one hop: above six hops or so it beats one ECDSA
//!   signature per hop; aggregate BLS signatures are shorter, slower to verify, and need pairings.
//!
//! # How it works
//!
//! Hop `i` draws its randomness `r` from its seed, its message and what it received, hashes message, `r` and the
//! received `x` into `h`, masks `x` with a hash of `h`, and inverts RSA on the result. The output has one bit more than
//! fits into the next hop's input; that bit is kept beside. The verifier goes back: RSA forwards, unmask, unhash, until
//! the first hop, before which there is nothing. `r` must be unforeseeable and cover all that is signed: without that,
//! one or two questions to a signer forge its signature (`tests/attacks.rs`). The paper's other variant, a fresh random
//! `r`, is left out: it is as short, and a bad source of randomness at signing time would give it away.
//!
//! # The RSA library
//!
//! OpenSSL, through the crate [`openssl`] (Apache-2.0, as the library itself): the one the paper measured; its private
//! operation is constant in time, blinded and checked for faults, and is checked again here before anything is
//! released. Its public operation uses the processor's wide multiplications, which the pure-Rust integers do not. The
//! pure-Rust `rsa` has the open advisory RUSTSEC-2023-0071 about its timing. OpenSSL is built from source, once, with a C
//! compiler, perl and make; `OPENSSL_NO_VENDOR=1` takes the system's instead. A key in a device that offers only RSA is
//! a [`RawPrivate`].

#![deny(unsafe_code)]

mod attestation;
mod chain;
mod directory;
mod encoding;
mod hash;
mod hygiene;
mod keys;
mod lanes;
pub mod queue;
mod raw;
mod reader;
mod record;
mod secret;
mod suite;
#[cfg(feature = "testing")]
pub mod testing;

pub use attestation::{Attestation, NotAnAttestation, Party, Path, PathError, Time};
pub use chain::{sign, ChainSignature, Hop, Link, SignError, Statement, VerifyError};
pub use directory::{Epoch, KeyDirectory, KeyError, Keyring, UnknownKey};
pub use encoding::MalformedAggregate;
pub use keys::{BadPublicKey, Fingerprint, PublicKey};
pub use raw::{BackEndError, OpenSslPrivate, RawPrivate};
pub use record::{
    CheckError, Claim, MalformedRecord, PeelError, Record, RecordError, RecordId, VerifiedRecord,
};
pub use secret::{BadSecretKey, SecretKey};
pub use suite::{
    HopCountOutOfRange, HopNumber, Suite, EXPONENT, HASH_LEN, MAX_HOPS, RANDOMNESS_LEN, SEED_LEN,
};
