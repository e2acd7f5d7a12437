//! The pallet's storage, and its call.

use crate::{
    messages::{Contents, Lane, Parcel},
    target::{Delivery, SetRef, Status, TargetError, Trust},
};
use codec::{Compact, Decode, DecodeAll, Encode};
use duet_primitives::{BlockNumber, KeysetCommitment, Keysets, H256};
use sp_crypto_hashing::{blake2_256, twox_128};

/// The call that submits proofs.
pub(crate) const CALL: &str = "submit_finality_proof_ex";

/// Items of its storage.
pub(crate) const BEST: &str = "BestFinalized";
pub(crate) const FOLLOWED: &str = "Followed";
pub(crate) const CONTRADICTED: &str = "Contradicted";
pub(crate) const MODE: &str = "PalletOperatingMode";

/// The mode in which it takes no submissions.
const HALTED: u8 = 1;

/// Where an item is stored.
pub(crate) fn storage_key(pallet: &str, item: &str) -> Vec<u8> {
    [twox_128(pallet.as_bytes()), twox_128(item.as_bytes())].concat()
}

/// The chain that is followed, as the pallet stores it.
#[derive(Decode)]
pub(crate) struct Followed {
    pub(crate) genesis_hash: H256,
    keysets: Keysets,
    trusting_period: u64,
    taken: Option<u64>,
    _replaced: Vec<(KeysetCommitment, u64)>,
}

/// The stored items; none where an item is absent.
pub(crate) struct Stored {
    pub(crate) best: Option<Vec<u8>>,
    pub(crate) followed: Option<Vec<u8>>,
    pub(crate) contradicted: Option<Vec<u8>>,
    pub(crate) mode: Option<Vec<u8>>,
}

impl Stored {
    pub(crate) fn followed(&self) -> Result<Followed, TargetError> {
        item(FOLLOWED, self.followed.as_deref())
    }

    /// The newest header.
    pub(crate) fn best(&self) -> Result<(BlockNumber, H256), TargetError> {
        let (number, hash): (u32, H256) = item(BEST, self.best.as_deref())?;
        Ok((BlockNumber::new(number), hash))
    }

    pub(crate) fn status(&self) -> Result<Status, TargetError> {
        let (best, _) = self.best()?;
        let followed = self.followed()?;
        let Keysets { current, next } = followed.keysets;
        let is_halted = self.mode.as_deref() == Some(&[HALTED]);
        Ok(Status {
            best,
            signing: reference(&current),
            next: (next != current).then(|| reference(&next)),
            is_stopped: is_halted || self.contradicted.is_some(),
            trust: followed.taken.map(|taken| Trust {
                until: taken.saturating_add(followed.trusting_period),
                period: followed.trusting_period,
            }),
        })
    }
}

fn reference(set: &KeysetCommitment) -> SetRef {
    SetRef {
        id: set.id,
        fingerprint: fingerprint(set),
    }
}

pub(crate) fn fingerprint(set: &KeysetCommitment) -> H256 {
    H256(blake2_256(&set.encode()))
}

fn item<T: Decode>(name: &str, stored: Option<&[u8]>) -> Result<T, TargetError> {
    let stored = stored.ok_or_else(|| {
        TargetError::NotReady(format!(
            "the pallet follows no chain yet: there is no {name} in a final block; root or the pallet's owner has to call `initialize`"
        ))
    })?;
    T::decode_all(&mut &*stored).map_err(|error| {
        TargetError::Misconfigured(format!(
            "{name} does not have the format of the bridge pallet: {error}"
        ))
    })
}

/// The arguments of the call: header, proof, the set that signs as far as the pallet knows, and that a fee is paid where the pallet asks
/// for one.
pub(crate) fn arguments(delivery: &Delivery, signing: SetRef) -> Result<Vec<u8>, TargetError> {
    let header = delivery.header.as_ref().ok_or_else(|| {
        TargetError::Misconfigured("a proof without the header of its block".to_owned())
    })?;
    let expects_to_be_free = false;
    let rest = (&delivery.proof, signing.id, expects_to_be_free).encode();
    Ok([header.as_slice(), &rest].concat())
}

/// The runtime API by which the target says what messages weigh that arrive.
pub(crate) const WEIGHTS: &str = "FromDuetInboundLaneApi_message_details";

/// Time and bytes of proof.
type Weight = (Compact<u64>, Compact<u64>);

