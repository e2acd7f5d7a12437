//! The methods, by name.

use super::{health::Health, votes::RoundState};
use crate::client::AccountId;
use duet_primitives::{BlockNumber, SetId, H256};
use jsonrpsee::{core::RpcResult, proc_macros::rpc};
use serde::{Deserialize, Serialize};
use sp_core::Bytes;

/// A new key and the proof that this node has its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedKeys {
    /// The dual key: 144 bytes.
    pub public: Bytes,
    /// The proof of possession for the owner: 224 bytes.
    pub proof: Bytes,
}

/// The path of a block to the root of the Merkle mountain range, as `mmr_generateProof` names its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPath {
    /// SCALE of the list of leaves: one.
    pub leaves: Bytes,
    /// SCALE of the SDK's `LeafProof`.
    pub proof: Bytes,
}

/// The complete proof of entries of the state at a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proofs {
    /// The proof of finality: a justification, or a stateless proof.
    pub proof: Bytes,
    /// SCALE of the header of the block.
    pub header: Bytes,
    /// The nodes of the state trie.
    pub nodes: Vec<Bytes>,
    /// The path from the block to the proven one; `None` when they are the same.
    pub path: Option<BlockPath>,
}

/// How many handoffs of its sets a validator signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The validator.
    pub validator: AccountId,
    /// The number of handoffs that it signed.
    pub signed: u32,
    /// The number of its sets' handoffs with a proof on chain.
    pub handoffs: u32,
}

/// A node's verdict on a valid finality proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It matches the finalized chain.
    True,
    /// It does not: the chain has another block of that number, states something else in it, or has not come near it.
    /// The signers of the proof are reported.
    False,
    /// GRANDPA has not finalized a block of that number on this node: ask again later.
    Undecided,
}

