//! Headers, state, extrinsics and older blocks under a block that is final.

use crate::{
    bytes::{byte_strings, hash},
    error::{of_body, of_state, other_answer},
    object::Fields,
};
use duet_light_client::{BlockProof, FinalBlock, FinalHeader};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// The most bytes that a proof of an older block is decoded from: a leaf, and the most hashes of a path.
const MAX_PROOF_LEN: usize = 4096;
/// The most bytes that a header is read from.
const MAX_HEADER_LEN: usize = 1 << 20;

/// A block that is final. It stays that whatever is verified later.
#[wasm_bindgen]
pub struct Block(FinalBlock);

impl From<FinalBlock> for Block {
    fn from(block: FinalBlock) -> Self {
        Self(block)
    }
}

#[wasm_bindgen]
impl Block {
    /// Its number.
    #[wasm_bindgen(getter)]
    pub fn number(&self) -> u32 {
        self.0.number().get()
    }

    /// Its hash.
    #[wasm_bindgen(getter)]
    pub fn hash(&self) -> Vec<u8> {
        self.0.hash().as_bytes().to_vec()
    }

    /// An older block, from `leaves` and `proof` as `mmr_generateProof` gives them for the block after it. (STATE-3)
    ///
    /// # Errors
    /// STATE-3, and RPC-1 when the proof is about another block or none.
    pub fn older(&self, number: u32, leaves: &[u8], proof: &[u8]) -> Result<Block, JsValue> {
        let asked = || format!("a proof of block {number}");
        let proof = (leaves.len() <= MAX_PROOF_LEN && proof.len() <= MAX_PROOF_LEN)
            .then(|| BlockProof::from_rpc(leaves, proof).ok())
            .flatten()
            .ok_or_else(|| {
                other_answer(
                    asked(),
                    "something other than a proof of one block".to_owned(),
                )
            })?;
        let block = proof.check(&self.0).map_err(|error| of_state(&error))?;
        if block.number().get() != number {
            return Err(other_answer(
                asked(),
                format!("one of block {}", block.number()),
            ));
        }
        Ok(Self(block))
    }

    /// Its header, from the bytes that hash to its hash: `{ number, hash, parentHash?, stateRoot, extrinsicsRoot }`. (STATE-1)
    ///
    /// # Errors
    /// STATE-1.
    pub fn header(&self, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let header = self.read_header(bytes)?;
        let mut fields = Fields::new()
            .with("number", header.block().number().get())
            .with_bytes("hash", header.block().hash().as_bytes())
            .with_bytes("stateRoot", header.state_root().as_bytes())
            .with_bytes("extrinsicsRoot", header.extrinsics_root().as_bytes());
        if let Some(parent) = header.parent() {
            fields = fields.with_bytes("parentHash", parent.hash().as_bytes());
        }
        Ok(fields.into())
    }

    /// The entries of its state under these keys, from its header and trie nodes as `state_getReadProof` gives them for
    /// just these keys: bytes, or `undefined` where the state provably has none. (STATE-1, STATE-2)
    ///
    /// # Errors
    /// STATE-1, STATE-2.
    pub fn read(&self, header: &[u8], keys: &Array, nodes: &Array) -> Result<Array, JsValue> {
        let header = self.read_header(header)?;
        let (keys, nodes) = (byte_strings("keys", keys)?, byte_strings("nodes", nodes)?);
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let entries = header
            .read(&keys, &nodes)
            .map_err(|error| of_state(&error))?;
        let value = |bytes: Option<&[u8]>| {
            bytes.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(bytes).into())
        };
        Ok(entries.iter().map(|entry| value(entry.value())).collect())
    }

    /// Checks its extrinsics from its header and from what `chain_getBlock` gives, each with its length in front: they are
    /// all that the block has, in their order. (STATE-1, STATE-4)
    ///
    /// # Errors
    /// STATE-1, STATE-4.
    pub fn body(&self, header: &[u8], extrinsics: &Array) -> Result<(), JsValue> {
        let extrinsics = byte_strings("extrinsics", extrinsics)?;
        let header = self.read_header(header)?;
        header.body(&extrinsics).map_err(|error| of_body(&error))?;
        Ok(())
    }

    /// The position of the transaction with this hash (BLAKE2b-256 of its bytes) among its extrinsics, from 0 on;
    /// `undefined` when the block provably has none. (STATE-1, STATE-4)
    ///
    /// # Errors
    /// STATE-1, STATE-4.
    pub fn find(
        &self,
        header: &[u8],
        extrinsics: &Array,
        transaction: &[u8],
    ) -> Result<Option<usize>, JsValue> {
        let transaction = hash("hash", transaction)?;
        let extrinsics = byte_strings("extrinsics", extrinsics)?;
        let body = self.read_header(header)?.body(&extrinsics);
        let found = body.map_err(|error| of_body(&error))?.find(transaction);
        Ok(found.map(|found| found.index()))
    }
}

impl Block {
    pub(crate) fn read_header(&self, bytes: &[u8]) -> Result<FinalHeader, JsValue> {
        if bytes.len() > MAX_HEADER_LEN {
            let asked = format!("the header of block {}", self.0.number());
            return Err(other_answer(asked, format!("{} bytes", bytes.len())));
        }
        self.0.header(bytes).map_err(|error| of_state(&error))
    }
}
