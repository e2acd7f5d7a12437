//! Whether our crates use what they declare: the name of each dependency must stand in the sources.

use super::Workspace;
use crate::Result;
use cargo_metadata::{Dependency, DependencyKind, Package};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Dependencies that no source names, and why they are declared.
const EXCEPTIONS: [(&str, &str, &str); 1] = [(
    "duet-runtime",
    "scale-info",
    "the derives that the SDK's macros expand to name it",
)];

pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for member in workspace.members() {
        let sources = Sources::read(member)?;
        for dependency in &member.dependencies {
            let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
            let excepted = EXCEPTIONS
                .iter()
                .any(|(owner, excepted, _)| *owner == member.name && excepted == name);
            if !excepted && !sources.name(name, dependency) {
                findings.push(format!(
                    "{} declares {name} and never names it",
                    member.name
                ));
            }
        }
    }
    Ok(findings)
}

/// A crate's code, without comments.
struct Sources {
    code: String,
    build_script: String,
}

impl Sources {
    fn read(package: &Package) -> Result<Self> {
        let folder = package
            .manifest_path
            .parent()
            .ok_or("a manifest stands in no folder")?;
        let mut code = String::new();
        for part in ["src", "tests", "benches", "examples"] {
            for file in rust_files(&folder.join(part).into_std_path_buf())? {
                append_code(&file, &mut code)?;
            }
        }
        let script = folder.join("build.rs").into_std_path_buf();
        let mut build_script = String::new();
        if script.exists() {
            append_code(&script, &mut build_script)?;
        }
        Ok(Self { code, build_script })
    }

    fn name(&self, name: &str, dependency: &Dependency) -> bool {
        let text = match dependency.kind {
            DependencyKind::Build => &self.build_script,
            _ => &self.code,
        };
        has_word(text, &name.replace('-', "_"))
    }
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Comments are left out, except the examples in them, which are compiled as well.
fn append_code(file: &Path, code: &mut String) -> Result {
    let text = fs::read_to_string(file)?;
    for line in text.lines() {
        let line = line.trim_start();
        let is_prose = line.starts_with("//") && !line.contains("use ") && !line.contains("::");
        if !is_prose {
            code.push_str(line);
            code.push('\n');
        }
    }
    Ok(())
}

/// Whether `word` stands in `text` with no letter, digit or underscore on either side.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
