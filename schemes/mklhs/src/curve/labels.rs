//! Hashing labels to the curve, when only a weighted sum of the points is needed.
//!
//! Hashing to the curve ends with clearing the cofactor: 64 doublings, a third of the cost. Clearing is a
//! multiplication by a constant `h`, and `Σ fᵢ·(h·Pᵢ) = h·Σ fᵢ·Pᵢ`. So the uncleared points are summed, and the sum is
//! cleared once. With many points, the remaining steps use affine coordinates and share one inversion, which also makes
//! the isogeny cheaper. The result is identical to hashing each label with blst.
//!
//! Not constant-time: labels are public.

use super::{
    add,
    field::{invert_all, Fp, ONE},
    from_affine, hash_to_g1, isogeny, multiple, one_to_affine, scaled, weighted_sum, G1Projective,
    G1, MIN_POINTS_PER_THREAD,
};
use crate::{scalar::Scalar, suite::SCALAR_LEN};
use blst::blst_expand_message_xmd;
use rayon::prelude::*;
use std::sync::LazyLock;

/// The image of a label before cofactor clearing: a point of the curve, usually outside the subgroup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncleared(G1);

/// The multiplier that clears the cofactor: `1 − z`, for the curve parameter `z`.
const CLEARING: u64 = 0xd201_0000_0001_0001;
/// Its length in bits.
const CLEARING_BITS: usize = 64;
/// Its inverse modulo `q`, big-endian.
const CLEARING_INVERSE: [u8; SCALAR_LEN] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x47, 0xa5, 0xe8, 0x0b, 0x39, 0x93, 0x9e, 0xd3, 0x35,
    0x14, 0x00, 0x48, 0x01, 0x89, 0xfd, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
];

/// Labels per simultaneous inversion.
const INVERSION_BATCH: usize = 2 * MIN_POINTS_PER_THREAD;

/// Maps many labels, on all threads of the pool.
pub(crate) fn map_all<M: AsRef<[u8]> + Sync>(dst: &[u8], labels: &[M]) -> Vec<Uncleared> {
    let map = |some: &[M]| map_some(dst, some);
    if labels.len() <= INVERSION_BATCH {
        return map(labels);
    }
    labels
        .par_chunks(INVERSION_BATCH)
        .flat_map_iter(map)
        .collect()
}

/// `Σ scalarᵢ · H(labelᵢ)`. There are as many scalars as labels.
pub(crate) fn label_sum(labels: &[Uncleared], scalars: &[Scalar]) -> G1Projective {
    // blst's multiplication of a single point by a long scalar is correct only in the subgroup.
    if labels.len() < 2 || scalars.iter().any(Scalar::is_zero) {
        let terms = labels.iter().zip(scalars);
        return terms
            .map(|(Uncleared(point), scalar)| scaled(&cleared(&from_affine(point)), scalar))
            .fold(G1Projective::default(), |sum, term| add(&sum, &term));
    }
    let points: Vec<_> = labels.iter().map(|Uncleared(point)| *point).collect();
    cleared(&weighted_sum(&points, scalars))
}

fn cleared(point: &G1Projective) -> G1Projective {
    let mut scalar = [0; SCALAR_LEN];
    for (to, from) in scalar.iter_mut().zip(CLEARING.to_le_bytes()) {
        *to = from;
    }
    multiple(point, &scalar, CLEARING_BITS)
}

/// The constants in blst's representation.
struct Constants {
    a: Fp,
    b: Fp,
    z: Fp,
    sqrt_minus_z_cubed: Fp,
    x_numerator: Vec<Fp>,
    x_denominator: Vec<Fp>,
    y_numerator: Vec<Fp>,
    y_denominator: Vec<Fp>,
}

static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| {
    let read = |texts: &[&str]| texts.iter().map(|text| Fp::of_hex(text)).collect();
    let monic = |texts: &[&str]| {
        let lower = texts.iter().map(|text| Fp::of_hex(text));
        lower.chain([*ONE]).collect()
    };
    Constants {
        a: Fp::of_hex(isogeny::A),
        b: Fp::of_hex(isogeny::B),
        z: Fp::of_limbs([11, 0, 0, 0, 0, 0]),
        sqrt_minus_z_cubed: Fp::of_hex(isogeny::SQRT_MINUS_Z_CUBED),
        x_numerator: read(&isogeny::X_NUMERATOR),
        x_denominator: monic(&isogeny::X_DENOMINATOR),
        y_numerator: read(&isogeny::Y_NUMERATOR),
        y_denominator: monic(&isogeny::Y_DENOMINATOR),
    }
});

