//! Messages between two chains. Both are this one: it follows itself, and a lane has the same name at both ends. So what it has sent can
//! be proven to it, and arrives where it came from.

use super::{
    bridge::{follow, proven, submission, try_call},
    chain::Chain,
};
use crate::{
    configs::bridge::SiblingChain,
    constants::{LANE, MAX_MESSAGE_BYTES},
    lanes::outbound_details,
    obsolete::RejectObsoleteMessages,
    AccountId, BridgeMessages, Hash, Runtime, RuntimeCall, RuntimeEvent, System,
};
use bp_messages::{
    source_chain::FromBridgedChainMessagesDeliveryProof,
    target_chain::FromBridgedChainMessagesProof, ChainWithMessages, InboundLaneData, MessageNonce,
    UnrewardedRelayersState,
};
use bp_runtime::Chain as _;
use codec::Encode;
use frame_support::{dispatch::GetDispatchInfo, traits::Get, weights::Weight};
use frame_system::WeightInfo as _;
use pallet_bridge_messages::{
    ensure_able_to_receive_confirmation, ensure_able_to_receive_message,
    ensure_maximal_message_dispatch, ensure_weights_are_correct, weights::BridgeWeight, Call,
    InboundLanes, OutboundLanes,
};
use sp_keyring::Sr25519Keyring::Ferdie;
use sp_runtime::{
    traits::TransactionExtension, transaction_validity::InvalidTransaction, DispatchError,
};

type Weights = BridgeWeight<Runtime>;

pub(super) fn post(message: &[u8]) -> RuntimeCall {
    let message = message.to_vec().try_into().expect("it is short enough");
    RuntimeCall::MessageBoard(pallet_message_board::Call::post { message })
}

/// Brings the chain's latest block to the chain itself, so that its state can be proven. Returns its hash, and the proof of entries.
pub(super) fn prove(chain: &mut Chain, keys: &[Vec<u8>]) -> (Hash, Vec<Vec<u8>>) {
    let new = proven(chain);
    let proof = chain.read_proof(keys);
    let (result, _) = try_call(chain, submission(&new, false));
    assert_eq!(result, Ok(Ok(())));
    (new.0.hash(), proof)
}

/// Brings messages with this proof. All of them weigh what one does, times their number.
pub(super) fn delivery(proof: &(Hash, Vec<Vec<u8>>), nonces: [MessageNonce; 2]) -> RuntimeCall {
    let [nonces_start, nonces_end] = nonces;
    let count = nonces_end - nonces_start + 1;
    let event = <Runtime as frame_system::Config>::SystemWeightInfo::remark_with_event;
    let proof = FromBridgedChainMessagesProof {
        bridged_header_hash: proof.0,
        storage_proof: proof.1.clone(),
        lane: LANE,
        nonces_start,
        nonces_end,
    };
    RuntimeCall::BridgeMessages(Call::receive_messages_proof {
        relayer_id_at_bridged_chain: Ferdie.to_account_id(),
        proof: Box::new(proof),
        messages_count: u32::try_from(count).expect("few"),
        dispatch_weight: event(MAX_MESSAGE_BYTES) * count,
    })
}

/// Brings the news that the first two messages were received, from one relayer.
fn confirmation((bridged_header_hash, storage_proof): (Hash, Vec<Vec<u8>>)) -> RuntimeCall {
    RuntimeCall::BridgeMessages(Call::receive_messages_delivery_proof {
        proof: FromBridgedChainMessagesDeliveryProof {
            bridged_header_hash,
            storage_proof,
            lane: LANE,
        },
        relayers_state: UnrewardedRelayersState {
            unrewarded_relayer_entries: 1,
            messages_in_oldest_entry: 2,
            total_messages: 2,
            last_delivered_nonce: 2,
        },
    })
}

pub(super) fn outbound_key() -> Vec<u8> {
    OutboundLanes::<Runtime>::hashed_key_for(LANE)
}

