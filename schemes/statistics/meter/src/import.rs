//! Times the import of blocks.

use crate::meter::Meter;
use sc_consensus::{BlockCheckParams, BlockImport, BlockImportParams, ImportResult};
use sp_consensus::BlockOrigin;
use sp_runtime::traits::{Block as BlockT, Header as _, SaturatedConversion};
use std::time::Instant;

/// A block import that tells a [`Meter`] how long each block took.
#[derive(Clone, Debug)]
pub struct TimedImport<Inner> {
    inner: Inner,
    meter: Meter,
}

impl<Inner> TimedImport<Inner> {
    /// Around another one.
    pub fn new(inner: Inner, meter: Meter) -> Self {
        Self { inner, meter }
    }
}

#[async_trait::async_trait]
impl<Block: BlockT, Inner: BlockImport<Block> + Send + Sync> BlockImport<Block>
    for TimedImport<Inner>
{
    type Error = Inner::Error;

    async fn check_block(
        &self,
        block: BlockCheckParams<Block>,
    ) -> Result<ImportResult, Self::Error> {
        self.inner.check_block(block).await
    }

    async fn import_block(
        &self,
        block: BlockImportParams<Block>,
    ) -> Result<ImportResult, Self::Error> {
        let old = (!is_new(block.origin)).then(|| (*block.header.number()).saturated_into());
        let began = Instant::now();
        let result = self.inner.import_block(block).await;
        if let Ok(ImportResult::Imported(_)) = result {
            self.meter.imported(began.elapsed(), old);
        }
        result
    }
}

/// Whether a block comes as it is made. Others the node catches up with.
fn is_new(origin: BlockOrigin) -> bool {
    match origin {
        BlockOrigin::NetworkBroadcast | BlockOrigin::ConsensusBroadcast | BlockOrigin::Own => true,
        BlockOrigin::Genesis
        | BlockOrigin::NetworkInitialSync
        | BlockOrigin::WarpSync
        | BlockOrigin::GapSync
        | BlockOrigin::File => false,
    }
}
