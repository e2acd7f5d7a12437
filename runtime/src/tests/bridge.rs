//! A chain that follows another one. The other one is the chain itself: its headers and proofs are real, and at hand.

use super::chain::{Chain, GENESIS_HASH};
use crate::{
    configs::bridge::SiblingChain,
    constants::{MAX_VALIDATORS, SESSION_BLOCKS},
    AccountId, Balance, BridgeDuet, Duet, Header, Runtime, RuntimeCall, System,
};
use bp_runtime::{BasicOperatingMode, HeaderId};
use codec::Encode;
use duet_primitives::{suite::ENGINE_ID, ConsensusLog, SetId};
use pallet_bridge_duet::{Call, ChainWithDuet, InitializationData};
use pallet_duet::Handoff;
use sp_consensus_aura::AURA_ENGINE_ID;
use sp_consensus_grandpa::GRANDPA_ENGINE_ID;
use sp_core::{ed25519, sr25519, H256};
use sp_keyring::Sr25519Keyring::{Alice, Ferdie};
use sp_runtime::{
    transaction_validity::InvalidTransaction, ApplyExtrinsicResult, Digest, DigestItem,
};

/// A header of the chain and its proof.
pub(super) type Proven = Handoff<Header>;

/// A chain of four, whose sudo key is Alice's, and its latest block with a proof.
pub(super) fn proven(chain: &mut Chain) -> (Header, Proven) {
    let header = chain.block();
    let proof = chain.hand_off(&header).expect("all four sign");
    (header, proof)
}

/// What a relayer submits.
pub(super) fn submission(
    (header, Handoff { proof, .. }): &(Header, Proven),
    is_free: bool,
) -> RuntimeCall {
    let call = Call::submit_finality_proof_ex {
        finality_target: Box::new(header.clone()),
        proof: Box::new(proof.clone()),
        current_set_id: SetId::FIRST,
        is_free_execution_expected: is_free,
    };
    RuntimeCall::BridgeDuet(call)
}

/// What becomes of a transaction of Ferdie's in the next block, and what it has paid.
pub(super) fn try_call(chain: &mut Chain, call: RuntimeCall) -> (ApplyExtrinsicResult, Balance) {
    let ferdie = Ferdie.to_account_id();
    let nonce = chain.ask(|| System::account_nonce(&ferdie));
    let before = chain.ask(|| balance(&ferdie));
    let transaction = chain.sign(Ferdie, nonce, call);
    let (_, mut results) = chain.try_block_of(vec![transaction]);
    let after = chain.ask(|| balance(&ferdie));
    let result = results.pop().expect("one transaction");
    (result, before - after)
}

fn balance(account: &AccountId) -> Balance {
    System::account(account).data.free
}

/// Of the pallet, in seconds.
const TRUSTING_PERIOD: u64 = 900;

/// Has root let the chain follow itself from its latest block on.
pub(super) fn follow(chain: &mut Chain) -> Header {
    let header = chain.block();
    let data = InitializationData {
        header: Box::new(header.clone()),
        genesis_hash: GENESIS_HASH,
        keysets: chain.ask(|| Duet::keysets().expect("has keys")),
        trusting_period: TRUSTING_PERIOD,
        operating_mode: BasicOperatingMode::Normal,
    };
    let initialize = RuntimeCall::BridgeDuet(Call::initialize { init_data: data });
    let call = pallet_sudo::Call::sudo {
        call: Box::new(initialize),
    };
    let by_root = chain.sign(Alice, 0, call);
    chain.block_of(vec![by_root]);
    header
}

fn best(chain: &mut Chain) -> Option<HeaderId<H256, u32>> {
    chain.ask(BridgeDuet::best_finalized)
}

#[test]
fn it_is_halted_until_root_says_which_chain_is_followed() {
    let mut chain = Chain::of_four();
    let mode = chain.ask(pallet_bridge_duet::PalletOperatingMode::<Runtime>::get);
    assert_eq!(mode, BasicOperatingMode::Halted);
    let new = proven(&mut chain);
    let (result, paid) = try_call(&mut chain, submission(&new, false));
    assert_eq!(result, Err(InvalidTransaction::Call.into()));
    assert_eq!(paid, 0);

    let trusted = follow(&mut chain);
    assert_eq!(
        best(&mut chain),
        Some(HeaderId(trusted.number, trusted.hash()))
    );
    let again = Call::initialize {
        init_data: InitializationData {
            header: Box::new(trusted),
            genesis_hash: GENESIS_HASH,
            keysets: chain.ask(|| Duet::keysets().expect("has keys")),
            trusting_period: TRUSTING_PERIOD,
            operating_mode: BasicOperatingMode::Normal,
        },
    };
    let (result, _) = try_call(&mut chain, RuntimeCall::BridgeDuet(again));
    assert!(matches!(result, Ok(Err(_))), "Ferdie is not root");
}

