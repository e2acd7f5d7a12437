//! All nodes are restored to an earlier block, and statements about the lost blocks are pardoned, as docs/operators/rescue.md says.

use crate::{
    group::Group,
    scenario::{Kept, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "rescue",
    what: "all nodes are restored to an earlier block with their vote records kept; root pardons; proofs of lost blocks convict nobody, and two statements about one number still do",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Copy(Group::All),
        Step::Prove(22),
        Step::KeepEvidence,
        Step::Restore(Group::All, Kept::Keys),
        Step::Punishable(true),
        Step::Pardon,
        Step::Punishable(false),
        Step::Outgrow,
        Step::Recover(240),
        Step::Accuse,
        Step::Equivocate,
        Step::Recover(120),
    ],
};
