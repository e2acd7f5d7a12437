//! Checks of the dependencies, all offline: what cargo has resolved and fetched is the truth.

mod licences;
mod manifests;
mod sources;
mod unused;

use crate::{cargo, Result};
use cargo_metadata::{Metadata, Package, PackageId};
use std::{collections::HashMap, process::Command};

/// Runs every check and reports every finding.
pub(crate) fn run() -> Result {
    let target = host_target()?;
    let fetch = ["fetch", "--locked", "--quiet", "--target"];
    cargo::run(cargo::cargo(fetch).arg(&target))?;
    let workspace = Workspace::load(&target)?;
    let checks = [
        ("sources", sources::check(&workspace)?),
        ("licences", licences::check(&workspace)),
        ("manifests", manifests::check(&workspace)),
        ("use", unused::check(&workspace)?),
    ];
    for (check, findings) in &checks {
        for finding in findings {
            eprintln!("{check}: {finding}");
        }
    }
    match checks
        .iter()
        .map(|(_, findings)| findings.len())
        .sum::<usize>()
    {
        0 => {
            println!(
                "{} packages: sources, licences, versions and use as wanted",
                workspace.len()
            );
            Ok(())
        }
        findings => Err(format!("{findings} findings about dependencies").into()),
    }
}

/// The dependency graph as built on this machine.
struct Workspace {
    metadata: Metadata,
    packages: HashMap<PackageId, Package>,
}

impl Workspace {
    fn load(target: &str) -> Result<Self> {
        let arguments = ["metadata", "--format-version=1", "--locked", "--offline"];
        let mut command = cargo::cargo(arguments);
        let output = command.args(["--filter-platform", target]).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let metadata =
            cargo_metadata::MetadataCommand::parse(std::str::from_utf8(&output.stdout)?)?;
        let used = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
        let used: Vec<_> = used.map(|node| &node.id).collect();
        let packages = metadata
            .packages
            .iter()
            .filter(|package| used.contains(&&package.id))
            .map(|package| (package.id.clone(), package.clone()))
            .collect();
        Ok(Self { metadata, packages })
    }

    fn len(&self) -> usize {
        self.packages.len()
    }

    /// Everything that is built, ours included.
    fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.values()
    }

    /// Our own crates.
    fn members(&self) -> impl Iterator<Item = &Package> {
        self.metadata
            .workspace_members
            .iter()
            .filter_map(|id| self.packages.get(id))
    }

    fn is_member(&self, package: &Package) -> bool {
        self.metadata.workspace_members.contains(&package.id)
    }

    /// What `package` links: its dependencies and theirs, without those of tests and build scripts.
    fn linked_by(&self, package: &Package) -> Vec<&Package> {
        let nodes: HashMap<_, _> = self
            .metadata
            .resolve
            .iter()
            .flat_map(|resolve| &resolve.nodes)
            .map(|node| (&node.id, node))
            .collect();
        let mut open = vec![&package.id];
        let mut found = std::collections::HashSet::new();
        while let Some(id) = open.pop() {
            if !found.insert(id) {
                continue;
            }
            let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            open.extend(
                dependencies
                    .filter(|dependency| is_linked(dependency))
                    .map(|d| &d.pkg),
            );
        }
        found
            .into_iter()
            .filter_map(|id| self.packages.get(id))
            .collect()
    }
}

fn is_linked(dependency: &cargo_metadata::NodeDep) -> bool {
    let kinds = &dependency.dep_kinds;
    kinds
        .iter()
        .any(|kind| kind.kind == cargo_metadata::DependencyKind::Normal)
}

/// The target triple that rustc builds for by itself.
fn host_target() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("`rustc -vV` names no host")?.to_owned())
}
