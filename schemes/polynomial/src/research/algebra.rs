//! Evaluation of polynomials on integers, residues or ring elements, with one generic algorithm.

use super::{monomial::Term, ring};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

/// Horner's rule: `f = sum over variables x of x * f_x`, where `f_x` has the terms whose first factor is x, divided by
/// x. It takes one product for each `f_x` that is not constant: a quadratic in k variables costs k products instead of
/// k (k + 1) / 2.
///
/// `terms` share their first `depth` factors and are in lexicographic order.
pub(super) fn horner<A: Algebra>(
    algebra: &A,
    terms: &[&Term],
    depth: usize,
    values: &[&A::Element],
) -> Option<A::Element> {
    let mut sum = algebra.zero();
    let factor = |term: &Term| term.0.variables().get(depth).copied();
    for group in terms.chunk_by(|a, b| factor(a) == factor(b)) {
        let (first, rest) = group.split_first()?;
        let value = values.get(usize::try_from(factor(first)?).ok()?)?;
        // The shortest term of a group comes first. Only this term can end here.
        let ends_here = first.0.degree() == depth + 1;
        match (ends_here, rest) {
            (true, []) => algebra.add_scaled(&mut sum, value, first.1),
            (true, rest) => {
                let mut inner = horner(algebra, rest, depth + 1, values)?;
                algebra.add_constant(&mut inner, first.1);
                algebra.add_product(&mut sum, value, &inner);
            }
            (false, _) => {
                let inner = horner(algebra, group, depth + 1, values)?;
                algebra.add_product(&mut sum, value, &inner);
            }
        }
    }
    Some(sum)
}

/// An algebra in which polynomials can be evaluated.
pub(super) trait Algebra {
    type Element;
    fn zero(&self) -> Self::Element;
    fn add_constant(&self, to: &mut Self::Element, constant: i64);
    fn add_scaled(&self, to: &mut Self::Element, element: &Self::Element, factor: i64);
    fn add_product(&self, to: &mut Self::Element, u: &Self::Element, v: &Self::Element);
}

/// Integers, of which products are reduced if there is a modulus.
pub(super) struct Integers<'a> {
    pub(super) modulus: Option<&'a BigUint>,
}

impl Algebra for Integers<'_> {
    type Element = BigInt;

    fn zero(&self) -> BigInt {
        BigInt::zero()
    }

    fn add_constant(&self, to: &mut BigInt, constant: i64) {
        *to += constant;
    }

    fn add_scaled(&self, to: &mut BigInt, element: &BigInt, factor: i64) {
        *to += element * factor;
    }

    fn add_product(&self, to: &mut BigInt, u: &BigInt, v: &BigInt) {
        let product = u * v;
        *to += match self.modulus {
            Some(modulus) => ring::reduce(&product, modulus).into(),
            None => product,
        };
    }
}

pub(super) struct Ring {
    pub(super) n: usize,
}

impl Algebra for Ring {
    type Element = Vec<BigInt>;

    fn zero(&self) -> Vec<BigInt> {
        vec![BigInt::zero(); self.n]
    }

    fn add_constant(&self, to: &mut Vec<BigInt>, constant: i64) {
        if let Some(lowest) = to.first_mut() {
            *lowest += constant;
        }
    }

    fn add_scaled(&self, to: &mut Vec<BigInt>, element: &Vec<BigInt>, factor: i64) {
        for (slot, coefficient) in to.iter_mut().zip(element) {
            match factor {
                1 => *slot += coefficient,
                -1 => *slot -= coefficient,
                _ => *slot += coefficient * factor,
            }
        }
    }

    fn add_product(&self, to: &mut Vec<BigInt>, u: &Vec<BigInt>, v: &Vec<BigInt>) {
        for (slot, coefficient) in to.iter_mut().zip(ring::mul(u, v)) {
            *slot += coefficient;
        }
    }
}
