//! What relayers are told of a lane, and what it takes from them.

use super::{
    bridge::{follow, try_call},
    chain::Chain,
    messages::{delivery, message_key, outbound_key, post, prove, received},
};
use crate::{
    apis::api,
    configs::bridge::SiblingChain,
    constants::{LANE, MAX_MESSAGE_BYTES, MAX_UNCONFIRMED_MESSAGES},
    Hash, Runtime, RuntimeCall,
};
use bp_messages::{
    ChainWithMessages, InboundMessageDetails, LegacyLaneId, MessageKey, MessageNonce,
    MessagesOperatingMode, OutboundMessageDetails,
};
use bp_runtime::BasicOperatingMode;
use codec::{Decode, DecodeAll, Encode};
use frame_support::weights::Weight;
use frame_system::WeightInfo as _;
use pallet_bridge_messages::{
    Call, Error, InboundLanes, OutboundLanes, OutboundMessages, StoredMessagePayload,
};
use sp_keyring::Sr25519Keyring::Alice;
use sp_runtime::{transaction_validity::InvalidTransaction, DispatchError};

/// What the runtime answers when its node is asked by the method's name.
fn asked<R: Decode>(chain: &mut Chain, method: &str, arguments: impl Encode) -> R {
    let answer = chain.ask(|| api::dispatch(method, &arguments.encode()));
    let answer = answer.expect("the runtime has this method");
    R::decode_all(&mut &answer[..]).expect("it answers so")
}

/// What a relayer is told of the messages of a lane from one to another.
fn told(
    chain: &mut Chain,
    lane: LegacyLaneId,
    [first, last]: [MessageNonce; 2],
) -> Vec<OutboundMessageDetails> {
    let method = "ToDuetOutboundLaneApi_message_details";
    asked(chain, method, (lane, first, last))
}

fn details(nonce: MessageNonce, size: u32) -> OutboundMessageDetails {
    OutboundMessageDetails {
        nonce,
        dispatch_weight: Weight::zero(),
        size,
    }
}

/// Stores a message of so many bytes, as if it had been sent.
fn store(chain: &mut Chain, lane_id: LegacyLaneId, nonce: MessageNonce, bytes: usize) {
    let message = StoredMessagePayload::<Runtime, ()>::try_from(vec![0; bytes]);
    let message = message.expect("it is short enough");
    let key = MessageKey { lane_id, nonce };
    chain.ask(|| OutboundMessages::<Runtime>::insert(key, message));
}

#[test]
fn relayers_are_told_of_the_messages_that_they_ask_for() {
    let mut chain = Chain::of_four();
    let other = LegacyLaneId(*b"else");
    for (lane, nonce, bytes) in [(LANE, 1, 10), (LANE, 2, 11), (LANE, 4, 12), (other, 2, 13)] {
        store(&mut chain, lane, nonce, bytes);
    }
    let all = [details(1, 10), details(2, 11), details(4, 12)];
    assert_eq!(told(&mut chain, LANE, [1, 4]), all);
    assert_eq!(told(&mut chain, LANE, [2, 4]), all[1..]);
    assert_eq!(told(&mut chain, LANE, [1, 2]), all[..2]);
    assert_eq!(told(&mut chain, LANE, [4, 4]), all[2..]);
    assert!(told(&mut chain, LANE, [4, 1]).is_empty());
    assert_eq!(told(&mut chain, other, [1, 4]), [details(2, 13)]);
}

/// Whoever asks for all numbers that there are gets an answer, too.
#[test]
fn relayers_are_told_of_as_many_messages_as_can_be_on_their_way() {
    let mut chain = Chain::of_four();
    for nonce in 1..=MAX_UNCONFIRMED_MESSAGES + 2 {
        store(&mut chain, LANE, nonce, 1);
    }
    for first in [1, 2] {
        let last = first + MAX_UNCONFIRMED_MESSAGES - 1;
        let expected: Vec<_> = (first..=last).map(|nonce| details(nonce, 1)).collect();
        assert_eq!(told(&mut chain, LANE, [first, MessageNonce::MAX]), expected);
    }
}

