//! Some nodes have disks that take half a second to keep anything.

use crate::{
    group::Group,
    scenario::{Need, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "slow_disk",
    what: "on as many nodes as may be missing, each flush to disk takes half a second longer; all nodes go on proving",
    needs: Some(Need::Strace),
    setting: Setting::SlowDisk(Group::Spare, 500),
    steps: &[
        Step::Prove(15),
        Step::Recover(60),
    ],
};
