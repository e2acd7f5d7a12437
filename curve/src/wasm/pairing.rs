//! The optimal ate pairing: Miller loops that share their squarings, and one final exponentiation.

use super::{
    encoding::psi,
    fp::Fp,
    fp2::{add2, sub2, El2, Fp2},
    point::Affine,
    tower::{Fp12, Fp6, Line},
};
use crate::{digits::MILLER_STEPS, encoding::PointError, parameters::Z};
use alloc::{borrow::Cow, vec::Vec};
use ark_bls12_381::g2;

/// A multiple of a point of G2 in homogeneous coordinates: `x/z`, `y/z`.
#[derive(Clone, Copy, Debug)]
struct Running {
    x: Fp2,
    y: Fp2,
    z: Fp2,
}

/// The line through a multiple of `Q`, before it is taken at a point `(x, y)` of G1: `a + b·x·v + c·y·v·w`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    a: Fp2,
    b: Fp2,
    c: Fp2,
}

impl Coefficients {
    fn at(&self, point: &Affine<Fp>) -> Line {
        Line {
            a: self.a,
            b: self.b.scale(point.x),
            c: self.c.scale(point.y),
        }
    }
}

impl Running {
    const fn of(point: &Affine<Fp2>) -> Self {
        Self {
            x: point.x,
            y: point.y,
            z: Fp2::ONE,
        }
    }

    /// Doubles and gives the tangent (Costello, Lange and Naehrig; four times their result, so that nothing is
    /// halved).
    const fn double(&mut self) -> Coefficients {
        let Self { x, y, z } = *self;
        let yy = y.square();
        let e = twelve_xi(z.square());
        let f = thrice(e);
        let yz: El2<2> = twice(y.mul(&z));
        let tangent = Coefficients {
            a: sub2::<1, 1, 3>(e, yy).reduce(),
            b: thrice(x.square()).reduce(),
            c: sub2::<1, 2, 4>(Fp2::ZERO, yz).reduce(),
        };
        let ee4: El2<4> = twice::<2, 4>(twice(e.square()));
        let ee12: El2<12> = add2::<8, 4, 12>(twice(ee4), ee4);
        let sum = add2::<1, 3, 4>(yy, f).reduce().square();
        let z: El2<2> = twice(yy.mul(&yz));
        *self = Self {
            x: twice::<1, 2>(x.mul(&y)).mul(&sub2::<1, 3, 5>(yy, f).reduce()),
            y: sub2::<1, 12, 14>(sum, ee12).reduce(),
            z: twice::<2, 4>(z).reduce(),
        };
        tangent
    }

    /// Adds `q` and gives the line through both.
    const fn add(&mut self, q: &Affine<Fp2>) -> Coefficients {
        let Self { x, y, z } = *self;
        let theta = sub2::<1, 1, 3>(y, q.y.mul(&z)).reduce();
        let lambda = sub2::<1, 1, 3>(x, q.x.mul(&z)).reduce();
        let c = theta.square();
        let d = lambda.square();
        let e = lambda.mul(&d);
        let f = z.mul(&c);
        let g = x.mul(&d);
        let h = sub2::<2, 2, 5>(add2(e, f), twice(g)).reduce();
        let of_theta = theta.mul(&sub2::<1, 1, 3>(g, h).reduce());
        *self = Self {
            x: lambda.mul(&h),
            y: sub2::<1, 1, 3>(of_theta, e.mul(&y)).reduce(),
            z: z.mul(&e),
        };
        Coefficients {
            a: sub2::<1, 1, 3>(theta.mul(&q.x), lambda.mul(&q.y)).reduce(),
            b: theta.neg(),
            c: lambda,
        }
    }

    /// Whether this is the point with these affine coordinates, which is not zero.
    fn equals(&self, other: &Affine<Fp2>) -> bool {
        let is_same = |own: Fp2, other: Fp2| (own - other.mul(&self.z)).reduce().is_zero();
        !self.z.is_zero() && is_same(self.x, other.x) && is_same(self.y, other.y)
    }
}

/// The standard generator of G2.
pub(super) const G2_GENERATOR: Affine<Fp2> = Affine {
    x: Fp2::from_ark(g2::G2_GENERATOR_X),
    y: Fp2::from_ark(g2::G2_GENERATOR_Y),
};

/// The lines of the Miller loop of a point of G2, and `[|z|]` of the point.
const fn lines_and_end(point: &Affine<Fp2>) -> ([Coefficients; MILLER_STEPS], Running) {
    let mut multiple = Running::of(point);
    let [a, b, c] = [Fp2::ZERO; 3];
    let mut lines = [Coefficients { a, b, c }; MILLER_STEPS];
    let (mut step, mut bit) = (0, 63);
    while bit > 0 {
        bit -= 1;
        lines[step] = multiple.double();
        step += 1;
        if (Z >> bit) & 1 == 1 {
            lines[step] = multiple.add(point);
            step += 1;
        }
    }
    (lines, multiple)
}

/// Those of the generator, computed at compile time: 22 KiB.
#[allow(long_running_const_eval)] // About three thousand products.
static OF_GENERATOR: [Coefficients; MILLER_STEPS] = lines_and_end(&G2_GENERATOR).0;

/// The lines of the generator. A browser computes them: it would take longer to fetch them.
pub(super) fn generator_lines() -> Cow<'static, [Coefficients]> {
    if cfg!(target_os = "unknown") {
        Cow::Owned(Lines::of(&G2_GENERATOR).0)
    } else {
        Cow::Borrowed(&OF_GENERATOR)
    }
}

