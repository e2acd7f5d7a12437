//! What the model's small numbers stand for: keys, sets, blocks with headers, commitments, votes and proofs.
//!
//! A vote is signed and checked once, a proof added up once, and a header made once; the model finds them again by
//! number.

use crate::{
    chain::{Chain, Log, Pallet, SetRef},
    keys::{keys_of, KeyNumber, Mask},
};
use codec::Encode;
use duet_light_client::{testing::StartState, StartProof};
use duet_primitives::{
    check_stateless, testing::secret, BlockNumber, Commitment, ConsensusLog, DualKeyBytes,
    DualKeyset, Justification, KeysetCommitment, Keysets, Pk1Bytes, PossessedKey, RoundMessage,
    SecretKey, SetId, SignerIndex, StatelessProof, UncheckedVote, Vote, H256,
};
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// The number of a commitment that somebody may sign.
pub type StatementId = u16;

/// The keys that a Byzantine set names as its successor: nobody's on the chain.
const THIEVES: [KeyNumber; 2] = [8, 9];

/// The keys of the model, made once.
fn key(number: KeyNumber) -> &'static (SecretKey, DualKeyBytes) {
    static KEYS: OnceLock<Vec<(SecretKey, DualKeyBytes)>> = OnceLock::new();
    let keys = KEYS.get_or_init(|| {
        let secrets = (0..=THIEVES[1]).map(|number| secret(number.into()));
        secrets
            .map(|secret| (secret.clone(), secret.public()))
            .collect()
    });
    &keys[usize::from(number)]
}

/// The secret of a key.
pub fn secret_key(number: KeyNumber) -> SecretKey {
    key(number).0.clone()
}

/// A key in G1.
pub fn public_key(number: KeyNumber) -> Pk1Bytes {
    key(number).1.pk1()
}

/// A set with its members by number.
pub struct Members {
    /// The keys in set order.
    order: Vec<KeyNumber>,
    /// The set.
    pub set: DualKeyset,
    /// The same set for nodes, apart from the tables that other checks make.
    for_nodes: Arc<DualKeyset>,
}

/// A set without tables.
fn fresh(of: &SetRef) -> DualKeyset {
    let keys = of.members.iter().map(|number| &key(*number).1);
    let keys: Result<Vec<_>, _> = keys.map(PossessedKey::from_chain_state_unchecked).collect();
    let keys = keys.expect("keys of secrets are points");
    DualKeyset::new(SetId::new(of.id), keys).expect("no key is twice in a set")
}

impl Members {
    fn new(of: &SetRef) -> Self {
        let mut order = of.members.clone();
        order.sort_by_key(|number| public_key(*number));
        Self {
            order,
            set: fresh(of),
            for_nodes: Arc::new(fresh(of)),
        }
    }

    /// The position of a key.
    fn position(&self, key: KeyNumber) -> Option<SignerIndex> {
        let found = self.order.iter().position(|member| *member == key)?;
        u32::try_from(found).ok().map(SignerIndex::new)
    }

    /// The keys of all members.
    pub fn mask(&self) -> Mask {
        self.order.iter().fold(0, |mask, key| mask | 1 << key)
    }

    /// The set as a node has it.
    pub fn for_a_node(&self) -> Arc<DualKeyset> {
        self.for_nodes.clone()
    }
}

/// A commitment that somebody may sign.
pub struct Statement {
    /// What is signed.
    pub message: RoundMessage,
    /// The set that it names.
    pub by: SetRef,
}

impl Statement {
    /// The signed commitment.
    pub fn commitment(&self) -> &Commitment {
        self.message.commitment()
    }

    /// The block's number.
    pub fn number(&self) -> u32 {
        self.commitment().block_number.get()
    }
}

/// A block of a chain of the model, which the chain up to it determines.
pub struct Block {
    /// Its header, with the proof of the sets in its state.
    pub start: StartProof,
    /// Its hash.
    pub hash: H256,
    /// What the pallet wrote into the header.
    pub logs: Vec<ConsensusLog>,
    /// The pallet's state after it.
    pub pallet: Pallet,
    /// What validators sign about it; none where Duet is deactivated.
    pub statement: Option<StatementId>,
    /// What only Byzantine validators sign: another block of this number, and another successor.
    pub forged: Vec<StatementId>,
}

