//! Bills of materials: the packages of a lock file, in CycloneDX format.

use super::{
    files,
    packages::{Lock, Package},
    release::Release,
};
use crate::result::Result;
use serde_json::{json, Value};
use std::{collections::BTreeMap, path::Path};

const REPOSITORY: &str = "https://github.com/duet-finality/duet";

/// Writes the bill of a lock file as `SUBJECT-VERSION.cdx.json`.
pub(crate) fn write(release: &Release, lock: &Lock, to: &Path) -> Result {
    let name = format!("{}-{}.cdx.json", lock.subject, release.version);
    let mut text = serde_json::to_string_pretty(&bill(release, lock)?)?;
    text.push('\n');
    files::write(&to.join(name), text)
}

fn bill(release: &Release, lock: &Lock) -> Result<Value> {
    let components = lock
        .packages
        .iter()
        .map(|package| component(release, lock, package));
    let subject = json!({
        "type": "application",
        "bom-ref": lock.subject,
        "name": lock.subject,
        "version": release.version,
        "externalReferences": [{ "type": "vcs", "url": REPOSITORY, "comment": format!("commit {}, {}", release.commit, lock.path) }],
    });
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "timestamp": release.date("+%Y-%m-%dT%H:%M:%SZ")?, "component": subject },
        "components": components.collect::<Vec<_>>(),
        "dependencies": dependencies(release, lock)?,
    }))
}

fn component(release: &Release, lock: &Lock, package: &Package) -> Value {
    let url = url(release, lock, package);
    let mut component = json!({
        "type": "library",
        "bom-ref": url,
        "name": package.locked.name,
        "version": package.locked.version,
        "purl": url,
        "scope": if package.is_released { "required" } else { "excluded" },
        "licenses": [licence(package)],
    });
    if let Some(sum) = &package.locked.sum {
        component["hashes"] = json!([{ "alg": sum.algorithm, "content": sum.digits }]);
    }
    component
}

fn licence(package: &Package) -> Value {
    match &package.licence {
        Some(expression) => json!({ "expression": expression }),
        None => json!({ "license": { "name": "not named, see the files of the package" } }),
    }
}

/// A package URL. Our own packages are not on a registry, so their URL names the repository.
fn url(release: &Release, lock: &Lock, package: &Package) -> String {
    let name = package.locked.name.replace('@', "%40");
    let url = format!(
        "pkg:{}/{name}@{}",
        lock.kind,
        package.locked.version.replace('+', "%2B")
    );
    match package.locked.sum {
        Some(_) => url,
        None => format!("{url}?vcs_url=git%2B{REPOSITORY}%40{}", release.commit),
    }
}

/// The dependency graph, by package URLs. npm's lock files express it by folders, so theirs is left out.
fn dependencies(release: &Release, lock: &Lock) -> Result<Vec<Value>> {
    if lock.kind != "cargo" {
        return Ok(Vec::new());
    }
    let mut known = BTreeMap::new();
    for package in &lock.packages {
        let (name, version) = (&package.locked.name, &package.locked.version);
        let url = url(release, lock, package);
        // The name alone identifies a package if it is the only one of that name.
        known.insert(name.clone(), url.clone());
        known.insert(format!("{name} {version}"), url);
    }
    let mut all = Vec::new();
    for package in &lock.packages {
        let used = package.locked.uses.iter().map(|used| {
            let found = known.get(used);
            found.ok_or_else(|| format!("{} has no package {used}", lock.path))
        });
        let used = used.collect::<std::result::Result<Vec<_>, _>>()?;
        all.push(json!({ "ref": url(release, lock, package), "dependsOn": used }));
    }
    let ours = lock
        .packages
        .iter()
        .filter(|package| package.locked.sum.is_none());
    let ours = ours.filter(|package| package.is_released);
    let ours: Vec<_> = ours.map(|package| url(release, lock, package)).collect();
    all.push(json!({ "ref": lock.subject, "dependsOn": ours }));
    Ok(all)
}
