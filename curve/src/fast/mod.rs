//! The fast path of checking votes: what the vote of one signer shares with those of others, and with its own
//! subgroup check, is worked out once.
//!
//! `A = s·g1 + c·pk1` and `B = s·H(m) + c·σ` (DLEQ-2) have three bases that come again, with tables ([`comb`]),
//! and σ, which comes once and has to be checked anyway ([`variable`]). Votes of one round go through these in
//! step, in affine coordinates with shared inversions ([`lanes`]). Both ways decide the same on every input.
//!
//! Where the processor has AVX-512, votes in step and tables go sixteen at a time (`vector`), and with IFMA sums too.
//!
//! Sums of keys go in step too, and sums of subsets are kept where the same keys are added again and again
//! ([`sums`]). One of the two pairings of a proof is with the generator, whose part in it is worked out once, and the
//! other shares its doublings with the subgroup check ([`pairing`]).
//!
//! Everything here is public, so that it may branch and look up by value. Nothing in it may see a secret.

mod comb;
#[allow(unsafe_code)]
mod field;
#[allow(unsafe_code)]
mod fp2;
mod inverse;
mod lanes;
#[allow(unsafe_code)]
mod pairing;
mod point;
mod sums;
mod variable;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod vector;

#[cfg(test)]
mod tests;

use super::{
    blst::{decompress, Blst},
    digits::BaseZ,
    Arithmetic, Commitments, Curve, PointError, Query, Weight,
};
use alloc::{vec, vec::Vec};
use blst::blst_p1_affine;
use comb::{Comb, CombScalar, Shape, Term};
use lanes::{decompress_all, Lanes, ZERO};
pub(super) use pairing::{equation_holds, G2Prepared};
pub(super) use point::Affine;
use point::{to_affine, Jacobian};
use std::sync::{
    atomic::{AtomicBool, Ordering},
    Arc, LazyLock, OnceLock,
};
pub(super) use sums::sum;
pub(super) use sums::Sums;

/// Whether the processor can do this arithmetic.
pub(super) fn is_supported(arithmetic: Arithmetic) -> bool {
    #[cfg(target_arch = "x86_64")]
    let has_vectors = vector::Kernel::of(arithmetic).is_some();
    #[cfg(not(target_arch = "x86_64"))]
    let has_vectors = false;
    arithmetic == Arithmetic::Portable || has_vectors
}

/// For the generator: 1.2 MB once per process, 24 additions.
const GENERATOR: Shape = Shape::new(11, 12, 12);

/// For keys, from the largest on: the first of which a whole set fits into [`KEY_TABLES_BYTES`] is taken.
const KEYS: [Shape; 5] = [
    Shape::new(8, 16, 4),
    Shape::new(8, 16, 2),
    Shape::new(8, 16, 1),
    Shape::new(6, 22, 1),
    Shape::new(4, 32, 1),
];

/// What the tables of all keys of a set may take together.
const KEY_TABLES_BYTES: usize = 64 << 20;

/// For `H(m)`, by the number of votes from which on the larger table pays.
const MESSAGES: [(u32, Shape); 4] = [
    (2048, Shape::new(11, 12, 12)),
    (512, Shape::new(10, 13, 13)),
    (16, Shape::new(8, 16, 4)),
    (0, Shape::new(6, 22, 1)),
];

/// For a point that is multiplied a few times.
const FEW: Shape = Shape::new(6, 22, 1);

/// Votes that are checked in step: enough to make an inversion cheap, few enough to stay in the cache.
const LANES: usize = 256;
/// Fewer are checked one by one.
const MIN_LANES: usize = 16;

static G1: LazyLock<Tables> = LazyLock::new(|| {
    let tables = Tables::of_shape(GENERATOR);
    let generator = Affine::from_blst(&Blst::g1_generator());
    // The second call makes them.
    let _ = (tables.get(&generator), tables.get(&generator));
    tables
});

/// The tables of the generator.
pub(super) fn generator_tables() -> Tables {
    G1.clone()
}

fn generator() -> &'static Comb {
    G1.get(&Affine::default())
        .expect("made with the tables; qed")
}

/// Tables of one point, shared by its copies; none by default. They are made when the point is multiplied for the
/// second time: what is used once does not pay for them.
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
    pub(super) fn for_key(set_len: u32) -> Self {
        let limit = KEY_TABLES_BYTES / usize::try_from(set_len).unwrap_or(usize::MAX).max(1);
        KEYS.into_iter()
            .find(|shape| shape.bytes() <= limit)
            .map_or_else(Self::default, Self::of_shape)
    }

    /// For a point that is multiplied twice or a few times more.
    pub(super) fn for_few() -> Self {
        let tables = Self::of_shape(FEW);
        if let Some(lazy) = &tables.0 {
            lazy.used.store(true, Ordering::Relaxed);
        }
        tables
    }

    /// The same, made at once, if the point, which is on the curve and not zero, is in G1.
    pub(super) fn for_few_checked(point: &Affine) -> Option<Self> {
        Some(Self(Some(Arc::new(Lazy {
            shape: FEW,
            used: AtomicBool::new(true),
            comb: OnceLock::from(Comb::new_checked(FEW, *point)?),
        }))))
    }

    /// For a message on which this many votes are expected.
    pub(super) fn for_message(votes: u32) -> Self {
        MESSAGES
            .into_iter()
            .find(|(least, _)| votes >= *least)
            .map_or_else(Self::default, |(_, shape)| Self::of_shape(shape))
    }

    /// The tables, if it is time that there are some.
    fn get(&self, point: &Affine) -> Option<&Comb> {
        let lazy = self.0.as_deref()?;
        if lazy.comb.get().is_none() && !lazy.used.swap(true, Ordering::Relaxed) {
            return None;
        }
        Some(lazy.comb.get_or_init(|| Comb::new(lazy.shape, *point)))
    }
}

