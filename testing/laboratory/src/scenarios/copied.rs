//! The base path of a running validator is copied, and the copy is started elsewhere.

use crate::{
    group::Group,
    scenario::{Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "copied",
    what: "a validator's base path is copied while it runs, and started on another machine; both nodes warn, no key signs two statements about a block, and proofs go on",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::RunCopy(Group::Last(0), Group::Last(1)),
        // The copy catches up.
        Step::Prove(5),
        // A node warns of votes that come before its own: each is held up while the other one votes.
        Step::Freeze(Group::Last(0)),
        Step::OthersProve(Group::Last(0), 3),
        Step::Thaw(Group::Last(0)),
        Step::Shows(Group::Last(0), "own_key_elsewhere_total"),
        Step::Freeze(Group::Last(1)),
        Step::OthersProve(Group::Last(1), 3),
        Step::Thaw(Group::Last(1)),
        Step::Shows(Group::Last(1), "own_key_elsewhere_total"),
        Step::Prove(5),
        Step::OwnAgain(Group::Last(1)),
        Step::Recover(120),
    ],
};
