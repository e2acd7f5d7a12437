//! A few nodes are heard by nobody and hear the others, as far as that goes: without answers connections break, too.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "partition_one_way",
    what: "what as many nodes as may be missing send is lost, and what is sent to them arrives; the others prove on",
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
