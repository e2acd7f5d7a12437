//! The packages of our lock files: versions and sums from there, licences from the manifests, and the released ones.

use super::{executables, lock};
use crate::{
    cargo::{self, root},
    result::Result,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env::consts,
    fs,
    path::PathBuf,
};

/// A lock file, and all of its packages.
pub(crate) struct Lock {
    /// The subject of its bill of materials.
    pub(crate) subject: &'static str,
    /// Its path, from the repository's root.
    pub(crate) path: String,
    /// The kind of its packages, as package URLs name it.
    pub(crate) kind: &'static str,
    pub(crate) packages: Vec<Package>,
}

/// A package and its metadata.
pub(crate) struct Package {
    pub(crate) locked: lock::Locked,
    /// An SPDX expression, if the package declares one.
    pub(crate) licence: Option<String>,
    /// Whether a part of it is in the release, and not only in the tools that build or test it.
    pub(crate) is_released: bool,
    /// The folder of its files, if they are packed as sources.
    pub(crate) folder: Option<PathBuf>,
}

/// Name and version.
type Id = (String, String);
/// Licence and folder.
type Known = (Option<String>, Option<PathBuf>);

/// A workspace with released parts.
struct Released {
    subject: &'static str,
    folder: &'static str,
    what: &'static [&'static str],
    /// The target, if it differs from the executables'.
    target: Option<&'static str>,
}

const CARGO: [Released; 2] = [
    Released {
        subject: "duet",
        folder: "",
        what: &executables::PACKAGES,
        target: None,
    },
    Released {
        subject: "duet-light-wasm",
        folder: "light-client/wasm",
        what: &[
            "--package",
            "duet-light-wasm",
            "--package",
            "duet-calls-wasm",
            "--package",
            "duet-outcomes-wasm",
        ],
        target: Some("wasm32-unknown-unknown"),
    },
];
/// Packages that only build scripts use, but whose C code is linked.
const SOURCES: [&str; 1] = ["openssl-src"];
/// The folders with npm lock files, and the subjects of their bills.
const NPM: [(&str, &str); 2] = [
    ("duet-web", "verifiers/web"),
    ("duet-contracts", "verifiers/contracts"),
];

/// Reads all lock files of the release.
pub(crate) fn read() -> Result<Vec<Lock>> {
    let cargo = CARGO.iter().map(Released::read);
    cargo
        .chain(NPM.iter().map(|(subject, folder)| by_npm(subject, folder)))
        .collect()
}

impl Released {
    fn manifest(&self) -> String {
        root_of(self.folder, "Cargo.toml")
    }

    fn read(&self) -> Result<Lock> {
        let path = root_of(self.folder, "Cargo.lock");
        let known = self.known()?;
        let released = self.released()?;
        let mut packages = Vec::new();
        for locked in lock::of_cargo(&fs::read_to_string(root().join(&path))?)? {
            let id = (locked.name.clone(), locked.version.clone());
            let (licence, folder) = known.get(&id).cloned().unwrap_or_default();
            packages.push(Package {
                is_released: released.contains(&id) || SOURCES.contains(&id.0.as_str()),
                locked,
                licence,
                folder,
            });
        }
        Ok(Lock {
            subject: self.subject,
            path,
            kind: "cargo",
            packages,
        })
    }

    /// The licence and the folder of each package, by name and version.
    fn known(&self) -> Result<BTreeMap<Id, Known>> {
        let mut metadata = cargo::cargo(["metadata", "--locked", "--format-version=1"]);
        metadata.args(["--all-features", "--manifest-path", &self.manifest()]);
        let metadata: Value = serde_json::from_str(&cargo::output(&mut metadata)?)?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let known = packages.filter_map(|package| {
            let text = |key: &str| package[key].as_str().map(str::to_owned);
            let manifest = PathBuf::from(text("manifest_path")?);
            let folder = manifest.parent().map(PathBuf::from);
            // The notation from before SPDX had expressions.
            let licence = text("license").map(|licence| {
                let names: Vec<_> = licence.split('/').map(str::trim).collect();
                names.join(" OR ")
            });
            Some(((text("name")?, text("version")?), (licence, folder)))
        });
        Ok(known.collect())
    }

    /// Name and version of each package linked into the release.
    fn released(&self) -> Result<BTreeSet<Id>> {
        let target = match self.target {
            Some(target) => target.to_owned(),
            None => format!("{}-unknown-linux-gnu", consts::ARCH),
        };
        let mut tree = cargo::cargo(["tree", "--locked", "--prefix=none", "--format={p}"]);
        tree.args([
            "--edges=normal,no-proc-macro",
            "--manifest-path",
            &self.manifest(),
        ])
        .args(["--target", &target])
        .args(self.what);
        let tree = cargo::output(&mut tree)?;
        let named = tree.lines().filter_map(|line| {
            let (name, rest) = line.split_once(" v")?;
            let version = rest.split_whitespace().next()?;
            Some((name.to_owned(), version.to_owned()))
        });
        Ok(named.collect())
    }
}

fn by_npm(subject: &'static str, folder: &str) -> Result<Lock> {
    let path = root_of(folder, "package-lock.json");
    let packages = lock::of_npm(&fs::read_to_string(root().join(&path))?)?;
    let packages = packages.into_iter().map(|locked| Package {
        locked: locked.package,
        licence: locked.licence,
        is_released: !locked.is_for_development,
        folder: None,
    });
    Ok(Lock {
        subject,
        path,
        kind: "npm",
        packages: packages.collect(),
    })
}

fn root_of(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