#[test]
fn a_known_header_is_refused_before_its_sender_pays() {
    let mut chain = Chain::of_four();
    follow(&mut chain);
    let new = proven(&mut chain);
    let expected = HeaderId(new.0.number, new.0.hash());
    let (result, paid) = try_call(&mut chain, submission(&new, false));
    assert_eq!(result, Ok(Ok(())));
    assert!(paid > 0, "it is neither mandatory nor far from the last");
    assert_eq!(best(&mut chain), Some(expected));

    let (result, paid) = try_call(&mut chain, submission(&new, false));
    assert_eq!(result, Err(InvalidTransaction::Stale.into()));
    assert_eq!(paid, 0);
    assert_eq!(best(&mut chain), Some(expected));
}

#[test]
fn one_header_in_a_session_is_free() {
    let mut chain = Chain::of_four();
    let trusted = follow(&mut chain);
    let near = proven(&mut chain);
    let (result, paid) = try_call(&mut chain, submission(&near, true));
    assert_eq!(result, Err(InvalidTransaction::Call.into()));
    assert_eq!(paid, 0);

    while chain.number() + 1 < trusted.number + SESSION_BLOCKS {
        chain.block();
    }
    let far = proven(&mut chain);
    let (result, paid) = try_call(&mut chain, submission(&far, true));
    assert_eq!(result, Ok(Ok(())));
    assert_eq!(paid, 0);
}

#[test]
fn a_wrong_proof_is_paid_for_and_changes_nothing() {
    let mut chain = Chain::of_four();
    let trusted = follow(&mut chain);
    let mut new = proven(&mut chain);
    let other = proven(&mut chain);
    new.1.proof.justification.signature = other.1.proof.justification.signature;
    let (result, paid) = try_call(&mut chain, submission(&new, false));
    assert!(matches!(result, Ok(Err(_))), "{result:?}");
    assert!(paid > 0);
    assert_eq!(
        best(&mut chain),
        Some(HeaderId(trusted.number, trusted.hash()))
    );
}

#[test]
fn the_largest_header_is_free() {
    let aura = vec![sr25519::Public::default(); MAX_VALIDATORS as usize];
    let aura = sp_consensus_aura::ConsensusLog::AuthoritiesChange(aura);
    let grandpa = vec![(ed25519::Public::default().into(), 1); MAX_VALIDATORS as usize];
    let change = sp_consensus_grandpa::ScheduledChange {
        next_authorities: grandpa,
        delay: 0_u32,
    };
    let grandpa = sp_consensus_grandpa::ConsensusLog::ScheduledChange(change);
    let sets = Chain::of_four().ask(|| Duet::keysets().expect("has keys"));
    let duet = [
        ConsensusLog::Payload(H256::zero()),
        ConsensusLog::Planned(sets.next),
        ConsensusLog::Activated(SetId::FIRST),
    ];
    let mut logs = vec![
        DigestItem::PreRuntime(AURA_ENGINE_ID, 0_u64.encode()),
        DigestItem::Consensus(AURA_ENGINE_ID, aura.encode()),
        DigestItem::Consensus(GRANDPA_ENGINE_ID, grandpa.encode()),
    ];
    logs.extend(duet.map(|log| DigestItem::Consensus(ENGINE_ID, log.encode())));
    logs.push(DigestItem::Seal(AURA_ENGINE_ID, vec![0; 64]));
    let header = Header {
        parent_hash: H256::zero(),
        number: u32::MAX,
        state_root: H256::zero(),
        extrinsics_root: H256::zero(),
        digest: Digest { logs },
    };
    let size = header.encoded_size();
    let limit = SiblingChain::MAX_FREE_HEADER_SIZE as usize;
    assert!(size <= limit, "{size} bytes");
    assert!(limit - size < 1024, "{size} bytes");
}
