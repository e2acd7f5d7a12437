//! Makes blocks and finalizes each at once.

use crate::client::FullClient;
use duet_runtime::{types::opaque::Block, Hash};
use futures_timer::Delay;
use sc_block_builder::BlockBuilderBuilder;
use sc_client_api::Finalizer;
use sc_consensus::{
    BlockImport, BlockImportParams, ForkChoiceStrategy, StateAction, StorageChanges,
};
use sp_api::ProvideRuntimeApi;
use sp_blockchain::HeaderBackend;
use sp_consensus::BlockOrigin;
use sp_consensus_aura::{digests::CompatibleDigestItem, sr25519::AuthorityId, AuraApi, Slot};
use sp_inherents::{InherentData, InherentDataProvider};
use sp_runtime::{
    generic::{Digest, DigestItem},
    traits::Block as _,
};
use std::{sync::Arc, time::Duration};

/// What goes wrong is a fault of this program: it ends.
type Error = Box<dyn std::error::Error + Send + Sync>;

/// Makes a block in each interval, without an end.
pub(crate) async fn make(client: Arc<FullClient>, every: Duration) {
    loop {
        Delay::new(every).await;
        if let Err(error) = make_one(&client).await {
            log::error!("cannot make a block: {error}");
            return;
        }
    }
}

async fn make_one(client: &Arc<FullClient>) -> Result<(), Error> {
    let info = client.info();
    let slot_duration =
        AuraApi::<Block, AuthorityId>::slot_duration(&*client.runtime_api(), info.genesis_hash)?;
    // One slot a block, whatever the clock says.
    let slot = u64::from(info.best_number).saturating_add(1);
    let timestamp = sp_timestamp::InherentDataProvider::new(
        slot.saturating_mul(slot_duration.as_millis()).into(),
    );
    let mut inherents = InherentData::new();
    timestamp.provide_inherent_data(&mut inherents).await?;
    let slot: DigestItem =
        CompatibleDigestItem::<sp_consensus_aura::sr25519::AuthoritySignature>::aura_pre_digest(
            Slot::from(slot),
        );
    let mut builder = BlockBuilderBuilder::new(&**client)
        .on_parent_block(info.best_hash)
        .with_parent_block_number(info.best_number)
        .with_inherent_digests(Digest { logs: vec![slot] })
        .build()?;
    for extrinsic in builder.create_inherents(inherents)? {
        builder.push(extrinsic)?;
    }
    let (block, changes) = builder.build()?.into_inner();
    let hash: Hash = block.hash();
    let (header, body) = block.deconstruct();
    let mut import = BlockImportParams::new(BlockOrigin::Own, header);
    import.body = Some(body);
    import.state_action = StateAction::ApplyChanges(StorageChanges::Changes(changes));
    import.fork_choice = Some(ForkChoiceStrategy::LongestChain);
    (**client).import_block(import).await?;
    client.finalize_block(hash, None, true)?;
    Ok(())
}
