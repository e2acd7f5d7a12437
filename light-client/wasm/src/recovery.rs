//! Recovery by proof: a reset is announced, waited for, and crossed. (RECOVER-7, RECOVER-8)
//!
//! Times are in milliseconds since the Unix epoch, periods and waits in seconds.

use crate::{
    block::Block,
    bytes::byte_strings,
    client::LightClient,
    error::{malformed, of_recovery, of_state, of_verifier, without_terms},
    object::Fields,
};
use codec::{DecodeAll, Encode};
use duet_light_client::{recovery_terms, Crossing, RecoverError, ResetClaim};
use duet_primitives::{suite::RECOVERY_TERMS_STORAGE_KEY, RecoveryProof, SetId};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// The storage keys that prove the terms of a recovery: one. (RECOVER-4)
#[wasm_bindgen(js_name = recoveryKeys)]
pub fn recovery_keys() -> Array {
    Array::of1(&Uint8Array::from(RECOVERY_TERMS_STORAGE_KEY.as_slice()))
}

/// The number of the block that a recovery proof is about. None of the proof is verified.
///
/// # Errors
/// ENC-6 when the bytes are not a recovery proof.
#[wasm_bindgen(js_name = peekRecovery)]
pub fn peek_recovery(proof: &[u8]) -> Result<u32, JsValue> {
    Ok(read(proof)?.statement.block_number.get())
}

fn read(proof: &[u8]) -> Result<RecoveryProof, JsValue> {
    RecoveryProof::decode_all(&mut &*proof).map_err(|_| malformed("recovery proof", "stop"))
}

#[wasm_bindgen]
impl LightClient {
    /// Takes note of a recovery proof from anybody, and begins the wait. The terms are read from the newest block's header
    /// and from trie nodes as `state_getReadProof` gives them for `recoveryKeys()`. `given` is the user's own trusting
    /// period.
    ///
    /// # Errors
    /// STATE-1, STATE-2, of which the sender of header and nodes is guilty; RECOVER-4, RECOVER-6 to RECOVER-8, LIGHT-9.
    /// Of RECOVER-8, for a statement that contradicts the announced one, with both proofs; the state keeps both.
    pub fn announce(
        &mut self,
        proof: &[u8],
        header: &[u8],
        nodes: &Array,
        now: u64,
        given: Option<u64>,
    ) -> Result<(), JsValue> {
        let proof = read(proof)?;
        let header = Block::from(self.trusted.best_block()).read_header(header)?;
        let nodes = byte_strings("nodes", nodes)?;
        let entries = header
            .read(&[&RECOVERY_TERMS_STORAGE_KEY], &nodes)
            .map_err(|error| of_state(&error))?;
        let terms = recovery_terms(entries.first().and_then(|entry| entry.value()))
            .ok_or_else(|| without_terms(self.trusted.best_number()))?;
        let announced = self.trusted.announce(&terms, proof, now, given);
        self.trusted = announced.map_err(|error| self.refused(&error))?;
        Ok(())
    }

    /// The recovery that is waited for, if there is one:
    /// `{ block, hash, ended, resetBlock, resetHash, set, validators, seconds, contradicted }`, where `seconds` are left of
    /// the wait.
    pub fn announced(&self, now: u64) -> JsValue {
        let Some(announced) = self.trusted.announced() else {
            return JsValue::UNDEFINED;
        };
        let statement = announced.statement();
        Fields::new()
            .with("block", statement.block_number.get())
            .with_bytes("hash", statement.block_hash.as_bytes())
            .with("ended", statement.ended.get())
            .with("resetBlock", statement.reset_number.get())
            .with_bytes("resetHash", statement.reset_hash.as_bytes())
            .with("set", statement.set.id.get())
            .with("validators", statement.set.len)
            .with("seconds", announced.left(now) as f64)
            .with("contradicted", announced.contradicted().is_some())
            .into()
    }

    /// The ids of the sets before a crossed reset, until the new set proves a block. A proof by one of them for the block of
    /// the reset, or a later one, contradicts the recovery. (RECOVER-8)
    #[wasm_bindgen(js_name = endedSets)]
    pub fn ended_sets(&self) -> Vec<u64> {
        self.trusted.ended_sets().map(SetId::get).collect()
    }

    /// What an endpoint says against the announced statement by its header of the reset, or by having none. It is
    /// `undefined` if that is nothing, or if nothing is announced. (RECOVER-8)
    ///
    /// # Errors
    /// As of `resetClaim`.
    pub fn dispute(&self, header: Option<Vec<u8>>) -> Result<Option<String>, JsValue> {
        let Some(announced) = self.trusted.announced() else {
            return Ok(None);
        };
        let claim = header.map(|header| self.trusted.reset_claim(&header));
        let claim = claim.transpose().map_err(|error| of_verifier(&error))?;
        Ok(ResetClaim::dispute(claim.as_ref(), announced.statement()))
    }

    /// Crosses the reset when the wait is over; how many seconds are left of it, which is 0 after the crossing. It is
    /// `undefined` when the clock stands before the announcement: then the wait begins anew. `given` is the user's own
    /// trusting period.
    ///
    /// The caller must have asked its servers for a newer proof and for the reset right before this, and no answer may
    /// `dispute` the statement.
    ///
    /// # Errors
    /// RECOVER-8 when nothing is announced, or when it is contradicted, with both proofs; RECOVER-7 for the clock; LIGHT-9.
    pub fn cross(&mut self, now: u64, given: Option<u64>) -> Result<Option<f64>, JsValue> {
        match self.trusted.cross(now, given) {
            Ok(Crossing::Crossed(behind)) => {
                self.trusted = *behind;
                Ok(Some(0.0))
            }
            Ok(Crossing::Restarted(again)) => {
                self.trusted = *again;
                Ok(None)
            }
            Err(RecoverError::Early { left }) => Ok(Some(left as f64)),
            Err(error) => Err(self.refused(&error)),
        }
    }
}

impl LightClient {
    /// The error, with the evidence of a contradiction.
    fn refused(&self, error: &RecoverError) -> JsValue {
        let announced = self.trusted.announced();
        let pair = announced.and_then(|announced| {
            let second = announced.contradicted()?;
            Some([announced.proof().encode(), second.encode()])
        });
        let evidence = pair.filter(|_| matches!(error, RecoverError::Contradicted { .. }));
        of_recovery(error, evidence)
    }
}
