//! The consensus client.

use crate::{
    clock::{millis, Clock},
    digest::Logs,
    error::Error,
    proof::{ConsensusProof, Update},
    recovery::{announce, cross},
    state::{trusted, State},
};
use alloc::{boxed::Box, vec, vec::Vec};
use codec::Encode;
use core::{marker::PhantomData, time::Duration};
use duet_light_client::{decode, Misbehaviour, Outcome, Trusted};
use duet_primitives::{Justification, StatelessProof};
use ismp::{
    consensus::{
        ConsensusClient, ConsensusClientId, ConsensusStateId, StateCommitment, StateMachineClient,
        StateMachineId, VerifiedCommitments,
    },
    error::Error as IsmpError,
    host::{IsmpHost, StateMachine},
    messaging::StateCommitmentHeight,
};

/// Under which id hosts know this client.
pub const CONSENSUS_CLIENT_ID: ConsensusClientId = *b"DUET";

/// Follows one chain that Duet finalizes. `S` verifies proofs of the chain's state, such as Hyperbridge's
/// `SubstrateStateMachine`.
pub struct DuetConsensusClient<S> {
    state_machine: StateMachine,
    slot_millis: u64,
    proves_state: PhantomData<fn() -> S>,
}

impl<S> DuetConsensusClient<S> {
    /// A client of this chain with Aura slots of this duration in ms. A wrong duration makes wrong timestamps.
    pub fn new(state_machine: StateMachine, slot_millis: u64) -> Self {
        Self {
            state_machine,
            slot_millis,
            proves_state: PhantomData,
        }
    }

    /// Verifies an [`Update`] in SCALE. The answer is the next trusted state and what to store of the block, which there is
    /// for [`Update::Blocks`] alone.
    ///
    /// Cost: two subgroup checks, and one stateless proof for each handoff and for the head; for an announcement the
    /// two, one recovery proof, and a hash for each trie node.
    ///
    /// # Errors
    /// [`Error`]: the first rule that is broken. Nothing is trusted then.
    ///
    /// # Security
    /// `clock` must not be set by relayers.
    pub fn verify(
        &self,
        trusted_state: &[u8],
        update: &[u8],
        clock: Clock,
    ) -> Result<(Vec<u8>, Option<StateCommitmentHeight>), Error> {
        let state = State::read(trusted_state)?;
        let state = match Update::decode(update)? {
            Update::Blocks(proof) => {
                let (state, commitment) = self.blocks(state, proof, clock)?;
                return Ok((state.encode(), Some(commitment)));
            }
            Update::Announce(announcement) => announce(state, announcement, clock)?,
            Update::Cross => cross(state, clock)?,
        };
        Ok((state.encode(), None))
    }

    fn blocks(
        &self,
        state: State,
        proof: ConsensusProof,
        clock: Clock,
    ) -> Result<(State, StateCommitmentHeight), Error> {
        let State {
            checkpoint,
            mut rest,
        } = state;
        if let Some(known) = rest.recovering.take() {
            clock.check(known.dated)?;
        }
        let mut trusted = trusted(checkpoint)?;
        for proof in proof.handoffs.into_iter().chain([proof.head]) {
            let after = advance(&trusted, proof)?;
            if after.signing().id != trusted.signing().id {
                rest.keep(trusted.signing().clone(), clock);
            }
            trusted = after;
        }
        let block = trusted.best_block();
        let header = block.header(&proof.header)?;
        let logs = Logs::of_header(&proof.header)?;
        let commitment = StateCommitment {
            timestamp: self.seconds(logs.slot)?,
            overlay_root: logs.overlay_root,
            state_root: header.state_root(),
        };
        let height = u64::from(block.number().get());
        let state = State {
            checkpoint: trusted.checkpoint(),
            rest,
        };
        Ok((state, StateCommitmentHeight { commitment, height }))
    }

    /// Verifies that two [`StatelessProof`]s in SCALE hold and contradict each other: under the trusted sets, or those of
    /// the last four before them that were replaced no longer ago than the host's unbonding period was then.
    ///
    /// Cost: four subgroup checks and two stateless proofs.
    ///
    /// # Errors
    /// [`Error::NoContradiction`] when both can be true; otherwise the first rule that is broken.
    pub fn verify_fraud(
        &self,
        trusted_state: &[u8],
        first: &[u8],
        second: &[u8],
        now: Duration,
    ) -> Result<(), Error> {
        let check = |proof| check(State::read(trusted_state)?, proof, now);
        let misbehaviour = Misbehaviour::new(check(first)?, check(second)?);
        misbehaviour.map(drop).ok_or(Error::NoContradiction)
    }

    fn seconds(&self, slot: u64) -> Result<u64, Error> {
        let millis = slot.checked_mul(self.slot_millis);
        let seconds = millis.and_then(|millis| millis.checked_div(1000));
        seconds.ok_or(Error::SlotOutOfRange { slot })
    }
}

fn advance(trusted: &Trusted, proof: StatelessProof) -> Result<Trusted, Error> {
    // Before the verifier, which takes longer to say why such a proof does not hold. (LIGHT-7)
    trusted.signer(proof.justification.commitment.validator_set_id)?;
    match trusted.verify(proof)? {
        Outcome::New(verified) => Ok(verified.trusted),
        Outcome::Known => Err(Error::Known),
    }
}

fn check(state: State, proof: &[u8], now: Duration) -> Result<Justification, Error> {
    let proof: StatelessProof = decode(proof)?;
    let signer = proof.justification.commitment.validator_set_id;
    let trusted = trusted(state.for_evidence_of(signer, millis(now)))?;
    Ok(trusted.check_stateless(proof)?)
}

impl<S> ConsensusClient for DuetConsensusClient<S>
where
    S: StateMachineClient + From<StateMachine> + 'static,
{
    fn verify_consensus(
        &self,
        host: &dyn IsmpHost,
        consensus_state_id: ConsensusStateId,
        trusted_consensus_state: Vec<u8>,
        proof: Vec<u8>,
    ) -> Result<(Vec<u8>, VerifiedCommitments), IsmpError> {
        let clock = Clock {
            now: host.timestamp(),
            unbonding_period: host.unbonding_period(consensus_state_id),
        };
        let (state, commitment) = self.verify(&trusted_consensus_state, &proof, clock)?;
        let id = StateMachineId {
            state_id: self.state_machine,
            consensus_state_id,
        };
        let new = commitment.map(|new| (id, vec![new]));
        Ok((state, new.into_iter().collect()))
    }

    fn verify_fraud_proof(
        &self,
        host: &dyn IsmpHost,
        trusted_consensus_state: Vec<u8>,
        proof_1: Vec<u8>,
        proof_2: Vec<u8>,
    ) -> Result<(), IsmpError> {
        let now = host.timestamp();
        Ok(self.verify_fraud(&trusted_consensus_state, &proof_1, &proof_2, now)?)
    }

    fn consensus_client_id(&self) -> ConsensusClientId {
        CONSENSUS_CLIENT_ID
    }

    fn state_machine(&self, id: StateMachine) -> Result<Box<dyn StateMachineClient>, IsmpError> {
        if id != self.state_machine {
            return Err(Error::UnknownStateMachine.into());
        }
        Ok(Box::new(S::from(id)))
    }
}
