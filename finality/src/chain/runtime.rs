//! The runtime's answers about Duet, behind a trait, and the same over a client of the SDK.

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
/// The version of the runtime API that added `participation` and `evidence_status`.
const REPORTS_AND_PARTICIPATION: u32 = 2;
/// The version of the runtime API that added accusations.
pub(crate) const ACCUSATIONS: u32 = 3;
/// The version of the runtime API that added handoffs on chain.
pub(crate) const HANDOFFS: u32 = 4;
/// The version of the runtime API that added voting rules.
const VOTING_RULES: u32 = 5;

/// The runtime's answers at a block. An error usually means that the block's state is missing here.
pub(crate) trait Runtime: Send + Sync {
    /// The sets; `None` if the runtime does not know Duet yet or no validator has keys.
    fn keysets(&self, at: H256) -> Result<Option<Keysets>, ApiError>;

    /// The keys of the signing set.
    fn current_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError>;

    /// The keys of the planned set.
    fn next_keys(&self, at: H256) -> Result<Vec<DualKeyBytes>, ApiError>;

    /// The payload of the block.
    fn commitment_payload(&self, at: H256) -> Result<Option<CommitmentPayload>, ApiError>;

    /// The share that a set would stand for if it were made at the block; `None` if the runtime does not support it.
    fn participation(&self, at: H256) -> Result<Option<Participation<AccountId>>, ApiError>;

    /// The voting rules of the signing set at the block; `None` if the runtime does not support it.
    fn voting_rules(&self, at: H256) -> Result<Option<VotingRules>, ApiError>;

    /// The chain's status of evidence at the block; `None` if the runtime does not support it.
    fn evidence_status(
        &self,
        at: H256,
        evidence: &EquivocationProof,
    ) -> Result<Option<EvidenceStatus>, ApiError>;

    /// The value under `key` in the state. Needs no runtime call.
    fn stored(&self, at: H256, key: &[u8]) -> Result<Option<Vec<u8>>, ApiError>;

    /// The nodes of the state trie that prove the values under these keys, or their absence.
    fn prove(&self, at: H256, keys: &[[u8; 32]]) -> sp_blockchain::Result<Vec<Vec<u8>>>;

    /// Reports evidence. `None` when the runtime refuses it.
    fn report(&self, at: H256, evidence: EquivocationProof) -> Result<Option<()>, ApiError>;

    /// The chain's status of the accused at the block; `None` if the runtime does not support it.
    fn accusation_status(
        &self,
        at: H256,
        accusation: &Accusation,
    ) -> Result<Option<EvidenceStatus>, ApiError>;

    /// Reports the signers of a false statement. `None` when the runtime refuses it, or does not know accusations.
    fn accuse(
        &self,
        at: H256,
        accusation: Accusation,
        headers: &Headers,
    ) -> Result<Option<()>, ApiError>;

    /// The signers of a set's handoff known to the chain at the block; `None` if it accepts no proof of it.
    fn handoff_signers(&self, at: H256, set: SetId) -> Result<Option<Bitfield>, ApiError>;

    /// Submits the proof of a handoff. `None` when the runtime refuses it.
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
    /// Reporting calls reach the services in `outside`.
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
        // `has_api` would require this node's version, but a node is upgraded before its runtime.
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
