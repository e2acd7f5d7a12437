//! Decodes proven bytes by the metadata of the runtime that wrote them: what became of a transaction, until when
//! one can be included, and the digest of metadata that hardware wallets compare. No I/O.
//!
//! The caller proves the metadata and the bytes. Events of a block were written by the code in the state *before* it:
//! a block that carries an upgrade is still executed by the old code.

// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]
#![no_std]

extern crate alloc;

mod digest;
mod error;
mod json;
mod mortality;
mod outcome;

pub use digest::Token;
pub use error::MetadataError;
pub use mortality::Mortality;
pub use outcome::{Event, Failure, Fee, Outcome};

use codec::{Decode, DecodeAll};
use frame_metadata::{RuntimeMetadataPrefixed, META_RESERVED};
use subxt_metadata::Metadata;

/// The metadata of a runtime.
#[derive(Debug)]
pub struct RuntimeMetadata {
    /// As it came, for the digest.
    raw: frame_metadata::RuntimeMetadata,
    metadata: Metadata,
}

impl RuntimeMetadata {
    /// From the bytes that `Metadata_metadata_at_version` and `Metadata_metadata` return, without the length before
    /// them: `meta`, and the metadata of version 14 to 16.
    ///
    /// # Errors
    /// [`MetadataError::Undecodable`].
    pub fn decode(bytes: &[u8]) -> Result<Self, MetadataError> {
        let undecodable = |_| MetadataError::Undecodable;
        let RuntimeMetadataPrefixed(prefix, raw) =
            DecodeAll::decode_all(&mut &bytes[..]).map_err(undecodable)?;
        if prefix != META_RESERVED {
            return Err(MetadataError::Undecodable);
        }
        let metadata = Metadata::decode_from(bytes).map_err(undecodable)?;
        Ok(Self { raw, metadata })
    }

    /// The beginning of a constant of the pallet `System`.
    fn constant<T: Decode>(&self, name: &'static str) -> Result<T, MetadataError> {
        let constant = self.system()?.constant_by_name(name);
        let constant = constant.ok_or(MetadataError::Missing { what: name })?;
        T::decode(&mut constant.value()).map_err(|_| MetadataError::Bytes { of: name })
    }

    fn system(&self) -> Result<subxt_metadata::PalletMetadata<'_>, MetadataError> {
        let system = self.metadata.pallet_by_name("System");
        system.ok_or(MetadataError::Missing { what: "System" })
    }
}
