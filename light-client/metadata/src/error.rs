use alloc::string::String;
use thiserror::Error;

/// Why bytes could not be decoded by a metadata.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MetadataError {
    /// The bytes are no metadata of version 14 to 16.
    #[error("the bytes are not metadata of version 14, 15 or 16")]
    Undecodable,
    /// The metadata lacks a pallet, an entry or a constant that every runtime on FRAME has.
    #[error("the metadata lacks {what}")]
    Missing {
        /// Its name.
        what: &'static str,
    },
    /// Bytes are not of the type that the metadata gives them.
    #[error("the bytes of {of} are not of the type in the metadata")]
    Bytes {
        /// Where they are from.
        of: &'static str,
    },
    /// The block has no events of the transaction that say how it ended.
    #[error("no event tells how extrinsic {index} ended")]
    NoOutcome {
        /// Its position in the block.
        index: u32,
    },
    /// No digest of this metadata exists.
    #[error("the metadata has no digest: {why}")]
    NoDigest {
        /// The library's reason.
        why: String,
    },
}
