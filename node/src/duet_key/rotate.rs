//! `duet-key rotate`: a new key for a validator, without a gap. The old key stays in place and signs until a set with
//! the new key takes over.

use super::{
    args::{self, ChainArgs, ChainGenesisArgs},
    client::{self, at_most, decode, Node, NodeError},
    error::DuetKeyError,
    report::Report,
};
use codec::Encode;
use duet_finality::rpc::GeneratedKeys;
use duet_primitives::{DualKeyBytes, PossessionProof, H256};
use duet_runtime::{extrinsic, AccountId, Nonce, Runtime, RuntimeCall, SignedPayload};
use jsonrpsee::rpc_params;
use sc_cli::{utils::read_uri, CryptoScheme, CryptoSchemeFlag, OutputTypeFlag, SubstrateCli};
use sp_core::{ecdsa, ed25519, sr25519, Bytes, Pair};
use sp_runtime::{traits::IdentifyAccount, MultiSignature, MultiSigner};
use std::time::Duration;
use zeroize::Zeroizing;

/// How often the signing set is polled.
const PAUSE: Duration = Duration::from_secs(6);

/// The `rotate` command.
#[derive(Debug, Clone, clap::Parser)]
pub(crate) struct RotateCmd {
    /// The account that the key is for, SS58 or 0x-hex: the validator's stash.
    #[arg(long, value_parser = args::account)]
    account: AccountId,

    /// The secret URI of this account, which signs the registration. If the value is a file, the file content is used
    /// as URI. If not given, you will be prompted for the URI.
    #[arg(long, conflicts_with = "print_call")]
    suri: Option<String>,

    /// Sign and submit nothing. Print the call instead, for a tool that holds the account's secret.
    #[arg(long)]
    print_call: bool,

    /// An existing key of the node, 0x-hex of 144 bytes. If not given, the node makes a new one.
    #[arg(long, value_name = "HEX", value_parser = args::dual_key)]
    public: Option<DualKeyBytes>,

    /// The validator's node, ws:// or wss://, on this machine: nodes make keys for local callers only.
    #[arg(long, value_name = "URL", default_value = "ws://127.0.0.1:9944", value_parser = duet_process::ws_url)]
    url: String,

    /// The time limit for the registration to become final.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    wait: u64,

    /// Then also wait until the new key is in the signing set, at most this long.
    #[arg(long, value_name = "SECONDS", conflicts_with = "print_call")]
    wait_in_set: Option<u64>,

    #[command(flatten)]
    scheme: CryptoSchemeFlag,

    #[command(flatten)]
    genesis: ChainGenesisArgs,

    #[command(flatten)]
    chain: ChainArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

impl RotateCmd {
    pub(crate) fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        let genesis = self.genesis.hash(cli, &self.chain)?;
        let report = if self.print_call {
            client::run(self.print(genesis))?
        } else {
            // Before the node makes a key.
            let uri = Zeroizing::new(read_uri(self.suri.as_ref())?);
            let signer = Account::of_uri(&uri, self.scheme.scheme)?;
            if signer.id != self.account {
                return Err(DuetKeyError::OtherAccount {
                    expected: self.account.clone(),
                    got: signer.id,
                });
            }
            client::run(self.register(genesis, &signer))?
        };
        report.print(&self.output);
        Ok(())
    }

    async fn print(&self, genesis: H256) -> Result<Report, DuetKeyError> {
        let node = Node::connect(&self.url, genesis).await?;
        node.spec_version().await?;
        let (key, proof) = self.key(&node).await?;
        let call = call(key, proof).encode();
        Ok(Report::new()
            .line("Account", "account", &self.account)
            .key(&key)
            .line("Call", "call", format!("0x{}", hex::encode(call))))
    }

