//! A node serves proofs from the genesis of a chain whose GRANDPA voters change.

use super::*;
use crate::{
    store::MAX_LIST_BYTES,
    testing::{Backend, Block},
};
use codec::Decode;
use duet_light_client::decode;
use duet_light_warp::{Follower, WarpProof};
use finality_grandpa::SignedPrecommit;
use sc_client_api::{AuxStore, BlockImportOperation as _, NewBlockState};
use sc_consensus_grandpa::AuthoritySet;
use sp_consensus_grandpa::{
    localized_payload, AuthorityId, AuthorityList, Commit, ConsensusLog, GrandpaJustification,
    Message, Precommit, ScheduledChange,
};
use sp_core::{ed25519::Pair, Pair as _};
use sp_runtime::{
    generic::{Digest, DigestItem, Header},
    Justifications,
};
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
};

type TestHeader = Header<u32, BlakeTwo256>;

/// Voters by the numbers of their secrets; the set's number is that of the change before it.
const SETS: [Range<u8>; 3] = [0..4, 10..14, 20..24];
const ROUND: u64 = 3;

fn pair(number: u8) -> Pair {
    Pair::from_seed(&[number; 32])
}

fn voters(set: usize) -> AuthorityList {
    let voter = |number| (AuthorityId::from(pair(number).public()), 1);
    SETS[set].clone().map(voter).collect()
}

fn justify(header: &TestHeader, set: usize) -> Vec<u8> {
    let (target_hash, target_number) = (header.hash(), *header.number());
    let precommit = Precommit::<TestHeader> {
        target_hash,
        target_number,
    };
    let id = u64::try_from(set).unwrap();
    let payload = localized_payload(
        ROUND,
        id,
        &Message::<TestHeader>::Precommit(precommit.clone()),
    );
    // One of four may be away.
    let sign = |number| SignedPrecommit {
        precommit: precommit.clone(),
        signature: pair(number).sign(&payload).into(),
        id: pair(number).public().into(),
    };
    let commit = Commit::<TestHeader> {
        target_hash,
        target_number,
        precommits: SETS[set].clone().take(3).map(sign).collect(),
    };
    GrandpaJustification::<TestHeader> {
        round: ROUND,
        commit,
        votes_ancestries: Vec::new(),
    }
    .encode()
}

fn change(to: usize) -> DigestItem {
    let log = ConsensusLog::<u32>::ScheduledChange(ScheduledChange {
        next_authorities: voters(to),
        delay: 0,
    });
    DigestItem::Consensus(GRANDPA_ENGINE_ID, log.encode())
}

fn state() -> Storage {
    let key = voters_key().to_vec();
    let other = (b"other".to_vec(), vec![7; 40]);
    Storage {
        top: BTreeMap::from([(key, voters(0).encode()), other]),
        children_default: Default::default(),
    }
}

/// A node of a chain with blocks 0 to 9: of these, 3 and 6 change the voters, and 8 is the newest justified one.
struct Node {
    grandpa: Grandpa<Block, Backend>,
    genesis: H256,
    /// How often the state of the genesis was built.
    built: Arc<AtomicU32>,
}

struct Setup {
    version: StateVersion,
    /// Extra bytes in the headers of blocks with changes.
    padding: usize,
    /// Whether block 6 has its justification.
    justified: bool,
    changes: Vec<(u64, u32)>,
    newest: u32,
    /// What the chain specification says.
    spec: Storage,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            version: StateVersion::V1,
            padding: 0,
            justified: true,
            changes: vec![(0, 3), (1, 6)],
            newest: 8,
            spec: state(),
        }
    }
}

impl Setup {
    fn node(self) -> Node {
        let backend = Arc::new(Backend::new());
        let root = *InMemoryBackend::<BlakeTwo256>::from((state(), self.version)).root();
        let mut parent = H256::zero();
        let mut genesis = None;
        for number in 0..10 {
            let logs = match number {
                3 => vec![change(1), DigestItem::Other(vec![0; self.padding])],
                6 => vec![change(2), DigestItem::Other(vec![0; self.padding])],
                _ => Vec::new(),
            };
            let header = TestHeader::new(number, H256::zero(), root, parent, Digest { logs });
            parent = header.hash();
            genesis.get_or_insert(parent);
            let set = match number {
                0..=3 => 0,
                4..=6 => 1,
                _ => 2,
            };
            let justification = justify(&header, set);
            if number == self.newest {
                let entry = (
                    b"grandpa_best_justification".as_slice(),
                    justification.as_slice(),
                );
                AuxStore::insert_aux(&*backend, [&entry], []).unwrap();
            }
            let kept = number == 3 || number == 6 && self.justified;
            let justifications =
                kept.then(|| Justifications::from((GRANDPA_ENGINE_ID, justification)));
            let mut operation = backend.begin_operation().unwrap();
            let (body, state) = (Some(Vec::new()), NewBlockState::Final);
            operation
                .set_block_data(header, body, None, justifications, state, true)
                .unwrap();
            backend.commit_operation(operation).unwrap();
        }
        // Voters and number of the set, no pending changes of either kind, and the changes.
        let pending: (Vec<u8>, Option<u32>, Vec<u8>) = Default::default();
        let voters = (voters(2), 2_u64, pending, self.changes).encode();
        let voters = AuthoritySet::<H256, u32>::decode(&mut &*voters).unwrap();
        let (built, spec) = (Arc::new(AtomicU32::new(0)), self.spec);
        let count = built.clone();
        let build = move || {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(spec.clone())
        };
        Node {
            grandpa: Grandpa {
                voters: voters.into(),
                backend,
                genesis: Mutex::new(Genesis::Unasked(Box::new(build))),
            },
            genesis: genesis.unwrap(),
            built,
        }
    }
}

