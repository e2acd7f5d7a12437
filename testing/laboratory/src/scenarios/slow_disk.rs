//! Some nodes have disks that take half a second to keep anything.

use crate::{
    group::Group,
    scenario::{Need, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "slow_disk",
    what: "each time that one of as many nodes as may be missing has a file written to disk, it waits half a second; all prove on",
    needs: Some(Need::Strace),
    setting: Setting::SlowDisk(Group::Spare, 500),
    steps: &[
        Step::Prove(15),
        Step::Recover(60),
    ],
};
