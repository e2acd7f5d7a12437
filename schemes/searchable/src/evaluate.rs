//! Sums of ciphertexts: the algorithms Eval, and mEval with weights and a public constant.

use crate::{
    ciphertext::{Ciphertext, Components},
    encrypt::encryption_of_one,
    error::EvaluationError,
    generator,
    gt::Gt,
    homomorphic_key::{HomomorphicKey, Tested, BATCH},
    progress::Progress,
    scalar::{self, Digits},
};
use ark_bls12_381::{Bls12_381, G1Affine, G1Projective};
use ark_ec::{pairing::PairingOutput, AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::Zero;
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;

/// A ciphertext and its weight.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    weight: i64,
    input: Input<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Input<'a> {
    Untested(&'a Ciphertext),
    Tested(&'a Tested),
}

impl<'a> Term<'a> {
    /// A ciphertext that will be tested before it is added.
    pub fn new(weight: i64, ciphertext: &'a Ciphertext) -> Self {
        Self {
            weight,
            input: Input::Untested(ciphertext),
        }
    }

    /// A ciphertext that passed the test with the same key before. It is not tested again.
    pub fn tested(weight: i64, tested: &'a Tested) -> Self {
        Self {
            weight,
            input: Input::Tested(tested),
        }
    }

    fn components(&self) -> &'a Components {
        match self.input {
            Input::Untested(ciphertext) => &ciphertext.components,
            Input::Tested(tested) => &tested.ciphertext.components,
        }
    }
}

impl HomomorphicKey {
    /// Eval: the encrypted sum of two ciphertexts.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn add(
        &self,
        first: &Ciphertext,
        second: &Ciphertext,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Tested, EvaluationError> {
        self.evaluate(&[Term::new(1, first), Term::new(1, second)], 0, rng)
    }

    /// mEval: encrypts the weighted sum of the plaintexts plus a public constant. The result has fresh randomness, so
    /// it does not reveal which ciphertexts were added.
    ///
    /// All terms that were not tested before are tested first, on all cores. Weights may be zero or negative. A single
    /// term is re-randomised.
    ///
    /// Cost per term: one test, and three multiplications in the target group; more for weights other than ±1,
    /// depending on their length.
    ///
    /// # Errors
    /// [`EvaluationError::EmptyInput`], or the first term that fails the test or was tested with another key.
    ///
    /// # Security
    /// The result is under the keyword of this key, and does not show its terms. To prove that, publish signed
    /// source ciphertexts. A ciphertext that appears twice counts twice: see
    /// [`without_duplicates`](crate::without_duplicates). Track the range of the result with [`Bound`](crate::Bound).
    pub fn evaluate(
        &self,
        terms: &[Term<'_>],
        constant: i64,
        rng: &mut (impl RngCore + CryptoRng),
    ) -> Result<Tested, EvaluationError> {
        self.evaluate_with_progress(terms, constant, rng, &())
    }

    /// As [`evaluate`](Self::evaluate), and reports each processed term to `progress`.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_with_progress(
        &self,
        terms: &[Term<'_>],
        constant: i64,
        rng: &mut (impl RngCore + CryptoRng),
        progress: &impl Progress,
    ) -> Result<Tested, EvaluationError> {
        if terms.is_empty() {
            return Err(EvaluationError::EmptyInput);
        }
        self.check_terms(terms, progress)?;
        let mut sum = Sum::of(terms);
        sum.rest[1] = sum.rest[1].mul(&generator::table().pow_signed(constant));
        loop {
            let s = scalar::random_nonzero(rng);
            let fresh = encryption_of_one(&self.public, &self.direction, &s, &Digits::of(&s));
            let [c2, c3, c4] = sum.rest;
            let components = Components {
                c1: (sum.c1 + fresh.c1).into_affine(),
                c2: c2.mul(&fresh.c2),
                c3: c3.mul(&fresh.c3),
                c4: c4.mul(&fresh.c4),
            };
            // One value of s cancels the randomness of the sum. The result would be a ciphertext that is always
            // rejected, so draw again.
            if components.c1.is_zero() || components.c2.is_one() {
                continue;
            }
            let c5 = self.c5(&components);
            return Ok(Tested {
                ciphertext: components.seal(&self.public, &c5),
                key: self.id,
            });
        }
    }

    /// The integrity check. Returns the first term that fails, independent of scheduling.
    fn check_terms(
        &self,
        terms: &[Term<'_>],
        progress: &impl Progress,
    ) -> Result<(), EvaluationError> {
        let failure = terms
            .par_chunks(BATCH)
            .enumerate()
            .filter_map(|(number, batch)| {
                let failure = self.first_failure(number * BATCH, batch);
                progress.advance(batch.len() as u64);
                failure
            })
            .find_first(|_| true);
        failure.map_or(Ok(()), Err)
    }

    fn first_failure(&self, start: usize, batch: &[Term<'_>]) -> Option<EvaluationError> {
        let untested = batch.iter().filter_map(|term| match term.input {
            Input::Untested(ciphertext) => Some(&ciphertext.components),
            Input::Tested(_) => None,
        });
        let mut c5s = self.c5_batch(untested).into_iter();
        (start..)
            .zip(batch)
            .find_map(|(index, term)| match term.input {
                Input::Untested(ciphertext) => {
                    let agrees = c5s
                        .next()
                        .is_some_and(|c5| self.tag_agrees(ciphertext, &c5));
                    (!agrees).then_some(EvaluationError::MisOperation { index })
                }
                Input::Tested(tested) => {
                    (tested.key != self.id).then_some(EvaluationError::TestedWithOtherKey { index })
                }
            })
    }
}

/// Weighted sums of the four components: `c1`, and `c2` to `c4`.
struct Sum {
    c1: G1Projective,
    rest: [Gt; 3],
}

/// The target group in arkworks' additive notation.
type TargetGroup = PairingOutput<Bls12_381>;

/// Terms per unit of work of one core, large enough to amortise the fixed cost of a multi-exponentiation.
const CHUNK: usize = 256;

impl Sum {
    fn zero() -> Self {
        Self {
            c1: G1Projective::zero(),
            rest: [Gt::ONE; 3],
        }
    }

    fn plus(self, other: Self) -> Self {
        let ([a2, a3, a4], [b2, b3, b4]) = (self.rest, other.rest);
        Self {
            c1: self.c1 + other.c1,
            rest: [a2.mul(&b2), a3.mul(&b3), a4.mul(&b4)],
        }
    }

    fn of(terms: &[Term<'_>]) -> Self {
        let longest = terms.iter().map(|term| term.weight.unsigned_abs()).max();
        let sum = match longest.unwrap_or_default() {
            0..=1 => Self::of_units,
            2..=0xff => Self::of_weights::<u8>,
            0x100..=0xffff => Self::of_weights::<u16>,
            0x1_0000..=0xffff_ffff => Self::of_weights::<u32>,
            _ => Self::of_weights::<u64>,
        };
        terms
            .par_chunks(CHUNK)
            .map(sum)
            .reduce(Self::zero, Self::plus)
    }

    /// The sum for weights of −1, 0 and 1.
    fn of_units(terms: &[Term<'_>]) -> Self {
        terms
            .iter()
            .filter(|term| term.weight != 0)
            .fold(Self::zero(), |mut sum, term| {
                let (c1, rest) = signed(term);
                sum.c1 += c1;
                for (product, element) in sum.rest.iter_mut().zip(rest) {
                    *product = product.mul(&element);
                }
                sum
            })
    }

    /// The sum for weights that fit `W`: multi-exponentiations with exponents of that length.
    fn of_weights<W: Weight>(terms: &[Term<'_>]) -> Self {
        let weights: Vec<W> = terms.iter().map(|term| W::magnitude(term.weight)).collect();
        let (points, elements): (Vec<_>, Vec<_>) = terms.iter().map(signed).unzip();
        let product = |index: usize| {
            let bases: Vec<TargetGroup> = elements
                .iter()
                .filter_map(|rest| rest.get(index))
                .map(|element| PairingOutput(*element.as_field()))
                .collect();
            let product: TargetGroup = W::multi_exponentiation(&bases, &weights);
            Gt::from_field_unchecked(product.0)
        };
        Self {
            c1: W::multi_exponentiation::<G1Projective>(&points, &weights),
            rest: [product(0), product(1), product(2)],
        }
    }
}

/// The components of a term, inverted if its weight is negative.
fn signed(term: &Term<'_>) -> (G1Affine, [Gt; 3]) {
    let Components { c1, c2, c3, c4 } = *term.components();
    if term.weight < 0 {
        (-c1, [c2, c3, c4].map(|element| element.inverse()))
    } else {
        (c1, [c2, c3, c4])
    }
}

/// The exponent lengths for which arkworks has multi-exponentiations.
trait Weight: Sized {
    fn magnitude(weight: i64) -> Self;
    fn multi_exponentiation<G: VariableBaseMSM>(bases: &[G::MulBase], weights: &[Self]) -> G;
}

macro_rules! weight {
    ($($length:ty: $msm:ident),*) => {$(
        impl Weight for $length {
            fn magnitude(weight: i64) -> Self {
                Self::try_from(weight.unsigned_abs()).expect("W fits the longest weight; qed")
            }

            fn multi_exponentiation<G: VariableBaseMSM>(
                bases: &[G::MulBase],
                weights: &[Self],
            ) -> G {
                G::$msm(bases, weights)
            }
        }
    )*};
}

weight!(u8: msm_u8, u16: msm_u16, u32: msm_u32, u64: msm_u64);
