//! The licences of the libraries linked into the release, most of which must accompany copies.

use super::{
    files,
    packages::{Lock, Package},
};
use crate::result::Result;
use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

/// The prefixes of the names of licence files.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// Each text once, after its packages. Our own packages have the archive's licence.
pub(crate) fn collect(locks: &[Lock]) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut named = Vec::new();
    let all = locks.iter().flat_map(|lock| &lock.packages);
    for package in all.filter(|package| package.is_released && package.locked.sum.is_some()) {
        let name = format!("{} {}", package.locked.name, package.locked.version);
        for text in texts_of(package)? {
            texts.entry(text).or_default().push(name.clone());
        }
        let licence = package.licence.as_deref().unwrap_or("in its files");
        named.push(format!("{name}: {licence}"));
    }
    named.sort();
    named.dedup();
    let mut page = String::from("The executables link these libraries, under these licences:\n\n");
    for line in named {
        writeln!(page, "  {line}")?;
    }
    let mut texts: Vec<_> = texts.into_iter().collect();
    for (_, names) in &mut texts {
        names.sort();
        names.dedup();
    }
    texts.sort_by(|(a_text, a), (b_text, b)| (a, a_text).cmp(&(b, b_text)));
    for (text, names) in texts {
        write!(
            page,
            "\n{}\n{}\n\n{text}\n",
            "=".repeat(80),
            names.join(", ")
        )?;
    }
    Ok(page)
}

fn texts_of(package: &Package) -> Result<Vec<String>> {
    let Some(folder) = &package.folder else {
        return Ok(Vec::new());
    };
    let named = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        NAMES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".RS")
    };
    let mut texts = Vec::new();
    for file in files::all(folder)?.iter().filter(|file| named(file)) {
        let bytes = fs::read(folder.join(file))?;
        let text = String::from_utf8_lossy(&bytes).replace('\r', "");
        texts.push(text.trim_end().to_owned());
    }
    Ok(texts)
}
