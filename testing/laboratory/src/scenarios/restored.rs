//! A node gets an older copy of its database back, then an older copy of everything; what its keys signed is kept as the page about keys says.

use crate::{
    group::Group,
    scenario::{Kept, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "restored",
    what: "a node is restored from an older copy: first only the database, then also the keys and the vote records, which were exported before; the node signs nothing twice",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Copy(Group::Last(0)),
        Step::Prove(12),
        Step::Restore(Group::Last(0), Kept::Keys),
        Step::Recover(120),
        Step::Prove(5),
        Step::Restore(Group::Last(0), Kept::Votes),
        Step::Recover(120),
        Step::Prove(5),
        Step::Recover(60),
    ],
};
