//! One of a coalition that is a set's quorum. It votes as honest validators do, but for one block of each set, of which
//! all of them say the same falsehood: with their votes, and the first of them with a whole proof.

use super::{Adversary, Message, NodeId, View};
use crate::simulation::{below, chain::Era, crypto};
use duet_primitives::{BlockNumber, Commitment, SignerIndex, H256};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// From a set's first block to the one that the coalition lies about.
const LIE_AFTER: u32 = 2;
/// How many of the last finalized blocks it votes on in each turn.
const VOTED: u32 = 12;

#[derive(Default)]
pub(crate) struct Colluder;

impl Adversary for Colluder {
    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        let last = view.finalized.get();
        let mut sent = Vec::new();
        for block in (last.saturating_sub(VOTED).max(1)..=last).map(BlockNumber::new) {
            let era = view.chain.era_at(block);
            let mut said = view.chain.commitment(block);
            let lies = block == era.start.saturating_add(LIE_AFTER);
            if lies {
                match era.set.set.commitment().id.get() % 3 {
                    0 => said.block_hash = H256::repeat_byte(0xfa),
                    1 => said.next.root = H256::repeat_byte(0xfb),
                    _ => said.mmr_root = H256::repeat_byte(0xfc),
                }
            }
            let vote = view.vote(&said);
            sent.extend(vote.iter().flat_map(|vote| view.to_all(vote)));
            let is_first = view.colluders.first() == Some(&view.id);
            if lies && is_first && below(rng, 2) == 0 {
                sent.extend(
                    proof(view, era, &said)
                        .iter()
                        .flat_map(|proof| view.to_all(proof)),
                );
            }
        }
        sent
    }
}

/// The proof by all colluders who are in the set, if they are enough.
fn proof(view: &View<'_>, era: &Era, said: &Commitment) -> Option<Arc<Message>> {
    let keyset = era.set.set.keyset();
    let colluders = view.colluders.iter();
    let signers: Vec<SignerIndex> = colluders
        .filter_map(|id| keyset.position(&crypto::key(*id)))
        .collect();
    let enough = signers.len() >= keyset.threshold() as usize;
    enough.then(|| Arc::new(Message::Proof(crypto::justify(&era.set, said, &signers))))
}