/// The lines of the Miller loop of a point of G2.
#[derive(Debug, Default)]
pub(super) struct Lines(pub(super) Vec<Coefficients>);

impl Lines {
    /// Of a point of G2 that is not zero. Cost: 63 doublings and 5 additions.
    pub(super) fn of(point: &Affine<Fp2>) -> Self {
        Self(lines_and_end(point).0.to_vec())
    }

    /// The same, if the point, which is on the curve, is in the subgroup: exactly when `ψ(Q) = [z]Q` (Scott, eprint
    /// 2021/1130). That is where the loop ends.
    ///
    /// Steps that meet an exception, as no point of the subgroup does, give a point with `z = 0`, and so do all that
    /// follow.
    pub(super) fn of_checked(point: &Affine<Fp2>) -> Result<Self, PointError> {
        let (lines, times_z) = lines_and_end(point);
        // `z` is negative.
        if times_z.equals(&psi(point).neg()) {
            Ok(Self(lines.to_vec()))
        } else {
            Err(PointError::NotInSubgroup)
        }
    }
}

const fn twice<const L: u32, const M: u32>(value: El2<L>) -> El2<M> {
    add2(value, value)
}

const fn thrice(value: Fp2) -> El2<3> {
    add2::<2, 1, 3>(twice(value), value)
}

/// `12·ξ·value`, which is three times the curve's coefficient.
const fn twelve_xi(value: Fp2) -> Fp2 {
    let twelve: El2<4> = twice::<2, 4>(twice(thrice(value).reduce()));
    twelve.mul_xi::<9>().reduce()
}

/// A point of G1 and the lines of one of G2. Neither point is zero.
pub(super) type Pair<'a> = (&'a Affine<Fp>, &'a [Coefficients]);

/// The product of the Miller functions of these pairs, and of the `z`th power of `factor`.
fn miller_loop(pairs: &[Pair<'_>], factor: Option<&Fp12>) -> Fp12 {
    let mut product = factor.copied().unwrap_or(Fp12::ONE);
    let mut steps = 0..MILLER_STEPS;
    let mut multiply = |product| {
        let step = steps.next().unwrap_or(MILLER_STEPS);
        let lines = pairs
            .iter()
            .filter_map(|(point, lines)| Some(lines.get(step)?.at(point)));
        times_lines(product, &lines.collect::<Vec<_>>())
    };
    for bit in (0..63).rev() {
        if bit < 62 || factor.is_some() {
            product = product.square();
        }
        product = multiply(product);
        if (Z >> bit) & 1 == 1 {
            product = multiply(product);
            product = factor.map_or(product, |factor| product.mul(factor));
        }
    }
    // The curve's parameter is negative.
    product.conjugate()
}

fn times_lines(product: Fp12, lines: &[Line]) -> Fp12 {
    lines.chunks(2).fold(product, |product, chunk| {
        product.mul(&match chunk {
            [first, second] => Fp12::of_lines(first, second),
            [line] => Fp12::of_line(line),
            _ => Fp12::ONE,
        })
    })
}

/// Whether `f^((p¹² − 1)/r)` is one: whether its third power is, since `r` is not divisible by three.
///
/// With the curve's parameter `z`, `3·(p⁴ − p² + 1)/r = (z − 1)²·(z + p)·(z² + p² − 1) + 3` (Hayashida, Hayasaka and
/// Teruya).
fn is_one_after_final_exponentiation(f: &Fp12) -> bool {
    let f = f.conjugate().mul(&f.inverse());
    let f = f.frobenius_twice().mul(&f);
    // From here on the inverse is the conjugate; `z` is negative.
    let pow_z = |f: &Fp12| f.pow_z().conjugate();
    let pow_z_minus_one = |f: &Fp12| pow_z(f).mul(&f.conjugate());
    let a = pow_z_minus_one(&pow_z_minus_one(&f));
    let b = pow_z(&a).mul(&a.frobenius());
    let c = pow_z(&pow_z(&b))
        .mul(&b.frobenius_twice())
        .mul(&b.conjugate());
    c.mul(&f.square()).mul(&f).is_one()
}

/// Whether the product of the pairings is one. A pairing with zero is one.
pub(crate) fn product_is_one(pairs: &[(&Affine<Fp>, &Affine<Fp2>)]) -> bool {
    let pairs: Vec<_> = pairs
        .iter()
        .filter(|(p, q)| !p.is_zero() && !q.is_zero())
        .map(|(p, q)| (*p, Lines::of(q).0))
        .collect();
    let pairs: Vec<_> = pairs.iter().map(|(p, lines)| (*p, &lines[..])).collect();
    product_of_lines_is_one(&pairs)
}

/// The same of pairs none of which holds a zero.
pub(super) fn product_of_lines_is_one(pairs: &[Pair<'_>]) -> bool {
    is_one_after_final_exponentiation(&miller_loop(pairs, None))
}

/// The same by a witness. (`crate::witness`)
pub(super) fn product_of_lines_is_one_by(pairs: &[Pair<'_>], witness: Fp6) -> bool {
    let witness = Fp12::plus_w(witness);
    let product = miller_loop(pairs, Some(&witness));
    // The inverse of what is in Fp6 is there, too, and so is a conjugate's product with it.
    product
        .mul(&witness.frobenius().conjugate())
        .is_unit_of_fp6()
}
