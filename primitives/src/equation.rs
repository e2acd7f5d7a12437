//! Pairing equations with the generator of G2 on one side, alone and many at once.

use crate::transcript::batch_weights;
use alloc::{sync::Arc, vec::Vec};
use core::fmt::{self, Debug, Formatter};
use duet_curve::{Base, Curve, WITNESS_LEN};

/// `e(σ + t·key, g2) = e(right, point)`.
#[derive(Debug)]
pub(crate) struct Equation<C: Curve> {
    pub(crate) sigma: C::G1,
    pub(crate) t: Coefficient<C>,
    pub(crate) key: Base<C>,
    pub(crate) right: C::G1,
    /// Shared by equations with the same point, whose pairings are one then.
    pub(crate) point: Arc<C::G2Prepared>,
    /// A hash of everything that the equation is made of.
    pub(crate) digest: [u8; 32],
}

/// The factor of an equation's key, and of the generator on its other side.
pub(crate) enum Coefficient<C: Curve> {
    Short(u128),
    Full(C::Scalar),
}

impl<C: Curve> Equation<C> {
    /// Two Miller loops, one final exponentiation.
    pub(crate) fn holds(&self) -> bool {
        C::equation_holds(&self.left(), &[(&self.right, &self.point)])
    }

    /// Two Miller loops. True only where the equation holds.
    pub(crate) fn holds_by(&self, witness: &[u8; WITNESS_LEN]) -> bool {
        C::equation_holds_by(&self.left(), &[(&self.right, &self.point)], witness)
    }

    pub(crate) fn witness(&self) -> [u8; WITNESS_LEN] {
        C::equation_witness(&self.left(), &[(&self.right, &self.point)])
    }

    fn left(&self) -> C::G1 {
        self.t.add_mul(&self.sigma, &self.key)
    }

    /// Whether all hold. Each costs a short multiplication, two terms of a sum of products, and a Miller loop unless it
    /// shares its point with the one before; all together cost one final exponentiation.
    pub(crate) fn all_hold(equations: &[&Self]) -> bool {
        match equations {
            [] => true,
            // For one alone the weighted sum is only a longer way to the same verdict.
            [equation] => equation.holds(),
            _ => Self::weighted_sum_holds(equations),
        }
    }

    /// JUST-6: `e(Σ rᵢ·σᵢ + Σ rᵢ·tᵢ·keyᵢ, g2) = Π e(rᵢ·rightᵢ, pointᵢ)`, the first weight being one.
    fn weighted_sum_holds(equations: &[&Self]) -> bool {
        let weights = batch_weights(equations.iter().map(|equation| &equation.digest));
        let (signatures, keys): (Vec<_>, Vec<_>) = equations
            .iter()
            .zip(&weights)
            .map(|(equation, weight)| {
                let of_key = equation.t.times(&C::scalar_from_weight(*weight));
                (
                    (equation.sigma.clone(), *weight),
                    (equation.key.point().clone(), of_key),
                )
            })
            .unzip();
        let (signatures, keys) = (
            C::g1_weighted_sum(&signatures),
            C::g1_sum_of_products(&keys),
        );
        let left = C::g1_sum(&[&signatures, &keys]);
        let right: Vec<_> = equations
            .iter()
            .zip(&weights)
            .map(|(equation, weight)| (&equation.right, *weight))
            .collect();
        let right = C::g1_times_weights(&right);
        let mut pairs: Vec<(C::G1, &Arc<C::G2Prepared>)> = Vec::new();
        for (right, equation) in right.into_iter().zip(equations) {
            match pairs.last_mut() {
                Some((sum, point)) if Arc::ptr_eq(point, &equation.point) => {
                    *sum = C::g1_sum(&[sum, &right]);
                }
                _ => pairs.push((right, &equation.point)),
            }
        }
        let pairs: Vec<_> = pairs.iter().map(|(sum, point)| (sum, &***point)).collect();
        C::equation_holds(&left, &pairs)
    }
}

impl<C: Curve> Coefficient<C> {
    /// `p + t·q`.
    pub(crate) fn add_mul(&self, p: &C::G1, q: &Base<C>) -> C::G1 {
        match self {
            Self::Short(t) => C::g1_add_mul_short(p, *t, q),
            Self::Full(t) => C::g1_add_mul(p, t, q),
        }
    }

    /// `t·factor`.
    fn times(&self, factor: &C::Scalar) -> C::Scalar {
        let short;
        let t = match self {
            Self::Short(t) => {
                short = C::scalar_from_u128(*t);
                &short
            }
            Self::Full(t) => t,
        };
        C::scalar_add_mul(&C::scalar_from_u128(0), t, factor)
    }
}

impl<C: Curve> Debug for Coefficient<C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(t) => write!(f, "{t}"),
            Self::Full(t) => write!(f, "{:?}", C::scalar_to_bytes(t)),
        }
    }
}
