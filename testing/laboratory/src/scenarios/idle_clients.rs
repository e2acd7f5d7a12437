//! A validator that may have few files open has as many clients as it takes.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "idle_clients",
    what: "a validator with 1024 file descriptors has 300 clients that want in and stay idle; its vote is needed, and comes; when they leave, others get in",
    needs: None,
    setting: Setting::FewFiles(Group::First(1), 1_024),
    steps: &[
        Step::Prove(2),
        Step::IdleClients(Group::First(1), 300),
        // Each proof needs the votes of all the others.
        Step::Kill(Group::Spare),
        Step::OthersProve(Group::Spare, 6),
        Step::Start(Group::Spare),
        Step::ClientsLeave(Group::First(1)),
        Step::Recover(90),
    ],
};
