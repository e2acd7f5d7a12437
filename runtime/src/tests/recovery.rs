//! A chain whose validators have recovery keys: the set that they form, a reset, and statements about it.

use super::chain::{logs, Chain, GENESIS_HASH, VALIDATORS};
use crate::{constants::SESSION_BLOCKS, Duet, Header, Runtime, Staking};
use duet_primitives::{
    recovery_ownership_statement, BlockNumber, ConsensusLog, Drill, Keyset, RecoveryAccusation,
    RecoveryMessage, RecoveryStatement, RecoveryVote, SecretKey, SetId,
};
use pallet_duet_recovery::{Call, Error, Members, Terms};
use sp_keyring::Sr25519Keyring::{Alice, Ferdie};
use sp_runtime::DispatchError;
use sp_staking::StakingInterface;

/// The secret behind the recovery key of one of [`VALIDATORS`].
fn secret(index: u8) -> SecretKey {
    SecretKey::from_seed(&[0x90 + index; 32]).expect("not zero")
}

/// All validators register their recovery keys and drill.
fn make_ready(chain: &mut Chain) {
    let calls = |chain: &mut Chain, nonce, call: &dyn Fn(u8) -> Call<Runtime>| {
        let sign = |(index, validator)| chain.sign(validator, nonce, call(index));
        let signed = (0..).zip(VALIDATORS).map(sign).collect();
        chain.block_of(signed)
    };
    let header = calls(chain, 0, &|index| {
        let account = VALIDATORS[usize::from(index)].to_account_id();
        let owner = recovery_ownership_statement(GENESIS_HASH, &account);
        Call::register_key {
            key: secret(index).public(),
            proof: secret(index).prove_recovery_possession(&owner),
        }
    });
    let number = BlockNumber::new(header.number);
    calls(chain, 1, &|index| {
        let account = VALIDATORS[usize::from(index)].to_account_id();
        let drill = Drill::sign(
            &secret(index),
            GENESIS_HASH,
            &account,
            number,
            header.hash(),
        );
        Call::drill { drill }
    });
}

/// The reset of the sets, by the administrator.
fn reset(chain: &mut Chain) -> Header {
    let call = pallet_sudo::Call::sudo {
        call: Box::new(pallet_duet::Call::reset {}.into()),
    };
    // Alice has registered a key and drilled before.
    let extrinsic = chain.sign(Alice, 2, call);
    chain.block_of(vec![extrinsic])
}

/// RECOVER-3, RECOVER-4, RECOVER-9: as a network's runtime puts the pallets together.
#[test]
fn a_false_statement_costs_its_signer_stake_and_a_true_one_does_not() {
    let mut chain = Chain::of_four();
    make_ready(&mut chain);
    chain.advance_to_session(1);
    assert_eq!(chain.ask(Terms::<Runtime>::get), None);
    let last = chain.block();
    let terms = chain.ask(Terms::<Runtime>::get).expect("a set is in force");
    assert_eq!((terms.set.id, terms.set.len), (SetId::FIRST, 4));
    assert_eq!(terms.delay, 120);
    let keys = chain.ask(Members::<Runtime>::get);
    let set = Keyset::check(&terms.set, &keys).expect("its keys");

    let header = reset(&mut chain);
    let [ConsensusLog::Reset { ended, set: next }, ..] = &logs(&header)[..] else {
        panic!("the sets are reset");
    };
    assert_eq!(*next, chain.ask(|| Duet::keysets().unwrap().current));
    let truth = RecoveryStatement {
        recovery_set: SetId::FIRST,
        block_number: BlockNumber::new(last.number),
        block_hash: last.hash(),
        ended: *ended,
        reset_number: BlockNumber::new(header.number),
        reset_hash: header.hash(),
        set: next.clone(),
    };
    let mut lie = truth.clone();
    lie.reset_number = BlockNumber::new(header.number + 1);

    let mut report = |nonce, said: RecoveryStatement| {
        assert!(!(chain.number() + 1).is_multiple_of(SESSION_BLOCKS));
        let message = RecoveryMessage::new(GENESIS_HASH, said);
        let signer = set.position(&secret(1).public().pk1()).expect("a member");
        let vote = RecoveryVote::sign(&secret(1), signer, &message);
        let accusation = RecoveryAccusation::of_vote(&vote, &set, GENESIS_HASH);
        let accusation = Box::new(accusation.expect("holds"));
        let extrinsic = chain.sign(Ferdie, nonce, Call::<Runtime>::report { accusation });
        let stake = || Staking::active_stake(&VALIDATORS[1].to_account_id()).unwrap();
        let before = chain.ask(stake);
        let result = chain.try_block_of(vec![extrinsic]).1[0].expect("is applicable");
        (result, before - chain.ask(stake))
    };
    let not_false = DispatchError::from(Error::<Runtime>::NotFalse);
    assert_eq!(report(0, truth), (Err(not_false), 0));
    let (result, lost) = report(1, lie);
    assert_eq!(result, Ok(()));
    assert!(lost > 0);
}
