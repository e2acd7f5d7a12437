//! Decoding what servers send.

use crate::wire::{decoded_by, PER_BYTE};
use codec::{DecodeAll, Encode};
use duet_light_client::{decode, Received};
use std::fmt::Debug;

/// The decoder of the client bounds the length, and reads what the codec reads.
pub(super) fn received<T: Received + Encode + PartialEq + Debug>(bytes: &[u8]) -> Option<T> {
    received_within(bytes, PER_BYTE)
}

/// An empty node of a genesis proof is one byte, and 24 in memory; the length of the whole proof bounds them.
pub(super) const PER_BYTE_OF_GENESIS: usize = 52;

pub(super) fn received_within<T: Received + Encode + PartialEq + Debug>(
    bytes: &[u8],
    per_byte: usize,
) -> Option<T> {
    let value = decoded_by(bytes, per_byte, |bytes| decode::<T>(bytes).ok());
    let by_codec = T::decode_all(&mut &*bytes).ok();
    assert!(value == by_codec || bytes.len() > T::MAX_LEN);
    value
}
