//! The keys of three of four validators are lost for good, governance resets the chain, and recovery keys sign for that.

use crate::{
    client::Client,
    support::{author_blocks, keysets, proven_beyond, rpc},
};
use duet_local_network::{
    recovery::{sign, Owner},
    staking::register_new_key,
    transaction, Network, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{BlockNumber, SetId};
use duet_runtime::{constants::SESSION_BLOCKS, Runtime, RuntimeCall};

/// The validators whose keys are lost.
const LOSERS: [usize; 3] = [1, 2, 3];

/// Loses the keys. The last proven block.
pub(crate) async fn lose(network: &mut Network, alice: &Rpc) -> BlockNumber {
    for loser in LOSERS {
        let lost = network.lose_duet_key(loser).await;
        lost.expect("the node starts again");
    }
    nothing_is_proven(alice).await
}

/// Waits until the blocks go on and the proofs do not.
async fn nothing_is_proven(alice: &Rpc) -> BlockNumber {
    // Votes that were on their way may still make a proof of what was final before.
    author_blocks(alice, 3).await;
    let proven = alice.proven().await.expect("alice has proofs");
    author_blocks(alice, 4).await;
    assert_eq!(alice.proven().await.expect("alice has proofs"), proven);
    proven
}

/// The losers register new keys, and root resets the sets; the block of the reset. The new set proves blocks then.
pub(crate) async fn reset(network: &Network, alice: &Rpc, proven: BlockNumber) -> BlockNumber {
    for loser in LOSERS {
        register_new_key(&rpc(network, loser).await, DEVELOPMENT_ACCOUNTS[loser])
            .await
            .expect("the transaction succeeds");
    }
    // The set of the new keys is planned and waits, and the one that would have to hand off to it cannot.
    author_blocks(alice, 2 * SESSION_BLOCKS).await;
    assert_eq!(alice.handoffs(SetId::FIRST).await.expect("it answers"), 0);
    assert_eq!(alice.proven().await.expect("it answers"), proven);

    let reset = root_resets(alice).await;
    for node in 0..4 {
        let node = rpc(network, node).await;
        proven_beyond(&node, reset)
            .await
            .expect("the new set proves blocks");
    }
    reset
}

/// Root resets the sets. The block in which it does.
async fn root_resets(alice: &Rpc) -> BlockNumber {
    let before = keysets(alice, None).await;
    let planned = SetId::FIRST.saturating_next();
    let ids = (before.current.id, before.next.id);
    assert_eq!(ids, (SetId::FIRST, planned), "HANDOFF-4: one set waits");
    let call = Box::new(RuntimeCall::Duet(pallet_duet::Call::<Runtime>::reset {}));
    let sudo = pallet_sudo::Call::<Runtime>::sudo { call };
    let block = transaction::submit(alice, DEVELOPMENT_ACCOUNTS[0], sudo)
        .await
        .expect("the sudo key is Alice's");
    let after = keysets(alice, Some(block)).await;
    assert_eq!(after.current.id, before.next.id.saturating_next());
    assert_eq!((after.current.len, &after.next), (4, &after.current));
    let header = alice.header(Some(block)).await.expect("it is there");
    BlockNumber::new(header.number)
}

/// Three of four recovery keys sign what a light client says of the reset. The file with the proof.
pub(crate) async fn recovery_proof(client: &Client, network: &Network, owners: &[Owner]) -> String {
    let members = network.directory().join("members.txt");
    let flags = ["--members", &members.display().to_string()];
    let (said, is_there) = client.asks(network, "recovery-statement", &flags).await;
    assert!(is_there, "{said}");
    let proof = sign(owners, &said, &members).expect("they sign");
    proof.display().to_string()
}
