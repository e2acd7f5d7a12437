//! States that do not hold together.

use crate::{
    invariants,
    mock::{genesis, key, Test},
    ActiveFrom, CurrentKeys, DraftParts, KeyOwners, Keys, Keysets, Members, Retired, RetiredRange,
    Sets, SettledMembers, StakedFor,
};
use duet_primitives::SetId;
use frame_support::{assert_ok, pallet_prelude::DispatchError, WeakBoundedVec};
use sp_runtime::BuildStorage;

#[test]
fn each_change_that_breaks_a_state_is_named() {
    let changes: [(fn(), &str); 14] = [
        (
            || KeyOwners::<Test>::remove(key(1).pk1()),
            "a registered key has no owner",
        ),
        (
            || Keys::<Test>::remove(1),
            "a key that is not retired is not registered",
        ),
        (
            || RetiredRange::<Test>::put((1, 0)),
            "the queue of retired keys ends before it starts",
        ),
        (
            || RetiredRange::<Test>::put((0, 1)),
            "the queue of retired keys has a hole",
        ),
        (
            || Retired::<Test>::insert(0, key(1).pk1()),
            "a retired key is outside the queue",
        ),
        (
            || DraftParts::<Test>::insert(0, WeakBoundedVec::default()),
            "the parts of the set in the making are not those of its draft",
        ),
        (
            ActiveFrom::<Test>::kill,
            "a set signs, but Duet is not activated",
        ),
        (
            Keysets::<Test>::kill,
            "there are current keys without a set",
        ),
        (
            || {
                CurrentKeys::<Test>::mutate(|keys| keys.remove(0));
            },
            "SET-3: a commitment does not match its keys",
        ),
        (
            || Keysets::<Test>::mutate_extant(|sets| sets.next.id = SetId::new(2)),
            "the next set is neither the current one nor its successor",
        ),
        (
            || Sets::<Test>::remove(SetId::FIRST),
            "the signing set is not remembered",
        ),
        (
            || Members::<Test>::remove(SetId::FIRST),
            "the members of a set are not the owners of its keys",
        ),
        (
            || StakedFor::<Test>::insert(SetId::FIRST, (0, 2)),
            "members of an unknown set, or in no session, have stake",
        ),
        (
            || SettledMembers::<Test>::put(3),
            "more members of a set are settled than it has",
        ),
    ];
    for (change, why) in changes {
        let storage = genesis(&[1, 2, 3], 3).build_storage();
        sp_io::TestExternalities::new(storage.expect("a good genesis")).execute_with(|| {
            assert_ok!(invariants::check::<Test>());
            change();
            match invariants::check::<Test>() {
                Err(DispatchError::Other(named)) => assert_eq!(named, why),
                other => panic!("{why}: {other:?}"),
            }
        });
    }
}
