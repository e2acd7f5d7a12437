//! No validator of a session has a Duet key. The set goes on, until enough validators have keys again. (CHAIN-6)

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "keyless",
    what: "all validators give up their Duet keys; their set goes on for two sessions and they are told; when just enough have keys again, a new set takes over",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(2),
        Step::NewSession,
        Step::GiveUpKeys(Group::All),
        Step::Sessions(2),
        Step::Recover(60),
        Step::NoHandoff,
        Step::Shows(Group::All, "below_floor"),
        Step::RegisterKeys(Group::Enough),
        Step::NewSets(1),
        Step::Recover(60),
    ],
};
