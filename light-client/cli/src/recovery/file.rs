//! The files of a recovery.

use duet_light_rpc::{Failure, Kind};
use duet_recovery::text::{self, MembersFile};
use std::{fs, path::Path};

/// Writes the members of a recovery set for the tool that signs.
pub(crate) fn write_members(path: &Path, members: &MembersFile) -> Result<(), Failure> {
    let text = text::write(members) + "\n";
    fs::write(path, text)
        .map_err(|error| Failure::new(Kind::Local, format!("{}: {error}", path.display())))
}
