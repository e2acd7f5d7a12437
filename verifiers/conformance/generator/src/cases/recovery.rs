//! Recovery by proof. (RECOVER-1, RECOVER-2, RECOVER-4 to RECOVER-9)

mod accusations;
mod crossings;
mod keys;
mod proofs;
mod votes;
mod world;

use super::builder::Builder;
use crate::format::File;
use codec::Encode;
use world::World;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "recovery",
        "Recovery keys, drills, and the statements, proofs and accusations of a recovery set; crossings.",
    );
    keys::add(&mut builder);
    let world = World::new();
    let set = world.set.set.keyset();
    builder.share("keys", set.key_bytes().encode());
    builder.share("set", set.commitment().encode());
    votes::add(&mut builder, &world);
    proofs::add(&mut builder, &world);
    accusations::add(&mut builder, &world);
    crossings::add(&mut builder, &world);
    builder.file()
}