pub(super) fn message_key(nonce: MessageNonce) -> Vec<u8> {
    let name = SiblingChain::WITH_CHAIN_MESSAGES_PALLET_NAME;
    bp_messages::storage_keys::message_key(name, LANE, nonce).0
}

pub(super) fn received(chain: &mut Chain) -> Vec<(MessageNonce, Vec<u8>)> {
    let events = chain.ask(System::events);
    let received = events.into_iter().filter_map(|record| match record.event {
        RuntimeEvent::MessageBoard(pallet_message_board::Event::Received { nonce, message }) => {
            Some((nonce, message))
        }
        _ => None,
    });
    received.collect()
}

#[test]
fn messages_arrive_in_order_once_and_are_confirmed() {
    let mut chain = Chain::of_four();
    follow(&mut chain);
    for message in [&b"one"[..], b"two"] {
        let (result, paid) = try_call(&mut chain, post(message));
        assert_eq!(result, Ok(Ok(())));
        assert!(paid > 0);
    }
    let keys = [message_key(1), message_key(2), outbound_key()];
    let proof = prove(&mut chain, &keys);

    // A relayer that leaves the first one out is stopped before it pays, as one that brings a range which is known.
    let (result, paid) = try_call(&mut chain, delivery(&proof, [2, 2]));
    assert_eq!((result, paid), (Err(InvalidTransaction::Stale.into()), 0));
    let (result, paid) = try_call(&mut chain, delivery(&proof, [1, 2]));
    assert_eq!(result, Ok(Ok(())));
    assert!(paid > 0);
    let expected = [(1, b"one".to_vec()), (2, b"two".to_vec())];
    assert_eq!(received(&mut chain), expected);
    let (result, paid) = try_call(&mut chain, delivery(&proof, [1, 2]));
    assert_eq!((result, paid), (Err(InvalidTransaction::Stale.into()), 0));

    // The sender hears of it, and forgets them.
    assert_eq!(chain.ask(|| outbound_details(LANE, 1, 9)).len(), 2);
    let key = InboundLanes::<Runtime>::hashed_key_for(LANE);
    let confirmation = confirmation(prove(&mut chain, &[key]));
    let (result, _) = try_call(&mut chain, confirmation.clone());
    assert_eq!(result, Ok(Ok(())));
    let lane = chain.ask(|| OutboundLanes::<Runtime>::get(LANE).expect("it is open"));
    assert_eq!(lane.latest_received_nonce, 2);
    assert!(chain.ask(|| outbound_details(LANE, 1, 9)).is_empty());
    let (result, paid) = try_call(&mut chain, confirmation);
    assert_eq!((result, paid), (Err(InvalidTransaction::Stale.into()), 0));
}

#[test]
fn a_forged_message_is_paid_for_and_does_not_arrive() {
    let mut chain = Chain::of_four();
    follow(&mut chain);
    let (result, _) = try_call(
        &mut chain,
        post(b"one message, long enough to have a node of its own"),
    );
    assert_eq!(result, Ok(Ok(())));
    let (hash, mut nodes) = prove(&mut chain, &[message_key(1), outbound_key()]);
    let node = nodes
        .iter_mut()
        .find(|node| node.windows(3).any(|text| text == b"own"));
    *node.expect("it is there").last_mut().expect("it has bytes") ^= 1;
    let (result, paid) = try_call(&mut chain, delivery(&(hash, nodes), [1, 1]));
    assert!(
        matches!(result, Ok(Err(DispatchError::Module(_)))),
        "{result:?}"
    );
    assert!(paid > 0);
    assert!(received(&mut chain).is_empty());
}