/// All of it, made when it is first asked for.
pub struct World {
    /// The hash of the genesis.
    pub genesis: H256,
    sets: HashMap<SetRef, Arc<Members>>,
    by_commitment: HashMap<KeysetCommitment, SetRef>,
    blocks: HashMap<Chain, Arc<Block>>,
    statements: Vec<Arc<Statement>>,
    numbers: HashMap<Commitment, StatementId>,
    votes: HashMap<(StatementId, KeyNumber), Vote>,
    proofs: HashMap<(StatementId, Mask), Option<Justification>>,
    handoffs: HashMap<(StatementId, Mask), bool>,
}

impl Default for World {
    fn default() -> Self {
        let mut world = Self {
            genesis: H256::zero(),
            sets: HashMap::new(),
            by_commitment: HashMap::new(),
            blocks: HashMap::new(),
            statements: vec![],
            numbers: HashMap::new(),
            votes: HashMap::new(),
            proofs: HashMap::new(),
            handoffs: HashMap::new(),
        };
        world.genesis = world.block(&Chain::default()).hash;
        world
    }
}

impl World {
    /// A set.
    pub fn set(&mut self, of: &SetRef) -> Arc<Members> {
        if let Some(known) = self.sets.get(of) {
            return known.clone();
        }
        let made = Arc::new(Members::new(of));
        self.by_commitment
            .insert(made.set.commitment().clone(), of.clone());
        self.sets.insert(of.clone(), made.clone());
        made
    }

    /// The set with this commitment.
    pub fn set_with(&self, commitment: &KeysetCommitment) -> Option<Arc<Members>> {
        self.sets.get(self.by_commitment.get(commitment)?).cloned()
    }

    /// A set that was made before.
    ///
    /// # Panics
    /// When it was not.
    pub fn known_set(&self, of: &SetRef) -> Arc<Members> {
        self.sets[of].clone()
    }

    /// The newest block of a chain.
    pub fn block(&mut self, chain: &Chain) -> Arc<Block> {
        if let Some(known) = self.blocks.get(chain) {
            return known.clone();
        }
        let parent = chain.parent().map(|parent| self.block(&parent));
        let (pallet, logs) = match &parent {
            None => (Pallet::genesis(), vec![]),
            Some(parent) => parent.pallet.next(chain.newest()),
        };
        let logs = logs.into_iter().map(|log| self.written(log)).collect();
        let keysets = self.keysets(&pallet);
        let signing = self.set(&pallet.current);
        let ended = pallet.ended.then(|| true.encode());
        let state = StartState {
            keysets: Some(&keysets.encode()),
            ended: ended.as_deref(),
            salt: chain.fork(),
        };
        let parent = parent.map_or(H256::zero(), |parent| parent.hash);
        let keys = signing.set.keyset().key_bytes();
        let start = state.start_proof(parent, chain.height(), keys);
        let hash = start.block_hash();
        let (statement, forged) = match chain.height() {
            0 => (None, vec![]),
            _ if pallet.ended => (None, vec![]),
            number => self.statements_about(number, hash, &pallet, &keysets),
        };
        let block = Arc::new(Block {
            start,
            hash,
            logs,
            pallet,
            statement,
            forged,
        });
        self.blocks.insert(chain.clone(), block.clone());
        block
    }

    /// `Keysets`, as the state names them.
    pub fn keysets(&mut self, pallet: &Pallet) -> Keysets {
        let current = self.commitment(&pallet.current);
        let next = pallet.next.as_ref();
        let next = next.map_or(current.clone(), |next| self.commitment(next));
        Keysets { current, next }
    }

    /// The commitment to a set.
    pub fn commitment(&mut self, of: &SetRef) -> KeysetCommitment {
        self.set(of).set.commitment().clone()
    }

    /// A log as the header has it.
    fn written(&mut self, log: Log) -> ConsensusLog {
        match log {
            Log::Planned(set) => ConsensusLog::Planned(self.commitment(&set)),
            Log::Activated(id) => ConsensusLog::Activated(SetId::new(id)),
            Log::Reset { ended, set } => ConsensusLog::Reset {
                ended: SetId::new(ended),
                set: self.commitment(&set),
            },
        }
    }

