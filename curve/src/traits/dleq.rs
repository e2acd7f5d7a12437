//! The commitments of Chaum-Pedersen proofs, one by one and in bulk.

use super::{bases::Base, multiplications::Multiplications};
use crate::encoding::{PointError, G1_LEN};
use alloc::vec::Vec;

/// One proof: its two scalars, σ, and the key and message that it is checked against.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a, C: Multiplications> {
    /// The challenge.
    pub c: &'a C::Scalar,
    /// The response.
    pub s: &'a C::Scalar,
    /// The signer's key.
    pub pk1: &'a Base<C>,
    /// `H(m)`.
    pub hm: &'a Base<C>,
    /// σ, encoded.
    pub sigma: &'a [u8; G1_LEN],
}

/// The computed inputs of a proof's challenge.
#[derive(Clone, Debug)]
pub struct Commitments<C: Multiplications> {
    /// σ, decoded and in the subgroup.
    pub sigma: C::G1,
    /// `A = s·g1 + c·pk1`.
    pub a: C::G1,
    /// `B = s·H(m) + c·σ`.
    pub b: C::G1,
}

/// Checks of proofs of equal discrete logarithms.
pub trait Dleq: Multiplications {
    /// Decodes σ and computes both commitments of a proof. (DLEQ-2)
    ///
    /// # Errors
    /// The first rule of ENC-1 to ENC-4 that σ breaks.
    fn dleq_commitments(query: &Query<'_, Self>) -> Result<Commitments<Self>, PointError> {
        let Query { c, s, pk1, hm, .. } = *query;
        let sigma = Self::g1_from_bytes(query.sigma)?;
        Ok(Commitments {
            a: Self::g1_mul_add(s, &Self::g1_generator(), c, pk1.point()),
            b: Self::g1_mul_add(s, hm.point(), c, &sigma),
            sigma,
        })
    }
    /// [`Dleq::dleq_commitments`] of many proofs: the same answers, in the same order, for less work each.
    fn dleq_commitments_all(
        queries: &[Query<'_, Self>],
    ) -> Vec<Result<Commitments<Self>, PointError>> {
        queries.iter().map(Self::dleq_commitments).collect()
    }
}
