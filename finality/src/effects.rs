//! Carries out the voter's effects, in a task of its own ([`orders`](crate::orders)).
//!
//! Durable data is written before the next effect runs. A failed write stops the node; the voter asks again for
//! everything else that fails.

use crate::{
    chain::Chain,
    desk::Desk,
    error::Error,
    kept::{KeptPayloads, Votable},
    metrics::Metrics,
    newest::Publisher,
    order::Order,
    reading::{try_again, ToPrepare},
    reports::Filing,
    signing::SignRequest,
    statement::FalseStatement,
    store::Store,
};
use codec::Encode;
use duet_gossip::{GossipValidator, Network, LOG_TARGET};
use duet_primitives::{
    BlockNumber, EquivocationProof, Justification, KeysetCommitment, UncheckedJustification, Vote,
    H256,
};
use duet_voter::Aggregation;
use sc_telemetry::{telemetry, TelemetryHandle, CONSENSUS_INFO};
use std::sync::Arc;

/// The desks for work that may take longer than the worker may pause.
pub(crate) struct Desks {
    /// Aggregates votes.
    pub(crate) aggregations: Desk<Box<Aggregation>>,
    /// Reads sets.
    pub(crate) sets: Desk<KeysetCommitment>,
    /// Reads payloads of blocks.
    pub(crate) blocks: Desk<ToPrepare>,
}

/// The inputs for carrying out effects.
pub(crate) struct Surroundings {
    pub(crate) chain: Arc<Chain>,
    pub(crate) store: Store,
    pub(crate) network: Arc<dyn Network>,
    pub(crate) validator: Arc<GossipValidator>,
    pub(crate) desks: Desks,
    /// The reports of two contradicting votes of one validator on one block.
    pub(crate) equivocations: Filing<EquivocationProof>,
    /// The reports of proofs that contradict the finalized chain.
    pub(crate) false_statements: Filing<FalseStatement>,
    /// To the task that signs.
    pub(crate) signing: async_channel::Sender<SignRequest>,
    /// Takes each justification by which the proven chain grows.
    pub(crate) subscribers: Publisher,
    /// Receives each proven block.
    pub(crate) telemetry: Option<TelemetryHandle>,
    pub(crate) metrics: Metrics,
}

/// Carries out effects, with one method for each that takes more than a line.
pub(crate) struct Effects {
    surroundings: Surroundings,
    /// Blocks whose payload is stored until they are proven.
    kept: KeptPayloads,
    /// The highest block whose vote was counted as sent.
    best_voted: Option<BlockNumber>,
    /// The highest block that is proven.
    best_proven: Option<BlockNumber>,
}

impl Effects {
    pub(crate) fn new(surroundings: Surroundings) -> Self {
        let mut effects = Self {
            surroundings,
            kept: KeptPayloads::default(),
            best_voted: None,
            best_proven: None,
        };
        // An unreadable entry stops the worker, which reports it.
        if let Ok(Some(best)) = effects.surroundings.store.best() {
            effects.show_signers(&best);
        }
        effects
    }

    /// Updates the number of signers of the highest proven block.
    fn show_signers(&mut self, proof: &UncheckedJustification) {
        let block = Some(proof.commitment.block_number);
        if block >= self.best_proven {
            self.best_proven = block;
            let signers = proof.signers.count();
            self.surroundings.metrics.signers.set(signers.into());
        }
    }

    /// Carries out one order.
    pub(crate) fn carry_out(&mut self, order: Order) -> Result<(), Error> {
        match order {
            Order::Persist(state) => self.surroundings.store.put_voter_state(state)?,
            Order::Conclude {
                justification,
                mandatory,
            } => self.conclude(justification, mandatory)?,
            Order::Grow {
                justification,
                mandatory,
            } => self.grow(justification, mandatory)?,
            Order::FindPayloads(votable) => self.find_payloads(&votable)?,
            Order::KeepPayload {
                number,
                hash,
                votable,
            } => self.keep_payload(number, hash, &votable)?,
            Order::KeepDivergences(all) => self.surroundings.store.put_divergences(&all)?,
            Order::PublishVote(vote) => self.publish_vote(&vote),
            Order::PublishJustification(justification) => self.publish_justification(justification),
            Order::Report(evidence) => self.surroundings.equivocations.file(&evidence)?,
            Order::Accuse(proof) => {
                let statement = FalseStatement::Proof(*proof);
                self.surroundings.false_statements.file(&statement)?;
            }
            Order::Aggregate(votes) => {
                accepted(self.surroundings.desks.aggregations.hand_in(votes))
            }
            Order::LoadSet(commitment) => {
                accepted(self.surroundings.desks.sets.hand_in(commitment))
            }
            Order::Prepare(block) => accepted(self.surroundings.desks.blocks.hand_in(block)),
            Order::Sign(request) => accepted(self.surroundings.signing.try_send(request)),
        }
        Ok(())
    }

