//! Transactions of any chain: its metadata has their format, and the names of its errors.

use crate::account::Account;
use codec::Encode;
use duet_primitives::{DualKeyBytes, PossessionProof, H256};
use subxt::{
    client::{OfflineClient, OfflineClientAtBlock},
    config::{
        substrate::{SpecVersionForRange, SubstrateConfig},
        DefaultExtrinsicParamsBuilder,
    },
    error::{DispatchError, DispatchErrorDecodeError, EventsError, ExtrinsicError},
    events::Phase,
    Metadata,
};

const PALLET: &str = "Duet";
const REGISTER: &str = "register_keys";

/// Why a transaction cannot be built for a chain, or its result cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The metadata has another format.
    #[error("the chain's metadata cannot be decoded: {0}")]
    Metadata(#[from] codec::Error),
    /// The library refuses it.
    #[error("the chain's metadata cannot be used: {0}")]
    Unusable(#[from] subxt::error::OfflineClientAtBlockError),
    /// The runtime lacks the call.
    #[error("the runtime has no call Duet.register_keys")]
    NoCall,
    /// The call's arguments, the signature or a transaction extension of the chain are unknown here.
    #[error("no transaction can be built for this chain: {0}; use --print-call and a tool that knows the chain")]
    Transaction(#[source] Box<ExtrinsicError>),
    /// An event has another format.
    #[error("the events of the block cannot be decoded: {0}")]
    Events(#[source] Box<EventsError>),
    /// The error has another format.
    #[error("the error of the transaction cannot be decoded: {0}")]
    Error(#[from] DispatchErrorDecodeError),
    /// The block does not say whether the transaction succeeded.
    #[error("the events of the block do not have the result of the transaction")]
    NoResult,
}

impl From<ExtrinsicError> for FormatError {
    fn from(error: ExtrinsicError) -> Self {
        Self::Transaction(Box::new(error))
    }
}

/// The format of the transactions of one version of a chain's runtime.
pub(crate) struct Format {
    at: OfflineClientAtBlock<SubstrateConfig>,
    /// The first bytes of the call: those of its pallet and of itself.
    register: [u8; 2],
}

impl Format {
    /// The format for a chain's genesis, its runtime's versions (of the specification and of transactions), and its
    /// metadata in SCALE.
    ///
    /// # Errors
    /// [`FormatError::Metadata`], [`FormatError::Unusable`], [`FormatError::NoCall`].
    pub(crate) fn new(
        genesis: H256,
        (spec_version, transaction_version): (u32, u32),
        metadata: &[u8],
    ) -> Result<Self, FormatError> {
        let metadata = Metadata::decode_from(metadata)?;
        let pallet = metadata.pallet_by_name(PALLET);
        let pallet = pallet.ok_or(FormatError::NoCall)?;
        let call = pallet.call_variant_by_name(REGISTER);
        let register = [pallet.call_index(), call.ok_or(FormatError::NoCall)?.index];
        // One block stands for all of that version.
        let versions = SpecVersionForRange {
            block_range: 0..1,
            spec_version,
            transaction_version,
        };
        let config = SubstrateConfig::builder()
            .set_genesis_hash(genesis.0.into())
            .set_spec_version_for_block_ranges([versions])
            .set_metadata_for_spec_versions([(spec_version, metadata.into())])
            .build();
        let at = OfflineClient::new_with_config(config).at_block(0_u64)?;
        Ok(Self { at, register })
    }

    /// The call `Duet.register_keys`, encoded.
    ///
    /// # Errors
    /// [`FormatError::Transaction`] if its arguments are others.
    pub(crate) fn register_keys(
        &self,
        key: &DualKeyBytes,
        proof: &PossessionProof,
    ) -> Result<Vec<u8>, FormatError> {
        let bytes = (self.register, key, proof).encode();
        self.at.transactions().from_call_data_bytes(&bytes)?;
        Ok(bytes)
    }

    /// A signed transaction with a call. It never expires and pays no tip.
    ///
    /// # Errors
    /// [`FormatError::Transaction`].
    pub(crate) fn sign(
        &self,
        call: &[u8],
        nonce: u64,
        signer: &Account,
    ) -> Result<Vec<u8>, FormatError> {
        let transactions = self.at.transactions();
        let call = transactions.from_call_data_bytes(call)?;
        let params = DefaultExtrinsicParamsBuilder::new().immortal().nonce(nonce);
        let mut unsigned = transactions.create_signable_offline(&call, params.build())?;
        Ok(unsigned.sign(signer)?.into_encoded())
    }

    /// The name of the error with which a block's transaction at this position failed; `None` if it succeeded.
    ///
    /// # Errors
    /// [`FormatError::Events`], [`FormatError::Error`], [`FormatError::NoResult`].
    pub(crate) fn failure(
        &self,
        events: Vec<u8>,
        position: u32,
    ) -> Result<Option<String>, FormatError> {
        for event in self.at.events().from_bytes(events).iter() {
            let event = event.map_err(|error| FormatError::Events(Box::new(error)))?;
            if event.phase() != Phase::ApplyExtrinsic(position) || event.pallet_name() != "System" {
                continue;
            }
            match event.event_name() {
                "ExtrinsicSuccess" => return Ok(None),
                "ExtrinsicFailed" => {
                    let error =
                        DispatchError::decode_from(event.field_bytes(), self.at.metadata())?;
                    return Ok(Some(error.to_string()));
                }
                _ => {}
            }
        }
        Err(FormatError::NoResult)
    }
}
