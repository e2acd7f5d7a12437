//! What the runtime says about Duet, behind a trait, and the same over a client of the SDK.

use crate::client::{AccountId, DuetClient, Headers, Outside};
use duet_primitives::{
    Accusation, Bitfield, CommitmentPayload, DualKeyBytes, DuetApi, EquivocationProof,
    EvidenceStatus, Keysets, Participation, SetId, StatelessProof, VotingRules, H256,
};
use sp_api::{ApiError, ApiExt};
use sp_runtime::traits::Block as BlockT;
use std::sync::Arc;

/// The first version of the runtime API.
const FIRST: u32 = 1;
/// The version of the runtime API that brought `participation` and `evidence_status`.
const REPORTS_AND_PARTICIPATION: u32 = 2;
/// The version of the runtime API that brought accusations.
pub(crate) const ACCUSATIONS: u32 = 3;
/// The version of the runtime API that brought handoffs on chain.
pub(crate) const HANDOFFS: u32 = 4;
/// The version of the runtime API that brought rules of voting.
const VOTING_RULES: u32 = 5;

/// What the runtime says at a block. An error mostly means that the state of the block is not here.
pub(crate) trait Runtime: Send + Sync {
    /// The sets; `None` where the runtime does not know Duet yet or no validator has keys.
    fn keysets(&self, at: H256) -> Result<Option<Keysets>, ApiError>;

    /// The keys of the set that signs.
    fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError>;

    /// The keys of the set that is planned.
    fn next_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError>;

    /// What is signed about the block.
    fn commitment_payload(&self, at: H256) -> Result<Option<CommitmentPayload>, ApiError>;

    /// What a set would stand for if it were made at the block; `None` where the runtime does not say it.
    fn participation(&self, at: H256) -> Result<Option<Participation<AccountId>>, ApiError>;

    /// How the set votes that signs at the block; `None` where the runtime does not say it.
    fn voting_rules(&self, at: H256) -> Result<Option<VotingRules>, ApiError>;

    /// What the chain can still do about evidence at the block; `None` where the runtime does not say it.
    fn evidence_status(
        &self,
        at: H256,
        evidence: &EquivocationProof,
    ) -> Result<Option<EvidenceStatus>, ApiError>;

    /// What the state has under `key`. It takes no call of the runtime.
    fn stored(&self, at: H256, key: &[u8]) -> Result<Option<Vec<u8>>, ApiError>;

    /// The nodes of the state trie that prove what is stored under these keys, or that nothing is.
    fn prove(&self, at: H256, keys: &[[u8; 32]]) -> sp_blockchain::Result<Vec<Vec<u8>>>;

    /// Reports evidence. `None` when the runtime has no use for it.
    fn report(&self, at: H256, evidence: EquivocationProof) -> Result<Option<()>, ApiError>;

    /// What the chain can still do about the accused at the block; `None` where the runtime does not say it.
    fn accusation_status(
        &self,
        at: H256,
        accusation: &Accusation,
    ) -> Result<Option<EvidenceStatus>, ApiError>;

