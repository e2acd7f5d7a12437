//! A chain without a node: blocks built and executed one after the other by the runtime's own entry points.

use crate::{
    configs::finality::NotedAuthor,
    constants::{SESSION_BLOCKS, SLOT_MILLIS},
    extrinsic,
    genesis::local_testnet,
    AccountId, Duet, Executive, Hash, Header, Runtime, RuntimeCall, RuntimeGenesisConfig, Session,
    System, UncheckedExtrinsic, VERSION,
};
use codec::{Decode, Encode};
use duet_primitives::{
    ownership_statement, suite::ENGINE_ID, BlockNumber, Commitment, ConsensusLog, DualKeyset,
    RoundMessage, SecretKey, StatelessProof, UncheckedVote, Vote,
};
use frame_support::traits::{DisabledValidators, FindAuthor};
use pallet_duet::{Handoff, Truth};
use serde_json::{json, Value};
use sp_consensus_aura::AURA_ENGINE_ID;
use sp_core::{
    offchain::{
        testing::{TestOffchainExt, TestTransactionPoolExt},
        OffchainDbExt, TransactionPoolExt,
    },
    H256,
};
use sp_io::TestExternalities;
use sp_keyring::Sr25519Keyring;
use sp_keystore::{testing::MemoryKeystore, KeystoreExt};
use sp_runtime::{
    traits::{BlakeTwo256, Hash as _},
    ApplyExtrinsicResult, BuildStorage, Digest, DigestItem,
};

/// The genesis hash that votes and proofs of possession name here.
pub(super) const GENESIS_HASH: H256 = H256::repeat_byte(0x47);

/// The validators of [`Chain::of_four`].
pub(super) const VALIDATORS: [Sr25519Keyring; 4] = [
    Sr25519Keyring::Alice,
    Sr25519Keyring::Bob,
    Sr25519Keyring::Charlie,
    Sr25519Keyring::Dave,
];

/// The secret behind the Duet key of one of [`VALIDATORS`], and those of validators that join later.
pub(super) fn secret(index: u8) -> SecretKey {
    SecretKey::from_seed(&[0x70 + index; 32]).expect("not zero")
}

/// A chain and its latest block.
pub(super) struct Chain {
    state: TestExternalities,
    parent: Hash,
    number: u32,
    slot: u64,
    /// Who of the validators signs handoffs.
    signers: Vec<SecretKey>,
    /// A proof of a handoff that no block has yet.
    handoff: Option<UncheckedExtrinsic>,
}

impl Chain {
    /// The chain that starts with a preset.
    pub(super) fn new(preset: Value) -> Self {
        let storage = config(preset)
            .build_storage()
            .expect("the genesis is valid");
        let mut state = TestExternalities::new(storage);
        state.register_extension(KeystoreExt::new(MemoryKeystore::new()));
        Self {
            state,
            parent: GENESIS_HASH,
            number: 0,
            slot: 1,
            signers: Vec::new(),
            handoff: None,
        }
    }

    /// The local network, with keys whose secrets are at hand; the validators hand off as nodes do. So does a fifth one with
    /// the next secret.
    pub(super) fn of_four() -> Self {
        let keys: Vec<_> = (0..)
            .zip(VALIDATORS)
            .map(|(index, validator)| {
                let account = validator.to_account_id();
                let statement = ownership_statement(H256::zero(), &account);
                let secret = secret(index);
                (
                    account,
                    secret.public(),
                    secret.prove_possession(&statement),
                )
            })
            .collect();
        let mut preset = local_testnet();
        preset["duet"] = json!({ "keys": keys });
        let mut chain = Self::new(preset);
        chain.signers_are((0..=4).map(secret));
        chain
    }

    /// From now on these sign handoffs.
    pub(super) fn signers_are(&mut self, signers: impl IntoIterator<Item = SecretKey>) {
        self.signers = signers.into_iter().collect();
    }

    /// The set that signs at the latest block.
    pub(super) fn set(&mut self) -> DualKeyset {
        self.ask(|| {
            let current = Duet::keysets().expect("has keys").current;
            let keys = Duet::current_keys();
            DualKeyset::from_chain_state_unchecked(&current, &keys).expect("its keys")
        })
    }

    /// What is true of the latest block.
    pub(super) fn truth(&mut self, header: &Header) -> Commitment {
        let payload = self.ask(|| Duet::commitment_payload().expect("has keys"));
        payload.commit(BlockNumber::new(header.number), header.hash())
    }

