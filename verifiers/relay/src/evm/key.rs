//! The key that pays.

use crate::secret::{self, unusable};
use alloy::signers::local::PrivateKeySigner;
use duet_light_rpc::Failure;
use std::path::Path;

/// The secret of an account, in hexadecimal digits, from a file that nobody else may read.
///
/// # Errors
/// [`Kind::Local`](duet_light_rpc::Kind::Local) when it cannot be read, others may read it, or it is no secret.
pub fn from_file(path: &Path) -> Result<PrivateKeySigner, Failure> {
    let text = secret::read(path)?;
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let secret = hex::decode(digits).map_err(|_| unusable(path, "not hexadecimal"))?;
    let secret = <[u8; 32]>::try_from(secret).map_err(|_| unusable(path, "not 32 bytes"))?;
    PrivateKeySigner::from_bytes(&secret.into())
        .map_err(|_| unusable(path, "not a secret key of secp256k1"))
}

/// A keystore of Ethereum's wallets (Web3 Secret Storage, version 3), and a file with its password.
///
/// # Errors
/// As [`from_file`].
pub fn from_keystore(keystore: &Path, password: &Path) -> Result<PrivateKeySigner, Failure> {
    let text = secret::read(password)?;
    let password = text.trim_end_matches(['\r', '\n']);
    PrivateKeySigner::decrypt_keystore(keystore, password)
        .map_err(|error| unusable(keystore, &error.to_string()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    #[test]
    fn a_key_that_others_may_read_or_that_is_none_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let with = |text: &str, mode| {
            fs::write(&path, text).expect("it is written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
            from_file(&path)
        };
        let digits = "11".repeat(32);
        let plain = with(&digits, 0o600).expect("it is a key");
        let prefixed = with(&format!("0x{digits}\n"), 0o400).expect("it is a key");
        assert_eq!(plain.address(), prefixed.address());
        let refused = with(&digits, 0o640).expect_err("the group may read it");
        assert!(refused.message.contains("chmod 600"), "{}", refused.message);
        for text in ["", "secret", &"00".repeat(32), &"11".repeat(31)] {
            assert!(with(text, 0o600).is_err(), "{text}");
        }
    }

    #[test]
    fn a_keystore_is_opened_by_its_password() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = [7; 32];
        let mut random = rand::thread_rng();
        let name = "keystore";
        let made = PrivateKeySigner::encrypt_keystore(
            folder.path(),
            &mut random,
            secret,
            "right",
            Some(name),
        );
        let address = made.expect("it is written").0.address();
        let password = folder.path().join("password");
        let with = |text: &str| {
            fs::write(&password, text).expect("it is written");
            fs::set_permissions(&password, fs::Permissions::from_mode(0o600)).expect("it is ours");
            from_keystore(&folder.path().join(name), &password)
        };
        assert_eq!(
            with("right\n").expect("it is the password").address(),
            address
        );
        assert!(with("wrong").is_err());
    }
}
