//! The common properties of everything in a release.

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
    /// Operators' executables: fully optimised, and built at one path.
    #[default]
    Release,
    /// The tests' executables. They contain the paths of their sources, and are compressed quickly.
    Dev,
}

/// The released commit.
pub(crate) struct Release {
    /// The version of all our crates.
    pub(crate) version: String,
    /// The commit.
    pub(crate) commit: String,
    /// The commit's time, in seconds since 1970: the date of every packed file.
    pub(crate) epoch: u64,
    /// Which executables are packed.
    pub(crate) profile: Profile,
}

impl Release {
    /// The release of the checked-out commit.
    pub(crate) fn of_this_commit(profile: Profile) -> Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: git(&["rev-parse", "HEAD"])?,
            epoch: git(&["log", "-1", "--format=%ct"])?.parse()?,
            profile,
        })
    }

    /// The date of every packed file.
    pub(crate) fn time(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.epoch)
    }

    /// The date in another format, one of those of `date`.
    pub(crate) fn date(&self, form: &str) -> Result<String> {
        let mut date = Command::new("date");
        date.args(["--utc", "--date", &format!("@{}", self.epoch), form]);
        cargo::output(date.env("LC_ALL", "C"))
    }

    /// xz's compression level.
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
