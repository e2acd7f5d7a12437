//! Headers, state and older blocks under a proof that was verified.

use codec::{Compact, Decode, Encode};
use duet_light_client::{
    testing::TestBlocks, BlockProof, Checkpoint, Culprit, FinalBlock, FinalHeader, Mode, Outcome,
    StateProofError, StorageProofError, Trusted, Update, MAX_STATE_BYTES,
};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, RoundMessage, SetId, H256};
use sp_core::{Blake2Hasher, Hasher};

/// The blocks before the newest, which is the one with this number.
const BLOCKS: u32 = 41;
const KEY: &[u8] = b"short";
const LONG: &[u8] = b"long";

const ABSENT: &[u8] = b"absent";

/// A chain, and the state of a client that verified a proof of its newest block.
struct World {
    blocks: TestBlocks,
    trusted: Trusted,
}

impl World {
    /// The first `unseen` blocks have no leaf, as on a chain that adds the range later.
    fn new(unseen: u32) -> Self {
        let others = (0..100_u32).map(|number| (number.to_be_bytes().to_vec(), b"other".to_vec()));
        let own = [
            (KEY.to_vec(), b"value".to_vec()),
            (LONG.to_vec(), vec![7; 300]),
        ];
        Self::of(TestBlocks::new(unseen, BLOCKS, others.chain(own)))
    }

    fn of(blocks: TestBlocks) -> Self {
        let trusted = prove(blocks.hash(), blocks.root());
        Self { blocks, trusted }
    }

    fn newest(&self) -> FinalBlock {
        self.trusted.best_block()
    }

    fn header(&self) -> FinalHeader {
        let bytes = self.blocks.headers.last().unwrap();
        self.newest().header(bytes).unwrap()
    }
}

/// A client that verified a proof of the newest block.
fn prove(hash: H256, root: H256) -> Trusted {
    let set = TestSet::new(0, 0..4);
    let trusted = checkpoint(&set);
    let mut commitment = set.commitment(BLOCKS, &set.set);
    commitment.block_hash = hash;
    commitment.mmr_root = root;
    let message = RoundMessage::new(trusted.genesis_hash(), commitment);
    let proof = set.justify(&message, [0, 1, 2]).into_unchecked();
    let Outcome::New(verified) = trusted.verify(Update::Justification(proof)).unwrap() else {
        panic!("the block is new");
    };
    verified.trusted
}

fn checkpoint(set: &TestSet) -> Trusted {
    let checkpoint = Checkpoint {
        genesis_hash: H256::repeat_byte(1),
        block_number: BlockNumber::ZERO,
        block_hash: H256::repeat_byte(1),
        keysets: Keysets::without_successor(set.set.commitment().clone()),
    };
    let trusted = Trusted::from_checkpoint(checkpoint, Mode::Full).unwrap();
    let keys = set.set.keyset().key_bytes();
    trusted.with_keys(SetId::new(0), &keys).unwrap()
}

/// STATE-1, STATE-2.
#[test]
fn state_is_read_under_the_newest_block_also_what_is_not_there() {
    let world = World::new(0);
    let header = world.header();
    assert_eq!(header.block(), world.newest());
    let bytes = world.blocks.headers.last().unwrap();
    let (_, _, root) = <(H256, Compact<u32>, H256)>::decode(&mut &bytes[..]).unwrap();
    assert_eq!(header.state_root(), root);
    let keys = [KEY, LONG, ABSENT];
    let entries = header.read(&keys, &world.blocks.nodes(&keys)).unwrap();
    let values: Vec<_> = entries.iter().map(|entry| entry.value()).collect();
    assert_eq!(values, [Some(&b"value"[..]), Some(&[7; 300][..]), None]);
    assert!(entries.iter().all(|entry| entry.block() == world.newest()));
    assert_eq!(entries[1].key(), LONG);
}

/// STATE-1.
#[test]
fn the_header_of_another_block_is_refused() {
    let world = World::new(0);
    let (bytes, newest) = (world.blocks.headers.last().unwrap(), world.newest());
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        let got = Blake2Hasher::hash(&other);
        let expected = newest.hash();
        let error = newest.header(&other).unwrap_err();
        assert_eq!(error, StateProofError::Header { expected, got });
        assert_eq!(
            (error.rule(), error.culprit()),
            ("STATE-1", Culprit::Sender)
        );
    }
}

/// STATE-1. Validators may sign a hash of what is no header; nothing can be read under it.
#[test]
fn what_hashes_to_the_block_and_is_no_header_of_it_is_refused() {
    let number = Compact(BLOCKS + 1);
    let (zero, no_digest) = (H256::zero(), ());
    let other_number = (zero, number, zero, zero, Compact(0_u8)).encode();
    let without_digest = (zero, Compact(BLOCKS), zero, zero, no_digest).encode();
    for bytes in [other_number, without_digest, b"no header".to_vec()] {
        let block = prove(Blake2Hasher::hash(&bytes), zero).best_block();
        let error = block.header(&bytes).unwrap_err();
        assert_eq!(error, StateProofError::NotAHeader);
        assert_eq!(
            (error.rule(), error.culprit()),
            ("STATE-1", Culprit::Nobody)
        );
    }
}

