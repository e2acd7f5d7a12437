//! Functions of the runtime that this program calls.

/// A function of the runtime, and its parameters in SCALE.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) parameters: Vec<u8>,
}

impl Function {
    pub(crate) fn new(name: &str, parameters: Vec<u8>) -> Self {
        let name = name.to_owned();
        Self { name, parameters }
    }

    /// The metadata of the runtime.
    pub(crate) fn metadata() -> Self {
        Self::new("Metadata_metadata", Vec::new())
    }

    /// The metadata of version 15, in an option, from which its digest is computed.
    pub(crate) fn metadata_of_version_15() -> Self {
        let parameters = 15_u32.to_le_bytes().to_vec();
        Self::new("Metadata_metadata_at_version", parameters)
    }

    /// The weight and the fee of an extrinsic, which comes with its length in front.
    pub(crate) fn query_info(extrinsic: &[u8]) -> Self {
        Self::new("TransactionPaymentApi_query_info", priced(extrinsic))
    }

    /// The parts of the fee of an extrinsic, which comes with its length in front.
    pub(crate) fn query_fee_details(extrinsic: &[u8]) -> Self {
        let name = "TransactionPaymentApi_query_fee_details";
        Self::new(name, priced(extrinsic))
    }
}

/// The extrinsic, and how many bytes it has.
fn priced(extrinsic: &[u8]) -> Vec<u8> {
    let len = u32::try_from(extrinsic.len()).unwrap_or(u32::MAX);
    [extrinsic, &len.to_le_bytes()].concat()
}
