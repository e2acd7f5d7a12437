//! Verification: equation by equation as in the papers, and all equations together.

use super::{sign::signed, Combined, Parameters, Part, PublicKey};
use crate::group::{Group, Points, Residue, Target};
use blst::{blst_p1, blst_p2};
use rand_core::RngCore;

/// The statement of a combined signature: the function of the signed numbers has this value.
pub struct Statement<'a> {
    /// The signers' keys.
    pub keys: &'a [PublicKey],
    /// `Δ`.
    pub data_set: &'a [u8],
    /// Each signer's coefficients, of its first labels in order.
    pub coefficients: &'a [Vec<u32>],
    /// `m`.
    pub value: Residue,
    /// `Σ f·h_l`, if it is kept from an earlier verification of the same function.
    pub label_sum: Option<Target>,
}

/// Why a combined signature was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Keys, coefficients and parts are not equally many, or a key has fewer labels than coefficients.
    Shape,
    /// A signer did not sign its `Z` for the data set.
    DataSet {
        /// The signer's position.
        signer: usize,
    },
    /// The equation of the labels does not hold.
    Labels,
    /// The equation of the value does not hold.
    Value,
    /// One of the equations does not hold, when all are checked together.
    Together,
}

impl Statement<'_> {
    /// Checks the equations one after another.
    ///
    /// Cost for `t` signers: `t` hashes, `4t + 3` Miller loops, `t + 2` final exponentiations.
    ///
    /// # Errors
    /// The first equation that does not hold.
    pub fn verify(&self, parameters: &Parameters, combined: &Combined) -> Result<(), Refusal> {
        self.check_shape(combined)?;
        let g2 = blst_p2::generator().affine();
        let signers = self.keys.iter().zip(&combined.parts).enumerate();
        for (signer, (key, part)) in signers {
            let signed = signed(&part.z, self.data_set).affine();
            let pairs = [(negated(&part.sigma), g2), (signed, key.signature)];
            if Target::product_of_pairings(&pairs) != Target::zero() {
                return Err(Refusal::DataSet { signer });
            }
        }
        let mut pairs = self.pairs_of_labels(combined);
        pairs.push((negated(&combined.r), g2));
        if Target::product_of_pairings(&pairs) != self.sum_of_labels() {
            return Err(Refusal::Labels);
        }
        let pairs = [
            (blst_p1::generator().affine(), combined.s),
            (self.difference(parameters, combined).affine(), g2),
        ];
        if Target::product_of_pairings(&pairs) != Target::zero() {
            return Err(Refusal::Value);
        }
        Ok(())
    }

    /// Checks the sum of all equations, weighted by random numbers of 128 bits: the fastest way that we know.
    ///
    /// Cost for `t` signers: `t` hashes, `3t + 2` Miller loops, one final exponentiation, `t + 2` multiplications by such
    /// numbers and a sum of `t` others.
    ///
    /// # Errors
    /// [`Refusal::Shape`] or [`Refusal::Together`].
    pub fn verify_together(
        &self,
        parameters: &Parameters,
        combined: &Combined,
        rng: &mut impl RngCore,
    ) -> Result<(), Refusal> {
        self.check_shape(combined)?;
        let mut weight = || u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let (of_value, weights): (_, Vec<_>) =
            (weight(), self.keys.iter().map(|_| weight()).collect());
        let parts = combined.parts.iter().zip(&weights);
        let weighted =
            parts.map(|(part, weight)| signed(&part.z, self.data_set).times_short(*weight));
        let sigmas: Vec<_> = combined.parts.iter().map(|part| part.sigma).collect();
        let with_g2 = self
            .difference(parameters, combined)
            .times_short(of_value)
            .plus_affine(&negated(&combined.r))
            .plus(&blst_p1::long_sum(&sigmas, &weights).minus());
        let with_s = blst_p1::generator().times_short(of_value);
        let points: Vec<_> = weighted.chain([with_s, with_g2]).collect();
        let keys = self.keys.iter().map(|key| key.signature);
        let others = keys.chain([combined.s, blst_p2::generator().affine()]);
        let mut pairs = self.pairs_of_labels(combined);
        pairs.extend(blst_p1::affines(&points).into_iter().zip(others));
        if Target::product_of_pairings(&pairs) == self.sum_of_labels() {
            Ok(())
        } else {
            Err(Refusal::Together)
        }
    }

    fn check_shape(&self, combined: &Combined) -> Result<(), Refusal> {
        let signers = self.keys.len();
        let mut labels = self.keys.iter().zip(self.coefficients);
        let fits = signers == self.coefficients.len()
            && signers == combined.parts.len()
            && labels.all(|(key, coefficients)| coefficients.len() <= key.labels.len());
        if fits {
            Ok(())
        } else {
            Err(Refusal::Shape)
        }
    }

    /// `(A, Z)` and `(−C, y)` of each signer.
    fn pairs_of_labels(&self, combined: &Combined) -> Vec<Pair> {
        let signers = self.keys.iter().zip(&combined.parts);
        signers
            .flat_map(|(key, part)| [(part.a, part.z), (negated(&part.c), key.y)])
            .collect()
    }

    /// `Σ f·h_l`, which does not depend on the signature.
    pub fn sum_of_labels(&self) -> Target {
        if let Some(kept) = self.label_sum {
            return kept;
        }
        let signers = self.keys.iter().zip(self.coefficients);
        let labels =
            signers.flat_map(|(key, coefficients)| key.labels.iter().take(coefficients.len()));
        let labels: Vec<_> = labels.copied().collect();
        Target::weighted_sum(&labels, &self.coefficients.concat())
    }

    /// `Σ C − m·H`.
    fn difference(&self, parameters: &Parameters, combined: &Combined) -> blst_p1 {
        let add = |sum: blst_p1, part: &Part| sum.plus_affine(&part.c);
        let claimed = parameters.of_base.times(&self.value).minus();
        combined.parts.iter().fold(claimed, add)
    }
}

type Pair = (blst::blst_p1_affine, blst::blst_p2_affine);

fn negated(point: &blst::blst_p1_affine) -> blst::blst_p1_affine {
    blst_p1::from_affine(point).minus().affine()
}
