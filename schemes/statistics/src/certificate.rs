//! Which key of the scheme speaks for a validator.

use crate::{context::Context, error::CertificateError};
use codec::{Decode, DecodeWithMemTracking, Encode};
use duet_mklhs::{
    suite::{G1_LEN, G2_LEN},
    SignerId, Signers, SigningKey,
};
use duet_primitives::{suite::OWNERSHIP_TAG, Pk1, VoteSignature};

/// A key of `duet-mklhs`, certified by a validator's Duet key for one period.
///
/// A validator's Duet key cannot sign figures itself: it publishes `pk1`, and two keys keep two schemes apart. So it
/// names the other key, in the form in which it names the account that registers it: as the ownership part of a proof of
/// possession. A [`Signer`](https://docs.rs/duet-keystore) makes that without a new kind of signature, also on another machine.
///
/// 256 bytes: the key, its proof of possession, and the Duet signature with its proof.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct Certificate {
    /// The key.
    pub key: [u8; G2_LEN],
    /// Proof that its secret is known.
    pub possession: [u8; G1_LEN],
    /// The Duet key's signature on [`Context::statement`].
    pub ownership: VoteSignature,
}

impl Certificate {
    /// Certifies a key. `ownership` is the first part of the proof of possession whose owner is
    /// [`Context::statement`] of this key.
    pub fn new(key: &SigningKey, ownership: VoteSignature) -> Self {
        Self {
            key: key.public().to_bytes(),
            possession: key.prove_possession().to_bytes(),
            ownership,
        }
    }

    /// Checks both parts, and registers the key with `signers`.
    ///
    /// Cost: a proof without a pairing, then a product of two pairings.
    ///
    /// # Errors
    /// [`CertificateError`] with the first broken rule.
    pub(crate) fn check(
        &self,
        context: &Context<'_>,
        member: &Pk1,
        signers: &mut Signers,
    ) -> Result<SignerId, CertificateError> {
        let statement = context.statement(&self.key);
        let signed = [OWNERSHIP_TAG, &statement].concat();
        member.verify(&signed, &self.ownership)?;
        Ok(signers.register_bytes(&self.key, &self.possession)?)
    }
}
