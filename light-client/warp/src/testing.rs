//! A chain whose GRANDPA voters change twice, made without a node, for tests. Never for a real chain: its secrets are public.

use crate::{voters_key, GenesisProof};
use codec::{Compact, Decode, Encode};
use duet_light_client::testing::{read_proof, trie};
use duet_primitives::H256;
use sp_core::{
    ed25519::{Pair, Public, Signature},
    Blake2Hasher, Hasher, Pair as _,
};
use std::ops::Range;

/// The round in which all vote.
pub const ROUND: u64 = 7;
/// The voters of each set, by the numbers of their secrets.
const SETS: [Range<u8>; 3] = [0..4, 10..14, 20..23];

/// The GRANDPA log of a header.
#[derive(Clone, Copy, Debug)]
pub enum Digest {
    /// Nothing.
    Nothing,
    /// The voters of this set are the next, from the next block on.
    Next(usize),
    /// The second set's are, some blocks later.
    Later,
    /// They are, with a byte too many.
    Longer,
    /// Nobody is.
    NoVoters,
    /// The second set's are, by force.
    Forced,
    /// They are, as another engine says.
    OtherEngine,
}

impl Digest {
    /// The digest, encoded.
    fn items(self) -> Vec<u8> {
        let next = voters(SETS[1].clone());
        let log = match self {
            Self::Nothing => return Vec::<u8>::new().encode(),
            Self::Next(set) => (1_u8, voters(SETS[set].clone()), 0_u32).encode(),
            Self::Longer => (1_u8, next, 0_u32, 0_u8).encode(),
            Self::Later => (1_u8, next, 3_u32).encode(),
            Self::NoVoters => (1_u8, Vec::<(Public, u64)>::new(), 0_u32).encode(),
            Self::Forced => (2_u8, 4_u32, next, 0_u32).encode(),
            Self::OtherEngine => (1_u8, next, 0_u32).encode(),
        };
        let engine = match self {
            Self::OtherEngine => *b"duet",
            _ => *b"FRNK",
        };
        // Beside what other engines say, which is nobody's business here.
        let slot = (6_u8, *b"aura", vec![1_u8; 8]).encode();
        let seal = (5_u8, *b"aura", vec![2_u8; 64]).encode();
        let disabled = (4_u8, *b"FRNK", (3_u8, 5_u64).encode()).encode();
        let log = (4_u8, engine, log).encode();
        [Compact(4_u32).encode(), slot, disabled, log, seal].concat()
    }
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its number.
    pub number: u32,
    /// Its hash.
    pub hash: H256,
    /// The SCALE encoding of its header.
    pub header: Vec<u8>,
}

impl Block {
    fn new(parent: H256, number: u32, state_root: H256, digest: Digest) -> Self {
        let extrinsics_root = H256::repeat_byte(0xee);
        let parts = (parent, Compact(number), state_root, extrinsics_root).encode();
        Self::of([parts, digest.items()].concat())
    }

    /// The block with this header.
    ///
    /// # Panics
    /// When it is none.
    pub fn of(header: Vec<u8>) -> Self {
        let (_, Compact(number)) =
            <(H256, Compact<u32>)>::decode(&mut &*header).expect("a header has a number");
        let hash = Blake2Hasher::hash(&header);
        Self {
            number,
            hash,
            header,
        }
    }

    /// The next block; `salt` tells children apart.
    pub fn child(&self, salt: u8) -> Self {
        let state_root = H256::repeat_byte(salt);
        Self::new(self.hash, self.number + 1, state_root, Digest::Nothing)
    }
}

/// A vote for a block.
#[derive(Clone, Debug, Encode)]
pub struct Vote {
    /// Hash and number of the block.
    pub target: (H256, u32),
    /// The signature.
    pub signature: Signature,
    /// Who signed.
    pub id: Public,
}

