//! A chain in memory, for tests: real back end, and a runtime that answers from a table.

pub(crate) mod clock;
pub(crate) mod network;
pub(crate) mod nodes;
pub(crate) mod reader;

use crate::{
    chain::{
        blocks::{BackendBlocks, Blocks},
        runtime::ClientRuntime,
        Chain,
    },
    client::{AccountId, DuetClient, Headers, Outside},
    store::Store,
};
use codec::Encode;
use duet_light_client::testing::StartState;
use duet_primitives::{
    suite, testing::TestSet, Accusation, Bitfield, CommitmentPayload, ConsensusLog, DualKeyBytes,
    DuetApi, EquivocationProof, EvidenceStatus, Keysets, Participation, SetId, SigningRecord,
    StatelessProof, VotingRules, H256,
};
use parking_lot::Mutex;
use sc_client_api::{
    in_mem, AuxStore, Backend as BackendT, BlockImportOperation as _, FinalityNotifications,
    NewBlockState,
};
use sc_transaction_pool_api::{OffchainTransactionPoolFactory, RejectAllTxPool};
use sc_utils::mpsc::tracing_unbounded;
use sp_api::{ApiError, ApiRef, ProvideRuntimeApi};
use sp_blockchain::HeaderBackend;
use sp_runtime::{
    generic::{self, Header},
    traits::{BlakeTwo256, Header as HeaderT},
    Digest, DigestItem, OpaqueExtrinsic,
};
use std::{collections::HashMap, sync::Arc};

pub(crate) type Block = generic::Block<Header<u32, BlakeTwo256>, OpaqueExtrinsic>;
pub(crate) type Backend = in_mem::Backend<Block>;

/// What the runtime says at one block.
#[derive(Clone, Default)]
struct TestState {
    keysets: Option<Keysets>,
    current: Vec<DualKeyBytes>,
    next: Vec<DualKeyBytes>,
    payload: Option<CommitmentPayload>,
    /// Whether governance put Duet down.
    ended: bool,
    rules: VotingRules,
    /// Proves the keysets under the block's state root.
    nodes: Vec<Vec<u8>>,
}

/// A block: its logs, and what the runtime says at its end.
#[derive(Clone)]
pub(crate) struct TestBlock {
    state: Option<TestState>,
    state_root: H256,
    logs: Vec<ConsensusLog>,
}

impl TestBlock {
    /// A block of a runtime that does not know Duet.
    pub(crate) fn without_duet() -> Self {
        Self {
            state: Some(TestState::default()),
            state_root: H256::zero(),
            logs: Vec::new(),
        }
    }

    /// The same block on a node that did not execute it.
    pub(crate) fn without_state(self) -> Self {
        Self {
            state: None,
            ..self
        }
    }

    /// The same block with a signing set that votes by these rules.
    pub(crate) fn voting_by(mut self, rules: VotingRules) -> Self {
        if let Some(state) = &mut self.state {
            state.rules = rules;
        }
        self
    }

    /// The same block with a runtime that reads another MMR root than the block's header is about: an upgrade came with
    /// the block.
    pub(crate) fn after_an_upgrade(mut self) -> Self {
        let payload = self.state.as_mut().and_then(|state| state.payload.as_mut());
        payload.expect("a payload").mmr_root = H256::repeat_byte(6);
        self
    }

    /// The same block with a set that has expired. (HANDOFF-5)
    pub(crate) fn expired(mut self) -> Self {
        if let Some(state) = &mut self.state {
            state.payload = None;
        }
        self
    }

    /// The same block of a chain that has put Duet down. (ACTIVE-3)
    pub(crate) fn put_down(self) -> Self {
        let mut block = self.expired();
        if let Some(state) = &mut block.state {
            state.ended = true;
        }
        block
    }

    /// A block at whose end `current` signs and `next` is planned.
    pub(crate) fn new(current: &TestSet, next: &TestSet, logs: &[ConsensusLog]) -> Self {
        let commitment = |set: &TestSet| set.set.commitment().clone();
        let keysets = Keysets {
            current: commitment(current),
            next: commitment(next),
        };
        let state = StartState {
            keysets: Some(&keysets.encode()),
            ..StartState::default()
        };
        // The proof that nothing ended these sets takes no other node.
        let (state_root, nodes) = state.prove(1);
        let payload = CommitmentPayload {
            mmr_root: H256::repeat_byte(5),
            validator_set_id: current.set.commitment().id,
            next: commitment(next),
        };
        let said = ConsensusLog::Payload(payload.hash());
        let state = TestState {
            keysets: Some(keysets),
            current: dual_keys(current),
            next: dual_keys(next),
            payload: Some(payload),
            ended: false,
            rules: VotingRules::default(),
            nodes,
        };
        Self {
            state: Some(state),
            state_root,
            logs: logs.iter().cloned().chain([said]).collect(),
        }
    }
}

