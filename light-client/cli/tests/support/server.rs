//! The server: the RPC of a node, over a chain in memory.

use super::{
    host::{push, Calls, Host},
    lie::reset,
    Lie,
};
use codec::{Compact, Decode, Encode};
use duet_light_client::{decode, testing::TestChain, StartProof};
use duet_light_warp::testing::TestGrandpa;
use duet_primitives::{Bitfield, UncheckedJustification, H256};
use jsonrpsee::{
    server::RpcModule,
    types::{ErrorCode, ErrorObject, ErrorObjectOwned, Params},
};
use serde_json::{json, Value};
use std::{
    sync::{
        atomic::{AtomicBool, AtomicU32, Ordering},
        Arc,
    },
    time::Duration,
};
use tokio::sync::watch;

/// The number by which a hash that is not of a proven block is known.
const UNPROVEN: u64 = 1 << 32;

struct State {
    chain: TestChain,
    lie: Lie,
    /// What GRANDPA proves, where it is served.
    warp: Option<Warp>,
    /// The newest block whose proof is there.
    visible: watch::Receiver<u32>,
    chain_head: AtomicU32,
    /// Whether somebody has just connected.
    greeted: AtomicBool,
    calls: Calls,
}

/// What a node has of GRANDPA's proofs, as bytes.
#[derive(Clone)]
pub(crate) struct Warp {
    /// The voters of the genesis.
    pub(crate) genesis: Vec<u8>,
    /// What is proven after a block.
    pub(crate) after: fn(&TestGrandpa, u32) -> Option<Vec<u8>>,
    pub(crate) grandpa: TestGrandpa,
}

/// A running server; it ends when it is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    state: Arc<State>,
    visible: watch::Sender<u32>,
    host: Host,
}

impl Server {
    /// Serves all that the chain has.
    pub(crate) async fn start(chain: &TestChain, lie: Lie) -> Self {
        Self::start_at(chain, lie, chain.head().block_number.get()).await
    }

    /// Serves the chain as it was when this block was the newest proven one.
    pub(crate) async fn start_at(chain: &TestChain, lie: Lie, head: u32) -> Self {
        Self::listen("127.0.0.1:0", chain, lie, head, None).await
    }

    /// Serves GRANDPA's proofs, too.
    pub(crate) async fn start_with_warp(chain: &TestChain, lie: Lie, warp: Warp) -> Self {
        let head = chain.head().block_number.get();
        Self::listen("127.0.0.1:0", chain, lie, head, Some(warp)).await
    }

    /// Breaks all connections and starts again at the same address, as a node that is restarted.
    pub(crate) async fn restart(self, chain: &TestChain) -> Self {
        let (lie, head, warp) = (self.state.lie, self.state.head(), self.state.warp.clone());
        let url = self.stop().await;
        Self::listen(url.trim_start_matches("ws://"), chain, lie, head, warp).await
    }

    /// Stops it; its address, at which nobody listens any more.
    pub(crate) async fn stop(self) -> String {
        self.host.stop().await
    }

    async fn listen(
        address: &str,
        chain: &TestChain,
        lie: Lie,
        head: u32,
        warp: Option<Warp>,
    ) -> Self {
        let (visible, receiver) = watch::channel(head);
        let state = Arc::new(State {
            chain: chain.clone(),
            lie,
            warp,
            visible: receiver,
            chain_head: AtomicU32::new(head),
            greeted: AtomicBool::new(false),
            calls: Calls::default(),
        });
        let host = Host::start_at(address, module(Arc::clone(&state))).await;
        Self {
            url: host.url.clone(),
            state,
            visible,
            host,
        }
    }

    /// Proves one block more, if the chain has one.
    pub(crate) fn prove_next(&self) -> Option<u32> {
        let now = *self.visible.borrow();
        let next = self.state.numbers().find(|number| *number > now)?;
        self.visible.send_replace(next);
        Some(next)
    }

    /// Proves all blocks up to this one at once: subscribers get the last alone, as from a node whose subscribers
    /// are slower than its proofs.
    pub(crate) fn prove_up_to(&self, number: u32) {
        self.visible.send_replace(number);
    }

    /// Proves a block now and then until the chain ends.
    pub(crate) async fn keep_proving(&self, every: Duration) {
        while self.prove_next().is_some() {
            tokio::time::sleep(every).await;
        }
    }

