//! Polynomials without a constant term: their order and their evaluation.

use super::{
    algebra::{horner, Algebra, Integers, Ring},
    error::FunctionError,
    monomial::{Monomial, Term},
    params::{monomials, Limits},
    ring,
};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

/// The maximum number of terms. With more, evaluation would take days.
pub const MAX_TERMS: usize = 1 << 20;

/// A polynomial with integer coefficients and no constant term, to be computed on signed values.
///
/// Variable i is the value signed under index i. Indices start at 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial {
    variables: u32,
    degree: usize,
    /// Non-zero terms, in the order of [`Monomial`].
    terms: Vec<Term>,
    /// The indices of the terms in plain lexicographic order, in which terms with a common factor are adjacent.
    by_factor: Vec<usize>,
}

impl Polynomial {
    /// The sum of these terms, in variables 0 to `variables - 1`.
    ///
    /// # Errors
    /// [`FunctionError::ConstantTerm`], [`RepeatedMonomial`](FunctionError::RepeatedMonomial),
    /// [`EmptyFunction`](FunctionError::EmptyFunction), or [`NotAdmissible`](FunctionError::NotAdmissible) for an
    /// unknown variable, more than 255 factors or more than [`MAX_TERMS`] terms.
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

    /// Creates a polynomial from the coefficients of all non-constant monomials of degree up to `degree`, in graded
    /// lexicographic order.
    ///
    /// # Errors
    /// [`FunctionError::CoefficientCount`] unless there are `C(variables + degree, degree) - 1` coefficients, and
    /// [`EmptyFunction`](FunctionError::EmptyFunction) if all are zero.
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
    /// [`FunctionError::EmptyFunction`] if all weights are zero, and [`NotAdmissible`](FunctionError::NotAdmissible)
    /// for more than [`MAX_TERMS`] weights.
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
    /// [`FunctionError::EmptyFunction`] for fewer than two values, whose variance is always zero, and
    /// [`NotAdmissible`](FunctionError::NotAdmissible) if there would be more than [`MAX_TERMS`] terms.
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

    /// The number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The highest degree of a term.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Its non-zero terms, in graded lexicographic order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Monomial, i64)> {
        self.terms
            .iter()
            .map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The coefficients of all non-constant monomials up to its degree, in graded lexicographic order.
    ///
    /// # Errors
    /// [`FunctionError::NotAdmissible`] if there are more than [`MAX_TERMS`].
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

    /// Checks that a key with these limits admits the function.
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

    /// Its value on integers; `None` unless there is one for each variable.
    pub fn evaluate(&self, values: &[BigInt]) -> Option<BigInt> {
        let values: Vec<_> = values.iter().collect();
        self.evaluate_in(&Integers { modulus: None }, &values)
    }

    /// Its value on residues.
    pub(crate) fn evaluate_mod(&self, modulus: &BigUint, values: &[BigInt]) -> Option<BigUint> {
        let values: Vec<_> = values.iter().collect();
        let residues = Integers {
            modulus: Some(modulus),
        };
        let value = self.evaluate_in(&residues, &values)?;
        Some(ring::reduce(&value, modulus))
    }

    /// Its value on ring elements of `n` coefficients.
    pub(crate) fn evaluate_ring(&self, n: usize, values: &[&Vec<BigInt>]) -> Option<Vec<BigInt>> {
        self.evaluate_in(&Ring { n }, values)
    }

    /// The largest magnitude of the function on values of magnitude up to `range`.
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
    let Some(last) = monomial.variables().last() else {
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
