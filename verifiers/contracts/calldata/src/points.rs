//! Points as EIP-2537 has them, without the zero bytes before each coordinate.

use ark_bls12_381::{G1Affine, G2Affine};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};

/// The three flags of the first byte of x.
const FLAGS: u8 = 0xe0;

/// x and y of a compressed point of G1. Invalid points get `y = 1`, which the contract refuses. The contract also
/// checks the subgroup; this function does not. Cost: a square root.
pub fn g1(compressed: &[u8; 48]) -> [u8; 96] {
    let mut out = [0; 96];
    let point = G1Affine::deserialize_compressed_unchecked(compressed.as_slice());
    if point
        .and_then(|point| point.serialize_uncompressed(out.as_mut_slice()))
        .is_err()
    {
        out = no_point(compressed);
    }
    out
}

/// x.c0, x.c1, y.c0 and y.c1 of a compressed point of G2; as [`g1`].
pub fn g2(compressed: &[u8; 96]) -> [u8; 192] {
    let mut out = [0; 192];
    let point = G2Affine::deserialize_compressed_unchecked(compressed.as_slice());
    if point
        .and_then(|point| point.serialize_uncompressed(out.as_mut_slice()))
        .is_err()
    {
        out = no_point(compressed);
    }
    // c1 comes first where points are compressed, c0 in EIP-2537.
    for coordinate in out.chunks_exact_mut(96) {
        coordinate.rotate_left(48);
    }
    out
}

/// x as it came, without its flags, and y that is no point's.
fn no_point<const X: usize, const XY: usize>(compressed: &[u8; X]) -> [u8; XY] {
    let mut out = [0; XY];
    for (to, from) in out.iter_mut().zip(compressed) {
        *to = *from;
    }
    if let Some(first) = out.first_mut() {
        *first &= !FLAGS;
    }
    if let Some(last) = out.last_mut() {
        *last = 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator of G1, compressed, and its y.
    const X: &str = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
    const Y: &str = "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";

    fn generator() -> [u8; 48] {
        hex::decode(X).expect("hex").try_into().expect("48 bytes")
    }

    #[test]
    fn the_generator_has_the_coordinates_that_everybody_knows() {
        let point = g1(&generator());
        assert_eq!(hex::encode(&point[..48])[1..], X[1..]);
        assert_eq!(point[0], 0x17);
        assert_eq!(hex::encode(&point[48..]), Y);
    }

    #[test]
    fn the_other_sign_has_the_other_y() {
        let mut other = generator();
        other[0] ^= 0x20;
        let (point, other) = (g1(&generator()), g1(&other));
        assert_eq!(point[..48], other[..48]);
        assert_ne!(point[48..], other[48..]);
    }

    #[test]
    fn what_is_no_point_keeps_its_x_and_has_no_points_y() {
        // x = 1 is not on the curve, and a whole byte of ones is beyond the modulus.
        let mut one = [0; 48];
        (one[0], one[47]) = (0x80, 1);
        let mut expected = [0; 96];
        (expected[47], expected[95]) = (1, 1);
        assert_eq!(g1(&one), expected);
        assert_eq!(g1(&[0xff; 48])[..48], [&[0x1f][..], &[0xff; 47]].concat());
        // c1 was first, and y.c0 ends in one.
        let point = g2(&[0xff; 96]);
        assert_eq!(
            (point[47], point[48], point[143], point[191]),
            (0xff, 0x1f, 1, 0)
        );
    }
}