impl Vote {
    /// By the voter with this number, as one of this set in this round.
    pub fn new(voter: u8, block: &Block, set: u64, round: u64) -> Self {
        let target = (block.hash, block.number);
        let message = (1_u8, target, round, set).encode();
        let pair = pair(voter);
        Self {
            target,
            signature: pair.sign(&message),
            id: pair.public(),
        }
    }
}

/// A chain with its voters.
#[derive(Clone, Debug)]
pub struct TestGrandpa {
    /// The first block.
    pub genesis: Block,
    nodes: Vec<Vec<u8>>,
    /// The last blocks of two sets, and the newest.
    pub blocks: Vec<Block>,
}

impl Default for TestGrandpa {
    fn default() -> Self {
        Self::with_voters(voters(SETS[0].clone()))
    }
}

impl TestGrandpa {
    /// With other voters in its genesis.
    pub fn with_voters(voters: Vec<(Public, u64)>) -> Self {
        Self::with_state(Some(voters.encode()))
    }

    /// With this where the voters belong in the state of its genesis.
    pub fn with_state(value: Option<Vec<u8>>) -> Self {
        let key = voters_key();
        let others =
            (0..64_u8).map(|index| (Blake2Hasher::hash(&[index]).0.to_vec(), vec![index; 40]));
        let (db, root) = trie(others.chain(value.map(|value| (key.to_vec(), value))));
        let genesis = Block::new(H256::zero(), 0, root, Digest::Nothing);
        let block = |number, digest| Block::new(genesis.hash, number, root, digest);
        Self {
            blocks: vec![
                block(5, Digest::Next(1)),
                block(9, Digest::Next(2)),
                block(12, Digest::Nothing),
            ],
            nodes: read_proof(&db, root, &[key.as_slice()]),
            genesis,
        }
    }

    /// The proof for a client that knows the genesis hash.
    pub fn genesis_proof(&self) -> GenesisProof {
        GenesisProof {
            header: self.genesis.header.clone(),
            nodes: self.nodes.clone(),
        }
    }

    /// A block; `salt` tells those of one number apart.
    pub fn block(&self, number: u32, salt: u8, digest: Digest) -> Block {
        Block::new(self.genesis.hash, number, H256::repeat_byte(salt), digest)
    }

    /// Each of its blocks, signed by the whole set that it belongs to, encoded.
    pub fn fragments(&self) -> Vec<Vec<u8>> {
        let signed = |(set, block)| fragment(block, &justification(block, &votes(set, block), &[]));
        self.blocks.iter().enumerate().map(signed).collect()
    }
}

/// Voters with the weight 1, by the numbers of their secrets.
pub fn voters(numbers: Range<u8>) -> Vec<(Public, u64)> {
    numbers.map(|number| (pair(number).public(), 1)).collect()
}

fn pair(number: u8) -> Pair {
    Pair::from_seed(&[number; 32])
}

/// The votes of a whole set for a block.
pub fn votes(set: usize, block: &Block) -> Vec<Vote> {
    let id = u64::try_from(set).expect("few sets");
    let vote = |voter| Vote::new(voter, block, id, ROUND);
    SETS[set].clone().map(vote).collect()
}

/// The justification of a block by these votes, with the headers that lead to it from others that were voted for.
pub fn justification(block: &Block, votes: &[Vote], ancestry: &[&Block]) -> Vec<u8> {
    let commit = (ROUND, block.hash, block.number, votes).encode();
    let count = u32::try_from(ancestry.len()).expect("few headers");
    let headers: Vec<_> = ancestry.iter().map(|block| block.header.clone()).collect();
    [commit, Compact(count).encode(), headers.concat()].concat()
}

/// A block and the justification beside it.
pub fn fragment(block: &Block, justification: &[u8]) -> Vec<u8> {
    [&block.header, justification].concat()
}

/// A warp sync proof, as nodes encode it.
pub fn warp_proof(fragments: &[Vec<u8>], is_finished: bool) -> Vec<u8> {
    let count = u32::try_from(fragments.len()).expect("few blocks");
    let count = Compact(count).encode();
    [count, fragments.concat(), is_finished.encode()].concat()
}