    fn statements_about(
        &mut self,
        number: u32,
        hash: H256,
        pallet: &Pallet,
        keysets: &Keysets,
    ) -> (Option<StatementId>, Vec<StatementId>) {
        let thieves = SetRef {
            id: pallet.current.id + 1,
            members: THIEVES.to_vec(),
        };
        let thieves = self.commitment(&thieves);
        let honest = Commitment {
            block_number: BlockNumber::new(number),
            block_hash: hash,
            mmr_root: H256::from_low_u64_be(number.into()),
            validator_set_id: SetId::new(pallet.current.id),
            next: keysets.next.clone(),
        };
        let other_block = Commitment {
            block_hash: H256(hash.0.map(|byte| !byte)),
            ..honest.clone()
        };
        let other_next = Commitment {
            next: thieves,
            ..honest.clone()
        };
        let by = &pallet.current;
        let forged = [other_block, other_next].map(|forged| self.number(forged, by));
        (Some(self.number(honest, by)), forged.to_vec())
    }

    fn number(&mut self, commitment: Commitment, by: &SetRef) -> StatementId {
        if let Some(known) = self.numbers.get(&commitment) {
            return *known;
        }
        let number =
            u16::try_from(self.statements.len()).expect("a small model has few statements");
        self.numbers.insert(commitment.clone(), number);
        self.statements.push(Arc::new(Statement {
            message: RoundMessage::new(self.genesis, commitment),
            by: by.clone(),
        }));
        number
    }

    /// A statement.
    pub fn statement(&self, id: StatementId) -> Arc<Statement> {
        self.statements[usize::from(id)].clone()
    }

    /// The number of a commitment that was made before.
    pub fn statement_of(&self, commitment: &Commitment) -> Option<StatementId> {
        self.numbers.get(commitment).copied()
    }

    /// The checked vote of a key, if it is a member of the set of the statement.
    pub fn vote(&mut self, id: StatementId, key: KeyNumber) -> Option<Vote> {
        if let Some(known) = self.votes.get(&(id, key)) {
            return Some(known.clone());
        }
        let statement = self.statement(id);
        let signer = self.set(&statement.by).position(key)?;
        let vote = UncheckedVote::sign(&secret_key(key), signer, &statement.message);
        // In a set of its own: a key that checks one vote makes no tables.
        let vote = vote
            .check(fresh(&statement.by).keyset(), &statement.message)
            .ok()?;
        self.votes.insert((id, key), vote.clone());
        Some(vote)
    }

    /// The proof that these keys make together; none below the threshold.
    pub fn proof(&mut self, id: StatementId, signers: Mask) -> Option<Justification> {
        if let Some(known) = self.proofs.get(&(id, signers)) {
            return known.clone();
        }
        let statement = self.statement(id);
        let votes: Vec<_> = keys_of(signers)
            .filter_map(|key| self.vote(id, key))
            .collect();
        let set = self.set(&statement.by);
        let proof = set.set.aggregate(&statement.message, &votes).ok();
        self.proofs.insert((id, signers), proof.clone());
        proof
    }

    /// HANDOFF-1: whether the chain takes the proof that these keys make. (STATELESS-1, STATELESS-2, JUST-1 to JUST-5)
    pub fn is_handoff(&mut self, id: StatementId, signers: Mask) -> bool {
        if let Some(known) = self.handoffs.get(&(id, signers)) {
            return *known;
        }
        let set = self.set(&self.statement(id).by.clone());
        let holds = self.proof(id, signers).is_some_and(|proof| {
            let proof = StatelessProof::new(&proof, set.set.keyset()).expect("the set signed it");
            check_stateless(proof, set.set.commitment(), self.genesis).is_ok()
        });
        self.handoffs.insert((id, signers), holds);
        holds
    }

    /// The key of a vote.
    pub fn signer_of(&mut self, vote: &Vote) -> Option<(StatementId, KeyNumber)> {
        let id = self.statement_of(vote.commitment())?;
        let set = self.statement(id).by.clone();
        let place = usize::try_from(vote.signer().get()).ok()?;
        Some((id, *self.set(&set).order.get(place)?))
    }
}
