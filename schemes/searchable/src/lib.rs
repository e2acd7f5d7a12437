//! Encrypted numbers that a server can find by keyword and add without decrypting; adding across keywords is detected.
//!
//! This is the mis-operation resistant searchable homomorphic encryption of Emura, Hayashi, Kunihiro and Sakuma, built
//! on Gentry's identity-based encryption, on the curve BLS12-381. No part of consensus uses it.
//!
//! # Roles
//!
//! * The **receiver** has the [`MasterKey`] and publishes its [`PublicKey`]. It can give a server the
//!   [`HomomorphicKey`] of a keyword.
//! * **Data holders**, any number of them, encrypt numbers under a [`Keyword`] with an [`Encryptor`]. The keyword is,
//!   for example, a chain, a metric and an epoch. Data holders have no secrets.
//! * The **server** stores the ciphertexts. With the homomorphic key of a keyword, which is also its trapdoor, it finds
//!   the ciphertexts of that keyword ([`HomomorphicKey::test`]) and computes one ciphertext of their weighted sum
//!   ([`HomomorphicKey::evaluate`]). It does not learn any number.
//! * The receiver decrypts the sum, or a delegate that has the [`DecryptionKey`] of the keyword.
//!
//! ```
//! use duet_searchable::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
//! // The receiver generates its key, and the key of a keyword for the server.
//! let receiver = MasterKey::generate(&mut rng)?;
//! let cpu = Keyword::telemetry("duet", "cpu", 7)?;
//! let server = receiver.homomorphic_key(&cpu)?;
//!
//! // Two validators encrypt their readings. A third reading is under another metric.
//! let encryptor = Encryptor::new(receiver.public_key(), &cpu)?;
//! let (first, second) = (encryptor.encrypt(35, &mut rng), encryptor.encrypt(7, &mut rng));
//! let memory = Encryptor::new(receiver.public_key(), &Keyword::telemetry("duet", "memory", 7)?)?;
//! let stray = memory.encrypt(1000, &mut rng);
//!
//! // Ciphertexts are sent as bytes. Received ciphertexts are checked before use.
//! let bytes = first.to_wire(Form::Compressed);
//! let first = ReceivedCiphertext::parse(&bytes)?.check()?;
//!
//! // The server adds ciphertexts of one keyword. Mixing keywords is an error.
//! let sum = server.evaluate(&[Term::new(1, &first), Term::new(1, &second)], 0, &mut rng)?;
//! let mixed = server.evaluate(&[Term::new(1, &first), Term::new(1, &stray)], 0, &mut rng);
//! assert_eq!(mixed, Err(EvaluationError::MisOperation { index: 1 }));
//!
//! // The receiver decrypts the sum. The number is found by a search in a bounded range.
//! let numbers = DiscreteLog::new(Bound::new(10_000), 1 << 16, &())?;
//! let message = receiver.decrypt(&cpu, sum.ciphertext())?;
//! assert_eq!(numbers.find(&message)?, 42);
//! # Ok(())
//! # }
//! ```
//!
//! # Properties
//!
//! * **Privacy of the numbers.** Without the homomorphic key of its keyword, a ciphertext is secure against
//!   chosen-ciphertext attacks. The holder of that key can modify ciphertexts, but only by addition, and only within
//!   the keyword.
//! * **Privacy of the keywords** against everyone who does not have their trapdoors.
//! * **Resistance to mis-operation.** Without the key of a keyword, nobody can create a ciphertext that passes its
//!   test, other than by encrypting under that keyword. If a server has the keys of several keywords and adds across
//!   them regardless, the result decrypts under none of them.
//! * **Re-randomised sums.** The result does not show which ciphertexts were added.
//! * Inner products: with one public vector, a weighted sum; with both encrypted, one multiplication by the
//!   transformation of Catalano and Fiore ([`Factor`], [`HomomorphicKey::inner_product`]).
//!
//! # What it does not promise
//!
//! * The receiver can decrypt every ciphertext that it obtains, mixed ones too. The only protection against the
//!   receiver is shared custody of the seed.
//! * The holder of a trapdoor can confirm a guess of the keyword.
//! * Encryption needs no secret, so **anyone** can send a number, or a ciphertext twice. A sum is only as trustworthy
//!   as its sources: require signatures from them, drop duplicates ([`without_duplicates`]), and let the server name
//!   the sources. The sum cannot be verified by others; use linearly homomorphic signatures for that.
//! * A ciphertext does not show the size of its number. Store the [`Bound`] of a result beside it. Numbers beyond the
//!   range of the search are not found.
//! * The security proof of this form of the scheme, an adaptation of Gentry's to asymmetric pairings, was reviewed only
//!   by us. At most 2²⁰ keys should be derived from one seed. Quantum computers break the scheme.
//! * Points are multiplied by secrets, and secrets are inverted, in constant time (blst). Powers with secrets of the
//!   receiver and of the data holders read the same addresses in the same order for all secrets. But arithmetic of
//!   single field elements, including sums and products of secret scalars, and pairings are done by arkworks, which
//!   does not guarantee constant time. The running time of servers and delegates depends on their keys.
//!
//! # Checks
//!
//! Bytes and checked values have different types. [`ReceivedCiphertext::check`] rejects points and elements outside
//! their groups of prime order, and the identity, which would pass the test for every keyword.
//! [`PublicKey::from_bytes`], [`HomomorphicKey::from_bytes`] and [`DecryptionKey::from_bytes`] reject invalid keys. A
//! [`Tested`] ciphertext records the key that it was tested with; the test is skipped only for that key. Decryption has
//! a single error, without details ([`Rejected`]).
//!
//! # Sizes
//!
//! | | bytes |
//! | --- | --- |
//! | ciphertext, plain | 1840, and a version byte on the wire |
//! | ciphertext, compressed | 976, and a version byte on the wire |
//! | public key | 432 |
//! | seed | 32 |
//! | homomorphic key (trapdoor) | 304 |
//! | decryption key of a keyword | 512 |

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
    BadHomKey, BoundTooLarge, CiphertextError, Component, EvaluationError, KeywordCollidesWithKey,
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
