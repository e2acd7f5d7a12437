//! Decryption, in both forms, by one rule: everything is checked, and one error says that something failed.

use crate::{ciphertext::Ciphertext, message::Message, progress::Progress};
use core::fmt;
use rayon::prelude::*;

/// The ciphertext was rejected. To the outside there is one such error: what it was that failed would help whoever
/// sends ciphertexts to learn from the answers.
#[derive(Clone, Copy)]
pub struct Rejected(pub(crate) Reason);

/// What failed, for the receiver's own logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The ciphertext is not under this keyword.
    KeywordMismatch,
    /// `c4` disagrees: ciphertexts of different keywords were added by force.
    MixedKeywords,
    /// The tag disagrees: the ciphertext was changed, or is for another receiver or keyword.
    TagMismatch,
}

impl Rejected {
    /// What failed. For local logs: never send it to where ciphertexts come from.
    pub fn for_local_log(&self) -> Reason {
        self.0
    }
}

impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rejected")
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the ciphertext was rejected")
    }
}

impl std::error::Error for Rejected {}

/// Decryption of many, on all cores: one verdict each, in their order.
pub(crate) fn decrypt_all(
    ciphertexts: &[&Ciphertext],
    progress: &impl Progress,
    decrypt: impl Fn(&Ciphertext) -> Result<Message, Rejected> + Sync,
) -> Vec<Result<Message, Rejected>> {
    ciphertexts
        .par_iter()
        .map(|ciphertext| {
            let message = decrypt(ciphertext);
            progress.advance(1);
            message
        })
        .collect()
}

/// The first reason that holds. All conditions were evaluated before.
pub(crate) fn verdict(checks: &[(bool, Reason)]) -> Result<(), Rejected> {
    let failed = checks.iter().find(|(holds, _)| !holds);
    failed.map_or(Ok(()), |(_, reason)| Err(Rejected(*reason)))
}
