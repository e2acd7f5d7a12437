#![doc = include_str!("../README.md")]

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
