//! Points in the form of octets.

use crate::fast::{
    point::Affine,
    vector::octet::{Lanes, Octet, Single, Stored, CUBE_ROOT, LANES},
};

/// Eight points that are next to each other.
#[derive(Clone, Copy)]
pub(in crate::fast::vector) struct Points {
    pub(in crate::fast::vector) x: Stored,
    pub(in crate::fast::vector) y: Stored,
}

/// A point on its own.
#[derive(Clone, Copy)]
pub(in crate::fast::vector) struct Point {
    pub(in crate::fast::vector) x: Single,
    pub(in crate::fast::vector) y: Single,
}

impl Points {
    pub(in crate::fast::vector) const ZERO: Self = Self {
        x: Stored::ZERO,
        y: Stored::ZERO,
    };

    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn set(&mut self, points: [&Affine; LANES]) {
        Octet::of(points.map(|point| &point.x)).store(&mut self.x);
        Octet::of(points.map(|point| &point.y)).store(&mut self.y);
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn affine(&self) -> [Affine; LANES] {
        let (x, y) = (
            Octet::load(&self.x).blst_form(),
            Octet::load(&self.y).blst_form(),
        );
        core::array::from_fn(|lane| Affine {
            x: x[lane],
            y: y[lane],
        })
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn write_to(
        &self,
        singles: &mut [Point],
        copies: Copies,
        stride: usize,
    ) {
        write(
            &Octet::load(&self.x),
            &Octet::load(&self.y),
            singles,
            copies,
            stride,
        );
    }
}

impl Point {
    pub(in crate::fast::vector) const ZERO: Self = Self {
        x: Single::ZERO,
        y: Single::ZERO,
    };
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn write(x: &Octet, y: &Octet, singles: &mut [Point], copies: Copies, stride: usize) {
    if copies.lanes == 0 {
        return;
    }
    let (x, y) = (x.singles(), y.singles());
    let mut lanes = copies.lanes;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        singles[copies.first + lane * stride] = Point {
            x: x[lane],
            y: y[lane],
        };
    }
}

/// The targets of single copies of eight points: which points, and the place of the first.
#[derive(Clone, Copy, Default)]
pub(in crate::fast::vector) struct Copies {
    pub(in crate::fast::vector) lanes: Lanes,
    pub(in crate::fast::vector) first: usize,
}

/// Points of tables that are added to eight points.
#[derive(Clone, Copy)]
pub(in crate::fast::vector) struct Addends<'a> {
    pub(in crate::fast::vector) points: [&'a Affine; LANES],
    pub(in crate::fast::vector) negative: Lanes,
    /// Whether `−φ` of the points is meant.
    pub(in crate::fast::vector) is_times_z2: bool,
    /// Where something is added.
    pub(in crate::fast::vector) active: Lanes,
}

impl Addends<'_> {
    /// The coordinate: short.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn x(&self) -> Octet {
        let x = Octet::widened(self.points.map(|point| &point.x));
        if self.is_times_z2 {
            Octet::load(&CUBE_ROOT).mul(&x)
        } else {
            x.reduced()
        }
    }

    /// The coordinate, not reduced, and where its sign is to be changed.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(super) fn y(&self) -> (Octet, Lanes) {
        let negative = if self.is_times_z2 {
            !self.negative
        } else {
            self.negative
        };
        (Octet::widened(self.points.map(|point| &point.y)), negative)
    }

    /// The points themselves.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub(in crate::fast::vector) fn copy_to(&self, points: &mut Points) {
        let (y, negative) = self.y();
        self.x().store(&mut points.x);
        y.reduced()
            .negated_where(negative)
            .reduced()
            .store(&mut points.y);
    }
}
