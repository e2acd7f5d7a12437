//! Set ids, signer positions and block numbers: three numbers that must not be confused.
//!
//! Each encodes, prints and is described in metadata exactly as the integer in it. None converts from or to an
//! integer by itself: [`SetId::new`] and [`SetId::get`] mark the places where the meaning is given or dropped.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use core::fmt;
use scale_info::TypeInfo;

macro_rules! number_type {
    ($(#[$docs:meta])* $name:ident, $integer:ty) => {
        $(#[$docs])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode, DecodeWithMemTracking,
            MaxEncodedLen,
        )]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct $name($integer);

        impl $name {
            /// Gives an integer this meaning.
            pub const fn new(number: $integer) -> Self {
                Self(number)
            }

            /// The integer.
            pub const fn get(self) -> $integer {
                self.0
            }

            /// The number after this one; `None` after the largest.
            pub const fn checked_next(self) -> Option<Self> {
                match self.0.checked_add(1) {
                    Some(next) => Some(Self(next)),
                    None => None,
                }
            }

            /// The number before this one; `None` before zero.
            pub const fn checked_previous(self) -> Option<Self> {
                match self.0.checked_sub(1) {
                    Some(previous) => Some(Self(previous)),
                    None => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        /// That of the integer, so that the metadata of a runtime shows a plain number.
        impl TypeInfo for $name {
            type Identity = $integer;

            fn type_info() -> scale_info::Type {
                <$integer as TypeInfo>::type_info()
            }
        }
    };
}

number_type!(
    /// Number of a keyset: it grows by one whenever the keys change.
    SetId, u64
);
number_type!(
    /// Position of a validator in its keyset, from zero.
    SignerIndex, u32
);
number_type!(
    /// Number of a block, as on the chain.
    BlockNumber, u32
);

impl SetId {
    /// The first set of a chain.
    pub const FIRST: Self = Self(0);

    /// The next number; the last one stays.
    pub const fn saturating_next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The sets from this one up to, and without, `end`.
    pub fn until(self, end: Self) -> impl Iterator<Item = Self> {
        (self.0..end.0).map(Self)
    }

    /// By how many sets this one is later than `earlier`; zero when it is not later.
    pub const fn saturating_sub(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl SignerIndex {
    /// The position in a list. Lossless: no supported target has pointers of less than 32 bits.
    pub(crate) const fn to_usize(self) -> usize {
        const { assert!(usize::BITS >= u32::BITS) };
        self.0 as usize
    }
}

impl BlockNumber {
    /// The genesis block.
    pub const ZERO: Self = Self(0);
    /// Higher than any block of a real chain; as an upper bound it means "no limit".
    pub const MAX: Self = Self(u32::MAX);

    /// The block that is `distance` higher; `None` beyond the largest number.
    pub const fn checked_add(self, distance: u32) -> Option<Self> {
        match self.0.checked_add(distance) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// How many blocks this one is above `lower`; `None` when it is below.
    pub const fn checked_sub(self, lower: Self) -> Option<u32> {
        self.0.checked_sub(lower.0)
    }

    /// The block that is `distance` higher, or [`BlockNumber::MAX`].
    pub const fn saturating_add(self, distance: u32) -> Self {
        Self(self.0.saturating_add(distance))
    }

    /// How many blocks this one is above `lower`; zero when it is below.
    pub const fn saturating_sub(self, lower: Self) -> u32 {
        self.0.saturating_sub(lower.0)
    }

    /// The next block, or [`BlockNumber::MAX`].
    pub const fn saturating_next(self) -> Self {
        self.saturating_add(1)
    }

    /// The block before this one; the genesis block has none and stays.
    pub const fn saturating_previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_number_encodes_prints_and_is_described_as_its_integer() {
        assert_eq!(SetId::new(258).encode(), 258_u64.encode());
        assert_eq!(SignerIndex::new(258).encode(), 258_u32.encode());
        assert_eq!(BlockNumber::new(258).encode(), 258_u32.encode());
        assert_eq!(SetId::max_encoded_len(), u64::max_encoded_len());
        assert_eq!(BlockNumber::new(258).to_string(), "258");
        assert_eq!(alloc::format!("{:?}", SetId::new(258)), "258");
        assert_eq!(SetId::type_info(), u64::type_info());
        assert_eq!(BlockNumber::type_info(), u32::type_info());
    }

    #[test]
    #[cfg(feature = "serde")]
    fn a_number_is_in_json_what_its_integer_is_as_a_value_and_as_a_key() {
        let map = alloc::collections::BTreeMap::from([(BlockNumber::new(7), SetId::new(u64::MAX))]);
        let json = serde_json::to_string(&map).expect("a map of numbers");
        assert_eq!(json, r#"{"7":18446744073709551615}"#);
        assert_eq!(serde_json::from_str(&json).ok(), Some(map));
    }

    #[test]
    fn arithmetic_stops_at_both_ends() {
        let (zero, max) = (BlockNumber::ZERO, BlockNumber::MAX);
        assert_eq!(zero.checked_previous(), None);
        assert_eq!(zero.saturating_previous(), zero);
        assert_eq!(max.checked_next(), None);
        assert_eq!(max.saturating_next(), max);
        assert_eq!(max.checked_add(1), None);
        assert_eq!(zero.checked_add(3), Some(BlockNumber::new(3)));
        assert_eq!(zero.checked_sub(max), None);
        assert_eq!(zero.saturating_sub(max), 0);
        assert_eq!(max.checked_sub(zero), Some(u32::MAX));
        assert_eq!(SetId::new(u64::MAX).checked_next(), None);
        assert_eq!(SetId::new(0).checked_next(), Some(SetId::new(1)));
        let last = SetId::new(u64::MAX);
        assert_eq!(last.saturating_next(), last);
    }

    #[test]
    fn the_neighbours_of_a_number_are_one_away() {
        let [two, three, four] = [2, 3, 4].map(BlockNumber::new);
        assert_eq!(three.checked_previous(), Some(two));
        assert_eq!(three.saturating_previous(), two);
        assert_eq!(three.checked_next(), Some(four));
        assert_eq!(three.saturating_next(), four);
        assert_eq!(SetId::new(3).saturating_next(), SetId::new(4));
    }
}
