//! `tx`: whether a final block has a transaction, from its extrinsics. (STATE-4)

use crate::support::{checkpoint_file, hex, urls, Finished, Host, Program};
use codec::{Compact, Encode};
use duet_light_client::{Checkpoint, Mode, Trusted};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, H256};
use jsonrpsee::{server::RpcModule, types::ErrorObject};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};

const NUMBER: u32 = 7;

/// A block, the checkpoint that names it, and a node that has it and nothing else.
struct World {
    header: Value,
    hash: H256,
    extrinsics: Vec<Vec<u8>>,
    checkpoint: tempfile::NamedTempFile,
}

fn header(extrinsics_root: H256) -> Vec<u8> {
    let (parent, state) = (H256::repeat_byte(1), H256::repeat_byte(2));
    let no_digest = Compact(0_u8);
    (parent, Compact(NUMBER), state, extrinsics_root, no_digest).encode()
}

fn checkpoint(header: &[u8]) -> Checkpoint {
    Checkpoint {
        genesis_hash: H256::repeat_byte(1),
        block_number: BlockNumber::new(NUMBER),
        block_hash: Blake2Hasher::hash(header),
        keysets: Keysets::without_successor(TestSet::new(0, 0..4).set.commitment().clone()),
    }
}

impl World {
    fn new() -> Self {
        let extrinsics: Vec<_> = (1..6_u8)
            .map(|index| vec![index; 30 * usize::from(index)].encode())
            .collect();
        // The refusal of a header with another root names the right one; the library's own tests have a judge for it.
        let zero = header(H256::zero());
        let trusted = Trusted::from_checkpoint(checkpoint(&zero), Mode::Stateless);
        let block = trusted.expect("a good checkpoint").best_block();
        let wrong = block.header(&zero).expect("its header");
        let root = wrong.body(&extrinsics).expect_err("zero is no root");

        let bytes = header(root.version_0);
        let checkpoint = checkpoint_file(&checkpoint(&bytes));
        let header = json!({
            "parentHash": H256::repeat_byte(1),
            "number": format!("{NUMBER:#x}"),
            "stateRoot": H256::repeat_byte(2),
            "extrinsicsRoot": root.version_0,
            "digest": { "logs": [] },
        });
        Self {
            header,
            hash: Blake2Hasher::hash(&bytes),
            extrinsics,
            checkpoint,
        }
    }

    /// A node that gives these extrinsics for the block, or none.
    async fn node(&self, extrinsics: Option<Vec<Vec<u8>>>) -> Host {
        let mut module = RpcModule::new(());
        let mut answer = |method: &'static str, answer: Value| {
            let result = module.register_method(method, move |_, _, _| answer.clone());
            result.expect("no method twice");
        };
        answer("chain_getBlockHash", json!(H256::repeat_byte(1)));
        let bodies = extrinsics.map(|all| all.iter().map(|bytes| hex(bytes)).collect::<Vec<_>>());
        let block = bodies.map(|extrinsics| {
            json!({ "block": { "header": self.header, "extrinsics": extrinsics }, "justifications": null })
        });
        answer("chain_getBlock", json!(block));
        let (own, hash) = (self.header.clone(), self.hash);
        let headers = module.register_method("chain_getHeader", move |params, _, _| {
            let asked = params.one::<H256>();
            asked.is_ok_and(|asked| asked == hash).then(|| own.clone())
        });
        headers.expect("no method twice");
        let nothing_yet = |_: jsonrpsee::types::Params<'_>, _: &(), _: &_| {
            Err::<Value, _>(ErrorObject::owned(9001, "not yet", None::<()>))
        };
        let result = module.register_method("duet_getFinalizedHead", nothing_yet);
        result.expect("no method twice");
        Host::start(module).await
    }

    async fn ask(&self, hash: H256, nodes: &[&Host], more: &str) -> Finished {
        let path = self.checkpoint.path().display();
        let urls = urls(nodes.iter().map(|node| &node.url));
        let line = format!(
            "tx {hash:?} --at 7 --stateless --trust-old-start --checkpoint {path}{urls} {more}"
        );
        Program::run(&line).await
    }
}

