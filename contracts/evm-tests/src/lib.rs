//! The contracts in revm: deployed, called, and compared with the verifier in Rust.

// Points are converted by blst, whose interface is C.
#![allow(unsafe_code)]

mod called;
mod story;

pub use called::Called;

use codec::Encode;
use duet_light_client::{Checkpoint, Error, Outcome, Trusted};
use duet_primitives::{KeysetCommitment, Pk1Bytes, StatelessProof};
use revm::{
    context::{
        result::{ExecutionResult, Output},
        Context, TxEnv,
    },
    database::{CacheDB, EmptyDB},
    primitives::{hardfork::SpecId, keccak256, Address, Bytes, TxKind},
    ExecuteCommitEvm, MainBuilder, MainContext,
};
use std::collections::HashMap;
use story::Story;

/// Both forks that the contracts are tested under.
pub const FORKS: [SpecId; 2] = [SpecId::PRAGUE, SpecId::OSAKA];

/// x and y of a point of G1. What is no point has y = 1, and is refused.
pub fn g1(bytes: &[u8; 48]) -> [u8; 96] {
    let mut out = [0; 96];
    out[..48].copy_from_slice(bytes);
    out[0] &= 0x1f;
    out[95] = 1;
    let mut point = blst::blst_p1_affine::default();
    // SAFETY: the buffers have the lengths that blst wants.
    unsafe {
        if blst::blst_p1_uncompress(&mut point, bytes.as_ptr()) == blst::BLST_ERROR::BLST_SUCCESS {
            blst::blst_p1_affine_serialize(out.as_mut_ptr(), &point);
        }
    }
    out
}

/// x.c0, x.c1, y.c0, y.c1 of a point of G2. What is no point has y = 1, and is refused.
pub fn g2(bytes: &[u8; 96]) -> [u8; 192] {
    let mut out = [0; 192];
    out[..96].copy_from_slice(bytes);
    out[0] &= 0x1f;
    out[191] = 1;
    let mut point = blst::blst_p2_affine::default();
    // SAFETY: as above.
    unsafe {
        if blst::blst_p2_uncompress(&mut point, bytes.as_ptr()) == blst::BLST_ERROR::BLST_SUCCESS {
            blst::blst_p2_affine_serialize(out.as_mut_ptr(), &point);
        }
    }
    // blst puts c1 first, EIP-2537 c0.
    [48..96, 0..48, 144..192, 96..144]
        .map(|half| out[half].to_vec())
        .concat()
        .try_into()
        .expect("192 bytes")
}

/// A set as the contract takes it: 92 signed bytes and y of the total.
pub fn set_bytes(set: &KeysetCommitment) -> Vec<u8> {
    [set.encode(), g1(&set.apk1.0)[48..].to_vec()].concat()
}

/// A proof as the contract takes it.
pub fn proof_bytes(proof: &StatelessProof, set: &KeysetCommitment) -> Vec<u8> {
    let justification = &proof.justification;
    let commitment = &justification.commitment;
    let mut out = commitment.encode();
    out.extend(set_bytes(set));
    out.extend(g1(&justification.signature.0));
    out.extend(g2(&justification.apk2.0));
    if commitment.next.id != commitment.validator_set_id {
        out.extend(&g1(&commitment.next.apk1.0)[48..]);
    }
    out.extend(justification.signers.as_bytes());
    for Pk1Bytes(key) in &proof.non_signers {
        out.extend(g1(key));
    }
    let hashes = proof.proof.encode();
    let skip = hashes.len() % 32;
    out.extend(&hashes[skip..]);
    out
}

/// What a client makes of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A newer block.
    New,
    /// The same block again.
    Known,
    /// A contradiction.
    Frozen,
    /// Refused.
    Refused,
}