/// Two field elements, from 64 bytes each. (RFC 9380, 5.2)
fn hash_to_field(dst: &[u8], message: &[u8]) -> [Fp; 2] {
    const ELEMENT_LEN: usize = 64;
    let mut bytes = [0; 2 * ELEMENT_LEN];
    let (length, input) = (bytes.len(), message);
    // SAFETY: blst writes `length` bytes, which is the length of `bytes`; each input slice is passed with its own
    // length.
    unsafe {
        blst_expand_message_xmd(
            bytes.as_mut_ptr(),
            length,
            input.as_ptr(),
            input.len(),
            dst.as_ptr(),
            dst.len(),
        );
    }
    let (first, second) = bytes.split_at(ELEMENT_LEN);
    [first, second].map(Fp::reduced)
}

/// A point of `E'`: `x = x / z`, `y = ± y / z³`.
struct OnIsogenous {
    x: Fp,
    y: Fp,
    z: Fp,
    is_odd: bool,
}

/// Simplified SWU. (RFC 9380, 6.6.2)
///
/// With `x₁ = n/d` and `g(x₁) = w/d⁶`, the root of `w` is `y·d³`, so no division is needed.
fn map_to_isogenous(u: Fp) -> OnIsogenous {
    let Constants { a, b, z, .. } = *CONSTANTS;
    let zuu = z * u.square();
    let t = zuu.square() + zuu;
    let numerator = b * (t + *ONE);
    let denominator = -(a * t);
    let squared = denominator.square();
    let cubed = squared * denominator;
    let g = (numerator.square() + a * squared) * numerator + b * cubed;
    let (root, is_square) = (g * cubed).root();
    let (x, y) = if is_square {
        (numerator, root)
    } else {
        let shift = CONSTANTS.sqrt_minus_z_cubed * u.square() * u;
        (zuu * numerator, shift * root)
    };
    OnIsogenous {
        x,
        y,
        z: denominator,
        is_odd: u.is_odd(),
    }
}

/// Horner's rule. The lowest coefficient comes first.
fn polynomial(coefficients: &[Fp], x: Fp) -> Fp {
    let highest_first = coefficients.iter().rev().copied();
    highest_first
        .reduce(|sum, coefficient| sum * x + coefficient)
        .unwrap_or_default()
}

fn map_some<M: AsRef<[u8]>>(dst: &[u8], labels: &[M]) -> Vec<Uncleared> {
    let points: Vec<_> = labels
        .iter()
        .flat_map(|label| hash_to_field(dst, label.as_ref()))
        .map(map_to_isogenous)
        .collect();
    let points = to_affine(&points);
    let sums = isogenous_sums(&points);
    let mapped = through_isogeny(&sums);
    let known = labels.iter().zip(mapped);
    known
        .map(|(label, point)| point.unwrap_or_else(|| by_blst(dst, label.as_ref())))
        .collect()
}

/// The affine coordinates; zeros for the point at infinity.
fn to_affine(points: &[OnIsogenous]) -> Vec<[Fp; 2]> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
    invert_all(&mut inverses);
    let affine = |(point, inverse): (&OnIsogenous, Fp)| {
        let y = point.y * inverse.square() * inverse;
        let y = if y.is_odd() == point.is_odd { y } else { -y };
        [point.x * inverse, y]
    };
    points.iter().zip(inverses).map(affine).collect()
}

/// The sum of each pair; `None` where the addition formula does not apply.
fn isogenous_sums(points: &[[Fp; 2]]) -> Vec<Option<[Fp; 2]>> {
    let (pairs, _) = points.as_chunks::<2>();
    let mut inverses: Vec<_> = pairs.iter().map(|[p, q]| q[0] - p[0]).collect();
    invert_all(&mut inverses);
    let sum = |([p, q], inverse): (&[[Fp; 2]; 2], Fp)| {
        // A point at infinity also has `x = 0`, so this covers both cases.
        if inverse.is_zero() || p[0].is_zero() || q[0].is_zero() {
            return None;
        }
        let slope = (q[1] - p[1]) * inverse;
        let x = slope.square() - p[0] - q[0];
        Some([x, slope * (p[0] - x) - p[1]])
    };
    pairs.iter().zip(inverses).map(sum).collect()
}

/// Applies the isogeny from `E'` to the curve; `None` for `None`, and if the image is infinity.
fn through_isogeny(points: &[Option<[Fp; 2]>]) -> Vec<Option<Uncleared>> {
    let constants = &*CONSTANTS;
    let denominators = |point: &Option<[Fp; 2]>| {
        let [x, _] = point.unwrap_or_default();
        [&constants.x_denominator, &constants.y_denominator].map(|of| polynomial(of, x))
    };
    let denominators: Vec<_> = points.iter().map(denominators).collect();
    let mut inverses: Vec<_> = denominators.iter().map(|[x, y]| *x * *y).collect();
    invert_all(&mut inverses);
    let image = |((point, [of_x, of_y]), inverse): ((&Option<[Fp; 2]>, &[Fp; 2]), Fp)| {
        let [x, y] = (*point)?;
        if inverse.is_zero() {
            return None;
        }
        let new_x = polynomial(&constants.x_numerator, x) * *of_y * inverse;
        let new_y = polynomial(&constants.y_numerator, x) * *of_x * inverse * y;
        Some(Uncleared(G1 {
            x: new_x.0,
            y: new_y.0,
        }))
    };
    points
        .iter()
        .zip(&denominators)
        .zip(inverses)
        .map(image)
        .collect()
}

