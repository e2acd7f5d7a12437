//! A node with all methods that a light client asks for, over a [`World`], honest or with one thing changed.

use super::{
    host::{push, Calls, Host},
    world::{hex, World},
};
use codec::{Decode, Encode};
use duet_light_client::Dated;
use duet_primitives::H256;
use jsonrpsee::{
    server::{PendingSubscriptionSink, RpcModule, SubscriptionMessage},
    types::{ErrorCode, ErrorObject, ErrorObjectOwned, Params},
};
use serde_json::{json, Value};
use sp_core::{Blake2Hasher, Hasher};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// What a node does wrong. Each changes one thing of an honest answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tamper {
    /// Nothing.
    None,
    /// A value in the trie nodes, which is a balance.
    ChangedBalance,
    /// One bit of the trie node that has this in it.
    Changed(&'static str),
    /// Other trie nodes than those of keys that begin with `w`, as if there were none.
    NoWords,
    /// Trie nodes of the block before.
    OldState,
    /// The same, for its time too.
    OldTime,
    /// The header of the block before.
    OtherHeader,
    /// The place of another block in the range.
    OtherPath,
    /// Lists of keys without every third one, and with one from elsewhere.
    FewerKeys,
    /// The proof of the block before, for clients without keys.
    OlderProof,
    /// An extrinsic fewer.
    FewerExtrinsics,
    /// A trie node of so many bytes.
    HugeAnswer(usize),
    /// Nothing: its entries are so long that no answer has two of them.
    OneEntry,
    /// No answer to questions about the state.
    Silence,
    /// The keys of a start proof in another order.
    OtherStart,
    /// The genesis hash of another chain.
    OtherChain,
    /// Another hash for a transaction than its own.
    OtherTransactionHash,
    /// Says that a transaction is in a final block, which does not have it.
    FalselyFinal,
    /// No reset is known.
    NoReset,
    /// The reset is said to be in another block.
    OtherReset,
    /// The set of the chain has expired.
    SignsNothing,
    /// The state is pruned.
    Pruned,
    /// Nothing: it knows the last proof of the set before a reset, which is of this block.
    KnowsLast(u32),
    /// The last proof of that set: it is of this block, which the set behind the reset signed.
    OtherLast(u32),
    /// A bit of one byte of a part of `duet_getProofs`, or of a block's extrinsics.
    FlippedByte { part: &'static str, at: usize },
}

struct State {
    world: Arc<World>,
    tamper: Tamper,
    /// Whether it has `duet_getProofs`.
    at_once: bool,
    head: watch::Receiver<u32>,
    calls: Calls,
}

/// A running node; it ends when it is dropped.
pub(crate) struct Node {
    pub(crate) url: String,
    state: Arc<State>,
    head: watch::Sender<u32>,
    _host: Host,
}

/// The block at which, so a node says, the chain took Duet up.
pub(crate) const BEGAN: u32 = 3;

/// What terminals obey, in a text that a node chose.
pub(crate) const FORGED: &str = "\u{1b}[2J\r\nsynced to block 7";

impl Node {
    /// A node without `duet_getProofs` whose newest proven block is the world's.
    pub(crate) async fn start(world: &Arc<World>, tamper: Tamper) -> Self {
        let head = u32::try_from(world.blocks.len()).expect("few") - 1;
        Self::start_at(world, tamper, head, false).await
    }

    pub(crate) async fn start_at(
        world: &Arc<World>,
        tamper: Tamper,
        head: u32,
        at_once: bool,
    ) -> Self {
        let (head, receiver) = watch::channel(head);
        let state = Arc::new(State {
            world: Arc::clone(world),
            tamper,
            at_once,
            head: receiver,
            calls: Calls::default(),
        });
        let host = Host::start(module(Arc::clone(&state))).await;
        Self {
            url: host.url.clone(),
            state,
            head,
            _host: host,
        }
    }

    /// Proves up to this block.
    pub(crate) fn prove(&self, number: u32) {
        self.head.send_replace(number);
    }

    /// How often a method was called.
    pub(crate) fn calls(&self, method: &str) -> usize {
        self.state.calls.count(|call| call == method)
    }
}

const METHODS: [&str; 24] = [
    "chain_getBlockHash",
    "chain_getHeader",
    "chain_getFinalizedHead",
    "chain_getBlock",
    "state_getKeysPaged",
    "state_getReadProof",
    "state_getStorage",
    "mmr_generateProof",
    "duet_getFinalizedHead",
    "duet_getJustification",
    "duet_getStatelessProof",
    "duet_getSetProofs",
    "duet_getStatelessSetProofs",
    "duet_getKeys",
    "duet_getReset",
    "duet_getLastJustification",
    "duet_getLastStatelessProof",
    "duet_getProofs",
    "duet_getGenesisProof",
    "duet_getStartProof",
    "state_call",
    "system_chain",
    "author_submitExtrinsic",
    "system_version",
];

impl State {
    async fn answer(
        &self,
        method: &'static str,
        params: Params<'static>,
    ) -> Result<Value, ErrorObjectOwned> {
        // A client also proves the time when nobody asks for it: that is counted apart.
        let asked = params.parse::<(Vec<String>, H256)>();
        let is_time = method == "state_getReadProof"
            && asked.is_ok_and(|(keys, _)| decoded(&keys) == Dated::keys());
        self.calls.record(if is_time { "time" } else { method });
        if self.tamper == Tamper::Silence && method.starts_with("state_") {
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        match method {
            "state_getKeysPaged" => self.keys_paged(&params),
            "state_getReadProof" => self.read_proof(&params),
            "state_getStorage" => {
                let (key, hash): (String, H256) = params.parse()?;
                let value = self.world.value(self.number(hash)?, &decoded(&[key])[0]);
                Ok(json!(value.map(|value| hex(&value))))
            }
            "mmr_generateProof" => {
                let (numbers, newer, _): (Vec<u32>, u32, H256) = params.parse()?;
                let (leaves, proof) = self.path(numbers[0] - 1, newer);
                Ok(json!({ "leaves": hex(&leaves), "proof": hex(&proof) }))
            }
            "duet_getProofs" if self.at_once => self.proofs(&params),
            "duet_getProofs" => Err(ErrorCode::MethodNotFound.into()),
            _ if method.starts_with("duet_") => self.answer_duet(method, &params),
            _ if method.starts_with("chain_") => self.answer_chain(method, &params),
            "author_submitExtrinsic" => {
                let (text,): (String,) = params.parse()?;
                Ok(json!(self.transaction_hash(&text)))
            }
            "state_call" if self.tamper == Tamper::SignsNothing => Ok(json!("0x00")),
            "state_call" => Ok(json!("0x01")),
            "system_version" => Err(ErrorObject::owned(4003, FORGED, Some(FORGED.repeat(1_000)))),
            _ => Ok(json!(FORGED)),
        }
    }

    fn transaction_hash(&self, text: &str) -> H256 {
        let bytes = hex::decode(&text[2..]).expect("it was checked");
        let mut hash = Blake2Hasher::hash(&bytes);
        if self.tamper == Tamper::OtherTransactionHash {
            hash.0[0] ^= 1;
        }
        hash
    }

    fn head(&self) -> u32 {
        *self.head.borrow()
    }

    fn number(&self, hash: H256) -> Result<usize, ErrorObjectOwned> {
        let unknown = || ErrorObject::owned(4003, "unknown block", None::<()>);
        self.world.find(hash).ok_or_else(unknown)
    }

    fn path(&self, older: u32, newer: u32) -> (Vec<u8>, Vec<u8>) {
        match self.tamper {
            Tamper::OtherPath => self.world.path(older + 1, newer),
            _ => self.world.path(older, newer),
        }
    }

    /// The trie nodes, with what is changed of them.
    fn nodes(&self, number: usize, keys: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut nodes = match self.tamper {
            Tamper::OldTime => return self.world.nodes(number - 1, keys),
            // The time is honest, so that another lie is found where it is asked for.
            _ if keys == Dated::keys() => return self.world.nodes(number, keys),
            Tamper::OldState => return self.world.nodes(number - 1, keys),
            Tamper::NoWords if keys.iter().any(|key| key[0] >> 4 == b'w' >> 4) => {
                return self.world.nodes(number, &[vec![0]])
            }
            Tamper::HugeAnswer(len) => return vec![vec![0; len]],
            Tamper::OneEntry if keys.len() > 1 => return vec![vec![0; 9_000_000]],
            _ => self.world.nodes(number, keys),
        };
        if let Tamper::Changed(text) = self.tamper {
            let text = text.as_bytes();
            let has_it = |node: &&mut Vec<u8>| node.windows(text.len()).any(|part| part == text);
            if let Some(byte) = nodes
                .iter_mut()
                .find(has_it)
                .and_then(|node| node.last_mut())
            {
                *byte ^= 1;
            }
        }
        if self.tamper == Tamper::ChangedBalance {
            let value = super::world::account_info(u32::try_from(number).expect("few"));
            let place = nodes.iter_mut().find_map(|node| {
                let at = node.windows(value.len()).position(|part| part == value)?;
                // The lowest byte of the free balance.
                node.get_mut(at + 16)
            });
            if let Some(byte) = place {
                *byte ^= 1;
            }
        }
        nodes
    }

    fn keys_paged(&self, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let (prefix, count, after, hash): (String, usize, Option<String>, H256) = params.parse()?;
        let (prefix, number) = (decoded(&[prefix]).remove(0), self.number(hash)?);
        let after = after.map(|after| decoded(&[after]).remove(0));
        let keys = self.world.keys_under(number, &prefix).into_iter();
        let keys = keys.filter(|key| after.as_ref().is_none_or(|after| key > after));
        let mut keys: Vec<_> = keys.take(count).collect();
        if self.tamper == Tamper::FewerKeys {
            let mut place = 0;
            keys.retain(|_| {
                place += 1;
                place % 3 != 0
            });
            keys.push(vec![0xff]);
        }
        let keys: Vec<_> = keys.iter().map(|key| hex(key)).collect();
        Ok(json!(keys))
    }

    fn read_proof(&self, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let (keys, hash): (Vec<String>, H256) = params.parse()?;
        let number = self.number(hash)?;
        if self.tamper == Tamper::Pruned {
            return Err(ErrorObject::owned(4003, "state discarded", None::<()>));
        }
        let nodes = self.nodes(number, &decoded(&keys));
        let nodes: Vec<_> = nodes.iter().map(|node| hex(node)).collect();
        Ok(json!({ "at": hash, "proof": nodes }))
    }

    fn proofs(&self, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let (keys, block, under, stateless): (Vec<String>, Option<u32>, Option<u32>, bool) =
            params.parse()?;
        let under = under.unwrap_or(self.head());
        let block = block.unwrap_or(under);
        if self.tamper == Tamper::Pruned && !keys.is_empty() {
            return Err(ErrorObject::owned(9008, "no state", None::<()>));
        }
        let proof = match stateless {
            true => self.world.stateless_proof(under).encode(),
            false => self.world.justification(under).encode(),
        };
        let nodes = match keys.is_empty() {
            true => vec![],
            false => self.nodes(block as usize, &decoded(&keys)),
        };
        let path = (block != under).then(|| self.path(block, under));
        let flip = |part: &str, mut bytes: Vec<u8>| {
            if let Tamper::FlippedByte { part: other, at } = self.tamper {
                if other == part {
                    bytes[at] ^= 1;
                }
            }
            hex(&bytes)
        };
        let node = |(index, node): (usize, Vec<u8>)| match index {
            0 => flip("nodes", node),
            _ => hex(&node),
        };
        let header = match self.tamper {
            Tamper::OtherHeader => &self.world.blocks[block as usize - 1].header,
            _ => &self.world.blocks[block as usize].header,
        };
        Ok(json!({
            "proof": flip("proof", proof),
            "header": flip("header", header.clone()),
            "nodes": nodes.into_iter().enumerate().map(node).collect::<Vec<_>>(),
            "path": path.map(|(leaves, proof)| json!({
                "leaves": flip("leaves", leaves),
                "proof": flip("path", proof),
            })),
        }))
    }

    fn answer_chain(&self, method: &str, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let blocks = &self.world.blocks;
        match method {
            "chain_getBlockHash" => Ok(match self.tamper {
                Tamper::OtherChain => json!(H256::repeat_byte(3)),
                _ => {
                    let (number,): (u32,) = params.parse()?;
                    json!(blocks.get(number as usize).map(|block| block.hash))
                }
            }),
            "chain_getFinalizedHead" => Ok(json!(blocks[self.head() as usize].hash)),
            "chain_getHeader" => {
                let (hash,): (H256,) = params.parse()?;
                let number = self.number(hash)?;
                // What says the number of the head is honest, so that the lie is found where it is used.
                let lies =
                    self.tamper == Tamper::OtherHeader && !self.at_once && self.asked_for_proof();
                Ok(blocks[number - usize::from(lies)].json.clone())
            }
            _ => {
                let (hash,): (H256,) = params.parse()?;
                let block = &blocks[self.number(hash)?];
                let fewer = usize::from(self.tamper == Tamper::FewerExtrinsics);
                let all = block.extrinsics.iter().skip(fewer);
                let mut extrinsics: Vec<_> = all.cloned().collect();
                if let Tamper::FlippedByte {
                    part: "extrinsics",
                    at,
                } = self.tamper
                {
                    let byte = extrinsics.iter_mut().flatten().nth(at);
                    *byte.expect("there are so many") ^= 1;
                }
                let extrinsics: Vec<_> = extrinsics.iter().map(|bytes| hex(bytes)).collect();
                let block = json!({ "header": block.json, "extrinsics": extrinsics });
                Ok(json!({ "block": block, "justifications": null }))
            }
        }
    }

    fn asked_for_proof(&self) -> bool {
        let is_for_proof = |call: &str| call.starts_with("duet_get") && call.ends_with("tion");
        self.calls.count(is_for_proof) > 0
    }

    fn answer_duet(&self, method: &str, params: &Params<'_>) -> Result<Value, ErrorObjectOwned> {
        let (world, head) = (&self.world, self.head());
        let bytes = |bytes: Vec<u8>| json!(hex(&bytes));
        Ok(match method {
            "duet_getFinalizedHead" => json!(world.blocks[head as usize].hash),
            "duet_getJustification" => {
                let (number,): (u32,) = params.parse()?;
                if number <= head {
                    bytes(world.justification(number).encode())
                } else {
                    Value::Null
                }
            }
            "duet_getStatelessProof" => {
                let (number,): (u32,) = params.parse()?;
                if number <= head {
                    let before = u32::from(self.tamper == Tamper::OlderProof);
                    bytes(world.stateless_proof(number - before).encode())
                } else {
                    Value::Null
                }
            }
            "duet_getGenesisProof" => {
                return Err(ErrorObject::owned(9005, "no proof of genesis", None::<()>))
            }
            "duet_getStartProof" => {
                let (block,): (Option<H256>,) = params.parse()?;
                let number = match block {
                    None => Some(BEGAN as usize),
                    Some(hash) => world.find(hash),
                };
                let mut proof = number.map(|number| world.start_proof(number));
                if let (Tamper::OtherStart, Some(proof)) = (self.tamper, &mut proof) {
                    proof.keys.reverse();
                }
                proof.map_or(Value::Null, |proof| bytes(proof.encode()))
            }
            "duet_getKeys" => {
                let (set,): (u64,) = params.parse()?;
                world
                    .keys(set)
                    .map_or(Value::Null, |keys| bytes(keys.encode()))
            }
            "duet_getLastJustification" | "duet_getLastStatelessProof" => {
                let (set,): (u64,) = params.parse()?;
                match self.tamper {
                    Tamper::KnowsLast(last) | Tamper::OtherLast(last) if set == 0 => match method {
                        "duet_getLastJustification" => bytes(world.justification(last).encode()),
                        _ => bytes(world.stateless_proof(last).encode()),
                    },
                    Tamper::KnowsLast(_) | Tamper::OtherLast(_) => Value::Null,
                    // As nodes of before.
                    _ => return Err(ErrorObject::owned(-32601, "Method not found", None::<()>)),
                }
            }
            "duet_getReset" => {
                let (from,): (u64,) = params.parse()?;
                let behind = world.behind.as_ref();
                let reset = behind.filter(|behind| from < behind.set.set.commitment().id.get());
                let reset = reset.filter(|_| self.tamper != Tamper::NoReset);
                reset.map_or(Value::Null, |behind| {
                    let mut header = world.blocks[behind.at as usize].header.clone();
                    header[0] ^= u8::from(self.tamper == Tamper::OtherReset);
                    bytes(header)
                })
            }
            _ => bytes(Vec::<u8>::new().encode()),
        })
    }
}

fn decoded(keys: &[String]) -> Vec<Vec<u8>> {
    let bytes = |key: &String| hex::decode(&key[2..]).expect("hex");
    keys.iter().map(bytes).collect()
}

fn module(state: Arc<State>) -> RpcModule<Arc<State>> {
    let mut module = RpcModule::new(state);
    for method in METHODS {
        module
            .register_async_method(method, move |params, state, _| async move {
                state.answer(method, params).await
            })
            .expect("no method twice");
    }
    module
        .register_subscription(
            "duet_subscribeJustifications",
            "duet_justifications",
            "duet_unsubscribeJustifications",
            |_, pending, state, _| async move {
                let proof = |number| state.world.justification(number).encode();
                let value = |number| Some(json!(hex(&proof(number))));
                push(pending, state.head.clone(), value).await;
            },
        )
        .expect("no method twice");
    module
        .register_subscription(
            "author_submitAndWatchExtrinsic",
            "author_extrinsicUpdate",
            "author_unwatchExtrinsic",
            |params, pending, state, _| async move {
                let block = final_block(&state, &params);
                // Libraries would read the first two as finality.
                let statuses = [
                    json!("finalized"),
                    json!({ "Finalized": state.world.genesis() }),
                    json!("ready"),
                    json!({ "inBlock": block }),
                    json!({ "finalized": block }),
                ];
                tell(pending, &statuses).await;
            },
        )
        .expect("no method twice");
    module
        .register_subscription(
            "transactionWatch_v1_submitAndWatch",
            "transactionWatch_v1_watchEvent",
            "transactionWatch_v1_unwatch",
            |params, pending, state, _| async move {
                let block = json!({ "hash": final_block(&state, &params), "index": 99 });
                let statuses = [
                    json!({ "event": "Finalized", "block": block }),
                    json!({ "event": "validated" }),
                    json!({ "event": "finalized", "block": block }),
                ];
                tell(pending, &statuses).await;
            },
        )
        .expect("no method twice");
    module
}

/// Where a transaction is final, as the node says. The transaction names its block.
fn final_block(state: &State, params: &Params<'_>) -> H256 {
    let (text,): (String,) = params.parse().expect("it was checked");
    let bytes = hex::decode(&text[2..]).expect("hex");
    let (number, _) = <(u32, u32)>::decode(&mut &bytes[1..]).expect("one of the world");
    let other = u32::from(state.tamper == Tamper::FalselyFinal);
    state.world.blocks[(number - other) as usize].hash
}

async fn tell(pending: PendingSubscriptionSink, statuses: &[Value]) {
    let Ok(sink) = pending.accept().await else {
        return;
    };
    for status in statuses {
        let message = SubscriptionMessage::from_json(status).expect("JSON");
        if sink.send(message).await.is_err() {
            return;
        }
    }
}
