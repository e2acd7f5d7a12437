//! What honest nodes answer about a chain with a reset, for the tests of recovery in JavaScript: JSON on standard output.
//!
//!     cargo run -p duet-light-client --features testing --example web_recovery > verifiers/web/light-client/test/recovery.json
//!
//! Set 0 signs up to block 6, block 7 resets the chain, and set 9 signs after it. Clients wait 2 s by the state of block 4,
//! and 1 000 s by that of block 5; that of block 6 has no terms. The recovery set says which set signs after each of these
//! blocks, and of block 5 also something else.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a program that makes test data ends when something fails"
)]

mod web;

use codec::{Compact, Encode};
use duet_light_client::{
    start::start_keys,
    testing::{read_proof, trie, TestRange},
    Dated, StartProof, TIME_STORAGE_KEY,
};
use duet_primitives::{
    suite::{
        ENGINE_ID, KEYSETS_STORAGE_KEY, RECOVERY_TERMS_STORAGE_KEY, TRUSTING_PERIOD_STORAGE_KEY,
    },
    testing::TestSet,
    BlockNumber, ConsensusLog, Justification, Keysets, Recovery, RecoveryMessage,
    RecoveryStatement, RecoveryTerms, RecoveryVote, RoundMessage, SetId, SignerIndex,
    StatelessProof, H256,
};
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::MemoryDB;
use std::collections::BTreeMap;
use web::{escaped, json, quoted};

/// The time of block 0 in milliseconds, and the time from one block to the next.
const BEGAN: u64 = 1_800_000_000_000;
const SLOT: u64 = 2_000;
const TRUSTING_PERIOD: u64 = 1_000_000;
/// The block of the reset, and the newest one.
const RESET: u32 = 7;
const NEWEST: u32 = 9;
const HEADS: [u32; 5] = [4, 5, 6, 8, 9];

struct Block {
    header: Vec<u8>,
    json: String,
    hash: H256,
    state: MemoryDB<Blake2Hasher>,
    state_root: H256,
    range_root: H256,
}

struct Chain {
    blocks: Vec<Block>,
    before: TestSet,
    behind: TestSet,
    members: TestSet,
}

impl Chain {
    fn new() -> Self {
        let mut chain = Self {
            blocks: Vec::new(),
            before: TestSet::new(0, 0..4),
            behind: TestSet::new(9, 30..34),
            members: TestSet::new(3, 20..24),
        };
        for number in 0..=NEWEST {
            let block = chain.next(number);
            chain.blocks.push(block);
        }
        chain
    }

    fn next(&self, number: u32) -> Block {
        let parent = self.blocks.last().map_or(H256::zero(), |block| block.hash);
        let hashes = self.blocks.iter().map(|block| block.hash);
        let range_root = match number {
            0 => H256::zero(),
            _ => TestRange::new(0, hashes).root(),
        };
        let keysets = Keysets::without_successor(self.before.set.commitment().clone());
        let mut entries = vec![
            (KEYSETS_STORAGE_KEY, keysets.encode()),
            (TRUSTING_PERIOD_STORAGE_KEY, TRUSTING_PERIOD.encode()),
        ];
        if number > 0 {
            let time = BEGAN + SLOT * u64::from(number);
            entries.push((TIME_STORAGE_KEY, time.encode()));
        }
        let delays = BTreeMap::from([(4, 2), (5, 1_000)]);
        if let Some(&delay) = delays.get(&number) {
            let set = self.members.set.commitment().clone();
            let terms = RecoveryTerms { set, delay };
            entries.push((RECOVERY_TERMS_STORAGE_KEY, terms.encode()));
        }
        let (state, state_root) = trie(entries);
        let reset = ConsensusLog::Reset {
            ended: SetId::new(0),
            set: self.behind.set.commitment().clone(),
        };
        let log = (4_u8, ENGINE_ID, reset.encode()).encode();
        let logs: Vec<_> = (number == RESET).then_some(log).into_iter().collect();
        let extrinsics_root = H256::repeat_byte(3);
        let count = Compact(u32::try_from(logs.len()).expect("few"));
        let mut header = (parent, Compact(number), state_root, extrinsics_root, count).encode();
        header.extend(logs.concat());
        let logs: Vec<_> = logs.iter().map(|log| quoted(log)).collect();
        let json = format!(
            "{{\"parentHash\":\"{parent:?}\",\"number\":\"{number:#x}\",\"stateRoot\":\"{state_root:?}\",\
             \"extrinsicsRoot\":\"{extrinsics_root:?}\",\"digest\":{{\"logs\":[{}]}}}}",
            logs.join(",")
        );
        Block {
            hash: Blake2Hasher::hash(&header),
            header,
            json,
            state,
            state_root,
            range_root,
        }
    }

    fn block(&self, number: u32) -> &Block {
        &self.blocks[usize::try_from(number).expect("few")]
    }

    fn genesis(&self) -> H256 {
        self.blocks[0].hash
    }

    fn signing(&self, number: u32) -> &TestSet {
        if number > RESET {
            &self.behind
        } else {
            &self.before
        }
    }

