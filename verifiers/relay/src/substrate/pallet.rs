//! The pallet's storage, and its calls.

use crate::{
    messages::{Contents, Lane, Parcel},
    recovery::{Announced, Announcement, RecoveryStatus},
    target::{Delivery, SetRef, Status, TargetError, Trust},
};
use codec::{Compact, Decode, DecodeAll, Encode};
use duet_primitives::{
    prepare_stateless, BlockNumber, KeysetCommitment, Keysets, RecoveryStatement, Witness, H256,
};
use sp_crypto_hashing::{blake2_256, twox_128};

/// The call that submits proofs.
pub(crate) const CALL: &str = "submit_finality_proof_ex";
/// The same with a witness of the proof's equation, the last argument. (JUST-11)
pub(crate) const BY_WITNESS: &str = "submit_finality_proof_by_witness";
/// The calls of a recovery.
pub(crate) const ANNOUNCE: &str = "announce_recovery";
pub(crate) const CROSS: &str = "cross_recovery";

/// Items of its storage.
pub(crate) const BEST: &str = "BestFinalized";
pub(crate) const FOLLOWED: &str = "Followed";
pub(crate) const CONTRADICTED: &str = "Contradicted";
pub(crate) const MODE: &str = "PalletOperatingMode";
pub(crate) const ANNOUNCED: &str = "AnnouncedRecovery";

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

/// The recovery that was announced last, as the pallet stores it.
#[derive(Decode)]
struct AnnouncedRecovery {
    statement: RecoveryStatement,
    /// In seconds of the target's time.
    since: u64,
    delay: u64,
    contradicted: bool,
}

/// What the pallet waits for, from the stored items at this time of the target, in seconds. The recovery that led to the
/// best block is stored until the next proof.
pub(crate) fn recovery(
    best: Option<&[u8]>,
    announced: Option<&[u8]>,
    now: u64,
) -> Result<RecoveryStatus, TargetError> {
    let (best, hash) = header_id(best)?;
    let announced = match announced {
        Some(stored) => Some(item::<AnnouncedRecovery>(ANNOUNCED, Some(stored))?),
        None => None,
    };
    let announced = announced.filter(|announced| announced.statement.is_about(best, hash));
    let announced = announced.map(|announced| Announced {
        left: announced
            .delay
            .saturating_sub(now.saturating_sub(announced.since)),
        statement: Some(announced.statement),
        is_contradicted: announced.contradicted,
    });
    Ok(RecoveryStatus {
        best,
        hash: Some(hash),
        announced,
    })
}