/// What becomes of a report that is submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Submission {
    /// The pool takes it.
    Taken,
    /// The pool refuses it.
    Refused,
    /// The runtime cannot be called.
    Failed,
}

/// A runtime that answers from a table; a block that is not in it has no state.
#[derive(Clone, Default)]
pub(crate) struct TestClient {
    states: Arc<Mutex<HashMap<H256, TestState>>>,
    reports: Arc<Mutex<u32>>,
    accusations: Arc<Mutex<Vec<Accusation>>>,
    submission: Arc<Mutex<Option<Submission>>>,
    status: Arc<Mutex<Option<EvidenceStatus>>>,
    calls: Arc<Mutex<u32>>,
    participation: Arc<Mutex<Option<Participation<AccountId>>>>,
    handoffs: Arc<Mutex<HashMap<SetId, Bitfield>>>,
    handed_in: Arc<Mutex<Vec<StatelessProof>>>,
    storage: Arc<Mutex<HashMap<Vec<u8>, Vec<u8>>>>,
}

impl TestClient {
    /// What it says at a block, when it is called there.
    fn at(&self, hash: H256) -> Result<TestState, ApiError> {
        *self.calls.lock() += 1;
        self.state(hash)
    }

    fn state(&self, hash: H256) -> Result<TestState, ApiError> {
        let state = self.states.lock().get(&hash).cloned();
        state.ok_or_else(|| ApiError::Application("the state is pruned".into()))
    }

    /// How often the runtime was called.
    pub(crate) fn calls(&self) -> u32 {
        *self.calls.lock()
    }

    /// What becomes of reports from now on; at first the pool takes them.
    pub(crate) fn answer_reports(&self, submission: Submission) {
        *self.submission.lock() = Some(submission);
    }

    /// What the runtime says from now on about any evidence; at first that it is new.
    pub(crate) fn judge(&self, status: EvidenceStatus) {
        *self.status.lock() = Some(status);
    }

    /// What the runtime says from now on about who has keys.
    pub(crate) fn participate(&self, participation: Participation<AccountId>) {
        *self.participation.lock() = Some(participation);
    }

    /// What the state of other pallets has under a key from now on, at every block.
    pub(crate) fn store(&self, key: Vec<u8>, value: Vec<u8>) {
        self.storage.lock().insert(key, value);
    }

    /// How many offences were reported.
    pub(crate) fn reports(&self) -> u32 {
        *self.reports.lock()
    }

    /// From now on the chain takes proofs of this set's handoff, and knows that these signed it.
    pub(crate) fn expect_handoff(&self, set: SetId, signers: Bitfield) {
        self.handoffs.lock().insert(set, signers);
    }

    /// From now on the chain takes no proof of this set's handoff.
    pub(crate) fn settle_handoff(&self, set: SetId) {
        self.handoffs.lock().remove(&set);
    }

    /// Which proofs of handoffs were submitted since it was asked last.
    pub(crate) fn handed_in(&self) -> Vec<StatelessProof> {
        std::mem::take(&mut *self.handed_in.lock())
    }

    /// Who was accused so far.
    pub(crate) fn accusations(&self) -> Vec<Accusation> {
        self.accusations.lock().clone()
    }
}

impl DuetClient<Block> for TestClient {
    fn finality(&self) -> FinalityNotifications<Block> {
        // Never fires: the worker's housekeeping finds the blocks, as it must when a notification is lost.
        let (sender, receiver) = tracing_unbounded("test_finality", 16);
        std::mem::forget(sender);
        receiver
    }

    fn stored(&self, at: H256, key: &[u8]) -> Result<Option<Vec<u8>>, ApiError> {
        let state = self.state(at)?;
        if key == suite::KEYSETS_STORAGE_KEY {
            return Ok(state.keysets.map(|sets| sets.encode()));
        }
        if key == suite::ENDED_STORAGE_KEY {
            return Ok(Some(state.ended.encode()));
        }
        Ok(self.storage.lock().get(key).cloned())
    }

    fn prove(&self, at: H256, _: &[[u8; 32]]) -> sp_blockchain::Result<Vec<Vec<u8>>> {
        Ok(self.at(at)?.nodes)
    }

