//! Which resets the pallet learns from headers.

use super::voting_set;
use crate::{
    mock::{
        announce_reset, next_block, with, Duet, RuntimeOrigin, System, Test, ValidatorsPerBlock,
    },
    JudgedFrom, Reset, Resets, MAX_RESETS,
};
use codec::Encode;
use duet_primitives::{BlockNumber, ConsensusLog, SetId};
use frame_support::assert_ok;
use sp_runtime::DigestItem;

fn resets() -> Vec<Reset> {
    Resets::<Test>::get().into_inner()
}

fn judged_from() -> Option<u32> {
    JudgedFrom::<Test>::get().map(BlockNumber::get)
}

fn signing() -> SetId {
    Duet::keysets().unwrap().current.id
}

/// RECOVER-9.
#[test]
fn the_chain_learns_its_resets_by_itself() {
    with(&[1, 2, 3], || {
        next_block();
        let ended = signing();
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        assert_eq!(resets(), []);
        next_block();
        let reset = Reset {
            number: BlockNumber::new(2),
            ended,
            set: Duet::keysets().unwrap().current,
        };
        assert_eq!(resets(), [reset]);
        next_block();
        assert_eq!(resets().len(), 1);
    });
}

/// RECOVER-9, CHAIN-8: the set of a large one is made at the end of a later block.
#[test]
fn the_chain_learns_a_reset_over_several_blocks() {
    with(&[1, 2, 3], || {
        let ended = signing();
        ValidatorsPerBlock::set(2);
        assert_ok!(Duet::reset(RuntimeOrigin::root()));
        while signing() == ended {
            assert_eq!(resets(), []);
            next_block();
        }
        let before = u32::try_from(System::block_number() - 1).unwrap();
        assert!(before > 2);
        let [reset] = &resets()[..] else {
            panic!("one reset");
        };
        assert_eq!(reset.number, BlockNumber::new(before));
        assert_eq!((reset.ended, reset.set.id), (ended, signing()));
    });
}

/// RECOVER-9.
#[test]
fn of_several_resets_in_a_block_the_last_one_counts_and_other_logs_do_not() {
    with(&[1, 2, 3], || {
        announce_reset(0, voting_set(2));
        announce_reset(2, voting_set(3));
        let log = |set: u64| {
            let (ended, set) = (SetId::new(9), voting_set(set));
            ConsensusLog::Reset { ended, set }.encode()
        };
        System::deposit_log(DigestItem::Consensus(*b"else", log(10)));
        System::deposit_log(DigestItem::Seal(duet_primitives::suite::ENGINE_ID, log(11)));
        next_block();
        let reset = Reset {
            number: BlockNumber::new(1),
            ended: SetId::new(2),
            set: voting_set(3),
        };
        assert_eq!(resets(), [reset]);
    });
}

/// RECOVER-9.
#[test]
fn the_oldest_reset_of_more_than_sixty_four_is_forgotten() {
    with(&[1, 2, 3], || {
        assert_eq!(judged_from(), None);
        for _ in 0..MAX_RESETS {
            next_block();
            announce_reset(0, voting_set(2));
        }
        next_block();
        assert_eq!((resets().len(), resets()[0].number.get()), (64, 2));
        assert_eq!(judged_from(), Some(0));
        announce_reset(0, voting_set(2));
        next_block();
        assert_eq!((resets().len(), resets()[0].number.get()), (64, 3));
        assert_eq!(resets()[63].number.get(), 66);
        assert_eq!(judged_from(), Some(2));
    });
}

/// RECOVER-9: a chain that adds the pallet later does not know its earlier resets.
#[test]
fn blocks_from_before_the_pallet_are_not_judged() {
    with(&[1, 2, 3], || {
        (0..4).for_each(|_| next_block());
        JudgedFrom::<Test>::kill();
        next_block();
        assert_eq!(judged_from(), Some(4));
        next_block();
        assert_eq!(judged_from(), Some(4));
    });
}
