//! A node of the chain whose proofs are brought: its RPC, over a chain in memory with keys that everybody knows.

use codec::Encode;
use duet_light_client::{
    testing::{StartState, TestChain},
    StartProof,
};
use duet_primitives::{BlockNumber, Keysets, RoundMessage, StatelessProof, H256};
use jsonrpsee::{
    server::{RpcModule, Server, ServerHandle},
    types::{ErrorObjectOwned, Params},
};
use serde_json::{json, Value};
use std::{
    sync::{
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst},
        Arc,
    },
    time::{Duration, Instant},
};

/// Validators of each set; three of them are enough.
pub const VALIDATORS: u64 = 4;

struct State {
    chain: TestChain,
    head: AtomicU32,
    /// All have signed; one has not, otherwise.
    is_full: AtomicBool,
    /// The newest block that it claims without a proof; 0 for none.
    claimed: AtomicU32,
    /// Proofs name another block than was signed.
    is_forging: AtomicBool,
    /// It has lost the handoffs.
    is_pruned: AtomicBool,
    /// It says that its handoffs are of block 0.
    is_stale: AtomicBool,
    /// How many proofs of blocks it still gives.
    proofs_left: AtomicUsize,
    /// The genesis has no set: the chain took Duet up in block 1.
    is_later: AtomicBool,
    /// How long it takes to name its newest block, and as long again for the header, in milliseconds.
    delay: AtomicU64,
    proofs_asked: AtomicUsize,
    heads_asked: AtomicUsize,
}

/// A node; it ends when it is dropped.
pub struct ChainNode {
    /// Where it listens.
    pub url: String,
    state: Arc<State>,
    _server: ServerHandle,
}

impl ChainNode {
    /// Serves the chain up to its block `head`.
    pub async fn start(chain: &TestChain, head: u32) -> Self {
        let state = Arc::new(State {
            chain: chain.clone(),
            head: head.into(),
            is_full: true.into(),
            claimed: 0.into(),
            is_forging: false.into(),
            is_pruned: false.into(),
            is_stale: false.into(),
            proofs_left: usize::MAX.into(),
            is_later: false.into(),
            delay: 0.into(),
            proofs_asked: 0.into(),
            heads_asked: 0.into(),
        });
        let server = Server::builder().build("127.0.0.1:0").await;
        let server = server.expect("a port is free");
        let address = server.local_addr().expect("it listens");
        Self {
            url: format!("ws://{address}"),
            _server: server.start(module(&state)),
            state,
        }
    }

    pub fn set_head(&self, head: u32) {
        self.state.head.store(head, SeqCst);
    }

    pub fn set_claimed(&self, block: u32) {
        self.state.claimed.store(block, SeqCst);
    }

    pub fn set_full(&self, is_full: bool) {
        self.state.is_full.store(is_full, SeqCst);
    }

    pub fn set_forging(&self, is_forging: bool) {
        self.state.is_forging.store(is_forging, SeqCst);
    }

    pub fn set_pruned(&self, is_pruned: bool) {
        self.state.is_pruned.store(is_pruned, SeqCst);
    }

    pub fn set_stale(&self, is_stale: bool) {
        self.state.is_stale.store(is_stale, SeqCst);
    }

    pub fn set_proofs_left(&self, proofs: usize) {
        self.state.proofs_left.store(proofs, SeqCst);
    }

    pub fn set_later(&self, is_later: bool) {
        self.state.is_later.store(is_later, SeqCst);
    }

    /// From now on, also for what it was asked before.
    pub fn set_delay(&self, delay: Duration) {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.state.delay.store(delay, SeqCst);
    }

    /// How often it was asked for its newest block.
    pub fn heads_asked(&self) -> usize {
        self.state.heads_asked.load(SeqCst)
    }

    /// How often it was asked for a proof of a block.
    pub fn proofs_asked(&self) -> usize {
        self.state.proofs_asked.load(SeqCst)
    }
}

