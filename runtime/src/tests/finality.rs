//! What validators sign: there in each block, and covering all blocks before.

use super::chain::{logs, Chain};
use crate::{
    constants::SESSION_BLOCKS,
    genesis::{development, local_testnet},
    Duet, Hash, Runtime,
};
use duet_primitives::{BlockNumber, LeafVersion, MmrLeaf};
use sp_mmr_primitives::{runtime_decl_for_mmr_api::MmrApiV3, EncodableOpaqueLeaf};

#[test]
fn each_block_has_something_to_sign_that_covers_its_parent() {
    let mut chain = Chain::new(local_testnet());
    let mut earlier = vec![];
    for _ in 0..2 * SESSION_BLOCKS {
        chain.block();
        let number = chain.number();
        let payload = chain.ask(|| {
            assert_eq!(
                pallet_mmr::NumberOfLeaves::<Runtime>::get(),
                u64::from(number)
            );
            Duet::commitment_payload().expect("has a set")
        });
        assert!(
            !earlier.contains(&payload.mmr_root),
            "block {number} adds a leaf"
        );
        assert_eq!(
            payload.mmr_root,
            chain.ask(pallet_mmr::RootHash::<Runtime>::get)
        );
        earlier.push(payload.mmr_root);
    }
}

#[test]
fn sessions_that_keep_their_keys_keep_their_set_and_announce_nothing() {
    let mut chain = Chain::new(development());
    let first = chain.ask(Duet::keysets);
    for _ in 0..6 * SESSION_BLOCKS {
        assert_eq!(logs(&chain.block()), vec![], "block {}", chain.number());
    }
    assert_eq!(chain.session(), 6);
    assert_eq!(chain.ask(Duet::keysets), first);
}

/// MMR-1.
#[test]
fn an_old_block_is_proven_from_the_root_that_validators_sign() {
    let mut chain = Chain::new(local_testnet());
    let headers: Vec<_> = (0..SESSION_BLOCKS).map(|_| chain.block()).collect();
    let third = &headers[2];
    let (root, leaves, proof) = chain.ask_with_offchain_database(|| {
        let root = Duet::commitment_payload().expect("has a set").mmr_root;
        // A block adds the leaf of its parent.
        let (leaves, proof) = Runtime::generate_proof(vec![third.number + 1], None).unwrap();
        (root, leaves, proof)
    });
    let leaf: MmrLeaf = leaves[0]
        .clone()
        .into_opaque_leaf()
        .try_decode()
        .expect("is a leaf");
    let expected = MmrLeaf {
        version: LeafVersion::V0,
        parent_number: BlockNumber::new(third.number),
        parent_hash: third.hash(),
        extra: Hash::zero(),
    };
    assert_eq!(leaf, expected);

    Runtime::verify_proof_stateless(root, leaves.clone(), proof.clone()).unwrap();
    let other = Hash::repeat_byte(1);
    assert!(Runtime::verify_proof_stateless(other, leaves.clone(), proof.clone()).is_err());

    let on_chain = |leaves, proof| Runtime::verify_proof(leaves, proof);
    chain
        .ask(|| on_chain(leaves.clone(), proof.clone()))
        .unwrap();
    let other = MmrLeaf {
        parent_hash: other,
        ..leaf
    };
    let other = vec![EncodableOpaqueLeaf::from_leaf(&other)];
    assert!(chain.ask(|| on_chain(other, proof.clone())).is_err());
    let no_leaf = vec![EncodableOpaqueLeaf(vec![0xff])];
    assert_eq!(
        chain.ask(|| on_chain(no_leaf, proof)),
        Err(sp_mmr_primitives::Error::Verify)
    );
}