    fn report(
        &self,
        _: H256,
        _: &Outside<Block>,
        _: EquivocationProof,
    ) -> Result<Option<()>, ApiError> {
        self.submitted()
    }

    fn accuse(
        &self,
        _: H256,
        _: &Outside<Block>,
        accusation: Accusation,
        _: &Headers,
    ) -> Result<Option<()>, ApiError> {
        self.accusations.lock().push(accusation);
        self.submitted()
    }

    fn hand_off(
        &self,
        _: H256,
        _: &Outside<Block>,
        proof: StatelessProof,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError> {
        assert!(headers.header.is_some(), "the block is here");
        self.handed_in.lock().push(proof);
        self.submitted()
    }
}

impl TestClient {
    fn submitted(&self) -> Result<Option<()>, ApiError> {
        *self.reports.lock() += 1;
        match self.submission.lock().unwrap_or(Submission::Taken) {
            Submission::Taken => Ok(Some(())),
            Submission::Refused => Ok(None),
            Submission::Failed => Err(ApiError::Application("the runtime is not here".into())),
        }
    }
}

impl ProvideRuntimeApi<Block> for TestClient {
    type Api = Self;

    fn runtime_api(&self) -> ApiRef<'_, Self> {
        self.clone().into()
    }
}

sp_api::mock_impl_runtime_apis! {
    impl DuetApi<Block, AccountId> for TestClient {
        #[advanced]
        fn keysets(&self, at: H256) -> Result<Option<Keysets>, ApiError> {
            Ok(self.at(at)?.keysets)
        }

        #[advanced]
        fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError> {
            Ok(self.at(at)?.current)
        }

        #[advanced]
        fn next_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError> {
            Ok(self.at(at)?.next)
        }

        #[advanced]
        fn commitment_payload(&self, at: H256) -> Result<Option<CommitmentPayload>, ApiError> {
            Ok(self.at(at)?.payload)
        }

        #[advanced]
        fn participation(&self, _: H256) -> Result<Participation<AccountId>, ApiError> {
            let participation = self.participation.lock().clone();
            participation.ok_or_else(|| ApiError::Application("the runtime does not say".into()))
        }

        #[advanced]
        fn evidence_status(
            &self,
            _: H256,
            _evidence: EquivocationProof,
        ) -> Result<EvidenceStatus, ApiError> {
            Ok(self.status.lock().unwrap_or(EvidenceStatus::New))
        }

        fn registered_key(_account: AccountId) -> Option<DualKeyBytes> {
            None
        }

        fn submit_equivocation_report(_evidence: EquivocationProof) -> Option<()> {
            None
        }

        #[advanced]
        fn accusation_status(
            &self,
            _: H256,
            _accusation: Accusation,
        ) -> Result<EvidenceStatus, ApiError> {
            Ok(self.status.lock().unwrap_or(EvidenceStatus::New))
        }

        fn submit_accusation(
            _accusation: Accusation,
            _header: Option<Header<u32, BlakeTwo256>>,
            _latest: Header<u32, BlakeTwo256>,
        ) -> Option<()> {
            None
        }

        #[advanced]
        fn handoff_signers(&self, _: H256, set: SetId) -> Result<Option<Bitfield>, ApiError> {
            Ok(self.handoffs.lock().get(&set).cloned())
        }

        fn submit_handoff(
            _proof: StatelessProof,
            _header: Header<u32, BlakeTwo256>,
            _latest: Header<u32, BlakeTwo256>,
        ) -> Option<()> {
            None
        }

        fn signing_records() -> Vec<(AccountId, SigningRecord)> {
            Vec::new()
        }

        #[advanced]
        fn voting_rules(&self, at: H256) -> Result<VotingRules, ApiError> {
            Ok(self.at(at)?.rules)
        }
    }
}

/// A log as the pallet puts it into a header.
pub(crate) fn log_item(log: &ConsensusLog) -> DigestItem {
    DigestItem::Consensus(suite::ENGINE_ID, log.encode())
}

/// The keys of a set with both halves, as the chain has them.
pub(crate) fn dual_keys(set: &TestSet) -> Vec<DualKeyBytes> {
    set.secrets.iter().map(|secret| secret.public()).collect()
}

/// A chain on which every block is final as soon as it is there.
pub(crate) struct TestChain {
    pub(crate) backend: Arc<Backend>,
    pub(crate) client: Arc<TestClient>,
}

