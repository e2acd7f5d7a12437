//! Operators vouch for a checkpoint of a running network, and a client that knows nothing else begins from it.
//!
//! `cargo xtask test` runs it: it needs `duet-light` with the feature `vouchers`, which `cargo test` alone does not build, and
//! the command `openssl`.

use duet_local_network::{wait, Error, Executables, Interrupt, LightClient, Network, Result, Rpc};
use duet_primitives::BlockNumber;
use duet_runtime::Hash;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// How long the network may take for what it does every few blocks.
const SOON: Duration = Duration::from_secs(60);
/// The operators. The last one does not vouch.
const OPERATORS: [&str; 4] = ["alice", "bob", "charlie", "dave"];

#[tokio::test(flavor = "multi_thread")]
async fn a_client_begins_from_a_checkpoint_that_two_of_four_must_vouch_for_and_three_do() {
    let mut interrupt = Interrupt::listen().expect("signals can be listened to");
    tokio::select! {
        () = scenario() => {}
        () = interrupt.next() => std::process::exit(130),
    }
}

async fn scenario() {
    let network = Network::builder().validators(4).start().await;
    let network = network.expect("the network starts");
    let rpc = network.node(0).rpc().await.expect("it answers");
    let place = Place::new(&network, &rpc).await;

    proven_beyond(&rpc, BlockNumber::new(0)).await;
    let block = place.take_checkpoint("checkpoint.json").await;
    proven_beyond(&rpc, block).await;
    place.three_vouch(block).await;

    let vouched = place.begins("checkpoint.json", "2").await;
    assert_eq!(vouched.expect("enough vouch"), OPERATORS[..3]);
    let refused = place.begins("checkpoint.json", "4").await;
    assert_refused(refused);

    // A later checkpoint of the same network, for which nobody vouched.
    let later = place.take_checkpoint("later.json").await;
    assert!(later > block, "block {later} after block {block}");
    let refused = place.begins("later.json", "2").await;
    assert_refused(refused);
}

async fn proven_beyond(rpc: &Rpc, block: BlockNumber) {
    let what = format!("a proof of a block after {block}");
    wait::until(&what, SOON, || rpc.proven(), |proven| *proven > block)
        .await
        .expect("the network proves blocks");
}

/// The client said that too few vouch, and did nothing else.
fn assert_refused(ended: Result<Vec<String>>) {
    let Err(Error::ProgramEnded { status, .. }) = ended else {
        panic!("it was not refused: {ended:?}")
    };
    assert_eq!(status, "exit status: 7");
}

/// The files of operators and users of a network.
struct Place {
    executables: Executables,
    genesis: Hash,
    url: String,
    directory: PathBuf,
}

impl Place {
    async fn new(network: &Network, rpc: &Rpc) -> Self {
        let place = Self {
            executables: Executables::locate().expect("this program is somewhere"),
            genesis: rpc.genesis_hash().await.expect("there is a genesis"),
            url: network.node(1).url(),
            directory: network.directory().join("vouchers"),
        };
        fs::create_dir(&place.directory).expect("the network's directory is ours");
        place
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the directory is ours");
    }

    /// Follows the network to its head, and writes the checkpoint there. Its block.
    async fn take_checkpoint(&self, name: &str) -> BlockNumber {
        let state = self.path("operator.state");
        self.run("sync", &["--state", &state])
            .await
            .expect("it follows");
        let taken = LightClient::checkpoint(&self.executables, Path::new(&state)).await;
        let json = taken.expect("the state has one");
        self.write(name, &json);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let number = json["block_number"].as_u64().expect("a number");
        BlockNumber::new(u32::try_from(number).expect("a block"))
    }

