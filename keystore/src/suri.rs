//! Secrets from secret URIs: `//Alice`, a phrase with derivations, a raw seed. The derivation is the one of all tools
//! that support `bls381`.

use duet_primitives::{SecretKey, SecretKeyError};
use sp_core::{
    bls381,
    crypto::{Pair, SecretStringError},
};
use zeroize::Zeroizing;

/// Why a secret URI yielded no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuriError {
    /// The URI does not parse. The message never repeats any part of it.
    #[error("not a secret URI: {}", explain(.0))]
    Parse(SecretStringError),
    /// The derived bytes are not a secret key.
    #[error("the secret URI gives no key: {0}")]
    Secret(#[from] SecretKeyError),
    /// The derived bytes do not have the length of a secret.
    #[error("the secret URI gives no key: its secret has the wrong length")]
    Length,
}

fn explain(error: &SecretStringError) -> &'static str {
    match error {
        SecretStringError::InvalidFormat(_) => "its format is invalid",
        SecretStringError::InvalidPhrase => "its phrase is not a valid BIP-39 phrase",
        SecretStringError::InvalidPassword => "the password after /// cannot be used",
        SecretStringError::InvalidSeed => "its seed is not 0x-hex of 32 bytes",
        SecretStringError::InvalidSeedLength => "its seed has the wrong length",
        SecretStringError::InvalidPath => "BLS keys support hard derivations (//) only",
    }
}

/// The secret of a secret URI: a BIP-39 phrase or a `0x`-seed, hard derivations, and optionally `///password`.
///
/// # Errors
/// [`SuriError`] when the text is no such URI.
pub fn secret_of_suri(suri: &str) -> Result<SecretKey, SuriError> {
    secret_of_pair(&bls381::Pair::from_string(suri, None).map_err(SuriError::Parse)?)
}

/// A new secret, and the twelve words to write down for it. The words are its secret URI.
///
/// # Errors
/// [`SuriError`] in the unreachable case that the words yield no key.
///
/// # Panics
/// When the system provides no randomness.
pub fn generate_phrase() -> Result<(Zeroizing<String>, SecretKey), SuriError> {
    let (pair, phrase, seed) = bls381::Pair::generate_with_phrase(None);
    let _seed = Zeroizing::new(seed);
    let phrase = Zeroizing::new(phrase);
    Ok((phrase, secret_of_pair(&pair)?))
}

fn secret_of_pair(pair: &bls381::Pair) -> Result<SecretKey, SuriError> {
    let raw = Zeroizing::new(pair.to_raw_vec());
    let scalar: Zeroizing<[u8; 32]> =
        Zeroizing::new(raw.as_slice().try_into().map_err(|_| SuriError::Length)?);
    Ok(SecretKey::from_bytes(&scalar)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_gives_its_secret_back() {
        let (phrase, secret) = generate_phrase().unwrap();
        assert_eq!(phrase.split(' ').count(), 12);
        assert_eq!(secret_of_suri(&phrase).unwrap().public(), secret.public());
    }

    #[test]
    fn a_derived_secret_has_the_public_key_that_bls381_derives() {
        for suri in [
            "//Alice",
            "//Bob//stash",
            "0x0707070707070707070707070707070707070707070707070707070707070707",
        ] {
            let pair = bls381::Pair::from_string(suri, None).unwrap();
            let secret = secret_of_suri(suri).unwrap();
            assert_eq!(
                secret.public().as_ref(),
                AsRef::<[u8]>::as_ref(&pair.public())
            );
        }
    }

    #[test]
    fn a_soft_derivation_is_refused() {
        let error = secret_of_suri("//Alice/soft").unwrap_err();
        assert_eq!(
            error.to_string(),
            "not a secret URI: BLS keys support hard derivations (//) only"
        );
    }

    #[test]
    fn an_error_does_not_repeat_the_secret() {
        let error = secret_of_suri("correct horse battery staple").unwrap_err();
        assert!(!error.to_string().contains("horse"), "{error}");
    }
}
