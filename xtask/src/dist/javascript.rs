//! The JavaScript packages, as npm packs them.

use super::files;
use crate::{
    cargo::{self, root},
    result::Result,
};
use std::{fs, path::Path, process::Command};

/// Their names and paths: the first one as built for the page, with the verifier in it.
pub(crate) const PACKAGES: [(&str, &str); 3] = [
    ("duet-light-client", "verifiers/web/dist/light-client"),
    ("duet-provider", "verifiers/web/provider"),
    ("duet-types", "verifiers/web/types"),
];

/// Packs them, each with its licence. npm leaves dates and owners out.
pub(crate) fn pack(stage: &Path, to: &Path) -> Result {
    for (name, folder) in PACKAGES {
        let package = stage.join("npm").join(name);
        files::copy_all(&root().join(folder), &package)?;
        files::copy(&root().join("LICENSE-APACHE"), &package.join("LICENSE"))?;
        let mut pack = Command::new("npm");
        pack.current_dir(&package)
            .args(["pack", "--silent", "--pack-destination"]);
        cargo::output(pack.arg(to))?;
    }
    Ok(())
}

/// Installs a release's packages into an empty project, from these files alone, and loads each.
pub(crate) fn try_out(dist: &Path, project: &Path) -> Result {
    let project = files::fresh(project)?;
    let manifest = "{ \"private\": true, \"type\": \"module\" }\n";
    files::write(&project.join("package.json"), manifest)?;
    let packed = files::all(dist)?;
    let packed = packed
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "tgz"));
    let packed: Vec<_> = packed.map(|file| dist.join(file)).collect();
    let mut install = Command::new("npm");
    install
        .current_dir(&project)
        .args(["install", "--offline", "--no-audit", "--no-fund"]);
    cargo::run(install.args(&packed))?;
    let mut load = String::new();
    for (name, _) in PACKAGES {
        load.push_str(&format!("if (!Object.keys(await import('{name}')).length) throw new Error('{name} exports nothing');\n"));
        if !project
            .join("node_modules")
            .join(name)
            .join("LICENSE")
            .exists()
        {
            return Err(format!("{name} was packed without its licence").into());
        }
    }
    let script = project.join("load.js");
    fs::write(&script, load)?;
    cargo::run(Command::new("node").current_dir(&project).arg(&script))
}