/// The methods.
#[rpc(client, server)]
pub trait DuetRpc {
    /// Sends each justification by which the node's proven chain grows: SCALE of `UncheckedJustification`.
    #[subscription(
        name = "duet_subscribeJustifications" => "duet_justifications",
        unsubscribe = "duet_unsubscribeJustifications",
        item = Bytes
    )]
    async fn subscribe_justifications(&self);

    /// Sends justifications of already proven blocks when they have more signers than the one sent before for the
    /// same block: SCALE of `UncheckedJustification`. Clients that keep no keys pay for each non-signer.
    #[subscription(
        name = "duet_subscribeFullerJustifications" => "duet_fullerJustifications",
        unsubscribe = "duet_unsubscribeFullerJustifications",
        item = Bytes
    )]
    async fn subscribe_fuller_justifications(&self);

    /// Hash of the highest block that Duet proved. Available from the store right after a restart.
    #[method(name = "duet_getFinalizedHead")]
    fn finalized_head(&self) -> RpcResult<H256>;

    /// The justification of a block of the finalized chain, if it has one.
    #[method(name = "duet_getJustification", with_extensions)]
    async fn justification(&self, block: BlockNumber) -> RpcResult<Option<Bytes>>;

    /// For syncing light clients: SCALE of a list, whose entry `i` is the handoff proof of set `from_set + i`, the
    /// justification and the keys of the next set, `(UncheckedJustification, Vec<Pk1Bytes>)`. Empty when set
    /// `from_set` has not handed off.
    #[method(name = "duet_getSetProofs", with_extensions)]
    async fn set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes>;

    /// The same for light clients without keys: SCALE of `Vec<StatelessProof>`.
    #[method(name = "duet_getStatelessSetProofs", with_extensions)]
    async fn stateless_set_proofs(&self, from_set: SetId, limit: u32) -> RpcResult<Bytes>;

    /// The stateless proof of a block of the finalized chain, if it has a justification: SCALE of
    /// `StatelessProof`.
    #[method(name = "duet_getStatelessProof", with_extensions)]
    async fn stateless_proof(&self, block: BlockNumber) -> RpcResult<Option<Bytes>>;

    /// The starting point of a light client at the genesis: SCALE of the genesis header's bytes, the storage proof of
    /// `Duet::Keysets` in its state, and the keys of the first set, `(Vec<u8>, Vec<Vec<u8>>, Vec<Pk1Bytes>)`. An
    /// error when the chain did not start with Duet.
    #[method(name = "duet_getGenesisProof", with_extensions)]
    async fn genesis_proof(&self) -> RpcResult<Bytes>;

    /// The same for the block with this hash, for clients that trust it. `None` when the block is not final here, no
    /// set signs at it, or this node no longer has the proof or the state of the block. Without a hash: for the block
    /// at which the chain's first set begins, the genesis or a later one. The answer does not prove that this block
    /// is final: a client must know the hash from a trusted source. (LIGHT-1)
    #[method(name = "duet_getStartProof", with_extensions)]
    async fn start_proof(&self, block_hash: Option<H256>) -> RpcResult<Option<Bytes>>;

    /// The starting point for following GRANDPA from the genesis alone: SCALE of the genesis header's bytes and the
    /// storage proof of `Grandpa::Authorities` in its state, `(Vec<u8>, Vec<Vec<u8>>)`. `None` when this node serves
    /// no proofs of GRANDPA, or its chain specification does not have that state. (WARP-1)
    ///
    /// Cost: the first time, to build the state of the genesis in memory.
    #[method(name = "duet_getWarpGenesis", with_extensions)]
    async fn warp_genesis(&self) -> RpcResult<Option<Bytes>>;

    /// GRANDPA's proofs from a final block on, for light clients: SCALE of the SDK's `WarpSyncProof`. The last block of
    /// each later set of voters and the newest block, with justifications. `None` if there is no way on. (WARP-2)
    #[method(name = "duet_getWarpProof", with_extensions)]
    async fn warp_proof(&self, after: BlockNumber) -> RpcResult<Option<Bytes>>;

    /// The keys of a set in set order, to start from a checkpoint: SCALE of `Vec<Pk1Bytes>`.
    #[method(name = "duet_getKeys", with_extensions)]
    async fn keys(&self, set: SetId) -> RpcResult<Option<Bytes>>;

    /// The header of the first block that starts a set after `from_set` without a handoff: SCALE of the header, whose
    /// digest contains the new set. `None` when there is no such block. No proof leads across it. (RESET-5)
    #[method(name = "duet_getReset", with_extensions)]
    async fn reset(&self, from_set: SetId) -> RpcResult<Option<Bytes>>;

    /// The justification of the highest block that a set signed, also when a reset ended the set: SCALE of
    /// `Justification`. `None` when this node has none. After a handoff it may be the handoff, although the set signed a
    /// later block. (RESET-5)
    #[method(name = "duet_getLastJustification", with_extensions)]
    async fn last_justification(&self, set: SetId) -> RpcResult<Option<Bytes>>;

    /// The same for clients without keys: SCALE of `StatelessProof`.
    #[method(name = "duet_getLastStatelessProof", with_extensions)]
    async fn last_stateless_proof(&self, set: SetId) -> RpcResult<Option<Bytes>>;

    /// The complete proof of the values under some keys at a block, in one answer. `under` is the block whose proof
    /// of finality is included, by default the newest one; `block` comes before it or equals it, by default the same.
    /// `None` when `under` has no proof here, or `block` comes after it.
    #[method(name = "duet_getProofs", with_extensions)]
    async fn proofs(
        &self,
        keys: Vec<Bytes>,
        block: Option<BlockNumber>,
        under: Option<BlockNumber>,
        stateless: Option<bool>,
    ) -> RpcResult<Option<Proofs>>;

    /// Takes a finality proof that may contradict the chain: SCALE of `UncheckedJustification`. A valid but false
    /// proof is kept, and all of its signers are reported to the chain until it has punished them. (FALSE-1, FALSE-3)
    ///
    /// Cost: that of checking the proof.
    #[method(name = "duet_reportProof", with_extensions)]
    async fn report_proof(&self, proof: Bytes) -> RpcResult<Verdict>;

    /// How many handoffs of the remembered sets each validator signed, at the finalized block. (HANDOFF-2)
    ///
    /// Cost: reads of 32 bytes per member of each remembered set, once per block.
    #[method(name = "duet_getSigningRecords", with_extensions)]
    async fn signing_records(&self) -> RpcResult<Vec<Record>>;

    /// Which members of the signing set have voted, which have not, and since when; `None` while there is no set.
    ///
    /// Cost: a look-up for each member, between two inputs of the voter's loop.
    #[method(name = "duet_roundState", with_extensions)]
    async fn round_state(&self) -> RpcResult<Option<RoundState>>;

    /// The node's health, and the evidence if a valid proof contradicts its finalized chain.
    #[method(name = "duet_health", blocking)]
    fn health(&self) -> RpcResult<Health>;

    /// Makes a key in the node's signer, and proves to `owner` that the signer has the secret. Unsafe: operators only.
    /// The secret stays with the signer: in the node's key file, or with a remote signer, which may refuse.
    #[method(name = "duet_generateKeys", blocking, with_extensions)]
    fn generate_keys(&self, owner: AccountId) -> RpcResult<GeneratedKeys>;

    /// Proves to `owner` that the node's signer has the secret of `public`. Unsafe: operators only.
    #[method(name = "duet_proveKeys", blocking, with_extensions)]
    fn prove_keys(&self, public: Bytes, owner: AccountId) -> RpcResult<Bytes>;
}
