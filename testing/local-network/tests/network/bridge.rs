//! A chain follows another one: relayers bring its headers with their proofs, and pay only for what the chain could have done
//! without.

use crate::support::{author_blocks, proven_beyond, rpc, scenario_of, SOME_SESSIONS, SOON};
use bp_runtime::HeaderId;
use duet_local_network::{
    bridge::{self, Fee, Proven},
    staking::register_new_key,
    transaction::free_balance,
    wait, Error, Network, Result, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{BlockNumber, SetId};
use duet_runtime::{constants::SESSION_BLOCKS, Balance};
use sp_keyring::Sr25519Keyring;

/// Accounts that bring headers. They are no validators, who earn fees.
const RELAYERS: [Sr25519Keyring; 2] = [Sr25519Keyring::Eve, Sr25519Keyring::Ferdie];

/// What the pool says of a header that is not above the best one.
const STALE: &str = "Transaction is outdated";
/// What the pool says of other submissions that cannot succeed.
const CANNOT_SUCCEED: &str = "Transaction call is not expected";

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_follows_another_one_and_nobody_pays_for_what_cannot_succeed() {
    scenario_of(2, async {
        let (followed, following) = (
            Network::builder().validators(4).start(),
            Network::builder().validators(1).start(),
        );
        let (followed, following) = tokio::join!(followed, following);
        let (followed, following) = (
            followed.expect("the network starts"),
            following.expect("the network starts"),
        );
        let (there, here) = (rpc(&followed, 0).await, rpc(&following, 0).await);
        // Headers of the set that replaces the first one when Bob has a new key.
        register_new_key(&rpc(&followed, 1).await, DEVELOPMENT_ACCOUNTS[1])
            .await
            .expect("the transaction succeeds");

        begins_halted(&there, &here).await;
        let handoff = first_handoff(&there).await;
        a_mandatory_header_is_free(&here, &handoff).await;
        a_known_header_is_refused(&here, &handoff).await;
        a_header_in_between_is_paid_for(&there, &here).await;
        a_changed_proof_is_paid_for_and_changes_nothing(&there, &here).await;
        a_header_of_the_next_session_is_free_for_the_faster_relayer(&there, &here).await;
    })
    .await;
}

/// Until root has said which chain is followed, nothing is taken.
async fn begins_halted(there: &Rpc, here: &Rpc) {
    author_blocks(here, 1).await;
    let proven = proven_beyond(there, BlockNumber::new(0)).await;
    let early = block_with_proof(there, proven.expect("the first proof")).await;
    is_refused(here, &early, Fee::IfDue, CANNOT_SUCCEED).await;

    let genesis = bridge::checkpoint(there, BlockNumber::new(0)).await;
    let genesis = genesis.expect("the node has its genesis");
    let expected = HeaderId(0, genesis.genesis_hash);
    bridge::follow(here, genesis)
        .await
        .expect("the sudo key is Alice's");
    assert_eq!(best(here).await, expected);
}

/// The handoff of the first set.
async fn first_handoff(there: &Rpc) -> Proven {
    let handoff = || bridge::handoff(there, SetId::FIRST);
    let proven = wait::until("the handoff", SOME_SESSIONS, handoff, Option::is_some).await;
    proven.expect("the set changes").expect("it was waited for")
}

async fn a_mandatory_header_is_free(here: &Rpc, handoff: &Proven) {
    let paid = bridge::bring(here, RELAYERS[0], handoff, Fee::None).await;
    assert_eq!(paid.expect("the proof holds"), 0);
    assert_eq!(best(here).await, id(handoff));
    let followed = bridge::followed(here).await.expect("it answers");
    let sets = followed.expect("it follows a chain").keysets;
    assert_eq!((sets.current.id.get(), sets.next.id.get()), (0, 1));
}

async fn a_known_header_is_refused(here: &Rpc, known: &Proven) {
    for fee in [Fee::None, Fee::IfDue] {
        is_refused(here, known, fee, STALE).await;
    }
    assert_eq!(best(here).await, id(known));
}

/// Neither mandatory, nor as far above the best one as a session is long.
async fn a_header_in_between_is_paid_for(there: &Rpc, here: &Rpc) {
    let next = BlockNumber::new(best(here).await.number() + 1);
    let near = block_with_proof(there, next).await;
    is_refused(here, &near, Fee::None, CANNOT_SUCCEED).await;
    let paid = bridge::bring(here, RELAYERS[0], &near, Fee::IfDue).await;
    let paid = paid.expect("the proof holds");
    println!("a header in between costs {paid}");
    assert!(paid > 0);
    assert_eq!(best(here).await, id(&near));
}

async fn a_changed_proof_is_paid_for_and_changes_nothing(there: &Rpc, here: &Rpc) {
    let known = best(here).await;
    let next = BlockNumber::new(known.number() + 1);
    let mut changed = block_with_proof(there, next).await;
    let signature = &mut changed.proof.justification.signature;
    signature.0[20] ^= 1;
    let before = balance(here, RELAYERS[0]).await;
    let brought = bridge::bring(here, RELAYERS[0], &changed, Fee::IfDue).await;
    let error = brought.expect_err("the proof does not hold");
    let Error::Dispatch { block, error } = error else {
        panic!("it is looked at in a block: {error}");
    };
    let account = RELAYERS[0].to_account_id();
    let after = free_balance(here, &account, Some(block)).await;
    let paid = before - after.expect("it answers");
    println!("a proof with another signature costs {paid}, and fails with {error}");
    assert!(paid > 0);
    assert_eq!(best(here).await, known);
}

/// Two relayers bring one header at once. Whoever is later pays nothing, in the pool or in a block.
async fn a_header_of_the_next_session_is_free_for_the_faster_relayer(there: &Rpc, here: &Rpc) {
    let next = BlockNumber::new(best(here).await.number() + SESSION_BLOCKS);
    let far = block_with_proof(there, next).await;
    let [eve, ferdie] = RELAYERS;
    let before = [balance(here, eve).await, balance(here, ferdie).await];
    let brought = tokio::join!(
        bridge::bring(here, eve, &far, Fee::None),
        bridge::bring(here, ferdie, &far, Fee::None),
    );
    let (faster, slower) = match brought {
        (Ok(faster), slower) => (faster, slower),
        (slower, faster) => (faster.expect("one of them succeeds"), slower),
    };
    assert_eq!(faster, 0);
    match slower.expect_err("there is one such header") {
        Error::NotIncluded { status } => println!("dropped: {status}"),
        Error::Rpc { error, .. } => println!("refused: {error}"),
        other => panic!("{other}"),
    }
    assert_eq!(best(here).await, id(&far));
    let after = [balance(here, eve).await, balance(here, ferdie).await];
    assert_eq!(after, before);
}

/// The first block from here on that has a proof. It is waited for.
async fn block_with_proof(there: &Rpc, from: BlockNumber) -> Proven {
    let first = || async {
        for number in from.get()..=there.proven().await?.get() {
            let proven = bridge::proven(there, BlockNumber::new(number)).await?;
            if proven.is_some() {
                return Ok(proven);
            }
        }
        Ok(None)
    };
    let proven = wait::until("a proof", SOON, first, Option::is_some).await;
    proven.expect("proofs go on").expect("it was waited for")
}

/// The pool refuses it, and the relayer has what it had.
async fn is_refused(here: &Rpc, proven: &Proven, fee: Fee, why: &str) {
    let before = balance(here, RELAYERS[0]).await;
    let brought: Result<Balance> = bridge::bring(here, RELAYERS[0], proven, fee).await;
    let error = brought.expect_err("it is refused");
    assert!(matches!(error, Error::Rpc { .. }), "{error}");
    assert!(error.to_string().contains(why), "{error}");
    // What was in a block would be paid for by now.
    author_blocks(here, 1).await;
    assert_eq!(balance(here, RELAYERS[0]).await, before);
}

async fn balance(here: &Rpc, account: Sr25519Keyring) -> Balance {
    let account = account.to_account_id();
    let balance = free_balance(here, &account, None).await;
    balance.expect("it answers")
}

async fn best(here: &Rpc) -> HeaderId<duet_runtime::Hash, u32> {
    let best = bridge::best_bridged(here, None).await.expect("it answers");
    best.expect("it follows a chain")
}

fn id(proven: &Proven) -> HeaderId<duet_runtime::Hash, u32> {
    HeaderId(proven.header.number, proven.header.hash())
}
