//! Under which licence each dependency comes.

use super::Workspace;
use cargo_metadata::Package;
use spdx::{Expression, LicenseReq, ParseMode};

/// Licences that every crate may depend on.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Exceptions that only widen what their licence permits.
const ALLOWED_EXCEPTIONS: [&str; 1] = ["LLVM-exception"];

/// The licence of the SDK's client crates, and its exception.
const CLIENT_LICENCE: (&str, &str) = ("GPL-3.0-or-later", "Classpath-exception-2.0");

/// Our crates that may link the SDK's client crates: the node and what is built into it. What others embed
/// (primitives, pallet, runtime, voter, light client) must stay free of them.
const MAY_LINK_CLIENT: [&str; 4] = [
    "duet-chain-spec",
    "duet-finality",
    "duet-gossip",
    "duet-node",
];

/// Packages whose manifest points at a file instead of naming licences, with what we read in it.
const READ_BY_US: [(&str, &str, &str); 1] =
    // The file: BoringSSL's, which is OpenSSL's, ISC and MIT in parts.
    [("ring", "0.16.20", "ISC AND MIT AND OpenSSL")];

/// Licences accepted for the packages in [`READ_BY_US`] only.
const ALLOWED_THERE: [&str; 1] = ["OpenSSL"];

pub(super) fn check(workspace: &Workspace) -> Vec<String> {
    let mut findings: Vec<_> = workspace
        .packages()
        .filter_map(|package| refused(package).err())
        .collect();
    for member in workspace.members() {
        if MAY_LINK_CLIENT.contains(&member.name.as_str()) {
            continue;
        }
        let client = workspace
            .linked_by(member)
            .into_iter()
            .filter(|package| needs_client(package));
        findings.extend(client.map(|package| {
            format!(
                "{} links {}, which is under the GPL",
                member.name, package.name
            )
        }));
    }
    findings
}

/// `Err` says why this package's licence is not accepted.
fn refused(package: &Package) -> Result<(), String> {
    let name = format!("{} {}", package.name, package.version);
    if let Some(read) = read_by_us(package) {
        let accepts = |wanted: &LicenseReq| is_free(wanted) || is_one_of(wanted, &ALLOWED_THERE);
        let accepted = parse(read).is_some_and(|expression| expression.evaluate(accepts));
        return accepted.then_some(()).ok_or(format!("{name}: {read}"));
    }
    let Some(text) = &package.license else {
        return Err(format!("{name} declares no licence"));
    };
    let expression = parse(text).ok_or(format!("{name}: {text:?} is no SPDX expression"))?;
    let accepts = |wanted: &LicenseReq| is_free(wanted) || is_client(wanted);
    expression
        .evaluate(accepts)
        .then_some(())
        .ok_or(format!("{name}: {text} is not on the list"))
}

/// Whether no choice that the licence offers avoids the GPL.
fn needs_client(package: &Package) -> bool {
    let expression = package.license.as_deref().and_then(parse);
    expression.is_some_and(|expression| !expression.evaluate(is_free))
}

fn read_by_us(package: &Package) -> Option<&'static str> {
    let version = package.version.to_string();
    let row = READ_BY_US
        .iter()
        .find(|(name, of, _)| *name == package.name && *of == version)?;
    package.license.is_none().then_some(row.2)
}

/// Older manifests separate alternatives by a slash, and some expressions name deprecated identifiers.
fn parse(text: &str) -> Option<Expression> {
    Expression::parse_mode(text, ParseMode::LAX).ok()
}

fn is_free(wanted: &LicenseReq) -> bool {
    let excepted = wanted.exception.map(|exception| exception.name);
    excepted.is_none_or(|name| ALLOWED_EXCEPTIONS.contains(&name)) && is_one_of(wanted, &ALLOWED)
}

fn is_client(wanted: &LicenseReq) -> bool {
    let (licence, exception) = CLIENT_LICENCE;
    wanted.license.to_string() == licence
        && wanted
            .exception
            .is_some_and(|found| found.name == exception)
}

fn is_one_of(wanted: &LicenseReq, list: &[&str]) -> bool {
    wanted
        .license
        .id()
        .is_some_and(|id| list.contains(&id.name))
}
