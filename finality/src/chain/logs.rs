//! Duet's logs in block headers.

use duet_primitives::{CommitmentPayload, ConsensusLog, H256};
use sp_runtime::{Digest, DigestItem};

/// Duet's logs in a header's digest, in the voter's order: what starts, its voting rules, then what is planned. A
/// reset voids the earlier logs (RESET-2): the block's state has no trace of them. The payload log changes no set,
/// and is left out ([`payload_hash`]).
pub(crate) fn decode_logs(digest: &Digest) -> Vec<ConsensusLog> {
    let of_sets =
        |log: &ConsensusLog| !matches!(log, ConsensusLog::Payload(_) | ConsensusLog::Pardoned(_));
    let mut logs: Vec<ConsensusLog> = ours(digest).filter(of_sets).collect();
    let is_reset = |log: &ConsensusLog| matches!(log, ConsensusLog::Reset { .. });
    if let Some(last) = logs.iter().rposition(is_reset) {
        logs.drain(..last);
    }
    logs.sort_by_key(|log| match log {
        ConsensusLog::Activated(_)
        | ConsensusLog::Reset { .. }
        | ConsensusLog::Payload(_)
        | ConsensusLog::Pardoned(_) => 0,
        ConsensusLog::Rules(_) => 1,
        ConsensusLog::Planned(_) => 2,
    });
    logs
}

/// The hash of a block's payload from its header; `None` in headers from before CHAIN-7.
pub(crate) fn payload_hash(digest: &Digest) -> Option<H256> {
    ConsensusLog::payload_hash(ours(digest))
}

/// The runtime returns another payload of a block than the block's header names. It does so after an upgrade that
/// changes what is signed: the new code reads the state that the old code left in the block of the upgrade.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("CHAIN-7: the header of block {block:?} names the payload {named:?}, but the runtime returns {returned:?}")]
pub(crate) struct PayloadMismatch {
    block: H256,
    named: H256,
    returned: H256,
}

/// Compares a payload that the runtime returned with the header of its block. A signature of another payload than the
/// header names can be punished. (FALSE-1)
///
/// # Errors
/// When the header names another payload. A header from before CHAIN-7 names none.
pub(crate) fn check_payload(
    digest: &Digest,
    block: H256,
    payload: &CommitmentPayload,
) -> Result<(), PayloadMismatch> {
    let returned = payload.hash();
    match payload_hash(digest) {
        Some(named) if named != returned => Err(PayloadMismatch {
            block,
            named,
            returned,
        }),
        _ => Ok(()),
    }
}

fn ours(digest: &Digest) -> impl Iterator<Item = ConsensusLog> + '_ {
    ConsensusLog::of_header(digest.logs().iter().filter_map(DigestItem::as_consensus))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::log_item;
    use codec::Encode;
    use duet_primitives::{suite, testing::TestSet, SetId, VotingRules};

    #[test]
    fn our_logs_are_read_and_what_starts_comes_before_what_is_planned() {
        let planned = ConsensusLog::Planned(TestSet::new(2, 0..4).set.commitment().clone());
        let activated = ConsensusLog::Activated(SetId::new(1));
        let digest = Digest {
            logs: vec![
                DigestItem::Consensus(*b"FRNK", activated.encode()),
                log_item(&planned),
                DigestItem::Consensus(suite::ENGINE_ID, vec![9]),
                log_item(&activated),
            ],
        };
        assert_eq!(decode_logs(&digest), [activated, planned]);
    }

    /// RESET-2.
    #[test]
    fn of_the_logs_of_a_block_with_resets_the_last_reset_counts_alone() {
        let [first, last] = [3, 4].map(|id| ConsensusLog::Reset {
            ended: SetId::new(id - 1),
            set: TestSet::new(id, 0..4).set.commitment().clone(),
        });
        let planned = ConsensusLog::Planned(TestSet::new(2, 0..4).set.commitment().clone());
        let activated = ConsensusLog::Activated(SetId::new(1));
        let digest = Digest {
            logs: [&activated, &planned, &first, &last].map(log_item).into(),
        };
        assert_eq!(decode_logs(&digest), [last]);
    }

    /// ROUND-11: the voting rules concern the set that starts, also with a reset.
    #[test]
    fn rules_come_after_what_starts_and_before_what_is_planned() {
        let set = |id| TestSet::new(id, 0..4).set.commitment().clone();
        let planned = ConsensusLog::Planned(set(2));
        let activated = ConsensusLog::Activated(SetId::new(1));
        let [old, new] =
            [2, 3].map(|delta| ConsensusLog::Rules(VotingRules::with_min_delta(delta)));
        let decoded = |logs: &[&ConsensusLog]| {
            let logs = logs.iter().map(|log| log_item(log)).collect();
            decode_logs(&Digest { logs })
        };
        let expected = [activated.clone(), old.clone(), planned.clone()];
        assert_eq!(decoded(&[&planned, &old, &activated]), expected);
        let reset = ConsensusLog::Reset {
            ended: SetId::new(0),
            set: set(3),
        };
        let logs = [&activated, &old, &planned, &reset, &new];
        assert_eq!(decoded(&logs), [reset.clone(), new.clone()]);
    }
}
