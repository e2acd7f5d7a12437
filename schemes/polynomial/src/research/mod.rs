//! The signatures of Boneh and Freeman for polynomial functions, to be read, measured and broken.
//!
//! **Do not rely on them.** At every dimension offered here anybody who holds the public key can make signatures that
//! verify, on any message under any label. [`forgery`] does it: the tests assert that it succeeds up to n = 32, the
//! benches time it up to n = 64, and estimates say that it is enough for n = 128 too. They put the generic attack
//! out of reach only at dimensions of thousands, with primes of 100,000 bits and more; and the lattice is principal,
//! so that quantum computers break it at any dimension.
//!
//! # What the scheme does
//!
//! One signer names a data set by a [`Tag`] and signs its values. Whoever holds the signatures applies a
//! [`Polynomial`] to them, and gets one signature on the result, which anybody checks against the public key, the tag,
//! the polynomial and the result. The signer need not have foreseen the polynomial.
//!
//! A signature is a short element of the ring `Z[x]/(x^n + 1)`. Its value at one secret-free point, mod p, is the message;
//! its value at another, mod q, is a hash of the label. Taking values at a point is a ring homomorphism, so
//! the same polynomial applied to signatures, messages and hashes keeps both equations. What makes a signature hard
//! to find should be that it is *short*: the verifier's bound on its norm is the whole of the security.
//!
//! # What it does not promise
//!
//! * Authenticity: see above.
//! * Hiding the inputs: a signature on a result is a function of the signatures it came from, and of degree 2 and
//!   more can be taken apart.
//! * Anything about a data set whose tag is used again, or of which a label got two messages.
//! * Anything about a key whose label register was restored whole from a copy: see [`register`].
//! * Constant time: the sampler's running time depends on what it draws, key generation's on the key.
//! * A clean memory: keys, the basis and what the sampler works on are wiped. Not wiped are temporary big integers of
//!   key generation and of reading a key, and the inner states of SHAKE256, from which the randomness of one key generation
//!   or one signature follows.
//!
//! # Example
//!
//! ```
//! use duet_polynomial::research::{
//!     forgery::Forger, register::MemoryRegister, Dimension, KeyGeneration, Limits, Polynomial,
//!     Signer, Tag,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let seed = [7; 32];
//! // The signer: a key for data sets of up to 20 values and functions of degree 2, from 32 random bytes.
//! let (dimension, limits) = (Dimension::new(16)?, Limits::for_statistics(20)?);
//! let generated = KeyGeneration::default().run(&seed, dimension, limits);
//! let public = generated.signing.public().clone();
//! let register = MemoryRegister::new(public.fingerprint());
//! let mut signer = Signer::new(generated.signing, register)?;
//! let tag = Tag::new("grades of 2024")?;
//! let grades = [71, 85, 90, 62].map(Into::into);
//! let signatures = signer.sign_data_set(&tag, &grades, 1.try_into()?)?;
//!
//! // Anybody who has the signatures: a function of the values, none of which is over 100.
//! let function = Polynomial::parse(4, "x0^2 + 3*x1*x2 - x3")?;
//! let result = public.evaluate(&function, &signatures, 100)?;
//! assert_eq!(result.value, (71 * 71 + 3 * 85 * 90 - 62).into());
//!
//! // Anybody who has the public key.
//! let verified = public.verify(&tag, &function, &result.value, &result.signature)?;
//! assert_eq!(verified.assurance().to_string(), "Experimental");
//!
//! // And that is why: the public key is all that a forger needs.
//! let forger = Forger::new(&public, &|_| ());
//! let forged = forger.forge(&tag, &function, &1_000_000.into())?;
//! assert!(public.verify(&tag, &function, &1_000_000.into(), &forged).is_ok());
//! # Ok(())
//! # }
//! ```

mod algebra;
mod basis;
mod bound;
mod encoding;
mod error;
pub mod forgery;
mod function;
mod identifier;
mod key;
mod keygen;
mod lattice;
mod params;
pub mod parts;
mod prime;
mod principal;
pub mod register;
mod ring;
mod sampler;
mod sign;
mod signature;
pub mod statistics;
mod stream;
mod text;
mod tower;
mod verify;

pub use bound::NormBound;
pub use error::{
    BadEncoding, EvaluateError, FunctionError, KeyError, PublicKeyFault, SecretKeyFault, SignError,
    VerifyError,
};
pub use function::{Monomial, Polynomial, MAX_TERMS};
pub use identifier::{Fingerprint, Tag};
pub use key::{PublicKey, SecretKey, SigningKey};
pub use keygen::{GeneratedKey, KeyGeneration};
pub use params::{Dimension, Limits, MAX_COEFFICIENT, MAX_DIMENSION};
pub use sign::Signer;
pub use signature::Signature;
pub use verify::Evaluated;
