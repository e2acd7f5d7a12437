//! Drills: signatures that show that a recovery key is not lost. (RECOVER-2)

use crate::{
    dleq::{self, hash_message},
    error::SignatureError,
    numbers::BlockNumber,
    suite::{RECOVERY_DRILL_PREFIX, RECOVERY_SUITE},
    Pk1, SecretKey, VoteSignature, H256,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use duet_curve::Purpose;
use scale_info::TypeInfo;

/// A recovery key's signature over a recent block, 148 bytes. (RECOVER-2)
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Encode,
    Decode,
    DecodeWithMemTracking,
    MaxEncodedLen,
    TypeInfo,
)]
pub struct Drill {
    /// Number of the block.
    pub block_number: BlockNumber,
    /// Hash of the block.
    pub block_hash: H256,
    /// The signature and its proof.
    pub signature: VoteSignature,
}

impl Drill {
    /// Signs a block for the owner of the key. Deterministic.
    pub fn sign(
        secret: &SecretKey,
        genesis_hash: H256,
        owner: &impl Encode,
        block_number: BlockNumber,
        block_hash: H256,
    ) -> Self {
        let message = signed_bytes(genesis_hash, owner, block_number, block_hash);
        let hm = hash_message(RECOVERY_SUITE, &message, Purpose::Once);
        Self {
            block_number,
            block_hash,
            signature: secret.sign_point(&hm),
        }
    }

    /// Checks the signature. That the block is recent and on the chain is for the caller to check.
    ///
    /// Cost: one hash to the curve, one DLEQ check, no pairing.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-5 and DLEQ-2.
    pub fn check(
        &self,
        key: &Pk1,
        genesis_hash: H256,
        owner: &impl Encode,
    ) -> Result<(), SignatureError> {
        let message = signed_bytes(genesis_hash, owner, self.block_number, self.block_hash);
        let hm = hash_message(RECOVERY_SUITE, &message, Purpose::Once);
        dleq::check(&self.signature, &key.0, &hm).map(|_| ())
    }
}

fn signed_bytes(
    genesis_hash: H256,
    owner: &impl Encode,
    block_number: BlockNumber,
    block_hash: H256,
) -> Vec<u8> {
    let signed = (genesis_hash, owner, block_number, block_hash).encode();
    [RECOVERY_DRILL_PREFIX, &signed].concat()
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::testing::secret;

    const GENESIS: H256 = H256::repeat_byte(7);
    const BLOCK: H256 = H256::repeat_byte(9);

    /// RECOVER-2.
    #[test]
    fn a_drill_is_for_one_key_owner_block_and_chain() {
        let number = BlockNumber::new(12);
        let drill = Drill::sign(&secret(1), GENESIS, &"alice", number, BLOCK);
        assert_eq!(drill.encode().len(), 148);
        let [one, other] = [1, 2].map(|index| secret(index).public().pk1().check().unwrap());
        assert_eq!(drill.check(&one, GENESIS, &"alice"), Ok(()));
        let fails = Err(SignatureError::ProofFails);
        assert_eq!(drill.check(&other, GENESIS, &"alice"), fails);
        assert_eq!(drill.check(&one, GENESIS, &"bob"), fails);
        assert_eq!(drill.check(&one, BLOCK, &"alice"), fails);
        let later = Drill {
            block_number: BlockNumber::new(13),
            ..drill
        };
        assert_eq!(later.check(&one, GENESIS, &"alice"), fails);
        let elsewhere = Drill {
            block_hash: GENESIS,
            ..drill
        };
        assert_eq!(elsewhere.check(&one, GENESIS, &"alice"), fails);
    }

    /// RECOVER-2: the message has the bytes of the specification.
    #[test]
    fn an_ordinary_signature_over_the_same_bytes_is_no_drill() {
        let number = BlockNumber::new(12);
        let bytes = [
            &b"duet-recovery-v1/drill"[..],
            GENESIS.as_bytes(),
            &"alice".encode(),
            &12_u32.to_le_bytes(),
            BLOCK.as_bytes(),
        ]
        .concat();
        let good = crate::testing::sign_point(&secret(1), RECOVERY_SUITE, &bytes);
        let drill = Drill::sign(&secret(1), GENESIS, &"alice", number, BLOCK);
        assert_eq!(drill.signature, good);
        let ordinary = Drill {
            signature: secret(1).sign(&bytes),
            ..drill
        };
        let key = secret(1).public().pk1().check().unwrap();
        let got = ordinary.check(&key, GENESIS, &"alice");
        assert_eq!(got, Err(SignatureError::ProofFails));
    }
}