/// STATE-2.
#[test]
fn a_changed_a_missing_and_a_superfluous_node_are_refused() {
    let world = World::new(0);
    let (header, keys) = (world.header(), [KEY, LONG]);
    let nodes = world.blocks.nodes(&keys);
    let refused = |nodes: &[Vec<u8>], why| {
        let error = header.read(&keys, nodes).unwrap_err();
        assert_eq!(error, StateProofError::Storage(why));
        assert_eq!(
            (error.rule(), error.culprit()),
            ("STATE-2", Culprit::Sender)
        );
    };
    for at in 0..nodes.len() {
        for byte in 0..nodes[at].len() {
            let mut changed = nodes.clone();
            changed[at][byte] ^= 1;
            refused(&changed, StorageProofError::Incomplete);
        }
        let mut fewer = nodes.clone();
        fewer.remove(at);
        refused(&fewer, StorageProofError::Incomplete);
    }
    let (expected, got) = (nodes.len(), nodes.len() + 1);
    let surplus = StorageProofError::Surplus { expected, got };
    for node in [b"of no use".to_vec(), nodes[0].clone()] {
        let more: Vec<_> = nodes.iter().cloned().chain([node]).collect();
        refused(&more, surplus);
    }
}

/// What a proof of `keys` with these nodes is refused for.
fn refusal(world: &World, keys: &[&[u8]], nodes: &[Vec<u8>]) -> StorageProofError {
    let error = world.header().read(keys, nodes).unwrap_err();
    assert_eq!(
        (error.rule(), error.culprit()),
        ("STATE-2", Culprit::Sender)
    );
    let StateProofError::Storage(error) = error else {
        panic!("not of the storage proof: {error}")
    };
    error
}

/// STATE-2.
#[test]
fn more_nodes_than_the_paths_to_the_keys_have_are_refused_before_they_are_read() {
    let (world, keys) = (World::new(0), [KEY, LONG]);
    let honest = world.blocks.nodes(&keys);
    let most = 2 * (KEY.len() + LONG.len()) + 2 * keys.len();
    let mut nodes = honest.clone();
    nodes.resize(most, Vec::new());
    let surplus = StorageProofError::Surplus {
        expected: honest.len(),
        got: most,
    };
    assert_eq!(refusal(&world, &keys, &nodes), surplus);
    nodes.push(Vec::new());
    let too_many = StorageProofError::TooManyNodes {
        expected: most,
        got: most + 1,
    };
    assert_eq!(refusal(&world, &keys, &nodes), too_many);
    // Without the honest ones it is the same: nothing is looked for in them.
    let empty = vec![Vec::new(); most + 1];
    assert_eq!(refusal(&world, &keys, &empty), too_many);
}

/// STATE-2.
#[test]
fn more_bytes_of_nodes_than_any_proof_has_are_refused_before_they_are_read() {
    let world = World::new(0);
    let honest = world.blocks.nodes(&[KEY]);
    let rest = MAX_STATE_BYTES - honest.iter().map(Vec::len).sum::<usize>();
    let with = |len| honest.iter().cloned().chain([vec![0; len]]).collect();
    let nodes: Vec<_> = with(rest);
    let surplus = StorageProofError::Surplus {
        expected: honest.len(),
        got: honest.len() + 1,
    };
    assert_eq!(refusal(&world, &[KEY], &nodes), surplus);
    let nodes: Vec<_> = with(rest + 1);
    let too_many = StorageProofError::TooManyBytes {
        expected: MAX_STATE_BYTES,
        got: MAX_STATE_BYTES + 1,
    };
    assert_eq!(refusal(&world, &[KEY], &nodes), too_many);
}

/// STATE-2. A key of two bytes, below a branch at each of its nibbles, with a value that is a node of its own.
#[test]
fn the_longest_path_that_a_key_has_is_read() {
    let key: &[u8] = &[0, 0];
    let beside: [&[u8]; 4] = [&[0x10], &[0x01], &[0, 0x10], &[0, 0x01]];
    let others = beside.map(|other| (other, b"other".to_vec()));
    let entries = others.into_iter().chain([(key, vec![7; 300])]);
    let world = World::of(TestBlocks::new(0, BLOCKS, entries));
    let nodes = world.blocks.nodes(&[key]);
    assert_eq!(nodes.len(), 2 * key.len() + 2);
    let entries = world.header().read(&[key], &nodes).unwrap();
    assert_eq!(entries[0].value(), Some(&[7; 300][..]));
}

/// STATE-3, MMR-1.
#[test]
fn every_older_block_is_proven_and_its_state_is_read() {
    for unseen in [0, 10] {
        let world = World::new(unseen);
        for number in unseen..BLOCKS {
            let proof = world.blocks.proof(number);
            let proof = BlockProof::decode(&mut &proof.encode()[..]).unwrap();
            let block = proof.check(&world.newest()).unwrap();
            assert_eq!(block.number(), BlockNumber::new(number));
            let header = block
                .header(&world.blocks.headers[number as usize])
                .unwrap();
            let entry = &header.read(&[KEY], &world.blocks.nodes(&[KEY])).unwrap()[0];
            assert_eq!(entry.value(), Some(&b"value"[..]));
            assert_eq!(entry.block().number(), BlockNumber::new(number));
            // What is before a block is not said by a proof under a newer one.
            let error = proof.check(&block).unwrap_err();
            assert_eq!(
                error,
                StateProofError::NoHistory {
                    number: block.number()
                }
            );
        }
    }
}

