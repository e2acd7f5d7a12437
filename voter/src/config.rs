//! The voter's parameters.

use crate::Millis;

/// The voter's parameters. The rules hold for all values, and they may differ between the nodes of a network: shared
/// parameters come from the chain ([`VotingRules`](duet_primitives::VotingRules)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How far above GRANDPA's best votes and justifications of peers that are ahead are taken.
    pub lookahead: u32,
    /// One step of the aggregator schedule. (ROUND-6)
    pub publish_step: Millis,
    /// How long votes on a mandatory block are gathered after they suffice for its proof, unless all members have voted.
    /// (ROUND-8)
    pub grace: Millis,
    /// How often votes that come late are added to the proof of their block at most, unless they are all that is missing.
    /// (ROUND-9)
    pub grow_step: Millis,
    /// After this long the open own votes and the latest proof are published again.
    pub rebroadcast: Millis,
    /// How long an answer may take (peers, signer, block state) before the voter asks again.
    pub retry: Millis,
    /// How many rounds of one signer are kept at once; its lowest goes first. (GOSSIP-7)
    pub rounds_per_signer: usize,
    /// How many justifications wait for GRANDPA at most; the highest goes first. (GOSSIP-7)
    pub max_justifications: usize,
    /// The maximum number of sets that wait for their proofs, with the signing one; at least three. See
    /// [`Voter::accepts_eras`](crate::Voter::accepts_eras).
    pub max_eras: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            lookahead: 128,
            publish_step: 500,
            grace: 1_000,
            grow_step: 1_000,
            rebroadcast: 30_000,
            retry: 3_000,
            rounds_per_signer: 32,
            max_justifications: 256,
            max_eras: 256,
        }
    }
}
