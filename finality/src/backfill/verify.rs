//! Checks history responses as a light client does, one handoff after the other. (REQ-4)

use crate::store::StoreError;
use duet_gossip::{
    reputation::PeerBehaviour, requests::response::ResponseError, source::HandoffProof,
};
use duet_light_client::{Checkpoint, Error as LightError, Mode, Outcome, StateError, Trusted};
use duet_primitives::{BlockNumber, Justification, Keysets, Pk1Bytes, SetId, H256};

/// Why a history response was rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackfillError {
    #[error("REQ-3: {0}")]
    Response(#[from] ResponseError),
    #[error("REQ-4: expected the handoff of set {expected}, got that of set {got}")]
    WrongSet { expected: SetId, got: SetId },
    #[error("REQ-4: {0}")]
    Rule(#[from] LightError),
    #[error(
        "REQ-4: the proof of the first set is about block {block}, in which no first set begins"
    )]
    NotTheFirstSet { block: BlockNumber },
    #[error("REQ-5: the proof holds, and contradicts this node's finalized chain")]
    Contradiction(Box<Justification>),
    #[error("the stored history is unusable at set {set}: {error}")]
    Unusable {
        set: SetId,
        error: Box<UnusableError>,
    },
    /// The node stops.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the stored history cannot be continued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnusableError {
    #[error("the handoff to the set or the set's keys are not stored")]
    Absent,
    #[error(transparent)]
    Checkpoint(#[from] StateError),
    #[error(transparent)]
    Rule(#[from] LightError),
}

impl BackfillError {
    /// The sender's behaviour; `None` when the peer is not to blame.
    pub(crate) fn behaviour(&self) -> Option<PeerBehaviour> {
        match self {
            Self::Response(error) => Some(PeerBehaviour::of_response_error(error)),
            Self::WrongSet { .. } | Self::NotTheFirstSet { .. } => Some(PeerBehaviour::BadResponse),
            Self::Rule(error) => PeerBehaviour::of_answered_proof(error),
            Self::Contradiction(_) | Self::Unusable { .. } | Self::Store(_) => None,
        }
    }
}

/// A checked handoff proof.
pub(crate) struct Verified {
    /// The trusted state after it.
    pub(crate) trusted: Trusted,
    /// Its justification.
    pub(crate) justification: Justification,
}

/// REQ-4: checks the handoff of `set` against the trusted state after the earlier ones.
pub(crate) fn verify(
    trusted: &Trusted,
    set: SetId,
    proof: HandoffProof,
) -> Result<Verified, BackfillError> {
    let commitment = &proof.justification.commitment;
    let (got, number) = (commitment.validator_set_id, commitment.block_number);
    if got != set {
        return Err(BackfillError::WrongSet { expected: set, got });
    }
    match trusted.verify(proof)? {
        Outcome::New(verified) => Ok(Verified {
            trusted: verified.trusted,
            justification: verified.justification,
        }),
        Outcome::Known => Err(BackfillError::Rule(LightError::OldBlock {
            best: trusted.best_number(),
            got: number,
        })),
    }
}

/// The trusted state after a handoff that was checked before it was stored.
pub(crate) fn resume(genesis_hash: H256, before: HandoffProof) -> Result<Trusted, UnusableError> {
    let commitment = before.justification.commitment;
    let checkpoint = Checkpoint {
        genesis_hash,
        block_number: commitment.block_number,
        block_hash: commitment.block_hash,
        keysets: Keysets::without_successor(commitment.next),
    };
    begin(checkpoint, &before.next_keys)
}

/// The trusted state at a block that this node knows to be final, with the keys of the signing set.
pub(crate) fn begin(checkpoint: Checkpoint, keys: &[Pk1Bytes]) -> Result<Trusted, UnusableError> {
    let set = checkpoint.keysets.current.id;
    let trusted = Trusted::from_checkpoint(checkpoint, Mode::Full)?;
    Ok(trusted.with_keys(set, keys)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_light_client::testing::TestChain;
    use duet_primitives::UncheckedJustification;

    /// The error of a handoff of set 1 that is valid before `tweak`.
    fn refused(tweak: impl Fn(&TestChain, &mut HandoffProof)) -> BackfillError {
        let chain = TestChain::new(4, 4, 0);
        let genesis = Trusted::from_genesis(chain.genesis_hash, &chain.genesis_proof(), Mode::Full);
        let mut proofs = chain.handoff_proofs(0, 2);
        let first =
            verify(&genesis.unwrap(), SetId::new(0), proofs.remove(0)).expect("the first holds");
        let mut proof = proofs.remove(0);
        assert!(verify(&first.trusted, SetId::new(1), proof.clone()).is_ok());
        tweak(&chain, &mut proof);
        let result = verify(&first.trusted, SetId::new(1), proof);
        result.err().expect("it was tweaked")
    }

    #[test]
    fn every_lie_has_a_reason_of_its_own_and_blames_its_sender() {
        type Tweak = fn(&TestChain, &mut HandoffProof);
        let tweaks: [(&str, Tweak); 6] = [
            (
                "expected the handoff of set 1, got that of set 0",
                |chain, proof| {
                    *proof = chain.handoff_proofs(0, 1).remove(0);
                },
            ),
            (
                "expected the handoff of set 1, got that of set 2",
                |chain, proof| {
                    *proof = chain.handoff_proofs(2, 1).remove(0);
                },
            ),
            ("LIGHT-3", |chain, proof| {
                proof.next_keys = chain.keys(3).unwrap();
            }),
            ("LIGHT-5", |chain, proof| {
                let ordinary: UncheckedJustification = chain.justification(12).unwrap();
                proof.justification = ordinary;
            }),
            ("JUST-5", |_, proof| {
                proof.justification.commitment.mmr_root = H256::repeat_byte(7);
            }),
            ("JUST-5", |_, proof| {
                *proof = TestChain::new(4, 4, 1).handoff_proofs(1, 1).remove(0);
            }),
        ];
        for (reason, tweak) in tweaks {
            let error = refused(tweak);
            let text = error.to_string();
            assert!(text.starts_with("REQ-4"), "{text}");
            assert!(text.contains(reason), "{text} is not about {reason}");
            assert_eq!(
                error.behaviour(),
                Some(PeerBehaviour::BadResponse),
                "{text}"
            );
        }
    }
}
