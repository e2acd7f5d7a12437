//! Pairing equations with the generator of G2 on one side, alone and many at once.

use crate::transcript::batch_weights;
use alloc::vec::Vec;
use core::{
    fmt::{self, Debug, Formatter},
    iter,
};
use duet_curve::{Base, Curve, Weight};

/// `e(σ + t·key, g2) = e(right, point)`.
#[derive(Debug)]
pub(crate) struct Equation<C: Curve> {
    pub(crate) sigma: C::G1,
    pub(crate) t: Coefficient<C>,
    pub(crate) key: Base<C>,
    pub(crate) right: C::G1,
    pub(crate) point: C::G2Prepared,
    /// A hash of everything that the equation is made of.
    pub(crate) digest: [u8; 32],
}

/// What the key of an equation, and the generator on its other side, are multiplied with.
pub(crate) enum Coefficient<C: Curve> {
    Short(u128),
    Full(C::Scalar),
}

impl<C: Curve> Equation<C> {
    /// Two Miller loops, one final exponentiation.
    pub(crate) fn holds(&self) -> bool {
        let left = self.t.add_mul(&self.sigma, &self.key);
        C::equation_holds(&left, &[(&self.right, &self.point)])
    }

    /// Whether all hold: each takes one Miller loop, a short multiplication and two terms of a sum of products; all
    /// of them one final exponentiation.
    pub(crate) fn all_hold(equations: &[&Self]) -> bool {
        match equations {
            [] => true,
            // For one alone the weighted sum is only a longer way to the same verdict.
            [equation] => equation.holds(),
            [first, others @ ..] => Self::weighted_sum_holds(first, others),
        }
    }

    /// JUST-6: `e(Σ rᵢ·σᵢ + Σ rᵢ·tᵢ·keyᵢ, g2) = Π e(rᵢ·rightᵢ, pointᵢ)`, the first weight being one: the first
    /// equation is taken as it is.
    fn weighted_sum_holds(first: &Self, others: &[&Self]) -> bool {
        let all = || iter::once(first).chain(others.iter().copied());
        let weights = batch_weights(all().map(|equation| &equation.digest));
        let weighted = || others.iter().zip(weights.iter().skip(1));
        let of_key = |(equation, weight): (&&Self, &Weight)| {
            let of_key = equation.t.times(&C::scalar_from_weight(*weight));
            (equation.key.point().clone(), of_key)
        };
        let keys: Vec<_> = iter::once((first.key.point().clone(), first.t.scalar()))
            .chain(weighted().map(of_key))
            .collect();
        let signatures: Vec<_> = weighted()
            .map(|(equation, weight)| (equation.sigma.clone(), *weight))
            .collect();
        let (signatures, keys) = (
            C::g1_weighted_sum(&signatures),
            C::g1_sum_of_products(&keys),
        );
        let left = C::g1_sum(&[&first.sigma, &signatures, &keys]);
        let right: Vec<_> = weighted()
            .map(|(equation, weight)| (&equation.right, *weight))
            .collect();
        let right = C::g1_times_weights(&right);
        let pairs: Vec<_> = iter::once(&first.right)
            .chain(&right)
            .zip(all().map(|equation| &equation.point))
            .collect();
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

    /// `t`.
    fn scalar(&self) -> C::Scalar {
        match self {
            Self::Short(t) => C::scalar_from_u128(*t),
            Self::Full(t) => t.clone(),
        }
    }

    /// `t·factor`.
    fn times(&self, factor: &C::Scalar) -> C::Scalar {
        C::scalar_add_mul(&C::scalar_from_u128(0), &self.scalar(), factor)
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