    async fn register(&self, genesis: H256, signer: &Account) -> Result<Report, DuetKeyError> {
        let node = Node::connect(&self.url, genesis).await?;
        // Before the node makes a key.
        let spec_version = node.spec_version().await?;
        let before = node.finalized().await?;
        let old = node.registered_key(&self.account, before).await?;
        let (key, proof) = self.key(&node).await?;
        let call = call(key, proof);
        let payload = |nonce| extrinsic::payload(call, nonce, genesis, spec_version);
        let registered = self.submit(&node, signer, key, payload).await;
        // The key stays on the node, so the error names it.
        let block = registered.map_err(|error| DuetKeyError::NotRegistered {
            key,
            error: Box::new(error),
        })?;
        if let Some(seconds) = self.wait_in_set {
            let waiting = in_set(&node, &key);
            at_most("the new key in the signing set", seconds, waiting).await?;
        }
        let now = node.finalized().await?;
        Ok(self.report(key, old, block, &node.current_keys(now).await?))
    }

    /// The new key, with the node's proof of it for the account.
    async fn key(&self, node: &Node) -> Result<(DualKeyBytes, PossessionProof), NodeError> {
        match self.public {
            Some(key) => {
                let method = "duet_proveKeys";
                let params = rpc_params![Bytes(key.encode()), &self.account];
                let proof: Bytes = node.ask(method, params).await?;
                Ok((key, decode(method, &proof)?))
            }
            None => {
                let method = "duet_generateKeys";
                let made: GeneratedKeys = node.ask(method, rpc_params![&self.account]).await?;
                Ok((decode(method, &made.public)?, decode(method, &made.proof)?))
            }
        }
    }

    async fn submit(
        &self,
        node: &Node,
        signer: &Account,
        key: DualKeyBytes,
        payload: impl FnOnce(Nonce) -> SignedPayload,
    ) -> Result<H256, NodeError> {
        let method = "system_accountNextIndex";
        let nonce: Nonce = node.ask(method, rpc_params![&self.account]).await?;
        let payload = payload(nonce);
        let transaction = extrinsic::sign(payload, signer.id.clone(), &signer.sign).encode();
        let final_block = node.submit(&transaction);
        let block = at_most("the registration in a final block", self.wait, final_block).await?;
        match node.check_success(block, &transaction).await {
            Err(NodeError::Decode { .. })
                if node.registered_key(&self.account, block).await? == Some(key) => {}
            checked => checked?,
        }
        Ok(block)
    }

    fn report(
        &self,
        key: DualKeyBytes,
        old: Option<DualKeyBytes>,
        block: H256,
        signing: &[DualKeyBytes],
    ) -> Report {
        let report = Report::new()
            .line("Account", "account", &self.account)
            .key(&key)
            .line("Registered in block", "block", format!("{block:?}"));
        if signing.contains(&key) {
            let report = report.line("Signs now", "signsNow", key);
            return match old {
                Some(old) => report.line("To remove (duet-key remove)", "toRemove", old),
                None => report,
            };
        }
        let from = "the set that is planned when the next session starts";
        let report = match old.filter(|old| signing.contains(old)) {
            Some(old) => report.line("Signs now", "signsNow", old),
            None => report,
        };
        let report = report.line("The new key signs from", "signsFrom", from);
        match old {
            Some(old) => report.line("To remove then (duet-key remove)", "toRemove", old),
            None => report,
        }
    }
}

fn call(key: DualKeyBytes, proof: PossessionProof) -> RuntimeCall {
    pallet_duet::Call::<Runtime>::register_keys { key, proof }.into()
}

