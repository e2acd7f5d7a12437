//! A validator imports its chain from a file, which has no proofs. Peers bring the proofs of handoffs.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "imported",
    what: "a validator exports its chain to a file, purges it and imports the file; it gets the proofs of handoffs back from its peers, and votes on",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(2),
        Step::NewKeys(Group::First(2)),
        Step::NewSets(1),
        Step::Reimport(Group::Last(0)),
        Step::Recover(120),
        // Counted since its start.
        Step::Shows(Group::Last(0), "votes_sent_total"),
        Step::Recover(60),
    ],
};
