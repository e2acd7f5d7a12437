//! How the time for checks is divided, as `gossip/src/pending/shares.rs` does it.

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Votes on the commitment that this node prepared.
    Prepared,
    /// Other votes.
    Strange,
    /// Proofs.
    Proof,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Prepared, Self::Strange, Self::Proof];

    /// What one unit of work counts: prepared votes get one half while everything waits, the others a quarter each.
    const fn stride(self) -> u64 {
        match self {
            Self::Prepared => 1,
            Self::Strange | Self::Proof => 2,
        }
    }
}

/// Whose turn it is: the kind that has had least of its share.
#[derive(Debug, Default)]
pub(super) struct Shares {
    had: [u64; Kind::ALL.len()],
    /// What the kind whose turn was last had before: one that did not wait until now catches up with nothing.
    floor: u64,
}

impl Shares {
    /// The kind whose turn it is among those that wait.
    pub(super) fn next(&mut self, waits: impl Fn(Kind) -> bool) -> Option<Kind> {
        let kinds = Kind::ALL.into_iter().filter(|kind| waits(*kind));
        let (least, kind) = kinds
            .map(|kind| (self.had[kind as usize].max(self.floor), kind))
            .min_by_key(|(had, _)| *had)?;
        self.floor = least;
        Some(kind)
    }

    /// Counts work that was taken.
    pub(super) fn charge(&mut self, kind: Kind, work: u64) {
        let had = &mut self.had[kind as usize];
        *had = (*had).max(self.floor) + work * kind.stride();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_everything_waits_prepared_votes_get_half_of_the_work() {
        let (mut shares, mut turns) = (Shares::default(), [0; 3]);
        for _ in 0..400 {
            let kind = shares.next(|_| true).expect("all wait");
            shares.charge(kind, 10);
            turns[kind as usize] += 1;
        }
        assert_eq!(turns, [200, 100, 100]);
    }

    #[test]
    fn who_did_not_wait_catches_up_with_nothing() {
        let mut shares = Shares::default();
        for _ in 0..100 {
            let kind = shares.next(|kind| kind == Kind::Prepared);
            shares.charge(kind.expect("it waits"), 10);
        }
        let strange = (0..20)
            .filter(|_| {
                let kind = shares.next(|kind| kind != Kind::Proof).expect("two wait");
                shares.charge(kind, 10);
                kind == Kind::Strange
            })
            .count();
        assert!((6..=8).contains(&strange), "{strange}");
    }
}
