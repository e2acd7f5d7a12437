//! How reports travel: by the SDK's gossip, in a protocol of their own.

use crate::{
    collected::{Collected, Taken},
    LOG_TARGET,
};
use codec::{Decode, Encode};
use duet_primitives::H256;
use duet_statistics::{Period, Report};
use sc_network::{
    config::{NonReservedPeerMode, SetConfig},
    peer_store::PeerStoreProvider,
    NetworkBackend, NotificationMetrics, NotificationService, ProtocolName, ReputationChange,
};
use sc_network_gossip::{ValidationResult, Validator, ValidatorContext};
use sc_network_types::PeerId;
use sp_crypto_hashing::blake2_256;
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// The reputation cost of a report that no honest peer sends: a few in a row are a ban.
pub(crate) const BAD_REPORT: ReputationChange =
    ReputationChange::new(-(1 << 28), "duet-statistics: bad report");

/// The name of the protocol: `/{genesis}/duet/statistics/1`, with the fork after the genesis where there is one.
pub fn protocol_name(genesis: H256, fork: Option<&str>) -> ProtocolName {
    let genesis = hex::encode(genesis);
    match fork {
        Some(fork) => format!("/{genesis}/{fork}/duet/statistics/1").into(),
        None => format!("/{genesis}/duet/statistics/1").into(),
    }
}

/// Registers the protocol with a network back end. The peers are those that the node syncs with.
pub fn peers_set_config<B: BlockT, N: NetworkBackend<B, B::Hash>>(
    protocol: ProtocolName,
    metrics: NotificationMetrics,
    peer_store: Arc<dyn PeerStoreProvider>,
) -> (N::NotificationProtocolConfig, Box<dyn NotificationService>) {
    let set_config = SetConfig {
        in_peers: 0,
        out_peers: 0,
        reserved_nodes: Vec::new(),
        non_reserved_mode: NonReservedPeerMode::Deny,
    };
    let longest = u64::try_from(Report::MAX_LEN).unwrap_or(u64::MAX);
    N::notification_config(
        protocol,
        Vec::new(),
        longest,
        None,
        set_config,
        metrics,
        peer_store,
    )
}

/// The topic of a period's reports.
pub(crate) fn topic(period: Period) -> H256 {
    blake2_256(&period.encode()).into()
}

/// Checks peers' messages, and decides which are passed on.
pub(crate) struct Gate {
    collected: Collected,
    /// Receives peers that sent messages that no honest peer sends.
    faults: async_channel::Sender<PeerId>,
}

impl Gate {
    pub(crate) fn new(collected: Collected, faults: async_channel::Sender<PeerId>) -> Self {
        Self { collected, faults }
    }
}

impl<Block: BlockT<Hash = H256>> Validator<Block> for Gate {
    /// A new peer gets the known reports.
    fn new_peer(
        &self,
        context: &mut dyn ValidatorContext<Block>,
        who: &PeerId,
        _role: sc_network::ObservedRole,
    ) {
        for period in self.collected.periods() {
            context.send_topic(who, topic(period), false);
        }
    }

    fn peer_disconnected(&self, _context: &mut dyn ValidatorContext<Block>, who: &PeerId) {
        self.collected.forget(who);
    }

    fn validate(
        &self,
        _context: &mut dyn ValidatorContext<Block>,
        sender: &PeerId,
        data: &[u8],
    ) -> ValidationResult<H256> {
        match self.collected.take(Some(*sender), data) {
            Taken::Useful(period) => ValidationResult::ProcessAndKeep(topic(period)),
            Taken::Refused(refusal) => {
                log::debug!(target: LOG_TARGET, "refused a report from {sender}: {refusal}");
                // When the queue is full, enough are waiting to be charged.
                let _ = self.faults.try_send(*sender);
                ValidationResult::Discard
            }
            Taken::Nothing | Taken::Early => ValidationResult::Discard,
        }
    }

    fn message_expired<'a>(&'a self) -> Box<dyn FnMut(H256, &[u8]) -> bool + 'a> {
        let kept = self.collected.periods();
        Box::new(move |_, data| {
            let period = Period::decode(&mut &data[..]);
            period.map_or(true, |period| !kept.contains(&period))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collected::tests::{keyset, period, report, test_set, GENESIS};
    use sp_runtime::testing::{Block as TestBlock, MockCallU64, TestXt};

    type Block = TestBlock<TestXt<MockCallU64, ()>>;

    #[derive(Default)]
    struct Sent(Vec<(PeerId, H256)>);

    impl ValidatorContext<Block> for Sent {
        fn broadcast_topic(&mut self, _: H256, _: bool) {}
        fn broadcast_message(&mut self, _: H256, _: Vec<u8>, _: bool) {}
        fn send_message(&mut self, _: &PeerId, _: Vec<u8>) {}
        fn send_topic(&mut self, who: &PeerId, topic: H256, _: bool) {
            self.0.push((*who, topic));
        }
    }

    fn gate() -> (Gate, Collected, async_channel::Receiver<PeerId>) {
        let (faults, charged) = async_channel::bounded(8);
        let collected = Collected::new(GENESIS);
        let gate = Gate::new(collected.clone(), faults);
        (gate, collected, charged)
    }

    #[test]
    fn names_carry_the_genesis_and_the_fork() {
        let (genesis, hash) = (H256::repeat_byte(0xab), "ab".repeat(32));
        let name = protocol_name(genesis, None).to_string();
        assert_eq!(name, format!("/{hash}/duet/statistics/1"));
        let name = protocol_name(genesis, Some("fork")).to_string();
        assert_eq!(name, format!("/{hash}/fork/duet/statistics/1"));
    }

    #[test]
    fn good_reports_are_kept_bad_ones_charged_and_old_ones_expire() {
        let (gate, collected, charged) = gate();
        let (test, peer, mut context) = (test_set(), PeerId::random(), Sent::default());
        collected.begin(period(1), keyset(&test));
        let good = report(&test, period(1), 0, 5);
        let mut validate = |data: &[u8]| {
            let gate: &dyn Validator<Block> = &gate;
            gate.validate(&mut context, &peer, data)
        };
        let kept = validate(&good);
        assert!(
            matches!(kept, ValidationResult::ProcessAndKeep(under) if under == topic(period(1)))
        );
        assert!(matches!(validate(&good), ValidationResult::Discard));
        assert!(charged.is_empty());
        assert!(matches!(validate(&good[1..]), ValidationResult::Discard));
        assert_eq!(charged.try_recv(), Ok(peer));

        let expired = |data: &[u8]| {
            let gate: &dyn Validator<Block> = &gate;
            let mut expired = gate.message_expired();
            expired(H256::zero(), data)
        };
        assert!(!expired(&good));
        assert!(expired(&[1]));
        for session in 2..4 {
            collected.begin(period(session), keyset(&test));
        }
        assert!(expired(&good));
    }

    #[test]
    fn a_new_peer_gets_what_is_known() {
        let (gate, collected, _) = gate();
        let (test, peer, mut context) = (test_set(), PeerId::random(), Sent::default());
        for session in 1..3 {
            collected.begin(period(session), keyset(&test));
        }
        let gate: &dyn Validator<Block> = &gate;
        gate.new_peer(&mut context, &peer, sc_network::ObservedRole::Full);
        let topics = [1, 2].map(|session| (peer, topic(period(session))));
        assert_eq!(context.0, topics);
    }
}
