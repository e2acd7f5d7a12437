//! The file formats.

use crate::{failure::Failure, files, output::Output};
use duet_mklhs::{
    Bounds, Combined, EquivocationProof, Label, Program, Scalar, SignerId, Signers, SigningKey,
};
use serde::{de::DeserializeOwned, Deserialize, Serialize};
use std::path::Path;

/// Prefix of a text that encodes bytes in hex.
const HEX: &str = "hex:";

/// Escapes all characters that are not visible as themselves.
pub(super) fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    shown
}

/// The bytes that the text of a label field encodes.
pub(super) fn bytes_of_text(text: &str) -> Result<Vec<u8>, Failure> {
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

pub(super) fn signer_id(text: &str) -> Result<SignerId, Failure> {
    let mut bytes = [0; duet_mklhs::suite::ID_LEN];
    hex::decode_to_slice(text, &mut bytes)
        .map_err(|error| Failure::input(format!("{text:?} is not an identity: {error}")))?;
    Ok(SignerId::from_bytes(bytes))
}

pub(super) fn unhex(what: &str, text: &str) -> Result<Vec<u8>, Failure> {
    hex::decode(text).map_err(|error| Failure::input(format!("{what}: {error}")))
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let bytes = files::read(path)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

pub(super) fn pretty(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut text = serde_json::to_vec_pretty(value).map_err(Failure::input)?;
    text.push(b'\n');
    Ok(text)
}

pub(super) fn line(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string(value).map_err(Failure::input)? + "\n")
}

/// A public key with its proof of possession.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublicFile {
    id: String,
    public_key: String,
    possession: String,
}

impl PublicFile {
    pub(super) fn of(key: &SigningKey) -> Self {
        Self {
            id: key.id().to_string(),
            public_key: hex::encode(key.public().to_bytes()),
            possession: hex::encode(key.prove_possession().to_bytes()),
        }
    }

    pub(super) fn register(&self, signers: &mut Signers) -> Result<SignerId, Failure> {
        let named = signer_id(&self.id)?;
        let key = unhex("public_key", &self.public_key)?;
        let possession = unhex("possession", &self.possession)?;
        let id = signers
            .register_bytes(&key, &possession)
            .map_err(|error| Failure::refused(format!("signer {named}: {error}")))?;
        if id == named {
            Ok(id)
        } else {
            Err(Failure::refused(format!("the key named {named} is {id}")))
        }
    }
}

/// Registered keys and revocations.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignersFile {
    signers: Vec<PublicFile>,
    #[serde(default)]
    revoked: Vec<String>,
}

impl SignersFile {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        read_json(path)
    }

    /// Checks every proof in the file whenever it is read: files are not trusted.
    pub(super) fn check(&self, output: &Output) -> Result<Signers, Failure> {
        let mut signers = Signers::new();
        let total = u64::try_from(self.signers.len()).unwrap_or(u64::MAX);
        let bar = output.progress(total, "keys");
        for signer in &self.signers {
            signer.register(&mut signers)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        for proof in &self.revoked {
            signers
                .revoke(&decode_proof(proof)?)
                .map_err(|error| Failure::refused(format!("revocation: {error}")))?;
        }
        Ok(signers)
    }

    pub(super) fn add(&mut self, public: PublicFile) {
        if !self.signers.contains(&public) {
            self.signers.push(public);
        }
    }

    pub(super) fn revoke(&mut self, proof: String) {
        if !self.revoked.contains(&proof) {
            self.revoked.push(proof);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.signers.len()
    }
}

/// A label, with its fields as text.
#[derive(Serialize, Deserialize)]
pub(super) struct LabelText {
    context: String,
    signer: String,
    dataset: String,
    tag: String,
}

impl LabelText {
    pub(super) fn of(label: &Label) -> Self {
        Self {
            context: text_of_bytes(label.context()),
            signer: label.signer().to_string(),
            dataset: text_of_bytes(label.dataset()),
            tag: text_of_bytes(label.tag()),
        }
    }

    pub(super) fn label(&self) -> Result<Label, Failure> {
        let [context, dataset, tag] =
            [&self.context, &self.dataset, &self.tag].map(|text| bytes_of_text(text));
        let signer = signer_id(&self.signer)?;
        Label::new(&context?, signer, &dataset?, &tag?).map_err(Failure::input)
    }
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BoundsText {
    Integers,
    Residues,
}

/// A number, in JSON as a number or as text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Small(i64),
    Text(String),
}

#[derive(Serialize, Deserialize)]
struct InputText {
    coefficient: Number,
    #[serde(flatten)]
    label: LabelText,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFile {
    bounds: BoundsText,
    inputs: Vec<InputText>,
}

impl ProgramFile {
    pub(super) fn of(program: &Program) -> Self {
        let inputs = program.coefficients().iter().zip(program.labels());
        Self {
            bounds: match program.bounds() {
                Bounds::Integers => BoundsText::Integers,
                Bounds::Residues => BoundsText::Residues,
            },
            inputs: inputs
                .map(|(coefficient, label)| InputText {
                    coefficient: Number::Text(coefficient.to_string()),
                    label: LabelText::of(label),
                })
                .collect(),
        }
    }
}

pub(super) fn read_program(path: &Path) -> Result<Program, Failure> {
    let file: ProgramFile = read_json(path)?;
    let bounds = match file.bounds {
        BoundsText::Integers => Bounds::Integers,
        BoundsText::Residues => Bounds::Residues,
    };
    let mut coefficients = Vec::new();
    let mut labels = Vec::new();
    for input in &file.inputs {
        coefficients.push(match &input.coefficient {
            Number::Small(number) => Scalar::from(*number),
            Number::Text(text) => text
                .parse()
                .map_err(|error| Failure::input(format!("{text:?}: {error}")))?,
        });
        labels.push(input.label.label()?);
    }
    Program::new(bounds, coefficients, labels)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CombinedFile {
    digest: String,
    pub(super) total: String,
    signature: String,
}

impl CombinedFile {
    pub(super) fn of(program: &Program, combined: &Combined) -> Self {
        Self {
            digest: hex::encode(program.digest()),
            total: combined.total().to_string(),
            signature: hex::encode(combined.to_bytes()),
        }
    }

    /// The signature, if the file states that it is for the program with this digest.
    pub(super) fn combined(&self, digest: &str) -> Result<Combined, Failure> {
        if self.digest != digest {
            let of = &self.digest;
            return Err(Failure::refused(format!(
                "the signature is for the program {of:?}, not for {digest}"
            )));
        }
        let bytes = unhex("signature", &self.signature)?;
        Combined::from_bytes(&bytes).map_err(Failure::refused)
    }

    pub(super) fn total(&self) -> Result<Scalar, Failure> {
        let total = &self.total;
        let parsed = total.parse();
        parsed.map_err(|error| Failure::input(format!("{total:?}: {error}")))
    }
}

/// A proof, and the text that it was decoded from.
pub(super) fn read_proof(path: &Path) -> Result<(EquivocationProof, String), Failure> {
    let text = String::from_utf8(files::read(path)?)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let text = text.trim().to_ascii_lowercase();
    Ok((decode_proof(&text)?, text))
}

fn decode_proof(text: &str) -> Result<EquivocationProof, Failure> {
    let bytes = unhex("proof", text)?;
    EquivocationProof::from_bytes(&bytes)
        .map_err(|error| Failure::refused(format!("proof: {error}")))
}
