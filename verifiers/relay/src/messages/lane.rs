//! Where a lane is stored.

use crate::messages::plan::Nonce;
use codec::Encode;
use sp_crypto_hashing::{blake2_128, twox_128};
use std::{fmt, str::FromStr};

/// A lane, which has the same name on both chains, of messages pallets with the same name in both runtimes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pallet: String,
    id: LaneId,
}

/// The name of a lane: 4 bytes, or a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneId(Vec<u8>);

/// It is no name of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a lane id is 0x and 4 or 32 bytes in hexadecimal digits")]
pub struct NoLaneId;

impl FromStr for LaneId {
    type Err = NoLaneId;

    fn from_str(text: &str) -> Result<Self, NoLaneId> {
        let digits = text.strip_prefix("0x").ok_or(NoLaneId)?;
        let bytes = hex::decode(digits).map_err(|_| NoLaneId)?;
        matches!(bytes.len(), 4 | 32)
            .then_some(Self(bytes))
            .ok_or(NoLaneId)
    }
}

impl fmt::Display for LaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", hex::encode(&self.0))
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.id, self.pallet)
    }
}

impl Lane {
    /// The lane with this name, of the pallet with this one (`BridgeMessages`).
    pub fn new(pallet: &str, id: LaneId) -> Self {
        let pallet = pallet.to_owned();
        Self { pallet, id }
    }

    /// The name of the messages pallet in both runtimes.
    pub fn pallet(&self) -> &str {
        &self.pallet
    }

    /// The lane's name in SCALE.
    pub(crate) fn id(&self) -> &[u8] {
        &self.id.0
    }

    /// Where the end that sends is.
    pub(crate) fn outbound_key(&self) -> Vec<u8> {
        self.key("OutboundLanes", self.id())
    }

    /// Where the end that receives is.
    pub(crate) fn inbound_key(&self) -> Vec<u8> {
        self.key("InboundLanes", self.id())
    }

    /// Where a message waits that was sent.
    pub(crate) fn message_key(&self, nonce: Nonce) -> Vec<u8> {
        self.key("OutboundMessages", &[self.id(), &nonce.encode()].concat())
    }

    fn key(&self, item: &str, key: &[u8]) -> Vec<u8> {
        let prefix = [self.pallet.as_bytes(), item.as_bytes()].map(twox_128);
        [prefix.as_flattened(), &blake2_128(key), key].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_named_by_four_bytes_or_a_hash() {
        for name in ["0x64756574".to_owned(), format!("0x{}", "ab".repeat(32))] {
            let id: LaneId = name.parse().expect("it is one");
            assert_eq!(id.to_string(), name);
        }
        for text in [
            "64756574",
            "0x",
            "0x6475657",
            "0x647565",
            "0x6475657400",
            "0xduet",
        ] {
            assert_eq!(text.parse::<LaneId>(), Err(NoLaneId), "{text}");
        }
    }

    /// The keys of the SDK's test of `bp-messages`, for the pallet `BridgeMessages` and the lane `test`.
    #[test]
    fn keys_are_those_of_the_sdk() {
        let lane = Lane::new("BridgeMessages", "0x74657374".parse().expect("it is one"));
        let outbound = "dd16c784ebd3390a9bc0357c7511ed01\
                        96c246acb9b55077390e3ca723a0ca1f44a8995dd50b6657a037a7839304535b74657374";
        let inbound = "dd16c784ebd3390a9bc0357c7511ed01\
                       e5f83cf83f2127eb47afdc35d6e43fab44a8995dd50b6657a037a7839304535b74657374";
        let message = "dd16c784ebd3390a9bc0357c7511ed01\
                       8a395e6242c6813b196ca31ed0547ea79446af0e09063bd4a7874aef8a997cec74657374\
                       2a00000000000000";
        assert_eq!(hex::encode(lane.outbound_key()), outbound);
        assert_eq!(hex::encode(lane.inbound_key()), inbound);
        assert_eq!(hex::encode(lane.message_key(42)), message);
    }
}
