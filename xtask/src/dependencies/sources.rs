//! Where dependencies come from.

use super::Workspace;
use crate::{cargo, Result};

/// What must not be in the tree, and why.
const REFUSED: [(&str, &str); 2] = [
    ("librocksdb-sys", "the embedded database is ParityDB"),
    ("rocksdb", "the embedded database is ParityDB"),
];

/// Everything comes from one registry, with a checksum, or stands in the workspace.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let lock = std::fs::read_to_string(cargo::root().join("Cargo.lock"))?;
    let locked: Vec<_> = lock
        .split("[[package]]")
        .skip(1)
        .map(Locked::parse)
        .collect();
    let mut findings: Vec<_> = locked.iter().filter_map(Locked::finding).collect();
    let mut registries: Vec<_> = locked.iter().filter_map(|package| package.source).collect();
    registries.sort_unstable();
    registries.dedup();
    if registries.len() > 1 {
        findings.push(format!("more than one source: {}", registries.join(", ")));
    }
    let foreign = workspace
        .packages()
        .filter(|package| package.source.is_none() && !workspace.is_member(package));
    findings.extend(
        foreign.map(|package| format!("{} comes from a path outside the workspace", package.name)),
    );
    Ok(findings)
}

/// One package of the lock file.
struct Locked<'a> {
    name: &'a str,
    source: Option<&'a str>,
    checksum: Option<&'a str>,
}

impl<'a> Locked<'a> {
    fn parse(section: &'a str) -> Self {
        let value = |key: &str| {
            section.lines().find_map(|line| {
                line.strip_prefix(key)?
                    .strip_prefix(" = \"")?
                    .strip_suffix('"')
            })
        };
        Self {
            name: value("name").unwrap_or("?"),
            source: value("source"),
            checksum: value("checksum"),
        }
    }

    fn finding(&self) -> Option<String> {
        let Self {
            name,
            source,
            checksum,
        } = self;
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| refused == name) {
            return Some(format!("{name} is in the tree: {why}"));
        }
        let source = (*source)?;
        if !source.starts_with("registry+") {
            return Some(format!("{name} comes from {source}, which is no registry"));
        }
        checksum
            .is_none()
            .then(|| format!("{name} has no checksum"))
    }
}
