//! The demo with relayers.

use duet_local_network::{
    bridged::{Bridged, Route},
    messages, relayer,
    staking::register_new_key,
    Network, Node, Result, DEVELOPMENT_ACCOUNTS,
};
use serde_json::Value;
use tokio::sync::mpsc;

/// Validators of the second network.
const VALIDATORS: usize = 2;

/// Starts everything, and shows what the relayers submit. A validator of each network changes its key at the
/// beginning, so that a handoff is included.
///
/// With `proofs`, ends after that many relayed proofs.
pub(crate) async fn run(first: Network, keep: bool, proofs: Option<u64>) -> Result<()> {
    println!("starting a second chain with the same runtime:");
    let second = Network::builder().validators(VALIDATORS).keep(keep);
    let tell = |node: &Node| println!("  {:8} {}", node.name(), node.url());
    let second = second.start_and_tell(tell).await?;
    let bridged = Bridged::start(first, second, relayer::CONTRACT).await?;
    println!("each chain follows the other from its genesis");
    println!(
        "anvil, an EVM chain, at {}, with the contract at {}",
        bridged.evm_url(),
        bridged.contract()
    );
    let (sender, mut events) = mpsc::unbounded_channel();
    for route in Route::ALL {
        let mut relayer = bridged.relayer(route, &[])?;
        println!("{route}: {}", relayer.command());
        let sender = sender.clone();
        tokio::spawn(async move {
            loop {
                let event = relayer.next_event().await;
                let is_over = event.is_err();
                if sender.send((route, event)).is_err() || is_over {
                    break;
                }
            }
        });
    }
    post(&bridged).await?;
    change_sets(&bridged).await?;
    let mut brought = 0;
    while proofs.is_none_or(|proofs| brought < proofs) {
        let Some((route, event)) = events.recv().await else {
            break;
        };
        let event = event?;
        if event["event"] == "submitted" {
            brought += 1;
        }
        if let Some(line) = line(&event) {
            println!("{route}: {line}");
        }
        if let Some(nonce) = event["last_message"].as_u64() {
            read(&bridged, route, nonce).await?;
        }
    }
    Ok(())
}

/// Posts a message on each network for the other one.
async fn post(bridged: &Bridged) -> Result<()> {
    for (network, name) in bridged.networks().into_iter().zip(["first", "second"]) {
        let rpc = network.node(0).rpc().await?;
        messages::post(&rpc, &format!("a message of the {name} chain")).await?;
    }
    println!("each chain has posted a message for the other");
    Ok(())
}

/// Shows an arrived message.
async fn read(bridged: &Bridged, route: Route, nonce: u64) -> Result<()> {
    let [first, second] = bridged.networks();
    let target = match route {
        Route::FirstToSecond => second,
        Route::SecondToFirst => first,
        Route::FirstToEvm => return Ok(()),
    };
    let rpc = target.node(0).rpc().await?;
    if let Some(message) = messages::received(&rpc, nonce).await? {
        println!("{route}: message {nonce} says: {message}");
    }
    Ok(())
}

/// A validator of each network registers a new key.
async fn change_sets(bridged: &Bridged) -> Result<()> {
    for network in bridged.networks() {
        let last = network.nodes().len() - 1;
        let rpc = network.node(last).rpc().await?;
        register_new_key(&rpc, DEVELOPMENT_ACCOUNTS[last]).await?;
    }
    println!("a validator of each chain has registered a new key; its set signs in a few sessions");
    Ok(())
}

/// The printed form of an event.
fn line(event: &Value) -> Option<String> {
    match event["event"].as_str()? {
        "submitted" if event["under"].is_u64() => {
            let what = match event["last_message"].as_u64() {
                Some(last) => format!("messages {} to {last}", event["first_message"]),
                None => format!("message {} is confirmed", event["confirmed_message"]),
            };
            let (result, paid) = (event["result"].as_str()?, event["paid"].as_str()?);
            Some(format!(
                "{what}, under block {}: {result}, paid {paid}",
                event["under"]
            ))
        }
        "submitted" => {
            let (block, set) = (&event["block"], &event["set"]);
            let (absent, of) = (&event["absent"], &event["of"]);
            let next = match event["next_set"].as_u64() {
                Some(next) => format!(", names set {next}"),
                None => String::new(),
            };
            let (result, paid) = (event["result"].as_str()?, event["paid"].as_str()?);
            Some(format!(
                "block {block}, signed by set {set}, {absent} of {of} absent{next}: {result}, paid {paid}"
            ))
        }
        "source" | "trouble" | "failed" => Some(event["reason"].as_str()?.to_owned()),
        _ => None,
    }
}