/// STATE-3, MMR-1, ENC-6.
#[test]
fn every_bit_of_a_proof_of_an_older_block_counts() {
    let world = World::new(0);
    let proof = world.blocks.proof(23).encode();
    for bit in 0..8 * proof.len() {
        let mut changed = proof.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let mut bytes = &changed[..];
        let Ok(changed) = BlockProof::decode(&mut bytes) else {
            continue;
        };
        let refused = bytes
            .is_empty()
            .then(|| changed.check(&world.newest()).err());
        let rule = refused
            .flatten()
            .map(|error| (error.rule(), error.culprit()));
        // Bits of the number of hashes leave bytes over, which `decode` refuses.
        let expected = bytes.is_empty().then_some(("STATE-3", Culprit::Sender));
        assert_eq!(rule, expected, "bit {bit}");
    }
}

/// STATE-3: what `mmr_generateProof` gives for one block.
#[test]
fn an_answer_about_one_block_is_read_and_no_other() {
    let proof = World::new(0).blocks.proof(23);
    let (leaf, index, count) = (proof.leaf.encode(), proof.leaf_index, proof.leaf_count);
    let leaves = vec![leaf.clone()].encode();
    let rest = (vec![index], count, proof.hashes.clone()).encode();
    assert_eq!(BlockProof::from_rpc(&leaves, &rest), Ok(proof.clone()));

    let refused = |leaves: &[u8], rest: &[u8]| {
        assert!(BlockProof::from_rpc(leaves, rest).is_err());
    };
    refused(&vec![leaf.clone(), leaf].encode(), &rest);
    refused(&Vec::<Vec<u8>>::new().encode(), &rest);
    refused(&leaves, &(vec![index, index], count, proof.hashes).encode());
    refused(&leaves, &[rest.clone(), vec![0]].concat());
    for cut in 0..rest.len() {
        assert!(BlockProof::from_rpc(&leaves, &rest[..cut]).is_err());
    }
    for cut in 0..leaves.len() {
        assert!(BlockProof::from_rpc(&leaves[..cut], &rest).is_err());
    }
}

/// STATE-3.
#[test]
fn each_number_that_cannot_be_true_is_named() {
    let world = World::new(0);
    let newest = world.newest();
    let honest = world.blocks.proof(23);
    let error = |change: fn(&mut BlockProof)| {
        let mut proof = honest.clone();
        change(&mut proof);
        proof.check(&newest).unwrap_err()
    };
    let number = BlockNumber::new(23);
    assert_eq!(
        error(|proof| proof.leaf_count = u64::MAX),
        StateProofError::LeafCount {
            number: newest.number(),
            leaves: u64::MAX
        }
    );
    assert_eq!(
        error(|proof| proof.leaf_count = 0),
        StateProofError::Leaf {
            about: number,
            index: 23
        }
    );
    assert_eq!(
        error(|proof| proof.leaf_index = u64::MAX),
        StateProofError::Leaf {
            about: number,
            index: u64::MAX
        }
    );
    for change in [
        |proof: &mut BlockProof| proof.leaf.extra = H256::zero(),
        |proof: &mut BlockProof| proof.leaf.parent_hash = H256::zero(),
        |proof: &mut BlockProof| proof.hashes.push(H256::zero()),
        |proof: &mut BlockProof| proof.hashes.truncate(1),
        |proof: &mut BlockProof| proof.hashes.clear(),
        |proof: &mut BlockProof| proof.hashes.resize(1_000_000, H256::zero()),
    ] {
        assert_eq!(error(change), StateProofError::History { number });
    }
}

/// STATE-3.
#[test]
fn a_checkpoint_says_nothing_about_older_blocks() {
    let block = checkpoint(&TestSet::new(0, 0..4)).best_block();
    let error = World::new(0).blocks.proof(0).check(&block).unwrap_err();
    let number = BlockNumber::ZERO;
    assert_eq!(error, StateProofError::NoHistory { number });
    assert_eq!(
        (error.rule(), error.culprit()),
        ("STATE-3", Culprit::Nobody)
    );
}

/// STATE-1.
#[test]
fn the_parent_of_a_final_block_is_final() {
    let world = World::new(0);
    let parent = world.header().parent().unwrap();
    assert_eq!(parent.number(), BlockNumber::new(BLOCKS - 1));
    let before = &world.blocks.headers[world.blocks.headers.len() - 2];
    parent.header(before).unwrap();
    let genesis = world.blocks.proof(0).check(&world.newest()).unwrap();
    assert_eq!(
        genesis.header(&world.blocks.headers[0]).unwrap().parent(),
        None
    );
}