fn base_z(scalar: &<Blst as Curve>::Scalar) -> BaseZ {
    BaseZ::new(&Blst::scalar_to_bytes(scalar))
}

/// What queries that go in step have in common.
type Shapes = (Option<Shape>, Shape);

/// A query with its tables looked up.
struct Prepared<'a> {
    c: BaseZ,
    s: BaseZ,
    pk1: Affine,
    pk1_tables: Option<&'a Comb>,
    hm: Affine,
    hm_tables: Option<&'a Comb>,
    sigma: Affine,
}

impl<'a> Prepared<'a> {
    fn new(query: &Query<'a, Blst>, sigma: Affine) -> Self {
        let (pk1, hm) = (Affine::from_blst(query.pk1), Affine::from_blst(query.hm));
        Self {
            sigma,
            c: base_z(query.c),
            s: base_z(query.s),
            pk1,
            pk1_tables: query.pk1_tables.get(&pk1),
            hm,
            hm_tables: query.hm_tables.get(&hm),
        }
    }

    /// The shapes of the tables: those of the key, if there are some, and those of the message, without which a query goes
    /// alone.
    fn shapes(&self) -> Option<Shapes> {
        Some((self.pk1_tables.map(Comb::shape), self.hm_tables?.shape()))
    }

    fn alone(&self) -> Result<Commitments<Blst>, PointError> {
        let (c, s) = (CombScalar::new(&self.c), CombScalar::new(&self.s));
        let of_sigma =
            variable::mul_checked(&self.sigma, &self.c).ok_or(PointError::NotInSubgroup)?;
        let a = generator()
            .mul(&s)
            .add(&mul(&self.pk1, self.pk1_tables, &self.c, &c));
        let b = of_sigma.add(&mul(&self.hm, self.hm_tables, &self.s, &s));
        let [a, b]: [Affine; 2] = to_affine(&[a, b])
            .try_into()
            .expect("as many as were put in; qed");
        Ok(self.commitments(a, b))
    }

    fn commitments(&self, a: Affine, b: Affine) -> Commitments<Blst> {
        Commitments {
            sigma: self.sigma.to_blst(),
            a: a.to_blst(),
            b: b.to_blst(),
        }
    }
}

/// A multiple of a key or of a message, which are in G1.
fn mul(point: &Affine, tables: Option<&Comb>, scalar: &BaseZ, for_comb: &CombScalar) -> Jacobian {
    match tables {
        Some(comb) => comb.mul(for_comb),
        None => variable::mul(point, scalar),
    }
}

/// `scalar · point` for a point of G1.
pub(super) fn mul_public(
    scalar: &<Blst as Curve>::Scalar,
    point: &blst_p1_affine,
    tables: &Tables,
) -> blst_p1_affine {
    if Blst::g1_is_zero(point) {
        return *point;
    }
    let (point, scalar) = (Affine::from_blst(point), base_z(scalar));
    normal(mul(
        &point,
        tables.get(&point),
        &scalar,
        &CombScalar::new(&scalar),
    ))
}

/// `p + t·q` for any points of the curve.
pub(super) fn add_mul_short(
    p: &blst_p1_affine,
    t: u128,
    q: &blst_p1_affine,
    tables: &Tables,
) -> blst_p1_affine {
    if Blst::g1_is_zero(q) {
        return *p;
    }
    let q = Affine::from_blst(q);
    let product = match tables.get(&q) {
        Some(comb) => comb.mul(&CombScalar::short(t)),
        None => variable::mul_short(&q, t),
    };
    normal(if Blst::g1_is_zero(p) {
        product
    } else {
        product.add_affine(&Affine::from_blst(p))
    })
}