impl Node {
    fn begin(&self) -> Follower {
        let proof = self.grandpa.genesis().unwrap().expect("it has the state");
        Follower::begin(self.genesis, &decode(&proof).unwrap()).unwrap()
    }

    fn after(&self, block: u32) -> Option<WarpProof> {
        let proof = self.grandpa.after(BlockNumber::new(block)).unwrap();
        proof.map(|proof| decode(&proof).unwrap())
    }
}

/// WARP-1, WARP-2
#[test]
fn a_light_client_follows_the_voters_from_the_genesis_to_the_newest_block() {
    let node = Setup::default().node();
    let proof = node.after(0).unwrap();
    assert!(proof.is_finished());
    let end = node.begin().follow(&proof).unwrap();
    assert_eq!((end.number().get(), end.set_id()), (8, 2));
    let hash = node.grandpa.backend.blockchain().hash(8).unwrap();
    assert_eq!(Some(end.hash()), hash);
    // From there on there is nothing new, and the genesis was built once.
    let same = end.follow(&node.after(8).unwrap()).unwrap();
    assert_eq!(same.number().get(), 8);
    node.begin();
    assert_eq!(node.built.load(Ordering::Relaxed), 1);
}

/// WARP-2
#[test]
fn a_long_way_is_served_in_parts() {
    let node = Setup {
        padding: 2 * MAX_LIST_BYTES / 3,
        ..Setup::default()
    }
    .node();
    let mut at = node.begin();
    for (number, is_finished) in [(3, false), (8, true)] {
        let proof = node.after(at.number().get()).unwrap();
        at = at.follow(&proof).unwrap();
        assert_eq!(
            (at.number().get(), proof.is_finished()),
            (number, is_finished)
        );
    }
    // One block is served, however long it is.
    let node = Setup {
        padding: 2 * MAX_LIST_BYTES,
        ..Setup::default()
    }
    .node();
    let first = node.after(0).unwrap();
    assert_eq!(node.begin().follow(&first).unwrap().number().get(), 3);
    assert!(!first.is_finished());
}

#[test]
fn the_newest_justification_counts_only_after_the_last_change() {
    for newest in [5, 6] {
        let node = Setup {
            newest,
            ..Setup::default()
        }
        .node();
        let proof = node.after(0).unwrap();
        assert!(proof.is_finished());
        assert_eq!(node.begin().follow(&proof).unwrap().number().get(), 6);
    }
    // Where no set has ended, it is all there is.
    let node = Setup {
        newest: 2,
        changes: Vec::new(),
        ..Setup::default()
    }
    .node();
    let end = node.begin().follow(&node.after(0).unwrap()).unwrap();
    assert_eq!((end.number().get(), end.set_id()), (2, 0));
}

#[test]
fn a_node_that_lacks_a_part_of_the_way_does_not_claim_to_know_it() {
    // It began in the middle of the chain.
    let node = Setup {
        changes: vec![(1, 6)],
        ..Setup::default()
    }
    .node();
    assert!(node.after(0).is_none());
    assert!(node.after(6).is_some());
    // It has no justification of block 6, or that block changed the voters by force.
    let lacks = |setup: Setup| {
        let node = setup.node();
        let part = node.after(0).unwrap();
        assert!(!part.is_finished());
        assert_eq!(node.begin().follow(&part).unwrap().number().get(), 3);
        assert!(node.after(3).is_none());
    };
    lacks(Setup {
        justified: false,
        ..Setup::default()
    });
    lacks(Setup {
        changes: vec![(0, 3), (1, 5)],
        ..Setup::default()
    });
}

/// WARP-1
#[test]
fn the_state_of_another_genesis_proves_nothing() {
    let mut spec = state();
    spec.top.insert(b"more".to_vec(), vec![1]);
    let node = Setup {
        spec,
        ..Setup::default()
    }
    .node();
    for _ in 0..2 {
        assert_eq!(node.grandpa.genesis().unwrap(), None);
    }
    assert_eq!(node.built.load(Ordering::Relaxed), 1);
    // As of a specification that has the root of the state alone.
    let build = || Err("no state".to_owned());
    *node.grandpa.genesis.lock() = Genesis::Unasked(Box::new(build));
    assert_eq!(node.grandpa.genesis().unwrap(), None);
}

/// WARP-1
#[test]
fn the_state_of_an_older_version_is_proven_too() {
    let node = Setup {
        version: StateVersion::V0,
        ..Setup::default()
    }
    .node();
    assert_eq!(node.begin().number().get(), 0);
}