    /// The proof of the latest block by those who sign, with its header; `None` when too few do.
    pub(super) fn hand_off(&mut self, header: &Header) -> Option<Handoff<Header>> {
        let (set, said) = (self.set(), self.truth(header));
        let message = RoundMessage::new(GENESIS_HASH, said.clone());
        let votes = votes(&set, &said, &self.signers);
        let proof = set.aggregate(&message, &votes).ok()?;
        let proof = StatelessProof::new(&proof, set.keyset()).expect("is of this set");
        let truth = Truth::Recent(Box::new(header.clone()));
        Some(Handoff { proof, truth })
    }

    /// Has a later block take the proof of this one, if it is a handoff.
    fn follow(&mut self, header: &Header) {
        let plans = |log: &ConsensusLog| matches!(log, ConsensusLog::Planned(_));
        if logs(header).iter().any(plans) {
            self.handoff = self.hand_off(header).map(|handoff| {
                let handoff = Box::new(handoff);
                UncheckedExtrinsic::new_bare(pallet_duet::Call::prove_handoff { handoff }.into())
            });
        }
    }

    /// Asks the state after the latest block.
    pub(super) fn ask<R>(&mut self, question: impl FnOnce() -> R) -> R {
        self.state.execute_with(question)
    }

    /// What a call of the runtime submits to the pool of its node.
    pub(super) fn submitted(
        &mut self,
        submit: impl FnOnce() -> Option<()>,
    ) -> Option<UncheckedExtrinsic> {
        let (pool, state) = TestTransactionPoolExt::new();
        self.state.register_extension(TransactionPoolExt::new(pool));
        self.ask_with_offchain_database(submit)?;
        let bytes = state.write().transactions.pop()?;
        Some(UncheckedExtrinsic::decode(&mut &bytes[..]).expect("an extrinsic"))
    }

    /// The same as [`Chain::ask`], with what the runtime indexed off chain at hand, as nodes have it.
    pub(super) fn ask_with_offchain_database<R>(&mut self, question: impl FnOnce() -> R) -> R {
        self.state.persist_offchain_overlay();
        let (database, _) = TestOffchainExt::with_offchain_db(self.state.offchain_db());
        self.state.register_extension(OffchainDbExt::new(database));
        self.ask(question)
    }

    /// What proves entries of the state after the latest block.
    pub(super) fn read_proof(&mut self, keys: &[Vec<u8>]) -> Vec<Vec<u8>> {
        self.state.commit_all().expect("the state is in order");
        let proof = sp_state_machine::prove_read(self.state.as_backend(), keys);
        proof
            .expect("the state is there")
            .into_iter_nodes()
            .collect()
    }

    /// Number of the latest block.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The session of the latest block.
    pub(super) fn session(&mut self) -> u32 {
        self.ask(pallet_session::CurrentIndex::<Runtime>::get)
    }

    /// Makes the next block with these transactions; each must be applied, whether it succeeds or not.
    pub(super) fn block_of(&mut self, transactions: Vec<UncheckedExtrinsic>) -> Header {
        let results = self.try_block_of(transactions);
        for result in results.1 {
            result.expect("is applicable").expect("succeeds");
        }
        results.0
    }

    /// Makes the next block and says what became of the transactions.
    pub(super) fn try_block_of(
        &mut self,
        transactions: Vec<UncheckedExtrinsic>,
    ) -> (Header, Vec<ApplyExtrinsicResult>) {
        let Self {
            state,
            parent,
            number,
            slot,
            handoff,
            ..
        } = self;
        // A block with which a session starts has no room for it.
        let has_room = !(*number + 1).is_multiple_of(SESSION_BLOCKS);
        let handoff = if has_room { handoff.take() } else { None };
        let first = if handoff.is_some() { 2 } else { 1 };
        let (header, results) = state.execute_with(|| {
            while is_disabled(*slot) {
                *slot += 1;
            }
            let now = RuntimeCall::from(pallet_timestamp::Call::set {
                now: *slot * SLOT_MILLIS,
            });
            let extrinsics: Vec<_> = [UncheckedExtrinsic::new_bare(now)]
                .into_iter()
                .chain(handoff)
                .chain(transactions)
                .collect();
            let extrinsics_root = BlakeTwo256::ordered_trie_root(
                extrinsics.iter().map(Encode::encode).collect(),
                sp_runtime::StateVersion::V1,
            );
            let digest = Digest {
                logs: vec![DigestItem::PreRuntime(AURA_ENGINE_ID, slot.encode())],
            };
            Executive::initialize_block(&Header {
                parent_hash: *parent,
                number: *number + 1,
                state_root: H256::zero(),
                extrinsics_root,
                digest,
            });
            let mut results: Vec<_> = extrinsics
                .into_iter()
                .map(Executive::apply_extrinsic)
                .collect();
            let others = results.split_off(first);
            assert!(results.iter().all(|result| *result == Ok(Ok(()))));
            (Executive::finalize_block(), others)
        });
        *parent = header.hash();
        *number += 1;
        *slot += 1;
        self.follow(&header);
        (header, results)
    }

