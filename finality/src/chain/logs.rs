//! Duet's logs in block headers.

use codec::DecodeAll;
use duet_gossip::LOG_TARGET;
use duet_primitives::{suite, ConsensusLog};
use sp_runtime::{Digest, DigestItem};

/// Duet's logs in a header's digest, in the order in which the voter wants them: what starts, what is planned, and the
/// reset that makes both void. A log that does not decode was not written by the pallet and is left out.
pub(crate) fn decode_logs(digest: &Digest) -> Vec<ConsensusLog> {
    let ours = digest.logs().iter().filter_map(|item| match item {
        DigestItem::Consensus(engine, bytes) if *engine == suite::ENGINE_ID => decode_log(bytes),
        _ => None,
    });
    let mut logs: Vec<ConsensusLog> = ours.collect();
    logs.sort_by_key(|log| match log {
        ConsensusLog::Activated(_) => 0,
        ConsensusLog::Planned(_) => 1,
        ConsensusLog::Reset { .. } => 2,
    });
    logs
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
    fn our_logs_are_read_in_the_order_in_which_they_count() {
        let reset = ConsensusLog::Reset {
            ended: SetId::new(1),
            set: TestSet::new(3, 0..4).set.commitment().clone(),
        };
        let planned = ConsensusLog::Planned(TestSet::new(2, 0..4).set.commitment().clone());
        let activated = ConsensusLog::Activated(SetId::new(1));
        let digest = Digest {
            logs: vec![
                DigestItem::Consensus(*b"FRNK", activated.encode()),
                log_item(&reset),
                log_item(&planned),
                DigestItem::Consensus(suite::ENGINE_ID, vec![9]),
                log_item(&activated),
            ],
        };
        assert_eq!(decode_logs(&digest), [activated, planned, reset]);
    }
}
