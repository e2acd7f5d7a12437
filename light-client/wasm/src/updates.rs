//! Proofs of finality: the form of bytes, and their content.

use crate::{
    error::{bad_argument, of_verifier},
    object::Fields,
};
use duet_light_client::{decode, HandoffProof, Update};
use duet_primitives::{StatelessProof, UncheckedJustification};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// Reads a proof: a `"justification"`, a `"handoff"` or a `"stateless"` one.
pub(crate) fn read(form: &str, bytes: &[u8]) -> Result<Update, JsValue> {
    let update = match form {
        "justification" => decode::<UncheckedJustification>(bytes).map(Update::from),
        "handoff" => decode::<HandoffProof>(bytes).map(Update::from),
        "stateless" => decode::<StatelessProof>(bytes).map(Update::from),
        _ => {
            return Err(bad_argument(
                "form",
                "justification, handoff or stateless",
                form,
            ))
        }
    };
    update.map_err(|error| of_verifier(&error))
}

/// The content of a proof: `{ block, hash, set, missing, nextSet? }`. None of it is verified. `missing` counts the members
/// of the set who have not signed, and the rest of the bitfield's last byte.
///
/// # Errors
/// ENC-6 when the bytes are not a proof of this form.
#[wasm_bindgen]
pub fn peek(form: &str, bytes: &[u8]) -> Result<JsValue, JsValue> {
    let update = read(form, bytes)?;
    let commitment = update.commitment();
    let signers = &update.justification().signers;
    let unset: u32 = signers
        .as_bytes()
        .iter()
        .map(|byte| byte.count_zeros())
        .sum();
    let fields = Fields::new()
        .with("block", commitment.block_number.get())
        .with_bytes("hash", commitment.block_hash.as_bytes())
        .with("set", commitment.validator_set_id.get())
        .with("missing", unset);
    Ok(if commitment.is_handoff() {
        fields.with("nextSet", commitment.next.id.get()).into()
    } else {
        fields.into()
    })
}
