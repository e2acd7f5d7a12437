//! The node's methods beside the SDK's own: nonces, fees, proofs of old blocks, GRANDPA, Duet.

use super::{
    client::Chain,
    finality::{Duet, Links},
};
#[cfg(feature = "statistics")]
use duet_statistics_node::{
    rpc::{Statistics, StatisticsApiServer},
    Collected,
};
use jsonrpsee::RpcModule;
use pallet_transaction_payment_rpc::{TransactionPayment, TransactionPaymentApiServer};
use sc_consensus_grandpa::FinalityProofProvider;
use sc_consensus_grandpa_rpc::{Grandpa, GrandpaApiServer};
use sc_rpc::SubscriptionTaskExecutor;
use sc_service::Error;
use substrate_frame_rpc_system::{System, SystemApiServer};

/// Makes the RPC module, once per endpoint of the server.
pub(crate) type Builder = Box<dyn Fn(SubscriptionTaskExecutor) -> Result<RpcModule<()>, Error>>;

/// The same with the methods of `duet-statistics-node`.
#[cfg(feature = "statistics")]
pub(crate) fn with_statistics(rest: Builder, collected: Collected) -> Builder {
    Box::new(move |executor| {
        let mut module = rest(executor)?;
        let statistics = Statistics::new(collected.clone());
        let merged = module.merge(statistics.into_rpc());
        merged.map_err(|error| Error::Application(Box::new(error)))?;
        Ok(module)
    })
}

/// The node's own methods.
pub(crate) fn builder(chain: &Chain, links: &Links, duet: &Duet) -> Builder {
    let client = chain.client.clone();
    let pool = chain.transaction_pool.clone();
    let with_duet = duet.rpc();
    let voter_state = links.voter_state.clone();
    let authorities = links.grandpa.shared_authority_set().clone();
    let justifications = links.grandpa.justification_stream();
    let proofs =
        FinalityProofProvider::new_for_service(chain.backend.clone(), Some(authorities.clone()));
    Box::new(move |executor| {
        let mut module = RpcModule::new(());
        let grandpa = Grandpa::new(
            executor.clone(),
            authorities.clone(),
            voter_state.clone(),
            justifications.clone(),
            proofs.clone(),
        );
        let merged = module
            .merge(System::new(client.clone(), pool.clone()).into_rpc())
            .and_then(|()| module.merge(TransactionPayment::new(client.clone()).into_rpc()))
            .and_then(|()| module.merge(grandpa.into_rpc()));
        merged.map_err(|error| Error::Application(Box::new(error)))?;
        with_duet(module, executor)
    })
}
