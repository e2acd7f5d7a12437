//! Makes an account a validator, and reads its stake.

use crate::{
    rpc::Rpc,
    transaction::{decode_all, submit},
    Result,
};
use duet_primitives::{DualKeyBytes, PossessionProof};
use duet_runtime::{constants::UNIT, AccountId, Balance, Hash, Runtime, SessionKeys};
use pallet_staking::{RewardDestination, StakingLedger, ValidatorPrefs};
use sp_keyring::Sr25519Keyring;

/// The bond of a joining validator.
pub const BOND: Balance = 1_000 * UNIT;

/// One of the transactions by which an account becomes a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Its stake is bonded.
    Bonded,
    /// It is a candidate in the next election.
    Candidate,
    /// The keys by which it authors and votes in GRANDPA are set.
    SessionKeysSet,
    /// Its Duet key is in the registry.
    DuetKeyRegistered,
}

/// Makes `account` a validator whose node is at `rpc`, by four signed transactions; reports each.
///
/// The node makes the keys and keeps their secrets. The account must have [`BOND`] and fees.
/// Returns the Duet key and the block in which it was registered.
///
/// # Errors
/// [`Error`](crate::Error) with the first step that fails.
pub async fn become_validator(
    rpc: &Rpc,
    account: Sr25519Keyring,
    mut tell: impl FnMut(Step),
) -> Result<(DualKeyBytes, Hash)> {
    let owner = account.to_account_id();
    let payee = RewardDestination::Staked;
    submit(
        rpc,
        account,
        pallet_staking::Call::<Runtime>::bond { value: BOND, payee },
    )
    .await?;
    tell(Step::Bonded);
    let prefs = ValidatorPrefs::default();
    submit(
        rpc,
        account,
        pallet_staking::Call::<Runtime>::validate { prefs },
    )
    .await?;
    tell(Step::Candidate);
    let (keys, proof) = rpc.generate_session_keys(&owner).await?;
    let keys: SessionKeys = decode_all("author_rotateKeysWithOwner", &keys)?;
    submit(
        rpc,
        account,
        pallet_session::Call::<Runtime>::set_keys { keys, proof },
    )
    .await?;
    tell(Step::SessionKeysSet);
    let (key, block) = register_new_key(rpc, account).await?;
    tell(Step::DuetKeyRegistered);
    Ok((key, block))
}

/// Registers a new Duet key for `account`, which its node at `rpc` makes; it replaces the old key.
///
/// Returns the key and the block in which it was registered.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not make it or the transaction fails.
pub async fn register_new_key(rpc: &Rpc, account: Sr25519Keyring) -> Result<(DualKeyBytes, Hash)> {
    let (key, proof) = new_duet_key(rpc, account).await?;
    let register = pallet_duet::Call::<Runtime>::register_keys { key, proof };
    Ok((key, submit(rpc, account, register).await?))
}

/// A Duet key for `account`, which its node at `rpc` makes and keeps, with its proof of possession.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not make it.
pub async fn new_duet_key(
    rpc: &Rpc,
    account: Sr25519Keyring,
) -> Result<(DualKeyBytes, PossessionProof)> {
    let made = rpc.generate_duet_key(&account.to_account_id()).await?;
    let key = decode_all("duet_generateKeys", &made.public)?;
    let proof = decode_all("duet_generateKeys", &made.proof)?;
    Ok((key, proof))
}

/// An account's bond, at a block or at the best one.
///
/// # Errors
/// [`Error`](crate::Error) when the node does not answer.
pub async fn bonded(rpc: &Rpc, account: &AccountId, at: Option<Hash>) -> Result<Balance> {
    let key = pallet_staking::Ledger::<Runtime>::hashed_key_for(account);
    let ledger: Option<StakingLedger<Runtime>> = rpc.storage(&key, at).await?;
    Ok(ledger.map_or(0, |ledger| ledger.total))
}