/// What the verifier in Rust makes of it.
pub fn rust_verdict(trusted: &mut Trusted, proof: StatelessProof) -> Verdict {
    match trusted.verify(proof) {
        Ok(Outcome::New(verified)) => {
            *trusted = verified.trusted;
            Verdict::New
        }
        Ok(Outcome::Known) => Verdict::Known,
        Err(Error::Misbehaviour(_) | Error::CheckpointContradicted { .. }) => Verdict::Frozen,
        Err(_) => Verdict::Refused,
    }
}

/// A chain with one contract.
#[derive(Clone, Debug)]
pub struct Chain {
    db: CacheDB<EmptyDB>,
    fork: SpecId,
    nonces: HashMap<Address, u64>,
    story: Story,
    /// Who sends transactions.
    pub caller: Address,
    /// The contract.
    pub contract: Address,
    /// Gas of its deployment.
    pub deployment: u64,
}

/// A number as an argument.
pub fn word(number: usize) -> Vec<u8> {
    let mut word = vec![0; 32];
    word[24..].copy_from_slice(&(number as u64).to_be_bytes());
    word
}

/// Bytes as an argument: their length, and they.
pub fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut out = word(bytes.len());
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(32), 0);
    out
}

/// The hash of an event.
pub fn topic(signature: &str) -> [u8; 32] {
    keccak256(signature).0
}

/// A call of `coefficient(bytes,bytes32)`.
pub fn coefficient_of(proof: &[u8], genesis_hash: &[u8; 32]) -> Vec<u8> {
    [
        keccak256("coefficient(bytes,bytes32)")[..4].to_vec(),
        word(64),
        genesis_hash.to_vec(),
        padded(proof),
    ]
    .concat()
}

/// The constructor's argument.
pub fn constructor(checkpoint: &Checkpoint) -> Vec<u8> {
    [word(32), checkpoint_tuple(checkpoint)].concat()
}

/// The arguments of the client with an owner.
pub fn constructor_with_owner(checkpoint: &Checkpoint, owner: Address) -> Vec<u8> {
    let owner = [&[0; 12][..], owner.as_slice()].concat();
    [word(64), owner, checkpoint_tuple(checkpoint)].concat()
}

/// A call of `restart`.
pub fn restart(checkpoint: &Checkpoint) -> Vec<u8> {
    let selector = keccak256("restart((bytes32,uint32,bytes32,bytes,bytes))")[..4].to_vec();
    [selector, constructor(checkpoint)].concat()
}

fn checkpoint_tuple(checkpoint: &Checkpoint) -> Vec<u8> {
    let keysets = &checkpoint.keysets;
    let current = padded(&set_bytes(&keysets.current));
    let next = if keysets.next == keysets.current {
        Vec::new()
    } else {
        set_bytes(&keysets.next)
    };
    [
        checkpoint.genesis_hash.0.to_vec(),
        word(u32::from_le_bytes(
            checkpoint
                .block_number
                .encode()
                .try_into()
                .expect("four bytes"),
        ) as usize),
        checkpoint.block_hash.0.to_vec(),
        word(160),
        word(160 + current.len()),
        current,
        padded(&next),
    ]
    .concat()
}

/// What deploys a contract.
fn creation(name: &str, arguments: &[u8]) -> Vec<u8> {
    let path = format!("{}/../out/{name}.bin", env!("CARGO_MANIFEST_DIR"));
    let code = std::fs::read_to_string(path).expect("`node build.js` has made it");
    [&hex::decode(code.trim()).expect("hex")[..], arguments].concat()
}

impl Chain {
    /// Deploys the client at a checkpoint; none when its constructor refuses.
    pub fn new(fork: SpecId, checkpoint: &Checkpoint) -> Option<Self> {
        Self::with("DuetLightClient", fork, constructor(checkpoint))
    }

