//! Fixed-size encodings as they travel: bytes of the right length, not checked yet.

use crate::suite;
use alloc::vec::Vec;
use codec::{
    decode_vec_with_len, Compact, Decode, DecodeWithMemTracking, Encode, Error, Input,
    MaxEncodedLen,
};
use core::fmt;
use duet_curve::WITNESS_LEN;
use scale_info::TypeInfo;

macro_rules! bytes_type {
    ($(#[$docs:meta])* $name:ident, $len:expr) => {
        $(#[$docs])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode,
            DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
        )]
        pub struct $name(pub [u8; $len]);

        impl $name {
            /// Length in bytes.
            pub const LEN: usize = $len;
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl From<[u8; $len]> for $name {
            fn from(bytes: [u8; $len]) -> Self {
                Self(bytes)
            }
        }

        impl TryFrom<&[u8]> for $name {
            type Error = core::array::TryFromSliceError;
            fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
                bytes.try_into().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("0x")?;
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                impl_serde::serialize::serialize(&self.0, to)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut bytes = [0u8; $len];
                let expected = impl_serde::serialize::ExpectedLen::Exact(&mut bytes);
                impl_serde::serialize::deserialize_check_len(from, expected)?;
                Ok(Self(bytes))
            }
        }
    };
}

bytes_type!(
    /// A compressed point of G1 that claims to be the first half of a key. Serde: `0x`-hex.
    Pk1Bytes, suite::G1_LEN
);
bytes_type!(
    /// A compressed point of G2 that claims to be the second half of a key, or a sum of such. Serde: `0x`-hex.
    Pk2Bytes, suite::G2_LEN
);
bytes_type!(
    /// `pk1 ‖ pk2` as received, not checked. Serde: `0x`-hex.
    DualKeyBytes, suite::DUAL_KEY_LEN
);
bytes_type!(
    /// A compressed point of G1 that claims to be a BLS signature. Serde: `0x`-hex.
    SignatureBytes, suite::G1_LEN
);
bytes_type!(
    /// `σ ‖ c ‖ s` as received: a BLS signature and its Chaum-Pedersen proof. Serde: `0x`-hex.
    VoteSignature, suite::VOTE_SIGNATURE_LEN
);
bytes_type!(
    /// A proof of possession as received: ownership (112 bytes), then possession (112 bytes). Serde: `0x`-hex.
    PossessionProof, suite::POSSESSION_PROOF_LEN
);
bytes_type!(
    /// A witness that the equation of a finality proof holds, as received (JUST-11). Serde: `0x`-hex.
    Witness, WITNESS_LEN
);

/// Copies `N` bytes that start at `AT` out of a longer array.
///
/// Both are constants of the caller, so that a range outside of the array does not compile.
pub(crate) fn part<const AT: usize, const N: usize, const M: usize>(bytes: &[u8; M]) -> [u8; N] {
    const { assert!(AT + N <= M) };
    let mut out = [0; N];
    let (_, tail) = bytes.split_at(AT);
    let (part, _) = tail.split_at(N);
    out.copy_from_slice(part);
    out
}

/// Decodes a SCALE list of at most `limit` items; a longer one is refused before anything is allocated for it.
///
/// # Errors
/// `refusal` when the list is longer, or the decoder's error.
pub fn decode_list<T: Decode, I: Input>(
    input: &mut I,
    limit: u32,
    refusal: &'static str,
) -> Result<Vec<T>, Error> {
    let Compact(len) = Compact::<u32>::decode(input)?;
    if len > limit {
        return Err(refusal.into());
    }
    decode_vec_with_len(input, usize::try_from(len).map_err(|_| refusal)?)
}

impl DualKeyBytes {
    /// Joins two halves.
    pub fn new(pk1: Pk1Bytes, pk2: Pk2Bytes) -> Self {
        let mut bytes = [0; suite::DUAL_KEY_LEN];
        bytes[..suite::G1_LEN].copy_from_slice(&pk1.0);
        bytes[suite::G1_LEN..].copy_from_slice(&pk2.0);
        Self(bytes)
    }

    /// The half in G1.
    pub fn pk1(&self) -> Pk1Bytes {
        Pk1Bytes(part::<0, { suite::G1_LEN }, _>(&self.0))
    }

    /// The half in G2.
    pub fn pk2(&self) -> Pk2Bytes {
        Pk2Bytes(part::<{ suite::G1_LEN }, { suite::G2_LEN }, _>(&self.0))
    }
}

impl VoteSignature {
    /// The BLS signature σ.
    pub fn sigma(&self) -> SignatureBytes {
        SignatureBytes(part::<0, { suite::G1_LEN }, _>(&self.0))
    }

    /// The challenge `c`, little-endian.
    pub(crate) fn c(&self) -> [u8; suite::SCALAR_LEN] {
        part::<{ suite::G1_LEN }, { suite::SCALAR_LEN }, _>(&self.0)
    }

    /// The response `s`, little-endian.
    pub(crate) fn s(&self) -> [u8; suite::SCALAR_LEN] {
        part::<{ suite::G1_LEN + suite::SCALAR_LEN }, { suite::SCALAR_LEN }, _>(&self.0)
    }

    pub(crate) fn new(
        sigma: [u8; suite::G1_LEN],
        c: [u8; suite::SCALAR_LEN],
        s: [u8; suite::SCALAR_LEN],
    ) -> Self {
        let mut bytes = [0; suite::VOTE_SIGNATURE_LEN];
        bytes[..suite::G1_LEN].copy_from_slice(&sigma);
        bytes[suite::G1_LEN..suite::G1_LEN + suite::SCALAR_LEN].copy_from_slice(&c);
        bytes[suite::G1_LEN + suite::SCALAR_LEN..].copy_from_slice(&s);
        Self(bytes)
    }
}

impl PossessionProof {
    /// Joins the two signatures.
    pub fn new(ownership: VoteSignature, possession: VoteSignature) -> Self {
        let mut bytes = [0; suite::POSSESSION_PROOF_LEN];
        bytes[..suite::VOTE_SIGNATURE_LEN].copy_from_slice(&ownership.0);
        bytes[suite::VOTE_SIGNATURE_LEN..].copy_from_slice(&possession.0);
        Self(bytes)
    }

    /// The signature over the owner.
    pub fn ownership(&self) -> VoteSignature {
        VoteSignature(part::<0, { suite::VOTE_SIGNATURE_LEN }, _>(&self.0))
    }

    /// The signature over `pk2`.
    pub fn possession(&self) -> VoteSignature {
        VoteSignature(part::<
            { suite::VOTE_SIGNATURE_LEN },
            { suite::VOTE_SIGNATURE_LEN },
            _,
        >(&self.0))
    }
}
