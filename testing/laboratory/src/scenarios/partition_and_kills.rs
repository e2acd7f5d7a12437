//! For every change: a partition in which nothing can be final, and kills after it, in one network.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "partition_and_kills",
    what: "two halves do not hear each other and prove nothing; then as many nodes as may be missing are killed, and the others go on proving",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(1),
        Step::Partition(Group::Half),
        Step::NothingProven(6),
        Step::Heal,
        Step::Recover(60),
        Step::Kill(Group::Spare),
        Step::OthersProve(Group::Spare, 2),
        Step::Start(Group::Spare),
        Step::Recover(60),
    ],
};
