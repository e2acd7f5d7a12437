//! Outcomes of transactions for JavaScript: bytes in, text and numbers out, and no I/O.
//!
//! The metadata and the events have to be proven by the caller, as `duet-calls-wasm` and `duet-light-wasm` do. (STATE-9)

use codec::DecodeAll;
use duet_light_metadata::{MetadataError, RuntimeMetadata};
use std::collections::VecDeque;
use wasm_bindgen::prelude::wasm_bindgen;

/// How many metadata are kept: around an upgrade there are two.
const MAX_KEPT: usize = 2;

/// Decoded metadata, and what it says.
#[wasm_bindgen]
#[derive(Default)]
pub struct Outcomes {
    /// With the bytes of each. The one that was used last is the last.
    kept: VecDeque<(Vec<u8>, RuntimeMetadata)>,
}

#[wasm_bindgen]
impl Outcomes {
    /// Without metadata.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// What became of the extrinsic at `index` of a block, as JSON, by the block's entry `System.Events` and what the call
    /// `Metadata_metadata` returns after the block's parent. (STATE-9)
    ///
    /// Cost: that of reading the events, and some milliseconds for metadata that is not one of the last two.
    ///
    /// # Errors
    /// A text: the bytes are no metadata, or no events of that metadata, or the block has no such extrinsic.
    pub fn outcome(
        &mut self,
        metadata: &[u8],
        events: &[u8],
        index: u32,
    ) -> Result<String, String> {
        let outcome = self.metadata(metadata)?.outcome(events, index);
        Ok(outcome.map_err(text)?.json().to_string())
    }

    /// The era of an extrinsic, which comes with its length in front: `[period, phase]`; empty without one.
    ///
    /// # Errors
    /// A text: the bytes are no metadata.
    pub fn mortality(&mut self, metadata: &[u8], extrinsic: &[u8]) -> Result<Vec<u32>, String> {
        let era = self.metadata(metadata)?.mortality(extrinsic);
        Ok(era.map_or(vec![], |era| vec![era.period, era.phase]))
    }
}

impl Outcomes {
    /// What these bytes, with their length in front, are decoded to.
    fn metadata(&mut self, bytes: &[u8]) -> Result<&RuntimeMetadata, String> {
        let kept = self.kept.iter().position(|(of, _)| of == bytes);
        let kept = match kept.and_then(|index| self.kept.remove(index)) {
            Some(kept) => kept,
            None => {
                let inner = Vec::<u8>::decode_all(&mut &bytes[..]);
                let inner = inner.map_err(|_| text(MetadataError::Undecodable))?;
                let decoded = RuntimeMetadata::decode(&inner).map_err(text)?;
                (bytes.to_vec(), decoded)
            }
        };
        if self.kept.len() >= MAX_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(kept);
        let newest = self.kept.back().ok_or_else(String::new)?;
        Ok(&newest.1)
    }
}

fn text(error: MetadataError) -> String {
    format!("STATE-9: {error}")
}
