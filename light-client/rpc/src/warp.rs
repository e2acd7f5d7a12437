//! From the genesis to a final block, by a node's GRANDPA proofs. (WARP-1 to WARP-4)

use crate::{
    fault::{Fault, Lie},
    server::{decode_hex, Server},
};
use duet_light_client::Received;
use duet_light_warp::{Follower, GenesisProof, WarpError, WarpProof};
use duet_primitives::{BlockNumber, Culprit, H256};
use jsonrpsee::{rpc_params, types::ErrorObjectOwned};

impl Server {
    /// Follows GRANDPA from the genesis to the newest block with a justification on the node, verified. `None` when
    /// the node knows no way there: it refuses to answer, as older nodes do, it began in the middle of the chain, or
    /// the chain's voters cannot be followed.
    ///
    /// # Errors
    /// [`Fault::Lie`] when its proof does not hold (WARP-1 to WARP-4), or the errors of any request.
    pub async fn warp(&self, genesis: H256) -> Result<Option<Follower>, Fault> {
        match self.follow_voters(genesis).await {
            Err(Fault::Lie(Lie::Warp(error))) if error.culprit() != Culprit::Sender => Ok(None),
            answer => answer,
        }
    }

    async fn follow_voters(&self, genesis: H256) -> Result<Option<Follower>, Fault> {
        let Some(proof) = self.warp_genesis().await? else {
            return Ok(None);
        };
        let mut at = Follower::begin(genesis, &proof)?;
        loop {
            let Some(proof) = self.warp_proof(at.number()).await? else {
                return Ok(None);
            };
            let next = at.follow(&proof)?;
            if !proof.is_finished() && next.number() == at.number() {
                let asked = format!("the GRANDPA proofs after block {}", at.number());
                let got = "no block, although the proof says that there is more".to_owned();
                return Err(Lie::OtherAnswer { asked, got }.into());
            }
            at = next;
            if proof.is_finished() {
                return Ok((at.number() > BlockNumber::ZERO).then_some(at));
            }
        }
    }

    async fn warp_genesis(&self) -> Result<Option<GenesisProof>, Fault> {
        read(self.call("duet_getWarpGenesis", rpc_params![]).await?)
    }

    async fn warp_proof(&self, after: BlockNumber) -> Result<Option<WarpProof>, Fault> {
        read(self.call("duet_getWarpProof", rpc_params![after]).await?)
    }
}

/// A refusal comes from a node with neither method, or from a server in front of it.
fn read<T: Received>(answer: Result<Option<String>, ErrorObjectOwned>) -> Result<Option<T>, Fault> {
    let text = answer.unwrap_or_default();
    text.map(|text| decode_hex(&text)).transpose()
}

impl From<WarpError> for Fault {
    fn from(error: WarpError) -> Self {
        Self::Lie(Lie::Warp(error))
    }
}
