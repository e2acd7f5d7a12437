//! The kept corpus: a folder of inputs for each target.
//!
//! It holds what the target's seeds are, each under its name, and inputs that once found something.

use crate::{odd, Target};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The names of inputs that found something begin with this.
pub const FOUND: &str = "found-";

/// Inputs by their names.
pub type Inputs = BTreeMap<String, Vec<u8>>;

/// The folder that holds one folder for each target.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The kept inputs of a target.
///
/// # Errors
/// When they cannot be read, with the path.
pub fn kept(target: &str) -> io::Result<Inputs> {
    let folder = folder().join(target);
    let at = |path: &Path, error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    };
    let mut inputs = Inputs::new();
    for entry in fs::read_dir(&folder).map_err(|error| at(&folder, error))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = fs::read(&path).map_err(|error| at(&path, error))?;
        inputs.insert(name.into_owned(), bytes);
    }
    Ok(inputs)
}

/// The seeds of a target.
///
/// # Panics
/// When two that differ have one name.
pub fn seeds(target: &Target) -> Inputs {
    let mut inputs = Inputs::new();
    for seed in (target.seeds)() {
        let name = format!("{}/{}", target.name, seed.name);
        assert!(!seed.name.starts_with(FOUND), "{name} is a seed");
        let same = inputs.get(&seed.name).is_none_or(|it| *it == seed.bytes);
        assert!(same, "there are two seeds {name}");
        inputs.insert(seed.name, seed.bytes);
    }
    inputs
}

/// Makes the folder of a target hold its seeds, beside what found something, and nothing else.
///
/// # Errors
/// When it cannot be written.
pub fn write_seeds(target: &Target) -> io::Result<()> {
    let folder = folder().join(target.name);
    fs::create_dir_all(&folder)?;
    let seeds = seeds(target);
    for name in kept(target.name)?.into_keys() {
        if !seeds.contains_key(&name) && !name.starts_with(FOUND) {
            fs::remove_file(folder.join(name))?;
        }
    }
    for (name, bytes) in seeds {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// The dictionary for libFuzzer: points and scalars of interest.
pub fn dictionary() -> String {
    let points = odd::G1.iter().map(|(_, bytes)| &bytes[..]);
    let scalars = odd::SCALARS.iter().map(|(_, bytes)| &bytes[..]);
    let line = |bytes: &[u8]| {
        let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("\"{escaped}\"\n")
    };
    points.chain(scalars).map(line).collect()
}
