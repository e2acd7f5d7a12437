//! What the SDK's own methods say about a block: header, state, and its place in the Merkle mountain range.
//!
//! Nothing is believed here: the answers become bytes that the verifier checks. (STATE-1 to STATE-4)

use crate::{
    fault::{Fault, Lie, Missing},
    rpc::Server,
};
use codec::{Compact, Encode};
use duet_light_client::BlockProof;
use duet_primitives::{BlockNumber, H256};
use jsonrpsee::rpc_params;
use serde::Deserialize;

/// A header as `chain_getHeader` gives it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeaderJson {
    parent_hash: H256,
    number: String,
    state_root: H256,
    extrinsics_root: H256,
    digest: DigestJson,
}

#[derive(Deserialize)]
struct DigestJson {
    logs: Vec<String>,
}

#[derive(Deserialize)]
struct SignedBlockJson {
    block: BlockJson,
}

#[derive(Deserialize)]
struct BlockJson {
    extrinsics: Vec<String>,
}

#[derive(Deserialize)]
struct ReadProofJson {
    proof: Vec<String>,
}

#[derive(Deserialize)]
struct BlockProofJson {
    leaves: String,
    proof: String,
}

impl Server {
    /// The SCALE encoding of a block's header.
    pub(crate) async fn header(&self, hash: H256) -> Result<Vec<u8>, Fault> {
        let asked = || format!("the header of {hash:?}");
        let header: Option<HeaderJson> = self.ask("chain_getHeader", rpc_params![hash]).await?;
        let header = header.ok_or(Fault::Incomplete(Missing::Header(hash)))?;
        let number = header.number.strip_prefix("0x");
        let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(|| other(asked(), "no block number"))?;
        let items = u32::try_from(header.digest.logs.len()).unwrap_or(u32::MAX);
        let mut bytes = (
            header.parent_hash,
            Compact(number),
            header.state_root,
            header.extrinsics_root,
            Compact(items),
        )
            .encode();
        for log in &header.digest.logs {
            bytes.extend(from_hex(log, asked)?);
        }
        Ok(bytes)
    }

    /// The trie nodes that prove a key under a block's state.
    pub(crate) async fn read_proof(
        &self,
        key: &[u8],
        number: BlockNumber,
        hash: H256,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        let asked = || format!("a proof of the state of {hash:?}");
        let keys = [to_hex(key)];
        let answer: ReadProofJson = self
            .ask_for(
                "state_getReadProof",
                rpc_params![keys, hash],
                Missing::State(number),
            )
            .await?;
        let nodes = answer.proof;
        nodes.iter().map(|node| from_hex(node, asked)).collect()
    }

    /// The extrinsics of a block, each as SCALE encodes it.
    pub(crate) async fn extrinsics(
        &self,
        number: BlockNumber,
        hash: H256,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        let asked = || format!("the extrinsics of {hash:?}");
        let params = rpc_params![hash];
        let answer: Option<SignedBlockJson> = self
            .ask_for("chain_getBlock", params, Missing::Body(number))
            .await?;
        let answer = answer.ok_or(Fault::Incomplete(Missing::Body(number)))?;
        let extrinsics = answer.block.extrinsics.iter();
        extrinsics.map(|bytes| from_hex(bytes, asked)).collect()
    }

    /// The proof of an older block under a newer one.
    pub(crate) async fn block_proof(
        &self,
        older: BlockNumber,
        newer: BlockNumber,
        hash: H256,
    ) -> Result<BlockProof, Fault> {
        let asked = || format!("a proof of block {older} under {hash:?}");
        // The leaf about a block is added by the block after it.
        let added_by = older.checked_next().unwrap_or(older);
        let params = rpc_params![[added_by], newer, hash];
        let answer: BlockProofJson = self
            .ask_for("mmr_generateProof", params, Missing::History(older))
            .await?;
        let leaves = from_hex(&answer.leaves, asked)?;
        let proof = from_hex(&answer.proof, asked)?;
        BlockProof::from_rpc(&leaves, &proof)
            .map_err(|_| other(asked(), "what is no proof of one block").into())
    }
}

fn other(asked: String, got: &str) -> Lie {
    let got = got.to_owned();
    Lie::OtherAnswer { asked, got }
}

fn to_hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

fn from_hex(text: &str, asked: impl Fn() -> String) -> Result<Vec<u8>, Fault> {
    let digits = text.strip_prefix("0x");
    let bytes = digits.and_then(|digits| hex::decode(digits).ok());
    bytes.ok_or_else(|| other(asked(), "bytes that are not 0x-hex").into())
}