#[test]
fn a_block_that_nobody_brought_proves_nothing() {
    let mut chain = Chain::of_four();
    follow(&mut chain);
    let (result, _) = try_call(&mut chain, post(b"one"));
    assert_eq!(result, Ok(Ok(())));
    let header = chain.block();
    let nodes = chain.read_proof(&[message_key(1), outbound_key()]);
    let (result, _) = try_call(&mut chain, delivery(&(header.hash(), nodes), [1, 1]));
    assert!(
        matches!(result, Ok(Err(DispatchError::Module(_)))),
        "{result:?}"
    );
    assert!(received(&mut chain).is_empty());
}

#[test]
fn relayers_are_told_what_messages_weigh() {
    let mut chain = Chain::of_four();
    for message in [&b"one"[..], b"another"] {
        let (result, _) = try_call(&mut chain, post(message));
        assert_eq!(result, Ok(Ok(())));
    }
    let details = chain.ask(|| outbound_details(LANE, 0, MessageNonce::MAX));
    let sizes: Vec<_> = details.iter().map(|it| (it.nonce, it.size)).collect();
    // The length of the message is in front of it.
    assert_eq!(sizes, [(1, 4), (2, 8)]);
    let payload = b"another".to_vec().encode();
    let [_, details] = details.try_into().expect("two");
    let weight = chain.ask(|| BridgeMessages::inbound_message_data(LANE, payload, details));
    assert!(weight.dispatch_weight.ref_time() > 0);
}

#[test]
fn no_more_than_a_lane_can_carry_is_posted() {
    let mut chain = Chain::of_four();
    let limit = <Runtime as pallet_message_board::Config>::MaxWaiting::get();
    chain.ask(|| {
        OutboundLanes::<Runtime>::mutate(LANE, |lane| {
            lane.as_mut().expect("it is open").latest_generated_nonce = limit;
        });
    });
    let (result, _) = try_call(&mut chain, post(b"one too many"));
    let full = pallet_message_board::Error::<Runtime>::Full;
    assert_eq!(result, Ok(Err(full.into())));
}

/// What is read and written costs something beside the event, and so does the look whether messages are there already.
#[test]
fn accesses_of_the_state_are_paid_for() {
    type System = <Runtime as frame_system::Config>::SystemWeightInfo;
    let database = <Runtime as frame_system::Config>::DbWeight::get();
    let call = post(b"four");
    let event = System::remark_with_event(4);
    let paid = call.get_dispatch_info().call_weight;
    assert_eq!(paid.saturating_sub(event), database.reads_writes(2, 2));
    let delivery = delivery(&(Hash::zero(), Vec::new()), [1, 1]);
    let confirmation = confirmation((Hash::zero(), Vec::new()));
    for brought in [delivery, confirmation] {
        assert_eq!(RejectObsoleteMessages.weight(&brought), database.reads(2));
    }
    assert_eq!(RejectObsoleteMessages.weight(&call), Weight::zero());
}

/// The SDK's own checks of a runtime with the pallet.
#[test]
fn weights_and_limits_fit_the_messages_pallet() {
    ensure_weights_are_correct::<Weights>();
    let max_size = SiblingChain::max_extrinsic_size();
    let max_weight = SiblingChain::max_extrinsic_weight();
    let incoming = SiblingChain::maximal_incoming_message_size();
    let dispatch = SiblingChain::maximal_incoming_message_dispatch_weight();
    ensure_maximal_message_dispatch::<Weights>(MAX_MESSAGE_BYTES, dispatch);
    ensure_able_to_receive_message::<Weights>(max_size, max_weight, incoming, dispatch);
    let relayers = SiblingChain::MAX_UNREWARDED_RELAYERS_IN_CONFIRMATION_TX;
    let lane_size = InboundLaneData::<AccountId>::encoded_size_hint_u32(
        usize::try_from(relayers).expect("few"),
    );
    ensure_able_to_receive_confirmation::<Weights>(
        max_size,
        max_weight,
        lane_size,
        relayers,
        SiblingChain::MAX_UNCONFIRMED_MESSAGES_IN_CONFIRMATION_TX,
    );
    assert!(MAX_MESSAGE_BYTES < incoming);
}
