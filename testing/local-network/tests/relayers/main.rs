//! Two networks of real nodes that follow each other, anvil with the contract, and a relayer for each of the three.
//!
//! `cargo xtask relay` runs it, after it has built the relayer and the contracts.

// Parts of the other scenarios, of which this one needs a few.
#[allow(dead_code)]
#[path = "../network/client.rs"]
mod client;
#[path = "../network/lost_keys.rs"]
mod lost_keys;
#[path = "../network/owners.rs"]
mod owners;
mod recovery;
#[allow(dead_code)]
#[path = "../network/support.rs"]
mod support;

use duet_local_network::{
    bridge,
    bridged::{Bridged, Route, PAYER},
    messages,
    relayer::CONTRACT,
    staking::register_new_key,
    transaction::free_balance,
    wait, Interrupt, Network, Result, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::SetId;
use duet_runtime::Balance;
use serde_json::Value;
use std::time::Duration;
use tokio::{sync::mpsc, task::JoinHandle};

/// What each network has to say to the other one.
const MESSAGES: [&str; 3] = [
    "one",
    "two",
    "a third message, longer than a hash, so that the trie has a node for it",
];

/// How long the networks may take for what takes some sessions.
const SOME_SESSIONS: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread")]
async fn relayers_bring_every_set_and_message_through_two_changes_and_a_kill_and_pay_for_what_is_taken(
) {
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    tokio::select! {
        () = scenario() => {}
        () = interrupt.next() => std::process::exit(130),
    }
}

async fn scenario() {
    let world = World::start().await;
    let before = world.balances().await;
    let relayers = world.relayers();
    world.change_sets().await;
    let relayers = world.is_followed(SetId::new(1), relayers).await;

    // The second change happens while no relayer runs.
    for relayer in relayers {
        relayer.kill().await;
    }
    // Handoffs are free, and so is one header in a session.
    assert_eq!(world.balances().await, before);
    for rpc in &world.rpcs {
        for message in MESSAGES {
            let posted = messages::post(rpc, message).await;
            posted.expect("it waits for a relayer");
        }
    }
    world.change_sets().await;
    for rpc in &world.rpcs {
        let handoffs = || rpc.handoffs(SetId::new(1));
        let second = |count: &usize| *count > 0;
        wait::until("the second handoff", SOME_SESSIONS, handoffs, second)
            .await
            .expect("the set changes again");
    }
    let relayers = world.relayers();
    let relayers = world.is_followed(SetId::new(2), relayers).await;

    let relayers = world.messages_are_known_to_be_received(relayers).await;

    // What was paid for is what was taken.
    let paid = |route| {
        let relayer = relayers.iter().find(|relayer| relayer.route == route);
        relayer.expect("there is one for each route").paid
    };
    let [first, second] = world.balances().await;
    assert_eq!(before[0] - first, paid(Route::SecondToFirst));
    assert_eq!(before[1] - second, paid(Route::FirstToSecond));
    for relayer in relayers {
        relayer.kill().await;
    }
}

struct World {
    bridged: Bridged,
    rpcs: [Rpc; 2],
}

impl World {
    async fn start() -> Self {
        let start = |validators| Network::builder().validators(validators).start();
        let (first, second) = tokio::join!(start(4), start(2));
        let [first, second] = [first, second].map(|network| network.expect("the network starts"));
        let bridged = Bridged::start(first, second, CONTRACT).await;
        let bridged = bridged.expect("they follow each other");
        let [first, second] = bridged.networks();
        let rpcs = [
            first.node(0).rpc().await.expect("it answers"),
            second.node(0).rpc().await.expect("it answers"),
        ];
        Self { bridged, rpcs }
    }

    fn relayers(&self) -> [Running; 3] {
        Route::ALL.map(|route| Running::start(&self.bridged, route))
    }

    /// A validator of each network registers another key.
    async fn change_sets(&self) {
        for network in self.bridged.networks() {
            let rpc = network.node(1).rpc().await.expect("it answers");
            register_new_key(&rpc, DEVELOPMENT_ACCOUNTS[1])
                .await
                .expect("the transaction succeeds");
        }
    }

    /// Waits until each relayer has brought the handoff to this set, and both pallets know it.
    async fn is_followed(&self, set: SetId, mut relayers: [Running; 3]) -> [Running; 3] {
        for relayer in &mut relayers {
            let brought = async {
                while relayer.newest_set < set {
                    relayer.next_submission().await;
                }
                Ok(())
            };
            wait::at_most("a handoff to be brought", SOME_SESSIONS, brought)
                .await
                .expect("the relayer brings it");
        }
        for rpc in &self.rpcs {
            let followed = bridge::followed(rpc).await.expect("it answers");
            let next = followed.expect("it follows a chain").keysets.next.id;
            assert!(
                next >= set,
                "set {next} is known, and set {set} was brought"
            );
        }
        relayers
    }

    /// Waits until both networks have received all messages of the other one, and know that theirs were received.
    async fn messages_are_known_to_be_received(&self, mut relayers: [Running; 3]) -> [Running; 3] {
        let last = u64::try_from(MESSAGES.len()).expect("few");
        for relayer in &mut relayers {
            if relayer.route == Route::FirstToEvm {
                continue;
            }
            let brought = async {
                while relayer.message < last || relayer.confirmed < last {
                    relayer.next_submission().await;
                }
                Ok(())
            };
            wait::at_most("messages and confirmations", SOME_SESSIONS, brought)
                .await
                .expect("the relayer brings them");
        }
        for rpc in &self.rpcs {
            for (nonce, message) in (1..).zip(MESSAGES) {
                let received = messages::received(rpc, nonce).await.expect("it answers");
                assert_eq!(received.as_deref(), Some(message));
            }
        }
        relayers
    }

    async fn balances(&self) -> [Balance; 2] {
        let account = PAYER.to_account_id();
        let balance =
            async |rpc: &Rpc| -> Result<Balance> { free_balance(rpc, &account, None).await };
        let [first, second] = self.rpcs.each_ref();
        [
            balance(first).await.expect("it answers"),
            balance(second).await.expect("it answers"),
        ]
    }
}

/// A relayer, and what it has submitted. All that it submits has to be taken.
struct Running {
    submitted: mpsc::UnboundedReceiver<Value>,
    reading: JoinHandle<()>,
    route: Route,
    newest_set: SetId,
    /// The last message that it has brought, and the last of which it has brought the news that it was received.
    message: u64,
    confirmed: u64,
    paid: Balance,
}

impl Running {
    fn start(bridged: &Bridged, route: Route) -> Self {
        let mut relayer = bridged.relayer(route, &[]).expect("it starts");
        let (sender, submitted) = mpsc::unbounded_channel();
        let reading = tokio::spawn(async move {
            while let Ok(event) = relayer.next_event().await {
                println!("{route}: {event}");
                if event["event"] == "submitted" && sender.send(event).is_err() {
                    break;
                }
            }
        });
        Self {
            submitted,
            reading,
            route,
            newest_set: SetId::FIRST,
            message: 0,
            confirmed: 0,
            paid: 0,
        }
    }

    async fn next_submission(&mut self) {
        let event = self.submitted.recv().await.expect("the relayer runs");
        assert_eq!(event["result"], "taken", "{event}");
        let paid = event["paid"]
            .as_str()
            .and_then(|paid| paid.parse::<Balance>().ok());
        self.paid += paid.expect("each submission says what was paid");
        self.message = event["last_message"].as_u64().unwrap_or(self.message);
        self.confirmed = event["confirmed_message"]
            .as_u64()
            .unwrap_or(self.confirmed);
        if let Some(set) = event["next_set"].as_u64() {
            self.newest_set = self.newest_set.max(SetId::new(set));
        }
    }

    /// Kills it at whatever it does, and looks at what it has submitted.
    async fn kill(mut self) {
        self.reading.abort();
        let _ = (&mut self.reading).await;
        while let Ok(event) = self.submitted.try_recv() {
            assert_eq!(event["result"], "taken", "{event}");
        }
    }
}
