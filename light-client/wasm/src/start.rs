//! A sender's claim of the block at which a chain's sets begin.

use crate::{bytes::hash, error::of_claim, object::Fields};
use duet_light_client::{decode, Mode, StartProof, Trusted};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// Where a sender says that the sets of the chain with this genesis begin: `{ block, hash }`. Nothing proves it.
///
/// # Errors
/// The first broken rule: the proof does not even hold for the block that it names.
#[wasm_bindgen(js_name = startClaim)]
pub fn start_claim(genesis_hash: &[u8], proof: &[u8]) -> Result<JsValue, JsValue> {
    let genesis_hash = hash("genesisHash", genesis_hash)?;
    let start = decode::<StartProof>(proof).and_then(|proof| {
        Trusted::from_start(genesis_hash, proof.block_hash(), &proof, Mode::Stateless)
    });
    let start = start.map_err(|error| of_claim(&error))?;
    Ok(Fields::new()
        .with("block", start.best_number().get())
        .with_bytes("hash", start.best_hash().as_bytes())
        .into())
}
