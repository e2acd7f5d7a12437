//! The types of objects.
//!
//! | Type | Content |
//! | --- | --- |
//! | `MKLHS SECRET KEY` | the scalar, 32 bytes |
//! | `MKLHS PUBLIC KEY` | the key and its proof of possession |
//! | `MKLHS RECORD` | the length of the label in 4 bytes, the label, and the signature |
//! | `MKLHS PROGRAM` | bounds, coefficients and labels |
//! | `MKLHS COMBINED SIGNATURE` | the digest of the program, and the signature |
//! | `MKLHS EQUIVOCATION PROOF` | a label and two signatures |
//! | `STATISTICS PROOF` | the type of the statistic, and its combined signatures |
//! | `SEQUENTIAL SECRET KEY` | suite, seed and PKCS#8 |
//! | `SEQUENTIAL PUBLIC KEY` | the modulus |
//! | `SEQUENTIAL TRUSTED KEY` | the epochs in which a key is valid, and the key |
//! | `SEQUENTIAL RECORD` | the claims of all hops, and the signature |
//! | `VOUCHED CHECKPOINT` | the vouchers of a light client's checkpoint |
//! | `SEARCHABLE SECRET KEY` | the seed |
//! | `SEARCHABLE PUBLIC KEY` | the key |
//! | `SEARCHABLE TRAPDOOR` | the key of a server for one keyword |
//! | `SEARCHABLE DECRYPTION KEY` | the key of a delegate for one keyword |
//! | `SEARCHABLE CIPHERTEXTS` | ciphertexts, one after another |
//! | `SEARCHABLE VECTOR` | the encrypted components of a vector |
//! | `SEARCHABLE INNER PRODUCT` | the encrypted product |
//! | `RESEARCH FORGEABLE POLYNOMIAL SECRET KEY` | the seed and the parameters |
//! | `RESEARCH FORGEABLE POLYNOMIAL PUBLIC KEY` | the key |
//! | `RESEARCH FORGEABLE POLYNOMIAL SIGNATURE` | one signature |
//!
//! The crates of the schemes define each content byte by byte.

use crate::kind::Kind;

/// The secret key of a signer of numbers.
pub const MKLHS_SECRET_KEY: Kind = Kind::new("MKLHS SECRET KEY");
/// Its public key, with the proof of possession.
pub const MKLHS_PUBLIC_KEY: Kind = Kind::new("MKLHS PUBLIC KEY");
/// A signed number with its label.
pub const MKLHS_RECORD: Kind = Kind::new("MKLHS RECORD");
/// The computed function: a coefficient for each label.
pub const MKLHS_PROGRAM: Kind = Kind::new("MKLHS PROGRAM");
/// The signature of a program's result.
pub const MKLHS_COMBINED: Kind = Kind::new("MKLHS COMBINED SIGNATURE");
/// Two signatures on one label.
pub const MKLHS_EQUIVOCATION: Kind = Kind::new("MKLHS EQUIVOCATION PROOF");
/// The proof of a mean or a variance.
pub const STATISTICS_PROOF: Kind = Kind::new("STATISTICS PROOF");

/// The secret key of a hop.
pub const SEQUENTIAL_SECRET_KEY: Kind = Kind::new("SEQUENTIAL SECRET KEY");
/// Its public key.
pub const SEQUENTIAL_PUBLIC_KEY: Kind = Kind::new("SEQUENTIAL PUBLIC KEY");
/// A public key that a verifier trusts, with the epochs in which it is valid.
pub const SEQUENTIAL_TRUSTED_KEY: Kind = Kind::new("SEQUENTIAL TRUSTED KEY");
/// The signed claims of a path's hops.
pub const SEQUENTIAL_RECORD: Kind = Kind::new("SEQUENTIAL RECORD");

/// Who vouches for a light client's checkpoint.
pub const VOUCHED_CHECKPOINT: Kind = Kind::new("VOUCHED CHECKPOINT");

/// The secret key of a receiver.
pub const SEARCHABLE_SECRET_KEY: Kind = Kind::new("SEARCHABLE SECRET KEY");
/// Its public key.
pub const SEARCHABLE_PUBLIC_KEY: Kind = Kind::new("SEARCHABLE PUBLIC KEY");
/// With it a server finds and adds the ciphertexts of a keyword. Secret.
pub const SEARCHABLE_TRAPDOOR: Kind = Kind::new("SEARCHABLE TRAPDOOR");
/// With it a delegate decrypts under a keyword. Secret.
pub const SEARCHABLE_DECRYPTION_KEY: Kind = Kind::new("SEARCHABLE DECRYPTION KEY");
/// Encrypted numbers.
pub const SEARCHABLE_CIPHERTEXTS: Kind = Kind::new("SEARCHABLE CIPHERTEXTS");
/// An encrypted vector.
pub const SEARCHABLE_VECTOR: Kind = Kind::new("SEARCHABLE VECTOR");
/// An encrypted inner product.
pub const SEARCHABLE_PRODUCT: Kind = Kind::new("SEARCHABLE INNER PRODUCT");

/// The warning about every object of the polynomial signatures.
pub const FORGEABLE: &str =
    "for research only: anybody who has the public key can forge these signatures";

/// A secret key of the polynomial signatures.
pub const RESEARCH_SECRET_KEY: Kind =
    Kind::new("RESEARCH FORGEABLE POLYNOMIAL SECRET KEY").with_warning(FORGEABLE);
/// Its public key, which is all that a forger needs.
pub const RESEARCH_PUBLIC_KEY: Kind =
    Kind::new("RESEARCH FORGEABLE POLYNOMIAL PUBLIC KEY").with_warning(FORGEABLE);
/// One of the polynomial signatures.
pub const RESEARCH_SIGNATURE: Kind =
    Kind::new("RESEARCH FORGEABLE POLYNOMIAL SIGNATURE").with_warning(FORGEABLE);

/// All types.
pub const ALL: [Kind; 22] = [
    MKLHS_SECRET_KEY,
    MKLHS_PUBLIC_KEY,
    MKLHS_RECORD,
    MKLHS_PROGRAM,
    MKLHS_COMBINED,
    MKLHS_EQUIVOCATION,
    STATISTICS_PROOF,
    SEQUENTIAL_SECRET_KEY,
    SEQUENTIAL_PUBLIC_KEY,
    SEQUENTIAL_TRUSTED_KEY,
    SEQUENTIAL_RECORD,
    VOUCHED_CHECKPOINT,
    SEARCHABLE_SECRET_KEY,
    SEARCHABLE_PUBLIC_KEY,
    SEARCHABLE_TRAPDOOR,
    SEARCHABLE_DECRYPTION_KEY,
    SEARCHABLE_CIPHERTEXTS,
    SEARCHABLE_VECTOR,
    SEARCHABLE_PRODUCT,
    RESEARCH_SECRET_KEY,
    RESEARCH_PUBLIC_KEY,
    RESEARCH_SIGNATURE,
];