    /// How often a method was called.
    pub(crate) fn calls(&self, method: &str) -> usize {
        self.state.calls.count(|call| call == method)
    }
}

impl State {
    fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.chain
            .justifications()
            .map(|proof| proof.commitment.block_number.get())
    }

    fn head(&self) -> u32 {
        *self.visible.borrow()
    }

    fn pushed(&self, number: u32) -> Option<UncheckedJustification> {
        let honest = self.chain.justification(number)?;
        Some(self.lie.of_justification(&self.chain, honest))
    }

    fn bytes(&self, value: &impl Encode) -> Value {
        let mut bytes = value.encode();
        match self.lie {
            Lie::Garbage => return json!("0xnonsense"),
            Lie::WrongType => return json!(17),
            Lie::TrailingByte => bytes.push(0),
            _ => {}
        }
        json!(format!("0x{}", hex::encode(bytes)))
    }

    fn block_hash(&self, number: u32) -> H256 {
        self.chain.justification(number).map_or_else(
            || H256::from_low_u64_be(UNPROVEN + u64::from(number)),
            |proof| proof.commitment.block_hash,
        )
    }

    fn answer(&self, method: &str, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        self.calls.record(method);
        if method == "chain_getBlockHash" {
            self.greeted.store(true, Ordering::Relaxed);
        }
        if self.lie == Lie::NoDuet && method.starts_with("duet_") {
            return Err(ErrorCode::MethodNotFound.into());
        }
        if self.lie == Lie::Joining && PAST.contains(&method) {
            return Err(ErrorObject::owned(9006, "not here yet", None::<()>));
        }
        let answer = self.answer_with_lies(method, params)?;
        Ok(match (self.lie, answer.as_str()) {
            (
                Lie::FlippedByte {
                    method: lied,
                    offset,
                },
                Some(honest),
            ) if lied == method => {
                let mut bytes = hex::decode(&honest[2..]).expect("bytes");
                bytes[offset] ^= 1;
                json!(format!("0x{}", hex::encode(bytes)))
            }
            _ => answer,
        })
    }

    fn answer_with_lies(
        &self,
        method: &str,
        params: &Params<'_>,
    ) -> Result<Value, ErrorObjectOwned> {
        match method {
            "chain_getBlockHash" => Ok(json!(match self.lie {
                Lie::ServesAnotherChain => Some(H256::repeat_byte(3)),
                _ => {
                    let (number,): (u32,) = params.parse()?;
                    (number == 0).then_some(self.chain.genesis_hash)
                }
            })),
            "chain_getHeader" => {
                let (hash,): (H256,) = params.parse()?;
                if let Some(start) = self.start_at(hash) {
                    return Ok(header_json(&start.header));
                }
                let number = match self.lie {
                    Lie::ForgedLine => FORGED_LINE.to_owned() + &"7".repeat(1_000_000),
                    _ => format!("{:#x}", self.number_of(hash)),
                };
                Ok(json!({ "number": number }))
            }
            "chain_getFinalizedHead" => {
                let number = match self.lie {
                    Lie::Stalls => self.chain_head.fetch_add(1, Ordering::Relaxed),
                    _ => self.head(),
                };
                Ok(json!(H256::from_low_u64_be(UNPROVEN + u64::from(number))))
            }
            _ => self.answer_duet(method, params),
        }
    }

    fn number_of(&self, hash: H256) -> u64 {
        let number = hash.to_low_u64_be();
        if number >= UNPROVEN {
            number - UNPROVEN
        } else {
            number - 1
        }
    }

    /// The proof of the first block of a set, or of the one that starts the set behind the reset.
    fn start_at(&self, hash: H256) -> Option<StartProof> {
        let (chain, lie) = (&self.chain, self.lie);
        let ids = 1..u64::try_from(chain.sets.len()).expect("few");
        let mut all: Vec<_> = ids.map(|id| chain.start_proof(id)).collect();
        match lie {
            Lie::Reset => all.push(reset(chain, lie).1),
            Lie::Fork => {
                // Another parent.
                all.iter_mut().for_each(|proof| proof.header[0] ^= 1);
                all.push(TestChain::new(1, 5, 9).genesis_proof());
            }
            _ => {}
        }
        all.into_iter().find(|proof| proof.block_hash() == hash)
    }

    fn answer_duet(&self, method: &str, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let (chain, lie) = (&self.chain, self.lie);
        Ok(match method {
            "duet_getGenesisProof" if lie.is_later_start() => {
                return Err(ErrorObject::owned(9005, "no proof of genesis", None::<()>))
            }
            "duet_getStartProof" if lie == Lie::OldLaterStart => {
                return Err(ErrorCode::MethodNotFound.into())
            }
            "duet_getStartProof" => {
                let (block,): (Option<H256>,) = params.parse()?;
                let proof = match block {
                    None => Some(chain.start_proof(2)),
                    Some(hash) => self.start_at(hash),
                };
                proof.map_or(Value::Null, |proof| self.bytes(&lie.of_start(proof)))
            }
            "duet_getWarpGenesis" | "duet_getWarpProof" => {
                let Some(warp) = &self.warp else {
                    return Err(ErrorCode::MethodNotFound.into());
                };
                let bytes = match method {
                    "duet_getWarpGenesis" => Some(warp.genesis.clone()),
                    _ => {
                        let (after,): (u32,) = params.parse()?;
                        (warp.after)(&warp.grandpa, after)
                    }
                };
                bytes.map_or(Value::Null, |bytes| {
                    json!(format!("0x{}", hex::encode(bytes)))
                })
            }
            "duet_getGenesisProof" => self.bytes(&lie.of_start(chain.genesis_proof())),
            "duet_getFinalizedHead" => match (lie, self.head()) {
                (Lie::ClaimsAhead, head) if self.greeted.swap(false, Ordering::Relaxed) => {
                    json!(self.block_hash(head))
                }
                (Lie::InventedHead | Lie::ClaimsAhead, head) => {
                    json!(H256::from_low_u64_be(UNPROVEN + u64::from(head) + 1))
                }
                (_, 0) => return Err(ErrorObject::owned(9001, "not yet", None::<()>)),
                (Lie::OtherHeadHash, head) => {
                    // The number is in the last bytes.
                    let mut hash = self.block_hash(head);
                    hash.0[0] ^= 1;
                    json!(hash)
                }
                (_, head) => json!(self.block_hash(head)),
            },
            "duet_getJustification" => {
                let (number,): (u32,) = params.parse()?;
                self.pushed(self.asked(number))
                    .map_or(Value::Null, |proof| self.bytes(&proof))
            }
            "duet_getStatelessProof" => {
                let (number,): (u32,) = params.parse()?;
                let proof = chain.stateless_proof(self.asked(number));
                let proof = proof.map(|proof| lie.of_stateless(chain, proof));
                proof.map_or(Value::Null, |proof| self.bytes(&proof))
            }
            "duet_getSetProofs" => {
                let (from, limit): (u64, usize) = params.parse()?;
                let mut proofs = chain.handoff_proofs(self.first(from), limit);
                proofs.retain(|proof| self.shows(&proof.justification));
                let proofs: Vec<_> = proofs
                    .into_iter()
                    .map(|proof| lie.of_handoff_proof(chain, proof))
                    .collect();
                self.bytes(&proofs)
            }
            "duet_getStatelessSetProofs" => {
                let (from, limit): (u64, usize) = params.parse()?;
                let mut proofs = chain.stateless_handoff_proofs(self.first(from), limit);
                proofs.retain(|proof| self.shows(&proof.justification));
                let proofs: Vec<_> = proofs
                    .into_iter()
                    .map(|proof| lie.of_stateless(chain, proof))
                    .collect();
                self.bytes(&proofs)
            }
            "duet_getKeys" => {
                let (set,): (u64,) = params.parse()?;
                let (behind, _) = reset(chain, lie);
                let keys = match lie {
                    Lie::Reset if set == behind.set.commitment().id.get() => {
                        Some(behind.set.keyset().key_bytes())
                    }
                    _ => chain.keys(set).map(|keys| lie.of_keys(keys)),
                };
                keys.map_or(Value::Null, |keys| self.bytes(&keys))
            }
            "duet_reportProof" => {
                let (text,): (String,) = params.parse()?;
                let bytes = hex::decode(&text[2..]).expect("0x-hex");
                let given: UncheckedJustification = decode(&bytes).expect("a proof");
                let said = given.commitment;
                let own = chain.justification(said.block_number.get());
                match own.map(|own| own.commitment == said) {
                    Some(true) => json!("true"),
                    Some(false) => json!("false"),
                    None => json!("undecided"),
                }
            }
            "duet_getProofs" => return Err(ErrorObject::owned(9008, "no state", None::<()>)),
            "duet_getReset" => match lie {
                Lie::Reset | Lie::FalseReset => {
                    let (_, proof) = reset(chain, lie);
                    json!(format!("0x{}", hex::encode(proof.header)))
                }
                _ => Value::Null,
            },
            other => panic!("no method {other}"),
        })
    }

    fn shows(&self, proof: &UncheckedJustification) -> bool {
        self.lie != Lie::Pruned && proof.commitment.block_number.get() <= self.head()
    }

    fn asked(&self, number: u32) -> u32 {
        if self.lie == Lie::OtherBlock {
            2
        } else {
            number
        }
    }

    fn first(&self, from: u64) -> u64 {
        if self.lie == Lie::SkippedSet {
            from + 1
        } else {
            from
        }
    }

    /// What a subscriber gets when `number` is proven.
    fn push(&self, number: u32) -> Option<Value> {
        let mut proof = self.pushed(number)?;
        if self.lie == Lie::Equivocates {
            let before = self.numbers().filter(|other| *other < number).last()?;
            let mut commitment = self.chain.justification(before)?.commitment;
            commitment.block_hash = H256::repeat_byte(0xbb);
            proof = self
                .chain
                .sign(commitment.validator_set_id.get(), commitment, 0..5);
        }
        if self.lie == Lie::PushesEarly {
            proof.signers = Bitfield::from_bytes(vec![0; 5]);
        }
        Some(self.bytes(&proof))
    }
}

