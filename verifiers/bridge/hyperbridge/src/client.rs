//! The consensus client.

use crate::{
    digest::Logs,
    error::Error,
    proof::{decode_bounded, trusted, ConsensusProof, MAX_PROOF_LEN},
};
use alloc::{boxed::Box, collections::BTreeMap, vec, vec::Vec};
use codec::Encode;
use core::marker::PhantomData;
use duet_light_client::{decode, Error as Refusal, Misbehaviour, Outcome, Trusted};
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

    /// Verifies a [`ConsensusProof`] in SCALE. The answer is the next trusted state and what to store of the block.
    ///
    /// Cost: two subgroup checks, and one stateless proof for each handoff and for the head.
    ///
    /// # Errors
    /// [`Error`]: the first rule that is broken. Nothing is trusted then.
    pub fn verify(
        &self,
        trusted_state: &[u8],
        proof: &[u8],
    ) -> Result<(Vec<u8>, StateCommitmentHeight), Error> {
        let mut trusted = trusted(trusted_state)?;
        let proof: ConsensusProof = decode_bounded(proof, MAX_PROOF_LEN, "consensus proof")?;
        for handoff in proof.handoffs {
            trusted = advance(&trusted, handoff)?;
        }
        trusted = advance(&trusted, proof.head)?;
        let block = trusted.best_block();
        let header = block.header(&proof.header).map_err(Error::Header)?;
        let logs = Logs::of_header(&proof.header)?;
        let commitment = StateCommitment {
            timestamp: self.seconds(logs.slot)?,
            overlay_root: logs.overlay_root,
            state_root: header.state_root(),
        };
        let height = u64::from(block.number().get());
        Ok((
            trusted.checkpoint().encode(),
            StateCommitmentHeight { commitment, height },
        ))
    }

    /// Verifies that two [`StatelessProof`]s in SCALE hold under the trusted sets and contradict each other.
    ///
    /// Cost: two subgroup checks and two stateless proofs.
    ///
    /// # Errors
    /// [`Error::NoContradiction`] when both can be true; otherwise the first rule that is broken.
    pub fn verify_fraud(
        &self,
        trusted_state: &[u8],
        first: &[u8],
        second: &[u8],
    ) -> Result<(), Error> {
        let trusted = trusted(trusted_state)?;
        let (first, second) = (check(&trusted, first)?, check(&trusted, second)?);
        let misbehaviour = Misbehaviour::new(first, second);
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

fn check(trusted: &Trusted, proof: &[u8]) -> Result<Justification, Refusal> {
    trusted.check_stateless(decode(proof)?)
}

impl<S> ConsensusClient for DuetConsensusClient<S>
where
    S: StateMachineClient + From<StateMachine> + 'static,
{
    fn verify_consensus(
        &self,
        _host: &dyn IsmpHost,
        consensus_state_id: ConsensusStateId,
        trusted_consensus_state: Vec<u8>,
        proof: Vec<u8>,
    ) -> Result<(Vec<u8>, VerifiedCommitments), IsmpError> {
        let (state, commitment) = self.verify(&trusted_consensus_state, &proof)?;
        let id = StateMachineId {
            state_id: self.state_machine,
            consensus_state_id,
        };
        Ok((state, BTreeMap::from([(id, vec![commitment])])))
    }

    fn verify_fraud_proof(
        &self,
        _host: &dyn IsmpHost,
        trusted_consensus_state: Vec<u8>,
        proof_1: Vec<u8>,
        proof_2: Vec<u8>,
    ) -> Result<(), IsmpError> {
        Ok(self.verify_fraud(&trusted_consensus_state, &proof_1, &proof_2)?)
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
