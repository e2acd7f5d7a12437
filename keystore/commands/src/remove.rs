//! `duet-key remove`: deletes a key's file when the chain no longer needs the key.

use crate::{
    args::{self, ChainGenesisArgs, KeyDirectoryArgs},
    error::DuetKeyError,
    needed::StillNeeded,
    report::Report,
    rpc::{self, decode, Node, NodeError},
};
use codec::{Decode, Encode};
use duet_finality::rpc::Health;
use duet_keystore::Signer;
use duet_primitives::{DualKeyBytes, Pk1Bytes, SetId, UncheckedJustification, H256};
use jsonrpsee::rpc_params;
use pallet_duet::KeyStatus;
use sc_cli::{OutputTypeFlag, SubstrateCli};
use serde_json::Value;
use sp_core::{crypto::AccountId32, Bytes};
use sp_io::hashing::{blake2_128, twox_128};

/// The `remove` command.
#[derive(Debug, Clone, clap::Parser)]
pub struct RemoveCmd {
    /// The key, 0x-hex of 144 bytes.
    #[arg(long, value_name = "HEX", value_parser = args::dual_key)]
    public: DualKeyBytes,

    /// A trusted, running node of the chain, to ask whether the key is still needed: ws:// or wss://. The node that
    /// has the key must be stopped.
    #[arg(long, value_name = "URL", required_unless_present = "force_offline", value_parser = duet_process::ws_url)]
    url: Option<String>,

    /// Ask no node. A key that a set still contains can then no longer sign: its validator is missing, and if a third
    /// of a set or more are missing, no proof can ever come again.
    #[arg(long, conflicts_with = "url")]
    force_offline: bool,

    #[command(flatten)]
    genesis: ChainGenesisArgs,

    #[command(flatten)]
    directory: KeyDirectoryArgs,

    #[command(flatten)]
    output: OutputTypeFlag,
}

impl RemoveCmd {
    pub(crate) fn run(&self, cli: &impl SubstrateCli) -> Result<(), DuetKeyError> {
        // First, because it fails at once when the node with the key still runs.
        let store = self.directory.open_existing_to_sign(cli)?;
        let pk1 = self.public.pk1();
        if !store.keys()?.contains(&self.public) {
            return Err(DuetKeyError::NoSuchKey(pk1));
        }
        if let Some(url) = &self.url {
            let genesis = self.genesis.hash(cli, &self.directory.chain)?;
            rpc::run(check_unneeded(url, genesis, &self.public))?;
        }
        let path = store.ring().path_of(&pk1).unwrap_or_default();
        store.remove(&pk1)?;
        Report::new()
            .key(&self.public)
            .line("Removed", "removed", path.display())
            .print(&self.output)
    }
}

/// The pallet's entry for a key, on a chain whose validators are accounts.
#[derive(Decode, Encode)]
struct KeyOwner {
    validator: AccountId32,
    account: AccountId32,
    status: KeyStatus,
}

/// The storage key of that entry.
fn owner_key(key: &Pk1Bytes) -> Vec<u8> {
    let key = key.encode();
    let (pallet, map) = (twox_128(b"Duet"), twox_128(b"KeyOwners"));
    [&pallet[..], &map, &blake2_128(&key), &key].concat()
}

/// Asks a node whether the chain still needs a key.
///
/// # Errors
/// [`StillNeeded`] with the reason, or the reason why the node gave no answer.
async fn check_unneeded(url: &str, genesis: H256, key: &DualKeyBytes) -> Result<(), DuetKeyError> {
    let node = Node::connect(url, genesis).await?;
    check_synced(&node).await?;
    let at = node.finalized().await?;
    let owner: Option<KeyOwner> = node.stored(owner_key(&key.pk1()), at).await?;
    let last = match owner {
        Some(KeyOwner {
            account,
            status: KeyStatus::Fresh | KeyStatus::Enlisted,
            ..
        }) => return Err(StillNeeded::Registered { account }.into()),
        Some(KeyOwner {
            status: KeyStatus::Retired { last_set },
            ..
        }) => Some(last_set),
        // The key was never in a set, or so long ago that the chain has forgotten it.
        None => None,
    };
    if let Some(sets) = node.keysets(at).await? {
        let signing = sets.current.id;
        if node.current_keys(at).await?.contains(key) {
            return Err(StillNeeded::Signs { set: signing }.into());
        }
        let next: Vec<DualKeyBytes> = node.call("DuetApi_next_keys", (), at).await?;
        let last = last.or(next.contains(key).then_some(sets.next.id));
        if let Some(last) = last.filter(|last| signing <= *last) {
            return Err(StillNeeded::Planned { signing, last }.into());
        }
    }
    match last {
        Some(last) => check_proven(&node, last).await,
        None => Ok(()),
    }
}

async fn check_synced(node: &Node) -> Result<(), DuetKeyError> {
    let (method, what) = ("system_health", "isSyncing");
    let health: Value = node.ask(method, rpc_params![]).await?;
    match health.get(what).and_then(Value::as_bool) {
        Some(false) => Ok(()),
        Some(true) => Err(StillNeeded::Syncing.into()),
        None => Err(NodeError::Lacks { method, what }.into()),
    }
}

/// Whether Duet has proven the set's handoff, or any later block.
async fn check_proven(node: &Node, last: SetId) -> Result<(), DuetKeyError> {
    let health: Health = node.ask("duet_health", rpc_params![]).await?;
    let proven = health.best_proven;
    if let Some(block) = proven {
        let method = "duet_getJustification";
        let proof: Option<Bytes> = node.ask(method, rpc_params![block]).await?;
        let proof = proof
            .map(|bytes| decode::<UncheckedJustification>(method, &bytes))
            .transpose()?;
        // If the set does not change, its successor is the set itself.
        if proof.is_some_and(|proof| proof.commitment.next.id > last) {
            return Ok(());
        }
    }
    Err(StillNeeded::Unproven { last, proven }.into())
}

#[cfg(test)]
#[path = "remove_tests.rs"]
mod tests;
