//! The contracts in revm: deployed, called, and compared with the verifier in Rust.

mod called;
mod story;

pub use called::Called;

use duet_calldata::{abi, constructor};
use duet_light_client::{Checkpoint, Error, Outcome, Trusted};
use duet_primitives::StatelessProof;
use revm::{
    context::{
        result::{ExecutionResult, Output},
        Context, TxEnv,
    },
    database::{CacheDB, DatabaseRef, EmptyDB},
    primitives::{hardfork::SpecId, keccak256, Address, Bytes, TxKind, U256},
    state::EvmState,
    DatabaseCommit, ExecuteEvm, MainBuilder, MainContext,
};
use std::collections::{BTreeMap, HashMap};
use story::Story;

/// Both forks that the contracts are tested under.
pub const FORKS: [SpecId; 2] = [SpecId::PRAGUE, SpecId::OSAKA];

/// The gas limit of a transaction. Amsterdam prices state higher, and a deployment takes more.
fn gas_limit(fork: SpecId) -> u64 {
    if fork.is_enabled_in(SpecId::AMSTERDAM) {
        50_000_000
    } else {
        16_000_000
    }
}

/// When each chain begins, in seconds.
pub const BEGINNING: u64 = 1_800_000_000;
/// The trusting period of each client, in seconds: three weeks. (LIGHT-9)
pub const TRUSTING_PERIOD: u64 = 21 * 24 * 60 * 60;

/// A client's verdict on a proof.
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

impl Verdict {
    /// What a call with proofs comes to.
    pub fn of(called: &Called) -> Self {
        let has = |name| called.events.contains(&topic(name));
        if !called.ok {
            Self::Refused
        } else if has("Frozen(bytes32,bytes32)") {
            Self::Frozen
        } else if has("BlockVerified(uint32,bytes32,bytes32,uint64)") {
            Self::New
        } else {
            Self::Known
        }
    }
}

/// The verdict of the verifier in Rust.
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

/// A library that contracts are linked with.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Its address.
    pub address: Address,
    /// Gas of its deployment.
    pub deployment: u64,
}

/// A chain with one contract.
#[derive(Clone, Debug)]
pub struct Chain {
    db: CacheDB<EmptyDB>,
    fork: SpecId,
    nonces: HashMap<Address, u64>,
    libraries: BTreeMap<String, Library>,
    story: Story,
    /// The time of the next block, in seconds.
    pub time: u64,
    /// Who sends transactions.
    pub caller: Address,
    /// The contract.
    pub contract: Address,
    /// Gas of its deployment.
    pub deployment: u64,
}

/// A call that was tried.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// How it would end.
    pub called: Called,
    /// Whether it would end without a revert, as by running out of gas.
    pub halted: bool,
    /// The slots of the contract that it would change, and their new values.
    pub written: BTreeMap<U256, U256>,
}

fn called(result: &ExecutionResult) -> Called {
    let topics = result
        .logs()
        .iter()
        .filter_map(|log| log.topics().first().map(|topic| topic.0));
    Called {
        ok: result.is_success(),
        gas: result.tx_gas_used(),
        events: topics.collect(),
        output: result
            .output()
            .map(|bytes| bytes.to_vec())
            .unwrap_or_default(),
    }
}

/// The hash of an event.
pub fn topic(signature: &str) -> [u8; 32] {
    keccak256(signature).0
}

/// A call of `coefficient(bytes,bytes32)`.
pub fn coefficient_of(proof: &[u8], genesis_hash: &[u8; 32]) -> Vec<u8> {
    [
        abi::selector("coefficient(bytes,bytes32)").to_vec(),
        abi::word(64).to_vec(),
        genesis_hash.to_vec(),
        abi::bytes(proof),
    ]
    .concat()
}

/// The variable for the folder of the code, where that is another compiler's.
const CODE: &str = "DUET_EVM_CODE";

/// The code that deploys a contract, with the names of libraries where their addresses belong.
fn creation(name: &str) -> String {
    let pinned = concat!(env!("CARGO_MANIFEST_DIR"), "/../out");
    let folder = std::env::var(CODE).unwrap_or_else(|_| pinned.into());
    let path = format!("{folder}/{name}.bin");
    let code = std::fs::read_to_string(path).expect("`node build.js` has made it");
    code.trim().to_owned()
}

impl Chain {
    /// Deploys the client at a checkpoint; none when its constructor refuses.
    pub fn new(fork: SpecId, checkpoint: &Checkpoint) -> Option<Self> {
        let arguments = constructor(checkpoint, TRUSTING_PERIOD);
        Self::with("DuetLightClient", fork, arguments)
    }

    /// Deploys a contract; none when its constructor refuses.
    pub fn with(name: &str, fork: SpecId, arguments: Vec<u8>) -> Option<Self> {
        let mut chain = Self {
            db: CacheDB::default(),
            fork,
            nonces: HashMap::new(),
            libraries: BTreeMap::new(),
            story: Story::new(name, fork, &arguments),
            time: BEGINNING,
            caller: Address::ZERO,
            contract: Address::ZERO,
            deployment: 0,
        };
        let (address, gas) = chain.create(name, &arguments).ok()?;
        chain.story.is_deployed = true;
        chain.contract = address;
        chain.deployment = gas;
        Some(chain)
    }

