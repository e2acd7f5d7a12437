//! The Debian package: node, light client, signer and systemd unit, made by Debian's own tools.

use super::{archive, executables::Executables, files, release::Release};
use crate::{
    cargo::{self, root},
    result::Result,
};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The name of the package, of its unit and of the file with the node's flags.
pub(crate) const NAME: &str = "duet-node";
/// Its maintainer.
const MAINTAINER: &str = "The Duet authors <duet-finality@users.noreply.github.com>";
/// Its executables.
const EXECUTABLES: [&str; 4] = ["duet-node", "duet-light", "duet-signer", "duet-recovery"];
const SOURCES: &str = "operations/packaging/debian";
/// The maintainer scripts, which dpkg runs at installation and removal.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];
/// The configuration file, which an upgrade keeps.
const CONFFILE: &str = "etc/default/duet-node";

/// The inputs of the package.
pub(crate) struct Package<'a> {
    pub(crate) release: &'a Release,
    pub(crate) executables: &'a Executables,
    /// The licences of the executables' libraries.
    pub(crate) notices: &'a str,
}

impl Package<'_> {
    /// Builds the package with this version, and returns its path.
    pub(crate) fn build(&self, version: &str, stage: &Path, to: &Path) -> Result<PathBuf> {
        let folder = files::fresh(&stage.join("debian"))?;
        self.place_files(&folder)?;
        self.place_documents(version, &folder.join("usr/share/doc").join(NAME))?;
        let architecture = cargo::output(Command::new("dpkg").arg("--print-architecture"))?;
        let sums = md5sums(&folder)?;
        let control = self.control(version, &architecture, &folder, stage)?;
        let debian = folder.join("DEBIAN");
        files::write(&debian.join("control"), control)?;
        files::write(&debian.join("md5sums"), sums)?;
        files::write(&debian.join("conffiles"), format!("/{CONFFILE}\n"))?;
        for script in SCRIPTS {
            files::copy(&source(script), &debian.join(script))?;
            fs::set_permissions(debian.join(script), fs::Permissions::from_mode(0o755))?;
        }
        files::settle(&folder, self.release.time())?;
        let package = to.join(format!(
            "{NAME}_{}_{architecture}.deb",
            debian_version(version)
        ));
        let mut build = Command::new("dpkg-deb");
        build
            .args(["--root-owner-group", "-Zxz"])
            .arg(self.release.level().replace('-', "-z"))
            .arg("--build")
            .args([&folder, &package])
            .env("SOURCE_DATE_EPOCH", self.release.epoch.to_string());
        cargo::run(&mut build)?;
        Ok(package)
    }

    fn place_files(&self, folder: &Path) -> Result {
        for name in EXECUTABLES {
            let to = folder.join("usr/bin").join(name);
            files::copy(self.executables.named(name)?, &to)?;
        }
        let unit = format!("{NAME}.service");
        files::copy(
            &source(&unit),
            &folder.join("lib/systemd/system").join(&unit),
        )?;
        files::copy(&source("duet-node.default"), &folder.join(CONFFILE))
    }

    fn place_documents(&self, version: &str, folder: &Path) -> Result {
        files::copy(&source("copyright"), &folder.join("copyright"))?;
        let licences = folder.join("THIRD-PARTY-LICENCES");
        files::write(&licences, self.notices)?;
        archive::gzip(&licences)?;
        let date = self.release.date("+%a, %d %b %Y %H:%M:%S +0000")?;
        let changelog = folder.join("changelog");
        let version = debian_version(version);
        files::write(&changelog, format!("{NAME} ({version}) stable; urgency=medium\n\n  * CHANGELOG.md.gz says what is new.\n\n -- {MAINTAINER}  {date}\n"))?;
        archive::gzip(&changelog)?;
        let changes = folder.join("CHANGELOG.md");
        files::copy(&root().join("CHANGELOG.md"), &changes)?;
        archive::gzip(&changes)
    }

    fn control(
        &self,
        version: &str,
        architecture: &str,
        folder: &Path,
        stage: &Path,
    ) -> Result<String> {
        let mut bytes = 0;
        for file in files::all(folder)? {
            bytes += fs::metadata(folder.join(file))?.len();
        }
        let template = fs::read_to_string(source("control"))?;
        Ok(template
            .replace("@VERSION@", &debian_version(version))
            .replace("@ARCHITECTURE@", architecture)
            .replace("@MAINTAINER@", MAINTAINER)
            .replace("@SIZE@", &bytes.div_ceil(1024).to_string())
            .replace("@DEPENDS@", &self.libraries(stage)?))
    }

    /// The packages with the executables' shared libraries.
    fn libraries(&self, stage: &Path) -> Result<String> {
        let folder = stage.join("libraries");
        // The tool must run in the folder where a package is built from its source.
        files::write(
            &folder.join("debian/control"),
            format!("Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n"),
        )?;
        let mut ask = Command::new("dpkg-shlibdeps");
        ask.current_dir(&folder).arg("-O");
        for name in EXECUTABLES {
            ask.arg(self.executables.named(name)?);
        }
        let answer = cargo::output(&mut ask)?;
        let packages = answer.strip_prefix("shlibs:Depends=");
        let packages = packages.ok_or_else(|| format!("bad dpkg-shlibdeps output: {answer}"))?;
        Ok(packages.to_owned())
    }
}

/// In Debian's order, a tilde marks an earlier version.
fn debian_version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

fn source(name: &str) -> PathBuf {
    root().join(SOURCES).join(name)
}

/// The sums by which dpkg detects changed files. The conffile may change.
fn md5sums(folder: &Path) -> Result<String> {
    let mut files = files::all(folder)?;
    files.retain(|file| file != Path::new(CONFFILE));
    let sums = cargo::output(Command::new("md5sum").current_dir(folder).args(files))?;
    Ok(format!("{sums}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_comes_before_its_release() {
        assert_eq!(debian_version("1.2.3-rc.1"), "1.2.3~rc.1");
        assert_eq!(debian_version("1.2.3"), "1.2.3");
    }
}
