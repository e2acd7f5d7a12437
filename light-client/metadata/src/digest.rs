//! The digest of metadata of RFC 78.

use crate::{MetadataError, RuntimeMetadata};
use alloc::string::String;
use merkleized_metadata::{generate_metadata_digest, ExtraInfo};

/// How the amounts of a chain are shown. The runtime's builder put it into the digest; no metadata has it, so it comes
/// from a chain specification that the user trusts. With a false one the digest differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The symbol, such as `UNIT`.
    pub symbol: String,
    /// The number of decimals.
    pub decimals: u8,
}

impl RuntimeMetadata {
    /// The digest that a signer signs over where `CheckMetadataHash` is enabled, from metadata of version 15. A hardware
    /// wallet and this client then agree on how the bytes are shown.
    ///
    /// # Errors
    /// [`MetadataError::NoDigest`] for another version of metadata, [`MetadataError::Missing`], [`MetadataError::Bytes`].
    pub fn digest(&self, token: &Token) -> Result<[u8; 32], MetadataError> {
        let (spec_name, _, _, spec_version): (String, String, u32, u32) =
            self.constant("Version")?;
        let extra = ExtraInfo {
            spec_version,
            spec_name,
            base58_prefix: self.constant("SS58Prefix")?,
            decimals: token.decimals,
            token_symbol: token.symbol.clone(),
        };
        let digest = generate_metadata_digest(&self.raw, extra);
        let digest = digest.map_err(|why| MetadataError::NoDigest { why })?;
        Ok(digest.hash())
    }
}
