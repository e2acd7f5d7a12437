//! How the time for checks is divided.

/// The cost of a vote on a strange commitment, in votes of a batch: it is hashed alone, and checked without tables.
const STRANGE_WORK: u64 = 6;
/// The cost of a proof, in votes of a batch: about two pairings and a sum.
const PROOF_WORK: u64 = 50;

/// A kind of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Votes on commitments that this node prepared.
    Prepared,
    /// Votes on commitments that only peers have named.
    Strange,
    /// Finality proofs.
    Proof,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Prepared, Self::Strange, Self::Proof];

    /// The cost of one check, in votes of a batch.
    const fn work(self) -> u64 {
        match self {
            Self::Prepared => 1,
            Self::Strange => STRANGE_WORK,
            Self::Proof => PROOF_WORK,
        }
    }

    /// The charge for one unit of work of this kind. While all kinds wait, votes on prepared commitments get one half
    /// of the work and the others a quarter each. A kind that waits alone gets all.
    const fn stride(self) -> u64 {
        match self {
            Self::Prepared => 1,
            Self::Strange | Self::Proof => 2,
        }
    }
}

/// Whose turn it is: the kind that has had least of its share. (Stride scheduling.)
#[derive(Debug, Default)]
pub struct Shares {
    /// The work that each kind has had, divided by its share.
    had: [u64; Kind::ALL.len()],
    /// The work that the last kind had before its turn: a kind that starts to wait has nothing to catch up with.
    floor: u64,
}

impl Shares {
    /// The waiting kind whose turn it is.
    pub fn next(&mut self, waits: impl Fn(Kind) -> bool) -> Option<Kind> {
        let had = |kind: Kind| self.had.get(kind as usize).copied().unwrap_or_default();
        let kinds = Kind::ALL.into_iter().filter(|kind| waits(*kind));
        let (least, kind) = kinds
            .map(|kind| (had(kind).max(self.floor), kind))
            .min_by_key(|(had, _)| *had)?;
        self.floor = least;
        Some(kind)
    }

    /// Charges a kind for `count` votes or proofs.
    pub fn charge(&mut self, kind: Kind, count: u64) {
        let work = count.saturating_mul(kind.work());
        if let Some(had) = self.had.get_mut(kind as usize) {
            *had = (*had)
                .max(self.floor)
                .saturating_add(work.saturating_mul(kind.stride()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often it is the turn of each kind, when each turn takes the same work.
    fn turns(shares: &mut Shares, waits: &[Kind], count: usize) -> [usize; 3] {
        let mut turns = [0; 3];
        for _ in 0..count {
            let kind = shares
                .next(|kind| waits.contains(&kind))
                .expect("some wait");
            shares.charge(kind, 300 / kind.work());
            turns[kind as usize] += 1;
        }
        turns
    }

    /// GOSSIP-7.
    #[test]
    fn half_of_the_work_goes_to_prepared_commitments_while_all_wait() {
        let mut shares = Shares::default();
        assert_eq!(turns(&mut shares, &Kind::ALL, 400), [200, 100, 100]);
    }

    #[test]
    fn what_waits_alone_gets_everything_and_nobody_saves_up() {
        let mut shares = Shares::default();
        assert_eq!(turns(&mut shares, &[Kind::Strange], 1_000), [0, 1_000, 0]);
        let both = [Kind::Prepared, Kind::Strange];
        let [prepared, strange, _] = turns(&mut shares, &both, 300);
        assert!((199..=201).contains(&prepared), "{prepared} and {strange}");
    }

    #[test]
    fn a_strange_vote_costs_six_of_a_batch_and_a_proof_fifty() {
        for (kind, work) in [(Kind::Strange, 6), (Kind::Proof, 50)] {
            let mut shares = Shares::default();
            shares.charge(kind, 1);
            // It counts double, and whose votes are prepared has the turn when both had the same.
            let waits = |it| it == kind || it == Kind::Prepared;
            let first = (0..1_000).take_while(|_| {
                shares.charge(Kind::Prepared, 1);
                shares.next(waits) == Some(Kind::Prepared)
            });
            assert_eq!(first.count(), 2 * work);
        }
    }

    #[test]
    fn without_anything_that_waits_there_is_no_turn() {
        assert_eq!(Shares::default().next(|_| false), None);
    }
}
