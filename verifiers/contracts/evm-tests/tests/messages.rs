//! An application that acts on messages under the client's blocks.

mod common;

use codec::Encode;
use common::{checkpoint, prove, GENESIS};
use duet_calldata::{abi, proof_bytes};
use duet_evm_tests::{topic, Called, Chain, Verdict, FORKS};
use duet_primitives::{
    testing::TestSet, BlockNumber, LeafVersion, MmrLeaf, RoundMessage, StatelessProof, H256,
};
use mmr::{leaf_index_to_pos, util::MemStore, Merge, MMR};
use revm::primitives::Address;
use sp_core::{Hasher, KeccakHasher};

const POST: &str =
    "post(uint32,bytes32,bytes32,(uint32,bytes32,bytes32,uint64,uint64,bytes32[]),(bytes,uint64,uint64,bytes32[]))";

/// The gas of a message of 32 bytes among 8, in a block among 1 000, held to within one percent.
const GAS: u64 = 85_974;

struct Nodes;

impl Merge for Nodes {
    type Item = H256;

    fn merge(left: &H256, right: &H256) -> mmr::Result<H256> {
        Ok(KeccakHasher::hash(&[left.0, right.0].concat()))
    }
}

/// What is brought to the application.
#[derive(Clone)]
struct Post {
    number: u32,
    hash: H256,
    root: H256,
    leaf: MmrLeaf,
    leaf_index: usize,
    leaf_count: usize,
    leaf_path: Vec<H256>,
    message: Vec<u8>,
    index: usize,
    count: usize,
    path: Vec<H256>,
}

fn word(number: usize) -> Vec<u8> {
    abi::word(number as u64).to_vec()
}

fn hashes(items: &[H256]) -> Vec<u8> {
    let items = items.iter().flat_map(|item| item.0);
    [word(items.clone().count() / 32), items.collect()].concat()
}

impl Post {
    fn call(&self) -> Vec<u8> {
        let about = u32::from_le_bytes(self.leaf.parent_number.encode().try_into().expect("4"));
        let leaf = [
            word(about as usize),
            self.leaf.parent_hash.0.to_vec(),
            self.leaf.extra.0.to_vec(),
            word(self.leaf_index),
            word(self.leaf_count),
            word(192),
            hashes(&self.leaf_path),
        ]
        .concat();
        let data = abi::bytes(&self.message);
        let message = [
            word(128),
            word(self.index),
            word(self.count),
            word(128 + data.len()),
            data,
            hashes(&self.path),
        ]
        .concat();
        [
            topic(POST)[..4].to_vec(),
            word(self.number as usize),
            self.hash.0.to_vec(),
            self.root.0.to_vec(),
            word(160),
            word(160 + leaf.len()),
            leaf,
            message,
        ]
        .concat()
    }
}

/// Which message of how many, in which leaf of how many.
struct Place {
    index: usize,
    count: usize,
    leaf_index: usize,
    leaf_count: usize,
}

/// Block `number` of the chain, whose range has the messages in that leaf, and what is brought about it.
fn make(
    number: u32,
    place: &Place,
    message: impl Fn(usize) -> Vec<u8>,
) -> (TestSet, StatelessProof, Post) {
    let messages: Vec<_> = (0..place.count).map(message).collect();
    let sent = binary_merkle_tree::merkle_proof::<KeccakHasher, _, _>(
        messages.clone(),
        u32::try_from(place.index).expect("few"),
    );
    let first = number - u32::try_from(place.leaf_count).expect("few");
    let leaves: Vec<_> = (first..number)
        .map(|about| MmrLeaf {
            version: LeafVersion::V0,
            parent_number: BlockNumber::new(about),
            parent_hash: H256::from_low_u64_be(about.into()),
            extra: sent.root,
        })
        .collect();
    let store = MemStore::default();
    let mut range = MMR::<_, Nodes, _>::new(0, &store);
    for leaf in &leaves {
        range
            .push(KeccakHasher::hash(&leaf.encode()))
            .expect("in memory");
    }
    let root = range.get_root().expect("it has leaves");
    let at = leaf_index_to_pos(place.leaf_index as u64);
    let path = range.gen_proof(vec![at]).expect("a leaf");

    let set = TestSet::new(3, 0..4);
    let mut commitment = set.commitment(number, &set.set);
    commitment.mmr_root = root;
    let post = Post {
        number,
        hash: commitment.block_hash,
        root,
        leaf: leaves[place.leaf_index],
        leaf_index: place.leaf_index,
        leaf_count: place.leaf_count,
        leaf_path: path.proof_items().to_vec(),
        message: messages[place.index].clone(),
        index: place.index,
        count: place.count,
        path: sent.proof,
    };
    let justification = set.justify(&RoundMessage::new(GENESIS, commitment), 0..4);
    let proof = StatelessProof::new(&justification, set.set.keyset()).expect("members");
    (set, proof, post)
}