    /// Alice and Bob vouch with keys in files, and Charlie with a key that only a command reads. Dave does not.
    async fn three_vouch(&self, block: BlockNumber) {
        let checkpoint = self.path("checkpoint.json");
        let mut list = String::new();
        for name in OPERATORS {
            let (key, public) = (format!("{name}.pem"), format!("{name}.pub"));
            let bits = "rsa_keygen_bits:2048";
            self.openssl(&[
                "genpkey",
                "-algorithm",
                "RSA",
                "-pkeyopt",
                bits,
                "-out",
                &key,
            ]);
            self.openssl(&["pkey", "-in", &key, "-pubout", "-out", &public]);
            let printed = self.call(&["fingerprint", &self.path(&public)]).await;
            list += &format!("{} {name}\n", printed.concat());
        }
        self.write("vouchers.txt", &list);

        let [alice, bob, charlie, _] = OPERATORS.map(|name| self.path(&format!("{name}.pem")));
        let [one, two, three] = ["one", "two", "three"].map(|name| self.path(name));
        let vouch = ["vouch", "--checkpoint", &checkpoint];
        let first = ["--key", &alice, "--output", &one];
        self.call(&[&vouch[..], &first].concat()).await;
        self.is_of_the_chain(&checkpoint, block).await;
        let second = ["--key", &bob, "--onto", &one, "--output", &two];
        self.call(&[&vouch[..], &second].concat()).await;
        let public = self.path("charlie.pub");
        let third = ["--public", &public, "--onto", &two, "--output", &three];
        let raw = "rsa_padding_mode:none";
        let sign = [
            "--", "openssl", "pkeyutl", "-decrypt", "-inkey", &charlie, "-pkeyopt", raw,
        ];
        self.call(&[&vouch[..], &third, &sign].concat()).await;
    }

    /// What an operator does before it vouches for what another one took: a later proof of its own node must follow from it, and
    /// its block must be the node's.
    async fn is_of_the_chain(&self, checkpoint: &str, block: BlockNumber) {
        let later = block.saturating_add(1).to_string();
        let flags = ["--checkpoint", checkpoint, "--until", &later];
        let synced = self.run("sync", &flags).await;
        synced.expect("its node proves a later block");
        let (at, json) = (block.to_string(), fs::read_to_string(checkpoint));
        let asked = self
            .run(
                "block",
                &["--json", "--checkpoint", checkpoint, "--at", &at],
            )
            .await;
        let answer = asked.expect("its node proves it").pop();
        let answer: Value = serde_json::from_str(&answer.expect("an answer")).expect("JSON");
        let json: Value = serde_json::from_str(&json.expect("it was written")).expect("JSON");
        assert_eq!(answer["hash"], json["block_hash"]);
    }

    /// A client without state follows two proofs from a checkpoint for which so many must vouch. Who does.
    async fn begins(&self, checkpoint: &str, require: &str) -> Result<Vec<String>> {
        let [checkpoint, three, list] =
            [checkpoint, "three", "vouchers.txt"].map(|name| self.path(name));
        let flags = [
            "--json",
            "--blocks",
            "2",
            "--checkpoint",
            &checkpoint,
            "--vouched",
            &three,
            "--vouchers",
            &list,
            "--require",
            require,
        ];
        let lines = self.run("follow", &flags).await?;
        let events: Vec<Value> = lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let proofs = events.iter().filter(|event| event["event"] == "proof");
        assert_eq!(proofs.count(), 2, "{events:?}");
        let vouched = events.iter().find(|event| event["event"] == "vouched");
        let by = vouched.and_then(|event| event["by"].as_array());
        let names = by.expect("it says who vouches").iter();
        Ok(names
            .map(|voucher| voucher["name"].as_str().expect("a name").to_owned())
            .collect())
    }

    /// A command of the light client that asks the second node.
    async fn run(&self, verb: &str, flags: &[&str]) -> Result<Vec<String>> {
        let run = LightClient::run(&self.executables, verb, self.genesis, &self.url, flags);
        wait::at_most("the light client to end", SOON, run).await
    }

    /// A command of the light client that asks no node, and succeeds.
    async fn call(&self, arguments: &[&str]) -> Vec<String> {
        let call = LightClient::call(&self.executables, arguments);
        let lines = wait::at_most("the light client to end", SOON, call).await;
        lines.unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
    }

    fn openssl(&self, arguments: &[&str]) {
        let run = Command::new("openssl")
            .args(arguments)
            .current_dir(&self.directory)
            .output();
        let output = run.expect("openssl is installed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {arguments:?}: {said}");
    }
}
