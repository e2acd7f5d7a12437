//! Transactions of `rotate`, read by the runtime of a chain and answered with its events.

use super::*;
use clap::Parser;
use codec::DecodeAll;
use duet_runtime::{extrinsic, Runtime, RuntimeCall, RuntimeEvent, UncheckedExtrinsic, VERSION};
use frame_system::{EventRecord, Phase};
use jsonrpsee::{
    server::{RpcModule, Server, ServerHandle},
    types::ErrorObjectOwned,
    SubscriptionMessage,
};
use sc_cli::CryptoScheme;
use serde_json::{json, Value};
use sp_runtime::{generic::Preamble, traits::Verify, DispatchError};
use std::sync::{Arc, Mutex};

const GENESIS: H256 = H256::repeat_byte(1);
const BLOCK: H256 = H256::repeat_byte(2);
const KEY: DualKeyBytes = DualKeyBytes([7; 144]);
const PROOF: PossessionProof = PossessionProof([5; PossessionProof::LEN]);
const NONCE: u32 = 3;

/// A chain that includes every transaction in one final block, with these events.
struct Chain {
    events: Vec<u8>,
    transaction: Arc<Mutex<Value>>,
}

type Answer = Result<Value, ErrorObjectOwned>;

async fn node(chain: Chain) -> (ServerHandle, Node) {
    let mut module = RpcModule::new(chain);
    let mut method = |name: &'static str, answer: fn(&Chain) -> Value| {
        module
            .register_method(name, move |_, chain, _| -> Answer { Ok(answer(chain)) })
            .expect("a name is used once");
    };
    method("chain_getBlockHash", |_| json!(GENESIS));
    method("system_accountNextIndex", |_| json!(NONCE));
    method("state_getRuntimeVersion", |_| json!(VERSION));
    method("state_call", |_| {
        let metadata = Runtime::metadata_at_version(15).expect("the SDK has it");
        json!(Bytes(Some(metadata).encode()))
    });
    method(
        "chain_getBlock",
        |chain| json!({ "block": { "extrinsics": [*chain.transaction.lock().expect("not poisoned")] } }),
    );
    method("state_getStorage", |chain| {
        json!(Bytes(chain.events.clone()))
    });
    module
        .register_subscription(
            "author_submitAndWatchExtrinsic",
            "author_extrinsicUpdate",
            "author_unwatchExtrinsic",
            |params, pending, chain, _| async move {
                *chain.transaction.lock().expect("not poisoned") = params.one()?;
                let said = SubscriptionMessage::from_json(&json!({ "finalized": BLOCK }))?;
                pending.accept().await?.send(said).await?;
                Ok(())
            },
        )
        .expect("a name is used once");
    let server = Server::builder().build("127.0.0.1:0").await;
    let server = server.expect("a port is free");
    let address = server.local_addr().expect("it listens");
    let running = server.start(module);
    let node = Node::connect(&format!("ws://{address}"), GENESIS).await;
    (running, node.expect("it answers"))
}

/// The transaction of `rotate`, and its outcome.
async fn registers(
    scheme: CryptoScheme,
    events: Vec<RuntimeEvent>,
) -> (Vec<u8>, Result<H256, NodeError>) {
    let record = |event| EventRecord::<RuntimeEvent, H256> {
        phase: Phase::ApplyExtrinsic(0),
        event,
        topics: Vec::new(),
    };
    let transaction = Arc::new(Mutex::default());
    let chain = Chain {
        events: events.into_iter().map(record).collect::<Vec<_>>().encode(),
        transaction: transaction.clone(),
    };
    let (_running, node) = node(chain).await;
    let signer = Account::of_uri("//Alice", scheme).expect("well known");
    let account = signer.id.to_string();
    let rotate = RotateCmd::parse_from(["rotate", "--dev", "--account", &account]);
    let format = node.format(GENESIS, BLOCK).await.expect("it is ours");
    let outcome = rotate.submit(&node, &format, &signer, (&KEY, &PROOF)).await;
    let sent = transaction.lock().expect("not poisoned").clone();
    let sent: Bytes = serde_json::from_value(sent).expect("hexadecimal");
    (sent.0, outcome)
}

fn succeeded() -> RuntimeEvent {
    let dispatch_info = Default::default();
    frame_system::Event::<Runtime>::ExtrinsicSuccess { dispatch_info }.into()
}

fn failed(dispatch_error: DispatchError) -> RuntimeEvent {
    frame_system::Event::<Runtime>::ExtrinsicFailed {
        dispatch_error,
        dispatch_info: Default::default(),
    }
    .into()
}

#[tokio::test]
async fn a_runtime_reads_the_transaction_and_its_signature_is_that_of_the_account() {
    for scheme in [
        CryptoScheme::Sr25519,
        CryptoScheme::Ed25519,
        CryptoScheme::Ecdsa,
    ] {
        let (sent, outcome) = registers(scheme, vec![succeeded()]).await;
        assert_eq!(outcome.expect("it succeeded"), BLOCK);
        let read = UncheckedExtrinsic::decode_all(&mut &*sent).expect("the runtime's format");
        let call = pallet_duet::Call::<Runtime>::register_keys {
            key: KEY,
            proof: PROOF,
        };
        assert_eq!(read.function, RuntimeCall::from(call));
        let Preamble::Signed(address, signature, extension) = read.preamble else {
            panic!("it is not signed");
        };
        let signer = Account::of_uri("//Alice", scheme).expect("well known");
        assert_eq!(address, signer.id.clone().into());
        let payload = extrinsic::payload(read.function, NONCE, GENESIS, VERSION.spec_version);
        let is_valid = payload.using_encoded(|bytes| signature.verify(bytes, &signer.id));
        assert!(is_valid, "{scheme:?}");
        let (_, expected, _) = payload.deconstruct();
        assert_eq!(extension, expected, "nonce, era and tip");
    }
}

#[tokio::test]
async fn the_events_of_the_block_say_whether_the_registration_succeeded() {
    let unchanged = pallet_duet::Error::<Runtime>::KeyUnchanged.into();
    for (error, name) in [
        (unchanged, "Duet::KeyUnchanged"),
        (DispatchError::BadOrigin, "Bad origin"),
    ] {
        let (_, outcome) = registers(CryptoScheme::Sr25519, vec![failed(error)]).await;
        let error = outcome.expect_err("it failed");
        assert!(
            matches!(&error, NodeError::Failed { block, .. } if *block == BLOCK),
            "{error}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
    let (_, outcome) = registers(CryptoScheme::Sr25519, Vec::new()).await;
    let error = outcome.expect_err("no event has the result");
    assert!(
        error.to_string().contains("do not have the result"),
        "{error}"
    );
}

#[test]
fn bytes_that_are_no_metadata_are_refused() {
    for bytes in [&b""[..], b"meta", &[0; 64]] {
        assert!(Format::new(GENESIS, (1, 1), bytes).is_err());
    }
}
