//! Reading and writing the objects of `duet-schemes mklhs`, and the texts of labels.

use crate::{failure::Failure, files, keys::public_file, object, output::Output};
use duet_armour::{
    encode,
    kinds::{MKLHS_COMBINED, MKLHS_EQUIVOCATION, MKLHS_PROGRAM, MKLHS_PUBLIC_KEY},
    Object, Reader,
};
use duet_mklhs::{
    suite::{G2_LEN, ID_LEN},
    Combined, EquivocationProof, Label, Program, SignerId, Signers, SigningKey,
};
use serde_json::{json, Value};
use std::path::Path;

/// Prefix of a text that encodes bytes in hex.
const HEX: &str = "hex:";

/// The bytes that the text of a label field encodes.
pub(crate) fn bytes_of_text(text: &str) -> Result<Vec<u8>, Failure> {
    match text.strip_prefix(HEX) {
        Some(digits) => {
            hex::decode(digits).map_err(|error| Failure::input(format!("{text:?}: {error}")))
        }
        None => Ok(text.as_bytes().to_vec()),
    }
}

fn text_of_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.starts_with(HEX) => text.to_owned(),
        _ => [HEX, &hex::encode(bytes)].concat(),
    }
}

/// The fields of a label, as text.
pub(super) fn describe_label(label: &Label) -> Value {
    json!({
        "context": text_of_bytes(label.context()),
        "signer": label.signer().to_string(),
        "dataset": text_of_bytes(label.dataset()),
        "tag": text_of_bytes(label.tag()),
    })
}

pub(crate) fn signer_id(text: &str) -> Result<SignerId, Failure> {
    let mut bytes = [0; ID_LEN];
    hex::decode_to_slice(text, &mut bytes)
        .map_err(|error| Failure::input(format!("{text:?} is not an identity: {error}")))?;
    Ok(SignerId::from_bytes(bytes))
}

/// The content of a public key: the key, and its proof of possession.
pub(super) fn public_content(key: &SigningKey) -> Vec<u8> {
    [
        &key.public().to_bytes()[..],
        &key.prove_possession().to_bytes(),
    ]
    .concat()
}

/// Checks a public key and its proof of possession, and registers it.
fn register(object: &Object, signers: &mut Signers) -> Result<SignerId, Failure> {
    let register = |bytes: &[u8]| {
        let (key, possession) = bytes.split_at(bytes.len().min(G2_LEN));
        let id = signers.register_bytes(key, possession);
        id.map_err(|error| {
            let named = SignerId::from_bytes(*object.fingerprint());
            Failure::refused(format!("signer {named}: {error}"))
        })
    };
    object.key(register, |id| *id.as_bytes())
}

/// Checks a public key and its proof of possession alone.
pub(super) fn check_public(object: &Object) -> Result<(), Failure> {
    register(object, &mut Signers::new()).map(drop)
}

/// A file of signers: public keys, and proofs that revoke some of them.
#[derive(Default)]
pub(crate) struct SignersFile {
    text: Vec<u8>,
    keys: Vec<Object>,
    revocations: Vec<Object>,
}

