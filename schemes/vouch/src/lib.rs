//! Vouchers for a checkpoint of a light client.
//!
//! A checkpoint is trusted without proof. Operators who follow the chain can confirm it: each signs a [`Statement`] on
//! top of the earlier ones, with an RSA key in a file or a token. All signatures together are one of `duet-sequential`.
//! A client that starts from the checkpoint verifies it, and counts the vouchers that it trusts.
//!
//! ```
//! use duet_sequential::{SecretKey, Suite, Time};
//! use duet_vouch::{GenesisHash, List, Subject, Terms, Vouched};
//!
//! // Two operators and a checkpoint, as bytes that have one form.
//! let (alice, bob) = (SecretKey::generate(Suite::Rsa2048)?, SecretKey::generate(Suite::Rsa2048)?);
//! let subject = Subject::new(GenesisHash([7; 32]), b"block 42 and the set that signs there");
//!
//! // Alice begins, and Bob adds to what he got from her.
//! let first = Vouched::first(&alice, subject, Time(1_000))?;
//! let both = Vouched::from_bytes(&first.to_bytes())?.append(&bob, subject, Time(1_060))?;
//!
//! // A user trusts Alice, and wants her word not to be older than a day.
//! let list = List::from_text(&format!("{} Alice", alice.public().fingerprint()))?;
//! let terms = Terms { now: Time(2_000), tolerance: 300, max_age: 86_400 };
//! let verdict = Vouched::from_bytes(&both.to_bytes())?.verify(&subject, &list, &terms)?;
//! verdict.require(1)?;
//! assert_eq!(verdict.by()[0].name.as_str(), "Alice");
//! assert_eq!(verdict.not_counted().len(), 1, "Bob's key is not in the list");
//! assert!(verdict.require(2).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Vouched`]: the record, in transit; [`Vouched::append`] adds to it;
//! - [`List`]: the keys that a user trusts, by their fingerprints, with names;
//! - [`Vouched::verify`] and [`Verdict`]: the vouchers, the uncounted statements with reasons, and whether they
//!   suffice;
//! - [`secret_key_from_pem`], [`public_key_from_pem`]: ordinary RSA keys; [`CommandKey`]: keys in tokens.
//!
//! # Security
//!
//! - **All keys are in the record.** The scheme is verified lazily: every hop's key is needed, also keys that a user
//!   does not know. So each statement contains its key. A maliciously chosen key cannot forge another key's statement;
//!   the scheme is secure when all other keys are. Only keys of the list count.
//! - **A record can be destroyed, and not forged.** A relay can cut off its end, add statements by own keys or break
//!   it. It then shows fewer vouchers, or the signature does not hold and accuses nobody. Get it from elsewhere.
//! - **Times are the signers'.** They are the times of signing, not the age of the block.
//! - **Nothing depends on the record's epoch**, which is not signed: it is always 0.
//! - **No clock, network or disk** is used where statements are made and judged. Only [`CommandKey`] starts a program.

// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod command;
mod import;
mod list;
mod statement;
mod verdict;
mod vouched;

/// Parts of `duet-sequential` that callers of this crate name.
pub use duet_sequential::{
    BadPublicKey, BadSecretKey, Fingerprint, PublicKey, RawPrivate, SecretKey, Time,
};

pub use command::{CommandError, CommandKey};
pub use import::{fresh_seed, public_key_from_pem, secret_key_from_pem, BadPem, MAX_PEM};
pub use list::{BadLine, BadList, List, Name, MAX_NAME};
pub use statement::{CheckpointHash, GenesisHash, NotAStatement, Statement, Subject};
pub use verdict::{NotCounted, Reason, Refusal, Terms, TooFew, Verdict, Voucher};
pub use vouched::{InvalidSignature, MalformedVouched, VouchError, Vouched, WrongSubject};
