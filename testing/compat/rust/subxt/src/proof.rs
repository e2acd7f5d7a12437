//! What a justification says. It is read here, not verified: that is what the light client is for.

use std::error::Error;

/// The shortest justification: a commitment, one byte of signers and its length, a signature and a key.
const SHORTEST: usize = 168 + 2 + 48 + 96;

/// What stands first in a justification.
pub(crate) struct Commitment {
    /// Of the block.
    pub(crate) number: u32,
    /// Of the block.
    pub(crate) hash: [u8; 32],
    /// How long the justification is.
    pub(crate) bytes: usize,
}

impl Commitment {
    /// Reads what RPC answers: `0x` and hexadecimal digits.
    pub(crate) fn read(text: &str) -> Result<Self, Box<dyn Error>> {
        let digits = text
            .strip_prefix("0x")
            .ok_or("the proof does not begin with 0x")?;
        let byte = |pair: &[u8]| {
            u8::from_str_radix(std::str::from_utf8(pair)?, 16).map_err(Box::<dyn Error>::from)
        };
        let bytes: Vec<u8> = digits
            .as_bytes()
            .chunks(2)
            .map(byte)
            .collect::<Result<_, _>>()?;
        if bytes.len() < SHORTEST {
            return Err(format!("a justification of only {} bytes", bytes.len()).into());
        }
        let (number, rest) = bytes.split_first_chunk().ok_or("no number")?;
        let (hash, _) = rest.split_first_chunk().ok_or("no hash")?;
        Ok(Self {
            number: u32::from_le_bytes(*number),
            hash: *hash,
            bytes: bytes.len(),
        })
    }
}
