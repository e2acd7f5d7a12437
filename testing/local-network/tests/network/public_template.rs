//! The SDK's public template with Duet: four validators register keys by its node's own command, root names a block, and
//! a light client that knows the genesis alone checks a proof. `cargo xtask template` builds the node and runs this.

use crate::{
    client::Client,
    support::{author_blocks, proven_beyond, rotates_key, rpc, scenario},
};
use codec::{Compact, Encode};
use duet_local_network::{transaction::send, Executables, Network, Rpc, DEVELOPMENT_ACCOUNTS};
use duet_primitives::{BlockNumber, H256};
use jsonrpsee::rpc_params;
use serde_json::{json, Value};
use sp_core::{sr25519, Pair};
use sp_io::hashing::blake2_256;
use sp_keyring::{Ed25519Keyring, Sr25519Keyring};
use sp_runtime::{traits::IdentifyAccount, MultiAddress, MultiSignature, MultiSigner};

/// The indices of the pallets that the patch adds or finds, and of their calls.
const SUDO: [u8; 2] = [6, 0];
const ACTIVATE: [u8; 2] = [8, 6];
/// Blocks from the call that names the block of activation to that block.
const NOTICE: u32 = 3;

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
        let alice = rpc(&network, 0).await;
        author_blocks(&alice, 1).await;
        for index in 0..4 {
            rotates_key(&node, &network, index).await;
        }
        let at = alice.best().await.expect("the node answers").get() + NOTICE;
        let activate = (SUDO, ACTIVATE, at).encode();
        submit(&alice, DEVELOPMENT_ACCOUNTS[0], activate).await;
        let proven = proven_beyond(&alice, BlockNumber::new(at)).await;
        let proven = proven.expect("the set proves");
        let light = Client::new(&network, &alice).await;
        light.syncs(&network, &[]).await;
        light.proves_block(&network, &alice, proven).await;
    })
    .await;
}

/// The template's local network has two validators, and sets from the beginning.
fn four_validators(genesis: &mut Value) {
    let keys = DEVELOPMENT_ACCOUNTS.into_iter().take(4).map(|account| {
        let grandpa = Ed25519Keyring::iter()
            .find(|other| other.to_string() == account.to_string())
            .expect("both rings have these names");
        let grandpa = MultiSigner::from(grandpa.public()).into_account();
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