/// A header with at most one item in its digest, as nodes show it.
fn header_json(mut bytes: &[u8]) -> Value {
    let (parent, Compact(number)) = <(H256, Compact<u32>)>::decode(&mut bytes).expect("a header");
    let (state, extrinsics) = <(H256, H256)>::decode(&mut bytes).expect("a header");
    let Compact(items) = <Compact<u32>>::decode(&mut bytes).expect("a header");
    let logs = vec![format!("0x{}", hex::encode(bytes)); usize::try_from(items).expect("few")];
    json!({
        "parentHash": parent,
        "number": format!("{number:#x}"),
        "stateRoot": state,
        "extrinsicsRoot": extrinsics,
        "digest": { "logs": logs },
    })
}

/// What a node that began in the middle of the chain cannot answer at first.
const PAST: [&str; 4] = [
    "duet_getGenesisProof",
    "duet_getSetProofs",
    "duet_getStatelessSetProofs",
    "duet_getKeys",
];

/// What a terminal shows as a line of the program itself, in place of the line that it is in.
pub(crate) const FORGED_LINE: &str = "\r\u{1b}[2Ksynced to block 7\n";

const METHODS: [&str; 16] = [
    "chain_getBlockHash",
    "chain_getHeader",
    "chain_getFinalizedHead",
    "duet_getGenesisProof",
    "duet_getStartProof",
    "duet_getFinalizedHead",
    "duet_getJustification",
    "duet_getStatelessProof",
    "duet_getSetProofs",
    "duet_getStatelessSetProofs",
    "duet_getKeys",
    "duet_getReset",
    "duet_getProofs",
    "duet_reportProof",
    "duet_getWarpGenesis",
    "duet_getWarpProof",
];

fn module(state: Arc<State>) -> RpcModule<Arc<State>> {
    let mut module = RpcModule::new(state);
    for method in METHODS {
        module
            .register_method(method, move |params, state, _| {
                state.answer(method, &params)
            })
            .expect("no method twice");
    }
    let (name, item, end) = (
        "duet_subscribeJustifications",
        "duet_justifications",
        "duet_unsubscribeJustifications",
    );
    module
        .register_subscription(name, item, end, |_, pending, state, _| async move {
            let stalls = state.lie == Lie::Stalls;
            let value = |number| state.push(number).filter(|_| !stalls);
            push(pending, state.visible.clone(), value).await;
        })
        .expect("no method twice");
    module
}
