//! Keys, and signing with them.

use super::{args::LabelArgs, formats};
use crate::{
    failure::{Failure, Kind},
    files,
    keys::{check_new, file_failure, KeyArg, NewKey, RegisterArgs},
    object,
    output::Output,
};
use duet_armour::{
    encode,
    kinds::{MKLHS_PUBLIC_KEY, MKLHS_RECORD, MKLHS_SECRET_KEY},
    Object,
};
use duet_mklhs::{
    suite::SCALAR_LEN, Bounds, FileFault, Label, LabelRegister, Message, Record, RegisterError,
    RegisterFiles, Scalar, Signature, SigningKey,
};
use rand_core::OsRng;
use serde_json::json;
use std::path::Path;

/// The secret key of an object.
pub(super) fn decode_secret(object: &Object) -> Result<SigningKey, Failure> {
    let decode = |bytes: &[u8]| {
        let bytes: &[u8; SCALAR_LEN] = bytes
            .try_into()
            .map_err(|_| Failure::input(format!("a secret key has {SCALAR_LEN} bytes")))?;
        SigningKey::from_bytes(bytes).map_err(Failure::input)
    };
    object.key(decode, |key| *key.id().as_bytes())
}

/// Makes a key in a new folder, with its register.
pub(super) fn keygen(
    folder: &Path,
    register: &RegisterArgs,
    output: &Output,
) -> Result<(), Failure> {
    check_new(folder, Some(register))?;
    let key = SigningKey::random(&mut OsRng).map_err(Failure::input)?;
    let new = NewKey {
        folder,
        fingerprint: *key.id().as_bytes(),
        secret: (&MKLHS_SECRET_KEY, &*key.expose()),
        public: (&MKLHS_PUBLIC_KEY, &formats::public_content(&key)),
    };
    let files = register.paths(folder);
    new.write(|together| {
        LabelRegister::create(&files, key.id()).map_err(register_failure)?;
        together.made(&files.journal);
        together.made(&files.anchor);
        Ok(())
    })?;
    let id = key.id().to_string();
    output.result(
        &json!({ "fingerprint": id, "folder": folder }),
        format_args!("key {id} in {}", folder.display()),
    )
}

pub(crate) fn register_failure(error: RegisterError) -> Failure {
    match &error {
        RegisterError::File(error) => file_failure(error),
        RegisterError::Sign { .. } => Failure::input(error),
        _ => Failure::new(Kind::Register, error),
    }
}

fn is_in_use(error: &RegisterError) -> bool {
    matches!(error, RegisterError::File(file) if matches!(file.fault, FileFault::InUse))
}

/// A key, and where its register is.
pub(crate) struct Signer {
    pub(crate) key: SigningKey,
    register: RegisterFiles,
}

impl Signer {
    pub(crate) fn open(key: &KeyArg, register: &RegisterArgs) -> Result<Self, Failure> {
        let path = key.secret();
        let object = object::read_secret(&path, &MKLHS_SECRET_KEY, SCALAR_LEN)?;
        Ok(Self {
            key: decode_secret(&object).map_err(|failure| failure.in_file(&path))?,
            register: register.paths(&key.key),
        })
    }

    /// Opens the register, and waits for a process that uses it.
    pub(crate) fn register(&self, output: &Output) -> Result<LabelRegister, Failure> {
        output
            .when_free(
                || LabelRegister::open(&self.register, self.key.id()),
                is_in_use,
            )
            .map_err(register_failure)
    }

    /// Signs numbers, each under its label, and checks before that the records can be written.
    pub(super) fn sign(
        &self,
        label: &LabelArgs,
        bounds: Bounds,
        numbers: &[(String, Scalar)],
        to: &Path,
        output: &Output,
    ) -> Result<Vec<(Label, Signature)>, Failure> {
        let mut asked = Vec::new();
        for (tag, number) in numbers {
            let message = Message::new(bounds, *number)
                .map_err(|error| Failure::input(format!("{tag:?}={number}: {error}")))?;
            asked.push((label.label(self.key.id(), tag)?, message));
        }
        files::check_outputs(&[to], output.existing())?;
        let messages: Vec<_> = asked.iter().map(|(label, it)| (label, *it)).collect();
        let register = self.register(output)?;
        let signatures = register.sign_all(&self.key, &messages).map_err(|error| {
            let asked = error.request().and_then(|index| numbers.get(index));
            let failure = register_failure(error);
            match asked {
                Some((tag, number)) => failure.map(|why| format!("{tag:?}={number}: {why}")),
                None => failure,
            }
        })?;
        let labels = asked.into_iter().map(|(label, _)| label);
        Ok(labels.zip(signatures).collect())
    }
}

/// Writes records, and says how many numbers were signed.
pub(crate) fn write_records(
    records: &[(Label, Signature)],
    to: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let mut text = String::new();
    for (label, signature) in records {
        let label = label.clone();
        let signature = *signature;
        let content = Record { label, signature }.to_bytes();
        text.push_str(&encode(
            &MKLHS_RECORD,
            &MKLHS_RECORD.digest(&content),
            &content,
        ));
    }
    files::write(to, text.as_bytes(), output.existing())?;
    let count = records.len();
    output.made(
        &[to],
        &json!({ "signed": count, "records": to }),
        format_args!("{count} numbers signed"),
    )
}
