//! Torus-based compression of elements of the target group to half the size.
//!
//! The elements of the field with `p¹²` elements are `a + b·w` with `w² = v`, over the field with `p⁶` elements. An
//! element of the target group has norm one, `a² − v·b² = 1`, so one element of the subfield determines it: `t = (1 +
//! a)/b`. Conversely, `a = (t² + v)/(t² − v)` and `b = 2t/(t² − v)`, where `t² ≠ v` because `v` is not a square. Only
//! `±1` have `b = 0`. The element `1` is encoded as `t = 0`, for which the formula gives `−1`; `−1` does not have order
//! `r`.

use crate::{gt::Gt, suite::TORUS_LEN};
use ark_bls12_381::{Fq12, Fq2, Fq6};
use ark_ff::{AdditiveGroup, Field, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};

/// `v`, the square of `w`.
const V: Fq6 = Fq6::new(Fq2::ZERO, Fq2::ONE, Fq2::ZERO);

pub(crate) fn compress(element: &Gt) -> [u8; TORUS_LEN] {
    let Fq12 { c0: a, c1: b, .. } = *element.as_field();
    let t = b
        .inverse()
        .map_or(Fq6::ZERO, |inverse| (Fq6::ONE + a) * inverse);
    let mut bytes = [0; TORUS_LEN];
    t.serialize_uncompressed(&mut bytes[..])
        .expect("six coordinates have 288 bytes; qed");
    bytes
}

/// `None` if the bytes do not encode an element of the subfield, or if the result is not in the target group.
pub(crate) fn decompress(bytes: &[u8; TORUS_LEN]) -> Option<Gt> {
    let t = Fq6::deserialize_with_mode(&bytes[..], Compress::No, Validate::Yes).ok()?;
    if t.is_zero() {
        return (*bytes == [0; TORUS_LEN]).then_some(Gt::ONE);
    }
    let square = t.square();
    let inverse = (square - V).inverse()?;
    let element = Gt::from_field(Fq12::new((square + V) * inverse, t.double() * inverse))?;
    (compress(&element) == *bytes).then_some(element)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::{Fr, G1Affine, G2Affine};
    use ark_ec::AffineRepr;

    #[test]
    fn every_element_comes_back_from_its_compressed_form() {
        let z = Gt::pairing(&G1Affine::generator(), &G2Affine::generator());
        for exponent in 0..20u64 {
            let element = z.pow(&Fr::from(exponent));
            for element in [element, element.inverse()] {
                assert_eq!(decompress(&compress(&element)), Some(element));
            }
        }
    }

    #[test]
    fn what_decompresses_to_an_element_outside_the_group_is_refused() {
        let mut bytes = [0; TORUS_LEN];
        for first in 1..20 {
            bytes[0] = first;
            assert_eq!(decompress(&bytes), None);
        }
        assert_eq!(decompress(&[0xff; TORUS_LEN]), None);
    }

    #[test]
    fn the_compressed_form_of_one_is_zero() {
        assert_eq!(compress(&Gt::ONE), [0; TORUS_LEN]);
        assert_eq!(decompress(&[0; TORUS_LEN]), Some(Gt::ONE));
    }
}
