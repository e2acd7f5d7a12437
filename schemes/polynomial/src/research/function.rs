//! Polynomials without a constant term, their order and their evaluation.

use super::{
    algebra::{horner, Algebra, Integers, Residues, Ring},
    error::FunctionError,
    params::{monomials, Limits},
    ring,
};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// The most terms that a function may have: beyond it, evaluation would take days.
pub const MAX_TERMS: usize = 1 << 20;

/// A product of variables, as the sorted list of their indices: `x_0^2 x_3` is `[0, 0, 3]`.
///
/// Ordered graded lexicographically: x, y, z, x², xy, xz, y², yz, z².
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monomial(Vec<u32>);

impl Monomial {
    /// The product of these variables, in any order.
    pub fn new(mut variables: Vec<u32>) -> Self {
        variables.sort_unstable();
        Self(variables)
    }

    /// The indices of its variables, sorted, each as often as its power.
    pub fn variables(&self) -> &[u32] {
        &self.0
    }

    /// How many factors it has.
    pub fn degree(&self) -> usize {
        self.0.len()
    }

    /// The one after it, among monomials in `variables` variables.
    fn next(&self, variables: u32) -> Self {
        let last = variables - 1;
        let mut next = self.0.clone();
        match next.iter().rposition(|v| *v < last) {
            Some(place) => {
                let raised = next[place] + 1;
                next[place..].fill(raised);
            }
            None => {
                next.fill(0);
                next.push(0);
            }
        }
        Self(next)
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let graded = self.0.len().cmp(&other.0.len());
        graded.then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A polynomial with integer coefficients and no constant term: what is computed on signed values.
///
/// Variable i is the value signed under index i, both from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial {
    variables: u32,
    degree: usize,
    /// Without zeros, in the order of [`Monomial`].
    terms: Vec<Term>,
    /// The indices of the terms in plain lexicographic order, in which terms with a common factor stand together.
    by_factor: Vec<usize>,
}

/// A monomial and its coefficient.
pub(crate) type Term = (Monomial, i64);

impl Polynomial {
    /// The sum of these terms in variables 0 to `variables - 1`.
    ///
    /// # Errors
    /// [`FunctionError::ConstantTerm`], [`RepeatedMonomial`](FunctionError::RepeatedMonomial),
    /// [`EmptyFunction`](FunctionError::EmptyFunction), or [`NotAdmissible`](FunctionError::NotAdmissible) for an
    /// unknown variable, over 255 factors or over [`MAX_TERMS`] terms.
    pub fn new(
        variables: u32,
        terms: impl IntoIterator<Item = (Monomial, i64)>,
    ) -> Result<Self, FunctionError> {
        admissible(
            "the number of variables",
            variables.into(),
            MAX_TERMS as u64,
        )?;
        let mut kept = Vec::new();
        for (monomial, coefficient) in terms {
            check_monomial(&monomial, variables)?;
            kept.push((monomial, coefficient));
            if kept.len() > MAX_TERMS {
                return Err(too_many_terms(kept.len()));
            }
        }
        kept.sort_by(|(a, _), (b, _)| a.cmp(b));
        let repeated = kept.windows(2).find(|pair| pair[0].0 == pair[1].0);
        if let Some([(monomial, _), ..]) = repeated {
            return Err(FunctionError::RepeatedMonomial(monomial.clone()));
        }
        kept.retain(|(_, coefficient)| *coefficient != 0);
        Self::from_sorted(variables, kept)
    }

