//! A few nodes, no more than may be missing, are cut off and come back.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "partition_minority",
    what: "as many nodes as may be missing are cut off; the others go on proving, and the nodes that were cut off catch up",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Partition(Group::Spare),
        Step::OthersProve(Group::Spare, 12),
        Step::Heal,
        Step::Recover(90),
    ],
};
