//! What the scenarios share.

use duet_local_network::{
    wait, Error, Executables, Interrupt, LightClient, Network, Node, Result, Rpc,
    DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::{
    BlockNumber, Commitment, CommitmentPayload, DualKeyBytes, Keyset, Keysets, Participation,
    Pk1Bytes, SetId, SignerIndex, UncheckedJustification, H256,
};
use duet_runtime::{constants::SESSION_BLOCKS, AccountId};
use jsonrpsee::rpc_params;
use sp_core::Bytes;
use sp_io::hashing::twox_128;
use std::{future::Future, path::Path, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    process::Command,
    sync::Semaphore,
    time::timeout,
};

/// How long the network may take for what it does every few blocks.
pub(crate) const SOON: Duration = Duration::from_secs(60);
/// How long that takes at most where a validator that has only just come back is needed. It asks one peer for the rounds of GRANDPA that
/// it missed. When that peer is killed before it answers, the SDK asks no other one for 45 s, and then only one that tells its round:
/// each does so every two minutes while nothing becomes final.
const REJOINED: Duration = Duration::from_secs(240);
/// How long it may take for what takes some sessions.
pub(crate) const SOME_SESSIONS: Duration = Duration::from_secs(180);

/// How long a node may take for what it does once a minute.
pub(crate) const NEXT_MINUTE: Duration = Duration::from_secs(90);

/// The networks at a time. Nodes mostly wait for the next slot.
static PLACES: Semaphore = Semaphore::const_new(5);

/// Plays a scenario when there is a place for its network. When it is interrupted, its network ends before the
/// program does.
pub(crate) async fn scenario(play: impl Future<Output = ()>) {
    scenario_of(1, play).await;
}

/// The same for a scenario of so many networks.
pub(crate) async fn scenario_of(networks: u32, play: impl Future<Output = ()>) {
    let places = PLACES.acquire_many(networks).await;
    let _places = places.expect("the places stay open");
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    let is_interrupted = tokio::select! {
        () = play => false,
        () = interrupt.next() => true,
    };
    if is_interrupted {
        std::process::exit(130);
    }
}

/// Gives a validator a new key by `duet-key rotate` of its chain's own node.
pub(crate) async fn rotates_key(executable: &Path, network: &Network, validator: usize) {
    let account = DEVELOPMENT_ACCOUNTS[validator];
    let genesis = rpc(network, validator).await.genesis_hash().await;
    let genesis = format!("{:?}", genesis.expect("there is a genesis"));
    let mut rotate = Command::new(executable);
    rotate
        .args(["duet-key", "rotate", "--genesis", &genesis])
        .args(["--account", &account.to_account_id().to_string()])
        .args(["--suri", &account.to_seed()])
        .args(["--url", &network.node(validator).url()])
        .kill_on_drop(true);
    let ran = timeout(SOON, rotate.output()).await;
    let ran = ran.expect("the registration becomes final");
    let ran = ran.expect("the command runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
}

/// Four validators that have just started.
pub(crate) async fn network_of_four() -> Network {
    let network = Network::builder().validators(4).start().await;
    network.expect("the network starts")
}

/// Four validators that have proven a block.
pub(crate) async fn network_that_proves() -> Network {
    let network = network_of_four().await;
    let rpc = rpc(&network, 0).await;
    proven_beyond(&rpc, BlockNumber::new(0))
        .await
        .expect("the first proof");
    network
}

pub(crate) async fn rpc(network: &Network, node: usize) -> Rpc {
    network
        .node(node)
        .rpc()
        .await
        .expect("a running node answers")
}

/// The value of a metric without labels but the chain's, as the node prints it.
pub(crate) async fn metric(node: &Node, name: &str) -> Result<String> {
    let port = node.metrics_port().expect("every node shows its metrics");
    let read = async {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let request = b"GET /metrics HTTP/1.0\r\n\r\n";
        stream.write_all(request).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        Ok(text)
    };
    let text: std::io::Result<String> = read.await;
    let text = text.map_err(|error| Error::Io {
        what: "reading metrics".to_owned(),
        error,
    })?;
    let line = text.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.rsplit_once(' '));
    Ok(value.map_or_else(String::new, |(_, value)| value.to_owned()))
}

/// Waits until a node's log says this.
pub(crate) async fn is_in_the_log(node: &Node, text: &str) {
    let log = node.log();
    let read = || async { Ok(std::fs::read_to_string(&log).expect("the node has a log")) };
    wait::until(text, NEXT_MINUTE, read, |log| log.contains(text))
        .await
        .expect("the operator is told");
}

/// Waits until a node has a proof of a later block than this.
pub(crate) async fn proven_beyond(rpc: &Rpc, block: BlockNumber) -> Result<BlockNumber> {
    proven_within(SOON, rpc, block).await
}

pub(crate) async fn proven_within(
    limit: Duration,
    rpc: &Rpc,
    block: BlockNumber,
) -> Result<BlockNumber> {
    let what = format!("a proof of a block after {block}");
    wait::until(&what, limit, || rpc.proven(), |proven| *proven > block).await
}

/// Waits until a node has the handoff proofs of so many sets, from the first on, and no more.
pub(crate) async fn has_handoffs(node: &Rpc, count: usize) {
    let ask = || node.handoffs(SetId::FIRST);
    wait::until("handoffs", SOME_SESSIONS, ask, |got| *got == count)
        .await
        .expect("the next set takes over");
}

/// One of four is away, so that the vote of each other one is needed, and comes.
pub(crate) async fn a_session_is_proven_without(network: &mut Network, away: usize) {
    network.node_mut(away).kill().expect("it can be killed");
    let other = (0..4).find(|node| *node != away).expect("there are four");
    let other = rpc(network, other).await;
    let proven = other.proven().await.expect("it has proofs");
    proven_within(REJOINED, &other, proven.saturating_add(SESSION_BLOCKS))
        .await
        .expect("three of four prove");
    network.restart(away).await.expect("it starts");
}

/// The sets at a block, or at the best one.
pub(crate) async fn keysets(rpc: &Rpc, at: Option<H256>) -> Keysets {
    let asked: Option<Keysets> = rpc
        .call_runtime("DuetApi_keysets", &[], at)
        .await
        .expect("the API answers");
    asked.expect("there are sets")
}

/// What a set would stand for if it were made now.
pub(crate) async fn participation(rpc: &Rpc) -> Participation<AccountId> {
    let asked = rpc.call_runtime("DuetApi_participation", &[], None).await;
    asked.expect("the API answers")
}

/// The set that signs at a block, and its keys, as the chain has them.
pub(crate) async fn signing_set(rpc: &Rpc, block: H256) -> Keyset {
    let signing = keysets(rpc, Some(block)).await.current;
    let keys: Vec<DualKeyBytes> = rpc
        .call_runtime("DuetApi_current_keys", &[], Some(block))
        .await
        .expect("the API answers");
    let keys: Vec<Pk1Bytes> = keys.iter().map(DualKeyBytes::pk1).collect();
    Keyset::check(&signing, &keys).expect("the chain is sound")
}

/// The position of a key in a set.
pub(crate) fn position(set: &Keyset, key: &DualKeyBytes) -> SignerIndex {
    set.position(&key.pk1()).expect("the key is in the set")
}

/// What the validators sign about a block of the chain.
pub(crate) async fn commitment_of(
    rpc: &Rpc,
    number: BlockNumber,
    hash: H256,
) -> Result<Commitment> {
    let function = "DuetApi_commitment_payload";
    let payload: Option<CommitmentPayload> = rpc.call_runtime(function, &[], Some(hash)).await?;
    Ok(payload.expect("the chain has sets").commit(number, hash))
}

/// What is true of a block, as soon as it is final.
pub(crate) async fn is_final(alice: &Rpc, number: BlockNumber) -> Commitment {
    let finalized = |now: &BlockNumber| *now >= number;
    wait::until("finality", SOON, || alice.finalized(), finalized)
        .await
        .expect("blocks become final");
    let hash = alice.block_hash(number).await.expect("it is there");
    let said = commitment_of(alice, number, hash).await;
    said.expect("the chain has sets")
}

/// Fails unless the proof holds and is for a block of the chain.
pub(crate) async fn assert_holds(rpc: &Rpc, genesis: H256, proof: UncheckedJustification) {
    let (number, hash) = (proof.commitment.block_number, proof.commitment.block_hash);
    assert_eq!(
        rpc.block_hash(number).await.expect("the block is there"),
        hash,
        "block {number}"
    );
    let set = signing_set(rpc, hash).await;
    proof
        .check(&set, genesis)
        .expect("a proof that a node gives out holds");
}

/// A light client comes from the genesis to the head of a node.
pub(crate) async fn light_client_syncs(network: &Network, node: usize, flags: &[&str]) {
    let executables = Executables::locate().expect("this program is somewhere");
    let genesis = rpc(network, node).await.genesis_hash().await;
    let genesis = genesis.expect("there is a genesis");
    let url = network.node(node).url();
    let synced = LightClient::sync(&executables, genesis, &url, flags);
    let lines = wait::at_most("a light client to sync", SOON, synced).await;
    assert!(!lines.expect("it follows the handoffs").is_empty());
}

/// The list would have a node that voted twice after its restart.
pub(crate) async fn no_offence_is_on_chain(alice: &Rpc) {
    let prefix = Bytes([twox_128(b"Offences"), twox_128(b"Reports")].concat());
    let reports: Vec<Bytes> = alice
        .ask("state_getKeysPaged", rpc_params![prefix, 1])
        .await
        .expect("the node answers");
    assert!(reports.is_empty(), "somebody was reported");
}

/// Waits until the best chain has grown by this many blocks.
pub(crate) async fn author_blocks(alice: &Rpc, blocks: u32) -> BlockNumber {
    let best = alice.best().await.expect("alice has a best block");
    let grown = |now: &BlockNumber| *now >= best.saturating_add(blocks);
    wait::until("the chain to grow", SOON, || alice.best(), grown)
        .await
        .expect("blocks go on")
}