/// The parameters of the API: the lane, and each message with its number, the sender's weight (unused), and its length.
pub(crate) fn weights_question(lane: &Lane, first: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut question = lane.id().to_vec();
    Compact(length(messages.len())).encode_to(&mut question);
    for (nonce, message) in (first..).zip(messages) {
        // As it is stored it begins with its length.
        question.extend(message);
        let weight: Weight = (Compact(0), Compact(0));
        (nonce, weight, length(message.len())).encode_to(&mut question);
    }
    question
}

/// The call for a parcel, and its arguments. Messages are relayed in the name of `relayer`, with the API's weight.
pub(crate) fn parcel_call(
    parcel: &Parcel,
    relayer: [u8; 32],
    weights: &[u8],
) -> Result<(&'static str, Vec<u8>), TargetError> {
    let proof = (parcel.hash, &parcel.nodes).encode();
    match &parcel.contents {
        Contents::Messages { first, messages } => {
            let weights = Vec::<Weight>::decode_all(&mut &*weights).map_err(|error| {
                TargetError::Misconfigured(format!("{WEIGHTS} did not return weights: {error}"))
            })?;
            let sum = |of: fn(&Weight) -> u64| weights.iter().map(of).fold(0, u64::saturating_add);
            let weight: Weight = (
                Compact(sum(|(time, _)| time.0)),
                Compact(sum(|(_, size)| size.0)),
            );
            let range = (first, parcel.last());
            let rest = (range, length(messages.len()), weight).encode();
            let arguments = [&relayer, &proof[..], parcel.lane.id(), &rest].concat();
            Ok(("receive_messages_proof", arguments))
        }
        Contents::Confirmation(inbound) => {
            let state = inbound.summary().encode();
            let arguments = [&proof[..], parcel.lane.id(), &state].concat();
            Ok(("receive_messages_delivery_proof", arguments))
        }
    }
}

fn length(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_light_client::testing::TestChain;

    /// With a trusting period of 100 s, a header at 1 000 s, and a set that was replaced.
    fn followed(genesis_hash: H256, keysets: &Keysets) -> Vec<u8> {
        let replaced = vec![(&keysets.current, 900_u64)];
        (genesis_hash, keysets, 100_u64, Some(1_000_u64), replaced).encode()
    }

    fn stored() -> Stored {
        let chain = TestChain::new(2, 4, 1);
        let checkpoint = chain.checkpoint(1);
        Stored {
            best: Some((7_u32, H256::repeat_byte(3)).encode()),
            followed: Some(followed(chain.genesis_hash, &checkpoint.keysets)),
            contradicted: None,
            mode: Some(vec![0]),
        }
    }

    #[test]
    fn what_is_stored_is_read() {
        let status = stored().status().expect("it is the pallet's");
        assert_eq!(status.best, BlockNumber::new(7));
        assert_eq!(status.signing.id.get(), 1);
        assert!(status.next.is_none() && !status.is_stopped);
        let trust = status.trust.expect("a header came");
        assert_eq!((trust.until, trust.period), (1_100, 100));
        assert!(!trust.is_running_out(1_050) && trust.is_running_out(1_051));
        assert!(trust.is_running_out(2_000));
    }

    #[test]
    fn a_halted_or_contradicted_pallet_takes_nothing() {
        let mut halted = stored();
        halted.mode = Some(vec![HALTED]);
        assert!(halted.status().expect("it is the pallet's").is_stopped);
        let mut contradicted = stored();
        contradicted.contradicted = Some(vec![0]);
        assert!(
            contradicted
                .status()
                .expect("it is the pallet's")
                .is_stopped
        );
    }

    #[test]
    fn nothing_and_something_else_are_bad_usage() {
        for change in [None, Some(vec![1, 2, 3]), Some(vec![0; 500])] {
            let (mut best, mut followed) = (stored(), stored());
            best.best.clone_from(&change);
            followed.followed.clone_from(&change);
            for stored in [best, followed] {
                let error = stored.status().expect_err("it is not the pallet's");
                let is_not_ready = matches!(error, TargetError::NotReady(_));
                assert_eq!(is_not_ready, change.is_none(), "{error}");
            }
        }
    }

    #[test]
    fn keys_are_the_hashes_of_the_two_names() {
        let key = hex::encode(storage_key("System", "Account"));
        assert_eq!(
            key,
            "26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9"
        );
    }
}