    fn justify(&self, number: u32) -> Justification {
        let (block, set) = (self.block(number), self.signing(number));
        let mut commitment = set.commitment(number, &set.set);
        commitment.block_hash = block.hash;
        commitment.mmr_root = block.range_root;
        set.justify(&RoundMessage::new(self.genesis(), commitment), [0, 1, 3])
    }

    fn nodes(&self, number: u32, keys: &[&[u8]]) -> Vec<Vec<u8>> {
        let block = self.block(number);
        read_proof(&block.state, block.state_root, keys)
    }

    fn start_proof(&self, number: u32) -> Vec<u8> {
        let keys = start_keys(BlockNumber::new(number));
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
        let proof = StartProof {
            header: self.block(number).header.clone(),
            nodes: self.nodes(number, &keys),
            keys: self.before.set.keyset().key_bytes(),
        };
        proof.encode()
    }

    /// What the recovery set says of the reset when a block is the newest proven one.
    fn statement(&self, newest: u32) -> RecoveryStatement {
        RecoveryStatement {
            recovery_set: SetId::new(3),
            block_number: BlockNumber::new(newest),
            block_hash: self.block(newest).hash,
            ended: SetId::new(0),
            reset_number: BlockNumber::new(RESET),
            reset_hash: self.block(RESET).hash,
            set: self.behind.set.commitment().clone(),
        }
    }

    fn prove(&self, statement: &RecoveryStatement) -> Vec<u8> {
        let message = RecoveryMessage::new(self.genesis(), statement.clone());
        let votes = [0_u32, 1, 3].map(|signer| {
            let secret = &self.members.secrets[usize::try_from(signer).expect("few")];
            RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
        });
        let proof = Recovery::combine(self.members.set.keyset(), self.genesis(), &votes);
        proof.expect("enough members").into_unchecked().encode()
    }

    fn answers(&self) -> BTreeMap<String, String> {
        let mut answers = BTreeMap::new();
        let mut add = |request: String, answer: String| answers.insert(request, answer);
        let none = quoted(&[0]);
        add("chain_getBlockHash [0]".to_owned(), json(self.genesis()));
        add(
            "duet_getGenesisProof []".to_owned(),
            quoted(&self.start_proof(0)),
        );
        add(
            "duet_getReset [0]".to_owned(),
            quoted(&self.block(RESET).header),
        );
        for set in [&self.before, &self.behind] {
            let id = set.set.commitment().id;
            for method in ["duet_getSetProofs", "duet_getStatelessSetProofs"] {
                add(format!("{method} [{id},64]"), none.clone());
            }
            let keys = set.set.keyset().key_bytes();
            add(format!("duet_getKeys [{id}]"), quoted(&keys.encode()));
        }
        for block in &self.blocks {
            let hash = json(block.hash);
            add(format!("chain_getHeader [{hash}]"), block.json.clone());
        }
        for number in HEADS {
            let hash = json(self.block(number).hash);
            add(
                format!("duet_getStartProof [{hash}]"),
                quoted(&self.start_proof(number)),
            );
            let justification = self.justify(number);
            let keyset = self.signing(number).set.keyset();
            let stateless = StatelessProof::new(&justification, keyset).expect("its own set");
            add(
                format!("duet_getStatelessProof [{number}]"),
                quoted(&stateless.encode()),
            );
            let justification = justification.into_unchecked().encode();
            add(
                format!("duet_getJustification [{number}]"),
                quoted(&justification),
            );
            let [time, period] = Dated::keys();
            for keys in [vec![time, period], vec![&RECOVERY_TERMS_STORAGE_KEY[..]]] {
                let asked: Vec<_> = keys.iter().map(|key| quoted(key)).collect();
                let nodes = self.nodes(number, &keys);
                let nodes: Vec<_> = nodes.iter().map(|node| quoted(node)).collect();
                add(
                    format!("state_getReadProof [[{}],{hash}]", asked.join(",")),
                    format!("{{\"at\":{hash},\"proof\":[{}]}}", nodes.join(",")),
                );
            }
        }
        answers
    }
}

fn main() {
    print!("{}", recording());
}

fn recording() -> String {
    let chain = Chain::new();
    let heads = HEADS.map(|number| {
        let hash = json(chain.block(number).hash);
        format!("{{\"number\":{number},\"hash\":{hash}}}")
    });
    let mut other = chain.statement(5);
    other.set = TestSet::new(9, 40..44).set.commitment().clone();
    let proofs = [
        chain.statement(4),
        chain.statement(5),
        chain.statement(6),
        other,
    ];
    let proofs = proofs.map(|statement| quoted(&chain.prove(&statement)));
    let keys = Dated::keys().map(quoted);
    let answers: Vec<_> = chain
        .answers()
        .iter()
        .map(|(request, answer)| format!("  {}: {answer}", escaped(request)))
        .collect();
    format!(
        "{{\n \"genesis\": {},\n \"heads\": [{}],\n \"reset\": {{\"number\":{RESET},\"hash\":{}}},\n \"keys\": [{}],\n \
         \"began\": {BEGAN},\n \"proofs\": [\n  {}\n ],\n \"answers\": {{\n{}\n }}\n}}\n",
        json(chain.genesis()),
        heads.join(","),
        json(chain.block(RESET).hash),
        keys.join(","),
        proofs.join(",\n  "),
        answers.join(",\n")
    )
}
