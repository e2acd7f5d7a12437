//! Validators sign what is not true of the chain: one votes for another block, one for a block that is not there yet, and
//! three make a false proof, which a light client hands in.

use crate::{
    adversaries::{false_proof, first_set, secret, Equivocator},
    support::{is_final, network_that_proves, position, rpc, scenario, SOME_SESSIONS, SOON},
};
use codec::Encode;
use duet_local_network::{
    staking::bonded, transaction::events, wait, Executables, LightClient, Network, Peer, Result,
    Rpc,
};
use duet_primitives::{BlockNumber, Commitment, H256};
use duet_runtime::{AccountId, RuntimeEvent};
use frame_system::Phase;
use serde_json::Value;
use sp_keyring::Sr25519Keyring::{self, Alice, Bob, Charlie, Dave};

/// Votes on blocks so far ahead are verified by nodes, and no honest validator makes one.
pub(crate) const AHEAD: u32 = 100;

#[tokio::test(flavor = "multi_thread")]
async fn false_votes_and_a_false_proof_cost_their_signers_their_stake() {
    scenario(async {
        let mut network = network_that_proves().await;
        // Dave's own node says nothing: his one vote on a block contradicts no other vote of his.
        network.node_mut(3).kill().expect("the process is ours");
        let alice = rpc(&network, 0).await;
        let genesis = alice.genesis_hash().await.expect("there is a genesis");

        let next = alice
            .finalized()
            .await
            .expect("it answers")
            .saturating_add(3);
        let fork = is_final(&alice, next).await;
        let dave = liar(&alice, genesis, Dave).await;
        dave.contradict(fork.clone());
        let block = reported(&alice, &[Dave]).await;
        assert!(left_of(&alice, Dave, block).await > 0, "one of four");

        let charlie = liar(&alice, genesis, Charlie).await;
        charlie.vote(Commitment {
            block_number: fork.block_number.saturating_add(AHEAD),
            ..fork.clone()
        });
        let block = reported(&alice, &[Charlie]).await;
        assert!(block < fork.block_number.saturating_add(AHEAD));
        assert!(left_of(&alice, Charlie, block).await > 0, "one of four");

        let proof = false_proof(&alice, genesis, fork).await.encode();
        hand_in(&network, format!("0x{}", hex::encode(proof))).await;
        let block = reported(&alice, &[Alice, Bob, Charlie]).await;
        for signer in [Alice, Bob, Charlie] {
            assert_eq!(left_of(&alice, signer, block).await, 0, "{signer}");
        }
    })
    .await;
}

/// A peer that votes with a validator's secret.
pub(crate) async fn liar(alice: &Rpc, genesis: H256, validator: Sr25519Keyring) -> Equivocator {
    let set = first_set(alice, genesis).await;
    let signer = position(set.keyset(), &secret(validator).public());
    let address = alice.peer_address().await.expect("alice listens");
    let peer = Peer::join(&address, genesis).await;
    let peer = peer.expect("the network takes the peer");
    Equivocator::new(peer, genesis, secret(validator), signer)
}

/// A light client gives a node the proof.
async fn hand_in(network: &Network, proof: String) {
    let executables = Executables::locate().expect("this program is somewhere");
    let url = network.node(1).url();
    let lines = LightClient::report(&executables, &url, &[proof]).await;
    let lines = lines.expect("the node calls it false");
    let event: Value = serde_json::from_str(&lines[0]).expect("JSON");
    assert_eq!(
        (event["event"].as_str(), event["verdict"].as_str()),
        (Some("reported"), Some("false"))
    );
}

/// Waits until a final block has an extrinsic that reports exactly these. The block.
pub(crate) async fn reported(alice: &Rpc, offenders: &[Sr25519Keyring]) -> BlockNumber {
    let mut accounts: Vec<_> = offenders.iter().map(|one| one.to_account_id()).collect();
    accounts.sort();
    let from = alice.finalized().await.expect("it answers");
    let searched = search(alice, from, &accounts);
    let found = wait::at_most("the report on chain", SOME_SESSIONS, searched).await;
    found.expect("a node reports it")
}

async fn search(alice: &Rpc, from: BlockNumber, accounts: &[AccountId]) -> Result<BlockNumber> {
    let mut next = from;
    loop {
        let what = format!("block {next}");
        let finalized = |now: &BlockNumber| *now >= next;
        wait::until(&what, SOON, || alice.finalized(), finalized).await?;
        if has_report(alice, next, accounts).await? {
            return Ok(next);
        }
        next = next.saturating_next();
    }
}

async fn has_report(alice: &Rpc, block: BlockNumber, accounts: &[AccountId]) -> Result<bool> {
    let hash = alice.block_hash(block).await?;
    Ok(events(alice, hash).await?.iter().any(|record| {
        let RuntimeEvent::Duet(pallet_duet::Event::FalseStatementReported { offenders, .. }) =
            &record.event
        else {
            return false;
        };
        let mut named = offenders.clone();
        named.sort();
        matches!(record.phase, Phase::ApplyExtrinsic(_)) && named == accounts
    }))
}

/// What an account has at stake after this block, which is less than before it.
pub(crate) async fn left_of(alice: &Rpc, validator: Sr25519Keyring, block: BlockNumber) -> u128 {
    let account = validator.to_account_id();
    let before = BlockNumber::new(block.get() - 1);
    let mut stakes = [0, 0];
    for (stake, number) in stakes.iter_mut().zip([before, block]) {
        let hash = alice.block_hash(number).await.expect("it is final");
        let bonded = bonded(alice, &account, Some(hash)).await;
        *stake = bonded.expect("the ledger can be read");
    }
    let [before, left] = stakes;
    assert!(left < before, "{left} of {before} is left to {validator}");
    left
}
