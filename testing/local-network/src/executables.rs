//! The locations of the executables.

use crate::{Error, Result};
use std::{
    env,
    path::{Path, PathBuf},
};

/// The executables that a network and the programs around it run.
#[derive(Clone, Debug)]
pub struct Executables {
    directory: PathBuf,
}

impl Executables {
    /// The executables that cargo built with the running program: next to it, or one folder up if it is a test.
    ///
    /// `DUET_NODE` and `DUET_LIGHT` in the environment override the locations.
    ///
    /// # Errors
    /// [`Error::Io`] when the system does not report the path of this program.
    pub fn locate() -> Result<Self> {
        let program = env::current_exe().map_err(Error::io("finding this program's path"))?;
        let folder = program.parent().unwrap_or(Path::new("."));
        let is_test = folder.file_name().is_some_and(|name| name == "deps");
        let folder = folder.parent().filter(|_| is_test).unwrap_or(folder);
        Ok(Self {
            directory: folder.to_owned(),
        })
    }

    /// The node.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn node(&self) -> Result<PathBuf> {
        self.find("duet-node", "DUET_NODE")
    }

    /// The template's node, without Duet.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn solochain(&self) -> Result<PathBuf> {
        self.find("solochain-node", "SOLOCHAIN_NODE")
    }

    /// The template's node, with Duet.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn solochain_duet(&self) -> Result<PathBuf> {
        self.find("solochain-duet-node", "SOLOCHAIN_DUET_NODE")
    }

    /// The node of the SDK's public template with Duet, which `cargo xtask template` builds.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn public_template(&self) -> Result<PathBuf> {
        self.find("solochain-template-node", "SOLOCHAIN_TEMPLATE_NODE")
    }

    /// The node of the SDK's public template on our release of the SDK, which that command builds, too.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn public_template_without_duet(&self) -> Result<PathBuf> {
        self.find(
            "solochain-template-node-without-duet",
            "SOLOCHAIN_TEMPLATE_NODE_WITHOUT_DUET",
        )
    }

    /// The node whose blocks BABE authors, which `cargo xtask babe` builds.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn babe(&self) -> Result<PathBuf> {
        self.find("babe/duet-node", "DUET_BABE_NODE")
    }

    /// The light client.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn light(&self) -> Result<PathBuf> {
        self.find("duet-light", "DUET_LIGHT")
    }

    /// The tool for recovery keys.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn recovery(&self) -> Result<PathBuf> {
        self.find("duet-recovery", "DUET_RECOVERY")
    }

    /// The demo.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn demo(&self) -> Result<PathBuf> {
        self.find("duet-demo", "DUET_DEMO")
    }

    /// The collector of encrypted readings.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn collector(&self) -> Result<PathBuf> {
        self.find("duet-collector", "DUET_COLLECTOR")
    }

    /// The relayer.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn relay(&self) -> Result<PathBuf> {
        self.find("duet-relay", "DUET_RELAY")
    }

    /// anvil, an EVM chain, which `cargo xtask relay` installs together with the contracts' compiler.
    ///
    /// # Errors
    /// [`Error::NoExecutable`] when there is none.
    pub fn anvil(&self) -> Result<PathBuf> {
        let installed = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../verifiers/contracts/node_modules/.bin"
        );
        let directory = installed.into();
        Self { directory }.find("anvil", "DUET_ANVIL")
    }

    fn find(&self, name: &'static str, variable: &'static str) -> Result<PathBuf> {
        let named = env::var_os(variable).map(PathBuf::from);
        let path = named.unwrap_or_else(|| self.directory.join(name));
        if path.is_file() {
            Ok(path)
        } else {
            Err(Error::NoExecutable {
                name,
                path,
                variable,
            })
        }
    }
}