/// Waits until the signing set of the finalized chain has a key.
async fn in_set(node: &Node, key: &DualKeyBytes) -> Result<(), NodeError> {
    loop {
        let at = node.finalized().await?;
        if node.current_keys(at).await?.contains(key) {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Signs with an in-memory secret.
type Sign = Box<dyn Fn(&[u8]) -> MultiSignature>;

/// An account with its secret, which is wiped on drop.
struct Account {
    id: AccountId,
    sign: Sign,
}

impl Account {
    fn of_uri(uri: &str, scheme: CryptoScheme) -> Result<Self, DuetKeyError> {
        match scheme {
            CryptoScheme::Sr25519 => Self::of::<sr25519::Pair>(uri),
            CryptoScheme::Ed25519 => Self::of::<ed25519::Pair>(uri),
            CryptoScheme::Ecdsa => Self::of::<ecdsa::Pair>(uri),
        }
    }

    fn of<P>(uri: &str) -> Result<Self, DuetKeyError>
    where
        P: Pair + 'static,
        MultiSigner: From<P::Public>,
        MultiSignature: From<P::Signature>,
    {
        // The SDK's error may repeat parts of the URI.
        let pair = P::from_string(uri, None).map_err(|_| DuetKeyError::AccountUri)?;
        Ok(Self {
            id: MultiSigner::from(pair.public()).into_account(),
            sign: Box::new(move |bytes| MultiSignature::from(pair.sign(bytes))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use codec::Compact;
    use duet_runtime::RuntimeEvent;
    use frame_system::{EventRecord, Phase};
    use jsonrpsee::{
        server::{RpcModule, Server, ServerHandle},
        types::ErrorObjectOwned,
        SubscriptionMessage,
    };
    use serde_json::{json, Value};
    use sp_runtime::DispatchError;
    use std::sync::Mutex;

    const GENESIS: H256 = H256::repeat_byte(1);
    const BLOCK: H256 = H256::repeat_byte(2);
    const KEY: DualKeyBytes = DualKeyBytes([7; 144]);

    /// The chain's answers after the transaction.
    struct Chain {
        events: Vec<u8>,
        registered: DualKeyBytes,
        transaction: Mutex<Value>,
    }

    type Answer = Result<Value, ErrorObjectOwned>;

    /// A node of a chain that includes every transaction in one final block.
    async fn node(events: Vec<u8>, registered: DualKeyBytes) -> (ServerHandle, Node) {
        let mut module = RpcModule::new(Chain {
            events,
            registered,
            transaction: Mutex::default(),
        });
        let mut method = |name: &'static str, answer: fn(&Chain) -> Value| {
            module
                .register_method(name, move |_, chain, _| -> Answer { Ok(answer(chain)) })
                .expect("a name is used once");
        };
        method("chain_getBlockHash", |_| json!(GENESIS));
        method("system_accountNextIndex", |_| json!(0));
        method(
            "chain_getBlock",
            |chain| json!({ "block": { "extrinsics": [*chain.transaction.lock().expect("not poisoned")] } }),
        );
        method("state_getStorage", |chain| {
            json!(Bytes(chain.events.clone()))
        });
        method("state_call", |chain| {
            json!(Bytes(Some(chain.registered).encode()))
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

    /// The outcome of `rotate`.
    async fn registers(events: Vec<u8>, registered: DualKeyBytes) -> Result<H256, NodeError> {
        let (_running, node) = node(events, registered).await;
        let signer = Account::of_uri("//Alice", CryptoScheme::Sr25519).expect("well known");
        let account = signer.id.to_string();
        let rotate = RotateCmd::parse_from(["rotate", "--dev", "--account", &account]);
        let call = call(KEY, PossessionProof([0; PossessionProof::LEN]));
        let payload = |nonce| extrinsic::payload(call, nonce, GENESIS, 1);
        rotate.submit(&node, &signer, KEY, payload).await
    }

    fn failed() -> Vec<u8> {
        let event = frame_system::Event::<Runtime>::ExtrinsicFailed {
            dispatch_error: DispatchError::BadOrigin,
            dispatch_info: Default::default(),
        };
        let record = EventRecord::<RuntimeEvent, H256> {
            phase: Phase::ApplyExtrinsic(0),
            event: event.into(),
            topics: Vec::new(),
        };
        vec![record].encode()
    }

    #[tokio::test]
    async fn the_events_of_the_block_say_whether_the_registration_succeeded() {
        let none = Vec::<u8>::new().encode();
        assert_eq!(registers(none, KEY).await.expect("it succeeded"), BLOCK);
        let error = registers(failed(), KEY).await.expect_err("it failed");
        assert!(
            matches!(error, NodeError::Failed { block, .. } if block == BLOCK),
            "{error}"
        );
    }

    /// One event of a pallet that this executable does not know.
    #[tokio::test]
    async fn where_a_newer_runtimes_events_cannot_be_read_the_registered_key_says_it() {
        let newer = || (Compact(1_u32), Phase::ApplyExtrinsic(0), u8::MAX).encode();
        assert_eq!(
            registers(newer(), KEY).await.expect("the key is there"),
            BLOCK
        );
        let other = DualKeyBytes([8; 144]);
        let error = registers(newer(), other)
            .await
            .expect_err("another key is registered");
        assert!(matches!(error, NodeError::Decode { .. }), "{error}");
    }
}
