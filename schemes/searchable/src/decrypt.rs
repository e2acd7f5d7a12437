//! Decryption, in both forms: all checks are evaluated, and a single error reports that one failed.

use crate::{ciphertext::Ciphertext, message::Message, progress::Progress};
use core::fmt;
use rayon::prelude::*;

/// The ciphertext was rejected. The error does not say why: the sender of a ciphertext could learn from the reason.
#[derive(Clone, Copy)]
pub struct Rejected(pub(crate) Reason);

/// The reason, for the receiver's own logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The ciphertext is not for this keyword.
    KeywordMismatch,
    /// `c4` does not match: ciphertexts for different keywords were combined.
    MixedKeywords,
    /// The tag does not match: the ciphertext was modified, or is for another receiver or keyword.
    TagMismatch,
}

impl Rejected {
    /// The reason. Log it locally; never send it to the source of the ciphertext.
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

/// Decrypts many ciphertexts, on all cores. The results are in the same order.
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

/// The first reason that applies. All conditions have been evaluated before.
pub(crate) fn verdict(checks: &[(bool, Reason)]) -> Result<(), Rejected> {
    let failed = checks.iter().find(|(holds, _)| !holds);
    failed.map_or(Ok(()), |(_, reason)| Err(Rejected(*reason)))
}
