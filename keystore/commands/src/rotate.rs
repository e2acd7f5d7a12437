//! `duet-key rotate`: a new key for a validator, without a gap. The old key stays in place and signs until a set with
//! the new key takes over.

use crate::{
    account::Account,
    args::{self, ChainArgs, ChainGenesisArgs},
    error::DuetKeyError,
    report::Report,
    rpc::{self, at_most, decode, Node, NodeError},
    transaction::Format,
};
use codec::Encode;
use duet_finality::rpc::GeneratedKeys;
use duet_primitives::{DualKeyBytes, PossessionProof, H256};
use jsonrpsee::rpc_params;
use sc_cli::{utils::read_uri, CryptoSchemeFlag, OutputTypeFlag, SubstrateCli};
use sp_core::{crypto::AccountId32, Bytes};
use std::time::Duration;
use zeroize::Zeroizing;

/// How often the signing set is polled.
const PAUSE: Duration = Duration::from_secs(6);

/// The `rotate` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct RotateCmd {
    /// The account that the key is for, SS58 or 0x-hex: the validator's stash.
    #[arg(long, value_parser = args::account)]
    account: AccountId32,

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
            rpc::run(self.print(genesis))?
        } else {
            // Before the node makes a key.
            let uri = Zeroizing::new(read_uri(self.suri.as_ref())?);
            let signer =
                Account::of_uri(&uri, self.scheme.scheme).ok_or(DuetKeyError::AccountUri)?;
            if signer.id != self.account {
                return Err(DuetKeyError::OtherAccount {
                    expected: self.account.clone(),
                    got: signer.id,
                });
            }
            rpc::run(self.register(genesis, &signer))?
        };
        report.print(&self.output)
    }

    async fn print(&self, genesis: H256) -> Result<Report, DuetKeyError> {
        let node = Node::connect(&self.url, genesis).await?;
        // Before the node makes a key.
        let format = node.format(genesis, node.finalized().await?).await?;
        let (key, proof) = self.key(&node).await?;
        let call = format
            .register_keys(&key, &proof)
            .map_err(NodeError::from)?;
        Ok(Report::new()
            .line("Account", "account", &self.account)
            .key(&key)
            .line("Call", "call", format!("0x{}", hex::encode(call))))
    }

    async fn register(&self, genesis: H256, signer: &Account) -> Result<Report, DuetKeyError> {
        let node = Node::connect(&self.url, genesis).await?;
        let before = node.finalized().await?;
        // Before the node makes a key.
        let format = node.format(genesis, before).await?;
        let old = node.registered_key(&self.account, before).await?;
        let (key, proof) = self.key(&node).await?;
        let registered = self.submit(&node, &format, signer, (&key, &proof)).await;
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

    /// Registers a key. Returns the final block in which it was done.
    async fn submit(
        &self,
        node: &Node,
        format: &Format,
        signer: &Account,
        (key, proof): (&DualKeyBytes, &PossessionProof),
    ) -> Result<H256, NodeError> {
        let method = "system_accountNextIndex";
        let nonce: u64 = node.ask(method, rpc_params![&self.account]).await?;
        let transaction = format.sign(&format.register_keys(key, proof)?, nonce, signer)?;
        let final_block = node.submit(&transaction);
        let block = at_most("the registration in a final block", self.wait, final_block).await?;
        node.check_success(format, block, &transaction).await?;
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

#[cfg(test)]
#[path = "rotate_tests.rs"]
mod tests;
