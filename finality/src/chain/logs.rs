//! Duet's logs in block headers.

use codec::DecodeAll;
use duet_gossip::LOG_TARGET;
use duet_primitives::{suite, ConsensusLog, H256};
use sp_runtime::{Digest, DigestItem};

/// Duet's logs in a header's digest, in the order in which the voter wants them: what starts, then what is
/// planned. A reset makes what stands before it void, and stands alone (RESET-2): the block's state has no trace of the
/// others. What is said of the payload changes no set, and is left out ([`payload_hash`]).
pub(crate) fn decode_logs(digest: &Digest) -> Vec<ConsensusLog> {
    let of_sets = |log: &ConsensusLog| !matches!(log, ConsensusLog::Payload(_));
    let mut logs: Vec<ConsensusLog> = ours(digest).filter(of_sets).collect();
    let is_reset = |log: &ConsensusLog| matches!(log, ConsensusLog::Reset { .. });
    if let Some(last) = logs.iter().rposition(is_reset) {
        return vec![logs.swap_remove(last)];
    }
    logs.sort_by_key(|log| matches!(log, ConsensusLog::Planned(_)));
    logs
}

/// The hash of what is signed about a block, as its header says it; `None` in headers of before CHAIN-7.
pub(crate) fn payload_hash(digest: &Digest) -> Option<H256> {
    let hashes = ours(digest).filter_map(|log| match log {
        ConsensusLog::Payload(hash) => Some(hash),
        _ => None,
    });
    hashes.last()
}

/// A log that does not decode was not written by the pallet and is left out.
fn ours(digest: &Digest) -> impl Iterator<Item = ConsensusLog> + '_ {
    digest.logs().iter().filter_map(|item| match item {
        DigestItem::Consensus(engine, bytes) if *engine == suite::ENGINE_ID => decode_log(bytes),
        _ => None,
    })
}

fn decode_log(bytes: &[u8]) -> Option<ConsensusLog> {
    match ConsensusLog::decode_all(&mut &*bytes) {
        Ok(log) => Some(log),
        Err(error) => {
            log::debug!(target: LOG_TARGET, "a log of a header does not decode: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::log_item;
    use codec::Encode;
    use duet_primitives::{testing::TestSet, SetId};

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
}
