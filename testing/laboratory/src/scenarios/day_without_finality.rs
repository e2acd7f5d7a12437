//! A day passes by the clocks of the chain, in steps of two hours, while nothing becomes final.

use crate::{
    group::Group,
    scenario::{Need, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "day_without_finality",
    what: "one node more than may be missing is killed, and the clocks of the others jump by two hours, twelve times; then all come back",
    needs: Some(Need::Faketime),
    setting: Setting::Clocks(0),
    steps: &[
        Step::Prove(3),
        Step::Kill(Group::TooMany),
        Step::FastForward(24),
        Step::NothingProven(10),
        Step::Start(Group::TooMany),
        Step::Recover(180),
    ],
};
