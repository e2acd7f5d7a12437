//! Where the points of a batch are.

use super::points::{Point, Points};
use crate::fast::vector::octet::{Lanes, LANES};
use alloc::{vec, vec::Vec};

/// Points, single points, and the owners that are out.
pub(in crate::fast::vector) struct Space {
    pub(in crate::fast::vector) points: Vec<Points>,
    pub(in crate::fast::vector) singles: Vec<Point>,
    /// Single points that one owner has, one after the other.
    pub(in crate::fast::vector) stride: usize,
    /// Owners of eight points each, which come again in the same order.
    pub(in crate::fast::vector) octets: usize,
    /// The owners that are out, eight at a time.
    pub(in crate::fast::vector) out: Vec<Lanes>,
}

impl Space {
    pub(in crate::fast::vector) fn is_out(&self, owner: usize) -> bool {
        self.out[owner / LANES] >> (owner % LANES) & 1 == 1
    }

    pub(super) fn exclude(&mut self, owner: usize) {
        self.out[owner / LANES] |= 1 << (owner % LANES);
    }
}

/// Space for as many owners, each with this many single points, and for eight points of each this many times.
pub(in crate::fast::vector) fn space(owners: usize, stride: usize, times: usize) -> Space {
    let octets = owners.div_ceil(LANES);
    let mut out = vec![0; octets];
    if let (Some(last), rest @ 1..) = (out.last_mut(), owners % LANES) {
        *last = Lanes::MAX << rest;
    }
    Space {
        points: vec![Points::ZERO; octets * times],
        singles: vec![Point::ZERO; octets * LANES * stride],
        stride,
        octets,
        out,
    }
}
