//! Answers of the SDK's own methods about a block: header, state, and its place in the Merkle mountain range.
//!
//! Answers are not trusted: they become bytes that the verifier checks. (STATE-1 to STATE-4)

use crate::{
    fault::{Fault, Lie, Missing},
    list::Texts,
    server::{bytes_in, decode_hex, header_of, Server},
};
use codec::{Compact, Encode};
use duet_light_client::{BlockProof, Mode, Update, MAX_HEADER_LEN};
use duet_primitives::{BlockNumber, StatelessProof, UncheckedJustification, H256};
use jsonrpsee::{rpc_params, types::ErrorCode};
use serde::{Deserialize, Serialize};

/// The most keys in one `duet_getProofs` request.
const MAX_KEYS: usize = 64;
/// The node has pruned the state of the block.
const NO_STATE: i32 = 9008;

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

impl HeaderJson {
    /// In SCALE. No more than [`MAX_HEADER_LEN`] bytes are decoded.
    fn encode(&self, asked: impl Fn() -> String) -> Result<Vec<u8>, Fault> {
        let number = self.number.strip_prefix("0x");
        let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(|| other(asked(), "no block number"))?;
        let logs = self.digest.logs.0.iter();
        let items = u32::try_from(logs.len()).unwrap_or(u32::MAX);
        let mut bytes = (
            self.parent_hash,
            Compact(number),
            self.state_root,
            self.extrinsics_root,
            Compact(items),
        )
            .encode();
        for log in logs {
            let len = bytes.len().saturating_add(bytes_in(log));
            if len > MAX_HEADER_LEN {
                return Err(other(asked(), "a header of more than 64 KiB").into());
            }
            bytes.extend(from_hex(log, &asked)?);
        }
        Ok(bytes)
    }
}

#[derive(Deserialize)]
struct DigestJson {
    logs: Texts,
}

#[derive(Deserialize)]
struct SignedBlockJson {
    block: BlockJson,
}

#[derive(Deserialize)]
struct BlockJson {
    extrinsics: Texts,
}

#[derive(Deserialize)]
struct ReadProofJson {
    proof: Texts,
}

#[derive(Deserialize)]
struct BlockProofJson {
    leaves: String,
    proof: String,
}

#[derive(Deserialize)]
struct ProofsJson {
    proof: String,
    header: String,
    nodes: Texts,
    path: Option<BlockProofJson>,
}

/// A proof of an older block, as `mmr_generateProof` gives it: bytes are 0x-hex.
#[derive(Clone, Debug, Serialize)]
pub struct PathJson {
    /// A list of one, the leaf about the block, in SCALE.
    pub leaves: String,
    /// The leaf's index, the number of leaves, and the hashes that lead from the leaf to the root, in SCALE.
    pub proof: String,
}

/// A proof of an older block, decoded and as it came.
#[derive(Clone, Debug)]
pub struct Path {
    /// The proof.
    pub block: BlockProof,
    leaves: Vec<u8>,
    proof: Vec<u8>,
}

impl Path {
    /// In the form of `mmr_generateProof`.
    pub fn to_json(&self) -> PathJson {
        PathJson {
            leaves: hex(&self.leaves),
            proof: hex(&self.proof),
        }
    }
}

/// All that proves entries of the state at a block, as `duet_getProofs` gives it.
pub struct Proofs {
    /// The proof of the block under which it is.
    pub proof: Update,
    /// The SCALE encoding of the header of the state's block.
    pub header: Vec<u8>,
    /// Trie nodes that prove the entries.
    pub nodes: Vec<Vec<u8>>,
    /// The proof of that block under the other; none when they are the same.
    pub path: Option<Path>,
}

impl Server {
    /// The SCALE encoding of a block's header.
    ///
    /// # Errors
    /// [`Missing::Header`] when the node does not have it, or those of any request.
    pub async fn header(&self, hash: H256) -> Result<Vec<u8>, Fault> {
        let asked = || format!("the header of {hash:?}");
        let header: Option<HeaderJson> = self.ask("chain_getHeader", rpc_params![hash]).await?;
        header
            .ok_or(Fault::Incomplete(Missing::Header(hash)))?
            .encode(asked)
    }

    /// The trie nodes that prove these keys under a block's state.
    ///
    /// # Errors
    /// [`Missing::State`] when the node refuses, or those of any request.
    pub async fn read_proof(
        &self,
        keys: &[&[u8]],
        number: BlockNumber,
        hash: H256,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        let asked = || format!("a proof of the state of {hash:?}");
        let keys: Vec<_> = keys.iter().map(|key| hex(key)).collect();
        let answer: ReadProofJson = self
            .ask_for(
                "state_getReadProof",
                rpc_params![keys, hash],
                Missing::State(number),
            )
            .await?;
        let nodes = answer.proof.0;
        nodes.iter().map(|node| from_hex(node, asked)).collect()
    }

