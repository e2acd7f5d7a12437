//! The release, in `dist` of the target directory: the executables, a Debian package, a container file, JavaScript
//! packages, the contracts, the runtime, a bill of materials for each lock file, and the checksums of all of these.
//!
//! The same commit gives the same bytes: executables are built at one path ([`place`]), archives are sorted and dated
//! by the commit, and dependencies come from lock files. Compiler, npm and packing tools must have the same versions.

mod archive;
mod bill;
mod checks;
mod contracts;
mod debian;
mod executables;
mod files;
mod javascript;
mod licences;
mod lock;
mod packages;
mod place;
mod release;
mod sums;

use crate::{
    cargo::{self, root},
    page,
    result::Result,
    tools,
};
use executables::Executables;
use release::{Profile, Release};
use std::path::{Path, PathBuf};

/// The container file, released unchanged.
const CONTAINER: &str = "operations/packaging/Containerfile";

/// What to pack, and whether to test it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which executables: those for operators, whose first build takes long, or those of the tests.
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// Packs the executables and the runtime in this folder, and builds none.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Also packs twice and compares, installs the packages and uses the installed programs. Needs root on Debian, to
    /// create a system for the installation.
    #[arg(long)]
    test: bool,
}

/// Builds and packs, and tests the result.
pub(crate) fn run(options: &Options) -> Result {
    tools::for_packaging()?;
    let release = Release::of_this_commit(options.profile)?;
    let executables = match &options.from {
        Some(folder) => Executables::in_folder(&std::path::absolute(folder)?)?,
        None => Executables::build(options.profile)?,
    };
    page::build()?;
    crate::contracts::compile()?;
    let dist = std::path::absolute(cargo::target_directory().join("dist"))?;
    pack(&release, &executables, &dist)?;
    if options.test {
        tools::for_installing()?;
        let again = std::path::absolute(cargo::target_directory().join("dist-again"))?;
        pack(&release, &executables, &again)?;
        checks::run(&release, &executables, [&dist, &again])?;
    }
    println!("The packages: {}", dist.display());
    Ok(())
}

/// Packs everything into a fresh folder.
fn pack(release: &Release, executables: &Executables, to: &Path) -> Result {
    files::fresh(to)?;
    let stage = files::fresh(&cargo::target_directory().join("dist-stage"))?;
    let locks = packages::read()?;
    let notices = licences::collect(&locks)?;
    executables.pack(release, &notices, &stage, to)?;
    debian::Package {
        release,
        executables,
        notices: &notices,
    }
    .build(&release.version, &stage, to)?;
    javascript::pack(&stage, to)?;
    contracts::pack(release, &stage, to)?;
    for lock in &locks {
        bill::write(release, lock, to)?;
    }
    files::copy(&root().join(CONTAINER), &to.join("Containerfile"))?;
    sums::write(release, to)
}
