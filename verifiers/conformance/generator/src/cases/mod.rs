//! The cases, one file of source for each file of vectors. All keys come from the test keyring, so every run gives the
//! same bytes.

mod age;
mod builder;
mod extrinsics;
mod follow;
mod follow_attacks;
mod hashes;
mod justifications;
mod objects;
mod points;
mod possession;
mod recovery;
mod rounds;
mod sets;
mod starts;
mod state;
mod votes;
mod world;

use crate::format::File;

/// All files of vectors.
///
/// # Panics
/// When the project's crates do not break the rule that a case says it breaks.
pub fn files() -> Vec<File> {
    vec![
        points::file(),
        hashes::file(),
        objects::file(),
        possession::file(),
        sets::file(),
        votes::file(),
        justifications::file(),
        rounds::file(),
        follow::file(),
        follow_attacks::file(),
        starts::file(),
        state::file(),
        extrinsics::file(),
        age::file(),
        recovery::file(),
    ]
}
