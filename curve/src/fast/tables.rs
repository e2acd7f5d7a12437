//! The choice of points that get tables, their size, and when.

use super::{
    comb::{Comb, Shape},
    point::Affine,
};
use crate::blst::ffi::generator_g1;
use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc, LazyLock, OnceLock,
};

/// For the generator: 1.2 MB once per process, 24 additions.
pub(super) const GENERATOR: Shape = Shape::new(11, 12, 12);

/// For keys, the largest first. The first with which a whole set fits into [`KEY_TABLES_BYTES`] is taken.
pub(super) const KEYS: [Shape; 5] = [
    Shape::new(8, 16, 4),
    Shape::new(8, 16, 2),
    Shape::new(8, 16, 1),
    Shape::new(6, 22, 1),
    Shape::new(4, 32, 1),
];

/// The most that the tables of all keys of a set may take together.
pub(super) const KEY_TABLES_BYTES: usize = 64 << 20;

/// For `H(m)`, by the number of votes from which on the larger table pays.
pub(super) const MESSAGES: [(u32, Shape); 4] = [
    (2048, Shape::new(11, 12, 12)),
    (512, Shape::new(10, 13, 13)),
    (16, Shape::new(8, 16, 4)),
    (0, FEW),
];

/// For a point that is multiplied a few times.
const FEW: Shape = Shape::new(6, 22, 1);

static GENERATOR_TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let tables = Tables::of_shape(GENERATOR);
    let generator = Affine::from_blst(&generator_g1());
    // The second call makes them.
    let _ = (tables.get(&generator), tables.get(&generator));
    tables
});

/// The tables of the generator.
pub(crate) fn generator_tables() -> Tables {
    GENERATOR_TABLES.clone()
}

/// The comb of the generator.
#[allow(
    clippy::expect_used,
    reason = "the static makes the comb with the tables"
)]
pub(super) fn generator() -> &'static Comb {
    GENERATOR_TABLES
        .get(&Affine::default())
        .expect("made with the tables; qed")
}

/// For a message with this many votes.
pub(super) fn message_shape(votes: u32) -> Shape {
    let mut from_the_largest = MESSAGES.into_iter();
    let fits = from_the_largest.find(|(least, _)| votes >= *least);
    fits.map_or(FEW, |(_, shape)| shape)
}

/// Tables of one point, shared by its copies; none by default. They are made when the point is multiplied for the
/// second time, so that a point that is used once does not pay for them.
#[derive(Clone, Debug, Default)]
pub struct Tables(Option<Arc<Lazy>>);

#[derive(Debug)]
struct Lazy {
    shape: Shape,
    used: AtomicBool,
    comb: OnceLock<Comb>,
}

impl Tables {
    fn of_shape(shape: Shape) -> Self {
        Self(Some(Arc::new(Lazy {
            shape,
            used: AtomicBool::new(false),
            comb: OnceLock::new(),
        })))
    }

    /// For a key of a set with this many.
    pub(crate) fn for_key(set_len: u32) -> Self {
        let limit = KEY_TABLES_BYTES / usize::try_from(set_len).unwrap_or(usize::MAX).max(1);
        KEYS.into_iter()
            .find(|shape| shape.bytes() <= limit)
            .map_or_else(Self::default, Self::of_shape)
    }

    /// For a point that is multiplied twice or a few times more.
    pub(crate) fn for_few() -> Self {
        let tables = Self::of_shape(FEW);
        if let Some(lazy) = &tables.0 {
            lazy.used.store(true, Ordering::Relaxed);
        }
        tables
    }

    /// The same, made at once; `None` if the point, which is on the curve and not zero, is outside of G1.
    pub(crate) fn for_few_checked(point: &Affine) -> Option<Self> {
        Some(Self(Some(Arc::new(Lazy {
            shape: FEW,
            used: AtomicBool::new(true),
            comb: OnceLock::from(Comb::new_checked(FEW, *point)?),
        }))))
    }

    /// For a message on which this many votes are expected.
    pub(crate) fn for_message(votes: u32) -> Self {
        Self::of_shape(message_shape(votes))
    }

    /// Whether the point never gets tables.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// The tables, if the point is multiplied for the second time or was before.
    pub(super) fn get(&self, point: &Affine) -> Option<&Comb> {
        let lazy = self.0.as_deref()?;
        if lazy.comb.get().is_none() && !lazy.used.swap(true, Ordering::Relaxed) {
            return None;
        }
        Some(lazy.comb.get_or_init(|| Comb::new(lazy.shape, *point)))
    }
}

#[cfg(test)]
impl Tables {
    /// The shape of the tables, if the point gets some.
    pub(super) fn shape(&self) -> Option<Shape> {
        self.0.as_ref().map(|lazy| lazy.shape)
    }
}