fn header_id(stored: Option<&[u8]>) -> Result<(BlockNumber, H256), TargetError> {
    let (number, hash): (u32, H256) = item(BEST, stored)?;
    Ok((BlockNumber::new(number), hash))
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
        header_id(self.best.as_deref())
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

/// The witness of the proof's equation. (JUST-11)
pub(crate) fn witness(delivery: &Delivery, genesis_hash: H256) -> Result<Witness, TargetError> {
    prepare_stateless(delivery.proof.clone(), &delivery.set, genesis_hash, None)
        .map(|prepared| prepared.witness())
        .map_err(|error| TargetError::Refused(error.to_string()))
}

/// The arguments of [`ANNOUNCE`]: the proof, and the trie nodes that prove the terms.
pub(crate) fn announcement_arguments(announcement: &Announcement) -> Vec<u8> {
    (&announcement.proof, &announcement.nodes).encode()
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
    use duet_primitives::{
        Bitfield, MerkleProof, Pk1Bytes, Pk2Bytes, RecoveryProof, RecoveryTerms, SetId,
        SignatureBytes, SignerIndex,
    };
    use subxt::{
        ext::scale_decode::visitor::{decode_with_visitor, IgnoreVisitor},
        Metadata,
    };

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

    fn statement() -> RecoveryStatement {
        let chain = TestChain::new(1, 4, 1);
        RecoveryStatement {
            recovery_set: SetId::new(3),
            block_number: BlockNumber::new(7),
            block_hash: H256::repeat_byte(3),
            ended: SetId::new(0),
            reset_number: BlockNumber::new(9),
            reset_hash: H256::repeat_byte(4),
            set: chain.sets[1].set.commitment().clone(),
        }
    }

    /// RECOVER-8: the wait is by the target's clock, and is for the best block only.
    #[test]
    fn what_is_announced_is_read_with_the_rest_of_the_wait() {
        let best = (7_u32, H256::repeat_byte(3)).encode();
        let stored = (statement(), 1_000_u64, 600_u64, true).encode();
        let read = |best: &[u8], now| recovery(Some(best), Some(&stored), now);
        for (now, left) in [(900, 600), (1_000, 600), (1_599, 1), (1_600, 0), (9_999, 0)] {
            let status = read(&best, now).expect("it is the pallet's");
            assert_eq!(
                (status.best.get(), status.hash),
                (7, Some(H256::repeat_byte(3)))
            );
            let announced = status.announced.expect("it is about this block");
            assert_eq!((announced.left, announced.is_contradicted), (left, true));
            assert_eq!(announced.statement, Some(statement()));
        }
        for other in [(9_u32, H256::repeat_byte(3)), (7, H256::repeat_byte(4))] {
            let status = read(&other.encode(), 2_000).expect("it is the pallet's");
            assert_eq!(status.announced, None);
        }
        let status = recovery(Some(&best), None, 2_000).expect("it is the pallet's");
        assert_eq!(status.announced, None);
        let longer = [stored.as_slice(), &[0]].concat();
        let error = recovery(Some(&best), Some(&longer), 2_000).expect_err("a byte too many");
        assert!(error.to_string().contains(ANNOUNCED), "{error}");
    }

    /// The types of a pallet are those of the reference runtime's recorded metadata.
    #[test]
    fn what_is_sent_and_stored_for_a_recovery_has_the_types_of_the_pallet() {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../testing/compat/metadata/duet.scale"
        );
        let metadata = Metadata::decode_from(&std::fs::read(file).expect("it is recorded"));
        let metadata = metadata.expect("it is metadata");
        let pallet = metadata.pallet_by_name("BridgeDuet").expect("a pallet");
        let fits = |types: &[u32], mut bytes: &[u8]| {
            types.iter().all(|id| {
                decode_with_visitor(&mut bytes, *id, metadata.types(), IgnoreVisitor::new()).is_ok()
            }) && bytes.is_empty()
        };
        let arguments = |call| {
            let call = pallet.call_variant_by_name(call).expect("a call");
            let types = call.fields.iter().map(|field| field.ty.id);
            types.collect::<Vec<_>>()
        };
        let proof = RecoveryProof {
            statement: statement(),
            signers: Bitfield::from_indices(4, [0, 1, 3].map(SignerIndex::new)),
            signature: SignatureBytes([0; 48]),
            apk2: Pk2Bytes([0; 96]),
            non_signers: vec![Pk1Bytes([0; 48])],
            proof: MerkleProof::default(),
        };
        let announcement = Announcement {
            terms: RecoveryTerms {
                set: statement().set,
                delay: 1,
            },
            proof,
            header: vec![1; 9],
            nodes: vec![vec![1; 70], vec![2; 3]],
            mmr_root: None,
        };
        let sent = announcement_arguments(&announcement);
        assert!(fits(&arguments(ANNOUNCE), &sent));
        assert!(!fits(&arguments(ANNOUNCE), &sent[..sent.len() - 1]));
        assert!(fits(&arguments(CROSS), &[]));
        let storage = pallet.storage().expect("it stores something");
        let entry = storage.entry_by_name(ANNOUNCED).expect("an item");
        let stored = (statement(), 1_000_u64, 600_u64, true).encode();
        assert!(fits(&[entry.value_ty()], &stored));
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
