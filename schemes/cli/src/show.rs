//! `duet-schemes show`: what files contain.

use crate::{
    failure::Failure, files, forgeable, keys::public_file, mklhs, output::Output, searchable,
    sequential, statistics,
};
use duet_armour::{Object, Reader};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

pub(crate) fn run(files: &[PathBuf], output: &Output) -> Result<(), Failure> {
    for path in files {
        show(&public_file(path), output)?;
    }
    Ok(())
}

fn show(path: &Path, output: &Output) -> Result<(), Failure> {
    // It may be a secret.
    let text = zeroize::Zeroizing::new(files::read(path)?);
    let mut is_empty = true;
    for object in Reader::new(&text) {
        is_empty = false;
        let object = object.map_err(|error| Failure::from(error).in_file(path))?;
        let described = describe(&object).map_err(|failure| {
            failure.map(|why| format!("{} line {}: {why}", path.display(), object.line()))
        });
        let (content, said) = described?;
        let (kind, fingerprint) = (object.kind(), hex::encode(object.fingerprint()));
        let value = json!({
            "file": path,
            "type": kind.name(),
            "version": kind.version(),
            "fingerprint": fingerprint,
            "warning": kind.warning(),
            "content": content,
        });
        let warning = kind.warning();
        let warning = warning.map(|warning| format!("\n  WARNING: {warning}"));
        output.result(
            &value,
            format_args!(
                "{} version {}\n  fingerprint {fingerprint}\n  {}{}",
                kind.name(),
                kind.version(),
                said,
                warning.unwrap_or_default()
            ),
        )?;
    }
    if is_empty {
        return Err(Failure::input("there are no objects").in_file(path));
    }
    Ok(())
}

/// The content of an object, as JSON and as text.
fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let scheme = object.kind().name().split(' ').next();
    match scheme {
        Some("MKLHS") => mklhs::describe(object),
        Some("STATISTICS") => statistics::describe(object),
        Some("SEQUENTIAL" | "VOUCHED") => sequential::describe(object),
        Some("SEARCHABLE") => searchable::describe(object),
        _ => forgeable::describe(object),
    }
}
