//! A node of a chain that has lost its keys and was reset: its RPC, over blocks in memory with keys that everybody knows.

use codec::{Compact, Encode};
use duet_light_client::testing::{read_proof, trie};
use duet_primitives::{
    suite::{ENGINE_ID, RECOVERY_TERMS_STORAGE_KEY},
    testing::TestSet,
    BlockNumber, ConsensusLog, KeysetCommitment, Recovery, RecoveryMessage, RecoveryProof,
    RecoveryStatement, RecoveryTerms, RecoveryVote, RoundMessage, SetId, SignerIndex,
    StatelessProof, H256,
};
use jsonrpsee::{
    server::{RpcModule, Server, ServerHandle},
    types::{ErrorCode, ErrorObject, ErrorObjectOwned, Params},
};
use serde_json::{json, Value};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The newest block that the lost keys have proven, as most know.
pub const ABOUT: u32 = 6;
/// One that they have proven after it.
pub const NEWER: u32 = 8;
/// A reset of another history.
pub const OTHER_RESET: u32 = 11;
/// The block of the reset.
pub const RESET: u32 = 12;
/// The first block that the set behind it has proven.
pub const AFTER: u32 = 14;
/// How long a verifier waits, in seconds.
pub const DELAY: u64 = 600;

struct Block {
    hash: H256,
    bytes: Vec<u8>,
    json: Value,
}

/// The chain. Its first set proves its blocks up to the reset, and hands off to the second one in block [`ABOUT`] if it
/// does so at all.
pub struct ResetChain {
    pub genesis_hash: H256,
    /// The set that signs first, its successor, and the set behind the reset.
    pub sets: [TestSet; 3],
    members: TestSet,
    hands_off: bool,
    blocks: BTreeMap<u32, Block>,
    nodes: Vec<String>,
}

/// What a node serves.
#[derive(Clone, Copy, Debug)]
pub struct Serves {
    /// Its newest proof.
    pub head: u32,
    /// The newest proof by the lost keys that it has.
    pub lost: u32,
    /// It says that the chain was reset in this block.
    pub reset: Option<u32>,
    /// It knows `duet_getLastStatelessProof`.
    pub last: bool,
    /// It keeps the state.
    pub state: bool,
}

/// A node; it ends when it is dropped.
pub struct ResetNode {
    pub url: String,
    serves: Arc<Mutex<Serves>>,
    _server: ServerHandle,
}

impl ResetChain {
    /// With these terms in the state of each block, or none.
    pub fn new(hands_off: bool, has_terms: bool) -> Self {
        let sets = [(0, 0..4), (1, 4..8), (9, 30..34)];
        let sets = sets.map(|(id, members)| TestSet::new(id, members));
        let members = TestSet::new(3, 20..24);
        let terms = RecoveryTerms {
            set: members.set.commitment().clone(),
            delay: DELAY,
        };
        let other = (vec![7; 32], vec![7; 40]);
        let terms = has_terms.then(|| (RECOVERY_TERMS_STORAGE_KEY.to_vec(), terms.encode()));
        let (state, root) = trie([other].into_iter().chain(terms));
        let nodes = read_proof(&state, root, &[RECOVERY_TERMS_STORAGE_KEY.as_slice()]);
        let mut chain = Self {
            genesis_hash: H256::repeat_byte(1),
            sets,
            members,
            hands_off,
            blocks: BTreeMap::new(),
            nodes: nodes.iter().map(|node| hex(node)).collect(),
        };
        for number in [ABOUT, NEWER, OTHER_RESET, RESET, AFTER] {
            let block = chain.block(number, root);
            chain.blocks.insert(number, block);
        }
        chain
    }

    fn block(&self, number: u32, state_root: H256) -> Block {
        let set = match number {
            OTHER_RESET => Some(TestSet::new(8, 40..44).set.commitment().clone()),
            RESET => Some(self.sets[2].set.commitment().clone()),
            _ => None,
        };
        let ended = self.ended();
        let log = set.map(|set| ConsensusLog::Reset { ended, set }.encode());
        let logs: Vec<_> = log
            .map(|log| (4_u8, ENGINE_ID, log).encode())
            .into_iter()
            .collect();
        let (parent, extrinsics) = (H256::repeat_byte(2), H256::repeat_byte(3));
        let count = Compact(u32::try_from(logs.len()).expect("at most one"));
        let mut bytes = (parent, Compact(number), state_root, extrinsics, count).encode();
        bytes.extend(logs.concat());
        let logs: Vec<_> = logs.iter().map(|log| hex(log)).collect();
        Block {
            hash: H256(sp_crypto_hashing::blake2_256(&bytes)),
            json: json!({
                "parentHash": parent,
                "number": format!("{number:#x}"),
                "stateRoot": state_root,
                "extrinsicsRoot": extrinsics,
                "digest": { "logs": logs },
            }),
            bytes,
        }
    }

    pub fn hash(&self, number: u32) -> H256 {
        self.blocks[&number].hash
    }

    /// The newest set before the reset.
    pub fn ended(&self) -> SetId {
        self.sets[usize::from(self.hands_off)].set.commitment().id
    }

    /// The set that signs first.
    pub fn first(&self) -> KeysetCommitment {
        self.sets[0].set.commitment().clone()
    }

    /// The proof of a block. One of the four has not signed.
    pub fn proof(&self, number: u32) -> StatelessProof {
        let [first, second, last] = &self.sets;
        let (signs, next) = match number {
            AFTER => (last, last),
            _ if self.hands_off => (first, second),
            _ => (first, first),
        };
        let mut commitment = signs.commitment(number, &next.set);
        commitment.block_hash = self.hash(number);
        let message = RoundMessage::new(self.genesis_hash, commitment);
        let justification = signs.justify(&message, [0, 1, 3]);
        StatelessProof::new(&justification, signs.set.keyset()).expect("its own set")
    }