    /// From the coefficients of all non-constant monomials of degree up to `degree`, in graded lexicographic
    /// order.
    ///
    /// # Errors
    /// [`FunctionError::CoefficientCount`] unless there are `C(variables + degree, degree) - 1`, and
    /// [`EmptyFunction`](FunctionError::EmptyFunction) where all are zero.
    pub fn from_coefficients(
        variables: u32,
        degree: u8,
        coefficients: &[i64],
    ) -> Result<Self, FunctionError> {
        if variables == 0 || degree == 0 {
            return Err(FunctionError::EmptyFunction);
        }
        let expected = count(variables, degree)?;
        if coefficients.len() != expected {
            return Err(FunctionError::CoefficientCount {
                expected,
                got: coefficients.len(),
            });
        }
        let first = Monomial(vec![0]);
        let all = std::iter::successors(Some(first), |monomial| Some(monomial.next(variables)));
        let terms = all.zip(coefficients.iter().copied());
        Self::from_sorted(variables, terms.filter(|(_, c)| *c != 0).collect())
    }

    /// `sum of weights[i] x_i`.
    ///
    /// # Errors
    /// [`FunctionError::EmptyFunction`] where all weights are zero, and
    /// [`NotAdmissible`](FunctionError::NotAdmissible) for over [`MAX_TERMS`] of them.
    pub fn linear(weights: &[i64]) -> Result<Self, FunctionError> {
        let variables = u32::try_from(weights.len()).map_err(|_| too_many_terms(weights.len()))?;
        let terms = (0..variables).map(|i| Monomial(vec![i]));
        Self::new(variables, terms.zip(weights.iter().copied()))
    }

    /// The sum of `count` values, which is `count` times their mean.
    ///
    /// # Errors
    /// As [`linear`](Self::linear).
    pub fn sum(count: u32) -> Result<Self, FunctionError> {
        admissible("the number of variables", count.into(), MAX_TERMS as u64)?;
        Self::new(count, (0..count).map(|i| (Monomial(vec![i]), 1)))
    }

    /// `count` squared times the variance of `count` values: `(k - 1) sum x_i^2 - 2 sum of x_i x_j with i < j`.
    ///
    /// # Errors
    /// [`FunctionError::EmptyFunction`] for fewer than two values, whose variance is zero whatever they are, and
    /// [`NotAdmissible`](FunctionError::NotAdmissible) for so many that there are over [`MAX_TERMS`] terms.
    pub fn variance(count: u32) -> Result<Self, FunctionError> {
        let pairs = u64::from(count) * (u64::from(count) + 1) / 2;
        if pairs > MAX_TERMS as u64 {
            return Err(too_many_terms(usize::try_from(pairs).unwrap_or(usize::MAX)));
        }
        let terms = (0..count).flat_map(|i| {
            (i..count).map(move |j| {
                let coefficient = if i == j { i64::from(count) - 1 } else { -2 };
                (Monomial(vec![i, j]), coefficient)
            })
        });
        Self::new(count, terms)
    }

    fn from_sorted(variables: u32, terms: Vec<Term>) -> Result<Self, FunctionError> {
        let Some((last, _)) = terms.last() else {
            return Err(FunctionError::EmptyFunction);
        };
        let degree = last.degree();
        let mut by_factor: Vec<usize> = (0..terms.len()).collect();
        by_factor.sort_by(|a, b| terms[*a].0 .0.cmp(&terms[*b].0 .0));
        Ok(Self {
            variables,
            degree,
            terms,
            by_factor,
        })
    }

    /// How many values it takes.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The highest degree of a term.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Its terms in graded lexicographic order, without zeros.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Monomial, i64)> {
        self.terms
            .iter()
            .map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The coefficients of all non-constant monomials of its degree and below, in graded lexicographic order.
    ///
    /// # Errors
    /// [`FunctionError::NotAdmissible`]: there are over [`MAX_TERMS`].
    pub fn coefficients(&self) -> Result<Vec<i64>, FunctionError> {
        let degree = u8::try_from(self.degree).unwrap_or(u8::MAX);
        let count = count(self.variables, degree)?;
        let mut out = Vec::with_capacity(count);
        let mut monomial = Monomial(vec![0]);
        for (next, coefficient) in self.terms() {
            while &monomial != next {
                out.push(0);
                monomial = monomial.next(self.variables);
            }
            out.push(coefficient);
            monomial = monomial.next(self.variables);
        }
        out.resize(count, 0);
        Ok(out)
    }

