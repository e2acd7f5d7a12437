//! Points from their encodings, sixteen at a time.

use super::{
    elements::{Fp16, Mask, Words, WIDTH},
    kernel::{Kernel, Lockstep},
    octet::{Octet, Stored, FOUR as OCTET_FOUR, LANES, ONE},
};
use crate::{
    encoding::{check_encoding, PointError, FLAGS, G1_LEN, LARGER_Y},
    fast::{field::Fp, point::Affine},
    parameters::{MODULUS, SQUARED_RADIX},
};
use alloc::vec::Vec;
use blst::blst_fp;

/// `(p + 1)/4`: to this power, a square is a root of itself.
const ROOT: [u64; 6] = {
    // The last two bits of `p` are set.
    let mut root = shifted_right(MODULUS, 2);
    root[0] += 1;
    root
};
const ROOT_BITS: usize = 379;

/// `(p − 1)/2`: the largest number that is not larger than its negative.
const HALF: [u64; 6] = shifted_right(MODULUS, 1);

const fn shifted_right(mut number: [u64; 6], bits: u32) -> [u64; 6] {
    let mut at = 0;
    while at < 6 {
        let above = if at < 5 { number[at + 1] } else { 0 };
        number[at] = number[at] >> bits | above << (u64::BITS - bits);
        at += 1;
    }
    number
}

/// The factor that brings an integer into Montgomery form.
const INTO_MONTGOMERY: Fp16 = Fp16::all(&Fp(blst_fp { l: SQUARED_RADIX }));
/// One, which a product with brings an element out of Montgomery form.
const INTEGER_ONE: Fp16 = Fp16::all(&Fp(blst_fp {
    l: [1, 0, 0, 0, 0, 0],
}));
/// The `b` of `y² = x³ + b`, in Montgomery form.
const FOUR: Fp16 = Fp16::all(&Fp(blst_fp {
    l: [
        0xaa27_0000_000c_fff3,
        0x53cc_0032_fc34_000a,
        0x478f_e97a_6b0a_807f,
        0xb1d3_7ebe_e6ba_24d7,
        0x8ec9_733b_bf78_ab2f,
        0x09d6_4551_3d83_de7e,
    ],
}));

/// Bits of the exponent that a multiplication takes care of at most.
const WINDOW: usize = 5;

/// The encoding, split before any arithmetic.
struct Encoded {
    x: Fp,
    is_larger: bool,
}

