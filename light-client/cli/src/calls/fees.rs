//! Fees as a runtime returns them.

use codec::{Compact, Decode};
use serde_json::{json, Value};

/// The weight, the class and the fee of an extrinsic.
#[derive(Clone, Debug, PartialEq, Eq, Decode)]
pub(crate) struct DispatchInfo {
    /// In picoseconds.
    pub(crate) ref_time: Compact<u64>,
    /// In bytes.
    pub(crate) proof_size: Compact<u64>,
    pub(crate) class: Class,
    /// In the smallest unit of the chain, without a tip.
    pub(crate) fee: u128,
}

/// The class of an extrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Decode, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Class {
    Normal,
    Operational,
    Mandatory,
}

impl Class {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Operational => "operational",
            Self::Mandatory => "mandatory",
        }
    }
}

impl DispatchInfo {
    /// As `payment_queryInfo` answers.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "weight": { "ref_time": self.ref_time.0, "proof_size": self.proof_size.0 },
            "class": self.class,
            "partialFee": self.fee.to_string(),
        })
    }
}

/// The parts of a fee; none of an extrinsic that pays none.
#[derive(Clone, Debug, PartialEq, Eq, Decode)]
pub(crate) struct FeeDetails {
    inclusion: Option<[u128; 3]>,
    _tip: u128,
}

impl FeeDetails {
    /// As `payment_queryFeeDetails` answers.
    pub(crate) fn to_json(&self) -> Value {
        let inclusion = self.inclusion.map(|parts| {
            let [base, len, weight] = parts.map(|part| format!("{part:#x}"));
            json!({ "baseFee": base, "lenFee": len, "adjustedWeightFee": weight })
        });
        json!({ "inclusionFee": inclusion })
    }
}