fn text(index: usize) -> Vec<u8> {
    format!("message {index}").into_bytes()
}

/// A chain with the client and the application, to which the block was brought.
fn board(set: &TestSet, proof: &StatelessProof) -> (Chain, Address) {
    let begin = checkpoint(GENESIS, set.set.commitment());
    let mut chain = Chain::new(FORKS[1], &begin).expect("deployed");
    let client = chain.contract;
    let sent = proof_bytes(proof, set.set.commitment());
    assert_eq!(chain.submit(&sent).0, Verdict::New);
    let arguments = [vec![0; 12], client.to_vec()].concat();
    chain.add("MessageBoard", &arguments).expect("deployed");
    (chain, client)
}

fn refusal(called: &Called) -> [u8; 4] {
    assert!(!called.ok);
    called.output[..4].try_into().expect("an error")
}

fn error(signature: &str) -> [u8; 4] {
    topic(signature)[..4].try_into().expect("4 of 32")
}

#[test]
fn every_message_of_a_block_and_every_leaf_of_a_range_is_proven() {
    for leaf_count in 1..=17 {
        for leaf_index in 0..leaf_count {
            let count = 1 + (leaf_count + leaf_index) % 9;
            let place = Place {
                index: leaf_index % count,
                count,
                leaf_index,
                leaf_count,
            };
            let (set, proof, post) = make(20, &place, text);
            let (mut chain, _) = board(&set, &proof);
            let called = chain.call_raw(post.call());
            assert!(
                called.ok,
                "leaf {leaf_index} of {leaf_count}: {:?}",
                called.output
            );
            assert_eq!(called.events, [topic("Posted(uint32,bytes)")]);
        }
    }
    for count in 1..=9 {
        for index in 0..count {
            let place = Place {
                index,
                count,
                leaf_index: 5,
                leaf_count: 11,
            };
            let (set, proof, post) = make(20, &place, text);
            let (mut chain, _) = board(&set, &proof);
            assert!(chain.call_raw(post.call()).ok, "message {index} of {count}");
        }
    }
}

/// A message in the middle of everything, with peaks to both sides.
fn example() -> (TestSet, StatelessProof, Post) {
    let place = Place {
        index: 3,
        count: 7,
        leaf_index: 9,
        leaf_count: 15,
    };
    make(20, &place, text)
}

#[test]
fn a_message_is_taken_once_and_others_are_taken_too() {
    let (set, proof, post) = example();
    let (mut chain, _) = board(&set, &proof);
    assert!(chain.call_raw(post.call()).ok);
    assert_eq!(refusal(&chain.call_raw(post.call())), error("Taken()"));
    // Another one of the block, and the same one of another block.
    for (index, leaf_index) in [(4, 9), (3, 10)] {
        let place = Place {
            index,
            count: 7,
            leaf_index,
            leaf_count: 15,
        };
        let (_, _, other) = make(20, &place, text);
        assert_eq!(other.root, post.root);
        assert!(chain.call_raw(other.call()).ok);
    }
}

/// The root does not say how many messages there are.
#[test]
fn a_message_that_can_be_proven_at_two_positions_is_taken_once() {
    let place = Place {
        index: 2,
        count: 3,
        leaf_index: 0,
        leaf_count: 1,
    };
    let (set, proof, third_of_three) = make(20, &place, text);
    let second_of_two = Post {
        index: 1,
        count: 2,
        ..third_of_three.clone()
    };
    let (chain, _) = board(&set, &proof);
    for (first, then) in [
        (&third_of_three, &second_of_two),
        (&second_of_two, &third_of_three),
    ] {
        let mut chain = chain.clone();
        assert!(chain.call_raw(first.call()).ok);
        assert_eq!(refusal(&chain.call_raw(then.call())), error("Taken()"));
    }
}

#[test]
fn a_message_beyond_the_last_is_refused() {
    let place = Place {
        index: 0,
        count: 1,
        leaf_index: 0,
        leaf_count: 1,
    };
    let (set, proof, post) = make(20, &place, text);
    let (chain, _) = board(&set, &proof);
    for (index, count) in [(1, 1), (0, 0)] {
        let other = Post {
            index,
            count,
            ..post.clone()
        };
        let called = chain.clone().call_raw(other.call());
        assert_eq!(refusal(&called), error("NoMessage()"), "{index} of {count}");
    }
}

