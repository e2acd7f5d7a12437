//! Encrypted numbers that a server finds by keyword and adds up, without reading them; sums across keywords are caught.
//!
//! This is the mis-operation resistant searchable homomorphic encryption of Emura, Hayashi, Kunihiro and Sakuma, built
//! on Gentry's identity-based encryption, on the curve BLS12-381. No part of consensus uses it.
//!
//! # Who does what
//!
//! * The **receiver** has the [`MasterKey`] and publishes its [`PublicKey`]. Of each keyword it may give a
//!   [`HomomorphicKey`] to a server.
//! * **Data holders**, any number of them, encrypt numbers under a [`Keyword`] with an [`Encryptor`]: a chain, a metric
//!   and an epoch, say. They have no secrets.
//! * The **server** keeps the ciphertexts. With the homomorphic key of a keyword, which is its trapdoor too, it finds
//!   the ciphertexts of that keyword ([`HomomorphicKey::test`]) and makes one ciphertext of their weighted sum
//!   ([`HomomorphicKey::evaluate`]). It learns no number.
//! * The receiver decrypts the sum, or somebody to whom it gave the [`DecryptionKey`] of the keyword.
//!
//! ```
//! use duet_searchable::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
//! // The receiver makes its key, and the key of a keyword for the server.
//! let receiver = MasterKey::generate(&mut rng)?;
//! let cpu = Keyword::telemetry("duet", "cpu", 7)?;
//! let server = receiver.homomorphic_key(&cpu)?;
//!
//! // Two validators encrypt their readings; another one files its reading under another metric.
//! let encryptor = Encryptor::new(receiver.public_key(), &cpu)?;
//! let (first, second) = (encryptor.encrypt(35, &mut rng), encryptor.encrypt(7, &mut rng));
//! let memory = Encryptor::new(receiver.public_key(), &Keyword::telemetry("duet", "memory", 7)?)?;
//! let stray = memory.encrypt(1000, &mut rng);
//!
//! // What travels is bytes; what arrives is checked before anything is done with it.
//! let bytes = first.to_wire(Form::Compressed);
//! let first = ReceivedCiphertext::parse(&bytes)?.check()?;
//!
//! // The server adds what belongs together, and is stopped where something does not.
//! let sum = server.evaluate(&[Term::new(1, &first), Term::new(1, &second)], 0, &mut rng)?;
//! let mixed = server.evaluate(&[Term::new(1, &first), Term::new(1, &stray)], 0, &mut rng);
//! assert_eq!(mixed, Err(EvaluationError::MisOperation { index: 1 }));
//!
//! // The receiver decrypts the sum. Numbers come out of the exponent by a search in a declared range.
//! let numbers = DiscreteLog::new(Bound::new(10_000), 1 << 16, &())?;
//! let message = receiver.decrypt(&cpu, sum.ciphertext())?;
//! assert_eq!(numbers.find(&message)?, 42);
//! # Ok(())
//! # }
//! ```
//!
//! # What it gives
//!
//! * **Privacy of the numbers.** Without the homomorphic key of its keyword a ciphertext is secure against chosen
//!   ciphertexts. Whoever has that key can make other ciphertexts of it, only by addition, only inside the keyword.
//! * **Privacy of the keywords** against everybody who does not have their trapdoors.
//! * **Resistance to mis-operation.** Without the key of a keyword nobody makes a ciphertext pass its test that was not
//!   made for it. A server that has the keys of several keywords and adds across them by force gets something that
//!   decrypts under none of them.
//! * **Fresh sums.** The result does not show which ciphertexts went in.
//! * Inner products: with one vector public, a weighted sum; with both encrypted, one multiplication by the
//!   transformation of Catalano and Fiore ([`Factor`], [`HomomorphicKey::inner_product`]).
//!
//! # What it does not promise
//!
//! * The receiver can decrypt every single ciphertext that it gets hold of, mixed ones too. Against the receiver only
//!   a shared custody of the seed helps.
//! * The holder of a trapdoor can guess the keyword and see whether the guess is right.
//! * Encryption takes no secret, so **anybody** can send a number, or one ciphertext twice. A sum is worth what its
//!   sources are worth: have them signed, drop what comes twice ([`without_duplicates`]), and let the server name
//!   the sources. Nobody can recompute the sum; a sum that everybody can verify is the business of linearly homomorphic
//!   signatures.
//! * A ciphertext does not show how large its number is. The [`Bound`] of a result has to be carried beside it, and what
//!   is beyond the range of the search is not found.
//! * The proof that stands behind this form of the scheme, an adaptation of Gentry's to pairings of two groups, was
//!   reviewed by us only. At most 2²⁰ keys should be made from one seed. Quantum computers break it.
//! * Points are multiplied by secrets in constant time, and secrets are inverted so (blst); and powers of the
//!   receiver's and the data holders' secrets read the same addresses in the same order whatever the secret. But the
//!   arithmetic of single elements of the fields, sums and products of secret scalars among them, and the pairings are
//!   arkworks', whose time may depend on what they work on. What servers and delegates do takes a time that depends on
//!   their keys.
//!
//! # What is checked where
//!
//! Bytes and checked values are different types. [`ReceivedCiphertext::check`] refuses points and elements outside their
//! groups of prime order, and the identity, which would pass under every keyword. [`PublicKey::from_bytes`],
//! [`HomomorphicKey::from_bytes`] and [`DecryptionKey::from_bytes`] refuse keys that are not what they should be. A
//! [`Tested`] ciphertext remembers with which key it was tested, and only there the test is not repeated. Decryption has
//! one error to the outside ([`Rejected`]).
//!
//! # Sizes
//!
//! | | bytes |
//! | --- | --- |
//! | ciphertext, plain | 1840, and a version byte on the wire |
//! | ciphertext, compressed | 976, and a version byte on the wire |
//! | public key | 432 |
//! | seed | 32 |
//! | homomorphic key, trapdoor | 304 |
//! | decryption key of a keyword | 512 |