    /// The extrinsics of a block, each as SCALE encodes it.
    ///
    /// # Errors
    /// [`Missing::Body`] when the node refuses or does not have them, or those of any request.
    pub async fn extrinsics(&self, number: BlockNumber, hash: H256) -> Result<Vec<Vec<u8>>, Fault> {
        let asked = || format!("the extrinsics of {hash:?}");
        let params = rpc_params![hash];
        let answer: Option<SignedBlockJson> = self
            .ask_for("chain_getBlock", params, Missing::Body(number))
            .await?;
        let answer = answer.ok_or(Fault::Incomplete(Missing::Body(number)))?;
        let extrinsics = answer.block.extrinsics.0.iter();
        extrinsics.map(|bytes| from_hex(bytes, asked)).collect()
    }

    /// The proof of an older block under a newer one.
    ///
    /// # Errors
    /// [`Missing::History`] when the node refuses, or those of any request.
    pub async fn path(
        &self,
        older: BlockNumber,
        newer: BlockNumber,
        hash: H256,
    ) -> Result<Path, Fault> {
        // The leaf about a block is added by the block after it.
        let added_by = older.checked_next().unwrap_or(older);
        let params = rpc_params![[added_by], newer, hash];
        let answer: BlockProofJson = self
            .ask_for("mmr_generateProof", params, Missing::History(older))
            .await?;
        path(&answer, || {
            format!("a proof of block {older} under {hash:?}")
        })
    }

    /// Everything that proves entries of a block's state under a later block, or under itself, in one answer. None
    /// when the node does not know this method, or for more keys than it takes.
    ///
    /// # Errors
    /// [`Missing::State`] or [`Missing::Proofs`] when the node refuses, or those of any request.
    pub async fn proofs(
        &self,
        keys: &[&[u8]],
        block: BlockNumber,
        under: BlockNumber,
        mode: Mode,
    ) -> Result<Option<Proofs>, Fault> {
        let method = "duet_getProofs";
        if keys.len() > MAX_KEYS || self.lacks_proofs() {
            return Ok(None);
        }
        let asked = || format!("proofs of the state of block {block}");
        let keys: Vec<_> = keys.iter().map(|key| hex(key)).collect();
        let params = rpc_params![keys, block, under, mode == Mode::Stateless];
        let missing = Fault::Incomplete(Missing::Proofs { block, under });
        let answer: Option<ProofsJson> = match self.call(method, params).await? {
            Ok(answer) => answer,
            Err(error) if error.code() == ErrorCode::MethodNotFound.code() => {
                self.set_lacks_proofs();
                return Ok(None);
            }
            Err(error) if error.code() == NO_STATE => {
                return Err(Fault::Incomplete(Missing::State(block)))
            }
            Err(_) => return Err(missing),
        };
        let answer = answer.ok_or(missing)?;
        let proof = match mode {
            Mode::Full => decode_hex::<UncheckedJustification>(&answer.proof)?.into(),
            Mode::Stateless => decode_hex::<StatelessProof>(&answer.proof)?.into(),
        };
        let nodes = answer.nodes.0.iter().map(|node| from_hex(node, asked));
        Ok(Some(Proofs {
            proof,
            header: header_of(&answer.header)?,
            nodes: nodes.collect::<Result<_, _>>()?,
            path: answer.path.map(|answer| path(&answer, asked)).transpose()?,
        }))
    }
}

fn path(answer: &BlockProofJson, asked: impl Fn() -> String) -> Result<Path, Fault> {
    let leaves = from_hex(&answer.leaves, &asked)?;
    let proof = from_hex(&answer.proof, &asked)?;
    let block = BlockProof::from_rpc(&leaves, &proof)
        .map_err(|_| other(asked(), "something other than a proof of one block"))?;
    Ok(Path {
        block,
        leaves,
        proof,
    })
}

fn other(asked: String, got: &str) -> Lie {
    let got = got.to_owned();
    Lie::OtherAnswer { asked, got }
}

/// Bytes in text: `0x` and hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

pub(crate) fn from_hex(text: &str, asked: impl Fn() -> String) -> Result<Vec<u8>, Fault> {
    let digits = text.strip_prefix("0x");
    let bytes = digits.and_then(|digits| hex::decode(digits).ok());
    bytes.ok_or_else(|| other(asked(), "bytes that are not 0x-hex").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn header(logs: &[String]) -> Result<Vec<u8>, Fault> {
        let root = H256::repeat_byte(3);
        let header = json!({
            "parentHash": root,
            "number": "0x7",
            "stateRoot": root,
            "extrinsicsRoot": root,
            "digest": { "logs": logs },
        });
        let header: HeaderJson = serde_json::from_value(header).unwrap();
        header.encode(|| "a header".to_owned())
    }

    #[test]
    fn a_header_of_64_kib_is_taken_and_none_with_a_byte_more() {
        let rest = MAX_HEADER_LEN - header(&[]).unwrap().len();
        let of = |len: usize| header(&[hex(&vec![8; len - 1]), hex(&[8])]);
        assert_eq!(of(rest).unwrap().len(), MAX_HEADER_LEN);
        let fault = of(rest + 1).unwrap_err();
        let words = "RPC-1: asked for a header, got a header of more than 64 KiB";
        assert_eq!(fault.to_string(), words);
    }
}
