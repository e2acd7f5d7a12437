//! Hashing to G1: RFC 9380, `BLS12381G1_XMD:SHA-256_SSWU_RO_`.

// Takes strangers' bytes: stricter than the rest of `wasm`. Operators are those of field elements, with bounds in types.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use super::{
    fp::Fp,
    point::{Affine, Jacobian},
};
use ark_bls12_381::{g1, Fq};
use ark_ec::{
    hashing::curve_maps::{swu::SWUConfig, wb::WBConfig},
    short_weierstrass::SWCurveConfig,
};
use sha2::{Digest, Sha256};

/// The curve that has points for every field element, and an isogeny from it to ours.
type Isogenous = <g1::Config as WBConfig>::IsogenousCurve;

const A: Fp = Fp::from_ark(Isogenous::COEFF_A);
const B: Fp = Fp::from_ark(Isogenous::COEFF_B);
const ZETA: Fp = Fp::from_ark(Isogenous::ZETA);
/// A square root of `−ζ`.
const ROOT: Fp = ZETA.neg().sqrt_candidate();

#[allow(
    clippy::indexing_slicing,
    reason = "called at compile time: an index outside does not compile"
)]
const fn polynomial<const N: usize>(coefficients: &[Fq]) -> [Fp; N] {
    assert!(coefficients.len() == N);
    let mut converted = [Fp::ZERO; N];
    let mut at = 0;
    while at < N {
        converted[at] = Fp::from_ark(coefficients[at]);
        at += 1;
    }
    converted
}

/// The isogeny's polynomials, from the constant coefficient on.
const X_NUMERATOR: [Fp; 12] = polynomial(g1::Config::ISOGENY_MAP.x_map_numerator);
const X_DENOMINATOR: [Fp; 11] = polynomial(g1::Config::ISOGENY_MAP.x_map_denominator);
const Y_NUMERATOR: [Fp; 16] = polynomial(g1::Config::ISOGENY_MAP.y_map_numerator);
const Y_DENOMINATOR: [Fp; 16] = polynomial(g1::Config::ISOGENY_MAP.y_map_denominator);

/// Bytes that one field element is made of: its 381 bits, and 128 more against bias, rounded up.
const ELEMENT_LEN: usize = 64;
/// Bytes of a hash.
const HASH_LEN: usize = 32;
/// The block length of the hash in bytes.
const BLOCK_LEN: usize = 64;

/// Section 5.3.1: as many bytes as two field elements take.
fn expand(dst: &[u8], message: &[u8]) -> [u8; 2 * ELEMENT_LEN] {
    // Section 5.3.3: a tag whose length does not fit a byte is hashed.
    let hashed: [u8; HASH_LEN];
    let (dst, dst_len) = match u8::try_from(dst.len()) {
        Ok(len) => (dst, len),
        Err(_) => {
            let tagged = Sha256::new_with_prefix(b"H2C-OVERSIZE-DST-");
            hashed = tagged.chain_update(dst).finalize().into();
            (&hashed[..], 32)
        }
    };
    const LEN: [u8; 2] = [0, 128];
    let seed = Sha256::new_with_prefix([0; BLOCK_LEN])
        .chain_update(message)
        .chain_update(LEN)
        .chain_update([0])
        .chain_update(dst)
        .chain_update([dst_len])
        .finalize();
    let mut last = [0; HASH_LEN];
    let mut bytes = [0; 2 * ELEMENT_LEN];
    for (number, chunk) in (1_u8..).zip(bytes.chunks_exact_mut(HASH_LEN)) {
        for (byte, of_seed) in last.iter_mut().zip(seed) {
            *byte ^= of_seed;
        }
        last = Sha256::new_with_prefix(last)
            .chain_update([number])
            .chain_update(dst)
            .chain_update([dst_len])
            .finalize()
            .into();
        chunk.copy_from_slice(&last);
    }
    bytes
}

/// Big-endian bytes modulo `p`.
fn element(bytes: &[u8; ELEMENT_LEN]) -> Fp {
    let half = |bytes: &[u8]| {
        let mut padded = [0; 48];
        padded[16..].copy_from_slice(bytes);
        Fp::from_bytes(&padded)
    };
    let (high, low) = bytes.split_at(ELEMENT_LEN / 2);
    (half(high).mul(Fp::TWO_256) + half(low)).reduce()
}