impl State {
    async fn wait(&self) {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(self.delay.load(SeqCst)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn head(&self) -> u32 {
        self.head.load(SeqCst)
    }

    fn hash_of(&self, number: u32) -> Option<H256> {
        Some(self.chain.justification(number)?.commitment.block_hash)
    }

    fn proof(&self, number: u32) -> Option<StatelessProof> {
        if number > self.head() {
            return None;
        }
        let mut proof = proof(&self.chain, number, self.is_full.load(SeqCst))?;
        if self.is_forging.load(SeqCst) {
            proof.justification.commitment.block_hash = H256::repeat_byte(0xff);
        }
        Some(proof)
    }

    /// The proof of the first set.
    fn start_proof(&self) -> StartProof {
        let at_genesis = self.chain.genesis_proof();
        if !self.is_later.load(SeqCst) {
            return at_genesis;
        }
        let first = self.chain.sets[0].set.commitment().clone();
        let state = StartState {
            keysets: Some(&Keysets::without_successor(first).encode()),
            ..StartState::default()
        };
        state.start_proof(H256::zero(), 1, at_genesis.keys)
    }

    fn handoffs(&self, from: u64, limit: usize) -> Vec<StatelessProof> {
        if self.is_pruned.load(SeqCst) {
            return Vec::new();
        }
        let handoff = |id| {
            let mut proof = self.proof(self.chain.mandatory(id))?;
            if self.is_stale.load(SeqCst) {
                proof.justification.commitment.block_number = BlockNumber::ZERO;
            }
            Some(proof)
        };
        (from..).map_while(handoff).take(limit).collect()
    }
}

/// A proof of a block, signed by all of its set or by all but one.
pub fn proof(chain: &TestChain, number: u32, is_full: bool) -> Option<StatelessProof> {
    let commitment = chain.justification(number)?.commitment;
    let id = usize::try_from(commitment.validator_set_id.get()).ok()?;
    let set = &chain.sets[id];
    let absent = (!is_full).then_some(number % set.set.commitment().len);
    let signers = (0..set.set.commitment().len).filter(|index| Some(*index) != absent);
    let message = RoundMessage::new(chain.genesis_hash, commitment);
    let justification = set.justify(&message, signers);
    StatelessProof::new(&justification, set.set.keyset()).ok()
}

fn module(state: &Arc<State>) -> RpcModule<Arc<State>> {
    let mut module = RpcModule::new(Arc::clone(state));
    let mut method = |name: &'static str, answer: fn(&State, Params<'_>) -> Answer| {
        let registered =
            module.register_method(name, move |params, state, _| answer(state, params));
        registered.expect("a name is used once");
    };
    method("chain_getBlockHash", |state, _| {
        Ok(json!(state.chain.genesis_hash))
    });
    method("duet_getStatelessProof", |state, params| {
        state.proofs_asked.fetch_add(1, SeqCst);
        let number = params.one()?;
        let one_less = |left: usize| left.checked_sub(1);
        let is_given = state.proofs_left.fetch_update(SeqCst, SeqCst, one_less);
        let proof = is_given.ok().and_then(|_| state.proof(number));
        Ok(json!(proof.map(|proof| in_hex(&proof))))
    });
    method("duet_getStatelessSetProofs", |state, params| {
        let (from, limit) = params.parse()?;
        Ok(json!(in_hex(&state.handoffs(from, limit))))
    });
    method("duet_getStartProof", |state, _| {
        Ok(json!(in_hex(&state.start_proof())))
    });
    let head = module.register_async_method("duet_getFinalizedHead", |_, state, _| async move {
        state.heads_asked.fetch_add(1, SeqCst);
        state.wait().await;
        json!(match state.claimed.load(SeqCst) {
            0 => state.hash_of(state.head()),
            claimed => Some(H256::from_low_u64_be(u64::from(claimed) + 1)),
        })
    });
    head.expect("a name is used once");
    let header = module.register_async_method("chain_getHeader", |params, state, _| async move {
        state.wait().await;
        let hash: H256 = params.one()?;
        let [.., a, b, c, d] = hash.0;
        let number = u32::from_be_bytes([a, b, c, d]) - 1;
        Answer::Ok(json!({ "number": format!("{number:#x}") }))
    });
    header.expect("a name is used once");
    module
}

type Answer = Result<Value, ErrorObjectOwned>;

fn in_hex(object: &impl Encode) -> String {
    format!("0x{}", hex::encode(object.encode()))
}