impl Default for TestChain {
    fn default() -> Self {
        let (backend, client) = (Backend::new(), TestClient::default());
        Self {
            backend: Arc::new(backend),
            client: Arc::new(client),
        }
    }
}

impl TestChain {
    pub(crate) fn store(&self) -> Store {
        Store::new(self.backend.clone())
    }

    pub(crate) fn blocks(&self) -> Arc<dyn Blocks> {
        Arc::new(BackendBlocks::<Block, Backend>::new(self.backend.clone()))
    }

    pub(crate) fn chain(&self) -> Chain {
        self.chain_over(self.blocks())
    }

    /// With the runtime and the store of this chain, over other blocks.
    pub(crate) fn chain_over(&self, blocks: Arc<dyn Blocks>) -> Chain {
        let outside = Outside::new(no_pool(), self.backend.clone());
        let runtime = ClientRuntime::new(self.client.clone(), outside);
        Chain::new(blocks, Arc::new(runtime), self.store())
    }

    pub(crate) fn push_without_duet(&self) -> H256 {
        self.add(&TestBlock::without_duet())
    }

    pub(crate) fn push(&self, current: &TestSet, next: &TestSet, logs: &[ConsensusLog]) -> H256 {
        self.add(&TestBlock::new(current, next, logs))
    }

    /// Forgets the state of a block.
    pub(crate) fn prune(&self, hash: H256) {
        self.client.states.lock().remove(&hash);
    }

    /// Has the state of a block again, as it is in `block`.
    pub(crate) fn remember(&self, hash: H256, block: &TestBlock) {
        if let Some(state) = &block.state {
            self.client.states.lock().insert(hash, state.clone());
        }
    }

    /// Adds a block beside the newest one, which never becomes final, with the state of that one.
    pub(crate) fn fork(&self) -> H256 {
        let chain = self.backend.blockchain();
        let newest = chain.info().best_hash;
        let mut header = chain.expect_header(newest).unwrap();
        header.extrinsics_root = H256::repeat_byte(1);
        let hash = header.hash();
        let state = self.client.states.lock().get(&newest).cloned();
        self.client
            .states
            .lock()
            .extend(state.map(|state| (hash, state)));
        let mut operation = self.backend.begin_operation().unwrap();
        let body = Some(Vec::new());
        let state = NewBlockState::Normal;
        operation
            .set_block_data(header, body, None, None, state, true)
            .unwrap();
        self.backend.commit_operation(operation).unwrap();
        hash
    }

    /// Adds a block.
    pub(crate) fn add(&self, block: &TestBlock) -> H256 {
        let TestBlock {
            state_root, logs, ..
        } = block;
        let info = self.backend.blockchain().info();
        let is_first = info.best_hash == H256::zero();
        let number = if is_first { 0 } else { info.best_number + 1 };
        let digest = Digest {
            logs: logs.iter().map(log_item).collect(),
        };
        let extrinsics_root = H256::zero();
        let header = Header::new(number, extrinsics_root, *state_root, info.best_hash, digest);
        let hash = header.hash();
        self.remember(hash, block);
        let mut operation = self.backend.begin_operation().unwrap();
        operation
            .set_block_data(
                header,
                Some(Vec::new()),
                None,
                None,
                NewBlockState::Final,
                true,
            )
            .unwrap();
        self.backend.commit_operation(operation).unwrap();
        hash
    }
}

/// A transaction pool that takes nothing.
pub(crate) fn no_pool() -> OffchainTransactionPoolFactory<Block> {
    OffchainTransactionPoolFactory::new(RejectAllTxPool::default())
}

/// An auxiliary store alone.
#[derive(Default)]
pub(crate) struct MemoryAux(pub(crate) Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl AuxStore for MemoryAux {
    fn insert_aux<
        'a,
        'b: 'a,
        'c: 'a,
        I: IntoIterator<Item = &'a (&'c [u8], &'c [u8])>,
        D: IntoIterator<Item = &'a &'b [u8]>,
    >(
        &self,
        insert: I,
        delete: D,
    ) -> sp_blockchain::Result<()> {
        let mut entries = self.0.lock();
        for (key, value) in insert {
            entries.insert(key.to_vec(), value.to_vec());
        }
        for key in delete {
            entries.remove(*key);
        }
        Ok(())
    }

    fn get_aux(&self, key: &[u8]) -> sp_blockchain::Result<Option<Vec<u8>>> {
        Ok(self.0.lock().get(key).cloned())
    }
}