    /// Deploys a contract; none when its constructor refuses.
    pub fn with(name: &str, fork: SpecId, arguments: Vec<u8>) -> Option<Self> {
        let mut chain = Self {
            db: CacheDB::default(),
            fork,
            nonces: HashMap::new(),
            story: Story::new(name, fork, &arguments),
            caller: Address::ZERO,
            contract: Address::ZERO,
            deployment: 0,
        };
        let result = chain.transact(TxKind::Create, creation(name, &arguments));
        let ExecutionResult::Success {
            output: Output::Create(_, Some(address)),
            ..
        } = &result
        else {
            return None;
        };
        chain.story.is_deployed = true;
        chain.contract = *address;
        chain.deployment = result.tx_gas_used();
        Some(chain)
    }

    fn transact(&mut self, kind: TxKind, data: Vec<u8>) -> ExecutionResult {
        let fork = self.fork;
        let nonce = self.nonces.entry(self.caller).or_default();
        let db = std::mem::take(&mut self.db);
        let mut evm = Context::mainnet()
            .with_db(db)
            .modify_cfg_chained(|cfg| cfg.set_spec_and_mainnet_gas_params(fork))
            .build_mainnet();
        let tx = TxEnv::builder()
            .kind(kind)
            .data(Bytes::from(data))
            .gas_limit(16_000_000)
            .caller(self.caller)
            .nonce(*nonce)
            .build()
            .expect("a transaction");
        let result = evm
            .transact_commit(tx)
            .expect("a transaction that the chain takes");
        *nonce += 1;
        self.db = evm.ctx.journaled_state.database.clone();
        result
    }

    /// Deploys another contract beside it, which is called from now on.
    ///
    /// # Panics
    /// When its constructor refuses.
    pub fn add(&mut self, name: &str, arguments: &[u8]) -> Address {
        self.story.end();
        match self.transact(TxKind::Create, creation(name, arguments)) {
            ExecutionResult::Success {
                output: Output::Create(_, Some(address)),
                ..
            } => self.contract = address,
            refused => panic!("{refused:?}"),
        }
        self.contract
    }

    /// Calls the contract with these bytes.
    pub fn call_raw(&mut self, data: Vec<u8>) -> Called {
        let result = self.transact(TxKind::Call(self.contract), data.clone());
        let topics = result
            .logs()
            .iter()
            .filter_map(|log| log.topics().first().map(|topic| topic.0));
        let called = Called {
            ok: result.is_success(),
            gas: result.tx_gas_used(),
            events: topics.collect(),
            output: result
                .output()
                .map(|bytes| bytes.to_vec())
                .unwrap_or_default(),
        };
        self.story.tell(&self.caller, &data, &called);
        called
    }

    /// Calls a method that takes `bytes`, each.
    pub fn call(&mut self, signature: &str, arguments: &[&[u8]]) -> Called {
        let mut data = keccak256(signature)[..4].to_vec();
        let mut place = 32 * arguments.len();
        let tails: Vec<_> = arguments.iter().map(|bytes| padded(bytes)).collect();
        for tail in &tails {
            data.extend(word(place));
            place += tail.len();
        }
        data.extend(tails.concat());
        self.call_raw(data)
    }

    /// `submit`.
    pub fn submit(&mut self, proof: &[u8]) -> (Verdict, Called) {
        let called = self.call("submit(bytes)", &[proof]);
        let has = |name| called.events.contains(&topic(name));
        let verdict = if !called.ok {
            Verdict::Refused
        } else if has("Frozen(bytes32,bytes32)") {
            Verdict::Frozen
        } else if has("BlockVerified(uint32,bytes32,bytes32,uint64)") {
            Verdict::New
        } else {
            Verdict::Known
        };
        (verdict, called)
    }

    /// `status`: number, signing set, whether a successor is known, whether it is frozen.
    pub fn status(&mut self) -> (u64, u64, bool, bool) {
        let output = self.call("status()", &[]).output;
        let at =
            |i: usize| u64::from_be_bytes(output[32 * i + 24..32 * i + 32].try_into().expect("8"));
        (at(0), at(1), at(2) == 1, at(3) == 1)
    }
}