    /// Deploys a contract, and before that the libraries that the chain lacks; its address and its gas.
    fn create(&mut self, name: &str, arguments: &[u8]) -> Result<(Address, u64), ExecutionResult> {
        let mut code = creation(name);
        while let Some(at) = code.find("__") {
            let library = code[at + 2..at + 40].trim_end_matches('_').to_owned();
            let linked = match self.libraries.get(&library) {
                Some(linked) => *linked,
                None => {
                    let (address, deployment) = self.create(&library, &[])?;
                    let deployed = Library {
                        address,
                        deployment,
                    };
                    self.libraries.insert(library, deployed);
                    deployed
                }
            };
            code.replace_range(at..at + 40, &hex::encode(linked.address));
        }
        let data = [&hex::decode(code).expect("hex")[..], arguments].concat();
        let result = self.transact(TxKind::Create, data);
        match &result {
            ExecutionResult::Success {
                output: Output::Create(_, Some(address)),
                ..
            } => Ok((*address, result.tx_gas_used())),
            _ => Err(result),
        }
    }

    /// The libraries that were deployed for the contracts, by name.
    pub fn libraries(&self) -> impl Iterator<Item = (&str, &Library)> {
        self.libraries
            .iter()
            .map(|(name, one)| (name.as_str(), one))
    }

    /// Links contracts with this address from now on, whatever is there.
    pub fn link(&mut self, library: &str, address: Address) {
        let linked = Library {
            address,
            deployment: 0,
        };
        self.libraries.insert(library.to_owned(), linked);
    }

    fn transact(&mut self, kind: TxKind, data: Vec<u8>) -> ExecutionResult {
        let (result, state) = self.execute(kind, data);
        self.db.commit(state);
        *self.nonces.entry(self.caller).or_default() += 1;
        result
    }

    /// What a transaction would do, and what it would write.
    fn execute(&mut self, kind: TxKind, data: Vec<u8>) -> (ExecutionResult, EvmState) {
        let fork = self.fork;
        let nonce = self.nonces.get(&self.caller).copied().unwrap_or_default();
        let db = std::mem::take(&mut self.db);
        let mut evm = Context::mainnet()
            .with_db(db)
            .modify_cfg_chained(|cfg| cfg.set_spec_and_mainnet_gas_params(fork))
            .modify_block_chained(|block| block.timestamp = U256::from(self.time))
            .build_mainnet();
        let tx = TxEnv::builder()
            .kind(kind)
            .data(Bytes::from(data))
            .gas_limit(gas_limit(fork))
            .caller(self.caller)
            .nonce(nonce)
            .build()
            .expect("a transaction");
        let done = evm
            .transact(tx)
            .expect("a transaction that the chain takes");
        self.db = std::mem::take(&mut evm.ctx.journaled_state.database);
        (done.result, done.state)
    }

    /// A slot of the contract's storage.
    pub fn slot(&self, slot: u64) -> U256 {
        let read = self.db.storage_ref(self.contract, U256::from(slot));
        read.expect("a chain in memory")
    }

    /// What a call of the contract would do. The chain stays as it is, and its story does not have the call.
    pub fn attempt(&mut self, data: Vec<u8>) -> Attempt {
        let (result, mut state) = self.execute(TxKind::Call(self.contract), data);
        let storage = state.remove(&self.contract).unwrap_or_default().storage;
        let written = storage.into_iter().filter(|(_, slot)| slot.is_changed());
        Attempt {
            halted: result.is_halt(),
            called: called(&result),
            written: written.map(|(at, slot)| (at, slot.present_value)).collect(),
        }
    }

    /// Deploys another contract beside it, which is called from now on.
    ///
    /// # Errors
    /// What its constructor says when it refuses; nothing when it runs out of gas.
    pub fn add(&mut self, name: &str, arguments: &[u8]) -> Result<Address, Vec<u8>> {
        self.story.end();
        let created = self.create(name, arguments);
        let (address, _) = created.map_err(|refused| match refused.into_output() {
            Some(error) => error.to_vec(),
            None => Vec::new(),
        })?;
        self.contract = address;
        Ok(address)
    }

    /// Calls the contract with these bytes.
    pub fn call_raw(&mut self, data: Vec<u8>) -> Called {
        let result = self.transact(TxKind::Call(self.contract), data.clone());
        let called = called(&result);
        self.story.tell(&self.caller, self.time, &data, &called);
        called
    }

    /// Calls a method that takes `bytes`, each.
    pub fn call(&mut self, signature: &str, arguments: &[&[u8]]) -> Called {
        let arguments: Vec<_> = arguments.iter().map(|bytes| bytes.to_vec()).collect();
        self.call_raw(abi::call(signature, &arguments))
    }

    /// `submit`.
    pub fn submit(&mut self, proof: &[u8]) -> (Verdict, Called) {
        let called = self.call("submit(bytes)", &[proof]);
        (Verdict::of(&called), called)
    }

    /// `status`: number, signing set, whether a successor is known, whether it is frozen.
    pub fn status(&mut self) -> (u64, u64, bool, bool) {
        let output = self.call("status()", &[]).output;
        let at =
            |i: usize| u64::from_be_bytes(output[32 * i + 24..32 * i + 32].try_into().expect("8"));
        (at(0), at(1), at(2) == 1, at(3) == 1)
    }
}