    /// Whether a key with these limits admits it.
    ///
    /// # Errors
    /// [`FunctionError::NotAdmissible`] for the degree or the number of variables,
    /// [`CoefficientOutOfRange`](FunctionError::CoefficientOutOfRange) for a coefficient.
    pub fn check(&self, limits: &Limits) -> Result<(), FunctionError> {
        admissible(
            "the number of variables",
            self.variables.into(),
            limits.variables().into(),
        )?;
        admissible("the degree", self.degree as u64, limits.degree().into())?;
        let limit = limits.coefficient();
        let large = self.terms.iter().find(|(_, c)| c.unsigned_abs() > limit);
        match large {
            Some((monomial, coefficient)) => Err(FunctionError::CoefficientOutOfRange {
                monomial: monomial.clone(),
                got: *coefficient,
                limit,
            }),
            None => Ok(()),
        }
    }

    /// Its value on integers, of which there is one for each variable.
    ///
    /// `None` where there is not.
    pub fn evaluate(&self, values: &[BigInt]) -> Option<BigInt> {
        self.evaluate_in(&Integers, &values.iter().collect::<Vec<_>>())
    }

    /// Its value on residues.
    pub(crate) fn evaluate_mod(&self, modulus: &BigUint, values: &[BigInt]) -> Option<BigUint> {
        let values: Vec<_> = values.iter().collect();
        let value = self.evaluate_in(&Residues { modulus }, &values)?;
        Some(ring::reduce(&value, modulus))
    }

    /// Its value on ring elements of `n` coefficients.
    pub(crate) fn evaluate_ring(&self, n: usize, values: &[&Vec<BigInt>]) -> Option<Vec<BigInt>> {
        self.evaluate_in(&Ring { n }, values)
    }

    /// The largest magnitude that it takes on values up to `range` in magnitude.
    pub(crate) fn bound(&self, range: u64) -> BigUint {
        let term = |(monomial, coefficient): (&Monomial, i64)| {
            let degree = u32::try_from(monomial.degree()).unwrap_or(u32::MAX);
            BigUint::from(range).pow(degree) * coefficient.unsigned_abs()
        };
        self.terms().map(term).sum()
    }

    fn evaluate_in<A: Algebra>(&self, algebra: &A, values: &[&A::Element]) -> Option<A::Element> {
        if u32::try_from(values.len()) != Ok(self.variables) {
            return None;
        }
        let terms: Vec<_> = self
            .by_factor
            .iter()
            .filter_map(|i| self.terms.get(*i))
            .collect();
        horner(algebra, &terms, 0, values)
    }
}

fn check_monomial(monomial: &Monomial, variables: u32) -> Result<(), FunctionError> {
    let Some(last) = monomial.0.last() else {
        return Err(FunctionError::ConstantTerm);
    };
    let limit = u64::from(variables).saturating_sub(1);
    if variables == 0 {
        return Err(FunctionError::EmptyFunction);
    }
    admissible("the index of a variable", u64::from(*last), limit)?;
    admissible("the degree", monomial.degree() as u64, u8::MAX.into())
}

pub(crate) fn admissible(what: &'static str, got: u64, limit: u64) -> Result<(), FunctionError> {
    if got > limit {
        return Err(FunctionError::NotAdmissible { what, got, limit });
    }
    Ok(())
}

fn count(variables: u32, degree: u8) -> Result<usize, FunctionError> {
    let count = monomials(variables, degree)
        .to_usize()
        .unwrap_or(usize::MAX);
    if count > MAX_TERMS {
        return Err(too_many_terms(count));
    }
    Ok(count)
}

pub(crate) fn too_many_terms(got: usize) -> FunctionError {
    FunctionError::NotAdmissible {
        what: "the number of terms",
        got: got as u64,
        limit: MAX_TERMS as u64,
    }
}
