//! `pallet-bridge-messages`, unchanged, on two chains that follow each other.

use crate::mock::*;
use bp_header_chain::HeaderChain;
use bp_messages::{
    source_chain::{FromBridgedChainMessagesDeliveryProof, MessagesBridge},
    storage_keys,
    target_chain::FromBridgedChainMessagesProof,
    ChainWithMessages, InboundLaneData, OutboundLaneData, UnrewardedRelayersState,
};
use duet_primitives::H256;
use frame_support::{assert_ok, weights::Weight};
use pallet_bridge_messages::{InboundLanes, OutboundLanes};
use sp_io::TestExternalities;

const PALLET: &str = OtherChain::WITH_CHAIN_MESSAGES_PALLET_NAME;

/// The state's root, and the proof of an entry.
fn prove(chain: &mut TestExternalities, key: &[u8]) -> (H256, Vec<Vec<u8>>) {
    chain.commit_all().unwrap();
    let root = *chain.as_backend().root();
    let proof = sp_state_machine::prove_read(chain.as_backend(), [key]).unwrap();
    (root, proof.into_iter_nodes().collect())
}

/// A block with this state is final on one chain, and brought to the other one.
fn follow(chain: &mut TestExternalities, number: u32, root: H256) -> H256 {
    let (first, header) = (set(0), header_of(number, root));
    chain.execute_with(|| {
        assert_ok!(BridgeDuet::submit_finality_proof(
            RuntimeOrigin::signed(RELAYER),
            Box::new(header.clone()),
            Box::new(proof(&first, &header, &first)),
        ));
    });
    header.hash()
}

#[test]
fn a_message_is_delivered_and_confirmed_under_headers_that_duet_proved() {
    let (mut here, mut there) = (following(), following());
    for chain in [&mut here, &mut there] {
        chain.execute_with(|| {
            OutboundLanes::<Test>::insert(lane(), OutboundLaneData::opened());
            InboundLanes::<Test>::insert(
                lane(),
                pallet_bridge_messages::StoredInboundLaneData::<Test, ()>(InboundLaneData::opened()),
            );
        });
    }
    here.execute_with(|| {
        let message = Messages::validate_message(lane(), &b"hello".to_vec()).unwrap();
        assert_eq!(Messages::send_message(message).nonce, 1);
    });

    let key = storage_keys::message_key(PALLET, lane(), 1).0;
    let (root, nodes) = prove(&mut here, &key);
    let deliver = |bridged_header_hash, storage_proof| {
        Messages::receive_messages_proof(
            RuntimeOrigin::signed(RELAYER),
            RELAYER,
            Box::new(FromBridgedChainMessagesProof {
                bridged_header_hash,
                storage_proof,
                lane: lane(),
                nonces_start: 1,
                nonces_end: 1,
            }),
            1,
            Weight::zero(),
        )
    };
    let hash = header_of(20, root).hash();
    there.execute_with(|| {
        assert!(
            deliver(hash, nodes.clone()).is_err(),
            "the header is not known"
        );
    });
    assert_eq!(follow(&mut there, 20, root), hash);
    there.execute_with(|| {
        let mut forged = nodes.clone();
        forged[0][0] ^= 1;
        assert!(deliver(hash, forged).is_err());
        assert_ok!(deliver(hash, nodes.clone()));
        assert_eq!(Inbox::messages(), [b"hello".to_vec()]);
        assert!(BridgeDuet::finalized_header_state_root(hash).is_some());
    });

    let key = storage_keys::inbound_lane_data_key(PALLET, &lane()).0;
    let (root, storage_proof) = prove(&mut there, &key);
    let hash = follow(&mut here, 30, root);
    here.execute_with(|| {
        assert_ok!(Messages::receive_messages_delivery_proof(
            RuntimeOrigin::signed(RELAYER),
            FromBridgedChainMessagesDeliveryProof {
                bridged_header_hash: hash,
                storage_proof,
                lane: lane(),
            },
            UnrewardedRelayersState {
                unrewarded_relayer_entries: 1,
                messages_in_oldest_entry: 1,
                total_messages: 1,
                last_delivered_nonce: 1,
            },
        ));
        let lane = OutboundLanes::<Test>::get(lane()).unwrap();
        assert_eq!(lane.latest_received_nonce, 1);
    });
}
