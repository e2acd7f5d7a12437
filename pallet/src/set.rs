//! Lists of keys in set order.

use duet_primitives::{DualKeyBytes, Pk1Bytes};

/// Whether a key is a member of a set; `set` is in set order. (SET-1)
pub(crate) fn is_member(key: &Pk1Bytes, set: &[DualKeyBytes]) -> bool {
    set.binary_search_by_key(key, DualKeyBytes::pk1).is_ok()
}