fn decode(bytes: &[u8; G1_LEN]) -> Result<Encoded, PointError> {
    check_encoding(bytes)?;
    let mut bytes = *bytes;
    let is_larger = bytes[0] & LARGER_Y != 0;
    bytes[0] &= !FLAGS;
    let mut l = [0; 6];
    for (word, bytes) in l.iter_mut().rev().zip(bytes.as_chunks().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    Ok(Encoded {
        x: Fp(blst_fp { l }),
        is_larger,
    })
}

/// The points of the curve that these bytes encode, without the subgroup check.
///
/// Cost: about 470 products of vectors for each sixteen.
pub(crate) fn decompress_all(
    kernel: Kernel,
    encodings: &[&[u8; G1_LEN]],
) -> Vec<Result<Affine, PointError>> {
    // SAFETY: there is a kernel only where the processor has AVX-512 (F and DQ).
    unsafe { decompress_with_avx512(kernel, encodings) }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn decompress_with_avx512(
    kernel: Kernel,
    encodings: &[&[u8; G1_LEN]],
) -> Vec<Result<Affine, PointError>> {
    let mut points = Vec::with_capacity(encodings.len());
    for encodings in encodings.chunks(WIDTH) {
        let mut x = Words::ZERO;
        let mut decoded = Vec::with_capacity(WIDTH);
        for (lane, bytes) in encodings.iter().enumerate() {
            let encoded = decode(bytes);
            if let Ok(encoded) = &encoded {
                x.set(lane, &encoded.x);
            }
            decoded.push(encoded);
        }
        let found = Found::new(kernel, &x);
        points.extend(decoded.into_iter().enumerate().map(|(lane, encoded)| {
            let encoded = encoded?;
            if found.on_curve >> lane & 1 == 0 {
                return Err(PointError::NotOnCurve);
            }
            let is_larger = found
                .integers
                .get(lane)
                .0
                .l
                .iter()
                .rev()
                .gt(HALF.iter().rev());
            let point = Affine {
                x: found.x.get(lane),
                y: found.y.get(lane),
            };
            Ok(point.neg_if(is_larger != encoded.is_larger))
        }));
    }
    points
}

/// The results for sixteen coordinates `x`.
struct Found {
    x: Words,
    /// One of both.
    y: Words,
    /// `y`, out of Montgomery form.
    integers: Words,
    on_curve: Mask,
}

impl Found {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn new(kernel: Kernel, integers: &Words) -> Self {
        let (mut x, mut square, mut cube) = (Fp16::ZERO, Fp16::ZERO, Fp16::ZERO);
        square.set_words(integers);
        kernel.mul(&mut x, &square, &INTO_MONTGOMERY);
        kernel.mul(&mut square, &x, &x);
        kernel.mul(&mut cube, &square, &x);
        let mut right = Fp16::ZERO;
        right.set_sum(&cube, &FOUR);
        right.reduce();
        let root = power(kernel, &right);
        kernel.mul(&mut square, &root, &root);
        square.reduce();
        let mut out = Self {
            x: Words::ZERO,
            y: Words::ZERO,
            integers: Words::ZERO,
            on_curve: square.equals(&right),
        };
        x.canonical(&mut out.x);
        root.canonical(&mut out.y);
        kernel.mul(&mut square, &root, &INTEGER_ONE);
        square.canonical(&mut out.integers);
        out
    }
}

/// The exponent [`ROOT`] from its highest bit on: how often to square, and then which odd power to multiply with, if any.
fn windows() -> impl Iterator<Item = (usize, Option<usize>)> {
    let is_set = |bit: usize| ROOT[bit / 64] >> (bit % 64) & 1 == 1;
    let mut bit = ROOT_BITS;
    core::iter::from_fn(move || {
        if bit == 0 {
            return None;
        }
        let highest = bit;
        if !is_set(bit - 1) {
            bit -= 1;
            return Some((1, None));
        }
        // The longest window from here that ends in a set bit.
        let lowest = bit.saturating_sub(WINDOW);
        bit = (lowest..bit).find(|low| is_set(*low)).unwrap_or(bit - 1);
        let digits = (bit..highest).rev();
        let digit = digits.fold(0, |digit, bit| digit << 1 | usize::from(is_set(bit)));
        Some((highest - bit, Some(digit >> 1)))
    })
}

/// `base` to the power of [`ROOT`], of a canonical base: short.
#[target_feature(enable = "avx512f,avx512dq")]
fn power(kernel: Kernel, base: &Fp16) -> Fp16 {
    // The odd powers below `2^WINDOW`.
    let mut powers = [*base; 1 << (WINDOW - 1)];
    let mut square = Fp16::ZERO;
    kernel.mul(&mut square, base, base);
    for at in 1..powers.len() {
        let (before, rest) = powers.split_at_mut(at);
        kernel.mul(&mut rest[0], &before[at - 1], &square);
    }
    let mut out = Fp16::ONE;
    for (squarings, factor) in windows() {
        for _ in 0..squarings {
            kernel.mul(&mut square, &out, &out);
            out = square;
        }
        if let Some(factor) = factor {
            kernel.mul(&mut square, &out, &powers[factor]);
            out = square;
        }
    }
    out
}

/// [`decompress_all`] in the registers. Cost: about 470 products of vectors for each sixteen.
pub(crate) fn decompress_in_octets(
    _: Lockstep,
    encodings: &[&[u8; G1_LEN]],
) -> Vec<Result<Affine, PointError>> {
    // SAFETY: there is such a value only where the processor has AVX-512 IFMA (and F and DQ).
    unsafe { decompress_with_ifma(encodings) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn decompress_with_ifma(encodings: &[&[u8; G1_LEN]]) -> Vec<Result<Affine, PointError>> {
    let mut points = Vec::with_capacity(encodings.len());
    for encodings in encodings.chunks(PAIR * LANES) {
        let decoded: Vec<_> = encodings.iter().map(|bytes| decode(bytes)).collect();
        let xs: [Fp; PAIR * LANES] = core::array::from_fn(|lane| match decoded.get(lane) {
            Some(Ok(encoded)) => encoded.x,
            _ => Fp::ZERO,
        });
        let (octets, _) = xs.as_chunks::<LANES>();
        // No closures: what they call is not inlined into functions that lack the instructions.
        let mut x = [Octet::load(&ONE); PAIR];
        let mut right = x;
        for ((x, right), octet) in x.iter_mut().zip(&mut right).zip(octets) {
            *x = Octet::of_integers(octet.each_ref());
            let cube = x.square().mul(x);
            *right = cube.plus(&Octet::load(&OCTET_FOUR)).reduced();
        }
        let roots = powers(right);
        for (at, decoded) in decoded.chunks(LANES).enumerate() {
            let root = roots[at];
            let is_root = root.square().canonical().equals(&right[at].canonical());
            let (xs, ys) = (x[at].blst_form(), root.blst_form());
            let integers = root.integers();
            points.extend(decoded.iter().enumerate().map(|(lane, encoded)| {
                let encoded = encoded.as_ref().map_err(|error| *error)?;
                if is_root >> lane & 1 == 0 {
                    return Err(PointError::NotOnCurve);
                }
                let is_larger = integers[lane].0.l.iter().rev().gt(HALF.iter().rev());
                let (x, y) = (xs[lane], ys[lane]);
                Ok(Affine { x, y }.neg_if(is_larger != encoded.is_larger))
            }));
        }
    }
    points
}

/// Vectors that are worked on in turn, so that one need not wait for itself.
const PAIR: usize = 2;

/// The bases to the power of [`ROOT`].
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn powers(bases: [Octet; PAIR]) -> [Octet; PAIR] {
    let mut odd = [[Stored::ZERO; 1 << (WINDOW - 1)]; PAIR];
    for (odd, base) in odd.iter_mut().zip(bases) {
        let (square, mut power) = (base.square(), base);
        for place in odd {
            power.store(place);
            power = power.mul(&square);
        }
    }
    let mut out = [Octet::load(&ONE); PAIR];
    for (squarings, factor) in windows() {
        for _ in 0..squarings {
            for out in &mut out {
                *out = out.square();
            }
        }
        if let Some(factor) = factor {
            for (out, odd) in out.iter_mut().zip(&odd) {
                *out = out.mul(&Octet::load(&odd[factor]));
            }
        }
    }
    out
}
