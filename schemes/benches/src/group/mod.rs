//! blst's groups behind one trait, for the baselines: points of G1 and G2, elements of the target group, residues
//! modulo their order.
//!
//! Everything here is written additively, the target group too.

mod points;
mod residue;
mod table;
mod target;

pub use points::{hash_to_g1, Points};
pub use residue::Residue;
pub use table::Table;
pub use target::Target;

/// The bits of a weight in a sum.
const WEIGHT_BITS: usize = 32;
/// The bits of a digit where weights are added up in buckets.
const BUCKET_BITS: usize = 4;

/// One of the three groups of order `q`.
pub trait Group: Copy {
    /// The form in which elements are kept, and added fastest.
    type Affine: Copy;

    /// The neutral element.
    fn zero() -> Self;
    /// The fixed generator.
    fn generator() -> Self;
    /// Twice the element.
    fn double(&self) -> Self;
    /// The sum, whatever the elements.
    fn plus(&self, other: &Self) -> Self;
    /// The sum with an element in its other form.
    fn plus_affine(&self, other: &Self::Affine) -> Self;
    /// The inverse.
    fn minus(self) -> Self;
    /// The other form.
    fn affine(&self) -> Self::Affine;
    /// The other form of many, with one inversion.
    fn affines(elements: &[Self]) -> Vec<Self::Affine>;

    /// `Σ weight · element`, by buckets of four bits of the weights.
    ///
    /// # Panics
    /// If there are not as many weights as elements.
    fn weighted_sum(elements: &[Self::Affine], weights: &[u32]) -> Self {
        assert_eq!(elements.len(), weights.len());
        let digits = (0..WEIGHT_BITS / BUCKET_BITS).rev();
        digits.fold(Self::zero(), |sum, digit| {
            let mut buckets = [Self::zero(); 1 << BUCKET_BITS];
            for (element, weight) in elements.iter().zip(weights) {
                let bucket = weight >> (digit * BUCKET_BITS) & ((1 << BUCKET_BITS) - 1);
                if let Ok(bucket @ 1..) = usize::try_from(bucket) {
                    buckets[bucket] = buckets[bucket].plus_affine(element);
                }
            }
            let sum = (0..BUCKET_BITS).fold(sum, |sum, _| sum.double());
            let (_, of_digit) = buckets[1..].iter().rev().fold(
                (Self::zero(), Self::zero()),
                |(above, total), bucket| {
                    let above = above.plus(bucket);
                    (above, total.plus(&above))
                },
            );
            sum.plus(&of_digit)
        })
    }
}
