//! Multiples of the generator, computed at compile time: a runtime starts anew with each call, and keeps no results of
//! the last one.

use super::{
    fp::{add, sub, El, Fp},
    multiples::{times_z2, Multiples, Quarters},
    point::{Affine, Jacobian},
};
use crate::parameters::Z;
use ark_bls12_381::g1;

/// The generator.
pub(super) const G1_GENERATOR: Affine<Fp> = Affine {
    x: Fp::from_ark(g1::G1_GENERATOR_X),
    y: Fp::from_ark(g1::G1_GENERATOR_Y),
};

/// Bits of a window of the generator's digits.
const WINDOW: u32 = 6;
/// The odd multiples that such a window selects from.
const ODD: usize = 1 << (WINDOW - 2);

/// 7 KiB. A wider window saves less than one addition of points per quarter of a scalar, and light clients load the table.
#[allow(long_running_const_eval)] // About three thousand products.
pub(super) static GENERATOR: Quarters<ODD, WINDOW> = {
    let own = Jacobian {
        x: G1_GENERATOR.x,
        y: G1_GENERATOR.y,
        z: Fp::ONE,
    };
    let mut times_z = own;
    let mut bit = 63;
    while bit > 0 {
        bit -= 1;
        times_z = double(times_z);
        if (Z >> bit) & 1 == 1 {
            times_z = sum(times_z, own);
        }
    }
    Quarters([multiples(own), multiples(times_z)])
};

const fn multiples(point: Jacobian<Fp>) -> Multiples<ODD> {
    let twice = double(point);
    let mut all = [point; ODD];
    // The product of all denominators before each.
    let mut before = [Fp::ONE; ODD];
    let mut at = 1;
    while at < ODD {
        all[at] = sum(all[at - 1], twice);
        before[at] = before[at - 1].mul(all[at - 1].z);
        at += 1;
    }
    let mut inverse = before[ODD - 1].mul(all[ODD - 1].z).slow_inverse();
    let mut own = [G1_GENERATOR; ODD];
    let mut images = own;
    while at > 0 {
        at -= 1;
        let of_z = inverse.mul(before[at]);
        inverse = inverse.mul(all[at].z);
        own[at] = Affine {
            x: all[at].x.mul(of_z.square()),
            y: all[at].y.mul(of_z.square().mul(of_z)),
        };
        images[at] = times_z2(&own[at]);
    }
    Multiples {
        own,
        times_z2: images,
    }
}

/// [`Jacobian::double`], for constants.
const fn double(point: Jacobian<Fp>) -> Jacobian<Fp> {
    let Jacobian { x, y, z } = point;
    let yy = y.square();
    let d = times_4(x.mul(yy));
    let xx = x.square();
    let e = add::<2, 1, 3>(add::<1, 1, 2>(xx, xx), xx).reduce();
    let x = sub::<1, 2, 4>(e.square(), add(d, d)).reduce();
    let yyyy = times_4(yy.square());
    let y_z = y.mul(z);
    Jacobian {
        x,
        y: sub::<1, 2, 4>(e.mul(sub::<1, 1, 3>(d, x)), add::<1, 1, 2>(yyyy, yyyy)).reduce(),
        z: add::<1, 1, 2>(y_z, y_z).reduce(),
    }
}

const fn times_4(element: Fp) -> Fp {
    let twice: El<2> = add(element, element);
    add::<2, 2, 4>(twice, twice).reduce()
}

/// [`Jacobian::add`] for points that are neither zero nor equal nor opposite, for constants.
const fn sum(a: Jacobian<Fp>, b: Jacobian<Fp>) -> Jacobian<Fp> {
    let (zz1, zz2) = (a.z.square(), b.z.square());
    let (u1, u2) = (a.x.mul(zz2), b.x.mul(zz1));
    let s1 = a.y.mul(b.z.mul(zz2));
    let s2 = b.y.mul(a.z.mul(zz1));
    let h = sub::<1, 1, 3>(u2, u1).reduce();
    let r = sub::<1, 1, 3>(s2, s1).reduce();
    let hh = h.square();
    let hhh = h.mul(hh);
    let v = u1.mul(hh);
    let taken: El<3> = add(add::<1, 1, 2>(v, v), hhh);
    let x = sub::<1, 3, 5>(r.square(), taken).reduce();
    Jacobian {
        x,
        y: sub::<1, 1, 3>(r.mul(sub::<1, 1, 3>(v, x)), s1.mul(hhh)).reduce(),
        z: a.z.mul(b.z).mul(h),
    }
}