/// STATE-4.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_is_shown_with_its_block_its_place_and_its_bytes() {
    let world = World::new();
    let node = world.node(Some(world.extrinsics.clone())).await;
    let sizes: usize = world.extrinsics.iter().map(Vec::len).sum();
    for (index, bytes) in world.extrinsics.iter().enumerate() {
        let hash = Blake2Hasher::hash(bytes);
        let finished = world.ask(hash, &[&node], "--json").await.expect_code(0);
        let answer = finished.named("transaction").remove(0);
        assert_eq!(
            (&answer["block"], &answer["included"], &answer["index"]),
            (&7.into(), &true.into(), &index.into())
        );
        assert_eq!(
            (&answer["transaction"], &answer["value"], &answer["url"]),
            (&json!(hash), &json!(hex(bytes)), &json!(node.url))
        );
        // The header, and all extrinsics.
        assert_eq!(answer["proof_bytes"], 98 + sizes);
    }
    let first = Blake2Hasher::hash(&world.extrinsics[0]);
    let people = world.ask(first, &[&node], "").await.expect_code(0);
    assert!(
        people
            .stdout
            .starts_with(&format!("transaction  {first:?}\nblock        7  0x")),
        "{}",
        people.stdout
    );
    // It has no state.
    let end = "Whether its call succeeded is not proven: the endpoint has no header of";
    assert!(people.stdout.contains(end), "{}", people.stdout);
}

/// STATE-4. That a block does not have it is proven too, and is an answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_is_not_in_the_block_is_an_answer() {
    let world = World::new();
    let node = world.node(Some(world.extrinsics.clone())).await;
    let other = H256::repeat_byte(9);
    let finished = world.ask(other, &[&node], "--json").await.expect_code(0);
    let answer = finished.named("transaction").remove(0);
    assert_eq!(
        (&answer["included"], &answer["index"], &answer["value"]),
        (&false.into(), &Value::Null, &Value::Null)
    );
    let people = world.ask(other, &[&node], "").await.expect_code(0);
    assert!(people.stdout.contains("does not have the transaction"));
}

/// STATE-4. Whoever changes, leaves out or adds an extrinsic is named, and the next one is asked.
#[tokio::test(flavor = "multi_thread")]
async fn changed_extrinsics_are_refused_and_the_next_endpoint_is_asked() {
    let world = World::new();
    let honest = world.node(Some(world.extrinsics.clone())).await;
    let mut flipped = world.extrinsics.clone();
    flipped[2][40] ^= 1;
    let fewer = world.extrinsics[..4].to_vec();
    let more = [&world.extrinsics[..], &[vec![4, 0]]].concat();
    for changed in [flipped, fewer, more] {
        let hash = Blake2Hasher::hash(changed.last().expect("not empty"));
        let liar = world.node(Some(changed)).await;
        let alone = world.ask(hash, &[&liar], "--json").await.expect_code(3);
        assert!(alone.named("transaction").is_empty());
        let both = [&liar, &honest];
        let both = world.ask(hash, &both, "--json").await.expect_code(0);
        let left = both.named("endpoint").remove(0);
        assert_eq!(
            (&left["url"], &left["verdict"], &left["rule"]),
            (&json!(liar.url), &json!("lied"), &json!("STATE-4"))
        );
        let answer = both.named("transaction").remove(0);
        assert_eq!(answer["url"], honest.url.as_str());
        assert_eq!(
            answer["included"],
            world
                .extrinsics
                .iter()
                .any(|bytes| Blake2Hasher::hash(bytes) == hash)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_the_extrinsics_lacks_them_and_lies_about_nothing() {
    let world = World::new();
    let node = world.node(None).await;
    let hash = H256::repeat_byte(9);
    let finished = world.ask(hash, &[&node], "--json").await.expect_code(6);
    assert_eq!(finished.named("endpoint")[0]["verdict"], "incomplete");
    let message = finished.message();
    assert!(
        message.contains("--blocks-pruning") && !message.contains("checkpoint"),
        "{message}"
    );
}
