//! The commitments of votes: `A = s·g1 + c·pk1` and `B = s·H(m) + c·σ`. (DLEQ-2)
//!
//! Three of the four bases come again and have tables. σ comes once and its subgroup has to be checked, which takes as
//! many doublings as the product. Votes of one round are checked in batches, in affine coordinates with simultaneous
//! inversion. Both ways give the same answer on every input.

#[cfg(target_arch = "x86_64")]
use super::vector;
use super::{
    batch::{Additions, BATCH, MIN_BATCH},
    comb::{self, Comb, CombScalar, Shape, Term},
    decompression::decompress_all,
    multiples::mul,
    point::{to_affine, Affine, ZERO},
    tables::{generator, message_shape, Tables},
    variable,
};
use crate::{
    arithmetic::Arithmetic,
    blst::ffi::decompress_g1,
    digits::BaseZ,
    encoding::{PointError, G1_LEN},
};
use alloc::{vec, vec::Vec};

/// A vote to check.
#[derive(Debug)]
pub(crate) struct Vote<'a> {
    /// The challenge.
    pub(crate) c: BaseZ,
    /// The response.
    pub(crate) s: BaseZ,
    /// The signer's key.
    pub(crate) pk1: Affine,
    pub(crate) pk1_tables: &'a Tables,
    /// `H(m)`.
    pub(crate) hm: Affine,
    pub(crate) hm_tables: &'a Tables,
    /// σ, encoded.
    pub(crate) sigma: &'a [u8; G1_LEN],
}

/// σ, decoded and in the subgroup, and both commitments.
#[derive(Debug)]
pub(crate) struct Commitments {
    pub(crate) sigma: Affine,
    pub(crate) a: Affine,
    pub(crate) b: Affine,
}

/// σ and the two commitments of one vote.
pub(crate) fn commitments(vote: &Vote<'_>) -> Result<Commitments, PointError> {
    let sigma = Affine::from_blst(&decompress_g1(vote.sigma)?);
    Prepared::new(vote, None, sigma).alone()
}

