//! What a lying server may send, one change at a time. (LIGHT-1 to LIGHT-7, JUST-1 to JUST-5, STATELESS-1, STATELESS-2)

mod collected;
mod flips;
mod proofs;
mod starts;

use super::{builder::Builder, world::chain};
use crate::format::File;
use codec::Encode;
use collected::Attacks;
use duet_light_client::testing::TestChain;

pub(super) fn file() -> File {
    let mut builder = Builder::new(
        "attacks",
        "What a lying server, or lying validators, may send to a light client, and the rule that refuses it.",
    );
    let chain = chain();
    builder.share("genesis", chain.genesis_proof().encode());
    let other = TestChain::new(3, 5, 2);
    builder.share("other genesis", other.genesis_proof().encode());
    let mut attacks = Attacks { builder, chain };
    proofs::add(&mut attacks);
    starts::add(&mut attacks);
    flips::add(&mut attacks);
    attacks.builder.file()
}
