//! The lock files of cargo and npm, as lists of packages.

use crate::result::Result;
use base64ct::{Base64, Encoding as _};
use serde_json::Value;

/// A package in a lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The sum of the download; our own packages have none.
    pub(crate) sum: Option<Sum>,
    /// Its dependencies: `name`, or `name version` where the lock file has several versions.
    pub(crate) uses: Vec<String>,
}

/// A sum, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sum {
    /// Its algorithm, as CycloneDX calls it.
    pub(crate) algorithm: &'static str,
    pub(crate) digits: String,
}

/// The supported version of `Cargo.lock`. In the first one, sums stood elsewhere.
const VERSION: &str = "version = 4";

/// The packages of a `Cargo.lock`. Cargo's format is fixed: a key and its value on a line, a list over several.
///
/// # Errors
/// An unsupported version of the format; a package without name or version.
pub(crate) fn of_cargo(text: &str) -> Result<Vec<Locked>> {
    let mut packages = text.split("[[package]]");
    let head = packages.next().unwrap_or_default();
    if !head.lines().any(|line| line == VERSION) {
        return Err(format!("unsupported Cargo.lock: no line `{VERSION}`").into());
    }
    packages.map(of_cargo_one).collect()
}

fn of_cargo_one(text: &str) -> Result<Locked> {
    let value = |key: &str| {
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        value.map(|value| value.trim_matches('"').to_owned())
    };
    let uses = text.lines().skip_while(|line| *line != "dependencies = [");
    let uses = uses.skip(1).take_while(|line| *line != "]");
    let shown = text.trim();
    Ok(Locked {
        name: value("name").ok_or_else(|| format!("no name in {shown}"))?,
        version: value("version").ok_or_else(|| format!("no version in {shown}"))?,
        sum: value("checksum").map(|digits| Sum {
            algorithm: "SHA-256",
            digits,
        }),
        uses: uses
            .map(|line| line.trim_matches([' ', ',', '"']).to_owned())
            .collect(),
    })
}

/// A package in an npm lock file, which has more fields than cargo's.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LockedByNpm {
    pub(crate) package: Locked,
    pub(crate) licence: Option<String>,
    /// Whether only tests and builds use it, which includes all of our optional dependencies.
    pub(crate) is_for_development: bool,
}

/// The packages of a `package-lock.json`, in order. Our own packages are links to folders, and are left out.
///
/// # Errors
/// Text that is not a lock file, or a package without a version or a sum.
pub(crate) fn of_npm(text: &str) -> Result<Vec<LockedByNpm>> {
    let lock: Value = serde_json::from_str(text)?;
    let packages = lock["packages"].as_object();
    let packages = packages.ok_or("a package-lock.json without packages")?;
    let mut all = Vec::new();
    for (path, package) in packages {
        let Some((_, name)) = path.rsplit_once("node_modules/") else {
            continue;
        };
        if package["link"] == true {
            continue;
        }
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        let integrity = text("integrity").ok_or_else(|| format!("{path} has no checksum"))?;
        all.push(LockedByNpm {
            package: Locked {
                name: text("name").unwrap_or_else(|| name.to_owned()),
                version: text("version").ok_or_else(|| format!("{path} has no version"))?,
                sum: Some(sum(&integrity)?),
                uses: Vec::new(),
            },
            licence: text("license"),
            is_for_development: package["dev"] == true || package["optional"] == true,
        });
    }
    all.sort();
    all.dedup();
    Ok(all)
}

/// A sum in npm's format: `sha512-` and base 64.
fn sum(integrity: &str) -> Result<Sum> {
    let bytes = integrity.strip_prefix("sha512-");
    let bytes = bytes.and_then(|text| Base64::decode_vec(text).ok());
    let bytes = bytes.filter(|bytes| bytes.len() == 64);
    let bytes = bytes.ok_or_else(|| format!("not a SHA-512 hash: {integrity}"))?;
    Ok(Sum {
        algorithm: "SHA-512",
        digits: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = r#"version = 4

[[package]]
name = "ours"
version = "0.1.0"
dependencies = [
 "adler2",
 "rand 0.8.6",
]

[[package]]
name = "adler2"
version = "2.0.1"
source = "registry+https://example.org/index"
checksum = "320119579fcad9c21884f5c4861d16174d0e06250625266f50fe6898340abefa"
"#;

    #[test]
    fn a_lock_file_of_cargo_is_read() {
        let packages = of_cargo(CARGO).expect("readable");
        let sum = Sum {
            algorithm: "SHA-256",
            digits: "320119579fcad9c21884f5c4861d16174d0e06250625266f50fe6898340abefa".into(),
        };
        let ours = Locked {
            name: "ours".into(),
            version: "0.1.0".into(),
            sum: None,
            uses: vec!["adler2".into(), "rand 0.8.6".into()],
        };
        let adler = Locked {
            name: "adler2".into(),
            version: "2.0.1".into(),
            sum: Some(sum),
            uses: vec![],
        };
        assert_eq!(packages, [ours, adler]);
    }

    #[test]
    fn a_package_without_a_version_is_refused() {
        let text = "version = 4\n[[package]]\nname = \"a\"\n";
        let error = of_cargo(text).expect_err("no version");
        assert_eq!(error.to_string(), "no version in name = \"a\"");
    }

    #[test]
    fn another_version_of_the_format_is_refused() {
        let error = of_cargo(&CARGO.replacen('4', "3", 1)).expect_err("another version");
        assert_eq!(
            error.to_string(),
            "unsupported Cargo.lock: no line `version = 4`"
        );
    }

    const NPM: &str = r#"{ "packages": {
        "": { "name": "ours" },
        "folder": { "version": "0.1.0" },
        "node_modules/ours": { "resolved": "folder", "link": true },
        "node_modules/a/node_modules/@s/b": { "version": "1.2.3", "dev": true, "license": "MIT",
            "integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==" }
    } }"#;

    #[test]
    fn a_lock_file_of_npm_is_read() {
        let packages = of_npm(NPM).expect("readable");
        // The SHA-512 of empty input.
        let digits = "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                      47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e";
        let package = Locked {
            name: "@s/b".into(),
            version: "1.2.3".into(),
            sum: Some(Sum {
                algorithm: "SHA-512",
                digits: digits.into(),
            }),
            uses: vec![],
        };
        let licence = Some("MIT".to_owned());
        assert_eq!(
            packages,
            [LockedByNpm {
                package,
                licence,
                is_for_development: true
            }]
        );
        let optional = NPM.replace("\"dev\"", "\"optional\"");
        assert_eq!(of_npm(&optional).expect("readable"), packages);
    }

    #[test]
    fn a_sum_that_is_cut_off_is_refused() {
        let cut = NPM.replace("fuwvY7kxvUdBeoGlODJ6+SfaPg==", "");
        let error = of_npm(&cut).expect_err("short");
        let short = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKH";
        assert_eq!(error.to_string(), format!("not a SHA-512 hash: {short}"));
    }
}
