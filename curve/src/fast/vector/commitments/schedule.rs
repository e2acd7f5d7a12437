//! The parts of a sum of products with tables, pass by pass.

use crate::fast::{
    comb::{Columns, Comb, Pass, Shape, Term},
    vector::{
        lockstep::Addends,
        octet::{prefetch, Lanes, LANES},
    },
};
use alloc::{boxed::Box, vec::Vec};

/// The next operation on a sum.
pub(super) enum Next<'a> {
    Double,
    Add(Vec<Addends<'a>>),
}

/// The parts of a sum, pass by pass.
pub(super) struct Schedule<'a> {
    passes: Box<dyn Iterator<Item = (usize, Pass)>>,
    lists: Vec<Vec<(&'a Comb, Columns)>>,
    /// Looked up one step before it is added, so that it comes from memory meanwhile.
    next: Option<Next<'a>>,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(lists: &[Vec<Term<'a>>]) -> Self {
        let shapes: Vec<_> = lists
            .iter()
            .enumerate()
            .filter_map(|(list, terms)| Some((list, terms.first()?.comb.shape())))
            .collect();
        let passes = shapes
            .into_iter()
            .flat_map(|(list, shape): (usize, Shape)| shape.passes().map(move |pass| (list, pass)));
        let columns = |term: &Term<'a>| (term.comb, term.comb.columns(term.scalar));
        let mut schedule = Self {
            passes: Box::new(passes),
            lists: lists
                .iter()
                .map(|terms| terms.iter().map(columns).collect())
                .collect(),
            next: None,
        };
        schedule.advance();
        schedule
    }

    pub(super) fn take(&mut self) -> Option<Next<'a>> {
        let next = self.next.take();
        self.advance();
        next
    }

    fn advance(&mut self) {
        self.next = self.passes.next().map(|(list, pass)| match pass {
            Pass::Double => Next::Double,
            Pass::Add { .. } | Pass::Correct { .. } => Next::Add(
                self.lists[list]
                    .chunks(LANES)
                    .map(|eight| addends(eight, pass))
                    .collect(),
            ),
        });
    }
}

/// The addends of a pass for eight sums.
fn addends<'a>(terms: &[(&'a Comb, Columns)], pass: Pass) -> Addends<'a> {
    let (mut negative, mut active, mut half_of_pass) = (0, 0, 0);
    let points = core::array::from_fn(|lane| {
        let (comb, columns) = &terms[lane.min(terms.len() - 1)];
        let Some((half, point, is_negative)) = comb.selected(columns, pass) else {
            return comb.base();
        };
        prefetch(point);
        half_of_pass = half;
        active |= 1 << lane;
        negative |= Lanes::from(is_negative) << lane;
        point
    });
    Addends {
        points,
        negative,
        is_times_z2: half_of_pass == 1,
        active,
    }
}
