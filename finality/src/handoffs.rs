//! Justifications that the worker is given: with blocks, and by peers that it asks.

use super::{
    chain::AccountId,
    import::Imported,
    worker::{Answer, Worker, MAX_IMPORTED},
    DuetClient, Error,
};
use crate::{
    network::{
        on_demand::Outgoing,
        protocol::MAX_JUSTIFICATIONS,
        reputation::Conduct,
        requests::{ask, decode_response, JustificationsRequest},
    },
    LOG_TARGET,
};
use codec::Encode;
use duet_primitives::{
    BlockNumber, Culprit, DuetApi, Justification, JustificationError, SetId,
    UncheckedJustification, H256,
};
use duet_voter::Event;
use futures::FutureExt;
use sc_client_api::Backend as BackendT;
use sc_network::{NetworkRequest, RequestFailure};
use sc_network_gossip::{Network as GossipNetwork, Syncing as GossipSyncing};
use sp_consensus::SyncOracle;
use sp_runtime::traits::{Block as BlockT, NumberFor};

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
    pub(super) fn on_imported(&mut self, imported: Imported) -> Result<(), Error> {
        let Imported {
            block,
            justification,
        } = imported;
        if justification.commitment.block_hash != block {
            self.metrics.imported_bad.inc();
            return Ok(());
        }
        let number = justification.commitment.block_number;
        if self.imported.len() >= MAX_IMPORTED {
            self.metrics.imported_dropped.inc();
            return Ok(());
        }
        self.imported.insert(number, justification);
        let scanned = self.voter.as_ref().map(|voter| voter.state().scanned());
        match scanned.filter(|scanned| number <= *scanned) {
            Some(scanned) => self.deliver_imported(scanned),
            None => Ok(()),
        }
    }

    /// Checks and delivers justifications of final blocks: the mandatory ones and the highest. The others would
    /// change nothing and cost a pairing each.
    pub(super) fn deliver_imported(&mut self, scanned: BlockNumber) -> Result<(), Error> {
        let Some(voter) = &self.voter else {
            return Ok(());
        };
        let later = self.imported.split_off(&scanned.saturating_add(1));
        let due = std::mem::replace(&mut self.imported, later);
        let best = voter.state().best_number();
        let mandatory: Vec<_> = voter
            .state()
            .spans()
            .filter_map(|span| span.mandatory)
            .collect();
        let highest = due.keys().next_back().copied();
        let useful = due.into_iter().filter(|(number, _)| {
            *number > best && (Some(*number) == highest || mandatory.contains(number))
        });
        for (number, justification) in useful.collect::<Vec<_>>() {
            match self.check(justification) {
                Some(Ok(justification)) => {
                    self.metrics.imported_good.inc();
                    self.handle(Event::Justification(justification))?;
                }
                Some(Err(error)) => {
                    self.metrics.imported_bad.inc();
                    log::debug!(target: LOG_TARGET, "bad proof came with block {number}: {error}");
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Checks a justification against the set that it names; `None` when that set is not known here.
    fn check(
        &mut self,
        justification: UncheckedJustification,
    ) -> Option<Result<Justification, JustificationError>> {
        let set = self.set_by_id(justification.commitment.validator_set_id)?;
        Some(justification.check(set.keyset(), self.genesis_hash))
    }

    /// Sends what is to be asked now, and blames who let us wait.
    pub(super) fn send_requests(&mut self) {
        let Some(first_set) = self.on_demand.wanted() else {
            return;
        };
        let peers = self.validator.peers();
        let (outgoing, late) = self.on_demand.next(self.now(), &peers);
        for peer in late {
            self.metrics.on_demand_failed.inc();
            self.network
                .report_peer(peer, Conduct::LateResponse.reputation());
        }
        let request = JustificationsRequest {
            first_set,
            count: MAX_JUSTIFICATIONS,
        };
        for Outgoing { id, peer } in outgoing {
            self.metrics.on_demand_sent.inc();
            let protocol = self.requests_protocol.clone();
            let answer = ask(&self.network, peer, protocol, request.encode())
                .map(move |bytes| (id, peer, first_set, bytes));
            self.answers.push(answer.boxed());
        }
    }

    pub(super) fn on_answer(&mut self, answer: Answer) -> Result<(), Error> {
        let (id, peer, first_set, result) = answer;
        if !self.on_demand.answered(id) {
            return Ok(());
        }
        let bytes = match result {
            Ok(bytes) => bytes,
            Err(failure) => {
                self.metrics.on_demand_failed.inc();
                if let RequestFailure::Refused = failure {
                    self.network
                        .report_peer(peer, Conduct::RefusedRequest.reputation());
                }
                self.send_requests();
                return Ok(());
            }
        };
        let Some(list) = decode_response(&bytes, MAX_JUSTIFICATIONS) else {
            self.metrics.on_demand_bad.inc();
            self.network
                .report_peer(peer, Conduct::BadResponse.reputation());
            self.send_requests();
            return Ok(());
        };
        if list.is_empty() {
            // No fault: who is not as far has nothing to send.
            self.metrics.on_demand_empty.inc();
            self.send_requests();
            return Ok(());
        }
        let (good, blamed) = self.check_response(first_set, list);
        if blamed {
            self.metrics.on_demand_bad.inc();
            self.network
                .report_peer(peer, Conduct::BadResponse.reputation());
        } else if !good.is_empty() {
            self.metrics.on_demand_good.inc();
            self.network
                .report_peer(peer, Conduct::GoodResponse.reputation());
        }
        self.handle(Event::Response(good))
    }

    /// REQ-2: the proofs that hold, in order of their sets, up to the first that does not; and whether its
    /// sender is to blame.
    fn check_response(
        &mut self,
        first_set: SetId,
        list: Vec<UncheckedJustification>,
    ) -> (Vec<Justification>, bool) {
        let mut good = Vec::with_capacity(list.len());
        for (set_id, justification) in (first_set..).zip(list) {
            if justification.commitment.validator_set_id != set_id
                || !justification.commitment.hands_over()
            {
                return (good, true);
            }
            match self.check(justification) {
                Some(Ok(justification)) => good.push(justification),
                Some(Err(error)) => return (good, error.culprit() == Culprit::Sender),
                None => return (good, false),
            }
        }
        (good, false)
    }
}
