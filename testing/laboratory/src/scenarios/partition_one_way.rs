//! A few nodes are heard by nobody and hear the others, as far as that goes: without answers connections break, too.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "partition_one_way",
    what: "packets from as many nodes as may be missing are lost, packets to them arrive; the others go on proving",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(1),
        Step::OneWay(Group::Spare),
        Step::OthersProve(Group::Spare, 6),
        Step::Heal,
        Step::Recover(150),
    ],
};