    /// What the recovery keys say.
    pub fn statement(&self) -> RecoveryStatement {
        RecoveryStatement {
            recovery_set: self.members.set.commitment().id,
            block_number: BlockNumber::new(ABOUT),
            block_hash: self.hash(ABOUT),
            ended: self.ended(),
            reset_number: BlockNumber::new(RESET),
            reset_hash: self.hash(RESET),
            set: self.sets[2].set.commitment().clone(),
        }
    }

    /// What they say when they were stolen.
    pub fn lie(&self) -> RecoveryStatement {
        RecoveryStatement {
            set: TestSet::new(9, 50..54).set.commitment().clone(),
            ..self.statement()
        }
    }

    /// That the chain was reset in another block.
    pub fn lie_of_another_reset(&self) -> RecoveryStatement {
        RecoveryStatement {
            reset_number: BlockNumber::new(OTHER_RESET),
            reset_hash: self.hash(OTHER_RESET),
            set: TestSet::new(8, 40..44).set.commitment().clone(),
            ..self.statement()
        }
    }

    /// The proof of a statement.
    pub fn recovery(&self, statement: &RecoveryStatement) -> RecoveryProof {
        let message = RecoveryMessage::new(self.genesis_hash, statement.clone());
        let votes = [0_u32, 1, 3].map(|signer| {
            let secret = &self.members.secrets[signer as usize];
            RecoveryVote::sign(secret, SignerIndex::new(signer), &message)
        });
        let proof = Recovery::combine(self.members.set.keyset(), self.genesis_hash, &votes);
        proof.expect("enough members").into_unchecked()
    }
}

impl Serves {
    /// A node that has seen the reset, and no proof by the lost keys after [`ABOUT`].
    pub fn all() -> Self {
        Self {
            head: AFTER,
            lost: ABOUT,
            reset: Some(RESET),
            last: true,
            state: true,
        }
    }
}

impl ResetNode {
    pub async fn start(chain: &Arc<ResetChain>, serves: Serves) -> Self {
        let serves = Arc::new(Mutex::new(serves));
        let server = Server::builder().build("127.0.0.1:0").await;
        let server = server.expect("a port is free");
        let address = server.local_addr().expect("it listens");
        let module = module(Arc::clone(chain), Arc::clone(&serves));
        Self {
            url: format!("ws://{address}"),
            serves,
            _server: server.start(module),
        }
    }

    /// From now on.
    pub fn set(&self, change: impl FnOnce(&mut Serves)) {
        change(&mut self.serves.lock().expect("nothing panics with it"));
    }
}

type Answer = Result<Value, ErrorObjectOwned>;
type Node = (Arc<ResetChain>, Arc<Mutex<Serves>>);

fn module(chain: Arc<ResetChain>, serves: Arc<Mutex<Serves>>) -> RpcModule<Node> {
    let mut module = RpcModule::new((chain, serves));
    let mut method = |name: &'static str, answer: fn(&ResetChain, Serves, Params<'_>) -> Answer| {
        let registered = module.register_method(name, move |params, (chain, serves), _| {
            let serves = *serves.lock().expect("nothing panics with it");
            answer(chain, serves, params)
        });
        registered.expect("a name is used once");
    };
    method("chain_getBlockHash", |chain, _, _| {
        Ok(json!(chain.genesis_hash))
    });
    method("duet_getFinalizedHead", |chain, serves, _| {
        Ok(json!(chain.hash(serves.head)))
    });
    method("chain_getHeader", |chain, _, params| {
        let hash: H256 = params.one()?;
        let block = chain.blocks.values().find(|block| block.hash == hash);
        Ok(json!(block.map(|block| block.json.clone())))
    });
    method("state_getReadProof", |chain, serves, _| {
        if !serves.state {
            return Err(ErrorObject::owned(
                4003,
                "State already discarded",
                None::<()>,
            ));
        }
        Ok(json!({ "proof": chain.nodes }))
    });
    method("duet_getStatelessProof", |chain, serves, params| {
        let number: u32 = params.one()?;
        let is_there = [serves.lost, serves.head].contains(&number);
        Ok(json!(is_there.then(|| in_hex(&chain.proof(number)))))
    });
    method("duet_getStatelessSetProofs", |chain, serves, params| {
        let (from, _): (u64, u32) = params.parse()?;
        let hands_off = chain.hands_off && from == 0 && serves.head >= ABOUT;
        let proofs: Vec<_> = hands_off.then(|| chain.proof(ABOUT)).into_iter().collect();
        Ok(json!(in_hex(&proofs)))
    });
    method("duet_getReset", |chain, serves, params| {
        let from: u64 = params.one()?;
        let begins = |block: u32| if block == RESET { 9 } else { 8 };
        let reset = serves.reset.filter(|block| from < begins(*block));
        Ok(json!(reset.map(|block| hex(&chain.blocks[&block].bytes))))
    });
    method("duet_getLastStatelessProof", |chain, serves, params| {
        if !serves.last {
            return Err(ErrorCode::MethodNotFound.into());
        }
        let last = match params.one()? {
            0 => Some(serves.lost),
            9 => Some(serves.head).filter(|head| *head == AFTER),
            _ => None,
        };
        Ok(json!(last.map(|block| in_hex(&chain.proof(block)))))
    });
    module
}

fn in_hex(object: &impl Encode) -> String {
    hex(&object.encode())
}

fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}
