//! Finds the readings of a metric in an hour, and adds them up.

use crate::{
    args::Sum,
    failure::{BadTrapdoor, Failure},
    store::ciphertexts,
};
use duet_armour::{
    encode,
    kinds::{SEARCHABLE_CIPHERTEXTS, SEARCHABLE_TRAPDOOR},
    read_one,
};
use duet_searchable::{without_duplicates, Form, HomomorphicKey, Keyword, Term};
use duet_telemetry::{Group, Hour};
use rand_core::OsRng;
use std::{
    fs::{self, OpenOptions},
    io::Write,
};

/// Writes the sum; returns a description of the added readings.
pub(crate) fn sum(args: &Sum) -> Result<String, Failure> {
    let [chain, metric, hour] = args.telemetry.as_slice() else {
        return Err(Failure::Argument(
            "expected a chain, a metric and an hour".into(),
        ));
    };
    let hour: u64 = hour
        .parse()
        .map_err(|error| Failure::Argument(format!("--telemetry: hour {hour}: {error}")))?;
    let hour = Hour(hour);
    let group = Group::read(&args.public, chain.clone())?;
    let key = trapdoor(args, &group, &group.keyword(metric, hour)?)?;

    // A reading of the end of an hour comes in the next one.
    let mut came = ciphertexts(&args.folder, hour)?;
    came.extend(ciphertexts(&args.folder, hour.next())?);
    let came = without_duplicates(came);
    let found: Vec<_> = key.test_all(&came, &()).into_iter().flatten().collect();
    if found.is_empty() {
        let metric = metric.clone();
        return Err(Failure::Nothing {
            metric,
            hour: hour.0,
        });
    }
    let terms: Vec<_> = found.iter().map(|one| Term::tested(1, one)).collect();
    let sum = key.evaluate(&terms, 0, &mut OsRng)?;

    let content = sum.ciphertext().to_wire(Form::Compressed);
    let digest = SEARCHABLE_CIPHERTEXTS.digest(&content);
    let text = encode(&SEARCHABLE_CIPHERTEXTS, &digest, &content);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&args.output)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(Failure::file(&args.output))?;
    Ok(format!(
        "{} readings of {metric} in hour {hour}, added up in {}",
        found.len(),
        args.output.display()
    ))
}

fn trapdoor(args: &Sum, group: &Group, keyword: &Keyword) -> Result<HomomorphicKey, Failure> {
    let path = &args.trapdoor;
    let text = fs::read(path).map_err(Failure::file(path))?;
    let read = || -> Result<_, BadTrapdoor> {
        let object = read_one(&SEARCHABLE_TRAPDOOR, &text)?;
        Ok(HomomorphicKey::from_bytes(
            group.public(),
            keyword,
            object.content()?,
        )?)
    };
    read().map_err(|error| Failure::Trapdoor {
        path: path.clone(),
        error,
    })
}