    fn conclude(&mut self, justification: Justification, mandatory: bool) -> Result<(), Error> {
        let justification = justification.into_unchecked();
        match mandatory {
            true => self.surroundings.store.put_handoff(&justification)?,
            false => self.surroundings.store.put_best(&justification)?,
        }
        self.concluded(justification)
    }

    fn grow(&mut self, justification: Justification, mandatory: bool) -> Result<(), Error> {
        let justification = justification.into_unchecked();
        let Surroundings { store, metrics, .. } = &self.surroundings;
        store.put_fuller(&justification)?;
        if mandatory {
            store.put_fuller_handoff(&justification)?;
        }
        metrics.grown.inc();
        log::debug!(
            target: LOG_TARGET,
            "the proof of block {} has {} signers now",
            justification.commitment.block_number,
            justification.signers.count(),
        );
        self.show_signers(&justification);
        self.surroundings.subscribers.publish_fuller(justification);
        Ok(())
    }

    fn concluded(&mut self, justification: UncheckedJustification) -> Result<(), Error> {
        let commitment = &justification.commitment;
        let (number, hash) = (commitment.block_number, commitment.block_hash);
        log::info!(
            target: LOG_TARGET,
            "block {number} ({hash:?}) is final: set {}, {} signers",
            commitment.validator_set_id,
            justification.signers.count(),
        );
        let Surroundings {
            chain,
            metrics,
            telemetry,
            ..
        } = &self.surroundings;
        telemetry!(telemetry; CONSENSUS_INFO; "duet.proven";
            "number" => number.get(),
            "hash" => ?hash,
            "set_id" => commitment.validator_set_id.get(),
            "signers" => justification.signers.count(),
        );
        if let Err(error) = chain.append(hash, justification.encode()) {
            log::warn!(target: LOG_TARGET, "block {number} is stored without its proof: {error}");
        }
        metrics.concluded.inc();
        self.drop_proven(number, hash)?;
        self.show_signers(&justification);
        self.surroundings.subscribers.publish(justification);
        Ok(())
    }

    fn find_payloads(&mut self, votable: &Votable) -> Result<(), Error> {
        let Surroundings { chain, store, .. } = &self.surroundings;
        self.kept.find(chain, store, votable)?;
        self.drop_payloads(votable)
    }

    fn keep_payload(
        &mut self,
        number: BlockNumber,
        hash: H256,
        votable: &Votable,
    ) -> Result<(), Error> {
        match self.surroundings.chain.keep_payload(hash) {
            Ok(()) => self.kept.insert(number, hash),
            Err(error) => try_again("the payload of a block cannot be stored", &error),
        }
        self.drop_payloads(votable)
    }

    /// Drops the payloads of blocks that are no longer voted on.
    fn drop_payloads(&mut self, votable: &Votable) -> Result<(), Error> {
        let dropped = self.kept.take_surplus(votable);
        if dropped.is_empty() {
            return Ok(());
        }
        Ok(self.surroundings.store.drop_payloads(&dropped)?)
    }

    /// Drops the payloads of a proven block and of those below it.
    fn drop_proven(&mut self, number: BlockNumber, hash: H256) -> Result<(), Error> {
        let mut blocks = self.kept.take_proven(number);
        blocks.push(hash);
        Ok(self.surroundings.store.drop_payloads(&blocks)?)
    }

    fn publish_vote(&mut self, vote: &Vote) {
        let number = vote.commitment().block_number;
        let Surroundings {
            network,
            validator,
            metrics,
            ..
        } = &self.surroundings;
        validator.record_own_vote(vote);
        if Some(number) > self.best_voted {
            self.best_voted = Some(number);
            metrics.votes_sent.inc();
            metrics.best_voted.set(number.get().into());
        }
        log::debug!(target: LOG_TARGET, "vote on block {number} sent");
        network.publish_vote(vote);
    }

    fn publish_justification(&self, justification: UncheckedJustification) {
        self.surroundings.metrics.justifications_published.inc();
        self.surroundings
            .network
            .publish_justification(justification);
    }
}

/// The voter asks again for orders that find no room.
fn accepted<E>(handed_in: Result<(), E>) {
    if handed_in.is_err() {
        log::debug!(target: LOG_TARGET, "earlier work of this kind is not finished; the voter asks again later");
    }
}
