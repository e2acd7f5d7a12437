//! The nodes of a running network are upgraded in turn, its runtime after them, and some nodes go back to the version from which they came.

use crate::{
    group::Group,
    scenario::{Need, Scenario, Setting, Step, Version},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "upgrade",
    what: "nodes of an earlier version are upgraded, as many at a time as may be missing; then the runtime is; then as many as may be missing go back to the earlier version and forward again; the set changes in between",
    needs: Some(Need::EarlierNode),
    setting: Setting::Version(Version::Earlier),
    steps: &[
        Step::Prove(2),
        Step::ChangeInTurn(Version::This, 90),
        Step::UpgradeRuntime,
        Step::Recover(60),
        Step::NewKeys(Group::First(1)),
        Step::NewSets(1),
        Step::Change(Group::Spare, Version::Earlier),
        Step::Recover(90),
        Step::NewKeys(Group::First(1)),
        Step::NewSets(1),
        Step::Change(Group::Spare, Version::This),
        Step::Recover(90),
    ],
};
