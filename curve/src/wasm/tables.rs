//! Tables of multiples of points of G1.

use super::{
    elements::G1,
    generator::GENERATOR,
    multiples::{Few, Term},
    point::Jacobian,
};
use crate::digits::BaseZ;
use alloc::sync::Arc;

/// Multiples of a point of G1, shared by its copies; none by default.
#[derive(Clone, Debug, Default)]
pub struct Tables(pub(super) Kind);

#[derive(Clone, Debug, Default)]
pub(super) enum Kind {
    #[default]
    None,
    Generator,
    Of(Arc<Few>),
}

impl Tables {
    /// Of a point of G1, computed at once. Zero has none: its products are zero.
    pub(super) fn of(point: &G1) -> Self {
        if point.point.is_zero() {
            return Self::default();
        }
        let own = Jacobian::from(point.point);
        let times_z = point.times_z.unwrap_or_else(|| own.times_z());
        Few::of(own, times_z).map_or_else(Self::default, |few| Self(Kind::Of(Arc::new(few))))
    }

    /// `scalar·P` as terms of a sum; none without tables.
    pub(super) fn times(&self, scalar: &BaseZ) -> impl Iterator<Item = Term<'_>> {
        let terms = match &self.0 {
            Kind::None => None,
            Kind::Generator => Some(GENERATOR.times(scalar)),
            Kind::Of(few) => Some(few.times(scalar)),
        };
        terms.into_iter().flatten()
    }
}
