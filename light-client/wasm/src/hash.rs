//! The hash of addresses and storage keys, and that of texts.

use crate::error::bad_argument;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// BLAKE2b of bytes, 16, 32 or 64 bytes long.
///
/// # Errors
/// For any other length.
#[wasm_bindgen]
pub fn blake2b(bytes: &[u8], length: u32) -> Result<Vec<u8>, JsValue> {
    match length {
        16 => Ok(sp_crypto_hashing::blake2_128(bytes).to_vec()),
        32 => Ok(sp_crypto_hashing::blake2_256(bytes).to_vec()),
        64 => Ok(sp_crypto_hashing::blake2_512(bytes).to_vec()),
        _ => Err(bad_argument("length", "16, 32 or 64", &length.to_string())),
    }
}

/// SHA-256 of bytes. Browsers have it only in pages of a secure origin.
#[wasm_bindgen]
pub fn sha256(bytes: &[u8]) -> Vec<u8> {
    sp_crypto_hashing::sha2_256(bytes).to_vec()
}
