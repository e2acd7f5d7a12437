//! The dependencies between our crates, and the table of those that are allowed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
};

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::{error::Error, sources::Sources};

/// The heading of `docs/architecture.md` under which the table stands.
pub const HEADING: &str = "## The crates";

/// A crate of ours, and those of ours that it depends on. Crates are named by their folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crate {
    /// The package's name.
    pub package: String,
    /// Dependencies of the crate itself and of its build script.
    pub uses: BTreeSet<String>,
    /// Dependencies of its tests, examples and benches.
    pub tests_use: BTreeSet<String>,
    /// The root files of its library and its programs, relative to the repository.
    pub roots: BTreeSet<String>,
    /// Whether tests in their sources are run.
    pub runs_its_tests: bool,
}

/// All crates, by their folders.
pub type Crates = BTreeMap<String, Crate>;

/// What one row of the table allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The package's name.
    pub package: String,
    /// What the crate and its build script may depend on.
    pub uses: BTreeSet<String>,
    /// What its tests may depend on besides.
    pub tests_use: BTreeSet<String>,
}

/// The rows, by the crates' folders.
pub type Rows = BTreeMap<String, Row>;

/// How page and crates differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Finding {
    /// A crate that the page does not name.
    NoRow {
        /// The crate's folder.
        folder: String,
    },
    /// A row without a crate.
    NoCrate {
        /// The folder that the row names.
        folder: String,
    },
    /// A row that names another package.
    OtherPackage {
        /// The crate's folder.
        folder: String,
        /// The package there.
        package: String,
    },
    /// A dependency that the page does not allow.
    NotAllowed {
        /// The folder of the crate that depends.
        from: String,
        /// The folder of the crate that it depends on.
        to: String,
        /// Whether only its tests do.
        in_tests: bool,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRow { folder } => write!(f, "the page does not name the crate `{folder}`"),
            Self::NoCrate { folder } => {
                write!(f, "the page names `{folder}`, which is not a crate")
            }
            Self::OtherPackage { folder, package } => {
                write!(
                    f,
                    "the package in `{folder}` is `{package}`, but its row names another"
                )
            }
            Self::NotAllowed {
                from,
                to,
                in_tests: false,
            } => {
                write!(
                    f,
                    "`{from}` depends on `{to}`, which the page does not allow"
                )
            }
            Self::NotAllowed {
                from,
                to,
                in_tests: true,
            } => {
                write!(
                    f,
                    "the tests of `{from}` depend on `{to}`, which the page does not allow"
                )
            }
        }
    }
}

/// Reads every package below `root`, in whatever workspace it is.
///
/// # Errors
///
/// A manifest that cannot be read, or that cargo refuses.
pub fn read(root: &Path) -> Result<Crates, Error> {
    let manifests = Sources::read(root, &["toml"])?;
    let mut packages = BTreeMap::new();
    for (path, _) in manifests
        .iter()
        .filter(|(path, _)| path.ends_with("Cargo.toml"))
    {
        let manifest = root.join(path);
        if packages.contains_key(&manifest) {
            continue;
        }
        let metadata = MetadataCommand::new()
            .manifest_path(&manifest)
            .no_deps()
            .other_options(vec!["--offline".into(), "--locked".into()])
            .exec()
            .map_err(|source| Error::Metadata { manifest, source })?;
        for package in metadata.packages {
            packages.insert(package.manifest_path.clone().into_std_path_buf(), package);
        }
    }
    let folder_of = |path: &Path| {
        path.strip_prefix(root)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    let mut crates = Crates::new();
    for (manifest, package) in &packages {
        let folder = manifest.parent().map(folder_of).unwrap_or_default();
        let mut read = Crate {
            package: package.name.clone(),
            ..Crate::default()
        };
        for dependency in &package.dependencies {
            let Some(path) = &dependency.path else {
                continue;
            };
            let to = folder_of(path.as_std_path());
            // A crate may name itself, to test with more of its features.
            if to == folder {
                continue;
            }
            match dependency.kind {
                DependencyKind::Development => read.tests_use.insert(to),
                _ => read.uses.insert(to),
            };
        }
        for target in &package.targets {
            let built = ["lib", "rlib", "cdylib", "proc-macro", "bin"];
            if target
                .kind
                .iter()
                .any(|kind| built.contains(&kind.to_string().as_str()))
            {
                read.roots.insert(folder_of(target.src_path.as_std_path()));
                read.runs_its_tests |= target.test;
            }
        }
        crates.insert(folder, read);
    }
    Ok(crates)
}

/// Reads the table under [`HEADING`].
///
/// Its columns are the folder, the package, what the crate is for, what it may depend on, and what its tests may depend
/// on besides. Names of folders are in backticks; everything else in a cell is for readers.
///
/// # Errors
///
/// [`Error::NoTable`] if nothing is there.
pub fn rows(page: &str) -> Result<Rows, Error> {
    let (_, section) = page
        .split_once(HEADING)
        .ok_or(Error::NoTable { heading: HEADING })?;
    let table = section
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.starts_with("| `"));
    let mut rows = Rows::new();
    for line in table {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(quoted).collect();
        let cell = |column: usize| cells.get(column).cloned().unwrap_or_default();
        for folder in cell(0) {
            let package = cell(1).into_iter().next().unwrap_or_default();
            rows.insert(
                folder,
                Row {
                    package,
                    uses: cell(3),
                    tests_use: cell(4),
                },
            );
        }
    }
    if rows.is_empty() {
        return Err(Error::NoTable { heading: HEADING });
    }
    Ok(rows)
}

/// Compares the crates that are there with those that the page allows.
#[must_use]
pub fn check(crates: &Crates, rows: &Rows) -> BTreeSet<Finding> {
    let mut findings = BTreeSet::new();
    for folder in rows.keys().filter(|folder| !crates.contains_key(*folder)) {
        findings.insert(Finding::NoCrate {
            folder: folder.clone(),
        });
    }
    for (folder, found) in crates {
        let Some(row) = rows.get(folder) else {
            findings.insert(Finding::NoRow {
                folder: folder.clone(),
            });
            continue;
        };
        if row.package != found.package {
            let package = found.package.clone();
            findings.insert(Finding::OtherPackage {
                folder: folder.clone(),
                package,
            });
        }
        let not_allowed = |to: &String, in_tests| Finding::NotAllowed {
            from: folder.clone(),
            to: to.clone(),
            in_tests,
        };
        findings.extend(
            found
                .uses
                .difference(&row.uses)
                .map(|to| not_allowed(to, false)),
        );
        let in_tests = found
            .tests_use
            .iter()
            .filter(|to| !row.uses.contains(*to) && !row.tests_use.contains(*to));
        findings.extend(in_tests.map(|to| not_allowed(to, true)));
    }
    findings
}

/// What stands between backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
