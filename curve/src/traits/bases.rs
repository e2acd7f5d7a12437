//! Points that are multiplied by public scalars, with the tables that a back end keeps for them.

use super::encodings::Encodings;
use crate::encoding::{PointError, G1_LEN};
use core::fmt::Debug;

/// The purpose of a point of G1. It decides which tables a back end makes, if any, and when; no result depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is multiplied at most once, or not at all.
    Once,
    /// It is multiplied a few times, and soon.
    AFewTimes,
    /// It is the key of a member of a set, and votes are checked against it as long as the set lasts.
    Member {
        /// How many members the set has: they share a budget of memory.
        set_len: u32,
    },
    /// It is the sum of all keys of a set, which most proofs multiply.
    SetTotal,
    /// It is the hash of a message on which votes are expected.
    Message {
        /// About how many votes.
        votes: u32,
    },
}

/// Tables of multiples of points of G1.
pub trait Bases: Encodings {
    /// Multiples of one point, and whatever else makes multiplying it cheap.
    type Tables: Clone + Debug + Send + Sync;

    /// The back end's tables for a point of G1 with this purpose.
    #[doc(hidden)]
    fn tables(point: &Self::G1, purpose: Purpose) -> Self::Tables;
    /// The back end's tables for the generator.
    #[doc(hidden)]
    fn generator_tables() -> Self::Tables;
    /// [`Encodings::g1_from_bytes`] with [`Bases::tables`], for back ends where the subgroup check and the tables
    /// share work.
    #[doc(hidden)]
    fn g1_and_tables_from_bytes(
        bytes: &[u8; G1_LEN],
        purpose: Purpose,
    ) -> Result<(Self::G1, Self::Tables), PointError> {
        let point = Self::g1_from_bytes(bytes)?;
        let tables = Self::tables(&point, purpose);
        Ok((point, tables))
    }
}

/// A point of G1 that is multiplied by public scalars: the point, its encoding, and the tables that the back end keeps
/// for it. Copies share the tables.
#[derive(Clone, Debug)]
pub struct Base<C: Bases> {
    point: C::G1,
    bytes: [u8; G1_LEN],
    /// Arkworks keeps nothing.
    #[cfg_attr(not(any(feature = "std", target_arch = "wasm32")), allow(dead_code))]
    tables: C::Tables,
}

impl<C: Bases> Base<C> {
    /// A point of G1.
    pub fn new(point: C::G1, purpose: Purpose) -> Self {
        Self {
            bytes: C::g1_to_bytes(&point),
            tables: C::tables(&point, purpose),
            point,
        }
    }

    /// The generator `g1`.
    pub fn generator() -> Self {
        let point = C::g1_generator();
        Self {
            bytes: C::g1_to_bytes(&point),
            tables: C::generator_tables(),
            point,
        }
    }

    /// Decodes a point and checks that it is in the subgroup. With [`Purpose::AFewTimes`] the subgroup check and the
    /// tables share their doublings where the back end can.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-4.
    pub fn from_bytes(bytes: &[u8; G1_LEN], purpose: Purpose) -> Result<Self, PointError> {
        let (point, tables) = C::g1_and_tables_from_bytes(bytes, purpose)?;
        Ok(Self {
            point,
            bytes: *bytes,
            tables,
        })
    }

    /// Decodes a point that was checked before it was stored, without the subgroup check.
    ///
    /// # Errors
    /// The first broken rule of ENC-1 to ENC-3.
    ///
    /// # Security
    /// Multiples of a point outside of the subgroup are wrong. The caller vouches that the bytes were checked.
    pub fn from_stored_unchecked(
        bytes: &[u8; G1_LEN],
        purpose: Purpose,
    ) -> Result<Self, PointError> {
        let point = C::g1_from_stored_unchecked(bytes)?;
        Ok(Self {
            bytes: *bytes,
            tables: C::tables(&point, purpose),
            point,
        })
    }

    /// The same point, for another purpose.
    pub fn for_purpose(&self, purpose: Purpose) -> Self {
        Self {
            point: self.point.clone(),
            bytes: self.bytes,
            tables: C::tables(&self.point, purpose),
        }
    }

    /// The point.
    pub fn point(&self) -> &C::G1 {
        &self.point
    }

    /// Its encoding.
    pub fn bytes(&self) -> &[u8; G1_LEN] {
        &self.bytes
    }

    /// The back end's tables for the point.
    #[cfg(any(feature = "std", target_arch = "wasm32"))]
    pub(crate) fn tables(&self) -> &C::Tables {
        &self.tables
    }
}