/// The fallback for labels to which the formulas above do not apply (none is known): the full hash by blst, divided by
/// the cofactor multiplier.
fn by_blst(dst: &[u8], label: &[u8]) -> Uncleared {
    let unclearing = Scalar::from_bytes(&CLEARING_INVERSE).unwrap_or_default();
    let hash = hash_to_g1(dst, label);
    Uncleared(one_to_affine(&scaled(&hash, &unclearing)))
}

#[cfg(test)]
mod tests {
    use super::*;

    use rand_chacha::ChaCha20Rng;
    use rand_core::{RngCore, SeedableRng};

    const DST: &[u8] = b"a domain";

    fn is_the_hash(label: &[u8], mapped: Uncleared) {
        let expected = one_to_affine(&hash_to_g1(DST, label));
        let sum = label_sum(&[mapped], &[Scalar::ONE]);
        assert_eq!(one_to_affine(&sum), expected, "{}", label.escape_ascii());
    }

    #[test]
    fn what_is_mapped_and_cleared_is_the_hash() {
        let labels: Vec<_> = (0..5 * INVERSION_BATCH + 3)
            .map(|at| at.to_string())
            .collect();
        let mapped = map_all(DST, &labels);
        assert_eq!(mapped.len(), labels.len());
        for (label, mapped) in labels.iter().zip(mapped) {
            is_the_hash(label.as_bytes(), mapped);
        }
        assert!(map_all::<&str>(DST, &[]).is_empty());
    }

    #[test]
    fn labels_of_random_bytes_and_the_longest_ones_are_mapped_to_their_hash() {
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let short = (0..2500).map(|at| at % 150);
        // Around block boundaries of the hash, around the two-byte length limit, and the longest label.
        let long = [255, 256, 257, 4095, 65_535, 65_536, 3 * 65_535 + 40];
        let labels: Vec<_> = short
            .chain(long)
            .map(|length| {
                let mut label = vec![0; length];
                rng.fill_bytes(&mut label);
                label
            })
            .collect();
        let mapped = map_all(DST, &labels);
        assert_eq!(mapped.len(), labels.len());
        for (label, mapped) in labels.iter().zip(mapped) {
            is_the_hash(label, mapped);
        }
    }

    #[test]
    fn the_fallback_gives_the_same_hash() {
        for label in ["", "a", "b"] {
            is_the_hash(label.as_bytes(), by_blst(DST, label.as_bytes()));
        }
        let twice = [
            Fp::of_limbs([3, 0, 0, 0, 0, 0]),
            Fp::of_limbs([4, 0, 0, 0, 0, 0]),
        ];
        let zero = [Fp::default(); 2];
        let sums = isogenous_sums(&[twice, twice, zero, twice, twice, zero]);
        assert!(sums.iter().all(Option::is_none));
        assert!(through_isogeny(&[None])[0].is_none());
    }

    #[test]
    fn weighted_sums_of_labels_are_those_of_their_hashes() {
        let labels = ["a", "b", "c", "d", "e"];
        let mapped = map_all(DST, &labels);
        let hashes: Vec<_> = labels
            .map(|label| one_to_affine(&hash_to_g1(DST, label.as_bytes())))
            .into();
        let long = -Scalar::from(u128::MAX) * Scalar::from(u128::MAX);
        let lists = [
            [1, -2, 3, -4, 5].map(Scalar::from),
            [0, 0, 7, 0, 0].map(Scalar::from),
            [long, Scalar::ZERO, Scalar::ONE, long, -long],
            [long; 5],
            [Scalar::ZERO; 5],
        ];
        for scalars in lists {
            for count in 0..=labels.len() {
                let sum = label_sum(&mapped[..count], &scalars[..count]);
                let expected = weighted_sum(&hashes[..count], &scalars[..count]);
                assert_eq!(one_to_affine(&sum), one_to_affine(&expected), "{scalars:?}");
            }
        }
    }

    #[test]
    fn inverses_are_inverses_and_zeros_stay() {
        let numbers = [5, 0, 7, 1, 0].map(|number| Fp::of_limbs([number, 0, 0, 0, 0, 0]));
        let mut inverses = numbers;
        invert_all(&mut inverses);
        for (number, inverse) in numbers.into_iter().zip(inverses) {
            let expected = if number.is_zero() { number } else { *ONE };
            assert!(number * inverse == expected);
        }
        invert_all(&mut []);
    }
}
