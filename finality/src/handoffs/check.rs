//! Checks peers' answers, in a task of its own: up to 64 proofs take longer than the worker may pause. (REQ-2)

use crate::chain::{
    error::{ChainError, CheckError},
    Chain,
};
use async_channel::{Receiver, Sender};
use duet_gossip::{
    on_demand::RequestId,
    reputation::PeerBehaviour,
    requests::{justifications::decode_response, response::ResponseError},
    MAX_JUSTIFICATIONS,
};
use duet_primitives::{
    Justification, JustificationError, PreparedJustification, SetId, UncheckedJustification,
};
use sc_network_types::PeerId;
use std::{iter, sync::Arc};

/// The most answers that wait for a check: as many peers are asked at once.
const QUEUE: usize = 4;

/// A peer's answer to a request.
pub(crate) struct Received {
    pub(super) id: RequestId,
    pub(super) peer: PeerId,
    /// The first set of the requested handoffs.
    pub(super) first_set: SetId,
    pub(super) bytes: Vec<u8>,
}

/// The result of an answer's check.
pub(crate) struct Checked {
    pub(super) id: RequestId,
    pub(super) peer: PeerId,
    /// The valid proofs, in order of their sets, up to the first invalid one; `None` when the answer does not decode.
    pub(super) good: Option<Vec<Justification>>,
    /// Why the answer is not used, or only in part.
    pub(super) refused: Option<AnswerError>,
}

/// Why an answer is not used, or only in part.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnswerError {
    #[error(transparent)]
    Response(#[from] ResponseError),
    #[error("REQ-1: expected the handoff of set {expected}, got a justification of set {got}")]
    WrongSet { expected: SetId, got: SetId },
    #[error("REQ-1: the justification of set {set} is not a handoff")]
    NoHandoff { set: SetId },
    #[error(transparent)]
    Broken(JustificationError),
    #[error(transparent)]
    NotChecked(ChainError),
}

impl AnswerError {
    /// The peer's behaviour; `None` when the peer is not to blame.
    pub(super) fn behaviour(&self) -> Option<PeerBehaviour> {
        match self {
            Self::Response(error) => Some(PeerBehaviour::of_response_error(error)),
            Self::WrongSet { .. } | Self::NoHandoff { .. } => Some(PeerBehaviour::BadResponse),
            Self::Broken(error) => PeerBehaviour::of_answered_justification(error),
            Self::NotChecked(_) => None,
        }
    }
}

impl From<CheckError> for AnswerError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Set(error) => Self::NotChecked(error),
            CheckError::Broken(error) => Self::Broken(error),
        }
    }
}

/// The worker's ends of the queues to and from the task that checks.
pub(crate) struct CheckLinks {
    pub(crate) received: Sender<Received>,
    pub(crate) checked: Receiver<Checked>,
}

/// The task that checks answers.
pub(crate) struct AnswerCheck {
    chain: Arc<Chain>,
    received: Receiver<Received>,
    checked: Sender<Checked>,
}

impl AnswerCheck {
    /// The task, and how it is reached.
    pub(crate) fn new(chain: Arc<Chain>) -> (Self, CheckLinks) {
        let (to_task, received) = async_channel::bounded(QUEUE);
        let (to_worker, checked) = async_channel::bounded(QUEUE);
        let task = Self {
            chain,
            received,
            checked: to_worker,
        };
        let links = CheckLinks {
            received: to_task,
            checked,
        };
        (task, links)
    }

    /// Checks until the worker is gone. It computes and reads the database, so it gets a thread of its own.
    pub(crate) async fn run(self) {
        while let Ok(received) = self.received.recv().await {
            if self.checked.send(self.check(received)).await.is_err() {
                return;
            }
        }
    }

    fn check(&self, received: Received) -> Checked {
        let Received {
            id,
            peer,
            first_set,
            bytes,
        } = received;
        let (good, refused) = match decode_response(&bytes, MAX_JUSTIFICATIONS) {
            Ok(list) => {
                let (good, refused) = self.check_all(first_set, list);
                (Some(good), refused)
            }
            Err(error) => (None, Some(error.into())),
        };
        Checked {
            id,
            peer,
            good,
            refused,
        }
    }

    /// REQ-2: the valid proofs, in order of their sets, up to the first invalid one; and why that one is invalid.
    /// Their equations are checked together. (JUST-6)
    fn check_all(
        &self,
        first_set: SetId,
        list: Vec<UncheckedJustification>,
    ) -> (Vec<Justification>, Option<AnswerError>) {
        let mut prepared = Vec::with_capacity(list.len());
        let mut refused = None;
        let sets = iter::successors(Some(first_set), |set| set.checked_next());
        for (set, justification) in sets.zip(list) {
            match self.prepare(set, justification, prepared.last()) {
                Ok(one) => prepared.push(one),
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        let count = prepared.len();
        let good = PreparedJustification::verify_all(prepared);
        if good.len() < count {
            refused = Some(AnswerError::Broken(JustificationError::EquationFails));
        }
        (good, refused)
    }

    fn prepare(
        &self,
        expected: SetId,
        justification: UncheckedJustification,
        before: Option<&PreparedJustification>,
    ) -> Result<PreparedJustification, AnswerError> {
        let commitment = &justification.commitment;
        let got = commitment.validator_set_id;
        if got != expected {
            return Err(AnswerError::WrongSet { expected, got });
        }
        if !commitment.is_handoff() {
            return Err(AnswerError::NoHandoff { set: got });
        }
        Ok(self.chain.prepare(justification, before)?)
    }
}
