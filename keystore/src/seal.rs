//! Encryption of a secret under a password: Argon2id stretches the password, XChaCha20-Poly1305 seals.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use chacha20poly1305::{
    aead::{AeadInPlace, KeyInit},
    Tag, XChaCha20Poly1305, XNonce,
};
use duet_primitives::suite::SCALAR_LEN;
use rand::{rngs::OsRng, RngCore};
use zeroize::{Zeroize, Zeroizing};

pub(crate) const SALT_LEN: usize = 16;
pub(crate) const NONCE_LEN: usize = 24;
pub(crate) const TAG_LEN: usize = 16;

/// The cost of trying one password. Stored in each file, so that it can grow without breaking old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealCost {
    /// KiB of memory that Argon2id fills.
    pub memory_kib: u32,
    /// The number of passes over that memory.
    pub passes: u32,
}

impl Default for SealCost {
    /// 64 MiB and three passes, the second choice of RFC 9106: a fraction of a second per key at start.
    fn default() -> Self {
        Self {
            memory_kib: 64 * 1024,
            passes: 3,
        }
    }
}

impl SealCost {
    /// The highest cost that a file may demand: 1 GiB, so that a damaged one does not take the machine down.
    const MAX_MEMORY_KIB: u32 = 1024 * 1024;
    const MAX_PASSES: u32 = 64;

    /// Whether the cost is within this program's limits.
    pub(crate) fn within_limits(&self) -> bool {
        (Params::MIN_M_COST..=Self::MAX_MEMORY_KIB).contains(&self.memory_kib)
            && (Params::MIN_T_COST..=Self::MAX_PASSES).contains(&self.passes)
    }
}

/// A secret sealed under a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) cost: SealCost,
    pub(crate) salt: [u8; SALT_LEN],
    pub(crate) nonce: [u8; NONCE_LEN],
    pub(crate) ciphertext: [u8; SCALAR_LEN],
    pub(crate) tag: [u8; TAG_LEN],
}

/// Why a secret could not be sealed or opened.
#[derive(Debug)]
pub(crate) enum SealError {
    Randomness(rand::Error),
    Stretch(argon2::Error),
    /// The tag does not match: the password or the bytes differ.
    Refused,
}

impl Sealed {
    /// Seals under a fresh salt and nonce. `context` is authenticated with the secret.
    pub(crate) fn seal(
        secret: &[u8; SCALAR_LEN],
        password: &[u8],
        cost: SealCost,
        context: &[u8],
    ) -> Result<Self, SealError> {
        let (mut salt, mut nonce) = ([0; SALT_LEN], [0; NONCE_LEN]);
        OsRng
            .try_fill_bytes(&mut salt)
            .map_err(SealError::Randomness)?;
        OsRng
            .try_fill_bytes(&mut nonce)
            .map_err(SealError::Randomness)?;
        let cipher = cipher(password, &salt, cost)?;
        let mut ciphertext = *secret;
        let tag = cipher
            .encrypt_in_place_detached(XNonce::from_slice(&nonce), context, &mut ciphertext)
            .map_err(|_| {
                ciphertext.zeroize();
                SealError::Refused
            })?;
        Ok(Self {
            cost,
            salt,
            nonce,
            ciphertext,
            tag: tag.into(),
        })
    }

    /// Opens with the password and `context` of the sealing. On the heap: a move of an array leaves a copy on the stack.
    pub(crate) fn open(
        &self,
        password: &[u8],
        context: &[u8],
    ) -> Result<Box<Zeroizing<[u8; SCALAR_LEN]>>, SealError> {
        let cipher = cipher(password, &self.salt, self.cost)?;
        let mut secret = Box::new(Zeroizing::new(self.ciphertext));
        let nonce = XNonce::from_slice(&self.nonce);
        cipher
            .decrypt_in_place_detached(
                nonce,
                context,
                secret.as_mut_slice(),
                Tag::from_slice(&self.tag),
            )
            .map_err(|_| SealError::Refused)?;
        Ok(secret)
    }
}

fn cipher(password: &[u8], salt: &[u8], cost: SealCost) -> Result<XChaCha20Poly1305, SealError> {
    let mut key = Zeroizing::new([0; 32]);
    let params = Params::new(cost.memory_kib, cost.passes, 1, Some(key.len()))
        .map_err(SealError::Stretch)?;
    // Allocated here, because argon2 does not wipe memory that it allocates itself.
    let mut memory = Zeroizing::new(vec![Block::default(); params.block_count()]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(password, salt, &mut *key, memory.as_mut_slice())
        .map_err(SealError::Stretch)?;
    Ok(XChaCha20Poly1305::new((&*key).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP: SealCost = SealCost {
        memory_kib: 8,
        passes: 1,
    };

    fn sealed() -> Sealed {
        Sealed::seal(&[5; SCALAR_LEN], b"password", CHEAP, b"context").unwrap()
    }

    #[test]
    fn the_right_password_opens() {
        assert_eq!(
            **sealed().open(b"password", b"context").unwrap(),
            [5; SCALAR_LEN]
        );
    }

    #[test]
    fn another_password_context_or_cost_does_not_open() {
        let sealed = sealed();
        assert!(matches!(
            sealed.open(b"passwort", b"context"),
            Err(SealError::Refused)
        ));
        assert!(matches!(
            sealed.open(b"password", b"kontext"),
            Err(SealError::Refused)
        ));
        let dearer = Sealed {
            cost: SealCost { passes: 2, ..CHEAP },
            ..sealed
        };
        assert!(matches!(
            dearer.open(b"password", b"context"),
            Err(SealError::Refused)
        ));
    }

    #[test]
    fn two_seals_of_one_secret_share_no_salt_nonce_or_ciphertext() {
        let (one, other) = (sealed(), sealed());
        assert_ne!(one.salt, other.salt);
        assert_ne!(one.nonce, other.nonce);
        assert_ne!(one.ciphertext, other.ciphertext);
    }

    #[test]
    fn limits_exclude_what_would_exhaust_the_machine() {
        assert!(SealCost::default().within_limits());
        assert!(!SealCost {
            memory_kib: u32::MAX,
            passes: 3
        }
        .within_limits());
        assert!(!SealCost {
            memory_kib: 64,
            passes: u32::MAX
        }
        .within_limits());
        assert!(!SealCost {
            memory_kib: 0,
            passes: 0
        }
        .within_limits());
    }
}
