//! Checks a release: reproducible bytes, sums, bills of materials, and the packages, each installed in an empty place.

mod container;
mod image;
mod installed;
mod node;
mod rpc;
mod service;
mod system;

use super::{
    debian, executables::Executables, files, javascript, packages, place, release::Release, sums,
};
use crate::{
    cargo::{root, target_directory},
    result::Result,
};
use image::Image;
use serde_json::Value;
use std::{fs, path::Path};
use system::System;

/// Checks a release that was packed into two folders.
pub(crate) fn run(release: &Release, executables: &Executables, dists: [&Path; 2]) -> Result {
    let [dist, again] = dists;
    place::check()?;
    same_bytes(dist, again)?;
    sums::check(dist)?;
    for lock in packages::read()? {
        let name = format!("{}-{}.cdx.json", lock.subject, release.version);
        let bill = serde_json::from_str(&fs::read_to_string(dist.join(name))?)?;
        names_all(
            &bill,
            &fs::read_to_string(root().join(&lock.path))?,
            lock.kind,
        )?;
    }
    let place = std::path::absolute(target_directory().join("dist-test"))?;
    fs::create_dir_all(&place)?;
    javascript::try_out(dist, &place.join("npm"))?;

    let image = Image::parse(&fs::read_to_string(dist.join("Containerfile"))?)?;
    let stage = files::fresh(&place.join("newer"))?;
    let newer = debian::Package {
        release,
        executables,
        notices: "",
    };
    let newer = newer.build(&format!("{}+newer", release.version), &stage, &stage)?;
    let package = files::all(dist)?
        .into_iter()
        .find(|file| file.extension().is_some_and(|ending| ending == "deb"));
    let package = dist.join(package.ok_or("no Debian package was made")?);
    installed::check(
        &System::fresh(&image.suite, &place, "package")?,
        &package,
        &newer,
    )?;
    container::check(
        &System::fresh(&image.suite, &place, "container")?,
        &image,
        &package,
    )?;
    println!("xtask: the packages are reproducible, and they install, work and uninstall");
    Ok(())
}

fn same_bytes(first: &Path, second: &Path) -> Result {
    let names = files::all(first)?;
    if names != files::all(second)? {
        return Err("the two packings have different files".into());
    }
    let mut differ = Vec::new();
    for name in names {
        if fs::read(first.join(&name))? != fs::read(second.join(&name))? {
            differ.push(name.display().to_string());
        }
    }
    if !differ.is_empty() {
        return Err(format!("the two packings differ in: {}", differ.join(", ")).into());
    }
    Ok(())
}

/// Whether a bill names every package of a lock file with its version, licence and sum. This check reads the lock
/// file in another way than the writer of the bill.
fn names_all(bill: &Value, lock: &str, kind: &str) -> Result {
    let sums: Vec<_> = match kind {
        "cargo" => lock
            .lines()
            .filter(|line| line.starts_with("checksum = "))
            .collect(),
        _ => lock
            .lines()
            .filter(|line| line.trim().starts_with("\"integrity\": "))
            .collect(),
    };
    let components = bill["components"]
        .as_array()
        .ok_or("the bill of materials has no components")?;
    let mut known = 0;
    for component in components {
        let texts = ["name", "version", "purl", "bom-ref"].map(|key| component[key].as_str());
        let [Some(name), Some(version), Some(_), Some(_)] = texts else {
            return Err(format!("incomplete component in the bill: {component}").into());
        };
        let licence = &component["licenses"][0];
        if licence["expression"].is_null() && licence["license"]["name"].is_null() {
            return Err(format!("no licence for {name} {version}").into());
        }
        let Some(digits) = component["hashes"][0]["content"].as_str() else {
            continue;
        };
        if kind == "cargo" && !sums.iter().any(|line| line.contains(digits)) {
            return Err(format!("the checksum of {name} {version} is not in the lock file").into());
        }
        known += 1;
    }
    let mut expected = sums;
    expected.sort_unstable();
    expected.dedup();
    if known == expected.len() {
        Ok(())
    } else {
        Err(format!(
            "{known} packages with checksums in the bill, {} in the lock file",
            expected.len()
        )
        .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LOCK: &str = "checksum = \"12ab\"\n";

    fn bill() -> Value {
        json!({ "components": [{
            "name": "a", "version": "1.0.0", "purl": "pkg:cargo/a@1.0.0", "bom-ref": "pkg:cargo/a@1.0.0",
            "licenses": [{ "expression": "MIT" }], "hashes": [{ "alg": "SHA-256", "content": "12ab" }],
        }] })
    }

    fn refusal(bill: &Value, lock: &str) -> String {
        names_all(bill, lock, "cargo")
            .expect_err("refused")
            .to_string()
    }

    #[test]
    fn a_bill_that_names_all_passes() {
        names_all(&bill(), LOCK, "cargo").expect("complete");
    }

    #[test]
    fn a_package_that_the_bill_lacks_is_noticed() {
        let more = format!("{LOCK}checksum = \"34cd\"\n");
        assert_eq!(
            refusal(&bill(), &more),
            "1 packages with checksums in the bill, 2 in the lock file"
        );
    }

    #[test]
    fn a_licence_that_the_bill_lacks_is_noticed() {
        let mut bill = bill();
        bill["components"][0]["licenses"] = json!([]);
        assert_eq!(refusal(&bill, LOCK), "no licence for a 1.0.0");
    }

    #[test]
    fn another_sum_is_noticed() {
        let mut bill = bill();
        bill["components"][0]["hashes"][0]["content"] = json!("34cd");
        assert_eq!(
            refusal(&bill, LOCK),
            "the checksum of a 1.0.0 is not in the lock file"
        );
    }
}
