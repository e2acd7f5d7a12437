//! Puts words into others' mouths: votes under their names, proofs that do not hold.

use super::{Adversary, Message, NodeId, View};
use crate::simulation::{below, crypto, pick};
use duet_primitives::{Bitfield, SignerIndex, UncheckedJustification, UncheckedVote, H256};
use rand_chacha::ChaCha8Rng;
use std::{collections::VecDeque, sync::Arc};

/// The first and the last byte of each part of a signature. Few, so that the same forgeries are checked once.
const ENDS: [usize; 6] = [0, 47, 48, 79, 80, 111];

#[derive(Default)]
pub(crate) struct Forger {
    votes: VecDeque<UncheckedVote>,
    proofs: VecDeque<UncheckedJustification>,
}

impl Adversary for Forger {
    fn hear(&mut self, message: &Arc<Message>) {
        match message.as_ref() {
            Message::Vote(vote) => self.votes.push_back(vote.clone()),
            Message::Proof(proof) => self.proofs.push_back(proof.clone()),
            _ => {}
        }
        self.votes.drain(..self.votes.len().saturating_sub(8));
        self.proofs.drain(..self.proofs.len().saturating_sub(2));
    }

    fn act(&mut self, view: &View<'_>, rng: &mut ChaCha8Rng) -> Vec<(NodeId, Arc<Message>)> {
        let mut sent = Vec::new();
        let ahead = view.finalized.saturating_next();
        let commitment = view.chain.commitment(ahead.min(view.chain.height));
        let n = view
            .chain
            .era_at(commitment.block_number)
            .set
            .set
            .keyset()
            .len();
        // In the name of each other signer, before that one can speak, with the own signature.
        if let Some(own) = view.sign(&commitment) {
            for signer in (0..n)
                .chain([n, u32::MAX])
                .filter(|signer| *signer != own.signer.get())
            {
                sent.extend(view.to_all(&Arc::new(Message::Vote(UncheckedVote {
                    signer: SignerIndex::new(signer),
                    ..own.clone()
                }))));
            }
        }
        // True votes with one byte of signature or proof changed, or on something else.
        for vote in &self.votes {
            let mut vote = vote.clone();
            match below(rng, 2) {
                0 => vote.signature.0[ENDS[pick(rng, ENDS.len())]] ^= 1,
                _ => vote.commitment.mmr_root = H256::repeat_byte(0xcc),
            }
            sent.extend(view.to_all(&Arc::new(Message::Vote(vote))));
        }
        for proof in &self.proofs {
            sent.extend(view.to_all(&Arc::new(Message::Proof(tampered(proof, n, rng)))));
        }
        // A proof out of nothing.
        if let Some(own) = view.sign(&commitment) {
            let proof = UncheckedJustification {
                commitment,
                signers: Bitfield::from_indices(n, (0..n).map(SignerIndex::new)),
                signature: own.signature.sigma(),
                apk2: crypto::keys(view.id).1,
            };
            sent.extend(view.to_all(&Arc::new(Message::Proof(proof.clone()))));
            sent.extend(view.to_all(&Arc::new(Message::Response(vec![proof]))));
        }
        sent
    }
}

fn tampered(
    proof: &UncheckedJustification,
    n: u32,
    rng: &mut ChaCha8Rng,
) -> UncheckedJustification {
    let mut proof = proof.clone();
    match below(rng, 4) {
        0 => proof.signers = Bitfield::from_indices(n, [SignerIndex::new(0)]),
        1 => proof.signers = Bitfield::from_bytes(vec![0xff; proof.signers.as_bytes().len()]),
        2 => proof.apk2.0[95] ^= 1,
        _ => {
            let block = &mut proof.commitment.block_number;
            *block = block.saturating_next();
        }
    }
    proof
}