/// The same for many votes: in batches if their tables have the same shapes or their keys have none yet, else one by
/// one. A message that keeps no table gets one for this call, if enough votes are on it.
pub(crate) fn commitments_all(votes: &[Vote<'_>]) -> Vec<Result<Commitments, PointError>> {
    commitments_all_with(Arithmetic::current(), votes)
}

/// The same with this arithmetic.
pub(super) fn commitments_all_with(
    arithmetic: Arithmetic,
    votes: &[Vote<'_>],
) -> Vec<Result<Commitments, PointError>> {
    let mut additions = Additions::with(arithmetic);
    let passing = PassingTable::of(votes);
    votes
        .chunks(batch_len(arithmetic))
        .flat_map(|batch| batched(batch, passing.as_ref(), arithmetic, &mut additions))
        .collect()
}

/// A table of one call for a message that keeps none.
pub(super) struct PassingTable {
    hm: Affine,
    comb: Comb,
}

impl PassingTable {
    /// Of the first vote's message. Votes that are checked together are on one message.
    pub(super) fn of(votes: &[Vote<'_>]) -> Option<Self> {
        let hm = votes.first()?.hm;
        let has_none = |vote: &&Vote<'_>| vote.hm == hm && vote.hm_tables.are_none();
        let count = votes.iter().filter(has_none).count();
        let shape = message_shape(u32::try_from(count).unwrap_or(u32::MAX));
        (count >= MIN_BATCH).then(|| Self {
            hm,
            comb: Comb::new(shape, hm),
        })
    }

    fn get(&self, hm: &Affine) -> Option<&Comb> {
        (self.hm == *hm).then_some(&self.comb)
    }
}

/// Votes in a batch.
fn batch_len(arithmetic: Arithmetic) -> usize {
    #[cfg(target_arch = "x86_64")]
    if vector::Lockstep::of(arithmetic).is_some() {
        return vector::BATCH;
    }
    let _ = arithmetic;
    BATCH
}

/// The common properties of votes in one batch.
type Shapes = (Option<Shape>, Shape);

/// A vote with its tables looked up and σ decompressed.
struct Prepared<'a> {
    vote: &'a Vote<'a>,
    pk1_tables: Option<&'a Comb>,
    hm_tables: Option<&'a Comb>,
    sigma: Affine,
}

impl<'a> Prepared<'a> {
    fn new(vote: &'a Vote<'_>, passing: Option<&'a PassingTable>, sigma: Affine) -> Self {
        let passing = passing.and_then(|table| table.get(&vote.hm));
        Self {
            vote,
            pk1_tables: vote.pk1_tables.get(&vote.pk1),
            hm_tables: vote.hm_tables.get(&vote.hm).or(passing),
            sigma,
        }
    }

    /// The shapes of the key's tables, if any, and of the message's. Without the latter a vote is checked alone.
    fn shapes(&self) -> Option<Shapes> {
        Some((self.pk1_tables.map(Comb::shape), self.hm_tables?.shape()))
    }

    #[allow(
        clippy::expect_used,
        reason = "`to_affine` returns as many points as it gets"
    )]
    fn alone(&self) -> Result<Commitments, PointError> {
        let Vote { c, s, pk1, hm, .. } = self.vote;
        let (for_comb_c, for_comb_s) = (CombScalar::new(c), CombScalar::new(s));
        let of_sigma = variable::mul_checked(&self.sigma, c).ok_or(PointError::NotInSubgroup)?;
        let a = generator()
            .mul(&for_comb_s)
            .add(&mul(pk1, self.pk1_tables, c, &for_comb_c));
        let b = of_sigma.add(&mul(hm, self.hm_tables, s, &for_comb_s));
        let [a, b]: [Affine; 2] = to_affine(&[a, b])
            .try_into()
            .expect("as many as were put in; qed");
        Ok(self.commitments(a, b))
    }

    fn commitments(&self, a: Affine, b: Affine) -> Commitments {
        let sigma = self.sigma;
        Commitments { sigma, a, b }
    }
}

fn batched(
    votes: &[Vote<'_>],
    passing: Option<&PassingTable>,
    arithmetic: Arithmetic,
    additions: &mut Additions,
) -> Vec<Result<Commitments, PointError>> {
    let sigmas: Vec<_> = votes.iter().map(|vote| vote.sigma).collect();
    let prepared: Vec<_> = votes
        .iter()
        .zip(decompress_all(arithmetic, &sigmas))
        .map(|(vote, sigma)| sigma.map(|sigma| Prepared::new(vote, passing, sigma)))
        .collect();
    let mut shapes: Vec<Shapes> = Vec::new();
    for of_vote in prepared.iter().flatten().filter_map(Prepared::shapes) {
        if !shapes.contains(&of_vote) {
            shapes.push(of_vote);
        }
    }
    let mut answers: Vec<_> = prepared.iter().map(|_| None).collect();
    for shapes in shapes {
        let (places, together): (Vec<_>, Vec<_>) = prepared
            .iter()
            .enumerate()
            .filter_map(|(at, vote)| Some((at, vote.as_ref().ok()?)))
            .filter(|(_, vote)| vote.shapes() == Some(shapes))
            .unzip();
        if together.len() >= MIN_BATCH {
            let found = of_same_shapes(&together, arithmetic, additions);
            for (at, answer) in places.into_iter().zip(found) {
                answers[at] = Some(answer);
            }
        }
    }
    prepared
        .into_iter()
        .zip(answers)
        .map(|(vote, answer)| answer.unwrap_or_else(|| vote?.alone()))
        .collect()
}

/// Votes that have tables of the same shapes.
fn of_same_shapes(
    votes: &[&Prepared<'_>],
    arithmetic: Arithmetic,
    additions: &mut Additions,
) -> Vec<Result<Commitments, PointError>> {
    #[cfg(target_arch = "x86_64")]
    if let Some(lockstep) = vector::Lockstep::of(arithmetic) {
        return in_lockstep(lockstep, votes);
    }
    let _ = arithmetic;
    by_additions(votes, additions)
}

/// The scalars of votes, ready for their tables.
fn for_combs(votes: &[&Prepared<'_>]) -> Vec<[CombScalar; 2]> {
    let both = |vote: &&Prepared<'_>| [&vote.vote.c, &vote.vote.s].map(CombScalar::new);
    votes.iter().map(both).collect()
}

/// The products with tables that make up both sums.
fn table_terms<'a>(
    votes: &[&'a Prepared<'_>],
    scalars: &'a [[CombScalar; 2]],
) -> [Vec<Vec<Term<'a>>>; 2] {
    let [mut pk1, mut g1, mut hm] = [const { Vec::new() }; 3];
    for (vote, [c, s]) in votes.iter().zip(scalars) {
        let term = |scalar| move |comb| Term { comb, scalar };
        pk1.extend(vote.pk1_tables.map(term(c)));
        g1.push(term(s)(generator()));
        hm.extend(vote.hm_tables.map(term(s)));
    }
    [vec![pk1, g1], vec![hm]]
}

/// Keys without tables are multiplied as σ is. That they are in the subgroup is known.
fn keys_without_tables<'a>(
    votes: &'a [&Prepared<'_>],
) -> impl Iterator<Item = (Affine, BaseZ)> + 'a {
    votes
        .iter()
        .filter(|vote| vote.pk1_tables.is_none())
        .map(|vote| (vote.vote.pk1, vote.vote.c))
}

