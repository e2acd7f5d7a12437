//! What validators sign together that is not true of the chain.

use crate::support::position;
use duet_keystore::secret_of_suri;
use duet_local_network::Rpc;
use duet_primitives::{
    Commitment, DualKeyBytes, DualKeyset, Keysets, RoundMessage, SecretKey, UncheckedJustification,
    UncheckedVote, H256,
};
use sp_keyring::Sr25519Keyring::{self, Alice, Bob, Charlie};

/// The secret of a validator of the genesis.
pub(crate) fn secret(validator: Sr25519Keyring) -> SecretKey {
    secret_of_suri(&format!("//{validator}")).expect("a well-known secret")
}

/// The set of the genesis, which signs as long as no key changes.
pub(crate) async fn first_set(alice: &Rpc, genesis: H256) -> DualKeyset {
    let sets: Option<Keysets> = alice
        .call_runtime("DuetApi_keysets", &[], Some(genesis))
        .await
        .expect("the API answers");
    let keys: Vec<DualKeyBytes> = alice
        .call_runtime("DuetApi_current_keys", &[], Some(genesis))
        .await
        .expect("the API answers");
    let sets = sets.expect("there is a set");
    DualKeyset::from_chain_state_unchecked(&sets.current, &keys).expect("the chain is sound")
}

/// A proof by Alice, Bob and Charlie that another block is at the height of this one.
pub(crate) async fn false_proof(
    alice: &Rpc,
    genesis: H256,
    truth: Commitment,
) -> UncheckedJustification {
    let set = first_set(alice, genesis).await;
    let lie = Commitment {
        block_hash: H256::repeat_byte(0xdd),
        ..truth
    };
    let message = RoundMessage::new(genesis, lie);
    let vote = |validator| {
        let secret = secret(validator);
        let signer = position(set.keyset(), &secret.public());
        let vote = UncheckedVote::sign(&secret, signer, &message);
        vote.check(set.keyset(), &message).expect("it holds")
    };
    let proof = set.aggregate(&message, &[Alice, Bob, Charlie].map(vote));
    proof.expect("three of four").into_unchecked()
}
