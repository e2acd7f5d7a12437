//! The disk of a node becomes full, and has room again.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "full_disk",
    what: "the disk of a node becomes full; the others go on proving, and the node catches up when there is room again, by itself or after a restart",
    needs: None,
    setting: Setting::SmallDisk(Group::Last(0), 256),
    steps: &[
        Step::Prove(3),
        Step::FillDisk(Group::Last(0)),
        Step::OthersProve(Group::Last(0), 15),
        Step::FreeDisk(Group::Last(0)),
        Step::Recover(120),
    ],
};
