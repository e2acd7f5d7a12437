//! Why a fresh signature was discarded: the form on the wire.

// The codec's derive casts the indices of variants, which are constants below 256.
#![allow(clippy::cast_possible_truncation)]

use codec::{Decode, Encode};
use duet_keystore::Fault;
use duet_primitives::{KeyError, PointError, PossessionError, SignatureError};

/// A [`Fault`], with a number for each rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum WireFault {
    /// [`Fault::Key`].
    #[codec(index = 0)]
    Key(WireKeyError),
    /// [`Fault::Vote`].
    #[codec(index = 1)]
    Vote(WireSignatureError),
    /// [`Fault::Possession`].
    #[codec(index = 2)]
    Possession(WirePossessionError),
}

/// A [`PointError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum WirePointError {
    /// ENC-1.
    #[codec(index = 0)]
    NotCanonical,
    /// ENC-2.
    #[codec(index = 1)]
    Infinity,
    /// ENC-3.
    #[codec(index = 2)]
    NotOnCurve,
    /// ENC-4.
    #[codec(index = 3)]
    NotInSubgroup,
}

/// A [`KeyError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum WireKeyError {
    /// The half in G1.
    #[codec(index = 0)]
    Pk1(WirePointError),
    /// The half in G2.
    #[codec(index = 1)]
    Pk2(WirePointError),
}

/// A [`SignatureError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum WireSignatureError {
    /// ENC-5, the challenge.
    #[codec(index = 0)]
    ChallengeNotReduced,
    /// ENC-5, the response.
    #[codec(index = 1)]
    ResponseNotReduced,
    /// The point.
    #[codec(index = 2)]
    Sigma(WirePointError),
    /// DLEQ-2.
    #[codec(index = 3)]
    ProofFails,
}

/// A [`PossessionError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum WirePossessionError {
    /// The key itself.
    #[codec(index = 0)]
    Key(WireKeyError),
    /// POP-1.
    #[codec(index = 1)]
    Ownership(WireSignatureError),
    /// POP-2.
    #[codec(index = 2)]
    Possession(WireSignatureError),
    /// POP-3.
    #[codec(index = 3)]
    HalvesDiffer,
}

/// Two enums whose variants have the same names, in both directions.
macro_rules! both_ways {
    ($wire:ident, $error:ident, { $($unit:ident),* }, { $($with:ident),* }) => {
        impl From<$error> for $wire {
            fn from(error: $error) -> Self {
                match error {
                    $($error::$unit => Self::$unit,)*
                    $($error::$with(reason) => Self::$with(reason.into()),)*
                }
            }
        }
        impl From<$wire> for $error {
            fn from(error: $wire) -> Self {
                match error {
                    $($wire::$unit => Self::$unit,)*
                    $($wire::$with(reason) => Self::$with(reason.into()),)*
                }
            }
        }
    };
}

both_ways!(WirePointError, PointError, { NotCanonical, Infinity, NotOnCurve, NotInSubgroup }, {});
both_ways!(WireKeyError, KeyError, {}, { Pk1, Pk2 });
both_ways!(WireSignatureError, SignatureError, { ChallengeNotReduced, ResponseNotReduced, ProofFails }, { Sigma });
both_ways!(WirePossessionError, PossessionError, { HalvesDiffer }, { Key, Ownership, Possession });

impl WireFault {
    /// A fault; `None` for kinds unknown to this version of the protocol.
    pub fn of(fault: Fault) -> Option<Self> {
        match fault {
            Fault::Key(error) => Some(Self::Key(error.into())),
            Fault::Vote(error) => Some(Self::Vote(error.into())),
            Fault::Possession(error) => Some(Self::Possession(error.into())),
            _ => None,
        }
    }
}

impl From<WireFault> for Fault {
    fn from(fault: WireFault) -> Self {
        match fault {
            WireFault::Key(error) => Self::Key(error.into()),
            WireFault::Vote(error) => Self::Vote(error.into()),
            WireFault::Possession(error) => Self::Possession(error.into()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use codec::DecodeAll;

    /// Every possible fault.
    pub(crate) fn all() -> Vec<Fault> {
        let points = [
            PointError::NotCanonical,
            PointError::Infinity,
            PointError::NotOnCurve,
            PointError::NotInSubgroup,
        ];
        let keys: Vec<_> = points
            .iter()
            .flat_map(|error| [KeyError::Pk1(*error), KeyError::Pk2(*error)])
            .collect();
        let fixed = [
            SignatureError::ChallengeNotReduced,
            SignatureError::ResponseNotReduced,
            SignatureError::ProofFails,
        ];
        let signatures: Vec<_> = points
            .map(SignatureError::Sigma)
            .into_iter()
            .chain(fixed)
            .collect();
        let of_keys = keys.iter().flat_map(|error| {
            [
                Fault::Key(*error),
                Fault::Possession(PossessionError::Key(*error)),
            ]
        });
        let of_signatures = signatures.iter().flat_map(|error| {
            [
                Fault::Vote(*error),
                Fault::Possession(PossessionError::Ownership(*error)),
                Fault::Possession(PossessionError::Possession(*error)),
            ]
        });
        let last = Fault::Possession(PossessionError::HalvesDiffer);
        of_keys.chain(of_signatures).chain([last]).collect()
    }

    #[test]
    fn every_fault_comes_back_and_has_bytes_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for fault in all() {
            let bytes = WireFault::of(fault).unwrap().encode();
            let decoded = WireFault::decode_all(&mut &*bytes).unwrap();
            assert_eq!(Fault::from(decoded), fault);
            assert!(seen.insert(bytes), "{fault}");
        }
        assert_eq!(seen.len(), 8 * 2 + 7 * 3 + 1);
    }
}