    /// Reports who signed something false. `None` when the runtime has no use for it, or does not know accusations.
    fn accuse(
        &self,
        at: H256,
        accusation: Accusation,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError>;

    /// Who signed the handoff of a set, as far as the chain knows at the block; `None` where it takes no proof of it.
    fn handoff_signers(&self, at: H256, set: SetId) -> Result<Option<Bitfield>, ApiError>;

    /// Brings the proof of a handoff. `None` when the runtime has no use for it.
    fn hand_off(
        &self,
        at: H256,
        proof: StatelessProof,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError>;
}

/// The runtime of a client of the SDK.
pub(crate) struct ClientRuntime<Block: BlockT, Client> {
    client: Arc<Client>,
    outside: Outside<Block>,
}

impl<Block: BlockT, Client> ClientRuntime<Block, Client> {
    /// Calls that report reach what is `outside`.
    pub(crate) fn new(client: Arc<Client>, outside: Outside<Block>) -> Self {
        Self { client, outside }
    }
}

impl<Block, Client> ClientRuntime<Block, Client>
where
    Block: BlockT<Hash = H256>,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    /// Whether the runtime at a block has this version of the API or a later one.
    fn has_version(&self, at: H256, version: u32) -> Result<bool, ApiError> {
        let api = self.client.runtime_api();
        api.has_api_with::<dyn DuetApi<Block, AccountId>, _>(at, |has| has >= version)
    }
}

impl<Block, Client> Runtime for ClientRuntime<Block, Client>
where
    Block: BlockT<Hash = H256>,
    Client: DuetClient<Block>,
    Client::Api: DuetApi<Block, AccountId>,
{
    fn keysets(&self, at: H256) -> Result<Option<Keysets>, ApiError> {
        // `has_api` would ask for the version that this node knows, and a node is upgraded before its runtime.
        if !self.has_version(at, FIRST)? {
            return Ok(None);
        }
        self.client.runtime_api().keysets(at)
    }

    fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError> {
        self.client.runtime_api().current_keys(at)
    }

    fn next_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError> {
        self.client.runtime_api().next_keys(at)
    }

    fn commitment_payload(&self, at: H256) -> Result<Option<CommitmentPayload>, ApiError> {
        self.client.runtime_api().commitment_payload(at)
    }

    fn participation(&self, at: H256) -> Result<Option<Participation<AccountId>>, ApiError> {
        if !self.has_version(at, REPORTS_AND_PARTICIPATION)? {
            return Ok(None);
        }
        self.client.runtime_api().participation(at).map(Some)
    }

    fn voting_rules(&self, at: H256) -> Result<Option<VotingRules>, ApiError> {
        if !self.has_version(at, VOTING_RULES)? {
            return Ok(None);
        }
        self.client.runtime_api().voting_rules(at).map(Some)
    }

    fn evidence_status(
        &self,
        at: H256,
        evidence: &EquivocationProof,
    ) -> Result<Option<EvidenceStatus>, ApiError> {
        if !self.has_version(at, REPORTS_AND_PARTICIPATION)? {
            return Ok(None);
        }
        let api = self.client.runtime_api();
        api.evidence_status(at, evidence.clone()).map(Some)
    }

    fn stored(&self, at: H256, key: &[u8]) -> Result<Option<Vec<u8>>, ApiError> {
        self.client.stored(at, key)
    }

    fn prove(&self, at: H256, keys: &[[u8; 32]]) -> sp_blockchain::Result<Vec<Vec<u8>>> {
        self.client.prove(at, keys)
    }

    fn report(&self, at: H256, evidence: EquivocationProof) -> Result<Option<()>, ApiError> {
        self.client.report(at, &self.outside, evidence)
    }

    fn accusation_status(
        &self,
        at: H256,
        accusation: &Accusation,
    ) -> Result<Option<EvidenceStatus>, ApiError> {
        if !self.has_version(at, ACCUSATIONS)? {
            return Ok(None);
        }
        let api = self.client.runtime_api();
        api.accusation_status(at, accusation.clone()).map(Some)
    }

    fn accuse(
        &self,
        at: H256,
        accusation: Accusation,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError> {
        if !self.has_version(at, ACCUSATIONS)? {
            return Ok(None);
        }
        self.client.accuse(at, &self.outside, accusation, headers)
    }

    fn handoff_signers(&self, at: H256, set: SetId) -> Result<Option<Bitfield>, ApiError> {
        if !self.has_version(at, HANDOFFS)? {
            return Ok(None);
        }
        self.client.runtime_api().handoff_signers(at, set)
    }

    fn hand_off(
        &self,
        at: H256,
        proof: StatelessProof,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError> {
        self.client.hand_off(at, &self.outside, proof, headers)
    }
}
