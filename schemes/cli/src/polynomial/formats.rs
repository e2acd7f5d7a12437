//! The file formats. Files of signatures are text: a comment with the warning, and then one signature per line, in
//! hexadecimal.

use crate::{failure::Failure, files, output::Output};
use duet_polynomial::research::{
    register::{RegisterError, RegisterFiles},
    PublicKey, Signature, Tag,
};
use num_bigint::BigInt;
use std::path::Path;

/// The warning in every output of `duet-schemes polynomial`.
pub(super) const WARNING: &str = "Experimental: anybody who holds the public key can forge this";

pub(super) fn bad_file(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("{}: {error}", path.display()))
}

pub(super) fn register_failure(files: &RegisterFiles, error: &RegisterError) -> Failure {
    let path = match error {
        // The error names the file itself.
        RegisterError::Io { .. } => return Failure::input(error),
        RegisterError::DamagedAnchor => &files.anchor,
        _ => &files.journal,
    };
    let text = format!("{}: {error}", path.display());
    match error {
        RegisterError::LabelAlreadyUsed { .. } | RegisterError::RolledBack { .. } => {
            Failure::refused(text)
        }
        _ => Failure::input(text),
    }
}

pub(super) fn read_public(path: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_bytes(&files::read(path)?).map_err(|error| bad_file(path, &error))
}

pub(super) fn read_tag(text: &str) -> Result<Tag, Failure> {
    Tag::new(text).map_err(|_| Failure::input(format!("a tag has at most {} bytes", Tag::MAX)))
}

pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(files::read(path)?).map_err(|_| bad_file(path, &"not text"))
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
    let text = read_text(path)?;
    let values = text.split_whitespace().enumerate().map(|(i, word)| {
        integer(word).map_err(|_| bad_file(path, &format!("value {i} is not an integer")))
    });
    let values: Vec<_> = values.collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err(bad_file(path, &"no values"));
    }
    Ok(values)
}

pub(super) fn read_signatures(path: &Path, public: &PublicKey) -> Result<Vec<Signature>, Failure> {
    let text = read_text(path)?;
    let read = |(i, line): (usize, &str)| {
        let bytes = hex::decode(line);
        let bytes = bytes.map_err(|e| bad_file(path, &format!("signature {i}: {e}")))?;
        Signature::from_bytes(public.dimension(), &bytes)
            .map_err(|e| bad_file(path, &format!("signature {i}: {e}")))
    };
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let signatures: Vec<_> = lines.enumerate().map(read).collect::<Result<_, _>>()?;
    if signatures.is_empty() {
        return Err(bad_file(path, &"no signatures"));
    }
    Ok(signatures)
}

pub(super) fn read_signature(path: &Path, public: &PublicKey) -> Result<Signature, Failure> {
    let mut signatures = read_signatures(path, public)?;
    match (signatures.pop(), signatures.is_empty()) {
        (Some(signature), true) => Ok(signature),
        _ => Err(bad_file(path, &"expected exactly one signature")),
    }
}

pub(super) fn write_signatures(
    path: &Path,
    signatures: &[Signature],
    output: &Output,
) -> Result<(), Failure> {
    let mut lines = format!("# {WARNING}\n");
    for signature in signatures {
        lines += &hex::encode(signature.to_bytes());
        lines.push('\n');
    }
    files::write(path, lines.as_bytes(), output.existing())
}
