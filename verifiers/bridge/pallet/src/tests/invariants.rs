//! States that do not hold together.

use crate::{
    chain::ReplacedSet, invariants, mock::*, BestFinalized, Contradicted, Followed,
    FreeHeadersRemaining, ImportedHashes, ImportedHashesPointer, ImportedHeaders,
};
use bp_header_chain::StoredHeaderData;
use bp_runtime::HeaderId;
use duet_light_client::Conflict;
use duet_primitives::H256;
use frame_support::{assert_ok, pallet_prelude::DispatchError};

#[test]
fn each_change_that_breaks_a_state_is_named() {
    let changes: [(fn(), &str); 9] = [
        (Followed::<Test>::kill, "a best header without sets"),
        (
            || {
                BestFinalized::<Test>::kill();
                Followed::<Test>::kill();
                Contradicted::<Test>::put(Conflict::SameBlock);
            },
            "a contradiction, but no best header",
        ),
        (
            || BestFinalized::<Test>::put(HeaderId(11, header(10, 0).hash())),
            "the best header is not kept, or has another number",
        ),
        (
            || {
                Followed::<Test>::mutate_extant(|followed| {
                    let keyset = followed.keysets.current.clone();
                    followed.replaced.force_push(ReplacedSet { keyset, at: 0 });
                });
            },
            "the replaced sets are not in the order",
        ),
        (
            || ImportedHashesPointer::<Test>::put(HeadersToKeep::get()),
            "the place of the next header is outside the ring",
        ),
        (
            || ImportedHashes::<Test>::insert(HeadersToKeep::get(), header(10, 0).hash()),
            "a header outside the ring",
        ),
        (
            || ImportedHashes::<Test>::insert(1, H256::zero()),
            "the ring has a header that is not kept",
        ),
        (
            || {
                let (number, state_root) = (9, H256::zero());
                let header = StoredHeaderData { number, state_root };
                ImportedHeaders::<Test>::insert(H256::zero(), header);
            },
            "a header that is not in the ring",
        ),
        (
            || FreeHeadersRemaining::<Test>::put(3),
            "more free submissions left than a block has",
        ),
    ];
    for (change, why) in changes {
        following().execute_with(|| {
            assert_ok!(invariants::check::<Test, ()>());
            change();
            match invariants::check::<Test, ()>() {
                Err(DispatchError::Other(named)) => assert!(named.contains(why), "{named}"),
                other => panic!("{why}: {other:?}"),
            }
        });
    }
}
