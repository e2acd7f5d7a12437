//! Duet on the SDK's public template, whose nodes `cargo xtask template` builds before it runs this.
//!
//! A new chain: four validators register keys by their node's own command, root names a block, and a light client that
//! knows the genesis alone checks a proof. And a chain that runs without Duet and with fixed lists of authorities takes
//! Duet up, with the steps of `docs/adopt.md`, some of which are forgotten at first.

use crate::{
    client::Client,
    support::{author_blocks, proven_beyond, rotates_key, rpc, scenario, SOON},
};
use codec::{Compact, Encode};
use duet_local_network::{
    transaction::send, wait, Executables, Network, Result, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{BlockNumber, DualKeyBytes, H256};
use jsonrpsee::rpc_params;
use serde_json::{json, Value};
use sp_core::{sr25519, Bytes, Pair};
use sp_io::hashing::{blake2_256, twox_128};
use sp_keyring::{Ed25519Keyring, Sr25519Keyring};
use sp_runtime::{traits::IdentifyAccount, AccountId32, MultiAddress, MultiSignature, MultiSigner};
use std::{path::Path, time::Duration};
use tokio::process::Command;

/// The indices of the pallets that the patch adds or finds, and of their calls.
const SUDO: [u8; 2] = [6, 0];
const SUDO_UNCHECKED_WEIGHT: [u8; 2] = [6, 1];
const SET_CODE: [u8; 2] = [0, 2];
const ACTIVATE: [u8; 2] = [8, 6];
const DEACTIVATE: [u8; 2] = [8, 7];
/// The event `Sudo.Sudid` with the error `System.SpecVersionNeedsToIncrease`.
const NEEDS_TO_INCREASE: [u8; 9] = [6, 0, 1, 3, 0, 1, 0, 0, 0];
/// The event `Duet.SetNotFounded` of the first session.
const NOT_FOUNDED: [u8; 6] = [8, 8, 0, 0, 0, 0];
/// Blocks from the call that names the block of activation to that block.
const NOTICE: u32 = 3;
/// How long GRANDPA may take to go on after all nodes were replaced, one after the other.
const REJOINED: Duration = Duration::from_secs(300);
const ALICE: usize = 0;
const DAVE: usize = 3;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the node that cargo xtask template builds"]
async fn the_public_template_takes_duet_up() {
    scenario(async {
        let executables = Executables::locate().expect("this program is somewhere");
        let node = executables.public_template().expect("it was built");
        let network = Network::builder()
            .executable(node.clone())
            .patch(four_validators);
        let network = network.start().await.expect("the network starts");
        let alice = rpc(&network, ALICE).await;
        author_blocks(&alice, 1).await;
        for index in 0..4 {
            rotates_key(&node, &network, index).await;
        }
        let at = names_block(&alice).await;
        let proven = proven_beyond(&alice, at).await;
        let proven = proven.expect("the set proves");
        a_light_client_proves(&network, &[proven]).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the nodes that cargo xtask template builds"]
async fn a_chain_of_the_public_template_with_fixed_lists_takes_duet_up() {
    scenario(async {
        let executables = Executables::locate().expect("this program is somewhere");
        let new = executables.public_template().expect("it was built");
        let old = executables.public_template_without_duet();
        let old = old.expect("it was built");
        let network = Network::builder()
            .executable(old.clone())
            .patch(four_authorities);
        let mut network = network.start().await.expect("the network starts");
        goes_on(&rpc(&network, ALICE).await).await;
        for node in 0..4 {
            let replaced = network.replace(node, new.clone()).await;
            replaced.expect("the new node starts on the old one's database");
        }
        let alice = rpc(&network, ALICE).await;
        goes_on(&alice).await;

        fails(&alice, "duet_getStartProof", "9005").await;
        let lists = lists(&alice).await;
        let refused = set_code(&alice, code(&old).await).await;
        assert!(has_event(&alice, refused, &NEEDS_TO_INCREASE).await);
        assert_eq!(spec_version(&alice).await, 100);
        set_code(&alice, code(&new).await).await;
        let upgraded = |version: &u32| *version == 101;
        let version = || async { Ok(spec_version(&alice).await) };
        let upgraded = wait::until("the runtime", SOON, version, upgraded).await;
        upgraded.expect("the chain is upgraded");
        let with = alice.best().await.expect("the node answers");
        author_blocks(&alice, 3).await;
        goes_on(&alice).await;
        assert_eq!(
            self::lists(&alice).await,
            lists,
            "the authorities are as before"
        );
        assert_eq!(validators(&alice).await, accounts(), "and are validators");

        rotates_key(&new, &network, ALICE).await;
        nothing_begins_with_one_key(&network, &alice).await;
        for index in 1..4 {
            rotates_key(&new, &network, index).await;
        }
        network.replace(DAVE, old).await.expect("it starts");
        let at = names_block(&alice).await;
        let proven = proven_beyond(&alice, at).await.expect("three prove");
        is_missing(&alice, &[DAVE]).await;
        network.replace(DAVE, new).await.expect("it starts");
        is_missing(&alice, &[]).await;

        a_light_client_proves(&network, &[with, proven]).await;
    })
    .await;
}

/// With the genesis hash alone.
async fn a_light_client_proves(network: &Network, blocks: &[BlockNumber]) {
    // The node that it asks.
    let bob = rpc(network, 1).await;
    let light = Client::new(network, &bob).await;
    light.syncs(network, &[]).await;
    // GRANDPA's proofs lead to the newest proven block, and earlier ones are proven under a later one.
    let begun = bob.proven().await.expect("there are proofs");
    proven_beyond(&bob, begun).await.expect("the set goes on");
    for block in blocks {
        light.proves_block(network, &bob, *block).await;
    }
}

/// Root names a block too early: it makes no set. Then root takes that back.
async fn nothing_begins_with_one_key(network: &Network, alice: &Rpc) {
    fails(alice, "duet_getFinalizedHead", "9001").await;
    let key = Bytes([twox_128(b"Duet"), twox_128(b"ActiveFrom")].concat());
    let named = alice.ask::<Option<Bytes>>("state_getStorage", rpc_params![key]);
    assert_eq!(named.await.expect("the node answers"), None);
    let at = names_block(alice).await;
    let block = alice.block_hash(at).await.expect("it is there");
    assert!(has_event(alice, block, &NOT_FOUNDED).await);
    let logs = network.nodes().iter().map(|node| node.log());
    let logs = logs.map(|log| std::fs::read_to_string(log).expect("a node has a log"));
    let is_told = |log: String| log.contains("no Duet set signs in session 0: TooFewValidators");
    assert!(
        logs.into_iter().any(is_told),
        "the log of the block's author"
    );
    fails(alice, "duet_getFinalizedHead", "9001").await;
    let deactivate = (SUDO, DEACTIVATE).encode();
    submit(alice, DEVELOPMENT_ACCOUNTS[0], deactivate).await;
}

/// Root names a block, and the chain comes to it.
async fn names_block(alice: &Rpc) -> BlockNumber {
    let now = alice.best().await.expect("the node answers");
    let at = now.saturating_add(NOTICE);
    let activate = (SUDO, ACTIVATE, at.get()).encode();
    submit(alice, DEVELOPMENT_ACCOUNTS[0], activate).await;
    author_blocks(alice, NOTICE + 1).await;
    at
}

/// Root gives the chain this code. Returns the block of the call.
async fn set_code(alice: &Rpc, code: Vec<u8>) -> H256 {
    // Its weight is that of a whole block, which no transaction may have.
    let weight = (Compact(0u64), Compact(0u64));
    let call = (SUDO_UNCHECKED_WEIGHT, SET_CODE, code, weight).encode();
    submit(alice, DEVELOPMENT_ACCOUNTS[0], call).await
}

/// The runtime with which a node's chains begin.
async fn code(node: &Path) -> Vec<u8> {
    let mut export = Command::new(node);
    export.args(["export-chain-spec", "--chain", "local", "--raw"]);
    let exported = export.output().await.expect("the node runs");
    let spec: Value = serde_json::from_slice(&exported.stdout).expect("a specification");
    let code = spec["genesis"]["raw"]["top"]["0x3a636f6465"].clone();
    serde_json::from_value::<Bytes>(code).expect("a runtime").0
}

/// GRANDPA finalizes two more blocks.
async fn goes_on(alice: &Rpc) {
    let now = alice.finalized().await.expect("the node answers");
    let later = |final_now: &BlockNumber| *final_now > now.saturating_add(1);
    let goes_on = wait::until("finality", REJOINED, || alice.finalized(), later).await;
    goes_on.expect("GRANDPA goes on");
}

async fn fails(alice: &Rpc, method: &str, code: &str) {
    let answer = alice.ask::<Value>(method, rpc_params![]).await;
    let error = answer.expect_err("there is nothing yet").to_string();
    assert!(error.contains(code), "{method}: {error}");
}

/// Whether the block has an event that begins with these bytes.
async fn has_event(alice: &Rpc, block: H256, bytes: &[u8]) -> bool {
    let key = Bytes([twox_128(b"System"), twox_128(b"Events")].concat());
    let events = alice.ask::<Bytes>("state_getStorage", rpc_params![key, block]);
    let events = events.await.expect("every block has events");
    events.windows(bytes.len()).any(|window| window == bytes)
}

/// Block authors, GRANDPA's voters, and how often these have changed.
async fn lists(alice: &Rpc) -> (Vec<[u8; 32]>, Vec<([u8; 32], u64)>, u64) {
    let authors = alice.call_runtime("AuraApi_authorities", &[], None).await;
    let voters = alice.call_runtime("GrandpaApi_grandpa_authorities", &[], None);
    let voters = voters.await.expect("the API answers");
    let changes = alice.call_runtime("GrandpaApi_current_set_id", &[], None);
    let changes = changes.await.expect("the API answers");
    (authors.expect("the API answers"), voters, changes)
}

async fn validators(alice: &Rpc) -> Vec<AccountId32> {
    let key = [twox_128(b"Session"), twox_128(b"Validators")].concat();
    let found: Result<Option<_>> = alice.storage(&key, None).await;
    found
        .expect("the node answers")
        .expect("there are sessions")
}

async fn spec_version(alice: &Rpc) -> u32 {
    alice.spec_version().await.expect("the node answers")
}

/// Waits until all votes on the newest block are there but these validators'.
async fn is_missing(alice: &Rpc, validators: &[usize]) {
    let mut keys = Vec::new();
    for validator in validators {
        let owner = DEVELOPMENT_ACCOUNTS[*validator].to_account_id().encode();
        let key = alice.call_runtime("DuetApi_registered_key", &owner, None);
        let key: Option<DualKeyBytes> = key.await.expect("the API answers");
        let key = key.expect("it has one").pk1();
        keys.push(json!(Bytes(key.0.to_vec())));
    }
    let missing = || async {
        let state = alice.ask::<Value>("duet_roundState", rpc_params![]).await?;
        let missing = state["missing"].as_array().cloned().unwrap_or_default();
        Ok(missing.into_iter().map(|it| it["key"].clone()).collect())
    };
    let are_these = |missing: &Vec<Value>| *missing == keys;
    let missing = wait::until("votes of the others", REJOINED, missing, are_these).await;
    missing.expect("those with Duet vote");
}

fn accounts() -> Vec<AccountId32> {
    let four = DEVELOPMENT_ACCOUNTS.into_iter().take(4);
    four.map(|account| account.to_account_id()).collect()
}

/// The account of a development account's GRANDPA key.
fn grandpa(account: Sr25519Keyring) -> AccountId32 {
    let grandpa = Ed25519Keyring::iter().find(|other| other.to_string() == account.to_string());
    let grandpa = grandpa.expect("both rings have these names");
    MultiSigner::from(grandpa.public()).into_account()
}

/// The template's local network has two authorities.
fn four_authorities(genesis: &mut Value) {
    let four = DEVELOPMENT_ACCOUNTS.into_iter().take(4);
    let voters = four.map(|account| json!([grandpa(account), 1]));
    genesis["aura"]["authorities"] = json!(accounts());
    genesis["grandpa"]["authorities"] = voters.collect();
}

/// The template's local network has two validators, and sets from the beginning.
fn four_validators(genesis: &mut Value) {
    let keys = DEVELOPMENT_ACCOUNTS.into_iter().take(4).map(|account| {
        let grandpa = grandpa(account);
        let account = account.to_account_id();
        json!([account, account, { "aura": account, "grandpa": grandpa }])
    });
    genesis["session"]["keys"] = keys.collect();
    genesis["duet"] = json!({ "inactive": true });
}

/// Signs a call with the template's transaction extensions, and waits until a block has it.
async fn submit(rpc: &Rpc, signer: Sr25519Keyring, call: Vec<u8>) -> H256 {
    let account = signer.to_account_id();
    let nonce = rpc.next_nonce(&account).await.expect("the node answers");
    let genesis = rpc.genesis_hash().await.expect("there is a genesis");
    let version = rpc.ask::<Value>("state_getRuntimeVersion", rpc_params![]);
    let version = version.await.expect("the node answers");
    let number = |field: &str| u32::try_from(version[field].as_u64().expect("a number"));
    let versions = ["specVersion", "transactionVersion"];
    let versions = versions.map(|field| number(field).expect("of 32 bits"));
    // Immortal, this nonce, no tip, and no hash of the metadata.
    let extension = (0u8, Compact(nonce), Compact(0u128), 0u8).encode();
    let implicit = (versions, genesis, genesis, None::<H256>).encode();
    let signature = sign(&signer.pair(), [&call[..], &extension, &implicit].concat());
    let signed = (0x84u8, MultiAddress::<_, ()>::Id(account), signature).encode();
    let transaction = [signed, extension, call].concat().encode();
    let sent = send(rpc, transaction).await;
    sent.expect("a block takes the transaction")
}

/// A payload above 256 bytes is signed by its hash.
fn sign(pair: &sr25519::Pair, payload: Vec<u8>) -> MultiSignature {
    if payload.len() > 256 {
        pair.sign(&blake2_256(&payload)).into()
    } else {
        pair.sign(&payload).into()
    }
}
