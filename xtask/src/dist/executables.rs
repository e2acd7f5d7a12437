//! The executables, and the runtime embedded in the node.

use super::{
    archive, files, place,
    release::{Profile, Release},
};
use crate::{
    cargo::{self, root},
    programs,
    result::Result,
    tools,
};
use std::{
    env::consts,
    fs,
    path::{Path, PathBuf},
};

/// The content of the archive of executables.
pub(crate) const NAMES: [&str; 7] = [
    "duet-collector",
    "duet-light",
    "duet-node",
    "duet-recovery",
    "duet-relay",
    "duet-schemes",
    "duet-signer",
];
/// Their packages, and the features of a release.
pub(crate) const PACKAGES: [&str; 16] = [
    "--package",
    "duet-node",
    "--package",
    "duet-light",
    "--package",
    "duet-collector",
    "--package",
    "duet-signer",
    "--package",
    "duet-recovery",
    "--package",
    "duet-schemes",
    "--package",
    "duet-relay",
    "--features",
    "duet-node/metadata-hash",
];
/// The runtime, in the forms of the release and of the tests.
const RUNTIME: &str = "duet_runtime.compact.compressed.wasm";
const RUNTIME_OF_TESTS: &str = "duet_runtime.wasm";
/// Debian's texts of licences that are too long to be repeated in every package.
const GPL: &str = "/usr/share/common-licenses/GPL-3";

/// The paths of the executables.
pub(crate) struct Executables {
    programs: Vec<PathBuf>,
    runtime: PathBuf,
}

impl Executables {
    /// Builds them.
    pub(crate) fn build(profile: Profile) -> Result<Self> {
        tools::for_building()?;
        match profile {
            Profile::Release => Self::build_for_operators(),
            Profile::Dev => Self::build_for_tests(),
        }
    }

    /// The executables in a folder, all side by side.
    pub(crate) fn in_folder(folder: &Path) -> Result<Self> {
        let runtime = [RUNTIME, RUNTIME_OF_TESTS].map(|name| folder.join(name));
        let found = runtime.iter().find(|file| file.exists());
        let runtime = found.ok_or_else(|| format!("no runtime in {}", folder.display()))?;
        Self::existing(NAMES.map(|name| folder.join(name)), runtime.clone())
    }

    /// The path of one executable.
    pub(crate) fn named(&self, name: &str) -> Result<&Path> {
        let mut programs = self.programs.iter();
        let found = programs.find(|program| program.ends_with(name));
        Ok(found.ok_or_else(|| format!("no executable {name}"))?)
    }

    /// Packs them with their licences, and the runtime beside the archive.
    pub(crate) fn pack(&self, release: &Release, notices: &str, stage: &Path, to: &Path) -> Result {
        let name = format!("duet-{}-{}-linux-gnu", release.version, consts::ARCH);
        let folder = stage.join(&name);
        for program in &self.programs {
            let base = program.file_name().ok_or("a path without a file name")?;
            files::copy(program, &folder.join(base))?;
        }
        files::write(&folder.join("THIRD-PARTY-LICENCES"), notices)?;
        files::copy(
            &root().join("LICENSE-APACHE"),
            &folder.join("LICENSE-APACHE"),
        )?;
        files::copy(Path::new(GPL), &folder.join("LICENSE-GPL-3"))?;
        files::copy(
            &root().join("operations/packaging/debian/copyright"),
            &folder.join("COPYRIGHT"),
        )?;
        archive::pack(release, stage, &name, to)?;
        let runtime = self
            .runtime
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let ending = runtime.trim_start_matches("duet_runtime");
        let named = format!("duet-runtime-{}{ending}", release.version);
        files::copy(&self.runtime, &to.join(named))
    }

    fn build_for_tests() -> Result<Self> {
        let programs = NAMES.iter().flat_map(|name| ["--bin", name]);
        programs::build_with(&programs.collect::<Vec<_>>())?;
        Self::built(&cargo::output_directory(), RUNTIME_OF_TESTS)
    }

    fn build_for_operators() -> Result<Self> {
        println!(
            "xtask: building the release; the first build takes about 40 minutes of processor time"
        );
        let mut build = cargo::cargo(["build", "--release", "--locked"]);
        build
            .args(PACKAGES)
            // OpenSSL is inside.
            .env("OPENSSL_NO_VENDOR", "0")
            .env("CARGO_TARGET_DIR", place::target());
        cargo::run(&mut place::at(&build)?)?;
        let built = Self::built(&place::built().join("release"), RUNTIME)?;
        built.name_no_path_of(&place::machine()?)?;
        Ok(built)
    }

    /// In cargo's output folder.
    fn built(folder: &Path, runtime: &str) -> Result<Self> {
        let runtime = folder.join("wbuild/duet-runtime").join(runtime);
        Self::existing(NAMES.map(|name| folder.join(name)), runtime)
    }

    fn existing(programs: [PathBuf; NAMES.len()], runtime: PathBuf) -> Result<Self> {
        let missing = programs
            .iter()
            .chain([&runtime])
            .find(|file| !file.is_file());
        match missing {
            Some(file) => Err(format!("{} does not exist", file.display()).into()),
            None => Ok(Self {
                programs: programs.into(),
                runtime,
            }),
        }
    }

    /// Their bytes must neither depend on the builder's machine nor reveal it.
    fn name_no_path_of(&self, machine: &[PathBuf]) -> Result {
        for program in self.programs.iter().chain([&self.runtime]) {
            let bytes = fs::read(program)?;
            if let Some(path) = first_in(&bytes, machine) {
                let (program, path) = (program.display(), path.display());
                return Err(format!("{program} contains a path of this machine: {path}").into());
            }
        }
        Ok(())
    }
}

/// The first of the paths that occurs in the bytes.
fn first_in<'a>(bytes: &[u8], paths: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let is_in = |path: &&PathBuf| {
        let path = path.as_os_str().as_encoded_bytes();
        // A home directory that is the root would be found in everything.
        path.len() > 1 && bytes.windows(path.len()).any(|window| window == path)
    };
    paths.iter().find(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_an_executable_is_found() {
        let paths = [PathBuf::from("/"), PathBuf::from("/home/builder")];
        assert_eq!(first_in(b"\0/home/builder/src\0", &paths), Some(&paths[1]));
        assert_eq!(first_in(b"\0/srv/duet/src\0", &paths), None);
    }
}