impl SignersFile {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        Self::parse(files::read(path)?).map_err(|failure| failure.in_file(path))
    }

    fn parse(text: Vec<u8>) -> Result<Self, Failure> {
        let (mut keys, mut revocations) = (Vec::new(), Vec::new());
        for object in Reader::new(&text) {
            let object = object?;
            if *object.kind() == MKLHS_PUBLIC_KEY {
                keys.push(object);
            } else if *object.kind() == MKLHS_EQUIVOCATION {
                revocations.push(object);
            } else {
                let (line, got) = (object.line(), object.kind().name());
                return Err(Failure::input(format!(
                    "line {line}: expected public keys and equivocation proofs, got {got}"
                )));
            }
        }
        Ok(Self {
            text,
            keys,
            revocations,
        })
    }

    /// Checks every proof in the file whenever it is read: files are not trusted.
    pub(crate) fn check(&self, output: &Output) -> Result<Signers, Failure> {
        let mut signers = Signers::new();
        let total = u64::try_from(self.keys.len()).unwrap_or(u64::MAX);
        let bar = output.progress(total, "keys");
        for key in &self.keys {
            register(key, &mut signers)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        for proof in &self.revocations {
            signers
                .revoke(&equivocation(proof)?)
                .map_err(|error| Failure::refused(format!("revocation: {error}")))?;
        }
        Ok(signers)
    }

    /// Adds a key that is checked and registered, unless it is there already.
    pub(super) fn add(&mut self, path: &Path, signers: &mut Signers) -> Result<SignerId, Failure> {
        let path = public_file(path);
        let object = duet_armour::read_one(&MKLHS_PUBLIC_KEY, &files::read(&path)?)
            .map_err(|error| Failure::from(error).in_file(&path))?;
        let id = register(&object, signers).map_err(|failure| failure.in_file(&path))?;
        let is_known = |known: &Object| known.fingerprint() == object.fingerprint();
        if !self.keys.iter().any(is_known) {
            self.append(&object.text());
            self.keys.push(object);
        }
        Ok(id)
    }

    /// Adds the revocation that a proof is.
    pub(super) fn revoke(&mut self, proof: &EquivocationProof) {
        let content = proof.to_bytes();
        let digest = MKLHS_EQUIVOCATION.digest(&content);
        if !self
            .revocations
            .iter()
            .any(|it| *it.fingerprint() == digest)
        {
            self.append(&encode(&MKLHS_EQUIVOCATION, &digest, &content));
        }
    }

    fn append(&mut self, object: &str) {
        if self.text.last().is_some_and(|last| *last != b'\n') {
            self.text.push(b'\n');
        }
        self.text.extend(object.as_bytes());
    }

    /// The text of the file.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }
}

pub(crate) fn read_program(path: &Path) -> Result<Program, Failure> {
    object::read_one(path, &MKLHS_PROGRAM, object::input(Program::from_bytes))
}

/// A combined signature, and the digest of the program that it claims.
pub(super) struct CombinedFile {
    pub(super) digest: [u8; 32],
    pub(super) combined: Combined,
}

impl CombinedFile {
    pub(super) fn write(
        path: &Path,
        program: &Program,
        combined: &Combined,
        output: &Output,
    ) -> Result<(), Failure> {
        let content = [&program.digest()[..], &combined.to_bytes()].concat();
        object::write(path, &MKLHS_COMBINED, &content, output)
    }

    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        object::read_one(path, &MKLHS_COMBINED, Self::from_bytes)
    }

    pub(super) fn from_bytes(content: &[u8]) -> Result<Self, Failure> {
        let (digest, combined) = content
            .split_first_chunk()
            .ok_or_else(|| Failure::input("too short for a combined signature"))?;
        Ok(Self {
            digest: *digest,
            combined: Combined::from_bytes(combined).map_err(Failure::refused)?,
        })
    }

    /// The signature, if the file states that it is for the program with this digest.
    pub(super) fn of_program(&self, digest: &[u8; 32]) -> Result<&Combined, Failure> {
        if self.digest == *digest {
            return Ok(&self.combined);
        }
        let (of, digest) = (hex::encode(self.digest), hex::encode(digest));
        Err(Failure::refused(format!(
            "the signature is for the program {of}, not for {digest}"
        )))
    }
}

pub(super) fn read_equivocation(path: &Path) -> Result<EquivocationProof, Failure> {
    object::read_one(
        path,
        &MKLHS_EQUIVOCATION,
        object::refused(EquivocationProof::from_bytes),
    )
}

pub(super) fn equivocation(object: &Object) -> Result<EquivocationProof, Failure> {
    EquivocationProof::from_bytes(object.content()?).map_err(Failure::input)
}
