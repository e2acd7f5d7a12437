//! What a node does with what its peers send.

use super::{crypto, node::Running, world::World, Message, NodeId};
use duet_primitives::{SetId, UncheckedJustification, UncheckedVote};
use duet_voter::{Event, Filter, Recorded, RecordedProof, Verdict};
use std::sync::Arc;

impl World {
    pub(super) fn receive(&mut self, from: NodeId, to: NodeId, message: &Arc<Message>) {
        if self.node(to).is_none_or(|node| node.running.is_none()) {
            return;
        }
        match message.as_ref() {
            Message::Vote(vote) => self.receive_vote(from, to, vote, message),
            Message::Proof(proof) => self.receive_proof(from, to, proof, message),
            Message::Request { first_set } => self.serve(from, to, SetId::new(*first_set)),
            Message::Response(proofs) => self.receive_response(from, to, proofs),
        }
    }

    fn receive_vote(
        &mut self,
        from: NodeId,
        to: NodeId,
        vote: &UncheckedVote,
        message: &Arc<Message>,
    ) {
        let Some(Actors { filter, epoch, .. }) = self.parts(to) else {
            return;
        };
        match filter.vote(vote) {
            Verdict::Check(_) => {}
            Verdict::Blame(_) => return self.judge.blamed(to, from),
            Verdict::Known => return self.judge.knew(to, vote),
            Verdict::Ignore(reason) => {
                let standing = self.standing(to);
                return self.judge.ignored(standing, vote, reason);
            }
        }
        let era = self
            .chain
            .era(vote.commitment.validator_set_id)
            .expect("the filter knows it");
        let checked = match crypto::check_vote(&era.set, vote) {
            Ok(checked) => checked,
            Err(_) => return self.judge.blamed(to, from),
        };
        self.judge.checked_vote(to, epoch, vote);
        let Some(Actors { filter, .. }) = self.parts(to) else {
            return;
        };
        let recorded = filter.record_vote(&checked);
        match &recorded {
            Recorded::New | Recorded::Fuller | Recorded::Late => self.judge.took(to, vote),
            Recorded::Equivocation(_) => self.judge.took_evidence(to, vote),
            Recorded::Duplicate | Recorded::Misuse(_) => {}
        }
        match recorded {
            Recorded::New => {
                self.network
                    .broadcast(self.now, to, Some(from), message, &mut self.rng);
                self.feed(to, Event::Votes(vec![checked]));
            }
            Recorded::Equivocation(proof) => {
                self.network
                    .broadcast(self.now, to, Some(from), message, &mut self.rng);
                self.feed(to, Event::Equivocation(proof));
            }
            Recorded::Fuller => self.feed(to, Event::Votes(vec![checked])),
            Recorded::Late | Recorded::Duplicate => {}
            Recorded::Misuse(error) => panic!("the filter was misused: {error}"),
        }
    }

    fn receive_proof(
        &mut self,
        from: NodeId,
        to: NodeId,
        proof: &UncheckedJustification,
        message: &Arc<Message>,
    ) {
        if self.is_suspect(to, proof) {
            return self.receive_suspect(from, to, proof);
        }
        let Some(Actors { filter, epoch, .. }) = self.parts(to) else {
            return;
        };
        match filter.justification(proof) {
            Verdict::Check(_) => {}
            Verdict::Blame(_) => return self.judge.blamed(to, from),
            Verdict::Known | Verdict::Ignore(_) => return,
        }
        let era = self
            .chain
            .era(proof.commitment.validator_set_id)
            .expect("the filter knows it");
        let checked = match crypto::check_proof(&era.set, proof) {
            Ok(checked) => checked,
            Err(_) => return self.judge.blamed(to, from),
        };
        self.judge.checked_proof(to, epoch, proof);
        let Some(Actors { filter, .. }) = self.parts(to) else {
            return;
        };
        if filter.record_justification(&checked) == RecordedProof::New {
            self.network
                .broadcast(self.now, to, Some(from), message, &mut self.rng);
            if let Some(agreeing) = self.compare_proof(to, checked) {
                self.feed(to, Event::Justification(agreeing));
            }
        }
    }

    /// Mandatory proofs from the asked set on, a few at a time.
    fn serve(&mut self, from: NodeId, to: NodeId, first_set: SetId) {
        let Some(node) = self.node(to) else { return };
        let held = node
            .disk
            .handoffs
            .range(first_set..)
            .map(|(_, proof)| proof.clone());
        let message = Message::Response(held.take(3).collect());
        self.network
            .send(self.now, to, from, &Arc::new(message), &mut self.rng);
    }

    fn receive_response(&mut self, from: NodeId, to: NodeId, proofs: &[UncheckedJustification]) {
        let mut checked = Vec::new();
        for proof in proofs {
            let id = proof.commitment.validator_set_id;
            let Some(node) = self.node(to) else { return };
            let Some(known) = node.voter().era(id) else {
                continue;
            };
            let era = self.chain.era(id).expect("the voter knows it");
            assert_eq!(
                &known.set,
                era.set.set.commitment(),
                "the voter's eras are those of the chain"
            );
            match crypto::check_proof(&era.set, proof) {
                Ok(proof) => checked.push(proof),
                Err(_) => {
                    self.judge.blamed(to, from);
                    break;
                }
            }
        }
        let compared = checked.into_iter();
        let agreeing = compared
            .filter_map(|proof| self.compare_proof(to, proof))
            .collect();
        self.feed(to, Event::Response(agreeing));
    }

    fn parts(&mut self, id: NodeId) -> Option<Actors<'_>> {
        let node = self.node_mut(id)?;
        let epoch = node.epoch;
        let Running { filter, .. } = node.running.as_mut()?;
        Some(Actors { filter, epoch })
    }
}

struct Actors<'a> {
    filter: &'a mut Filter,
    epoch: u64,
}
