//! The clock of a validator is an hour behind, from its start and later while it runs.
//!
//! The node is started again when its clock is right, for the reason that `clock_jump` gives.

use crate::{
    group::Group,
    scenario::{Need, Scenario, Setting, Step},
};

/// In seconds.
const HOUR: i64 = 3_600;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "clock_behind",
    what: "the clock of a validator is an hour behind from its start, and once more while it runs; it stands still, the others go on proving, and it catches up when it is started with the right time",
    needs: Some(Need::Faketime),
    setting: Setting::Clocks(0),
    steps: &[
        Step::Prove(2),
        Step::Kill(Group::Last(0)),
        Step::Clock(Group::Last(0), -HOUR),
        Step::Start(Group::Last(0)),
        Step::OthersProve(Group::Last(0), 10),
        Step::StandStill(Group::Last(0), 4),
        Step::Kill(Group::Last(0)),
        Step::Clock(Group::Last(0), 0),
        Step::Start(Group::Last(0)),
        Step::Recover(120),
        Step::Clock(Group::Last(0), -HOUR),
        Step::OthersProve(Group::Last(0), 10),
        Step::StandStill(Group::Last(0), 4),
        Step::Kill(Group::Last(0)),
        Step::Clock(Group::Last(0), 0),
        Step::Start(Group::Last(0)),
        Step::Recover(120),
    ],
};