#[test]
fn relayers_are_told_what_each_message_weighs_that_arrives() {
    let message = |nonce, text: &[u8]| (text.to_vec().encode(), details(nonce, 0));
    let messages = vec![message(1, b"one"), message(2, b"another")];
    let method = "FromDuetInboundLaneApi_message_details";
    let weights: Vec<InboundMessageDetails> =
        asked(&mut Chain::of_four(), method, (LANE, messages));
    let event = <Runtime as frame_system::Config>::SystemWeightInfo::remark_with_event;
    let dispatch_weight = event(MAX_MESSAGE_BYTES);
    let expected = InboundMessageDetails { dispatch_weight };
    assert_eq!(weights, [expected.clone(), expected]);
}

#[test]
fn who_declares_less_weight_than_a_message_has_does_not_bring_it() {
    let mut chain = Chain::of_four();
    follow(&mut chain);
    let (result, _) = try_call(&mut chain, post(b"one"));
    assert_eq!(result, Ok(Ok(())));
    let proof = prove(&mut chain, &[message_key(1), outbound_key()]);
    let mut call = delivery(&proof, [1, 1]);
    let RuntimeCall::BridgeMessages(Call::receive_messages_proof {
        dispatch_weight, ..
    }) = &mut call
    else {
        panic!("{call:?}")
    };
    *dispatch_weight = dispatch_weight.saturating_sub(Weight::from_parts(1, 0));
    let (result, _) = try_call(&mut chain, call);
    let too_little = Error::<Runtime>::InsufficientDispatchWeight;
    assert_eq!(result, Ok(Err(too_little.into())));
    assert!(received(&mut chain).is_empty());
}

#[test]
fn no_more_messages_are_brought_at_once_than_can_be_on_their_way() {
    let mut chain = Chain::of_four();
    let nothing = (Hash::zero(), Vec::new());
    // As many as may come are looked at, and refused for their proof.
    for (last, expected) in [
        (
            MAX_UNCONFIRMED_MESSAGES,
            Error::<Runtime>::InvalidMessagesProof,
        ),
        (
            MAX_UNCONFIRMED_MESSAGES + 1,
            Error::<Runtime>::TooManyMessagesInTheProof,
        ),
    ] {
        let (result, _) = try_call(&mut chain, delivery(&nothing, [1, last]));
        assert_eq!(result, Ok(Err(expected.into())), "{last}");
    }
}

#[test]
fn root_alone_halts_the_lane_and_then_it_takes_nothing() {
    let mut chain = Chain::of_four();
    let halted = MessagesOperatingMode::Basic(BasicOperatingMode::Halted);
    let halt = RuntimeCall::BridgeMessages(Call::set_operating_mode {
        operating_mode: halted,
    });
    let (result, _) = try_call(&mut chain, halt.clone());
    assert_eq!(result, Ok(Err(DispatchError::BadOrigin)));
    let (result, _) = try_call(&mut chain, post(b"one"));
    assert_eq!(result, Ok(Ok(())));

    let call = pallet_sudo::Call::sudo {
        call: Box::new(halt),
    };
    let by_root = chain.sign(Alice, 0, call);
    chain.block_of(vec![by_root]);
    let (result, _) = try_call(&mut chain, post(b"two"));
    let closed = pallet_message_board::Error::<Runtime>::Closed;
    assert_eq!(result, Ok(Err(closed.into())));
    // Who brings something is stopped before it pays.
    let call = delivery(&(Hash::zero(), Vec::new()), [1, 1]);
    let (result, paid) = try_call(&mut chain, call);
    assert_eq!((result, paid), (Err(InvalidTransaction::Call.into()), 0));
}

/// `duet-relay` has these numbers, too (`verifiers/relay/src/messages/plan.rs`).
#[test]
fn limits_are_those_that_relayers_count_on() {
    let (messages, relayers) = (
        SiblingChain::MAX_UNCONFIRMED_MESSAGES_IN_CONFIRMATION_TX,
        SiblingChain::MAX_UNREWARDED_RELAYERS_IN_CONFIRMATION_TX,
    );
    assert_eq!((messages, relayers), (128, 16));
}

#[test]
fn one_lane_is_open_from_genesis_on_at_both_ends() {
    let mut chain = Chain::of_four();
    let lanes = chain.ask(|| {
        let sending = OutboundLanes::<Runtime>::iter_keys();
        let receiving = InboundLanes::<Runtime>::iter_keys();
        [sending.collect::<Vec<_>>(), receiving.collect()]
    });
    assert_eq!(lanes, [[LANE], [LANE]]);
    assert_eq!(LANE.encode(), 0x6475_6574_u32.to_be_bytes());
}
