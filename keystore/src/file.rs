//! One key as a file: its content, and its checks on reading.
//!
//! The file is JSON that an operator can read: version, public key, the secret in the clear or sealed, and a
//! checksum. The checksum tells a damaged file from a wrong password. Every file has exactly one valid
//! form, so that no byte of it can change unnoticed.

use crate::{
    error::Corruption,
    seal::{SealCost, Sealed, NONCE_LEN, SALT_LEN, TAG_LEN},
};
use codec::Encode;
use duet_primitives::{
    suite::{DUAL_KEY_LEN, SCALAR_LEN},
    DualKeyBytes, Pk1Bytes, SecretKey,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The prefix of every key file's name. It has no hex digits, so that the SDK's keystore ignores the file: it shares
/// the directory and takes every file with a hex name for a key of its own.
pub const FILE_PREFIX: &str = "duet-";

/// Longer than any key file.
pub(crate) const MAX_FILE_LEN: usize = 4096;

const VERSION: u32 = 1;
const CHECKSUM_TAG: &[u8] = b"duet-key-file/v1/checksum";
const SEAL_TAG: &[u8] = b"duet-key-file/v1/seal";
/// Bytes of `pk1` in the name: short enough for any file system, long enough to distinguish keys.
const NAME_BYTES: usize = 20;

/// The name of a key's file: the prefix and the first forty hex digits of `pk1`.
pub fn file_name(key: &Pk1Bytes) -> String {
    format!("{FILE_PREFIX}{}", name_head(key))
}

/// The part of a file name that identifies the key.
pub(crate) fn name_head(key: &Pk1Bytes) -> String {
    let head: Vec<u8> = key.as_ref().iter().copied().take(NAME_BYTES).collect();
    hex::encode(head)
}

/// The contents of a file, before any check that the halves belong together.
pub(crate) struct KeyFile {
    pub(crate) public: DualKeyBytes,
    pub(crate) secret: StoredSecret,
}

/// The secret in its stored form. On the heap: each move of an array leaves a copy on the stack.
pub(crate) enum StoredSecret {
    Plain(Box<Zeroizing<[u8; SCALAR_LEN]>>),
    Sealed(Sealed),
}

/// The JSON. Strings are borrowed from the text, so that every copy of a secret is wiped.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text<'a> {
    version: u32,
    public: &'a str,
    #[serde(borrow)]
    secret: SecretText<'a>,
    checksum: &'a str,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum SecretText<'a> {
    #[serde(rename = "plain")]
    Plain(&'a str),
    #[serde(rename = "argon2id-xchacha20poly1305")]
    Sealed {
        memory_kib: u32,
        passes: u32,
        salt: &'a str,
        nonce: &'a str,
        ciphertext: &'a str,
        tag: &'a str,
    },
}

/// A file of which only the version was parsed.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

/// The data authenticated together with a sealed secret.
pub(crate) fn seal_context(public: &DualKeyBytes) -> Vec<u8> {
    [SEAL_TAG, public.as_ref()].concat()
}

impl KeyFile {
    /// The file of an unencrypted secret.
    pub(crate) fn plain(secret: &SecretKey) -> Self {
        Self {
            public: secret.public(),
            secret: StoredSecret::Plain(Box::new(secret.expose())),
        }
    }

    /// The file of an encrypted secret.
    pub(crate) fn sealed(public: DualKeyBytes, sealed: Sealed) -> Self {
        Self {
            public,
            secret: StoredSecret::Sealed(sealed),
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// None in practice: strings and numbers always have a JSON form.
    pub(crate) fn to_text(&self) -> serde_json::Result<Zeroizing<Vec<u8>>> {
        let public = to_hex(self.public.as_ref());
        let checksum = to_hex(&self.checksum());
        match &self.secret {
            StoredSecret::Plain(scalar) => {
                let scalar = to_hex(scalar.as_slice());
                write(&public, SecretText::Plain(&scalar), &checksum)
            }
            StoredSecret::Sealed(Sealed {
                cost,
                salt,
                nonce,
                ciphertext,
                tag,
            }) => {
                let secret = SecretText::Sealed {
                    memory_kib: cost.memory_kib,
                    passes: cost.passes,
                    salt: &to_hex(salt),
                    nonce: &to_hex(nonce),
                    ciphertext: &to_hex(ciphertext),
                    tag: &to_hex(tag),
                };
                write(&public, secret, &checksum)
            }
        }
    }

    /// Parses the text of a file: version, fields, limits, checksum and form, in that order.
    pub(crate) fn from_text(text: &[u8]) -> Result<Self, Corruption> {
        let VersionOnly { version: got } = serde_json::from_slice(text)?;
        if got != VERSION {
            return Err(Corruption::Version {
                expected: VERSION,
                got,
            });
        }
        let parsed: Text<'_> = serde_json::from_slice(text)?;
        let file = Self {
            public: DualKeyBytes(**from_hex::<DUAL_KEY_LEN>("public", parsed.public)?),
            secret: StoredSecret::from_text(&parsed.secret)?,
        };
        if **from_hex::<32>("checksum", parsed.checksum)? != file.checksum() {
            return Err(Corruption::Checksum);
        }
        if file.to_text()?.as_slice() != text {
            return Err(Corruption::NotCanonical);
        }
        Ok(file)
    }

    fn checksum(&self) -> [u8; 32] {
        let mut bytes = Zeroizing::new(Vec::with_capacity(512));
        bytes.extend_from_slice(CHECKSUM_TAG);
        bytes.extend_from_slice(self.public.as_ref());
        match &self.secret {
            StoredSecret::Plain(scalar) => {
                bytes.push(0);
                bytes.extend_from_slice(scalar.as_slice());
            }
            StoredSecret::Sealed(Sealed {
                cost,
                salt,
                nonce,
                ciphertext,
                tag,
            }) => {
                bytes.push(1);
                (cost.memory_kib, cost.passes).encode_to(&mut *bytes);
                for field in [&salt[..], &nonce[..], &ciphertext[..], &tag[..]] {
                    bytes.extend_from_slice(field);
                }
            }
        }
        Sha256::digest(&*bytes).into()
    }
}

impl StoredSecret {
    fn from_text(text: &SecretText<'_>) -> Result<Self, Corruption> {
        match text {
            SecretText::Plain(scalar) => Ok(Self::Plain(from_hex("secret", scalar)?)),
            SecretText::Sealed {
                memory_kib,
                passes,
                salt,
                nonce,
                ciphertext,
                tag,
            } => {
                let (memory_kib, passes) = (*memory_kib, *passes);
                let cost = SealCost { memory_kib, passes };
                if !cost.within_limits() {
                    return Err(Corruption::Cost { memory_kib, passes });
                }
                Ok(Self::Sealed(Sealed {
                    cost,
                    salt: **from_hex::<SALT_LEN>("salt", salt)?,
                    nonce: **from_hex::<NONCE_LEN>("nonce", nonce)?,
                    ciphertext: **from_hex::<SCALAR_LEN>("ciphertext", ciphertext)?,
                    tag: **from_hex::<TAG_LEN>("tag", tag)?,
                }))
            }
        }
    }
}

fn write(
    public: &str,
    secret: SecretText<'_>,
    checksum: &str,
) -> serde_json::Result<Zeroizing<Vec<u8>>> {
    // With the capacity of the longest file the buffer never moves and leaves no copy behind.
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE_LEN));
    let fields = Text {
        version: VERSION,
        public,
        secret,
        checksum,
    };
    serde_json::to_writer_pretty(&mut *text, &fields)?;
    text.push(b'\n');
    Ok(text)
}

fn to_hex(bytes: &[u8]) -> Zeroizing<String> {
    // With the capacity of all digits the buffer never moves and leaves no copy behind.
    let capacity = bytes.len().saturating_mul(2).saturating_add(2);
    let mut text = Zeroizing::new(String::with_capacity(capacity));
    text.push_str("0x");
    for byte in bytes {
        for nibble in [byte >> 4, byte & 0x0f] {
            // Every nibble is a digit.
            text.extend(char::from_digit(u32::from(nibble), 16));
        }
    }
    text
}

fn from_hex<const N: usize>(
    field: &'static str,
    text: &str,
) -> Result<Box<Zeroizing<[u8; N]>>, Corruption> {
    let refused = || Corruption::Hex { field, expected: N };
    let mut bytes = Box::new(Zeroizing::new([0; N]));
    let digits = text.strip_prefix("0x").ok_or_else(refused)?;
    hex::decode_to_slice(digits, bytes.as_mut_slice()).map_err(|_| refused())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> SecretKey {
        SecretKey::from_seed(&[9; 32]).unwrap()
    }

    #[test]
    fn a_name_is_short_and_not_hex() {
        let name = file_name(&secret().public().pk1());
        assert_eq!(name.len(), 45);
        assert!(hex::decode(&name).is_err());
    }

    #[test]
    fn the_text_of_a_plain_file_is_pinned() {
        let mut one = [0; 32];
        one[0] = 1;
        let secret = SecretKey::from_bytes(&one).unwrap();
        let text = String::from_utf8(KeyFile::plain(&secret).to_text().unwrap().to_vec()).unwrap();
        assert_eq!(
            hex::encode(Sha256::digest(&text)),
            PINNED,
            "existing key files must stay readable: {text}"
        );
    }

    #[test]
    fn a_sealed_file_is_pinned_and_opens() {
        let secret = secret();
        // Made with libsodium.
        let sealed = Sealed {
            cost: SealCost {
                memory_kib: 8,
                passes: 1,
            },
            salt: [1; SALT_LEN],
            nonce: [2; NONCE_LEN],
            ciphertext: **from_hex("ciphertext", CIPHERTEXT).unwrap(),
            tag: **from_hex("tag", TAG).unwrap(),
        };
        let opened = sealed.open(b"correct horse", &seal_context(&secret.public()));
        assert_eq!(*opened.unwrap(), secret.expose());
        let text = KeyFile::sealed(secret.public(), sealed).to_text().unwrap();
        assert_eq!(hex::encode(Sha256::digest(&*text)), SEALED);
    }

    const CIPHERTEXT: &str = "0xe753642dadba64e918c76d05cc24063186037c8a0c49c22cf39cafa6936bcc94";
    const TAG: &str = "0x4f2984d90dd2d2e60806827faa925b77";
    const SEALED: &str = "4798dc63504a58fb3b7a1545244e45a13a18c82d627e4b94edd7c735df744abb";

    const PINNED: &str = "f2e60b4e7987529a0321af4849271e16e83b36c84aa11f15ab38dafcfabfe76c";

    #[test]
    fn a_later_version_is_told_apart_from_damage() {
        let text = KeyFile::plain(&secret()).to_text().unwrap();
        let text = std::str::from_utf8(&text)
            .unwrap()
            .replace("\"version\": 1", "\"version\": 2");
        let error = KeyFile::from_text(text.as_bytes()).err().unwrap();
        assert!(
            matches!(
                error,
                Corruption::Version {
                    expected: 1,
                    got: 2
                }
            ),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_is_formatted_in_another_way_is_refused() {
        let text = KeyFile::plain(&secret()).to_text().unwrap();
        let text = std::str::from_utf8(&text).unwrap().replace('\n', "\r\n");
        let error = KeyFile::from_text(text.as_bytes()).err().unwrap();
        assert!(matches!(error, Corruption::NotCanonical), "{error}");
    }
}