    /// Begins the next block, and says who is taken for its author and who is: whose turn it is among the
    /// validators of the latest block. The chain is of no use afterwards.
    pub(super) fn author_of_next_block(mut self) -> [Option<AccountId>; 2] {
        let authors = self.ask(validators);
        let turn = self.slot % authors.len() as u64;
        let expected = authors.get(usize::try_from(turn).expect("few validators"));
        let header = Header {
            parent_hash: self.parent,
            number: self.number + 1,
            state_root: H256::zero(),
            extrinsics_root: H256::zero(),
            digest: Digest {
                logs: vec![DigestItem::PreRuntime(AURA_ENGINE_ID, self.slot.encode())],
            },
        };
        let found = self.ask(|| {
            Executive::initialize_block(&header);
            let digests = header.digest.logs().iter();
            NotedAuthor::find_author(digests.filter_map(DigestItem::as_pre_runtime))
        });
        [found, expected.cloned()]
    }

    /// Makes an empty block.
    pub(super) fn block(&mut self) -> Header {
        self.block_of(vec![])
    }

    /// Makes empty blocks until a session has started.
    pub(super) fn advance_to_session(&mut self, session: u32) {
        let limit = SESSION_BLOCKS * (session + 1);
        while self.session() < session {
            assert!(self.number < limit, "session {session} does not start");
            self.block();
        }
    }

    /// A signed transaction of a well-known account.
    pub(super) fn sign(
        &mut self,
        signer: Sr25519Keyring,
        nonce: u32,
        call: impl Into<RuntimeCall>,
    ) -> UncheckedExtrinsic {
        let payload = extrinsic::payload(call.into(), nonce, GENESIS_HASH, VERSION.spec_version);
        extrinsic::sign(payload, signer.to_account_id(), |bytes| {
            signer.sign(bytes).into()
        })
    }
}

/// The votes of those of these who are members.
pub(super) fn votes(set: &DualKeyset, said: &Commitment, secrets: &[SecretKey]) -> Vec<Vote> {
    let message = RoundMessage::new(GENESIS_HASH, said.clone());
    let vote = |secret: &SecretKey| {
        let signer = set.keyset().position(&secret.public().pk1())?;
        let vote = UncheckedVote::sign(secret, signer, &message);
        Some(vote.check(set.keyset(), &message).expect("holds"))
    };
    secrets.iter().filter_map(vote).collect()
}

/// Aura refuses blocks of disabled authors, so an honest network skips their slots.
fn is_disabled(slot: u64) -> bool {
    let authors = Session::validators().len() as u64;
    // A session that starts with this block has its own authors; only ours decides who may author it.
    let index = u32::try_from(slot % authors).expect("few validators");
    Session::is_disabled(index)
}

/// A preset as the runtime reads it: the default, changed.
pub(super) fn config(preset: Value) -> RuntimeGenesisConfig {
    let mut config =
        serde_json::to_value(RuntimeGenesisConfig::default()).expect("a default has a form");
    merge(&mut config, preset);
    serde_json::from_value(config).expect("the preset fits the runtime")
}

fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (field, value) in patch {
                merge(into.entry(field).or_insert(Value::Null), value);
            }
        }
        (into, patch) => *into = patch,
    }
}

/// What Duet announces about its sets in a header, in order.
pub(super) fn logs(header: &Header) -> Vec<ConsensusLog> {
    let all = all_logs(header).into_iter();
    all.filter(|log| !matches!(log, ConsensusLog::Payload(_)))
        .collect()
}

/// What Duet says in a header, in order.
pub(super) fn all_logs(header: &Header) -> Vec<ConsensusLog> {
    let duet = header.digest.logs().iter().filter_map(|item| match item {
        DigestItem::Consensus(ENGINE_ID, bytes) => Some(bytes),
        _ => None,
    });
    duet.map(|bytes| ConsensusLog::decode(&mut &bytes[..]).expect("a log of Duet"))
        .collect()
}

/// The accounts that validate in the session of the latest block.
pub(super) fn validators() -> Vec<AccountId> {
    Session::validators()
}

/// Whether an event like this was deposited in the latest block.
pub(super) fn has_event(wanted: impl Fn(&crate::RuntimeEvent) -> bool) -> bool {
    System::events().iter().any(|record| wanted(&record.event))
}
