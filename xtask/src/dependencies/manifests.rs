//! What our own manifests say.

use super::Workspace;
use cargo_metadata::Package;

/// Each crate states its licence, and no dependency on a registry is open to every version.
pub(super) fn check(workspace: &Workspace) -> Vec<String> {
    workspace.members().flat_map(findings).collect()
}

fn findings(member: &Package) -> Vec<String> {
    let mut findings = Vec::new();
    if member.license.is_none() {
        findings.push(format!("{} states no licence", member.name));
    }
    for dependency in &member.dependencies {
        let any = dependency.req.comparators.is_empty();
        if any && dependency.path.is_none() {
            findings.push(format!(
                "{}: {} takes any version",
                member.name, dependency.name
            ));
        }
    }
    findings
}
