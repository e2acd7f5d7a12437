//! GRANDPA stands still over several sessions while validators register new keys, so that the sets that they lead to wait.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "grandpa_stall",
    what: "one node more than may be missing is killed; sessions go on, keys change, nothing is finalized; then all come back and the sets take over",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Kill(Group::TooMany),
        Step::NewKeys(Group::First(3)),
        Step::NothingProven(10),
        Step::Start(Group::TooMany),
        Step::Recover(120),
        Step::NewSets(1),
        Step::NewKeys(Group::First(1)),
        Step::NewSets(1),
        Step::Recover(60),
    ],
};
