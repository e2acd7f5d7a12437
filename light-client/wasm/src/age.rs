//! The age of the newest trusted block. (LIGHT-9)
//!
//! Times are in milliseconds since the Unix epoch, periods in seconds.

use crate::{
    block::Block,
    bytes::byte_strings,
    client::LightClient,
    error::{of_age, of_state},
};
use duet_light_client::Dated;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

/// The storage keys of a block's time and of the chain's trusting period.
#[wasm_bindgen(js_name = dateKeys)]
pub fn date_keys() -> Array {
    Dated::keys().into_iter().map(Uint8Array::from).collect()
}

/// Checks a date that nothing proves: that of a genesis, as a server tells it. `given` is the user's own trusting
/// period.
///
/// # Errors
/// LIGHT-9.
#[wasm_bindgen(js_name = checkDate)]
pub fn check_date(
    time: u64,
    trusting_period: Option<u64>,
    now: u64,
    given: Option<u64>,
) -> Result<(), JsValue> {
    let dated = Dated {
        time,
        trusting_period,
    };
    dated.check(now, given).map_err(|error| of_age(&error))
}

#[wasm_bindgen]
impl LightClient {
    /// Keeps the time of the newest block and the chain's trusting period, from the block's header and from trie nodes
    /// as `state_getReadProof` gives them for `dateKeys()`. Whether its state has a time. (STATE-1, STATE-2)
    ///
    /// # Errors
    /// STATE-1, STATE-2.
    #[wasm_bindgen(js_name = proveDate)]
    pub fn prove_date(&mut self, header: &[u8], nodes: &Array) -> Result<bool, JsValue> {
        let header = Block::from(self.trusted.best_block()).read_header(header)?;
        let nodes = byte_strings("nodes", nodes)?;
        let entries = header
            .read(&Dated::keys(), &nodes)
            .map_err(|error| of_state(&error))?;
        let values = entries
            .iter()
            .map(|entry| entry.value().map(<[u8]>::to_vec));
        let Some(dated) = Dated::read(&values.collect::<Vec<_>>()) else {
            return Ok(false);
        };
        self.trusted = self.trusted.clone().with_date(dated);
        Ok(true)
    }

    /// Keeps a date of the newest block for which the user vouches.
    #[wasm_bindgen(js_name = vouchDate)]
    pub fn vouch_date(&mut self, time: u64, trusting_period: Option<u64>) {
        self.trusted = self.trusted.clone().with_date(Dated {
            time,
            trusting_period,
        });
    }

    /// Refuses to continue from a block that is too old. `given` is the user's own trusting period: of it and the
    /// chain's the shorter one counts. Without a date nothing is refused.
    ///
    /// # Errors
    /// LIGHT-9.
    #[wasm_bindgen(js_name = checkAge)]
    pub fn check_age(&self, now: u64, given: Option<u64>) -> Result<(), JsValue> {
        self.trusted.dated().map_or(Ok(()), |dated| {
            check_date(dated.time, dated.trusting_period, now, given)
        })
    }
}