#[test]
fn what_is_not_proven_is_refused() {
    let (set, proof, post) = example();
    let (chain, _) = board(&set, &proof);
    type Change = fn(&mut Post);
    let changes: [(&str, Change); 17] = [
        ("NotVerified()", |post| post.number += 1),
        ("NotVerified()", |post| post.hash.0[31] ^= 1),
        ("NotVerified()", |post| post.root.0[0] ^= 1),
        ("Rule_STATE_3()", |post| post.leaf_index += 1),
        ("Rule_STATE_3()", |post| post.leaf_count += 1),
        ("Rule_STATE_3()", |post| post.leaf_count = 21),
        ("Rule_STATE_3()", |post| {
            post.leaf_index = 15;
            post.leaf.parent_number = BlockNumber::new(20);
        }),
        ("Rule_STATE_3()", |post| {
            post.leaf.parent_number = BlockNumber::new(15)
        }),
        ("Rule_STATE_3_Path()", |post| {
            post.leaf.parent_hash.0[0] ^= 1
        }),
        ("Rule_STATE_3_Path()", |post| post.leaf.extra.0[0] ^= 1),
        ("Rule_STATE_3_Path()", |post| {
            post.leaf_path.pop();
        }),
        ("Rule_STATE_3_Path()", |post| {
            post.leaf_path.push(H256::zero())
        }),
        ("NoMessage()", |post| post.message[0] ^= 1),
        ("NoMessage()", |post| post.index += 1),
        ("NoMessage()", |post| post.index = 7),
        ("NoMessage()", |post| {
            post.path.pop();
        }),
        ("NoMessage()", |post| post.path.push(H256::zero())),
    ];
    for (signature, change) in changes {
        let mut other = post.clone();
        change(&mut other);
        let called = chain.clone().call_raw(other.call());
        assert_eq!(refusal(&called), error(signature), "{signature}");
    }
    for item in 0..post.leaf_path.len() {
        let mut other = post.clone();
        other.leaf_path[item].0[7] ^= 1;
        let called = chain.clone().call_raw(other.call());
        assert_eq!(refusal(&called), error("Rule_STATE_3_Path()"), "{item}");
    }
    for item in 0..post.path.len() {
        let mut other = post.clone();
        other.path[item].0[7] ^= 1;
        let called = chain.clone().call_raw(other.call());
        assert_eq!(refusal(&called), error("NoMessage()"), "{item}");
    }
    assert!(
        chain.clone().call_raw(post.call()).ok,
        "the changes are what is refused"
    );
}

/// Two hashes are no message, though they hash to a node of the tree.
#[test]
fn a_node_of_the_tree_is_no_message() {
    let (set, proof, post) = example();
    let (mut chain, _) = board(&set, &proof);
    let leaves = [text(2), text(3)].map(|message| KeccakHasher::hash(&message).0);
    let mut node = post;
    node.message = leaves.concat();
    node.path.remove(0);
    (node.index, node.count) = (1, 4);
    assert_eq!(refusal(&chain.call_raw(node.call())), error("NoMessage()"));
    // A message of another length is not suspected.
    let place = Place {
        index: 0,
        count: 2,
        leaf_index: 0,
        leaf_count: 1,
    };
    for (len, is_taken) in [(63, true), (64, false), (65, true)] {
        let (set, proof, post) = make(20, &place, |index| {
            vec![u8::try_from(index).expect("few"); len]
        });
        let (mut chain, _) = board(&set, &proof);
        assert_eq!(chain.call_raw(post.call()).ok, is_taken, "{len}");
    }
}

#[test]
fn a_frozen_client_vouches_for_no_message() {
    let (set, proof, post) = example();
    let (mut chain, client) = board(&set, &proof);
    let application = chain.contract;
    // Another block of the same number.
    let other = prove(&set, 20, &set, 0);
    chain.contract = client;
    let sent = proof_bytes(&other, set.set.commitment());
    assert_eq!(chain.submit(&sent).0, Verdict::Frozen);
    chain.contract = application;
    assert_eq!(
        refusal(&chain.call_raw(post.call())),
        error("NotVerified()")
    );
}

#[test]
fn gas_of_a_message_is_within_one_percent_of_what_is_written_down() {
    let place = Place {
        index: 3,
        count: 8,
        leaf_index: 500,
        leaf_count: 1000,
    };
    let (set, proof, post) = make(1000, &place, |index| {
        vec![u8::try_from(index).expect("few"); 32]
    });
    let (mut chain, _) = board(&set, &proof);
    let called = chain.call_raw(post.call());
    assert!(called.ok);
    println!("a message: {}", called.gas);
    assert!(called.gas.abs_diff(GAS) <= GAS / 100, "{}", called.gas);
}
