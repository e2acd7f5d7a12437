//! A node is away while the chain goes on and its set changes several times, and comes back.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "backlog",
    what: "a node is killed, the others go on for some sessions with new sets, and it comes back and catches up",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Kill(Group::Last(0)),
        Step::NewKeys(Group::First(3)),
        Step::Sessions(3),
        Step::Start(Group::Last(0)),
        Step::Recover(120),
    ],
};
