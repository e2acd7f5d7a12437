//! Pairing equations with the generator of G2 on one side, alone and many at once.

use crate::{curve::Curve, transcript::batch_weights};
use alloc::{vec, vec::Vec};

/// `e(left, g2) = e(right, point)`.
#[derive(Debug)]
pub(crate) struct Equation<C: Curve> {
    pub(crate) left: C::G1,
    pub(crate) right: C::G1,
    pub(crate) point: C::G2,
    /// A hash of everything that the equation is made of.
    pub(crate) digest: [u8; 32],
}

impl<C: Curve> Equation<C> {
    /// Two Miller loops, one final exponentiation.
    pub(crate) fn holds(&self) -> bool {
        C::equation_holds(&self.left, &self.right, &self.point)
    }

    /// Whether all hold: one Miller loop and two short multiplications each, one final exponentiation.
    pub(crate) fn all_hold(equations: &[&Self]) -> bool {
        match equations {
            [] => true,
            // For one alone the weighted sum is only a longer way to the same verdict.
            [equation] => equation.holds(),
            _ => Self::weighted_sum_holds(equations),
        }
    }

    /// JUST-6: `e(Σ rᵢ·leftᵢ, g2) = Π e(rᵢ·rightᵢ, pointᵢ)`, the first weight being one.
    fn weighted_sum_holds(equations: &[&Self]) -> bool {
        let weights = batch_weights(equations.iter().map(|equation| &equation.digest));
        let left: Vec<_> = equations
            .iter()
            .zip(&weights)
            .map(|(equation, weight)| (equation.left.clone(), C::scalar_from_u128(*weight)))
            .collect();
        let left = C::g1_neg(&C::g1_weighted_sum(&left));
        let zero = C::g1_sum(&[]);
        let none = C::Tables::default();
        let right: Vec<_> = equations
            .iter()
            .zip(&weights)
            .map(|(equation, weight)| match weight {
                1 => equation.right.clone(),
                weight => C::g1_add_mul_short(&zero, *weight, &equation.right, &none),
            })
            .collect();
        let g2 = C::g2_generator();
        let mut pairs = vec![(&left, &g2)];
        let points = equations.iter().map(|equation| &equation.point);
        pairs.extend(right.iter().zip(points));
        C::pairing_product_is_one(&pairs)
    }
}
