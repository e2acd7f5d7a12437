//! Carries out what the voter asks for.
//!
//! Effects run in the voter's order, and what must be durable is written before the next one runs. A write that
//! fails stops the node; everything else that fails is asked for again by the voter.

use super::{
    chain::AccountId,
    worker::{try_again, Worker},
    DuetClient, Error,
};
use crate::{
    network::validator::{justification_message, vote_message},
    LOG_TARGET,
};
use codec::Encode;
use duet_primitives::{
    BlockNumber, Commitment, DuetApi, EquivocationProof, Justification, KeysetCommitment, Pk1Bytes,
    RoundMessage, SignerIndex, Vote, H256,
};
use duet_voter::{Effect, Event};
use sc_client_api::Backend as BackendT;
use sc_network::NetworkRequest;
use sc_network_gossip::{Network as GossipNetwork, Syncing as GossipSyncing};
use sp_consensus::SyncOracle;
use sp_runtime::traits::{Block as BlockT, NumberFor};
use std::{convert::Infallible, sync::Arc};

impl<Block, Backend, Client, Network, Syncing> Worker<Block, Backend, Client, Network, Syncing>
where
    Block: BlockT<Hash = H256>,
    NumberFor<Block>: Into<BlockNumber> + From<BlockNumber>,
    Backend: BackendT<Block> + 'static,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
    Network: GossipNetwork<Block> + NetworkRequest + Clone + Send + Sync + 'static,
    Syncing: GossipSyncing<Block> + SyncOracle + Clone + Send + Sync + 'static,
{
    /// Carries out one effect; the event that answers it, if it can be answered now.
    pub(super) fn carry_out(&mut self, effect: Effect) -> Result<Option<Event>, Error> {
        match effect {
            Effect::Persist => self.persist()?,
            Effect::Conclude {
                justification,
                mandatory,
            } => {
                self.conclude(justification, mandatory)?;
            }
            Effect::PublishVote { vote, message } => self.publish_vote(&vote, &message),
            Effect::PublishJustification(justification) => {
                self.metrics.justifications_published.inc();
                let (topic, bytes) = justification_message(justification);
                self.engine.gossip_message(topic, bytes, false);
            }
            Effect::Report(evidence) => self.report(*evidence),
            Effect::Diverged(justification) => self.diverged(&justification),
            Effect::LoadSet(commitment) => return Ok(self.load_set(&commitment)),
            Effect::Prepare { number } => return Ok(self.prepare(number)),
            Effect::Sign {
                message,
                signer,
                key,
            } => return Ok(self.sign(&message, signer, &key)),
            Effect::Request { first_set } => self.on_demand.want(first_set),
            Effect::WakeAt(at) => self.wake_at = Some(at),
        }
        Ok(None)
    }

    /// ROUND-4.
    fn persist(&self) -> Result<(), Error> {
        let Some(voter) = &self.voter else {
            return Ok(());
        };
        Ok(self.store.put_voter_state(voter.state().to_bytes())?)
    }

    fn conclude(&mut self, justification: Justification, mandatory: bool) -> Result<(), Error> {
        let unchecked = justification.into_unchecked();
        self.store.put_best(&unchecked, mandatory)?;
        let commitment = &unchecked.commitment;
        let (number, hash) = (commitment.block_number, commitment.block_hash);
        log::info!(
            target: LOG_TARGET,
            "block {number} ({hash:?}) is final: set {}, {} signers",
            commitment.validator_set_id,
            unchecked.signers.count(),
        );
        if let Err(error) = self.chain.append(hash, unchecked.encode()) {
            log::warn!(target: LOG_TARGET, "block {number} is stored without its proof: {error}");
        }
        if mandatory {
            self.on_demand.found(commitment.validator_set_id);
        }
        self.forget_payloads(number, hash)?;
        self.metrics.concluded.inc();
        let notified = self
            .justifications
            .notify(|| Ok::<_, Infallible>(unchecked));
        match notified {
            Ok(()) => Ok(()),
            Err(never) => match never {},
        }
    }

    /// Payloads are kept for blocks that may still be signed.
    fn forget_payloads(&mut self, number: BlockNumber, hash: H256) -> Result<(), Error> {
        let above = self.kept.split_off(&number.saturating_add(1));
        let proven = std::mem::replace(&mut self.kept, above);
        let blocks: Vec<_> = proven.into_values().chain([hash]).collect();
        Ok(self.store.drop_payloads(&blocks)?)
    }

    fn publish_vote(&mut self, vote: &Vote, message: &Arc<RoundMessage>) {
        let number = vote.commitment().block_number;
        self.validator
            .with_filter(|filter| filter.note_vote(vote, message));
        if number > self.best_voted {
            self.best_voted = number;
            self.metrics.votes_sent.inc();
            self.metrics.best_voted.set(number.into());
        }
        log::debug!(target: LOG_TARGET, "vote on block {number} sent");
        let (topic, bytes) = vote_message(vote);
        self.engine.gossip_message(topic, bytes, false);
    }

    fn report(&self, evidence: EquivocationProof) {
        let (signer, number) = (evidence.signer, evidence.first.0.block_number);
        log::warn!(
            target: LOG_TARGET,
            "validator {signer} with key {} signed two commitments for block {number}",
            evidence.key,
        );
        match self.chain.report(&self.pool, evidence) {
            Ok(true) => self.metrics.equivocation_reports.inc(),
            Ok(false) => log::debug!(target: LOG_TARGET, "the runtime has no use for the evidence"),
            Err(error) => log::warn!(target: LOG_TARGET, "the evidence is not reported: {error}"),
        }
    }

    pub(super) fn diverged(&self, justification: &Justification) {
        self.metrics.justifications_diverged.inc();
        let commitment = justification.commitment();
        log::error!(
            target: LOG_TARGET,
            "a threshold of set {} signed block {} as {:?} with {:?}, which this node's finalized chain \
             does not say: more than a third of the validators, or this node's chain, are at fault",
            commitment.validator_set_id,
            commitment.block_number,
            commitment.block_hash,
            commitment.mmr_root,
        );
    }

    fn load_set(&mut self, commitment: &KeysetCommitment) -> Option<Event> {
        let (_, finalized) = self.chain.finalized();
        match self.chain.set(commitment, finalized) {
            Ok(set) => Some(Event::Set(set)),
            Err(error) => {
                log::warn!(target: LOG_TARGET, "set {} cannot be read: {error}", commitment.id);
                None
            }
        }
    }

    /// ROUND-1: only what this node's finalized chain says is ever hashed, and so signed.
    fn prepare(&mut self, number: BlockNumber) -> Option<Event> {
        match self.chain.commitment(number) {
            Ok(commitment) => {
                let message = self.message(&commitment);
                self.validator
                    .with_filter(|filter| filter.remember(&message));
                Some(Event::Prepared(message))
            }
            Err(error) => {
                try_again("what is signed about a block cannot be read", &error);
                None
            }
        }
    }

    /// The commitment's message, hashed once for the whole round.
    fn message(&self, commitment: &Commitment) -> Arc<RoundMessage> {
        self.validator
            .with_filter(|filter| filter.message(commitment))
            .unwrap_or_else(|| Arc::new(RoundMessage::new(self.genesis_hash, commitment.clone())))
    }

    /// Signs, and checks the signature before anybody sees it: a signer may be remote or broken.
    fn sign(
        &self,
        message: &Arc<RoundMessage>,
        signer: SignerIndex,
        key: &Pk1Bytes,
    ) -> Option<Event> {
        let id = message.commitment().validator_set_id;
        let set = self.voter.as_ref()?.set(id)?;
        let vote = match self.signer.sign_vote(key, signer, message) {
            Ok(vote) => vote,
            Err(error) => {
                log::error!(target: LOG_TARGET, "no vote of key {key}: {error}");
                return None;
            }
        };
        match vote.check(set.keyset(), message) {
            Ok(vote) => Some(Event::Signed(vote)),
            Err(error) => {
                log::error!(target: LOG_TARGET, "the signer gave a bad vote of key {key}: {error}");
                None
            }
        }
    }
}
