//! The Boneh-Freeman signatures for polynomial functions, for study and measurement.
//!
//! **Do not rely on them.** At every dimension offered here, anyone who holds the public key can make valid signatures
//! on any message under any label. The module [`forgery`] does this: the tests assert that it succeeds up to n = 32,
//! the benches time it up to n = 64, and estimates say that it suffices for n = 128 too. By these estimates, the
//! generic attack is infeasible only at dimensions of thousands, with primes of at least 100,000 bits. The lattice is
//! also principal, so quantum computers break the scheme at any dimension.
//!
//! # The scheme
//!
//! One signer names a data set by a [`Tag`] and signs its values. A holder of the signatures applies a [`Polynomial`]
//! to them, and gets one signature on the result. Anyone can verify it against the public key, the tag, the polynomial
//! and the result. The signer does not need to know the polynomial in advance.
//!
//! A signature is a short element of the ring `Z[x]/(x^n + 1)`. Evaluated at one public point, mod p, it gives the
//! message; at another, mod q, it gives a hash of the label. Evaluation at a point is a ring homomorphism, so applying
//! the same polynomial to signatures, messages and hashes preserves both equations. Finding a signature is supposed to
//! be hard because it must be *short*: the security rests entirely on the verifier's norm bound.
//!
//! # What it does not promise
//!
//! * Authenticity: see above.
//! * Hiding of the inputs: the signature on a result is a function of the input signatures. From degree 2 on, it can be
//!   factored.
//! * Anything about a data set whose tag was reused, or in which a label was signed with two messages.
//! * Anything about a key whose label register was completely restored from a copy: see [`register`].
//! * Constant time: the running time of the sampler depends on its samples, that of key generation on the key.
//! * Complete wiping: keys, the basis and the sampler's working memory are wiped. Temporary big integers of key
//!   generation and key decoding are not, and neither is the internal state of SHAKE256, which determines the
//!   randomness of one key generation or one signature.
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
//! // Anyone who has the signatures: a function of the values, none of which is over 100.
//! let function = Polynomial::parse(4, "x0^2 + 3*x1*x2 - x3")?;
//! let result = public.evaluate(&function, &signatures, 100)?;
//! assert_eq!(result.value, (71 * 71 + 3 * 85 * 90 - 62).into());
//!
//! // Anyone who has the public key.
//! let verified = public.verify(&tag, &function, &result.value, &result.signature)?;
//! assert_eq!(verified.assurance().to_string(), "Experimental");
//!
//! // Why it is experimental: a forger needs only the public key.
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
mod monomial;
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
pub use function::{Polynomial, MAX_TERMS};
pub use identifier::{Fingerprint, Tag};
pub use key::{PublicKey, SecretKey, SigningKey};
pub use keygen::{GeneratedKey, KeyGeneration};
pub use monomial::Monomial;
pub use params::{Dimension, Limits, MAX_COEFFICIENT, MAX_DIMENSION};
pub use sign::Signer;
pub use signature::Signature;
pub use verify::Evaluated;