#![deny(unsafe_code)]

mod bound;
mod ciphertext;
mod constant_time;
mod decrypt;
mod decryption_key;
mod discrete_log;
mod encoding;
mod encrypt;
mod error;
mod evaluate;
mod factor;
mod fixed_base;
mod generator;
mod gt;
mod gt_table;
mod hash;
mod homomorphic_key;
mod inner_product;
mod key_part;
mod keyword;
mod master_key;
mod message;
mod pairing;
mod progress;
mod public_key;
mod ring;
mod scalar;
pub mod suite;
#[cfg(feature = "testing")]
pub mod testing;
mod torus;

pub use bound::Bound;
pub use ciphertext::{without_duplicates, Ciphertext, CiphertextDigest, Form, ReceivedCiphertext};
pub use decrypt::{Reason, Rejected};
pub use decryption_key::DecryptionKey;
pub use discrete_log::DiscreteLog;
pub use encrypt::Encryptor;
pub use error::{
    BadHomKey, BoundTooLarge, CiphertextError, Component, EvaluationError, KeywordHitsKey,
    KeywordTooLong, LengthError, MessageError, PlaintextOutOfRange, PointError, PublicKeyError,
    PublicPart, TableError, Unmatched, UnusableSeed,
};
pub use evaluate::Term;
pub use factor::{Factor, FactorError, FACTOR_LEN};
pub use homomorphic_key::{HomomorphicKey, Tested, Trapdoor};
pub use inner_product::{EncryptedProduct, InnerProductError, ProductError, Side};
pub use keyword::Keyword;
pub use master_key::MasterKey;
pub use message::Message;
pub use progress::Progress;
pub use public_key::{Fingerprint, PublicKey};
pub use ring::{Ring, RingError};