#[cfg(target_arch = "x86_64")]
fn in_lockstep(
    lockstep: vector::Lockstep,
    votes: &[&Prepared<'_>],
) -> Vec<Result<Commitments, PointError>> {
    let scalars = for_combs(votes);
    let work = vector::Work {
        sigma: votes.iter().map(|vote| (vote.sigma, vote.vote.c)).collect(),
        key: keys_without_tables(votes).collect(),
        tables: table_terms(votes, &scalars),
    };
    let found = vector::compute(lockstep, &work);
    votes
        .iter()
        .zip(found)
        .map(|(vote, found)| match found {
            Some(vector::Found {
                is_in_subgroup: true,
                sums: [a, b],
            }) => Ok(vote.commitments(a, b)),
            Some(_) => Err(PointError::NotInSubgroup),
            None => vote.alone(),
        })
        .collect()
}

fn by_additions(
    votes: &[&Prepared<'_>],
    additions: &mut Additions,
) -> Vec<Result<Commitments, PointError>> {
    let count = votes.len();
    let (points, scalars): (Vec<_>, Vec<_>) = votes
        .iter()
        .map(|vote| (vote.sigma, vote.vote.c))
        .chain(keys_without_tables(votes))
        .unzip();
    let (products, are_in_subgroup) = variable::mul_checked_all(&points, &scalars, additions);
    let (of_sigma, of_pk1) = products.split_at(count);
    let scalars = for_combs(votes);
    let [of_a, of_b] = table_terms(votes, &scalars);
    let mut sums = vec![ZERO; 2 * count];
    comb::sums(&mut sums, [&of_a, &of_b], additions);
    for (at, product) in (count..).zip(of_sigma).chain((0..).zip(of_pk1)) {
        additions.push(at, *product);
    }
    additions.flush(&mut sums);
    let (a, b) = sums.split_at(count);
    votes
        .iter()
        .zip(are_in_subgroup)
        .zip(a.iter().zip(b))
        .map(|((vote, is_in_subgroup), (a, b))| {
            is_in_subgroup
                .then(|| vote.commitments(*a, *b))
                .ok_or(PointError::NotInSubgroup)
        })
        .collect()
}
