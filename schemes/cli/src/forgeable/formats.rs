//! Reading and writing objects and arguments.

use crate::{
    failure::{Failure, Kind},
    files,
    keys::{file_failure, public_file},
    object,
    output::Output,
};
use duet_armour::{
    encode,
    kinds::{RESEARCH_PUBLIC_KEY, RESEARCH_SIGNATURE},
    Object,
};
use duet_polynomial::research::{
    register::{RegisterError, RegisterFiles},
    PublicKey, Signature, Tag,
};
use num_bigint::BigInt;
use std::path::Path;

/// The warning in every result.
pub(super) const WARNING: &str =
    "For research only, and forgeable: anybody who holds the public key can forge this";

pub(super) fn register_failure(files: &RegisterFiles, error: &RegisterError) -> Failure {
    match error {
        // The error names the file itself.
        RegisterError::File(error) => file_failure(error),
        _ => Failure::new(Kind::Register, error).in_file(&files.journal),
    }
}

fn fingerprint(key: &PublicKey) -> duet_armour::Fingerprint {
    *key.fingerprint().as_bytes()
}

/// The public key of an object.
pub(super) fn public(armoured: &Object) -> Result<PublicKey, Failure> {
    armoured.key(object::input(PublicKey::from_bytes), fingerprint)
}

pub(super) fn read_public(path: &Path) -> Result<PublicKey, Failure> {
    let (path, decode) = (public_file(path), object::input(PublicKey::from_bytes));
    object::read_public(&path, &RESEARCH_PUBLIC_KEY, decode, fingerprint)
}

pub(super) fn read_tag(text: &str) -> Result<Tag, Failure> {
    Tag::new(text).map_err(|_| Failure::input(format!("a tag has at most {} bytes", Tag::MAX)))
}

/// Parses a decimal integer: an optional minus sign and digits. The parser of the big integers also accepts `1_000` and
/// `+1`.
pub(super) fn integer(text: &str) -> Result<BigInt, &'static str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not an integer");
    }
    text.parse().map_err(|_| "not an integer")
}

pub(super) fn read_values(path: &Path) -> Result<Vec<BigInt>, Failure> {
    let text = files::read_text(path)?;
    let bad = |why: String| Failure::input(why).in_file(path);
    let values = text
        .split_whitespace()
        .enumerate()
        .map(|(i, word)| integer(word).map_err(|_| bad(format!("value {i} is not an integer"))));
    let values: Vec<_> = values.collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err(bad("no values".to_owned()));
    }
    Ok(values)
}

pub(super) fn read_signatures(path: &Path, public: &PublicKey) -> Result<Vec<Signature>, Failure> {
    let bad = |why: String| Failure::input(why).in_file(path);
    let contents = object::read_contents(path, &RESEARCH_SIGNATURE)?;
    if contents.is_empty() {
        return Err(bad("no signatures".to_owned()));
    }
    let decode = |(i, content): (usize, &zeroize::Zeroizing<Vec<u8>>)| {
        Signature::from_bytes(public.dimension(), content)
            .map_err(|error| bad(format!("signature {i}: {error}")))
    };
    contents.iter().enumerate().map(decode).collect()
}

pub(super) fn read_signature(path: &Path, public: &PublicKey) -> Result<Signature, Failure> {
    let mut signatures = read_signatures(path, public)?;
    match (signatures.pop(), signatures.is_empty()) {
        (Some(signature), true) => Ok(signature),
        _ => Err(Failure::input("expected exactly one signature").in_file(path)),
    }
}

pub(super) fn write_signatures(
    path: &Path,
    signatures: &[Signature],
    output: &Output,
) -> Result<(), Failure> {
    let mut text = String::new();
    for signature in signatures {
        let content = signature.to_bytes();
        let digest = RESEARCH_SIGNATURE.digest(&content);
        text.push_str(&encode(&RESEARCH_SIGNATURE, &digest, &content));
    }
    files::write(path, text.as_bytes(), output.existing())
}
