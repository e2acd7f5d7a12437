//! Bytes, and arrays of byte strings.

use crate::error::{bad_argument, other_answer};
use duet_primitives::H256;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::{JsCast, JsValue};

/// The most bytes that are taken at once.
const MAX_LEN: usize = 1 << 24;

/// The byte strings of an array, together at most [`MAX_LEN`] bytes.
pub(crate) fn byte_strings(name: &str, array: &Array) -> Result<Vec<Vec<u8>>, JsValue> {
    let mut room = MAX_LEN;
    let mut strings = Vec::new();
    for item in array.iter() {
        let bytes = item
            .dyn_ref::<Uint8Array>()
            .ok_or_else(|| bad_argument(name, "an array of Uint8Array", "something else"))?;
        let length = usize::try_from(bytes.length()).unwrap_or(usize::MAX);
        room = room.checked_sub(length).ok_or_else(|| {
            other_answer(
                format!("{name} of at most {MAX_LEN} bytes"),
                "more".to_owned(),
            )
        })?;
        strings.push(bytes.to_vec());
    }
    Ok(strings)
}

/// The hash that an argument is.
pub(crate) fn hash(name: &str, bytes: &[u8]) -> Result<H256, JsValue> {
    let len = bytes.len();
    let bytes: Result<[u8; 32], _> = bytes.try_into();
    bytes
        .map(H256)
        .map_err(|_| bad_argument(name, "32 bytes", &format!("{len} bytes")))
}
