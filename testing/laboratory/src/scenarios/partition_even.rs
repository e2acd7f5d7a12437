//! The network falls into two halves, of which none can finalize, and grows together again.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "partition_even",
    what: "two halves do not hear each other; neither proves anything, and both author blocks",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Partition(Group::Half),
        Step::NothingProven(60),
        Step::Heal,
        Step::Recover(120),
    ],
};
