//! What everything in a release has in common.

use crate::{
    cargo::{self, root},
    result::Result,
};
use std::{
    process::Command,
    time::{Duration, SystemTime},
};

/// Which executables are packed.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Profile {
    /// Those for operators: fully optimised, and built at one place.
    #[default]
    Release,
    /// Those that the tests run. They know where their sources are, and are packed in a hurry.
    Dev,
}

/// A commit, as it is released.
pub(crate) struct Release {
    /// The version of all our crates.
    pub(crate) version: String,
    /// The commit.
    pub(crate) commit: String,
    /// When the commit was made, in seconds since 1970: the date of everything that is packed.
    pub(crate) epoch: u64,
    /// Which executables are packed.
    pub(crate) profile: Profile,
}

impl Release {
    /// The release of the commit that is checked out.
    pub(crate) fn of_this_commit(profile: Profile) -> Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: git(&["rev-parse", "HEAD"])?,
            epoch: git(&["log", "-1", "--format=%ct"])?.parse()?,
            profile,
        })
    }

    /// The date of everything that is packed.
    pub(crate) fn time(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.epoch)
    }

    /// The date in another form, one of those of `date`.
    pub(crate) fn date(&self, form: &str) -> Result<String> {
        let mut date = Command::new("date");
        date.args(["--utc", "--date", &format!("@{}", self.epoch), form]);
        cargo::output(date.env("LC_ALL", "C"))
    }

    /// How hard xz tries.
    pub(crate) fn level(&self) -> &'static str {
        match self.profile {
            Profile::Release => "-6",
            Profile::Dev => "-0",
        }
    }
}

fn git(arguments: &[&str]) -> Result<String> {
    cargo::output(Command::new("git").current_dir(root()).args(arguments))
}