/// A point of the isogenous curve: the simplified map of Shallue, van de Woestijne and Ulas without a division,
/// appendix F.2.
pub(super) fn map(u: Fp) -> Jacobian<Fp> {
    let zu2 = ZETA.mul(u.square());
    let sum = (zu2.square() + zu2).reduce();
    let numerator = B.mul(sum + Fp::ONE);
    let denominator = A.mul(if sum.is_zero() { ZETA } else { sum.neg() });
    // g(x) as a fraction: (n³ + A·n·d² + B·d³) / d³.
    let dd = denominator.square();
    let ddd = dd.mul(denominator);
    let inner = (numerator.square() + A.mul(dd)).reduce();
    let g = (inner.mul(numerator) + B.mul(ddd)).reduce();
    let (is_square, root) = root_of_fraction(g, ddd);
    let (x, y) = if is_square {
        (numerator, root)
    } else {
        (zu2.mul(numerator), zu2.mul(u).mul(root))
    };
    let y = if u.is_odd() == y.is_odd() { y } else { y.neg() };
    // x/d and y, with z = d.
    Jacobian {
        x: x.mul(denominator),
        y: y.mul(ddd),
        z: denominator,
    }
}

/// A square root of `u/v`, or of `ζ·u/v` where `u/v` has none.
fn root_of_fraction(u: Fp, v: Fp) -> (bool, Fp) {
    let uv = u.mul(v);
    let root = uv.mul(uv.mul(v.square()).pow_quarter());
    if (root.square().mul(v) - u).is_zero() {
        (true, root)
    } else {
        (false, root.mul(ROOT))
    }
}

/// `Σ coefficients[i]·x^i·w^(n−i)`, where `n` is the degree and `powers` are those of `w`.
fn evaluate(coefficients: &[Fp], x: Fp, powers: &[Fp; 15]) -> Fp {
    let mut reversed = coefficients.iter().rev();
    let highest = reversed.next().copied().unwrap_or(Fp::ZERO);
    reversed
        .zip(powers)
        .fold(highest, |sum, (coefficient, power)| {
            (sum.mul(x) + coefficient.mul(*power)).reduce()
        })
}

/// The isogeny.
pub(super) fn isogeny(point: &Jacobian<Fp>) -> Jacobian<Fp> {
    let w = point.z.square();
    let (mut power, mut powers) = (w, [w; 15]);
    for next in powers.iter_mut().skip(1) {
        power = power.mul(w);
        *next = power;
    }
    let [xn, xd, yn, yd] = [
        &X_NUMERATOR[..],
        &X_DENOMINATOR[..],
        &Y_NUMERATOR[..],
        &Y_DENOMINATOR[..],
    ]
    .map(|coefficients| evaluate(coefficients, point.x, &powers));
    // x' = xn/(w·xd) and y' = y·yn/(z³·yd), with z' = z·xd·yd.
    let yd2 = yd.square();
    let xd_yd2 = xd.mul(yd2);
    Jacobian {
        x: xn.mul(xd_yd2),
        y: point.y.mul(yn).mul(xd.square()).mul(xd_yd2),
        z: point.z.mul(xd).mul(yd),
    }
}

/// Whether both are the same point. Neither may be zero.
pub(super) fn is_same(a: &Jacobian<Fp>, b: &Jacobian<Fp>) -> bool {
    let (zz1, zz2) = (a.z.square(), b.z.square());
    (a.x.mul(zz2) - b.x.mul(zz1)).is_zero()
        && (a.y.mul(zz2.mul(b.z)) - b.y.mul(zz1.mul(a.z))).is_zero()
}

/// Hashes to G1.
pub(super) fn hash_to_g1(dst: &[u8], message: &[u8]) -> Affine<Fp> {
    let bytes = expand(dst, message);
    let mut mapped = bytes.chunks_exact(ELEMENT_LEN).map(|chunk| {
        let mut bytes = [0; ELEMENT_LEN];
        bytes.copy_from_slice(chunk);
        map(element(&bytes))
    });
    let (Some(first), Some(second)) = (mapped.next(), mapped.next()) else {
        unreachable!("the bytes of two elements");
    };
    // The sum on the isogenous curve, but for its doubling, whose formula is another one there.
    let sum = if is_same(&first, &second) {
        isogeny(&first).double()
    } else {
        isogeny(&first.add(&second))
    };
    // Section 7: times 1 − z, which is enough to clear the cofactor.
    sum.times_z().add(&sum).to_affine()
}