/// `weight · point` of points of G1.
pub(super) fn times_weights(terms: &[(&blst_p1_affine, Weight)]) -> Vec<blst_p1_affine> {
    let mut lanes = Lanes::before_scalars();
    let (points, weights): (Vec<_>, Vec<_>) = terms
        .iter()
        .map(|(point, weight)| (Affine::from_blst(point), *weight))
        .unzip();
    points
        .chunks(LANES)
        .zip(weights.chunks(LANES))
        .flat_map(|(points, weights)| {
            if points.len() >= MIN_LANES {
                return variable::times_weights(points, weights, &mut lanes);
            }
            let alone = |(point, weight): (&Affine, &Weight)| {
                if point.is_zero() {
                    Jacobian::ZERO
                } else {
                    variable::times_weight(point, *weight)
                }
            };
            to_affine(&points.iter().zip(weights).map(alone).collect::<Vec<_>>())
        })
        .map(Affine::to_blst)
        .collect()
}

/// A public point in affine coordinates.
pub(super) fn normal(point: impl Into<Jacobian>) -> blst_p1_affine {
    to_affine(&[point.into()])
        .first()
        .map_or_else(blst_p1_affine::default, |point| point.to_blst())
}

/// σ and the two commitments of one vote.
pub(super) fn commitments(query: &Query<'_, Blst>) -> Result<Commitments<Blst>, PointError> {
    let sigma = Affine::from_blst(&decompress(query.sigma)?);
    Prepared::new(query, sigma).alone()
}

/// The same for many: those whose tables are of one shape, or whose keys have none yet, in step, the others one by one.
pub(super) fn commitments_all(
    queries: &[Query<'_, Blst>],
) -> Vec<Result<Commitments<Blst>, PointError>> {
    let arithmetic = Arithmetic::current();
    let mut lanes = Lanes::with(arithmetic);
    queries
        .chunks(LANES)
        .flat_map(|chunk| in_step(chunk, arithmetic, &mut lanes))
        .collect()
}

fn in_step(
    queries: &[Query<'_, Blst>],
    arithmetic: Arithmetic,
    lanes: &mut Lanes,
) -> Vec<Result<Commitments<Blst>, PointError>> {
    let sigmas: Vec<_> = queries.iter().map(|query| query.sigma).collect();
    let prepared: Vec<_> = queries
        .iter()
        .zip(decompress_all(arithmetic, &sigmas))
        .map(|(query, sigma)| sigma.map(|sigma| Prepared::new(query, sigma)))
        .collect();
    let mut shapes: Vec<Shapes> = Vec::new();
    for of_query in prepared.iter().flatten().filter_map(Prepared::shapes) {
        if !shapes.contains(&of_query) {
            shapes.push(of_query);
        }
    }
    let mut answers: Vec<_> = prepared.iter().map(|_| None).collect();
    for shapes in shapes {
        let (places, together): (Vec<_>, Vec<_>) = prepared
            .iter()
            .enumerate()
            .filter_map(|(at, query)| Some((at, query.as_ref().ok()?)))
            .filter(|(_, query)| query.shapes() == Some(shapes))
            .unzip();
        if together.len() >= MIN_LANES {
            for (at, answer) in places.into_iter().zip(run(&together, lanes)) {
                answers[at] = Some(answer);
            }
        }
    }
    prepared
        .into_iter()
        .zip(answers)
        .map(|(query, answer)| answer.unwrap_or_else(|| query?.alone()))
        .collect()
}

/// Queries that have tables of the same shapes.
fn run(queries: &[&Prepared<'_>], lanes: &mut Lanes) -> Vec<Result<Commitments<Blst>, PointError>> {
    let count = queries.len();
    // Keys without tables are multiplied as σ is. That they are in the subgroup is known.
    let keys = queries.iter().filter(|query| query.pk1_tables.is_none());
    let (points, scalars): (Vec<_>, Vec<_>) = queries
        .iter()
        .map(|query| (query.sigma, query.c))
        .chain(keys.map(|query| (query.pk1, query.c)))
        .unzip();
    let (products, are_in_subgroup) = variable::mul_checked_all(&points, &scalars, lanes);
    let (of_sigma, of_pk1) = products.split_at(count);
    let (c, s): (Vec<_>, Vec<_>) = queries
        .iter()
        .map(|query| (CombScalar::new(&query.c), CombScalar::new(&query.s)))
        .unzip();
    let [mut pk1, mut g1, mut hm] = [const { Vec::new() }; 3];
    for ((query, c), s) in queries.iter().zip(&c).zip(&s) {
        let term = |scalar| move |comb| Term { comb, scalar };
        pk1.extend(query.pk1_tables.map(term(c)));
        g1.push(term(s)(generator()));
        hm.extend(query.hm_tables.map(term(s)));
    }
    let mut sums = vec![ZERO; 2 * count];
    comb::sums(&mut sums, [&[pk1, g1], &[hm]], lanes);
    for (at, product) in (count..).zip(of_sigma).chain((0..).zip(of_pk1)) {
        lanes.push(at, *product);
    }
    lanes.flush(&mut sums);
    let (a, b) = sums.split_at(count);
    queries
        .iter()
        .zip(are_in_subgroup)
        .zip(a.iter().zip(b))
        .map(|((query, is_in_subgroup), (a, b))| {
            is_in_subgroup
                .then(|| query.commitments(*a, *b))
                .ok_or(PointError::NotInSubgroup)
        })
        .collect()
}
