//! Starting points of a client: the genesis, or a block whose hash the user trusts.

use crate::{
    claim::StartClaim,
    fault::{Fault, Lie, Missing},
    server::{decode_hex, Server},
};
use duet_light_client::{Mode, StartProof, Trusted};
use duet_primitives::H256;
use jsonrpsee::rpc_params;

impl Server {
    /// The proof of the first set.
    ///
    /// # Errors
    /// [`Missing::Genesis`] when the node cannot prove its genesis, or those of any request.
    pub async fn genesis_proof(&self) -> Result<StartProof, Fault> {
        let text: String = self.ask("duet_getGenesisProof", rpc_params![]).await?;
        decode_hex(&text)
    }

    /// The proof of the set that signs at a block, or at the block at which the chain's sets begin, as far as the node knows;
    /// `None` when the node has none.
    ///
    /// # Errors
    /// Those of any request.
    pub async fn start_proof(&self, block: Option<H256>) -> Result<Option<StartProof>, Fault> {
        let asked = self.ask("duet_getStartProof", rpc_params![block]).await;
        let text: Option<String> = match asked {
            Err(Fault::Incomplete(Missing::Genesis)) if block.is_none() => None,
            answer => answer?,
        };
        text.as_deref().map(decode_hex).transpose()
    }

    /// The block at which the sets of the chain with this genesis begin, as the node claims; `None` when it does not
    /// know, or is too old to be asked.
    ///
    /// # Errors
    /// [`Fault::Lie`] when the proof fails even for the claimed block (LIGHT-1 to LIGHT-3), or the errors of any
    /// request.
    pub async fn start_claim(&self, genesis: H256) -> Result<Option<StartClaim>, Fault> {
        let proof = match self.start_proof(None).await {
            Err(Fault::Incompatible(_)) => None,
            answer => answer?,
        };
        let Some(proof) = proof else {
            return Ok(None);
        };
        // The node chose the block, so that whatever is wrong with it is the node's.
        let start = Trusted::from_start(genesis, proof.block_hash(), &proof, Mode::Stateless)
            .map_err(Lie::Rule)?;
        Ok(Some(StartClaim {
            number: start.best_number(),
            hash: start.best_hash(),
        }))
    }
}
